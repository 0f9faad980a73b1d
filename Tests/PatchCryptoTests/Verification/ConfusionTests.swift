import TestSupport
import Testing

@testable import PatchCrypto

/// Lines and tokens that pretend to be something else. Each case is built manually.
@Suite(.ownThreads) struct ConfusionTests {
    private let rsaSHA1 = TestKeys.signing
    private let rsaSHA256: SigningKey
    private let ed25519: SigningKey
    private let modernScript: ScriptKey
    private let payload: [UInt8]

    init() throws {
        rsaSHA256 = try SigningKey(pem: TestKeys.signing.pem(), algorithm: .rsaSHA256)
        ed25519 = try SigningKey.generate(.ed25519)
        modernScript = try ScriptKey.generate(.aes256GCMSHA256)
        payload = try Array(UnverifiedEnvelope(EnvelopeForge().envelope()).payload)
    }

    private func error(
        _ envelope: [UInt8], trusting key: SigningKey, script: ScriptKey = TestKeys.script
    ) throws -> PatchError? {
        let verifier = try EnvelopeVerifier(trustStore: TrustStore(trusting: [key.verifyingKey]), policy: .unchecked)
        do throws(PatchError) {
            _ = try verifier.verify(envelope, scriptKeys: script)
            return nil
        } catch {
            return error
        }
    }

    private func line(_ algorithm: SignatureAlgorithm, _ id: KeyID, _ signature: [UInt8]) -> [UInt8] {
        let delimiter = EnvelopeFormat.delimiter(suite: .aes128CBCMD5, scriptKeyID: TestKeys.script.id)
        return payload + delimiter + EnvelopeFormat.signatureLine(algorithm: algorithm, keyID: id, signature: signature)
    }

    @Test func algorithmsCannotStandForEachOther() throws {
        let signatures = [
            try rsaSHA1.sign(payload[...]), try rsaSHA256.sign(payload[...]), try ed25519.sign(payload[...]),
        ]
        let keys = [rsaSHA1, rsaSHA256, ed25519]
        for (madeBy, signature) in zip(keys, signatures) {
            for claimed in SignatureAlgorithm.allCases {
                for named in keys {
                    for trusted in keys {
                        let envelope = line(claimed, named.verifyingKey.id, signature)
                        let found = try error(envelope, trusting: trusted)
                        let algorithm = trusted.verifyingKey.algorithm
                        let isNamed = named.verifyingKey.id == trusted.verifyingKey.id && claimed == algorithm
                        let isRight = isNamed && madeBy.verifyingKey.algorithm == algorithm
                        let refusal: PatchError.Code = isNamed ? .badSignature : .unknownSigner
                        #expect(
                            found?.code == (isRight ? nil : refusal),
                            "\(madeBy.verifyingKey.algorithm) as \(claimed) for \(algorithm)")
                    }
                }
            }
        }
    }

    @Test func suitesCannotStandForEachOther() throws {
        for (sealedWith, claimed, id, opened) in [
            (TestKeys.script, EnvelopeSuite.aes256GCMSHA256, TestKeys.script.id, TestKeys.script),
            (TestKeys.script, .aes256GCMSHA256, modernScript.id, modernScript),
            (modernScript, .aes128CBCMD5, modernScript.id, modernScript),
            (modernScript, .aes128CBCMD5, TestKeys.script.id, TestKeys.script),
            (TestKeys.script, .aes128CBCMD5, TestKeys.script.id, modernScript),
            (modernScript, .aes256GCMSHA256, modernScript.id, TestKeys.script),
        ] {
            var forge = EnvelopeForge()
            forge.scriptKey = sealedWith
            let payload = try Array(UnverifiedEnvelope(forge.envelope()).payload)
            let envelope =
                payload + EnvelopeFormat.delimiter(suite: claimed, scriptKeyID: id)
                + EnvelopeFormat.signatureLine(
                    algorithm: .rsaSHA1, keyID: rsaSHA1.verifyingKey.id, signature: try rsaSHA1.sign(payload[...]))
            let found = try error(envelope, trusting: rsaSHA1, script: opened)
            // GCM's bytes that are opened as CBC pass the padding check once in 256 times, and are not a zip.
            let isOpenedAsCBC = claimed == .aes128CBCMD5 && id == opened.id && opened.suite == claimed
            let isNoZip = isOpenedAsCBC && found == PatchError(.malformed, "")
            #expect(
                found == PatchError(.decryptFailed, "") || isNoZip,
                "\(sealedWith.suite) as \(claimed) for \(id), with \(opened.id)")
        }
    }

    /// Signs a block that the test made, with RSA and without padding, through `openssl rsautl -raw`.
    private func signature(over block: [UInt8]) throws -> [UInt8] {
        let folder = try TestFolder()
        try folder.write(rsaSHA1.pem().exposed, to: "key", mode: 0o600)
        try folder.write(block, to: "block")
        let run = try Tool.shell("openssl rsautl -sign -raw -inkey key -in block -out signature", in: folder.path)
        try #require(run.status == 0, "\(run.error)")
        return try folder.read("signature")
    }

    @Test func paddingOfEveryOtherFormIsRefused() throws {
        let digest = try MessageDigest.sha1.hash(payload)
        let oid: [UInt8] = [0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A]
        let hash: [UInt8] = [0x04, 0x14] + digest
        let info = [0x30, 0x21, 0x30, 0x09] + oid + [0x05, 0x00] + hash
        func block(_ info: [UInt8], type: UInt8 = 1, fill: UInt8 = 0xFF, padding: Int? = nil, tail: [UInt8] = [])
            -> [UInt8]
        {
            let padding = padding ?? 256 - 3 - info.count - tail.count
            let block = [0, type] + [UInt8](repeating: fill, count: padding) + [0] + info + tail
            return block + [UInt8](repeating: 0x5A, count: 256 - block.count)
        }
        func verdict(_ block: [UInt8]) throws -> PatchError? {
            let envelope = line(.rsaSHA1, rsaSHA1.verifyingKey.id, try signature(over: block))
            return try error(envelope, trusting: rsaSHA1)
        }
        // The standard block is accepted, so each refusal below is caused by its variant. One with less padding ends in
        // other bytes, because the length of a block is fixed.
        #expect(try verdict(block(info)) == nil)
        let otherOID: [UInt8] = [0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x19]
        let sha256: [UInt8] = [
            0x30, 0x31, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0, 0x04,
            0x20,
        ]
        let variants: [(String, [UInt8])] = [
            ("no NULL", block([0x30, 0x1F, 0x30, 0x07] + oid + hash)),
            ("trailing garbage", block(info, padding: 8)), ("garbage behind the hash", block(info, tail: [0, 0])),
            ("short padding", block(info, padding: 7)), ("no padding", block(info, padding: 0)),
            ("block type 2", block(info, type: 2, fill: 0xAB)), ("block type 0", block(info, type: 0, fill: 0)),
            ("other fill", block(info, fill: 0xFE)),
            ("another DigestInfo", try block(sha256 + MessageDigest.sha256.hash(payload))),
            ("the hash alone", block(digest)),
            ("another OID", block([0x30, 0x21, 0x30, 0x09] + otherOID + [0x05, 0x00] + hash)),
            ("BER length of the whole", block([0x30, 0x81, 0x21, 0x30, 0x09] + oid + [0x05, 0x00] + hash)),
            (
                "BER length of the hash",
                block([0x30, 0x22, 0x30, 0x09] + oid + [0x05, 0x00, 0x04, 0x81, 0x14] + digest)
            ),
            ("BER indefinite length", block([0x30, 0x80, 0x30, 0x09] + oid + [0x05, 0x00] + hash + [0, 0])),
            ("parameters that are no NULL", block([0x30, 0x23, 0x30, 0x0B] + oid + [0x04, 0x02, 0, 0] + hash)),
        ]
        for (name, block) in variants {
            #expect(try verdict(block) == PatchError(.badSignature, ""), "\(name)")
        }
    }

    @Test func signaturesOfAnotherLengthOrValueAreRefused() throws {
        let signature = try rsaSHA1.sign(payload[...])
        for changed in [
            Array(signature.dropFirst()), Array(signature.dropLast()), [0] + signature, signature + [0],
            [UInt8](repeating: 0, count: 256), [UInt8](repeating: 0xFF, count: 256), [0],
        ] {
            #expect(
                try error(line(.rsaSHA1, rsaSHA1.verifyingKey.id, changed), trusting: rsaSHA1)
                    == PatchError(.badSignature, ""), "\(changed)")
        }
        let modern = try ed25519.sign(payload[...])
        for changed in [Array(modern.dropLast()), modern + [0], [UInt8](repeating: 0, count: 64)] {
            #expect(
                try error(line(.ed25519, ed25519.verifyingKey.id, changed), trusting: ed25519)
                    == PatchError(.badSignature, ""), "\(changed)")
        }
    }
}
