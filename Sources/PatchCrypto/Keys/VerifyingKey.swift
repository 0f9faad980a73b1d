/// A public key that is trusted to sign patches, bound to one algorithm.
public struct VerifyingKey: Sendable {
    /// The only algorithm that the key is trusted for.
    public let algorithm: SignatureAlgorithm
    /// The key's id: a shortened SHA-256 over its DER SubjectPublicKeyInfo.
    public let id: KeyID
    package var bits: Int { key.bits }

    private let key: AsymmetricKey

    /// Reads a public key from PEM.
    ///
    /// - Parameters:
    ///   - pem: One SubjectPublicKeyInfo block (`BEGIN PUBLIC KEY`). Text around it and CRLF within it are allowed.
    ///   - algorithm: The algorithm to trust the key for. An RSA key needs one; an Ed25519 key has only one.
    /// - Throws: `config` for an RSA key without an algorithm, and for anything else, such as a private key, a
    ///   certificate, an RSA key below 2048 or above 8192 bits or with an even exponent, or DER that is not the only
    ///   encoding of the key; `unavailable` if OpenSSL refuses the kind of key or SHA-256, or has no memory.
    public init(pem: [UInt8], algorithm: SignatureAlgorithm? = nil) throws(PatchError) {
        try self.init(pem: pem, algorithm: algorithm, rsaDefault: nil)
    }

    /// Does the same for a key of a file, which may be an RSA key without an algorithm.
    ///
    /// - Parameter rsaDefault: The algorithm of an RSA key for which none is given; nil to refuse the key.
    package init(pem: [UInt8], algorithm: SignatureAlgorithm?, rsaDefault: SignatureAlgorithm?) throws(PatchError) {
        let blocks = try unsafe pem.withUnsafeBufferPointer { (pem) throws(PatchError) in
            try unsafe PEMBlock.all(in: UnsafeRawBufferPointer(pem))
        }
        if blocks.contains(where: { $0.kind == .privateKey }) {
            throw PatchError(
                .config, "expected a public key, not a private key",
                hint: "use the public half: openssl pkey -in FILE -pubout")
        }
        guard let block = blocks.first else {
            throw PatchError(.config, "no PEM block", hint: "a public key begins with -----BEGIN PUBLIC KEY-----")
        }
        guard blocks.count == 1 else {
            throw PatchError(.config, "\(blocks.count) PEM blocks in one file", hint: "give a file with one key")
        }
        switch block.kind {
        case .publicKey: break
        case .rsaPublicKey:
            throw PatchError(
                .config, "expected SubjectPublicKeyInfo, not an RSA key in PKCS#1 form",
                hint: "convert it: openssl rsa -RSAPublicKey_in -in FILE -pubout")
        case .certificate:
            throw PatchError(
                .config, "expected a public key, not a certificate",
                hint: "extract the key from it: openssl x509 -in FILE -noout -pubkey")
        case .privateKey, .other:
            throw PatchError(.config, "expected a public key, not another kind of PEM block")
        }
        guard let info = SubjectPublicKeyInfo(der: block.der) else {
            // For OpenSSL's error about a key of another kind.
            _ = try AsymmetricKey(publicKeyPEM: pem, allowing: [.rsa, .ed25519])
            throw PatchError(
                .config, "not an RSA or Ed25519 key in canonical DER",
                hint: "write it again: openssl pkey -pubin -in FILE -pubout")
        }
        let key = try AsymmetricKey(info)
        try self.init(key, algorithm: .resolve(algorithm, for: key, rsaDefault: rsaDefault))
    }

    /// - Throws: `config` if the key cannot be used for the algorithm, `unavailable` if OpenSSL refuses SHA-256.
    init(_ key: AsymmetricKey, algorithm: SignatureAlgorithm) throws(PatchError) {
        self.key = key
        self.algorithm = try .resolve(algorithm, for: key, rsaDefault: nil)
        id = try KeyID(hashing: key.publicHalf().der)
    }

    /// Whether a signature over a payload was made with this key and its algorithm.
    ///
    /// - Throws: `unavailable` if OpenSSL refuses the algorithm, or has no memory.
    package func isValid(_ signature: [UInt8], for payload: ArraySlice<UInt8>) throws(PatchError) -> Bool {
        try key.isValid(signature, for: payload, digest: algorithm.digest)
    }

    func subjectPublicKeyInfo() throws(PatchError) -> [UInt8] { try key.publicHalf().der }

    /// The key as SubjectPublicKeyInfo PEM.
    ///
    /// - Throws: `internal` if OpenSSL cannot write it.
    public func pem() throws(PatchError) -> [UInt8] { try key.publicKeyPEM() }

    /// The 32 bytes of an Ed25519 key; nil for another kind of key.
    package var ed25519Point: [UInt8]? {
        guard algorithm == .ed25519, case .ed25519(let point) = try? key.publicHalf() else { return nil }
        return point
    }
}
