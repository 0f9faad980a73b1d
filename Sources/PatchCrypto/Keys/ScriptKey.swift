/// The symmetric key that seals scripts; its length chooses the suite.
///
/// Every client of an app holds it, so it hides a script from a passer-by and proves nothing about who made it.
public struct ScriptKey: Sendable {
    /// The suite that the key's length stands for.
    public let suite: EnvelopeSuite
    /// SHA-256 over `patchpack script key`, LF and the key's bytes, shortened.
    public let id: KeyID

    let bytes: SecretBytes

    /// Takes a key's bytes.
    ///
    /// - Parameter bytes: 16 bytes for `aes-128-cbc+md5`, 32 for `aes-256-gcm+sha256`.
    /// - Throws: `config` for any other length.
    public init(bytes: SecretBytes) throws(PatchError) {
        guard let suite = EnvelopeSuite.allCases.first(where: { $0.keyLength == bytes.count }) else {
            throw PatchError(
                .config, "a script key of \(bytes.count) bytes", hint: "a script key has 16 bytes, or 32")
        }
        self.suite = suite
        self.bytes = bytes
        var labelled = unsafe bytes.withUnsafeBytes { unsafe Array("patchpack script key\n".utf8) + $0 }
        defer { _ = SecretBytes(wiping: &labelled) }
        id = try KeyID(hashing: labelled)
    }

    /// Reads a key file.
    ///
    /// - Parameter file: 32 or 64 lower-case hex digits, as `openssl rand -hex 16` writes them, and at most one LF.
    /// - Throws: `config` for anything else.
    public init(file: SecretBytes) throws(PatchError) {
        let decoded = unsafe file.withUnsafeBytes { file in
            unsafe Hex.decode(file.last == UInt8(ascii: "\n") ? file.dropLast() : file[...])
        }
        guard var decoded, EnvelopeSuite.allCases.contains(where: { $0.keyLength == decoded.count }) else {
            throw PatchError(
                .config, "not a script key",
                hint: "a script key is one line of 32 or 64 lower-case hex digits: openssl rand -hex 16")
        }
        try self.init(bytes: SecretBytes(wiping: &decoded))
    }

    /// Makes a new key.
    ///
    /// - Parameter suite: What the key is for.
    /// - Throws: `unavailable` where OpenSSL has no random numbers.
    public static func generate(for suite: EnvelopeSuite) throws(PatchError) -> ScriptKey {
        try ScriptKey(bytes: .random(count: suite.keyLength))
    }

    /// The key file's content: a line of hex digits.
    public func file() -> SecretBytes {
        var line = unsafe bytes.withUnsafeBytes { unsafe Hex.encode($0) } + [UInt8(ascii: "\n")]
        return SecretBytes(wiping: &line)
    }
}
