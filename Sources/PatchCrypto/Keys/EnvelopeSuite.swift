/// The cipher and the hash function that seal and check an envelope's contents.
///
/// It is no enum, so that a version after 1.0 can know more suites: give a `switch` over them a `default`.
public struct EnvelopeSuite: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// AES-128-CBC and MD5, as in the manual of mPaaS, for its clients. Neither shows a change: only the signature
    /// does.
    public static let aes128CBCMD5 = Self("aes-128-cbc+md5", keyLength: 16, .aes128CBC, .md5, digestSuffix: ".md5")
    /// AES-256-GCM and SHA-256.
    public static let aes256GCMSHA256 = Self(
        "aes-256-gcm+sha256", keyLength: 32, .aes256GCM, .sha256, digestSuffix: ".sha256")

    package static let allCases = [aes128CBCMD5, aes256GCMSHA256]

    /// The name in an envelope's delimiter, such as `aes-256-gcm+sha256`.
    public let rawValue: String
    /// The script key's length in bytes.
    package let keyLength: Int
    let cipher: SymmetricCipher
    let digest: MessageDigest
    /// The suffix after a script's name in the name of its digest member.
    let digestSuffix: String
    /// The suffix after a script's name in the name of its sealed member.
    static let sealedSuffix = ".aes"

    private init(
        _ name: String, keyLength: Int, _ cipher: SymmetricCipher, _ digest: MessageDigest, digestSuffix: String
    ) {
        rawValue = name
        self.keyLength = keyLength
        self.cipher = cipher
        self.digest = digest
        self.digestSuffix = digestSuffix
    }

    /// Finds a suite by its name.
    ///
    /// - Returns: nil if this version knows no suite of this name.
    public init?(rawValue: String) { self.init(rawValue.utf8) }

    /// The suite whose script keys have this many bytes, as a key file has them: it does not name its suite.
    init?(keyLength: Int) {
        guard let found = Self.allCases.first(where: { $0.keyLength == keyLength }) else { return nil }
        self = found
    }

    init?(_ token: some Collection<UInt8>) {
        guard let found = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(token) }) else { return nil }
        self = found
    }

    /// The name in an envelope's delimiter, such as `aes-256-gcm+sha256`.
    public var description: String { rawValue }

    /// Seals bytes under a key. The IV is derived, so that the same input always produces the same bytes.
    ///
    /// - Parameter label: `envelope` for the outer layer, the script's full name for an inner one.
    /// - Throws: `unavailable` if OpenSSL refuses HMAC-SHA256 or the cipher, `limit` if there are 2 GiB or more.
    func seal(_ plaintext: [UInt8], with key: ScriptKey, label: String) throws(PatchError) -> [UInt8] {
        let context = Array("patchpack iv 1\n\(label)\n".utf8)
        let iv = try hmacSHA256(key: key.bytes, [context, plaintext]).prefix(cipher.ivLength)
        return try cipher.seal(plaintext, key: key.bytes, iv: Array(iv), label: label)
    }

    /// The label of the outer layer.
    static let envelopeLabel = "envelope"
}
