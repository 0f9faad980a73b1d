import TestSupport
import Testing

@testable import PatchCrypto

/// Base64 as RFC 4648 has it, with one spelling for each value.
@Suite(.ownThreads) struct Base64Tests {
    @Test(arguments: [("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")])
    func base64IsThatOfTheRFC(text: String, encoded: String) {
        #expect(Base64.encode(Array(text.utf8)) == Array(encoded.utf8))
        #expect(Base64.decode(encoded.utf8) == Array(text.utf8))
    }

    @Test func nothingIsWrittenAsNothingAndNotRead() {
        #expect(Base64.encode([UInt8]()) == [])
        #expect(Base64.decode("".utf8) == nil)
    }

    @Test(arguments: [
        "Zg=", "Zg", "Zh==", "Zm9=", "Zg==\n", " Zg==", "Zg== ", "Zm9v====", "====", "Zm=v", "Zm9-", "Zm9vZg==Zm9v",
        "Z===",
    ])
    func base64OfAnotherSpellingIsRefused(encoded: String) {
        #expect(Base64.decode(encoded.utf8) == nil)
    }
}
