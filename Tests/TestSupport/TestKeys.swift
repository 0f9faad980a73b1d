public import PatchCrypto

/// Keys for tests. They are made once per process, because making an RSA key is slow.
public enum TestKeys {
    public static let signing = key { try SigningKey.generate(.rsaSHA1, bits: 2048) }
    public static let otherSigning = key { try SigningKey.generate(.rsaSHA1, bits: 2048) }
    public static let script = key { try ScriptKey.generate(.aes128CBCMD5) }
    public static let otherScript = key { try ScriptKey.generate(.aes128CBCMD5) }
    public static let trust = key { try TrustStore(trusting: [signing.verifyingKey]) }

    private static func key<Key>(_ make: () throws -> Key) -> Key {
        do {
            return try make()
        } catch {
            fatalError("cannot make a test key: \(error)")
        }
    }
}

extension SecretBytes {
    /// A copy of the bytes, which only a test may make.
    public var exposed: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}
