internal import COpenSSL

/// An OpenSSL key, public or private. It is immutable, and so safe to use from any thread.
@safe final class AsymmetricKey: Sendable {
    /// The kinds of key that can be used here. An envelope's format allows the first two.
    enum Kind: String {
        case rsa = "RSA"
        case ed25519 = "ED25519"
        /// A point of the curve P-256.
        case p256 = "EC"
    }

    private nonisolated(unsafe) let handle: OpaquePointer
    private let contexts = SignatureContexts()
    let kind: Kind
    /// The key's length in bits: the length of the modulus for RSA, else 256.
    let bits: Int

    /// Takes ownership of an OpenSSL key, and checks that it is sound and of an allowed kind.
    ///
    /// - Throws: `config` if it is not. The key is then freed.
    private init(owning handle: OpaquePointer, allowing kinds: [Kind] = [.rsa, .ed25519]) throws(PatchError) {
        unsafe self.handle = handle
        // An RSA-PSS key has its own type name, so it does not count as RSA.
        guard let kind = kinds.first(where: { unsafe EVP_PKEY_is_a(handle, $0.rawValue) == 1 }) else {
            let name = unsafe EVP_PKEY_get0_type_name(handle).map { unsafe String(cString: $0) } ?? "unknown"
            unsafe EVP_PKEY_free(handle)
            throw PatchError(.config, "unsupported key type \(name)", hint: "use an RSA or Ed25519 key")
        }
        self.kind = kind
        bits = unsafe Int(EVP_PKEY_get_bits(handle))
        if kind == .p256 {
            var name = [CChar](repeating: 0, count: 64)
            guard unsafe EVP_PKEY_get_group_name(handle, &name, name.count, nil) == 1,
                unsafe strcmp(name, SN_X9_62_prime256v1) == 0
            else { throw PatchError(.config, "an elliptic curve other than P-256 is not allowed") }
        }
        guard kind == .rsa else { return }
        guard (2048...8192).contains(bits) else {
            throw PatchError(.config, "an RSA key of \(bits) bits is not allowed", hint: "use 2048 to 8192 bits")
        }
        let modulus = try number(OSSL_PKEY_PARAM_RSA_N)
        let exponent = try number(OSSL_PKEY_PARAM_RSA_E)
        // OpenSSL itself refuses a longer exponent, but only when it checks a signature.
        guard [modulus, exponent].allSatisfy({ $0.last?.isMultiple(of: 2) == false }), exponent != [1],
            exponent.count <= 8
        else {
            throw PatchError(
                .config, "the RSA key's modulus is even, or its exponent is even, 1 or longer than 64 bits",
                hint: "make a new key")
        }
    }

    deinit { unsafe EVP_PKEY_free(handle) }

    /// Makes a public key from its numbers.
    ///
    /// - Throws: `config` if the format does not allow the key, `unavailable` if OpenSSL refuses the kind of key.
    convenience init(_ info: SubjectPublicKeyInfo) throws(PatchError) {
        try unsafe self.init(owning: info.makeHandle())
    }

    /// Reads a public key from PEM (`BEGIN PUBLIC KEY`).
    ///
    /// - Throws: `config` if there is no key, or no key of an allowed kind.
    convenience init(publicKeyPEM pem: [UInt8], allowing kinds: [Kind]) throws(PatchError) {
        let handle = unsafe pem.withUnsafeBytes { pem -> OpaquePointer? in
            let source = unsafe BIO_new_mem_buf(pem.baseAddress, Int32(clamping: pem.count))
            defer { unsafe BIO_free(source) }
            return unsafe PEM_read_bio_PUBKEY(source, nil, nil, nil)
        }
        guard let handle = unsafe handle else { throw .openSSL(.config, "not a public key that OpenSSL can read") }
        try unsafe self.init(owning: handle, allowing: kinds)
    }

    func isEqual(to other: AsymmetricKey) -> Bool {
        defer { drainOpenSSLErrors() }
        return unsafe EVP_PKEY_eq(handle, other.handle) == 1
    }

    /// Reads a private key from PEM: PKCS#8 of version 1 or 2, plain or encrypted, or PKCS#1.
    ///
    /// - Parameter passphrase: Decrypts an encrypted key; used only if the key needs one.
    /// - Throws: `passphrase` if it is missing or wrong, `config` if the PEM is not one usable key, `unavailable` if
    ///   OpenSSL refuses what reading a key needs.
    convenience init(privateKeyPEM pem: SecretBytes, passphrase: SecretBytes?) throws(PatchError) {
        try Self.checkIsOnePrivateKey(pem)
        let request = PassphraseRequest(passphrase)
        var publicBits: [UInt8]?
        // OpenSSL's own reader of PEM frees a copy of a PKCS#8 key unwiped, and knows no version 2 in OpenSSL 3.0. So
        // it reads only what is left: PKCS#1.
        let handle = unsafe pem.withUnsafeBytes { pem -> OpaquePointer? in
            let source = unsafe BIO_new_mem_buf(pem.baseAddress, Int32(clamping: pem.count))
            defer { unsafe BIO_free(source) }
            var data: UnsafeMutablePointer<UInt8>?
            var length = 0
            if let sealed = unsafe PEM_read_bio_PKCS8(source, nil, nil, nil) {
                defer { unsafe X509_SIG_free(sealed) }
                request.wasAsked = true
                var size: Int32 = 0
                unsafe data = passphrase?.withUnsafeBytes { text in
                    unsafe copenssl_decryptPrivateKey(sealed, text.baseAddress, Int32(text.count), &size)
                }
                length = Int(size)
            } else {
                unsafe BIO_ctrl(source, BIO_CTRL_RESET, 0, nil)
                _ = unsafe PEM_bytes_read_bio(
                    &data, &length, nil, PEM_STRING_PKCS8INF, source, answerPassphraseRequest,
                    Unmanaged.passUnretained(request).toOpaque())
            }
            if let der = unsafe data {
                defer { unsafe CRYPTO_clear_free(der, length, #fileID, #line) }
                var bits: UnsafePointer<UInt8>?
                var count = 0
                let handle = unsafe copenssl_privateKey(der, length, &bits, &count)
                unsafe publicBits = bits.map { unsafe Array(UnsafeBufferPointer(start: $0, count: count)) }
                return unsafe handle
            }
            guard !request.wasAsked else { return nil }
            unsafe BIO_ctrl(source, BIO_CTRL_RESET, 0, nil)
            drainOpenSSLErrors()
            return unsafe PEM_read_bio_PrivateKey(
                source, nil, answerPassphraseRequest, Unmanaged.passUnretained(request).toOpaque())
        }
        guard let handle = unsafe handle else {
            throw Self.unread(isEncrypted: request.wasAsked, hasPassphrase: passphrase != nil)
        }
        try unsafe self.init(owning: handle)
        // A bit string begins with the number of its unused bits.
        if let publicBits, try publicBits != [0] + publicHalf().bits {
            throw PatchError(.config, "the public key in the file is not the private key's", hint: "make a new key")
        }
    }

    private static func checkIsOnePrivateKey(_ pem: SecretBytes) throws(PatchError) {
        let blocks = try unsafe pem.withUnsafeBytes { (pem) throws(PatchError) in try unsafe PEMBlock.all(in: pem) }
        let count = blocks.count { $0.kind == .privateKey }
        guard count <= 1 else {
            throw PatchError(.config, "\(count) private keys in one file", hint: "give a file with one key")
        }
        guard count == 1 || !blocks.contains(where: { $0.kind == .publicKey }) else {
            throw PatchError(
                .config, "expected a private key, not a public key",
                hint: "give the private one, which keygen calls signing.pem")
        }
    }

    /// Why OpenSSL has read no private key.
    private static func unread(isEncrypted: Bool, hasPassphrase: Bool) -> PatchError {
        drainOpenSSLErrors()
        if let missing = missingForPrivateKeys() { return .unavailable(missing) }
        guard isEncrypted else {
            return PatchError(
                .config, "not a private key that OpenSSL can read",
                hint: "a private key is PEM, and begins with -----BEGIN PRIVATE KEY-----")
        }
        return PatchError(
            .passphrase,
            hasPassphrase
                ? "the passphrase is wrong, or OpenSSL lacks the cipher that the key is encrypted with"
                : "the key needs a passphrase")
    }

    /// An algorithm that reading a private key needs and this machine's OpenSSL refuses; nil if it refuses none.
    private static func missingForPrivateKeys() -> String? {
        for kind in [Kind.rsa, .ed25519] {
            let context = unsafe EVP_PKEY_CTX_new_from_name(nil, kind.rawValue, nil)
            defer { unsafe EVP_PKEY_CTX_free(context) }
            if unsafe EVP_PKEY_keygen_init(context) != 1 { return kind.rawValue }
        }
        let cipher = unsafe EVP_CIPHER_fetch(nil, "AES-256-CBC", nil)
        defer { unsafe EVP_CIPHER_free(cipher) }
        return unsafe cipher == nil ? "AES-256-CBC" : nil
    }

    /// Makes a key pair. The number of bits is for RSA only.
    ///
    /// - Throws: `unavailable` if OpenSSL refuses the kind of key, `config` if it cannot make the key.
    static func generate(_ kind: Kind, bits: Int) throws(PatchError) -> AsymmetricKey {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, kind.rawValue, nil) else {
            throw .unavailable(kind.rawValue)
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var handle: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe kind != .rsa || EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(clamping: bits)) == 1,
            unsafe EVP_PKEY_generate(context, &handle) == 1, let handle = unsafe handle
        else { throw .openSSL(.config, "cannot make a key of type \(kind.rawValue)") }
        return try unsafe AsymmetricKey(owning: handle)
    }

    /// Signs a message: PKCS#1 v1.5 for RSA, pure Ed25519.
    ///
    /// - Parameter digest: The hash for RSA, nil for Ed25519.
    /// - Throws: `unavailable` if OpenSSL refuses the algorithm, `config` if the key cannot sign.
    func sign(_ message: ArraySlice<UInt8>, digest: MessageDigest?) throws(PatchError) -> [UInt8] {
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestSignInit_ex(context, nil, digest?.rawValue, nil, nil, handle, nil) == 1 else {
            throw .unavailable(signatureName(digest))
        }
        var signature = [UInt8](repeating: 0, count: unsafe Int(EVP_PKEY_get_size(handle)))
        var length = signature.count
        let done = unsafe message.withUnsafeBufferPointer { message in
            unsafe EVP_DigestSign(context, &signature, &length, message.baseAddress, message.count)
        }
        guard done == 1 else { throw .openSSL(.config, "the key cannot sign") }
        signature.removeLast(signature.count - length)
        return signature
    }

    /// Whether a signature over a message was made with this key.
    ///
    /// - Parameters:
    ///   - digest: The hash for RSA and ECDSA, nil for Ed25519.
    ///   - isPSS: Whether an RSA signature is RSASSA-PSS, with a salt of any length, instead of PKCS#1 v1.5.
    /// - Throws: `unavailable` if OpenSSL refuses the algorithm. The signature may be valid or not.
    func isValid(
        _ signature: [UInt8], for message: ArraySlice<UInt8>, digest: MessageDigest?, isPSS: Bool = false
    ) throws(PatchError) -> Bool {
        defer { drainOpenSSLErrors() }
        let scheme = SignatureContexts.Scheme(digest: digest, isPSS: isPSS)
        // If a used context does not find the signature valid, a new one decides.
        if let used = unsafe contexts.take(for: scheme),
            unsafe isValid(signature, for: message, scheme, in: used, isNew: false) == true
        {
            return true
        }
        guard let context = unsafe EVP_MD_CTX_new(),
            let isValid = unsafe isValid(signature, for: message, scheme, in: context, isNew: true)
        else { throw .unavailable(signatureName(digest)) }
        return isValid
    }

    /// Whether a signature is valid; nil if OpenSSL refuses the algorithm.
    ///
    /// - Parameters:
    ///   - context: Is kept if it finds the signature valid, else freed.
    ///   - isNew: Whether it has never verified. If it has, it knows the digest and the key.
    private func isValid(
        _ signature: [UInt8], for message: ArraySlice<UInt8>, _ scheme: SignatureContexts.Scheme,
        in context: OpaquePointer, isNew: Bool
    ) -> Bool? {
        var keyContext: OpaquePointer?  // freed with the other one
        let digest = isNew ? scheme.digest?.rawValue : nil
        let key: OpaquePointer? = unsafe isNew ? handle : nil
        var isReady = unsafe EVP_DigestVerifyInit_ex(context, &keyContext, digest, nil, nil, key, nil) == 1
        if isReady, scheme.isPSS {
            isReady =
                unsafe EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, RSA_PSS_SALTLEN_AUTO) == 1
        }
        guard isReady else {
            unsafe EVP_MD_CTX_free(context)
            return nil
        }
        let isValid = unsafe message.withUnsafeBufferPointer { message in
            unsafe EVP_DigestVerify(context, signature, signature.count, message.baseAddress, message.count) == 1
        }
        if isValid { unsafe contexts.keep(context, for: scheme) } else { unsafe EVP_MD_CTX_free(context) }
        return isValid
    }

    /// The numbers of the public key.
    ///
    /// - Throws: `config` if OpenSSL does not give them, `internal` for a P-256 key.
    func publicHalf() throws(PatchError) -> SubjectPublicKeyInfo {
        switch kind {
        case .ed25519:
            var point = [UInt8](repeating: 0, count: 32)
            var length = point.count
            guard unsafe EVP_PKEY_get_raw_public_key(handle, &point, &length) == 1 else {
                throw .openSSL(.config, "the key has no public half")
            }
            return .ed25519(point)
        case .rsa:
            return .rsa(modulus: try number(OSSL_PKEY_PARAM_RSA_N), exponent: try number(OSSL_PKEY_PARAM_RSA_E))
        case .p256: throw PatchError(.internal, "the public half of a P-256 key is never needed")
        }
    }

    /// A public number of an RSA key, big-endian.
    private func number(_ name: String) throws(PatchError) -> [UInt8] {
        var value: OpaquePointer?
        defer { unsafe BN_free(value) }
        guard unsafe EVP_PKEY_get_bn_param(handle, name, &value) == 1 else {
            throw .openSSL(.config, "the key has no public half")
        }
        var bytes = [UInt8](repeating: 0, count: unsafe (Int(BN_num_bits(value)) + 7) / 8)
        unsafe BN_bn2bin(value, &bytes)
        return bytes
    }

    /// The public key as SubjectPublicKeyInfo PEM.
    ///
    /// - Throws: `internal` if OpenSSL cannot write it.
    func publicKeyPEM() throws(PatchError) -> [UInt8] {
        let sink = unsafe BIO_new(BIO_s_mem())
        defer { unsafe BIO_free(sink) }
        guard unsafe PEM_write_bio_PUBKEY(sink, handle) == 1 else {
            throw .openSSL(.internal, "cannot write the public key")
        }
        return unsafe contents(of: sink)
    }

    /// The private key as PKCS#8 PEM, encrypted if there is a passphrase.
    ///
    /// - Parameter rounds: Those of PBKDF2, which makes a key of the passphrase.
    /// - Throws: `passphrase` if it does not have 1 to 1024 bytes, `unavailable` if OpenSSL cannot write the key.
    func privateKeyPEM(passphrase: SecretBytes?, rounds: Int32 = 600_000) throws(PatchError) -> SecretBytes {
        // OpenSSL asks for a passphrase with a buffer of this size, so a longer one could not open the key.
        if let passphrase, !(1...Int(PEM_BUFSIZE)).contains(passphrase.count) {
            throw PatchError(
                .passphrase, "passphrase must have 1 to \(PEM_BUFSIZE) bytes, not \(passphrase.count)")
        }
        let sink = unsafe BIO_new(BIO_s_secmem())
        let info = unsafe EVP_PKEY2PKCS8(handle)
        defer {
            unsafe PKCS8_PRIV_KEY_INFO_free(info)
            unsafe BIO_free(sink)
        }
        let written: Bool
        if let passphrase {
            written = unsafe passphrase.withUnsafeBytes { text -> Bool in
                let text = unsafe text.assumingMemoryBound(to: CChar.self)
                // -1 is the newer scheme of encryption, PBES2.
                let locked = unsafe PKCS8_encrypt(
                    -1, EVP_aes_256_cbc(), text.baseAddress, Int32(text.count), nil, 0, rounds, info)
                defer { unsafe X509_SIG_free(locked) }
                return unsafe PEM_write_bio_PKCS8(sink, locked) == 1
            }
        } else {
            written = unsafe PEM_write_bio_PKCS8_PRIV_KEY_INFO(sink, info) == 1
        }
        guard written else { throw .openSSL(.unavailable, "cannot write the private key") }
        var pem = unsafe contents(of: sink)
        return SecretBytes(wiping: &pem)
    }

    private func signatureName(_ digest: MessageDigest?) -> String {
        [kind.rawValue, digest?.rawValue].compactMap(\.self).joined(separator: " with ")
    }
}

/// The bytes that were written to a memory BIO.
private func contents(of sink: OpaquePointer?) -> [UInt8] {
    let count = unsafe BIO_ctrl_pending(sink)
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
        length = max(0, unsafe Int(BIO_read(sink, buffer.baseAddress, Int32(count))))
    }
}

/// The passphrase for OpenSSL's callback, and whether OpenSSL asked for it.
private final class PassphraseRequest {
    let passphrase: SecretBytes?
    var wasAsked = false

    init(_ passphrase: SecretBytes?) { self.passphrase = passphrase }
}

/// Copies the passphrase to OpenSSL's buffer and returns its length; -1 if there is none or it does not fit.
private func answerPassphraseRequest(
    _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int32, _ writing: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context = unsafe context, let buffer = unsafe buffer else { return -1 }
    let request = unsafe Unmanaged<PassphraseRequest>.fromOpaque(context).takeUnretainedValue()
    request.wasAsked = true
    guard let passphrase = request.passphrase, passphrase.count <= capacity else { return -1 }
    unsafe passphrase.withUnsafeBytes { text in
        unsafe UnsafeMutableRawPointer(buffer).copyMemory(
            from: text.baseAddress.unsafelyUnwrapped, byteCount: text.count)
    }
    return Int32(passphrase.count)
}
