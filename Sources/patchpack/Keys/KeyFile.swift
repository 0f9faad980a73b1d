import PatchCrypto
import PatchFiles

/// The bytes of a key file, or of a variable that holds a key.
///
/// They are wiped when the object is released. Its errors name the file.
struct KeyFile {
    let name: KeyName
    let bytes: SecretBytes
    /// Whether other users can read or write the file.
    let isOpenToOthers: Bool

    /// Reads a key.
    ///
    /// - Throws: `noInput` if the file or the variable is missing or cannot be read, `config` if the file is larger
    ///   than 1 MiB, `usage` if a key was given instead of a file name.
    init(_ name: KeyName) throws(PatchError) {
        self.name = name
        if let variable = name.variable {
            isOpenToOthers = false
            bytes = try Self.value(of: variable, for: name.source)
            return
        }
        var isOpen = false
        var bytes: [UInt8]
        do {
            bytes = try InputFile.small(name.path) { isOpen = $0.isRegular && $0.isOpenToOthers }
        } catch {
            guard !Secrets.isKey(name.path.bytes) || FileInfo(name.path, following: true) != nil else {
                throw .usage(
                    "\(name.source): a key was given, but a file name is expected",
                    hint: "put the key into a variable and give env:NAME, or give a file or <(…)")
            }
            let isOfUnknownAlgorithm =
                error.code == .noInput && name.algorithm == nil && name.path.bytes.contains(UInt8(ascii: ":"))
            guard isOfUnknownAlgorithm else {
                throw name.source.hasPrefix("PATCHPACK_")
                    ? error.hinting("the variable \(name.source) names this file") : error
            }
            let algorithms = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw error.hinting("the algorithm before a colon must be one of \(algorithms)")
        }
        isOpenToOthers = isOpen
        self.bytes = SecretBytes(wiping: &bytes)
    }

    /// Reads a key from a variable: PEM, or a script key.
    ///
    /// The line ends of PEM may be written `\n`, as CI systems store them.
    ///
    /// - Parameter source: What names the variable, for the error.
    /// - Throws: `noInput` if it is not set or is empty.
    private static func value(of variable: String, for source: String) throws(PatchError) -> SecretBytes {
        guard var value = Environment[secret: variable] else {
            throw PatchError(
                .noInput,
                "\(source): the variable \(Secrets.isKey(variable.utf8) ? "" : "\(variable) ")is not set or is empty",
                hint: "export the variable that holds the key, and give its name after env:")
        }
        defer { value.wipe() }
        return value.has("-----BEGIN") ? withLineEnds(value) : SecretBytes(value)
    }

    /// PEM from a variable. Secret stores and env files join its lines, write its line ends as `\n` or `\r\n`, or quote
    /// it.
    private static func withLineEnds(_ text: [UInt8]) -> SecretBytes {
        var lines: [UInt8] = []
        lines.reserveCapacity(2 * text.count)  // growing would leave copies in memory
        // The lines of a block with headers, such as `Proc-Type: 4,ENCRYPTED`, have a meaning, so they stay.
        if text.contains(UInt8(ascii: ":")) { unescape(text, into: &lines) } else { wrap(text, into: &lines) }
        return SecretBytes(wiping: &lines)
    }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    /// Whether a text begins with an escaped line end, or the first half of one.
    private static func beginsEscaped(_ text: ArraySlice<UInt8>) -> Bool {
        text.starts(with: "\\n".utf8) || text.starts(with: "\\r".utf8)
    }

    /// Copies a text with its line ends, escaped or not, and without quotes.
    private static func unescape(_ text: [UInt8], into lines: inout [UInt8]) {
        var rest = text.drop { $0.isBlank || isQuote($0) }
        while let byte = rest.first {
            if beginsEscaped(rest) {
                // `\r\n` is one line end.
                if rest.starts(with: "\\n".utf8) { lines.append(UInt8(ascii: "\n")) }
                rest = rest.dropFirst(2)
            } else {
                if !isQuote(byte) { lines.append(byte) }
                rest.removeFirst()
            }
        }
    }

    /// Copies a text with a line end after each mark and after 64 characters, and without those that it has.
    private static func wrap(_ text: [UInt8], into lines: inout [UInt8]) {
        let mark = Array("-----".utf8)
        var rest = text[...]
        var column = 0
        /// Whether the bytes are between two marks, as in `-----BEGIN PRIVATE KEY-----`, where a space is kept.
        var isInMark = false
        while let byte = rest.first {
            if rest.starts(with: mark) {
                if !isInMark, column > 0 { lines.append(UInt8(ascii: "\n")) }
                lines += mark
                rest = rest.dropFirst(mark.count)
                if isInMark { lines.append(UInt8(ascii: "\n")) }
                isInMark.toggle()
                column = 0
                continue
            }
            if beginsEscaped(rest) {
                rest = rest.dropFirst(2)
                continue
            }
            rest.removeFirst()
            if isInMark {
                lines.append(byte)
            } else if !byte.isBlank, !isQuote(byte) {
                if column == 64 {
                    lines.append(UInt8(ascii: "\n"))
                    column = 0
                }
                column += 1
                lines.append(byte)
            }
        }
    }

    /// Reads a public key.
    ///
    /// - Throws: `config` if it is none, or not one of its algorithm; `unavailable` if OpenSSL refuses it.
    func verifyingKey() throws(PatchError) -> VerifyingKey {
        try name.path.naming { () throws(PatchError) in
            try VerifyingKey(pem: bytes.unprotected, algorithm: name.algorithm, rsaDefault: .rsaSHA1)
        }
    }

    /// Reads a script key.
    ///
    /// - Throws: `config` if it is none, `unavailable` if OpenSSL refuses SHA-256.
    func scriptKey() throws(PatchError) -> ScriptKey {
        try name.path.naming { () throws(PatchError) in try ScriptKey(decoding: bytes) }
    }

    func holds(_ text: String) -> Bool { unsafe bytes.withUnsafeBytes { unsafe $0.has(text) } }

    var isPrivate: Bool { holds("PRIVATE KEY-----") }

    var isPublic: Bool { holds("PUBLIC KEY-----") }

    var isKeyStore: Bool { unsafe bytes.withUnsafeBytes { unsafe KeyStoreFile.isStore($0) } }

    /// Opens a key store.
    ///
    /// - Throws: `passphrase` if the passphrase is wrong or the file was changed, `config` if it is no key store,
    ///   `unavailable` if OpenSSL refuses what it needs.
    func ring(passphrase: SecretBytes) throws(PatchError) -> ScriptKeyRing {
        try name.path.naming { () throws(PatchError) in
            try KeyStoreFile.open(bytes.unprotected, passphrase: passphrase)
        }
    }

    /// Reads a private key.
    ///
    /// - Throws: `passphrase` if the passphrase is missing or wrong; `config` if it is no private key, or not one of
    ///   its algorithm; `unavailable` if OpenSSL refuses it.
    func signingKey(passphrase: SecretBytes?) throws(PatchError) -> SigningKey {
        try name.path.naming { () throws(PatchError) in
            try SigningKey(pem: bytes, passphrase: passphrase, algorithm: name.algorithm, rsaDefault: .rsaSHA1)
        }
    }
}

extension SecretBytes {
    /// A copy that is not wiped.
    var unprotected: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}
