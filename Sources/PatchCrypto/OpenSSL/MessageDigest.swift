internal import COpenSSL

/// The hash functions of envelopes, and of feeds, which use only the last two.
package enum MessageDigest: String {
    case md5 = "MD5"
    case sha1 = "SHA1"
    case sha256 = "SHA256"
    case sha512 = "SHA512"

    /// Hashes bytes.
    ///
    /// - Throws: `unavailable` if OpenSSL refuses the function.
    package func hash(_ bytes: some Collection<UInt8>) throws(PatchError) -> [UInt8] {
        guard let algorithm = unsafe fetched else { throw .unavailable(rawValue) }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        let done = unsafe withContiguousBytes(bytes) { input in
            unsafe EVP_Digest(input.baseAddress, input.count, &digest, &length, algorithm, nil)
        }
        guard done == 1 else { throw .unavailable(rawValue) }
        digest.removeLast(digest.count - Int(length))
        return digest
    }

    /// Hashes bytes and returns the digest in lower-case hex digits.
    ///
    /// - Throws: As `hash`.
    package func hexadecimal(of bytes: some Collection<UInt8>) throws(PatchError) -> [UInt8] {
        Hex.encode(try hash(bytes))
    }

    /// Hashes bytes and returns the digest as a string of lower-case hex digits.
    ///
    /// - Throws: As `hash`.
    package func text(of bytes: some Collection<UInt8>) throws(PatchError) -> String {
        String(decoding: try hexadecimal(of: bytes), as: UTF8.self)
    }

    /// OpenSSL's function under the machine's policy, fetched once; nil if OpenSSL refuses it.
    var fetched: OpaquePointer? {
        switch self {
        case .md5: unsafe Self.fetchedMD5
        case .sha1: unsafe Self.fetchedSHA1
        case .sha256: unsafe Self.fetchedSHA256
        case .sha512: unsafe Self.fetchedSHA512
        }
    }

    // OpenSSL's method objects are immutable, reference-counted and never freed here.
    private nonisolated(unsafe) static let fetchedMD5 = unsafe EVP_MD_fetch(nil, md5.rawValue, nil)
    private nonisolated(unsafe) static let fetchedSHA1 = unsafe EVP_MD_fetch(nil, sha1.rawValue, nil)
    private nonisolated(unsafe) static let fetchedSHA256 = unsafe EVP_MD_fetch(nil, sha256.rawValue, nil)
    private nonisolated(unsafe) static let fetchedSHA512 = unsafe EVP_MD_fetch(nil, sha512.rawValue, nil)
}

/// Calls `body` with the collection's bytes in contiguous memory; copies them only if they are not contiguous.
func withContiguousBytes<Result>(
    _ bytes: some Collection<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
) -> Result {
    if let result = bytes.withContiguousStorageIfAvailable({ unsafe body($0) }) { return result }
    return unsafe Array(bytes).withUnsafeBufferPointer { unsafe body($0) }
}
