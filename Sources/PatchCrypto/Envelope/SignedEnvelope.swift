/// An envelope with enough signatures of trusted keys over its payload; nothing in it has been decrypted.
///
/// ``EnvelopeVerifier/verifySignatures(_:report:)`` makes one.
public struct SignedEnvelope: Sendable {
    /// The trusted keys whose signatures hold.
    public let signers: [KeyID]
    /// The file.
    let envelope: UnverifiedEnvelope
    let limits: EnvelopeLimits

    /// For `EnvelopeVerifier` alone.
    init(verified envelope: consuming UnverifiedEnvelope, signers: [KeyID], limits: EnvelopeLimits) {
        self.envelope = envelope
        self.signers = signers
        self.limits = limits
    }
}
