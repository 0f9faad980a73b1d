import PatchCrypto
import TestSupport
import Testing

/// Keys of other people's metadata.
@Suite(.ownThreads) struct SchemeKeyTests {
    @Test func keysAreEqualIfTheyAreTheSameKey() throws {
        let (pem, other) = try (TestKeys.signing.verifyingKey.pem(), TestKeys.otherSigning.verifyingKey.pem())
        let key = try SchemeKey(pem: pem, for: .rsaPSS)
        #expect(try key.isEqual(to: SchemeKey(pem: pem, for: .rsaPSS)))
        #expect(try !key.isEqual(to: SchemeKey(pem: other, for: .rsaPSS)))
    }
}
