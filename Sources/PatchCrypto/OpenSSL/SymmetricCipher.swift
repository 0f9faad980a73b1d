internal import COpenSSL

/// The ciphers of the format. Sealed bytes are an IV, a ciphertext and, for GCM, a tag.
enum SymmetricCipher: String {
    case aes128CBC = "AES-128-CBC"
    case aes256GCM = "AES-256-GCM"

    /// The length of the IV (CBC) or nonce (GCM) before the ciphertext, in bytes.
    var ivLength: Int { self == .aes128CBC ? 16 : 12 }
    /// The length of the authentication tag after the ciphertext, in bytes.
    var tagLength: Int { self == .aes128CBC ? 0 : 16 }

    /// Whether sealed bytes can have this length.
    func canHaveSealed(length: Int) -> Bool {
        switch self {
        case .aes128CBC: length >= 32 && length.isMultiple(of: 16)
        case .aes256GCM: length >= ivLength + tagLength
        }
    }

    /// Encrypts bytes.
    ///
    /// - Parameters:
    ///   - plaintext: What to encrypt.
    ///   - key: 16 or 32 bytes, as the cipher needs.
    ///   - iv: `ivLength` bytes.
    ///   - label: Authenticated with GCM, ignored with CBC.
    /// - Returns: IV, ciphertext and tag in one array.
    /// - Throws: `unavailable` if OpenSSL refuses the cipher.
    func seal(
        _ plaintext: [UInt8], key: SecretBytes, iv: [UInt8], label: String
    ) throws(PatchError) -> [UInt8] {
        let context = try unsafe makeContext(encrypting: true, key: key, iv: iv, label: label)
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        let length = try bounded(plaintext.count)
        let capacity = ivLength + plaintext.count + 16  // a block of padding, or the tag
        var done = true
        let sealed = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            _ = unsafe buffer.update(fromContentsOf: iv)
            let output = unsafe buffer.baseAddress.unsafelyUnwrapped + ivLength
            var written: Int32 = 0
            var last: Int32 = 0
            done =
                unsafe EVP_EncryptUpdate(context, output, &written, plaintext, length) == 1
                && EVP_EncryptFinal_ex(context, output + Int(written), &last) == 1
            count = ivLength + Int(written + last)
            if tagLength > 0, done {
                done =
                    unsafe EVP_CIPHER_CTX_ctrl(
                        context, EVP_CTRL_AEAD_GET_TAG, Int32(tagLength), buffer.baseAddress.unsafelyUnwrapped + count)
                    == 1
                count += tagLength
            }
        }
        guard done else { throw .unavailable(rawValue) }
        return sealed
    }

    /// Decrypts a range of a buffer in place.
    ///
    /// - Parameters:
    ///   - range: Where the sealed bytes are; `canHaveSealed` must allow its length.
    ///   - buffer: Holds the sealed bytes, and afterwards the plaintext.
    ///   - key: 16 or 32 bytes, as the cipher needs.
    ///   - label: What GCM authenticates in addition to the ciphertext.
    /// - Returns: Where the plaintext is; nil if the padding or the tag is wrong.
    /// - Throws: `unavailable` if OpenSSL refuses the cipher.
    func open(
        _ range: Range<Int>, of buffer: inout [UInt8], key: SecretBytes, label: String
    ) throws(PatchError) -> Range<Int>? {
        let iv = Array(buffer[range.prefix(ivLength)])
        let context = try unsafe makeContext(encrypting: false, key: key, iv: iv, label: label)
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        let ciphertext = range.lowerBound + ivLength..<range.upperBound - tagLength
        let length = try bounded(ciphertext.count)
        var written: Int32 = 0
        var last: Int32 = 0
        let opened = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            let start = unsafe buffer.baseAddress.unsafelyUnwrapped
            if tagLength > 0 {
                let tag = unsafe start + ciphertext.upperBound
                guard unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), tag) == 1 else {
                    return false
                }
            }
            let text = unsafe start + ciphertext.lowerBound
            return unsafe EVP_DecryptUpdate(context, text, &written, text, length) == 1
                && EVP_DecryptFinal_ex(context, text + Int(written), &last) == 1
        }
        guard opened else {
            drainOpenSSLErrors()
            return nil
        }
        return ciphertext.lowerBound..<ciphertext.lowerBound + Int(written + last)
    }

    private func makeContext(
        encrypting: Bool, key: SecretBytes, iv: [UInt8], label: String
    ) throws(PatchError) -> OpaquePointer {
        guard let cipher = unsafe fetched, let context = unsafe EVP_CIPHER_CTX_new() else {
            throw .unavailable(rawValue)
        }
        var ready = unsafe key.withUnsafeBytes { key in
            unsafe EVP_CipherInit_ex2(context, cipher, key.baseAddress, iv, encrypting ? 1 : 0, nil) == 1
        }
        if ready, tagLength > 0 {
            let label = Array(label.utf8)
            var length: Int32 = 0
            ready = unsafe EVP_CipherUpdate(context, nil, &length, label, Int32(label.count)) == 1
        }
        guard ready else {
            unsafe EVP_CIPHER_CTX_free(context)
            throw .unavailable(rawValue)
        }
        return unsafe context
    }

    /// The length as the C `int` that OpenSSL takes.
    private func bounded(_ length: Int) throws(PatchError) -> Int32 {
        guard length <= Int32.max - 64 else { throw PatchError(.limit, "more than 2 GiB in one piece") }
        return Int32(length)
    }

    private var fetched: OpaquePointer? {
        switch self {
        case .aes128CBC: unsafe Self.fetchedCBC
        case .aes256GCM: unsafe Self.fetchedGCM
        }
    }

    // OpenSSL's method objects are immutable, reference-counted and never freed here.
    private nonisolated(unsafe) static let fetchedCBC = unsafe EVP_CIPHER_fetch(nil, aes128CBC.rawValue, nil)
    private nonisolated(unsafe) static let fetchedGCM = unsafe EVP_CIPHER_fetch(nil, aes256GCM.rawValue, nil)
}
