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
    ///   - key: 16 or 32 bytes, as the cipher needs.
    ///   - iv: `ivLength` bytes.
    ///   - label: Authenticated with GCM, ignored with CBC.
    /// - Throws: `unavailable` if OpenSSL refuses the cipher, `limit` if there are 2 GiB or more.
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
    /// - Returns: Where the plaintext is; nil if the padding or the tag is wrong.
    /// - Throws: As `seal`.
    func open(
        _ range: Range<Int>, of buffer: inout [UInt8], key: SecretBytes, label: String
    ) throws(PatchError) -> Range<Int>? {
        let ciphertext = range.dropFirst(ivLength)
        let count = try unsafe buffer.withUnsafeMutableBufferPointer { (buffer) throws(PatchError) in
            let start = unsafe buffer.baseAddress.unsafelyUnwrapped
            let sealed = unsafe UnsafeBufferPointer(rebasing: buffer[range])
            return try unsafe decrypt(sealed, to: start + ciphertext.lowerBound, key: key, label: label)
        }
        return count.map { ciphertext.prefix($0) }
    }

    /// Decrypts bytes, whose length `canHaveSealed` must allow, to a new array; nil if the padding or the tag is wrong.
    ///
    /// - Throws: As `seal`.
    func opened(_ sealed: ArraySlice<UInt8>, key: SecretBytes, label: String) throws(PatchError) -> [UInt8]? {
        try unsafe sealed.withUnsafeBufferPointer { (sealed) throws(PatchError) in
            var length: Int?
            var failure: PatchError?
            let plaintext = unsafe [UInt8](unsafeUninitializedCapacity: sealed.count - ivLength) { buffer, count in
                do throws(PatchError) {
                    length = try unsafe decrypt(
                        sealed, to: buffer.baseAddress.unsafelyUnwrapped, key: key, label: label)
                } catch {
                    failure = error
                }
                count = length ?? 0
            }
            if let failure { throw failure }
            return length == nil ? nil : plaintext
        }
    }

    /// Decrypts sealed bytes.
    ///
    /// - Parameter output: Has room for the ciphertext, and is either the ciphertext itself or outside the sealed
    ///   bytes.
    /// - Returns: The plaintext's length; nil if the padding or the tag is wrong.
    /// - Throws: As `seal`.
    private func decrypt(
        _ sealed: UnsafeBufferPointer<UInt8>, to output: UnsafeMutablePointer<UInt8>, key: SecretBytes, label: String
    ) throws(PatchError) -> Int? {
        let start = unsafe sealed.baseAddress.unsafelyUnwrapped
        let context = try unsafe makeContext(encrypting: false, key: key, iv: start, label: label)
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        let length = try bounded(sealed.count - ivLength - tagLength)
        let tag = unsafe UnsafeMutablePointer(mutating: start + sealed.count - tagLength)
        var written: Int32 = 0
        var last: Int32 = 0
        let opened =
            unsafe (tagLength == 0 || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), tag) == 1)
            && EVP_DecryptUpdate(context, output, &written, start + ivLength, length) == 1
            && EVP_DecryptFinal_ex(context, output + Int(written), &last) == 1
        guard opened else {
            drainOpenSSLErrors()
            return nil
        }
        return Int(written + last)
    }

    private func makeContext(
        encrypting: Bool, key: SecretBytes, iv: UnsafePointer<UInt8>, label: String
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
