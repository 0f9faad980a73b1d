/// A private key that signs patches, with one algorithm.
///
/// OpenSSL holds the private numbers and wipes them when the last copy goes.
public struct SigningKey: Sendable {
    /// The public half, bound to the same algorithm.
    public let verifyingKey: VerifyingKey

    private let key: AsymmetricKey

    /// Reads a private key from PEM.
    ///
    /// - Parameters:
    ///   - pem: PKCS#8, plain or encrypted, or PKCS#1.
    ///   - passphrase: Opens an encrypted key, and is not looked at otherwise.
    ///   - algorithm: What to sign with; nil means `rsa-sha1` for RSA and `ed25519` for Ed25519.
    /// - Throws: `passphrase` where it is missing or wrong; `config` for a key that the format does not allow.
    public init(
        pem: SecretBytes, passphrase: SecretBytes? = nil, algorithm: SignatureAlgorithm? = nil
    ) throws(PatchError) {
        try self.init(AsymmetricKey(privateKeyPEM: pem, passphrase: passphrase), algorithm: algorithm)
    }

    /// Makes a new key.
    ///
    /// - Parameters:
    ///   - algorithm: What the key is for.
    ///   - bits: An RSA modulus's length, 2048 to 8192; not looked at for Ed25519.
    /// - Throws: `config` for another length, `unavailable` where OpenSSL refuses the kind of key.
    public static func generate(_ algorithm: SignatureAlgorithm, bits: Int = 3072) throws(PatchError) -> SigningKey {
        guard algorithm.keyKind == .ed25519 || (2048...8192).contains(bits) else {
            throw PatchError(.config, "an RSA key of \(bits) bits", hint: "use 2048 to 8192 bits")
        }
        return try SigningKey(AsymmetricKey.generate(algorithm.keyKind, bits: bits), algorithm: algorithm)
    }

    private init(_ key: AsymmetricKey, algorithm: SignatureAlgorithm?) throws(PatchError) {
        self.key = key
        verifyingKey = try VerifyingKey(key, algorithm: algorithm)
    }

    /// Signs a payload.
    ///
    /// - Parameter payload: What to sign.
    /// - Returns: The signature's bytes; the same for the same payload, as all of the format's algorithms are
    ///   deterministic.
    /// - Throws: `unavailable` where OpenSSL refuses the algorithm.
    public func sign(_ payload: ArraySlice<UInt8>) throws(PatchError) -> [UInt8] {
        try key.sign(payload, digest: verifyingKey.algorithm.digest)
    }

    /// The private key as PKCS#8 PEM.
    ///
    /// - Parameter passphrase: Encrypts it (AES-256-CBC, PBKDF2-HMAC-SHA256 with 600,000 rounds); nil leaves it plain.
    /// - Throws: `unavailable` where OpenSSL cannot write it.
    public func pem(passphrase: SecretBytes? = nil) throws(PatchError) -> SecretBytes {
        try key.privateKeyPEM(passphrase: passphrase)
    }
}
