import PatchCrypto
import PatchFiles

/// The bytes of a key file, or of a variable that holds a key.
///
/// They are wiped when the object is released. Its errors name the file.
struct KeyFile {
    let name: KeyName
    let bytes: SecretBytes
    let isOpenToOthers: Bool

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
        let mark = Array("-----".utf8)
        var lines: [UInt8] = []
        lines.reserveCapacity(2 * text.count)  // growing would leave copies in memory
        var rest = text[...]
        var column = 0
        /// Whether the bytes are between two marks, as in `-----BEGIN PRIVATE KEY-----`, where a space is kept.
        var isInMark = false
        // The line breaks in a block with headers have a meaning, so only its escaped line ends are replaced.
        let hasHeaders = text.contains(UInt8(ascii: ":"))
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
            rest.removeFirst()
            let isLetter = byte == UInt8(ascii: "\\") && [UInt8(ascii: "n"), UInt8(ascii: "r")].contains(rest.first)
            if isLetter { rest.removeFirst() }
            if isInMark {
                lines.append(byte)
            } else if hasHeaders {
                lines.append(isLetter ? UInt8(ascii: "\n") : byte)
            } else if !isLetter, !byte.isBlank, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "'") {
                if column == 64 { lines.append(UInt8(ascii: "\n")) }
                column = column == 64 ? 1 : column + 1
                lines.append(byte)
            }
        }
        return SecretBytes(wiping: &lines)
    }

    func verifyingKey() throws(PatchError) -> VerifyingKey {
        try name.path.naming { () throws(PatchError) in
            try VerifyingKey(pem: bytes.unprotected, algorithm: name.algorithm, rsaDefault: .rsaSHA1)
        }
    }

    func scriptKey() throws(PatchError) -> ScriptKey {
        try name.path.naming { () throws(PatchError) in try ScriptKey(decoding: bytes) }
    }

    func holds(_ text: String) -> Bool { unsafe bytes.withUnsafeBytes { unsafe $0.has(text) } }

    var isPrivate: Bool { holds("PRIVATE KEY-----") }

    var isPublic: Bool { holds("PUBLIC KEY-----") }

    var isKeyStore: Bool { unsafe bytes.withUnsafeBytes { unsafe KeyStoreFile.isStore($0) } }

    func ring(passphrase: SecretBytes) throws(PatchError) -> ScriptKeyRing {
        try name.path.naming { () throws(PatchError) in
            try KeyStoreFile.open(bytes.unprotected, passphrase: passphrase)
        }
    }

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
