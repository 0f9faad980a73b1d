import TestSupport
import Testing

@testable import PatchCrypto

@Suite(.ownThreads) struct CipherTests {
    @Test(arguments: EnvelopeSuite.allCases, [0, 1, 15, 16, 17, 4096])
    func sealingIsUndone(suite: EnvelopeSuite, length: Int) throws {
        let key = try ScriptKey.generate(suite)
        let text = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        var sealed = try suite.seal(text, with: key, label: "main.lua")
        #expect(try suite.cipher.opened(sealed[...], key: key.bytes, label: "main.lua") == text)
        #expect(suite.cipher.canHaveSealed(length: sealed.count))
        #expect(try suite.seal(text, with: key, label: "main.lua") == sealed)
        #expect(try suite.seal(text, with: key, label: "other.lua") != sealed)
        let opened = try suite.cipher.open(0..<sealed.count, of: &sealed, key: key.bytes, label: "main.lua")
        #expect(opened.map { Array(sealed[$0]) } == text)
    }

    @Test func opensslOpensBothSuites() throws {
        let folder = try TestFolder()
        let text = Array("return 1\n".utf8)
        for (suite, cipher, ivSuffix) in [
            (EnvelopeSuite.aes128CBCMD5, "aes-128-cbc", ""), (.aes256GCMSHA256, "aes-256-ctr", "00000002"),
        ] {
            let key = try ScriptKey.generate(suite)
            try folder.write(try suite.seal(text, with: key, label: "x"), to: "sealed")
            try folder.write(key.encoded().exposed, to: "key")
            let opened = try Tool.shell(
                """
                iv=$(head -c \(suite.cipher.ivLength) sealed | od -An -v -tx1 | tr -d ' \\n')
                tail -c +\(suite.cipher.ivLength + 1) sealed | head -c -\(suite.cipher.tagLength) |
                  openssl enc -d -\(cipher) -K "$(cat key)" -iv "${iv}\(ivSuffix)"
                """, in: folder.path)
            #expect(opened.output == text, "\(opened.error)")
        }
    }

    @Test func gcmNoticesEveryChange() throws {
        let key = try ScriptKey.generate(.aes256GCMSHA256)
        let sealed = try key.suite.seal([1, 2, 3], with: key, label: "a.lua")
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(try key.suite.cipher.opened(changed[...], key: key.bytes, label: "a.lua") == nil)
            #expect(try key.suite.cipher.open(0..<changed.count, of: &changed, key: key.bytes, label: "a.lua") == nil)
        }
        var moved = sealed
        #expect(try key.suite.cipher.open(0..<moved.count, of: &moved, key: key.bytes, label: "b.lua") == nil)
    }
}
