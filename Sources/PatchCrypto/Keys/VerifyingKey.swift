/// A public key that is trusted to sign patches, bound to one algorithm.
public struct VerifyingKey: Sendable {
    /// The one algorithm that the key is trusted for.
    public let algorithm: SignatureAlgorithm
    /// SHA-256 over the key's DER SubjectPublicKeyInfo, shortened.
    public let id: KeyID
    /// The key's length in bits.
    public var bits: Int { key.bits }

    private let key: AsymmetricKey

    /// Reads a public key from PEM.
    ///
    /// - Parameters:
    ///   - pem: One SubjectPublicKeyInfo block (`BEGIN PUBLIC KEY`); text around it is allowed, CRLF within it too.
    ///   - algorithm: What to trust the key for; nil means `rsa-sha1` for RSA and `ed25519` for Ed25519.
    /// - Throws: `config` for anything else, such as a private key, a certificate, an RSA key below 2048 or above 8192
    ///   bits or with an even exponent, and DER that is not the key's one encoding.
    public init(pem: [UInt8], algorithm: SignatureAlgorithm? = nil) throws(PatchError) {
        let blocks = try PEMBlock.all(in: pem)
        if blocks.contains(where: { $0.kind == .privateKey }) {
            throw PatchError(
                .config, "a private key, where a public key is expected",
                hint: "use the public half: openssl pkey -in FILE -pubout")
        }
        guard let block = blocks.first else {
            throw PatchError(.config, "no PEM block in it", hint: "a public key begins with -----BEGIN PUBLIC KEY-----")
        }
        guard blocks.count == 1 else {
            throw PatchError(.config, "\(blocks.count) PEM blocks in one file", hint: "one file holds one key")
        }
        switch block.kind {
        case .publicKey: break
        case .rsaPublicKey:
            throw PatchError(
                .config, "an RSA key in PKCS#1 form",
                hint: "write it as SubjectPublicKeyInfo: openssl rsa -RSAPublicKey_in -in FILE -pubout")
        case .certificate:
            throw PatchError(
                .config, "a certificate, where a public key is expected",
                hint: "take the key out of it: openssl x509 -in FILE -noout -pubkey")
        case .privateKey, .other:
            throw PatchError(.config, "a PEM block of another kind, where a public key is expected")
        }
        guard let info = SubjectPublicKeyInfo(der: block.der) else {
            throw PatchError(
                .config, "not an RSA or Ed25519 key in its one DER form",
                hint: "write it again, openssl pkey -pubin -in FILE -pubout; other kinds of key are not taken")
        }
        try self.init(AsymmetricKey(info), algorithm: algorithm)
    }

    init(_ key: AsymmetricKey, algorithm: SignatureAlgorithm?) throws(PatchError) {
        self.key = key
        self.algorithm = try .resolve(algorithm, for: key)
        id = try KeyID(hashing: key.publicHalf().der)
    }

    /// Whether a signature is this key's, by its algorithm, over a payload.
    ///
    /// - Parameters:
    ///   - signature: The signature's bytes.
    ///   - payload: What was signed.
    /// - Throws: `unavailable` where OpenSSL refuses the algorithm.
    public func isValid(_ signature: [UInt8], for payload: ArraySlice<UInt8>) throws(PatchError) -> Bool {
        try key.isValid(signature, for: payload, digest: algorithm.digest)
    }

    /// The key as DER SubjectPublicKeyInfo.
    func subjectPublicKeyInfo() throws(PatchError) -> [UInt8] { try key.publicHalf().der }

    /// The key as SubjectPublicKeyInfo PEM.
    ///
    /// - Throws: `internal` where OpenSSL cannot write it.
    public func pem() throws(PatchError) -> [UInt8] { try key.publicKeyPEM() }
}
