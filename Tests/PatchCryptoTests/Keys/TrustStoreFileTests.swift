import PatchCrypto
import TestSupport
import Testing

/// A trust store: its text file, its keys, and the signatures of the file.
@Suite(.ownThreads) struct TrustStoreFileTests {
    private static let keys = [
        "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
        "MCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=",
    ]
    private static let end = "not-after=2027-01-01T00:00:00Z"

    private func store(_ text: String) throws -> TrustStoreFile { try TrustStoreFile(Array(text.utf8)) }

    @Test func trustStoreFileTextWithCommentsIsEncodedUnchanged() throws {
        let text = """
            # the release team

            ed25519 \(Self.keys[0]) alice \(Self.end) revoked
            # and bob
            ed25519 \(Self.keys[1]) bob

            """
        let store = try store(text)
        #expect(try store.encoded() == Array(text.utf8))
        #expect(store.keys.map(\.name) == ["alice", "bob"] && store.keys.map(\.isRevoked) == [true, false])
        #expect(store.keys.map(\.expires) == [Timestamp("2027-01-01T00:00:00Z"), nil])
    }

    /// The limits of the trust in a key may be in any order, each once.
    @Test func trustStoreLineRepeatedOrWrongLimitIsRefused() throws {
        let line = "ed25519 \(Self.keys[0]) alice"
        for limits in [[], ["revoked"], [Self.end], ["revoked", Self.end]] {
            let key = try #require(try store(([line] + limits).joined(separator: " ")).keys.first)
            #expect(key.isRevoked == limits.contains("revoked"))
            #expect((key.expires != nil) == limits.contains(Self.end))
        }
        for limits in ["revoked revoked", "\(Self.end) \(Self.end)", "not-after=soon", "retired", "", "revoked "] {
            #expect(throws: PatchError(.config, ""), "\(limits)") { try store("\(line) \(limits)") }
        }
        let error = #expect(throws: PatchError.self) { try store("\(line) not-after=2027-01-01") }
        #expect(
            error?.message.contains("not-after=2027-01-01 has no time of day") == true, "\(String(describing: error))")
        for short in ["ed25519", "ed25519 \(Self.keys[0])", "ed448 \(Self.keys[0]) alice", "ed25519 AAAA alice"] {
            #expect(throws: PatchError(.config, ""), "\(short)") { try store(short) }
        }
    }

    @Test func aFaultNamesItsLine() throws {
        do {
            _ = try store("# a\n\ned25519 \(Self.keys[0]) alice\nnonsense\n")
            Issue.record("it was read")
        } catch {
            #expect(error as? PatchError == PatchError(.config, "") && (error as? PatchError)?.place?.line == 4)
        }
        #expect(throws: PatchError(.config, "")) { try TrustStoreFile([0xFF, 0x0A]) }
    }

    @Test func trustStoreFileDuplicateNameOrKeyIsRefused() throws {
        var store = try store("ed25519 \(Self.keys[0]) alice\n")
        let alice = store.keys[0]
        let other = try TrustedKey(SigningKey.generate(.ed25519).verifyingKey, name: "alice")
        for key in [alice, other, try TrustedKey(other.key)] {
            #expect(throws: PatchError(.config, "")) { try store.add(key) }
        }
        try store.update("alice") { _ in nil }
        #expect(store.keys.isEmpty)
        try store.add(other)
        // A key can also be named by its id.
        try store.update(other.key.id.description) { key in
            var key = key
            key.isRevoked = true
            return key
        }
        #expect(store.keys.map(\.isRevoked) == [true])
        #expect(throws: PatchError(.config, "")) { try store.update("bob") { $0 } }
    }

    @Test func aKeyIsFoundByTheBytesOfItsName() throws {
        var store = try store("ed25519 \(Self.keys[0]) K\n")
        // It looks the same, and is canonically equivalent, but is another name.
        let other = #expect(throws: PatchError.self) { try store.update("\u{212A}") { _ in nil } }
        #expect(other?.hint == "the names are K")
        try store.update("K") { _ in nil }
        let empty = #expect(throws: PatchError.self) { try store.update("K") { _ in nil } }
        #expect(empty?.hint == "it has no key")
    }

    /// Signatures cover the unchanged file, so they are dropped. The label is kept, for the number of the next version.
    @Test func signaturesAreNotKept() throws {
        let line = "ed25519 \(Self.keys[0]) alice\n"
        let label = SignedTrustStore.Label(app: "com.example.shop", environment: "release", number: 3)
        var signed = try SignedTrustStore(Array(line.utf8))
        try signed.sign(with: SigningKey.generate(.ed25519), as: label)
        #expect(try TrustStoreFile(signed.encoded).encoded() == Array("\(line)\(Self.line(label))".utf8))
        #expect(try TrustStore(decoding: signed.encoded).keys.map(\.name) == ["alice"])
    }

    private static func line(_ label: SignedTrustStore.Label) -> String {
        "# signed for \(label.app) \(label.environment) \(label.number)\n"
    }

    @Test func aPinIsTheDigestOfTheFile() throws {
        let file = Array("ed25519 \(Self.keys[0]) alice\n".utf8)
        let pin = "66efec1d9af5adfc02f28e864d5619c75cea2de22d029aa735595b8b060116db"
        #expect(try TrustStoreFile.pin(of: file) == pin)
        #expect(try TrustStore(decoding: file, pinnedTo: pin).keys.count == 1)
        #expect(throws: PatchError(.modifiedTrust, "")) { try TrustStore(decoding: file + [0x0A], pinnedTo: pin) }
        for text in [pin.uppercased(), String(pin.dropLast()), pin + "0", ""] {
            #expect(throws: PatchError(.config, ""), "\(text)") { try TrustStore(decoding: file, pinnedTo: text) }
        }
    }

    @Test func aKeyInPEMIsAStoreOfOneKey() throws {
        let key = TestKeys.signing.verifyingKey
        let pem = try key.pem()
        #expect(try TrustStore(decoding: pem, rsaDefault: .rsaSHA1).keys.map(\.key.id) == [key.id])
        #expect(try TrustStore(decoding: Array("text\n".utf8) + pem, rsaDefault: .rsaSHA1).keys.count == 1)
    }

    // MARK: its keys

    @Test func aKeyGivenTwiceCountsOnce() throws {
        let key = TestKeys.signing.verifyingKey
        #expect(try TrustStore(trusting: [key, key, TestKeys.otherSigning.verifyingKey]).keys.count == 2)
    }

    @Test func noKeyAndOneKeyForTwoAlgorithmsAreRefused() throws {
        let key = TestKeys.signing.verifyingKey
        let other = try VerifyingKey(pem: key.pem(), algorithm: .rsaSHA256)
        #expect(throws: PatchError(.config, "")) { try TrustStore(trusting: [key, other]) }
        #expect(throws: PatchError(.config, "")) { try TrustStore(keys: []) }
    }

    @Test func aKeyIsNotGivenWithTwoEnds() throws {
        let key = TestKeys.signing.verifyingKey
        let end = try #require(Timestamp("2027-01-01T00:00:00Z"))
        for other in [try TrustedKey(key, isRevoked: true), try TrustedKey(key, expires: end)] {
            #expect(throws: PatchError(.config, "")) { try TrustStore(keys: [TrustedKey(key), other]) }
        }
        #expect(try TrustStore(keys: [TrustedKey(key), TrustedKey(key, name: "a")]).keys.map(\.name) == ["a"])
        #expect(try TrustStore(keys: [TrustedKey(key), TrustedKey(key)]).keys.map(\.name) == [nil])
    }

    @Test func aKeyEndsAtItsEnd() throws {
        let end = try #require(Timestamp("2027-01-01T00:00:00Z"))
        let before = try #require(Timestamp("2026-12-31T23:59:59Z"))
        let key = try TrustedKey(TestKeys.signing.verifyingKey, expires: end)
        #expect(key.refusal(at: before) == nil && key.refusal(at: nil) == nil)
        #expect(key.refusal(at: end) == "was trusted until \(end)")
        #expect(try TrustedKey(key.key, isRevoked: true).refusal(at: nil) == "is revoked")
    }

    // MARK: signed

    @Test func aSignatureIsOfAKeyThatCounts() throws {
        let end = try #require(Timestamp("2027-01-01T00:00:00Z"))
        let key = try SigningKey.generate(.ed25519)
        let other = try SigningKey.generate(.ed25519)
        let label = SignedTrustStore.Label(app: "com.example.shop", environment: "release", number: 3)
        let trust = try TrustStore(keys: [TrustedKey(key.verifyingKey, expires: end)])
        var store = try SignedTrustStore(Array("# empty\n".utf8))
        #expect(store.label == nil && store.nextNumber(for: label.app, label.environment) == 1)
        try store.sign(with: key, as: label)
        try store.sign(with: other, as: label)
        let read = try SignedTrustStore(store.encoded)
        #expect(read.encoded == store.encoded && read.label == label)
        #expect(read.signers(among: trust, at: nil) == [key.verifyingKey.id])
        #expect(read.signers(among: trust, at: end).isEmpty)
        #expect(read.signerIDs == [key, other].map(\.verifyingKey.id))
        #expect(read.nextNumber(for: label.app, label.environment) == 3)
        #expect(read.nextNumber(for: label.app, "staging") == 4)
        #expect(read.nextNumber(for: "com.example.other", label.environment) == 4)
        // An edited file keeps its label, but no signature.
        let edited = try SignedTrustStore(Array("# empty\n\(Self.line(label))".utf8))
        #expect(edited.nextNumber(for: label.app, label.environment) == 4)
        // A changed file has no signers, and a file with another label has none of the earlier signatures.
        let changed = try SignedTrustStore(Array("# x\n".utf8) + store.encoded)
        #expect(changed.signers(among: trust, at: nil).isEmpty)
        try store.sign(with: other, as: .init(app: label.app, environment: "staging", number: 3))
        #expect(store.signerIDs == [other.verifyingKey.id])
    }

    /// A signature is over the file as it is. If its label could be elsewhere, two files would have one signature.
    @Test func aSignedStoreHasItsLabelBeforeItsSignatures() throws {
        let label = SignedTrustStore.Label(app: "com.example.shop", environment: "release", number: 3)
        var store = try SignedTrustStore(Array("# empty\n".utf8))
        try store.sign(with: TestKeys.signing, as: label)
        let file = String(decoding: store.encoded, as: UTF8.self)
        try #require(file.hasPrefix("# empty\n\(Self.line(label))# signature "))
        let moved = file.replacing("# empty\n\(Self.line(label))", with: "\(Self.line(label))# empty\n")
        #expect(throws: PatchError(.config, "")) { try SignedTrustStore(Array(moved.utf8)) }
        // Without its signatures, which no longer fit, it can be signed again.
        var unsigned = try SignedTrustStore(Array("\(Self.line(label))# empty\n".utf8))
        try unsigned.sign(with: TestKeys.signing, as: label)
        #expect(unsigned.encoded == store.encoded)
    }

    @Test(arguments: [
        "# signed for com.example.shop release 0\n", "# signed for com.example.shop release 2147483648\n",
        "# signed for com.example.shop release 03\n", "# signed for com.example.shop release\n",
        "# signed for com.example.shop release 3 4\n", "# signed for shop release 3\n",
        "# signed for com.example.shop release 3\n# signed for com.example.shop release 3\n",
        "# signature ed25519 0123456789abcdef AAAA\nx\n", "# signature ed25519 0123456789abcdef\n",
        "# signature ed25519 0123456789abcdef AAAA", "# signature ed25519 012345678 AAAA\n",
    ])
    func signedTrustStoreWrongLabelOrSignatureIsRefused(_ text: String) {
        #expect(throws: PatchError(.config, "")) { try SignedTrustStore(Array(text.utf8)) }
    }

    @Test func signaturesAreCounted() throws {
        let line = "# signature ed25519 0123456789abcdef AAAA\n"
        #expect(try SignedTrustStore(Array(String(repeating: line, count: 16).utf8)).signerIDs.count == 16)
        #expect(throws: PatchError(.limit, "")) {
            try SignedTrustStore(Array(String(repeating: line, count: 17).utf8))
        }
    }
}
