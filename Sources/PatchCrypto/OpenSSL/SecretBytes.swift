internal import COpenSSL

/// Bytes that are overwritten when the last reference to them goes, and that no description shows.
///
/// Script keys, private keys in their files' form and passphrases travel in it.
@safe public final class SecretBytes: Sendable {
    /// The number of bytes.
    public let count: Int
    /// Owned, written in the initialiser alone, and so safe to read from any thread.
    private nonisolated(unsafe) let storage: UnsafeMutablePointer<UInt8>

    /// Copies the bytes of a collection; wiping that one is its owner's matter.
    ///
    /// - Parameter bytes: The secret.
    public init(_ bytes: some Collection<UInt8>) {
        count = bytes.count
        unsafe storage = .allocate(capacity: max(bytes.count, 1))
        _ = unsafe UnsafeMutableBufferPointer(start: storage, count: bytes.count).initialize(from: bytes)
    }

    /// Moves the bytes of an array here and overwrites the array.
    ///
    /// - Parameter bytes: The secret; all zeros afterwards.
    public convenience init(wiping bytes: inout [UInt8]) {
        self.init(bytes)
        unsafe bytes.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
    }

    deinit {
        unsafe OPENSSL_cleanse(storage, count)
        unsafe storage.deallocate()
    }

    /// The bytes, where they are no secret: a salt, or a nonce.
    func copy() -> [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }

    /// Whether another secret has the same bytes.
    package func isSame(as other: SecretBytes) -> Bool {
        unsafe withUnsafeBytes { bytes in unsafe other.withUnsafeBytes { unsafe bytes.elementsEqual($0) } }
    }

    /// Calls `body` with the bytes.
    ///
    /// - Parameter body: Gets a pointer that is valid until it returns.
    /// - Returns: What `body` returns.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe try body(UnsafeBufferPointer(start: storage, count: count))
    }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(count) secret bytes" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
