import COpenSSL
import TestSupport
import Testing

@testable import PatchCrypto

/// Signatures made by other programs.
@Suite(.ownThreads) struct SignableEnvelopeTests {
    private static let scripts = [PatchScript(name: "main.lua", bytes: Array("return 1\n".utf8))]

    /// An envelope without signatures.
    private static func unsigned(limits: EnvelopeLimits = EnvelopeLimits()) throws -> SignableEnvelope {
        try EnvelopePacker(scriptKey: TestKeys.script, signingKeys: [], limits: limits).seal(
            EnvelopeForge.manifest(for: scripts), scripts)
    }

    /// Restricts OpenSSL to algorithms with certain properties.
    private static func allowOnly(_ properties: String) -> Bool {
        unsafe EVP_set_default_properties(nil, properties) == 1
    }

    private func trust(_ keys: TrustedKey...) throws -> TrustStore { try TrustStore(keys: keys) }

    @Test func aSignatureIsAttachedForTheKeyThatMadeIt() throws {
        var envelope = try Self.unsigned()
        let first = TestKeys.signing
        let second = TestKeys.otherSigning
        let store = try TrustStore(trusting: [first.verifyingKey, second.verifyingKey])
        for key in [second, first, first] { try envelope.attach(key.sign(envelope.payload[...]), from: store, at: nil) }
        let signers = [second, first].map(\.verifyingKey.id)
        #expect(envelope.keyIDs == Set(signers))
        #expect(envelope.algorithms == [.rsaSHA1])
        #expect(try UnverifiedEnvelope(envelope.encoded()).signatures.map(\.keyID) == signers)
    }

    @Test func aSignatureOfSomethingElseIsRefused() throws {
        var envelope = try Self.unsigned()
        let signature = try TestKeys.signing.sign(envelope.payload.dropLast())
        #expect(throws: PatchError(.badSignature, "")) { try envelope.attach(signature, from: TestKeys.trust, at: nil) }
        let other = try TestKeys.otherSigning.sign(envelope.payload[...])
        #expect(throws: PatchError(.badSignature, "")) { try envelope.attach(other, from: TestKeys.trust, at: nil) }
        #expect(envelope.keyIDs.isEmpty)
    }

    @Test func aKeyThatIsNoLongerTrustedIsNamed() throws {
        var envelope = try Self.unsigned()
        let signature = try TestKeys.signing.sign(envelope.payload[...])
        let key = TestKeys.signing.verifyingKey
        let revoked = try trust(TrustedKey(key, isRevoked: true))
        #expect(throws: PatchError(.policy, "")) { try envelope.attach(signature, from: revoked, at: nil) }
        let end = try #require(Timestamp("2026-11-26T00:00:00Z"))
        let ended = try trust(TrustedKey(key, expires: end))
        #expect(throws: PatchError(.policy, "")) { try envelope.attach(signature, from: ended, at: end) }
        #expect(envelope.keyIDs.isEmpty)
        try envelope.attach(signature, from: ended, at: Timestamp("2026-11-25T23:59:59Z"))
        #expect(envelope.keyIDs == [key.id])
    }

    /// Up to eight keys are named. Of more keys, only the first and the last are named.
    @Test(arguments: [1, 2, 8, 9]) func theTrustedKeysAreNamed(count: Int) throws {
        let keys = try (0..<count).map { _ in try SigningKey.generate(.ed25519).verifyingKey }
        var trusted = try keys.map { try TrustedKey($0) }
        trusted.append(try TrustedKey(TestKeys.signing.verifyingKey, isRevoked: true))
        let summary = try TrustStore(keys: trusted).summary(at: nil)
        let named = count > 8 ? [keys[0], keys[8]] : keys
        for key in keys { #expect(summary.contains(key.id.description) == named.contains { $0.id == key.id }) }
        #expect(!summary.contains(TestKeys.signing.verifyingKey.id.description))
        let end =
            switch count {
            case 1: "is trusted"
            case ...8: "are trusted"
            default: "\(keys[8].id) (ed25519)"
            }
        #expect(summary.hasSuffix(end))
    }

    /// If OpenSSL refuses the algorithm, a key cannot check the signature, which is then neither valid nor invalid.
    @Test func anAlgorithmThatOpenSSLRefusesIsNoSignature() async {
        await #expect(processExitsWith: .success) {
            var envelope = try Self.unsigned()
            let signature = try TestKeys.signing.sign(envelope.payload[...])
            let store = try TrustStore(trusting: [TestKeys.otherSigning.verifyingKey, TestKeys.signing.verifyingKey])
            #expect(Self.allowOnly("fips=yes"))
            #expect(throws: PatchError(.unavailable, "")) { try envelope.attach(signature, from: store, at: nil) }
            #expect(envelope.keyIDs.isEmpty)
            #expect(Self.allowOnly(""))
            try envelope.attach(signature, from: store, at: nil)
            #expect(envelope.keyIDs == [TestKeys.signing.verifyingKey.id])
        }
    }

    @Test func limitsHoldAtTheirValueAndNotAbove() throws {
        var limits = EnvelopeLimits()
        limits.signatureCount = 1
        var envelope = try Self.unsigned(limits: limits)
        #expect(throws: PatchError(.config, "")) { try envelope.encoded() }
        try envelope.sign(with: TestKeys.signing)
        limits.envelopeSize = try envelope.encoded().count
        try envelope.sign(with: TestKeys.otherSigning)
        #expect(throws: PatchError(.limit, "")) { try envelope.encoded() }
        envelope = try Self.unsigned(limits: limits)
        try envelope.sign(with: TestKeys.signing)
        #expect(try envelope.encoded().count == limits.envelopeSize)
        limits.envelopeSize -= 1
        envelope = try Self.unsigned(limits: limits)
        try envelope.sign(with: TestKeys.signing)
        #expect(throws: PatchError(.limit, "")) { try envelope.encoded() }
        envelope.removeSignatures()
        #expect(throws: PatchError(.config, "")) { try envelope.encoded() }
    }
}
