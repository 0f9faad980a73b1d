import TestSupport
import Testing

@testable import PatchCrypto

@Suite(.ownThreads) struct EnvelopeTests {
    /// The error of splitting a file; nil if it can be split.
    private func fault(_ file: [UInt8], limits: EnvelopeLimits = EnvelopeLimits()) -> PatchError? {
        do {
            _ = try UnverifiedEnvelope(file, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    @Test func packingIsReproducible() throws {
        let scripts = [
            PatchScript(name: "main.lua", bytes: Array("require 'lib'\n".utf8)),
            PatchScript(name: "lib/a.lua", bytes: [UInt8](0...255)), PatchScript(name: "empty.lua", bytes: []),
        ]
        let manifest = try EnvelopeForge.manifest(for: scripts)
        let packer = try EnvelopePacker(scriptKey: TestKeys.script, signingKeys: [TestKeys.signing])
        let envelope = try packer.pack(manifest, scripts)
        #expect(try packer.pack(manifest, scripts) == envelope)
        let verifier = try EnvelopeVerifier(trustStore: TestKeys.trust, policy: .unchecked)
        let patch = try verifier.verify(envelope, scriptKeys: TestKeys.script)
        #expect(patch.scripts == scripts)
        #expect(patch.manifest.encoded() == manifest.encoded())
        #expect(patch.signers == [TestKeys.signing.verifyingKey.id])
    }

    /// Other versions of OpenSSL and libzip produce the same envelope.
    @Test(arguments: [
        ("script.key", "rsa.private.pem", "97658ce289e2d7d88169a593dafde6e8961395449d7053e08504e05c1ecccc4d"),
        ("script-32.key", "ed25519.private.pem", "95eeecb137cd7b906a0570b297037271945f48ec599ff821489b1193c2a51069"),
    ]) func packingIsReproducibleElsewhere(script: String, signing: String, sha256: String) throws {
        let scripts = [
            PatchScript(name: "main.lua", bytes: Array("require 'lib'\n".utf8)),
            PatchScript(name: "lib/a.lua", bytes: [UInt8](0...255)), PatchScript(name: "empty.lua", bytes: []),
        ]
        let packer = try EnvelopePacker(
            scriptKey: ScriptKey(decoding: SecretBytes(Vector.key(script))),
            signingKeys: [SigningKey(pem: SecretBytes(Vector.key(signing)), rsaDefault: .rsaSHA1)])
        let envelope = try packer.pack(EnvelopeForge.manifest(for: scripts), scripts)
        let hash = String(decoding: Hex.encode(try MessageDigest.sha256.hash(envelope)), as: UTF8.self)
        #expect(hash == sha256)
    }

    @Test func theLayersAddUpToTheFile() throws {
        for scriptKey in [TestKeys.script, try ScriptKey.generate(.aes256GCMSHA256)] {
            var forge = EnvelopeForge()
            forge.scriptKey = scriptKey
            forge.signingKeys = [TestKeys.signing, TestKeys.otherSigning]
            let envelope = try UnverifiedEnvelope(forge.envelope())
            var place = 0
            for layer in envelope.layers {
                #expect(layer.range.lowerBound == place)
                place = layer.range.upperBound
            }
            #expect(place == envelope.bytes.count)
            let contents = try envelope.contents(scriptKeys: scriptKey)
            #expect(contents.scripts == forge.scripts)
            #expect(
                contents.members.map(\.name) == ["manifest.json"]
                    + [scriptKey.suite.digestSuffix, ".aes"].map { "main.lua" + $0 })
        }
    }

    @Test func aPackerNeedsDistinctKeysAndTheManifestsScripts() throws {
        let key = TestKeys.signing
        #expect(throws: PatchError(.config, "")) {
            try EnvelopePacker(scriptKey: TestKeys.script, signingKeys: [key, key])
        }
        let packer = try EnvelopePacker(scriptKey: TestKeys.script, signingKeys: [key])
        let scripts = EnvelopeForge().scripts
        let manifest = try EnvelopeForge.manifest(for: scripts)
        #expect(throws: PatchError(.malformed, "")) { try packer.pack(manifest, scripts + scripts) }
        #expect(throws: PatchError(.malformed, "")) {
            try packer.pack(manifest, [PatchScript(name: "main.lua", bytes: [1])])
        }
    }

    @Test func aPackerHoldsToTheLimit() throws {
        let scripts = EnvelopeForge().scripts
        let manifest = try EnvelopeForge.manifest(for: scripts)
        var limits = EnvelopeLimits()
        limits.envelopeSize = try EnvelopeForge().envelope().count
        func pack() throws -> [UInt8] {
            try EnvelopePacker(scriptKey: TestKeys.script, signingKeys: [TestKeys.signing], limits: limits)
                .pack(manifest, scripts)
        }
        _ = try pack()
        limits.envelopeSize -= 1
        #expect(throws: PatchError(.limit, "")) { try pack() }
        limits = EnvelopeLimits()
        limits.manifestSize = manifest.encoded().count
        _ = try pack()
        limits.manifestSize -= 1
        #expect(throws: PatchError(.limit, "")) { try pack() }
    }

    @Test func aDelimiterInThePayloadIsNotTaken() throws {
        let inner = try EnvelopeForge().envelope()
        let outer = try UnverifiedEnvelope(EnvelopeForge.sign(inner))
        #expect(Array(outer.payload) == inner)
    }

    @Test func linesOutsideTheGrammarAreMalformed() throws {
        let envelope = try EnvelopeForge().envelope()
        let split = try UnverifiedEnvelope(envelope)
        let payload = Array(split.payload)
        let delimiter = Array(envelope[split.delimiterRange])
        let line = Array(envelope[split.signatures[0].range])
        #expect(fault(payload + delimiter + line) == nil)
        let fields = String(decoding: line.dropLast(), as: UTF8.self).split(separator: " ").map(String.init)
        let tails: [[UInt8]] = [
            line + [10], line + line.dropLast(), line + Array("x".utf8), line + [0], Array(line.dropLast()),
            [10] + line, [],
            Array("rsa-sha1 \(fields[1]) \n".utf8), Array("rsa-sha1 \(fields[1])\n".utf8),
            Array("rsa-sha1  \(fields[1]) \(fields[2])\n".utf8), Array("rsa-sha1 \(fields[1]) \(fields[2]) \n".utf8),
            Array("RSA-SHA1 \(fields[1]) \(fields[2])\n".utf8), Array("rsa-md5 \(fields[1]) \(fields[2])\n".utf8),
            Array("rsa-sha1 \(fields[1].dropLast())A \(fields[2])\n".utf8),
            Array("rsa-sha1 \(fields[1].dropLast()) \(fields[2])\n".utf8),
            Array("rsa-sha1 \(fields[1])0 \(fields[2])\n".utf8),
            Array("rsa-sha1 \(fields[1]) \(fields[2].dropLast())\n".utf8), Array("rsa-sha1 \(fields[1]) ====\n".utf8),
            Array("\trsa-sha1 \(fields[1]) \(fields[2])\n".utf8), delimiter,
        ]
        for tail in tails { #expect(fault(payload + delimiter + tail) == PatchError(.malformed, "")) }
        let headers = [
            "\n--patchpack-envelope-1 aes-128-cbc+md5\n",
            "\n--patchpack-envelope-1 aes-128-cbc+md5 \(TestKeys.script.id) \n",
            "\n--patchpack-envelope-1  aes-128-cbc+md5 \(TestKeys.script.id)\n", "\n--patchpack-envelope-1 \n",
            "\n--patchpack-envelope-1 aes-128-cbc+md6 \(TestKeys.script.id)\n",
            "--patchpack-envelope-1 \(TestKeys.script.id)\n",
            "\n--patchpack-envelope-2 aes-128-cbc+md5 \(TestKeys.script.id)\n", "\n--patchpack-envelope-1",
            "\n--patchpack-envelope-1 AES-128-CBC+MD5 \(TestKeys.script.id)\n",
            "\n--patchpack-envelope-1 aes-128-cbc+md5 0123",
        ]
        for header in headers { #expect(fault(payload + Array(header.utf8) + line) == PatchError(.malformed, "")) }
    }

    @Test func differentAccidentsAreToldApart() throws {
        let envelope = try EnvelopeForge().envelope()
        var crlf: [UInt8] = []
        for byte in envelope { crlf += byte == 10 ? [13, 10] : [byte] }
        let accidents = [
            [], Array("short".utf8), Array("local x = 1 -- a plain Lua file\n".utf8), crlf,
            // In the delimiter, which is before a signature line of 371 bytes, and in that line.
            Array(envelope.dropLast(400)), Array(envelope.dropLast(2)),
            envelope + [0],
        ]
        let messages = accidents.map { fault($0)?.message ?? "none" }
        #expect(Set(messages).count == accidents.count, "\(messages)")
        for accident in accidents { #expect(fault(accident)?.code == .malformed) }
        #expect(messages[3].contains("CRLF"))
        #expect(messages[2].contains("plain text"))
    }

    @Test func signatureLimitsHold() throws {
        var forge = EnvelopeForge()
        let payload = try Array(UnverifiedEnvelope(forge.envelope()).payload)
        forge.signingKeys = Array(repeating: TestKeys.signing, count: 8)
        #expect(fault(try forge.envelope()) == nil)
        forge.signingKeys.append(TestKeys.signing)
        #expect(fault(try forge.envelope()) == PatchError(.limit, ""))
        func signed(_ characters: Int) throws -> [UInt8] {
            let delimiter = EnvelopeFormat.delimiter(suite: .aes128CBCMD5, scriptKeyID: TestKeys.script.id)
            let text = Array(repeating: UInt8(ascii: "A"), count: characters)
            return payload + delimiter + Array("rsa-sha1 \(TestKeys.script.id) ".utf8) + text + [10]
        }
        #expect(fault(try signed(1368)) == nil)
        #expect(fault(try signed(1372)) == PatchError(.limit, ""))
        // The delimiter is then too far from the end to be found.
        #expect(fault(try signed(66_000)) == PatchError(.malformed, ""))
    }

    @Test func theDelimiterMayBeginAtTheWindowsEdge() throws {
        var limits = EnvelopeLimits()
        limits.signatureLength = 100_000
        let delimiter = EnvelopeFormat.delimiter(suite: .aes128CBCMD5, scriptKeyID: TestKeys.script.id)
        let start = delimiter + Array("rsa-sha1 \(TestKeys.script.id) ".utf8)
        let length = (EnvelopeFormat.delimiterWindow - start.count - 1) / 4 * 4
        let tail = start + Array(repeating: UInt8(ascii: "A"), count: length) + [10]
        // A signature's length is a multiple of four, so the delimiter begins up to three bytes inside of the window.
        #expect(fault(Array(repeating: 1, count: 100) + tail, limits: limits) == nil)
        let longer = start + Array(repeating: UInt8(ascii: "A"), count: length + 4) + [10]
        #expect(fault(Array(repeating: 1, count: 100) + longer, limits: limits) == PatchError(.malformed, ""))
    }
}
