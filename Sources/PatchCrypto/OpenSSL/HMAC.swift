internal import COpenSSL

/// Computes HMAC-SHA256 over several pieces, as if they were one.
///
/// - Throws: `unavailable` if OpenSSL refuses HMAC or SHA-256.
func hmacSHA256(key: SecretBytes, _ pieces: [[UInt8]]) throws(PatchError) -> [UInt8] {
    guard let algorithm = unsafe fetchedHMAC, let context = unsafe EVP_MAC_CTX_new(algorithm) else {
        throw .unavailable("HMAC")
    }
    defer { unsafe EVP_MAC_CTX_free(context) }
    var digestName = Array("SHA256".utf8CString)
    let ready = unsafe digestName.withUnsafeMutableBufferPointer { name in
        let parameters = unsafe [
            OSSL_PARAM_construct_utf8_string(copenssl_macDigest(), name.baseAddress, 0), OSSL_PARAM_construct_end(),
        ]
        return unsafe key.withUnsafeBytes { key in
            unsafe EVP_MAC_init(context, key.baseAddress, key.count, parameters) == 1
        }
    }
    var code = [UInt8](repeating: 0, count: 32)
    var length = 0
    let done =
        unsafe ready
        && pieces.allSatisfy { unsafe EVP_MAC_update(context, $0, $0.count) == 1 }
        && EVP_MAC_final(context, &code, &length, code.count) == 1
    guard done else { throw .unavailable("HMAC-SHA256") }
    return code
}

// Immutable, reference-counted and never freed here.
private nonisolated(unsafe) let fetchedHMAC = unsafe EVP_MAC_fetch(nil, "HMAC", nil)
