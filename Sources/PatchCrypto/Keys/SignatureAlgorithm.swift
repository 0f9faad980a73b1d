/// An algorithm that an envelope's payload is signed with.
///
/// It is no enum, so that a version after 1.0 can know more algorithms: give a `switch` over them a `default`.
public struct SignatureAlgorithm: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// RSA, PKCS#1 v1.5, with SHA-1: the algorithm of the manual of mPaaS. SHA-1 collisions can be made, so use it only
    /// for old clients.
    public static let rsaSHA1 = Self("rsa-sha1", .rsa, .sha1)
    /// RSA, PKCS#1 v1.5, with SHA-256.
    public static let rsaSHA256 = Self("rsa-sha256", .rsa, .sha256)
    /// Ed25519 over the payload itself (RFC 8032).
    public static let ed25519 = Self("ed25519", .ed25519, nil)

    package static let allCases = [rsaSHA1, rsaSHA256, ed25519]

    /// The name in envelopes and trust stores, such as `rsa-sha256`.
    public let rawValue: String
    let keyKind: AsymmetricKey.Kind
    /// The hash function; nil for Ed25519, which has its own.
    let digest: MessageDigest?

    private init(_ name: String, _ keyKind: AsymmetricKey.Kind, _ digest: MessageDigest?) {
        rawValue = name
        self.keyKind = keyKind
        self.digest = digest
    }

    /// Finds an algorithm by its name.
    ///
    /// - Returns: nil if this version knows no algorithm of this name.
    public init?(rawValue: String) { self.init(rawValue.utf8) }

    init?(_ token: some Collection<UInt8>) {
        guard let found = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(token) }) else { return nil }
        self = found
    }

    /// The name in envelopes and trust stores, such as `rsa-sha256`.
    public var description: String { rawValue }

    /// A line for a signature with this algorithm, with its LF. Envelopes and trust stores have the same.
    func line(keyID: KeyID, signature: [UInt8]) -> [UInt8] {
        Array("\(rawValue) \(keyID) ".utf8) + Base64.encode(signature) + [UInt8(ascii: "\n")]
    }

    /// The algorithm to use a key for: the requested one, `ed25519` for an Ed25519 key, or the default for an RSA key.
    ///
    /// - Parameter rsaDefault: nil if an RSA key must be given its algorithm.
    /// - Throws: `config` if the key cannot be used for the requested algorithm, or none is requested for an RSA key.
    static func resolve(_ requested: Self?, for key: AsymmetricKey, rsaDefault: Self?) throws(PatchError) -> Self {
        guard let algorithm = requested ?? (key.kind == .ed25519 ? .ed25519 : rsaDefault) else {
            throw PatchError(
                .config, "an RSA key without an algorithm",
                hint:
                    "name the algorithm that the key is for: rsa-sha256, or rsa-sha1 if old clients must read the file")
        }
        guard algorithm.keyKind == key.kind else {
            throw PatchError(
                .config, "a key of type \(key.kind.rawValue) cannot be used for \(algorithm)",
                hint: "give an algorithm for this type of key, or none")
        }
        return algorithm
    }
}
