internal import COpenSSL

/// The contexts in which a key has verified a signature, kept to verify others.
///
/// Making a context takes half as long as hashing 4 KiB.
@safe final class SignatureContexts: Sendable {
    private nonisolated(unsafe) var idle: [(context: OpaquePointer, scheme: Scheme)] = unsafe []
    /// OpenSSL's lock, because the thread sanitizer does not see the standard library's. If it could not be allocated,
    /// no context is kept.
    private nonisolated(unsafe) let lock = unsafe CRYPTO_THREAD_lock_new()

    struct Scheme: Equatable {
        let digest: MessageDigest?
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

    func keep(_ context: OpaquePointer, for scheme: Scheme) {
        guard unsafe lock != nil && CRYPTO_THREAD_write_lock(lock) == 1 else { return unsafe EVP_MD_CTX_free(context) }
        defer { unsafe CRYPTO_THREAD_unlock(lock) }
        unsafe idle.append((context, scheme))
    }
}
