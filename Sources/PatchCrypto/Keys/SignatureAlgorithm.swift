/// The algorithm that an envelope's payload is signed with.
public enum SignatureAlgorithm: String, CaseIterable, Sendable {
    /// RSA, PKCS#1 v1.5, with SHA-1: the algorithm of the manual, and the default for an RSA key.
    case rsaSHA1 = "rsa-sha1"
    /// RSA, PKCS#1 v1.5, with SHA-256.
    case rsaSHA256 = "rsa-sha256"
    /// Ed25519 over the payload itself (RFC 8032).
    case ed25519

    /// A line for a signature with this algorithm, with its LF. Envelopes and trust stores have the same.
    func line(keyID: KeyID, signature: [UInt8]) -> [UInt8] {
        Array("\(rawValue) \(keyID) ".utf8) + Base64.encode(signature) + [UInt8(ascii: "\n")]
    }

    init?(_ token: some Collection<UInt8>) {
        guard let found = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(token) }) else { return nil }
        self = found
    }

    var digest: MessageDigest? {
        switch self {
        case .rsaSHA1: .sha1
        case .rsaSHA256: .sha256
        case .ed25519: nil
        }
    }

    var keyKind: AsymmetricKey.Kind { self == .ed25519 ? .ed25519 : .rsa }

    /// The algorithm to use a key for: the requested one, or the default for the kind of key.
    ///
    /// - Throws: `config` if the key cannot be used for the requested algorithm.
    static func resolve(_ requested: Self?, for key: AsymmetricKey) throws(PatchError) -> Self {
        let algorithm = requested ?? (key.kind == .ed25519 ? .ed25519 : .rsaSHA1)
        guard algorithm.keyKind == key.kind else {
            throw PatchError(
                .config, "a key of type \(key.kind.rawValue) cannot be used for \(algorithm.rawValue)",
                hint: "give an algorithm for this type of key, or none")
        }
        return algorithm
    }
}
