internal import COpenSSL

/// Bytes that are secret. They are overwritten when the last reference to them is gone, and no description shows them.
///
/// Script keys, the contents of private key files and passphrases are passed in this type.
@safe public final class SecretBytes: Sendable {
    /// The number of bytes.
    public let count: Int
    /// Owned, and written only in the initializer, so it is safe to read from any thread.
    private nonisolated(unsafe) let storage: UnsafeMutablePointer<UInt8>

    /// Copies the bytes of a collection. The caller must wipe the original.
    ///
    /// - Parameter bytes: The secret.
    public init(_ bytes: some Collection<UInt8>) {
        count = bytes.count
        unsafe storage = .allocate(capacity: max(bytes.count, 1))
        _ = unsafe UnsafeMutableBufferPointer(start: storage, count: bytes.count).initialize(from: bytes)
    }

    /// Copies the bytes of an array and overwrites the array.
    ///
    /// - Parameter bytes: The secret; all zeros afterwards. Another reference to the array keeps its bytes.
    public convenience init(wiping bytes: inout [UInt8]) {
        self.init(bytes)
        bytes.wipe()
    }

    deinit {
        unsafe OPENSSL_cleanse(storage, count)
        unsafe storage.deallocate()
    }

    /// Copies bytes that are not secret, such as a salt or a nonce.
    func copy() -> [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }

    /// Whether it has the same bytes. The time that this takes depends on them.
    package func isEqual(to other: SecretBytes) -> Bool {
        unsafe withUnsafeBytes { bytes in unsafe other.withUnsafeBytes { unsafe bytes.elementsEqual($0) } }
    }

    /// Calls `body` with the bytes.
    ///
    /// - Parameter body: Receives a buffer that is valid until it returns.
    /// - Returns: The result of `body`.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe try body(UnsafeRawBufferPointer(start: storage, count: count))
    }

    /// Makes random bytes for a key, with OpenSSL's generator for private values.
    ///
    /// - Throws: `unavailable` if the generator has no entropy.
    static func random(count: Int) throws(PatchError) -> SecretBytes {
        var bytes = [UInt8](repeating: 0, count: count)
        guard unsafe RAND_priv_bytes(&bytes, Int32(count)) == 1 else { throw .unavailable("random numbers") }
        return SecretBytes(wiping: &bytes)
    }
}

extension [UInt8] {
    /// Overwrites the bytes of a secret with zeros. Another reference to the array keeps its bytes.
    package mutating func wipe() {
        unsafe withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
    }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(count) secret bytes" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
