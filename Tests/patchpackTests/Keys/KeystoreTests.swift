import Foundation
import PatchCrypto
import PatchFiles
import TestSupport
import Testing

@Suite(.ownThreads) struct KeystoreTests {
    private let shop: ReleaseFixture
    private let environment = ["P": "open-sesame"]

    /// A store of two keys with a passphrase that is fast to check.
    init() throws {
        shop = try ReleaseFixture()
        var ring = ScriptKeyRing()
        try ring.add(TestKeys.script, named: "2025")
        try ring.add(TestKeys.otherScript, named: "2026")
        let store = try KeyStoreFile.seal(
            ring, passphrase: SecretBytes(Array("open-sesame".utf8)),
            cost: #require(Scrypt(log2N: 10, r: 8, p: 1)))
        try shop.folder.write(store, to: "store", mode: 0o600)
    }

    private func store(_ words: String...) throws -> Tool {
        try shop.run(["keystore"] + words + ["--passphrase-env", "P"], environment: environment)
    }

    /// A line end behind a passphrase is not part of it, in a variable and in a file; one within it is.
    @Test(arguments: [("open-sesame\n", 0), ("open-sesame\r\n", 0), ("open\rsesame", 77), ("open-sesame ", 77)])
    func aPassphraseHasNoLineEnd(_ text: String, status: Int32) throws {
        let run = try shop.run(["keystore", "list", "store", "--passphrase-env", "P"], environment: ["P": text])
        #expect(run.status == status, "\(run.error)")
        try shop.folder.write(text, to: "passphrase", mode: 0o600)
        let file = try shop.run(["keystore", "list", "store", "--passphrase-file", "passphrase"])
        #expect(file.status == status, "\(file.error)")
        // The mark that editors of Windows put first is not part of it either.
        try shop.folder.write("\u{FEFF}" + text, to: "passphrase", mode: 0o600)
        let marked = try shop.run(["keystore", "list", "store", "--passphrase-file", "passphrase"])
        #expect(marked.status == status, "\(marked.error)")
    }

    /// A rotation: a store with the old and the new key opens patches of both.
    @Test(.enabled(if: testsMayBeLong)) func theIDInTheFileSelectsTheKey() throws {
        let pack = [
            "pack", "cart.lua", "--signing-key", "signing.pem", "--script-key", "store", "--passphrase-env",
            "P",
        ]
        for name in ["2025", "2026"] {
            let run = try shop.run(
                pack + ["--script-key-name", name, "--version", name, "-o", "\(name).js"], environment: environment)
            #expect(run.status == 0, "\(run.error)")
        }
        let verify = ["verify", "2025.js", "2026.js", "--trusted-key", "trusted.pem"]
        func status(_ words: String...) throws -> Int32 {
            try Tool.run(Tool.patchpack, verify + words, environment: environment, in: shop.folder.path).status
        }
        #expect(try status("--script-key", "store", "--passphrase-env", "P") == 0)
        #expect(try status("--script-key", "script.key", "--script-key", "other.key") == 0)
        #expect(try status("--script-key", "script.key") == 13)
        #expect(try store("remove", "store", "2025").status == 0)
        #expect(try status("--script-key", "store", "--passphrase-env", "P") == 13)
        let which = try shop.run(pack + ["--script-key", "script.key", "-o", "x.js"], environment: environment)
        #expect(which.status == 64)
        #expect(which.error.contains("--script-key-name"))
    }

    @Test func aPlainKeyFileIsNotTurnedIntoAStore() throws {
        let before = try shop.folder.read("script.key")
        #expect(try store("add", "script.key", "other.key").status == 78)
        #expect(try store("remove", "script.key", TestKeys.script.id.description).status == 78)
        #expect(try shop.folder.read("script.key") == before)
        #expect(try store("export", "store", "none", "-o", "-").status == 78)
        #expect(try shop.run("keyinfo", "store").error.contains("key store"))
    }

    @Test(.enabled(if: testsMayBeLong)) func thePassphraseChanges() throws {
        let before = try shop.folder.read("store")
        func run(_ words: String...) throws -> Tool {
            try Tool.run(
                Tool.patchpack, ["keystore"] + words + ["--passphrase-env", "P"],
                environment: environment.merging(["N": "new-words", "W": "wrong"]) { $1 }, in: shop.folder.path)
        }
        let wrong = try Tool.run(
            Tool.patchpack,
            ["keystore", "passphrase", "store", "--new-passphrase-env", "N", "--passphrase-env", "W"],
            environment: ["N": "new-words", "W": "wrong"], in: shop.folder.path)
        #expect(wrong.status == 77)
        #expect(try run("passphrase", "store", "--new-passphrase-env", "MISSING").status == 77)
        #expect(try shop.folder.read("store") == before)
        let changed = try run("passphrase", "store", "--new-passphrase-env", "N")
        #expect(changed.status == 0 && changed.lines.count == 2, "\(changed.error)")
        #expect(try run("list", "store").status == 77)
        let ring = try KeyStoreFile.open(shop.folder.read("store"), passphrase: SecretBytes(Array("new-words".utf8)))
        #expect(ring.scriptKeyNames == ["2025", "2026"])
    }

    /// A private key and a key store may have different passphrases.
    @Test func eachPassphraseIsTried() throws {
        let run = try shop.shell(
            """
            export P=open-sesame Q=other; openssl pkcs8 -topk8 -in signing.pem -out locked.pem -passout env:Q; chmod 600 locked.pem
            pack() { patchpack pack cart.lua --no-lint --force --signing-key locked.pem --script-key store --script-key-name 2026 "$@" >/dev/null; }
            pack -o a.js --passphrase-env P --passphrase-env Q && pack -o b.js --passphrase-file <(echo $Q) --passphrase-file <(echo $P) &&
              patchpack verify a.js b.js --trusted-key trusted.pem --script-key store --passphrase-file <(echo $P) -q && echo good
            for one in P Q; do pack -o c.js --passphrase-env $one; echo $?; done
            patchpack keystore list store --passphrase-file <(echo $P); patchpack keystore list store --passphrase-env P --passphrase-env Q; echo $?
            """)
        #expect(run.lines.prefix(3) == ["good", "77", "77"], "\(run.text)\(run.error)")
        #expect(run.lines.count == 6 && run.lines.last == "64", "\(run.text)")
    }

    @Test func keysComeOutAsTheyWentIn() throws {
        #expect(try store("export", "store", "2026", "-o", "out.key").status == 0)
        #expect(try store("export", "store", "2026", "-o", "-").output == shop.folder.read("out.key"))
        #expect(try shop.folder.read("out.key") == shop.folder.read("other.key"))
        let mode =
            try FileManager.default.attributesOfItem(atPath: shop.folder.at("out.key"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try store("export", "store", "2026", "-o", "out.key").status == 73)
        #expect(try store("export", "store", "2027", "-o", "no.key").status == 78)
        #expect(try store("list", "store").lines.map { $0.prefix(4) } == ["2025", "2026"])
    }

    @Test func noSecretIsInTheFileOrInAnyOutput() throws {
        let file = String(decoding: try shop.folder.read("store"), as: UTF8.self)
        let key = String(decoding: try shop.folder.read("script.key"), as: UTF8.self).dropLast()
        let list = try store("list", "store")
        for text in [file, list.text, list.error] {
            #expect(!text.contains(key) && !text.contains("sesame"))
        }
    }

    @Test func aWrongPassphraseAndAChangedFileAreRefused() throws {
        let missing = try shop.run("keystore", "list", "store")
        #expect(missing.status == 77)
        #expect(missing.error.contains("--passphrase-env"))
        let wrong = try shop.run("keystore", "list", "store", "--passphrase-env", "P", environment: ["P": "open"])
        #expect(wrong.status == 77)
        let store = try shop.folder.read("store")
        let passphrase = SecretBytes(Array("open-sesame".utf8))
        #expect(try KeyStoreFile.open(store, passphrase: passphrase).scriptKeyNames == ["2025", "2026"])
        for index in stride(from: 0, to: store.count, by: 23) {
            var changed = store
            changed[index] ^= 1
            #expect(throws: PatchError.self) { try KeyStoreFile.open(changed, passphrase: passphrase) }
        }
    }

    @Test(arguments: [
        "", "patchpack-keystore-1\n", "patchpack-keystore-1 40 8 1 00000000000000000000000000000000\nAAAA\n",
        "patchpack-keystore-1 20 32 1 00000000000000000000000000000000\n\(String(repeating: "A", count: 80))\n",
        "patchpack-keystore-1 10 8 99999999999999999999 00000000000000000000000000000000\n\(String(repeating: "A", count: 80))\n",
        "patchpack-keystore-1 20 1 1 00000000000000000000000000000000\n\(String(repeating: "A", count: 80))\n",
        "patchpack-keystore-1 10 -8 1 00000000000000000000000000000000\n\(String(repeating: "A", count: 80))\n",
        "patchpack-keystore-2 10 8 1 00000000000000000000000000000000\n\(String(repeating: "A", count: 80))\n",
    ])
    func keyStoreFileWrongHeaderOrCostIsRefused(text: String) {
        #expect(throws: PatchError(.config, "")) {
            try KeyStoreFile.open(Array(text.utf8), passphrase: SecretBytes([1]))
        }
    }

    /// A store that finds keys by their ids, and one that has only names of its own.
    @Test func anAppsOwnStoreIsAProvider() throws {
        struct Store: ScriptKeyProvider {
            let keys: [KeyID: ScriptKey]
            func scriptKey(withID id: KeyID) -> ScriptKey? { keys[id] }
        }
        struct Guarded: ScriptKeyProvider {
            let keys = ["one": TestKeys.otherScript, "two": TestKeys.script]
            func scriptKey(withID id: KeyID) throws(PatchError) -> ScriptKey? {
                for name in keys.keys {
                    if let key = keys[name], key.id == id { return key }
                }
                return nil
            }
        }
        let verifier = try EnvelopeVerifier(trustStore: TestKeys.trust, policy: .unchecked)
        let envelope = try EnvelopeForge().envelope()
        let both = [TestKeys.otherScript, TestKeys.script].map { ($0.id, $0) }
        _ = try verifier.verify(envelope, scriptKeys: Store(keys: Dictionary(uniqueKeysWithValues: both)))
        _ = try verifier.verify(envelope, scriptKeys: Guarded())
        let refused = verifier.report(on: envelope, scriptKeys: Store(keys: [:])).error
        #expect(refused?.code == .decryptFailed && refused?.message.hasSuffix(", but it is not available") == true)
        let other = Store(keys: [TestKeys.script.id: TestKeys.otherScript])
        #expect(verifier.report(on: envelope, scriptKeys: other).error?.code == .config)
    }
}
