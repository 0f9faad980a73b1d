import TestSupport
import Testing

@testable import PatchCrypto

@Suite(.ownThreads) struct VerifierTests {
    /// Verifies an envelope, and expects its report to agree with itself.
    ///
    /// - Returns: The stage that failed and its error, both nil if none did, and the report.
    private func outcome(
        _ envelope: [UInt8], trust: TrustStore = TestKeys.trust, threshold: Int = 1, key: ScriptKey = TestKeys.script,
        policy: VerificationPolicy = .unchecked, limits: EnvelopeLimits = EnvelopeLimits()
    ) throws -> (stage: VerificationReport.Stage?, error: PatchError?, report: VerificationReport) {
        let verifier = try EnvelopeVerifier(trustStore: trust, threshold: threshold, policy: policy, limits: limits)
        let report = verifier.report(on: envelope, scriptKeys: key)
        switch report.result {
        case .success(let patch):
            #expect(report.stages.allSatisfy { $0.status == .passed } && report.error == nil)
            #expect(patch.manifest.encoded() == report.manifest?.encoded())
            return (nil, nil, report)
        case .failure(let error):
            #expect(report.error == error)
            #expect(throws: error) { try verifier.verify(envelope, scriptKeys: key) }
            let failed = try #require(report.failedStage)
            var expected = VerificationReport.Status.passed
            for stage in report.stages {
                if stage.stage == failed { expected = .failed }
                #expect(stage.status == expected)
                if expected == .failed { expected = .skipped }
            }
            return (failed, error, report)
        }
    }

    private func expect(
        _ envelope: [UInt8], fails stage: VerificationReport.Stage, with code: PatchError.Code,
        limits: EnvelopeLimits = EnvelopeLimits(), sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let outcome = try outcome(envelope, limits: limits)
        #expect(outcome.stage == stage, sourceLocation: sourceLocation)
        #expect(outcome.error == PatchError(code, ""), sourceLocation: sourceLocation)
    }

    /// A report on signatures alone has no error, and no patch that could run.
    @Test func aReportOnSignaturesHasNoPatch() throws {
        let verifier = try EnvelopeVerifier(trustStore: TestKeys.trust, policy: .unchecked)
        let report = verifier.reportSignatures(on: try EnvelopeForge().envelope())
        #expect(report.error == nil && report.failedStage == nil && report.manifest == nil)
        #expect(throws: PatchError(.policy, "")) { try report.result.get() }
    }

    /// A signature replaces only a signature by the same key.
    @Test func signaturesOfOtherKeysStay() throws {
        let verifier = try EnvelopeVerifier(trustStore: TestKeys.trust, policy: .unchecked)
        var envelope = SignableEnvelope(try verifier.verifySignatures(EnvelopeForge().envelope()))
        func signers() throws -> [KeyID] { try UnverifiedEnvelope(envelope.encoded()).signatures.map(\.keyID) }
        let first = TestKeys.signing
        let second = TestKeys.otherSigning
        try envelope.sign(with: second)
        #expect(try signers() == [first, second].map(\.verifyingKey.id))
        try envelope.sign(with: first)
        #expect(try signers() == [second, first].map(\.verifyingKey.id))
    }

    @Test func aSoundEnvelopePasses() throws {
        let outcome = try outcome(EnvelopeForge().envelope())
        #expect(outcome.error == nil)
        #expect(outcome.report.manifest?.id == "com.example.shop.fix")
        #expect(outcome.report.signatures.map(\.isValid) == [true])
    }

    @Test func readRefusesBySize() throws {
        try expect([], fails: .read, with: .malformed)
        try expect(Array(repeating: 10, count: 15), fails: .read, with: .malformed)
        var limits = EnvelopeLimits()
        let envelope = try EnvelopeForge().envelope()
        limits.envelopeSize = envelope.count
        #expect(try outcome(envelope, limits: limits).error == nil)
        limits.envelopeSize -= 1
        try expect(envelope, fails: .read, with: .limit, limits: limits)
    }

    @Test func limitsCanBeRaisedWithoutEnd() throws {
        var limits = EnvelopeLimits()
        limits.envelopeSize = .max
        limits.scriptSize = .max
        limits.scriptCount = .max
        limits.manifestSize = .max
        limits.signatureCount = .max
        limits.signatureLength = .max
        #expect(try outcome(EnvelopeForge().envelope(), limits: limits).error == nil)
    }

    @Test func splitComesBeforeTheSignature() throws {
        try expect(Array(repeating: 10, count: 16), fails: .split, with: .malformed)
    }

    @Test func aChangedPayloadIsABadSignature() throws {
        var envelope = try EnvelopeForge().envelope()
        envelope[40] ^= 1
        try expect(envelope, fails: .signature, with: .badSignature)
    }

    @Test func aSignatureOfNobodyKnownIsAnUnknownSigner() throws {
        var forge = EnvelopeForge()
        forge.signingKeys = [TestKeys.otherSigning]
        let outcome = try outcome(forge.envelope())
        #expect(outcome.error == PatchError(.unknownSigner, ""))
        #expect(outcome.report.signatures.map(\.isTrusted) == [false])
        #expect(outcome.error?.message.contains(TestKeys.otherSigning.verifyingKey.id.description) == true)
        #expect(outcome.error?.message.contains(TestKeys.signing.verifyingKey.id.description) == true)
    }

    @Test func aKeyIsTrustedForItsAlgorithmAlone() throws {
        let sha256 = try SigningKey(pem: TestKeys.signing.pem(), algorithm: .rsaSHA256)
        var forge = EnvelopeForge()
        forge.signingKeys = [sha256]
        #expect(try outcome(forge.envelope()).error == PatchError(.unknownSigner, ""))
        let trust = try TrustStore(trusting: [sha256.verifyingKey])
        #expect(try outcome(forge.envelope(), trust: trust).error == nil)
        #expect(try outcome(EnvelopeForge().envelope(), trust: trust).error == PatchError(.unknownSigner, ""))
    }

    @Test func aThresholdCountsKeysAndNotLines() throws {
        let both = try TrustStore(trusting: [TestKeys.signing.verifyingKey, TestKeys.otherSigning.verifyingKey])
        var forge = EnvelopeForge()
        forge.signingKeys = [TestKeys.signing, TestKeys.signing]
        #expect(try outcome(forge.envelope(), trust: both, threshold: 1).error == nil)
        #expect(try outcome(forge.envelope(), trust: both, threshold: 2).error == PatchError(.unknownSigner, ""))
        forge.signingKeys = [TestKeys.signing, TestKeys.otherSigning]
        #expect(try outcome(forge.envelope(), trust: both, threshold: 2).error == nil)
        #expect(try outcome(forge.envelope(), trust: both, threshold: 3).error == PatchError(.unknownSigner, ""))
        #expect(throws: PatchError(.config, "")) {
            try EnvelopeVerifier(trustStore: both, threshold: 0, policy: .unchecked)
        }
    }

    @Test func enoughGoodSignaturesMakeABadOneHarmless() throws {
        let both = try TrustStore(trusting: [TestKeys.signing.verifyingKey, TestKeys.otherSigning.verifyingKey])
        let payload = try Array(UnverifiedEnvelope(EnvelopeForge().envelope()).payload)
        let bad = EnvelopeFormat.signatureLine(
            algorithm: .rsaSHA1, keyID: TestKeys.otherSigning.verifyingKey.id, signature: [1, 2, 3])
        let envelope = try EnvelopeForge.sign(payload) + bad
        #expect(try outcome(envelope, trust: both).error == nil)
        #expect(try outcome(envelope, trust: both, threshold: 2).error == PatchError(.badSignature, ""))
        // An invalid signature line of an untrusted key is ignored.
        #expect(try outcome(envelope).error == nil)
    }

    /// A bad line comes first, then a key that no longer counts, and then what is not known.
    @Test func tooFewSignaturesHaveTheCodeOfTheFirstCause() throws {
        let signing = TestKeys.signing.verifyingKey
        let other = TestKeys.otherSigning.verifyingKey
        let trust = try TrustStore(keys: [TrustedKey(signing), TrustedKey(other, isRevoked: true)])
        var forge = EnvelopeForge()
        forge.signingKeys = [TestKeys.signing, TestKeys.otherSigning]
        let both = try forge.envelope()
        #expect(try outcome(both, trust: trust).error == nil)
        for threshold in [2, 3] {
            #expect(try outcome(both, trust: trust, threshold: threshold).error == PatchError(.policy, ""))
        }
        forge.signingKeys = [TestKeys.otherSigning]
        let revoked = try forge.envelope()
        #expect(try outcome(revoked, trust: trust).error == PatchError(.policy, ""))
        func bad(_ key: VerifyingKey) -> [UInt8] {
            EnvelopeFormat.signatureLine(algorithm: .rsaSHA1, keyID: key.id, signature: [1, 2, 3])
        }
        #expect(try outcome(revoked + bad(signing), trust: trust).error == PatchError(.badSignature, ""))
        // Nothing follows from a bad line of a key that does not count.
        #expect(try outcome(revoked + bad(other), trust: trust).error == PatchError(.policy, ""))
        let payload = try Array(UnverifiedEnvelope(both).payload)
        let none = try EnvelopeForge.sign(payload, with: []) + bad(other)
        let unknown = try #require(try outcome(none, trust: trust).error)
        #expect(unknown.code == .unknownSigner && unknown.hint?.contains("another algorithm") == false)
    }

    @Test func anotherScriptKeyFailsToDecrypt() throws {
        let envelope = try EnvelopeForge().envelope()
        for key in [TestKeys.otherScript, try ScriptKey.generate(.aes256GCMSHA256)] {
            let outcome = try outcome(envelope, key: key)
            #expect(outcome.stage == .decrypt)
            #expect(outcome.error == PatchError(.decryptFailed, ""))
        }
    }

    @Test func aPayloadOfAnImpossibleLengthFailsToDecrypt() throws {
        for length in [0, 1, 16, 31, 33, 47] {
            try expect(EnvelopeForge.sign([UInt8](repeating: 7, count: length)), fails: .decrypt, with: .decryptFailed)
        }
    }

    @Test func aPayloadOfAnotherKeyFailsToDecryptOrIsNoZip() throws {
        // The payload is encrypted with another key but names this one. One in 256 passes the padding check and fails
        // as a zip.
        let payload = try TestKeys.otherScript.suite.seal(
            EnvelopeForge().zip(), with: TestKeys.otherScript, label: "envelope")
        let outcome = try outcome(EnvelopeForge.sign(payload))
        #expect(outcome.error == PatchError(outcome.stage == .zip ? .malformed : .decryptFailed, ""))
        #expect(outcome.stage == .decrypt || outcome.stage == .zip)
    }

    @Test func aBrokenZipIsMalformed() throws {
        var forge = EnvelopeForge()
        forge.changeZip = { $0.append(0) }
        try expect(forge.envelope(), fails: .zip, with: .malformed)
        forge.changeZip = { $0 = [] }
        try expect(forge.envelope(), fails: .zip, with: .malformed)
    }

    @Test func theManifestListsTheMembersInTheirOrder() throws {
        let changes: [(inout [(name: String, bytes: [UInt8])]) -> Void] = [
            { $0.swapAt(1, 2) }, { $0.swapAt(0, 1) }, { $0.removeLast() }, { $0.remove(at: 1) },
            { $0.append(("more.lua.aes", [])) }, { $0.append(("note", [])) }, { $0[1].name = "main.lua.sha256" },
            { $0[2].name = "main.lua" }, { $0[0].bytes += [10] },
        ]
        for change in changes {
            var forge = EnvelopeForge()
            forge.changeMembers = change
            try expect(forge.envelope(), fails: .manifest, with: .malformed)
        }
    }

    @Test func aScriptIsWhatItsDigestSays() throws {
        let other = try TestKeys.script.suite.seal([1], with: TestKeys.script, label: "main.lua")
        let same = try TestKeys.script.suite.seal(Array("return 2\n".utf8), with: TestKeys.script, label: "main.lua")
        let changes: [((inout [(name: String, bytes: [UInt8])]) -> Void, PatchError.Code)] = [
            ({ $0[2].bytes = other }, .digestMismatch), ({ $0[2].bytes = same }, .digestMismatch),
            ({ $0[1].bytes[0] ^= 1 }, .digestMismatch), ({ $0[1].bytes += [10] }, .digestMismatch),
            ({ $0[1].bytes = [] }, .digestMismatch),
            ({ $0[1].bytes = Array(String(decoding: $0[1].bytes, as: UTF8.self).uppercased().utf8) }, .digestMismatch),
            ({ $0[2].bytes = [] }, .decryptFailed), ({ $0[2].bytes.removeLast() }, .decryptFailed),
            ({ $0[2].bytes = Array($0[2].bytes.prefix(16)) }, .decryptFailed),
        ]
        for (change, code) in changes {
            var forge = EnvelopeForge()
            forge.changeMembers = change
            try expect(forge.envelope(), fails: .scripts, with: code)
        }
    }

    /// A policy with one rule.
    private static func policy(_ set: (inout VerificationPolicy) -> Void) -> VerificationPolicy {
        var policy = VerificationPolicy.unchecked
        set(&policy)
        return policy
    }

    private static func ofApp(_ version: String, at time: String) -> VerificationPolicy {
        guard let version = AppVersion(version), let time = Timestamp(time) else { fatalError("no version or time") }
        return VerificationPolicy(app: "com.example.shop", appVersion: version, engineLevel: 2, time: time)
    }

    @Test(arguments: [
        (Self.policy { $0.app = "com.example.shop" }, true),
        (Self.policy { $0.app = "com.example.other" }, false),
        (Self.policy { $0.app = "" }, false),
        (Self.policy { $0.app = "*" }, false),
        (Self.policy { $0.app = "COM.example.shop" }, false),
        (Self.policy { $0.appVersion = AppVersion("2.3") }, true),
        (Self.policy { $0.appVersion = AppVersion("2.5.0") }, false),
        (Self.policy { $0.engineLevel = 2 }, true),
        (Self.policy { $0.engineLevel = 1 }, false),
        (Self.policy { $0.minimumVersion = 7 }, true),
        (Self.policy { $0.minimumVersion = 8 }, false),
        (Self.policy { $0.minimumVersion = 0 }, true),
        (Self.policy { $0.time = Timestamp("2026-12-31T23:59:59Z") }, true),
        (Self.policy { $0.time = Timestamp("2027-01-01T00:00:00Z") }, false),
        (.unchecked, true), (Self.ofApp("2.3", at: "2026-12-31T23:59:59Z"), true),
        (Self.ofApp("2.5.0", at: "2026-12-31T23:59:59Z"), false),
        (Self.ofApp("2.3", at: "2027-01-01T00:00:00Z"), false),
    ])
    func policyIsTheLastStage(policy: VerificationPolicy, passes: Bool) throws {
        var forge = EnvelopeForge()
        forge.manifest = try EnvelopeForge.manifest(for: forge.scripts, engine: 2, expires: "2027-01-01T00:00:00Z")
            .encoded()
        let outcome = try outcome(forge.envelope(), policy: policy)
        #expect(outcome.stage == (passes ? nil : .policy))
        #expect(outcome.error == (passes ? nil : PatchError(.policy, "")))
        #expect(outcome.report.manifest != nil)
    }

    @Test func signaturesAloneNeedNoScriptKey() throws {
        let verifier = try EnvelopeVerifier(trustStore: TestKeys.trust, policy: .unchecked)
        var envelope = try EnvelopeForge().envelope()
        let report = verifier.reportSignatures(on: envelope)
        #expect(report.signers == [TestKeys.signing.verifyingKey.id])
        #expect(report.stages.map(\.status) == [.passed, .passed, .passed] + Array(repeating: .skipped, count: 5))
        envelope[0] ^= 1
        #expect(verifier.reportSignatures(on: envelope).error?.code == .badSignature)
        #expect(throws: PatchError(.badSignature, "")) { try verifier.verifySignatures(envelope) }
    }

    @Test func decryptingLeavesTheCallersBytesAlone() throws {
        let envelope = try EnvelopeForge().envelope()
        let copy = Array(envelope.map { $0 })
        _ = try outcome(envelope)
        #expect(envelope == copy)
    }

    /// Tries every truncation of an envelope, and changes to each byte.
    ///
    /// Long tests try all 255 other values of a byte; short ones flip each bit alone, and all of them together.
    @Test func everyChangedByteAndEveryTruncationIsRefused() throws {
        let masks = testsMayBeLong ? Array(UInt8(1)...255) : [1, 2, 4, 8, 16, 32, 64, 128, 255]
        let envelope = try EnvelopeForge().envelope()
        let verifier = try EnvelopeVerifier(trustStore: TestKeys.trust, policy: .unchecked)
        let allowed: [PatchError.Code] = [
            .malformed, .badSignature, .unknownSigner, .decryptFailed, .digestMismatch, .policy, .limit,
        ]
        func check(_ changed: [UInt8], _ what: @autoclosure () -> String) {
            do throws(PatchError) {
                _ = try verifier.verify(changed, scriptKeys: TestKeys.script)
                Issue.record("\(what()) is accepted")
            } catch {
                if !allowed.contains(error.code) { Issue.record("\(what()) is \(error)") }
            }
        }
        for length in envelope.indices { check(Array(envelope[..<length]), "truncation to \(length)") }
        for index in envelope.indices {
            var changed = envelope
            for mask in masks {
                changed[index] = envelope[index] ^ mask
                check(changed, "byte \(index) as \(changed[index])")
            }
        }
    }

    /// The address sanitizer checks this test for leaks.
    @Test func twoHundredScriptsPackAndVerify() throws {
        let packer = try EnvelopePacker(scriptKey: TestKeys.script, signingKeys: [TestKeys.signing])
        let verifier = try EnvelopeVerifier(trustStore: TestKeys.trust, policy: .unchecked)
        for number in 0..<200 {
            let text = Array("return \(number)\n".utf8) + Array(repeating: UInt8(ascii: "-"), count: 4085)
            let scripts = [PatchScript(name: "main.lua", bytes: text)]
            let envelope = try packer.pack(EnvelopeForge.manifest(for: scripts), scripts)
            #expect(try verifier.verify(envelope, scriptKeys: TestKeys.script).scripts == scripts)
        }
    }
}
