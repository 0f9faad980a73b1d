/// A private key that signs patches with one algorithm.
///
/// OpenSSL holds the private numbers and wipes them when the last copy is gone.
public struct SigningKey: Sendable {
    /// The public half, bound to the same algorithm.
    public let verifyingKey: VerifyingKey

    private let key: AsymmetricKey

    /// Reads a private key from PEM.
    ///
    /// - Parameters:
    ///   - pem: PKCS#8, plain or encrypted, or PKCS#1.
    ///   - passphrase: Decrypts an encrypted key; ignored for any other.
    ///   - algorithm: The algorithm to sign with. An RSA key needs one; an Ed25519 key has only one.
    /// - Throws: `passphrase` if it is missing or wrong; `config` if the text is not one private key, the format does
    ///   not allow the key, the algorithm is for another type of key, or an RSA key has no algorithm; `unavailable` if
    ///   OpenSSL refuses what reading a key needs.
    public init(
        pem: SecretBytes, passphrase: SecretBytes? = nil, algorithm: SignatureAlgorithm? = nil
    ) throws(PatchError) {
        try self.init(pem: pem, passphrase: passphrase, algorithm: algorithm, rsaDefault: nil)
    }

    /// Does the same for a key of a file, which may be an RSA key without an algorithm.
    ///
    /// - Parameter rsaDefault: The algorithm of an RSA key for which none is given; nil to refuse the key.
    package init(
        pem: SecretBytes, passphrase: SecretBytes? = nil, algorithm: SignatureAlgorithm? = nil,
        rsaDefault: SignatureAlgorithm?
    ) throws(PatchError) {
        let key = try AsymmetricKey(privateKeyPEM: pem, passphrase: passphrase)
        try self.init(key, algorithm: .resolve(algorithm, for: key, rsaDefault: rsaDefault))
    }

    /// Makes a new key.
    ///
    /// - Parameters:
    ///   - algorithm: The algorithm that the key is for.
    ///   - bits: The length of an RSA modulus, 2048 to 8192; ignored for Ed25519.
    /// - Throws: `config` if the length is not allowed or OpenSSL cannot make the key, `unavailable` if OpenSSL refuses
    ///   the kind of key or SHA-256.
    public static func generate(_ algorithm: SignatureAlgorithm, bits: Int = 3072) throws(PatchError) -> SigningKey {
        guard algorithm.keyKind == .ed25519 || (2048...8192).contains(bits) else {
            throw PatchError(.config, "an RSA key of \(bits) bits is not allowed", hint: "use 2048 to 8192 bits")
        }
        return try SigningKey(AsymmetricKey.generate(algorithm.keyKind, bits: bits), algorithm: algorithm)
    }

    private init(_ key: AsymmetricKey, algorithm: SignatureAlgorithm) throws(PatchError) {
        self.key = key
        verifyingKey = try VerifyingKey(key, algorithm: algorithm)
    }

    /// Signs a payload.
    ///
    /// - Returns: The signature's bytes. They are the same each time for the same payload, because all of the format's
    ///   algorithms are deterministic.
    /// - Throws: `unavailable` if OpenSSL refuses the algorithm, `config` if the key cannot sign.
    package func sign(_ payload: ArraySlice<UInt8>) throws(PatchError) -> [UInt8] {
        try key.sign(payload, digest: verifyingKey.algorithm.digest)
    }

    /// The private key as PKCS#8 PEM.
    ///
    /// - Parameter passphrase: Encrypts it (AES-256-CBC, PBKDF2-HMAC-SHA256 with 600,000 rounds); nil leaves it plain.
    /// - Throws: `passphrase` if it does not have 1 to 1024 bytes, `unavailable` if OpenSSL cannot write the key.
    public func pem(passphrase: SecretBytes? = nil) throws(PatchError) -> SecretBytes {
        try key.privateKeyPEM(passphrase: passphrase)
    }
}
