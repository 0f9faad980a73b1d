/// A key's id: the first eight bytes of a SHA-256, written as 16 lower-case hex digits.
///
/// The hash of a public key is over its DER SubjectPublicKeyInfo. The hash of a script key is over a fixed line and
/// then the key's bytes, so that neither can be taken for the other.
public struct KeyID: Hashable, Sendable, CustomStringConvertible {
    /// 16 lower-case hex digits.
    public let description: String

    /// Reads an id.
    ///
    /// - Parameter text: 16 lower-case hex digits.
    /// - Returns: nil for any other string.
    public init?(_ text: String) { self.init(Array(text.utf8)) }

    init?(_ text: some Collection<UInt8>) {
        guard text.count == 16, text.allSatisfy(Hex.isLowercaseDigit) else { return nil }
        description = String(decoding: text, as: UTF8.self)
    }

    init(hashing bytes: [UInt8]) throws(PatchError) {
        description = String(decoding: Hex.encode(try MessageDigest.sha256.hash(bytes).prefix(8)), as: UTF8.self)
    }
}
