/// The cipher and the hash function that seal and check an envelope's contents. The script key's length determines it.
public enum EnvelopeSuite: String, CaseIterable, Sendable {
    /// AES-128-CBC and MD5: the suite of the manual, and the default.
    case aes128CBCMD5 = "aes-128-cbc+md5"
    /// AES-256-GCM and SHA-256.
    case aes256GCMSHA256 = "aes-256-gcm+sha256"

    init?(_ token: some Collection<UInt8>) {
        guard let found = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(token) }) else { return nil }
        self = found
    }

    package var keyLength: Int { self == .aes128CBCMD5 ? 16 : 32 }

    var cipher: SymmetricCipher { self == .aes128CBCMD5 ? .aes128CBC : .aes256GCM }
    var digest: MessageDigest { self == .aes128CBCMD5 ? .md5 : .sha256 }
    /// The suffix after a script's name in the name of its digest member.
    var digestSuffix: String { self == .aes128CBCMD5 ? ".md5" : ".sha256" }
    /// The suffix after a script's name in the name of its sealed member.
    static let sealedSuffix = ".aes"

    /// Seals bytes under a key. The IV is derived, so that the same input always produces the same bytes.
    ///
    /// - Parameter label: `envelope` for the outer layer, the script's full name for an inner one.
    func seal(_ plaintext: [UInt8], with key: ScriptKey, label: String) throws(PatchError) -> [UInt8] {
        let context = Array("patchpack iv 1\n\(label)\n".utf8)
        let iv = try hmacSHA256(key: key.bytes, [context, plaintext]).prefix(cipher.ivLength)
        return try cipher.seal(plaintext, key: key.bytes, iv: Array(iv), label: label)
    }

    static let envelopeLabel = "envelope"
}
