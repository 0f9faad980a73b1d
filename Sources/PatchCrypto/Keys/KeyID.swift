/// A key's short name: the first eight bytes of a SHA-256, written as 16 lower-case hex digits.
///
/// A public key's is over its DER SubjectPublicKeyInfo; a script key's is over its bytes behind a line of its own, so
/// that neither can be taken for the other.
public struct KeyID: Hashable, Sendable, CustomStringConvertible {
    /// 16 lower-case hex digits.
    public let description: String

    /// Reads an id.
    ///
    /// - Parameter text: 16 lower-case hex digits.
    /// - Returns: nil for any other text.
    public init?(_ text: String) { self.init(Array(text.utf8)) }

    init?(_ text: some Collection<UInt8>) {
        guard text.count == 16, text.allSatisfy(Hex.isLowercaseDigit) else { return nil }
        description = String(decoding: text, as: UTF8.self)
    }

    /// The id of hashed bytes.
    init(hashing bytes: [UInt8]) throws(PatchError) {
        description = String(decoding: Hex.encode(try MessageDigest.sha256.hash(bytes).prefix(8)), as: UTF8.self)
    }
}
