import PatchCrypto
import TestSupport
import Testing

/// Script keys encrypted with a passphrase.
@Suite(.ownThreads) struct KeyStoreFileTests {
    private let passphrase = SecretBytes(Array("open-sesame".utf8))
    private let file: [UInt8]

    init() throws {
        var ring = ScriptKeyRing()
        try ring.add(TestKeys.script, named: "a")
        try ring.add(TestKeys.otherScript, named: "b")
        let cost = try #require(Scrypt(log2N: 10, r: 8, p: 1))
        file = try KeyStoreFile.seal(ring, passphrase: passphrase, cost: cost)
    }

    @Test func keyStoreFileRightPassphraseOpensKeys() throws {
        let ring = try KeyStoreFile.open(file, passphrase: passphrase)
        #expect(ring.keys.map(\.name) == ["a", "b"])
        #expect(ring.keys.map(\.key.id) == [TestKeys.script.id, TestKeys.otherScript.id])
    }

    @Test func keyStoreFileOtherVersionIsNamed() {
        #expect(KeyStoreFile.isStore(file) && !KeyStoreFile.isStore(file.dropFirst()))
        let next = String(decoding: file, as: UTF8.self).replacing("keystore-1 ", with: "keystore-2 ")
        for text in [next, next + "a third line\n", String(next.dropLast())] {
            let newer = #expect(throws: PatchError.self) {
                try KeyStoreFile.open(Array(text.utf8), passphrase: passphrase)
            }
            #expect(newer?.message == "a key store of another version")
        }
    }

    @Test func anotherPassphraseOpensNothing() {
        for text in ["open-sesam", ""] {
            #expect(throws: PatchError(.passphrase, "")) {
                try KeyStoreFile.open(file, passphrase: SecretBytes(Array(text.utf8)))
            }
        }
        #expect(throws: PatchError(.passphrase, "")) {
            try KeyStoreFile.seal(ScriptKeyRing(), passphrase: SecretBytes([]))
        }
    }

    /// The first line is authenticated, and the second one is encrypted.
    @Test func aChangedFileIsNotOpened() throws {
        let text = String(decoding: file, as: UTF8.self)
        let salt = try #require(text.split(separator: " ").dropFirst(4).first?.prefix(1))
        let other = text.replacing("8 1 \(salt)", with: "8 1 \(salt == "0" ? "1" : "0")", maxReplacements: 1)
        #expect(other != text)
        #expect(throws: PatchError(.passphrase, "")) {
            try KeyStoreFile.open(Array(other.utf8), passphrase: passphrase)
        }
        for damaged in [
            text.replacing("keystore-1 ", with: "keystore-2 "), text.replacing(" 8 1 ", with: " 8 1 1 "),
            text.replacing(" 10 8 1 ", with: " 9 8 1 "), text.replacing(" 10 8 1 ", with: " 21 8 1 "),
            text.replacing(" 10 8 1 ", with: " 10 0 1 "), text.replacing(" 10 8 1 ", with: " 10 33 1 "),
            text.replacing(" 10 8 1 ", with: " 10 8 5 "), text.replacing(" 10 8 1 ", with: " 18 9 1 "),
            text.replacing(" 8 1 ", with: " "), text.replacing("\n", with: " 1\n", maxReplacements: 1),
            text + "x\n", String(text.dropLast()), String(text.dropLast(2)) + "\n", "", "\n\n",
        ] {
            #expect(throws: PatchError(.config, ""), "\(damaged.prefix(40))") {
                try KeyStoreFile.open(Array(damaged.utf8), passphrase: passphrase)
            }
        }
    }

    /// The limits of the cost that a file may demand: 256 MiB, and four rounds.
    @Test func theCostIsBounded() {
        #expect(Scrypt(log2N: 18, r: 8, p: 4) != nil && Scrypt(log2N: 18, r: 8, p: 5) == nil)
        #expect(Scrypt(log2N: 18, r: 9, p: 1) == nil)
        #expect(Scrypt(log2N: 15, r: 1, p: 1) != nil && Scrypt(log2N: 16, r: 1, p: 1) == nil)
        #expect(Scrypt(log2N: 20, r: 2, p: 1) != nil && Scrypt(log2N: 20, r: 3, p: 1) == nil)
        #expect(Scrypt(log2N: 9, r: 8, p: 1) == nil && Scrypt(log2N: nil, r: 8, p: 1) == nil)
    }
}
