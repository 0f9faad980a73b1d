/// The symmetric key that seals scripts, for one suite.
///
/// Every client of an app holds it, so it hides a script from casual readers but proves nothing about who made it.
public struct ScriptKey: Sendable {
    /// The suite that it is for.
    public let suite: EnvelopeSuite
    /// The key's id: a shortened SHA-256 over `patchpack script key`, LF and the key's bytes.
    public let id: KeyID

    let bytes: SecretBytes

    /// Makes a key from its bytes.
    ///
    /// - Parameters:
    ///   - bytes: 16 bytes for `aes-128-cbc+md5`, 32 for `aes-256-gcm+sha256`.
    ///   - suite: The suite that it is for.
    /// - Throws: `config` if there is any other number of bytes, `unavailable` if OpenSSL refuses SHA-256.
    public init(bytes: SecretBytes, suite: EnvelopeSuite) throws(PatchError) {
        guard bytes.count == suite.keyLength else {
            throw PatchError(
                .config, "a script key for \(suite) must have \(suite.keyLength) bytes, not \(bytes.count)")
        }
        self.suite = suite
        self.bytes = bytes
        var labelled = unsafe bytes.withUnsafeBytes { unsafe Array("patchpack script key\n".utf8) + $0 }
        defer { labelled.wipe() }
        id = try KeyID(hashing: labelled)
    }

    /// Reads a key file.
    ///
    /// - Parameter file: The file's bytes: 32 or 64 lower-case hex digits, as `openssl rand -hex 16` writes them, and
    ///   at most one LF.
    /// - Throws: `config` for anything else, `unavailable` if OpenSSL refuses SHA-256.
    public init(decoding file: SecretBytes) throws(PatchError) {
        let decoded = unsafe file.withUnsafeBytes { file in
            unsafe Hex.decode(file.last == UInt8(ascii: "\n") ? file.dropLast() : file[...])
        }
        guard var decoded, let suite = EnvelopeSuite(keyLength: decoded.count) else {
            if let change = Self.change(of: file) {
                throw PatchError(
                    .config, "a script key that was changed: \(change)",
                    hint: "restore the file, and keep git and editors from changing it (.gitattributes: *.key -text)")
            }
            throw PatchError(
                .config, "not a script key",
                hint: "a script key is one line of 32 or 64 lower-case hex digits; openssl rand -hex 16 makes one")
        }
        try self.init(bytes: SecretBytes(wiping: &decoded), suite: suite)
    }

    /// What a checkout on Windows, or an editor, did to a key; nil if these bytes are not one. A new key would open no
    /// envelope that is sealed with this one.
    private static func change(of file: SecretBytes) -> String? {
        unsafe file.withUnsafeBytes { file in
            let mark = "\u{FEFF}".utf8
            let isMarked = unsafe file.starts(with: mark)
            let line = unsafe file.dropFirst(isMarked ? mark.count : 0)
            let end = unsafe line.drop { byte in
                Hex.isLowercaseDigit(byte) || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte)
            }
            let hasReturn = unsafe end.elementsEqual("\r\n".utf8)
            let isLine = unsafe hasReturn || end.isEmpty || end.elementsEqual("\n".utf8)
            let digitCount = unsafe line.count - end.count
            guard isLine, [32, 64].contains(digitCount) else { return nil }
            if isMarked { return "it begins with a byte order mark" }
            return hasReturn ? "its line ends with CR and LF" : "it has capital letters"
        }
    }

    /// Makes a new key.
    ///
    /// - Parameter suite: The suite that the key is for.
    /// - Throws: `unavailable` if OpenSSL has no random numbers, or refuses SHA-256.
    public static func generate(_ suite: EnvelopeSuite) throws(PatchError) -> ScriptKey {
        try ScriptKey(bytes: .random(count: suite.keyLength), suite: suite)
    }

    /// The key file's content: a line of hex digits.
    public func encoded() -> SecretBytes {
        var line: [UInt8] = []
        line.reserveCapacity(2 * bytes.count + 1)
        unsafe bytes.withUnsafeBytes { unsafe Hex.encode($0, to: &line) }
        line.append(UInt8(ascii: "\n"))
        return SecretBytes(wiping: &line)
    }
}
