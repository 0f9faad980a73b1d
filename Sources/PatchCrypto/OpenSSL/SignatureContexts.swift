internal import COpenSSL

/// The contexts in which a key has verified a signature, kept to verify others.
///
/// Making a context takes half as long as hashing 4 KiB.
@safe final class SignatureContexts: Sendable {
    private nonisolated(unsafe) var idle: [(context: OpaquePointer, scheme: Scheme)] = unsafe []
    /// OpenSSL's lock, because the thread sanitizer does not see the standard library's. If it could not be allocated,
    /// no context is kept.
    private nonisolated(unsafe) let lock = unsafe CRYPTO_THREAD_lock_new()

    /// What a context verifies.
    struct Scheme: Equatable {
        /// The hash for RSA and ECDSA, nil for Ed25519.
        let digest: MessageDigest?
        /// Whether an RSA signature is RSASSA-PSS instead of PKCS#1 v1.5.
        let isPSS: Bool
    }

    deinit {
        while let last = unsafe idle.popLast() { unsafe EVP_MD_CTX_free(last.context) }
        unsafe CRYPTO_THREAD_lock_free(lock)
    }

    /// Removes and returns a context for a scheme, for use by one thread; nil if there is none.
    func take(for scheme: Scheme) -> OpaquePointer? {
        guard unsafe lock != nil && CRYPTO_THREAD_write_lock(lock) == 1 else { return nil }
        defer { unsafe CRYPTO_THREAD_unlock(lock) }
        guard let index = unsafe idle.lastIndex(where: { unsafe $0.scheme == scheme }) else { return nil }
        return unsafe idle.remove(at: index).context
    }

    /// Takes a context that is no longer used, and keeps or frees it.
    func keep(_ context: OpaquePointer, for scheme: Scheme) {
        guard unsafe lock != nil && CRYPTO_THREAD_write_lock(lock) == 1 else {
            unsafe EVP_MD_CTX_free(context)
            return
        }
        defer { unsafe CRYPTO_THREAD_unlock(lock) }
        unsafe idle.append((context, scheme))
    }
}
