/// A sealed payload and the signatures it has so far: an envelope that may get more of them.
///
/// A packer makes one, or a verification of the signatures that an envelope has. The payload never changes here, and no
/// script key is needed.
public struct SignableEnvelope: Sendable {
    /// What is signed; another room signs exactly these bytes.
    public let payload: [UInt8]
    private let delimiter: [UInt8]
    private let limits: EnvelopeLimits
    private var lines: [(keyID: KeyID, algorithm: SignatureAlgorithm, line: [UInt8])] = []

    /// The keys that have signed, each once.
    public var signers: Set<KeyID> { Set(lines.map(\.keyID)) }

    init(payload: [UInt8], suite: EnvelopeSuite, scriptKeyID: KeyID, limits: EnvelopeLimits) {
        self.payload = payload
        self.limits = limits
        delimiter = EnvelopeFormat.delimiter(suite: suite, scriptKeyID: scriptKeyID)
    }

    /// Makes an envelope that can get more signatures of one that was verified.
    ///
    /// - Parameter signed: The envelope; its signatures are kept.
    public init(_ signed: consuming SignedEnvelope) {
        let envelope = signed.envelope
        self.init(
            payload: Array(envelope.payload), suite: envelope.suite, scriptKeyID: envelope.scriptKeyID,
            limits: signed.limits)
        lines = envelope.signatures.map { ($0.keyID, $0.algorithm, Array(envelope.bytes[$0.range])) }
    }

    /// Forgets the signatures.
    public mutating func removeSignatures() { lines = [] }

    /// Signs the payload; an earlier one of the same key and algorithm gives way.
    ///
    /// - Parameter key: The key to sign with.
    /// - Throws: `unavailable` where OpenSSL refuses the algorithm.
    public mutating func sign(with key: SigningKey) throws(PatchError) {
        add(try key.sign(payload[...]), of: key.verifyingKey)
    }

    /// Takes a signature that was made somewhere else; an earlier one of the same key and algorithm gives way.
    ///
    /// - Parameters:
    ///   - signature: Its bytes.
    ///   - trustStore: Has the key that made it; every key is tried.
    ///   - time: The moment to judge the keys' ends at; nil leaves them out.
    /// - Throws: `badSignature` where it is no trusted key's signature of this payload.
    public mutating func attach(
        _ signature: [UInt8], from trustStore: TrustStore, at time: Timestamp? = nil
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
                throw PatchError(
                    .policy, "the signature is that of the key \(trusted.key.id) (\(trusted.name)), which \(refusal)",
                    hint: "sign with a key that is trusted still")
            }
            return add(signature, of: trusted.key)
        }
        if let unavailable { throw unavailable }
        throw PatchError(
            .badSignature,
            "a signature of \(signature.count) bytes is none of the trusted keys' for this payload: \(trustStore.names(at: time))",
            hint: "sign exactly the payload's bytes, and give the public key")
    }

    private mutating func add(_ signature: [UInt8], of key: VerifyingKey) {
        lines.removeAll { $0.keyID == key.id && $0.algorithm == key.algorithm }
        lines.append(
            (
                key.id, key.algorithm,
                EnvelopeFormat.signatureLine(algorithm: key.algorithm, keyID: key.id, signature: signature)
            ))
    }

    /// The envelope's bytes.
    ///
    /// - Throws: `config` without a signature, `limit` with too many, or where the envelope is too large.
    public func encoded() throws(PatchError) -> [UInt8] {
        guard !lines.isEmpty else { throw PatchError(.config, "no signature", hint: "name a signing key") }
        guard lines.count <= limits.signatureCount else {
            throw PatchError(.limit, "more than \(limits.signatureCount) signatures", hint: "leave some of them out")
        }
        var envelope: [UInt8] = []
        envelope.reserveCapacity(lines.reduce(payload.count + delimiter.count) { $0 + $1.line.count })
        envelope += payload
        envelope += delimiter
        for line in lines { envelope += line.line }
        guard envelope.count <= limits.envelopeSize else {
            throw PatchError(
                .limit, "the envelope would have \(envelope.count) bytes, and \(limits.envelopeSize) are allowed",
                hint: "make fewer or smaller scripts of it")
        }
        return envelope
    }
}
