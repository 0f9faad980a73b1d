/// An envelope whose payload has enough valid signatures by trusted keys. Nothing in it has been decrypted.
///
/// ``EnvelopeVerifier/verifySignatures(_:)`` makes one.
package struct SignedEnvelope: Sendable {
    /// The ids of the trusted keys whose signatures are valid.
    package let signers: [KeyID]
    var envelope: UnverifiedEnvelope
    let limits: EnvelopeLimits

    /// For `EnvelopeVerifier` only.
    init(verified envelope: consuming UnverifiedEnvelope, signers: [KeyID], limits: EnvelopeLimits) {
        self.envelope = envelope
        self.signers = signers
        self.limits = limits
    }
}
