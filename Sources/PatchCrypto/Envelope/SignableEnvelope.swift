/// An envelope that can get more signatures: a sealed payload and the signatures it has so far.
///
/// A packer makes one, or it is made from an envelope with enough valid signatures. The payload never changes here,
/// and no script key is needed.
package struct SignableEnvelope: Sendable {
    /// The bytes to sign. A signature made elsewhere must be over exactly these bytes.
    package let payload: [UInt8]
    private let delimiter: [UInt8]
    private let limits: EnvelopeLimits
    private var lines: [(keyID: KeyID, algorithm: SignatureAlgorithm, line: [UInt8])] = []

    /// The keys that the signature lines name. Lines of an envelope that was read are kept, also those of keys that are
    /// not trusted.
    package var keyIDs: Set<KeyID> { Set(lines.map(\.keyID)) }
    package var algorithms: Set<SignatureAlgorithm> { Set(lines.map(\.algorithm)) }

    init(payload: [UInt8], suite: EnvelopeSuite, scriptKeyID: KeyID, limits: EnvelopeLimits) {
        self.payload = payload
        self.limits = limits
        delimiter = EnvelopeFormat.delimiter(suite: suite, scriptKeyID: scriptKeyID)
    }

    /// Makes an envelope that can get more signatures from one that was verified, whose signatures it keeps.
    package init(_ signed: consuming SignedEnvelope) {
        let envelope = signed.envelope
        self.init(
            payload: Array(envelope.payload), suite: envelope.suite, scriptKeyID: envelope.scriptKeyID,
            limits: signed.limits)
        lines = envelope.signatures.map { ($0.keyID, $0.algorithm, Array(envelope.bytes[$0.range])) }
    }

    package mutating func removeSignatures() { lines = [] }

    /// Signs the payload. The signature replaces an earlier one by the same key and algorithm.
    ///
    /// - Throws: `config` if the key cannot sign, `unavailable` if OpenSSL refuses the algorithm.
    package mutating func sign(with key: SigningKey) throws(PatchError) {
        add(try key.sign(payload[...]), of: key.verifyingKey)
    }

    /// Adds a signature that was made elsewhere. It replaces an earlier one by the same key and algorithm.
    ///
    /// - Parameters:
    ///   - trustStore: Must have the key that made the signature. Every key is tried.
    ///   - time: The moment at which the key must not have expired; nil ignores when keys expire.
    /// - Throws: `badSignature` if it is not a signature of this payload by a trusted key, `policy` if that key is
    ///   revoked or has expired, `unavailable` if OpenSSL refuses an algorithm.
    package mutating func attach(
        _ signature: [UInt8], from trustStore: TrustStore, at time: Timestamp?
    ) throws(PatchError) {
        var unavailable: PatchError?
        for trusted in trustStore.keys {
            do throws(PatchError) {
                guard try trusted.key.isValid(signature, for: payload[...]) else { continue }
            } catch {
                unavailable = error
                continue
            }
            if let refusal = trusted.refusal(at: time) {
                let name = trusted.name.map { " (\($0))" } ?? ""
                throw PatchError(
                    .policy, "the signature is by the key \(trusted.key.id)\(name), which \(refusal)",
                    hint: "sign with a key that is still trusted")
            }
            add(signature, of: trusted.key)
            return
        }
        if let unavailable { throw unavailable }
        throw PatchError(
            .badSignature,
            "a signature of \(signature.count) bytes is not by a trusted key over this payload; "
                + trustStore.summary(at: time),
            hint: "sign exactly the payload's bytes, with a trusted key and the algorithm that it is trusted for")
    }

    private mutating func add(_ signature: [UInt8], of key: VerifyingKey) {
        lines.removeAll { $0.keyID == key.id && $0.algorithm == key.algorithm }
        let line = EnvelopeFormat.signatureLine(algorithm: key.algorithm, keyID: key.id, signature: signature)
        lines.append((key.id, key.algorithm, line))
    }

    /// The envelope's bytes.
    ///
    /// - Throws: `config` if there is no signature, `limit` if there are too many or the envelope is too large.
    package func encoded() throws(PatchError) -> [UInt8] {
        guard !lines.isEmpty else { throw PatchError(.config, "no signature", hint: "give a signing key") }
        guard lines.count <= limits.signatureCount else {
            throw PatchError(.limit, "more than \(limits.signatureCount) signatures", hint: "leave some out")
        }
        var envelope: [UInt8] = []
        envelope.reserveCapacity(lines.reduce(payload.count + delimiter.count) { $0 + $1.line.count })
        envelope += payload
        envelope += delimiter
        for line in lines { envelope += line.line }
        guard envelope.count <= limits.envelopeSize else {
            throw PatchError(
                .limit, "the envelope would have \(envelope.count) bytes; at most \(limits.envelopeSize) are allowed",
                hint: "pack fewer or smaller scripts")
        }
        return envelope
    }
}
