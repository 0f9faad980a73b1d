/// How an envelope's payload is signed.
public enum SignatureAlgorithm: String, CaseIterable, Sendable {
    /// RSA, PKCS#1 v1.5, with SHA-1: the manual's own, and the default for an RSA key.
    case rsaSHA1 = "rsa-sha1"
    /// RSA, PKCS#1 v1.5, with SHA-256.
    case rsaSHA256 = "rsa-sha256"
    /// Ed25519 over the payload itself (RFC 8032).
    case ed25519

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

    /// The algorithm a key is for: the one asked for, where the key can do it, or its kind's default.
    static func resolve(_ requested: Self?, for key: AsymmetricKey) throws(PatchError) -> Self {
        let algorithm = requested ?? (key.kind == .ed25519 ? .ed25519 : .rsaSHA1)
        guard algorithm.keyKind == key.kind else {
            throw PatchError(
                .config, "a key of type \(key.kind.rawValue) cannot be used for \(algorithm.rawValue)",
                hint: "name an algorithm that is the key's, or none")
        }
        return algorithm
    }
}
