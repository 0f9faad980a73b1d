import PatchCrypto
import PatchFiles

/// Reads passphrases from a variable, a file or the terminal.
enum Passphrase {
    /// The passphrases for private keys that the options give: one for all keys, or one for each.
    static func all(of arguments: ParsedArguments) throws(PatchError) -> [SecretBytes] {
        var all: [SecretBytes] = []
        for name in try arguments.texts(of: .passphraseEnv) { all.append(try value(of: name, .passphraseEnv)) }
        for path in arguments.values(of: .passphraseFile).map(\.path) {
            all.append(try firstLine(of: path, .passphraseFile))
        }
        return all
    }

    private static func value(of name: String, _ option: Option) throws(PatchError) -> SecretBytes {
        guard var value = Environment[secret: name] else {
            throw PatchError(
                .passphrase, "--\(option.name) names a variable that is not set or is empty",
                hint: "export the variable that holds the passphrase, and give its name, not the passphrase")
        }
        return SecretBytes(wiping: &value)
    }

    private static func firstLine(of path: Path, _ file: Option) throws(PatchError) -> SecretBytes {
        guard path.isStandardStream || FileInfo(path, following: true) != nil else {
            throw PatchError(
                .noInput, "--\(file.name) names a file that does not exist",
                hint: "give the name of the file that holds the passphrase, or <(…), not the passphrase")
        }
        var bytes = try InputFile.small(path, limit: 4096)
        defer { _ = SecretBytes(wiping: &bytes) }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard !line.isEmpty else {
            throw PatchError(.passphrase, "no passphrase in the first line").about(path)
        }
        return SecretBytes(line)
    }

    /// The passphrase of a key store, from the options or from the terminal.
    ///
    /// - Parameter isNew: Whether the store does not exist yet. The passphrase is then asked for twice, because a typing mistake
    ///   would lock the store for good.
    /// - Throws: `passphrase` if there is neither.
    static func ofStore(
        _ path: Path, _ arguments: ParsedArguments, isNew: Bool = false,
        from variable: Option = .storePassphraseEnv, or file: Option = .storePassphraseFile,
        called name: String = "passphrase"
    ) throws(PatchError) -> SecretBytes {
        if arguments.has(variable), arguments.has(file) {
            throw PatchError(.usage, "--\(variable.name) and --\(file.name) cannot be used together")
        }
        if let given = try arguments.text(of: variable) { return try value(of: given, variable) }
        if let path = arguments.value(of: file)?.path { return try firstLine(of: path, file) }
        if let answer = try ask(for: path, called: name) {
            if isNew, try ask(for: path, called: "\(name) again")?.isSame(as: answer) != true {
                throw PatchError(.passphrase, "the two passphrases differ").about(path)
            }
            return answer
        }
        throw PatchError(
            .passphrase, "the key store needs a \(name)", hint: "give --\(variable.name) or --\(file.name)"
        ).about(path)
    }

    /// Asks for a passphrase on the terminal without showing it; returns nil if there is no terminal.
    ///
    /// - Throws: `passphrase` if the question was cancelled, or if the answer is too long.
    static func ask(for file: Path, called name: String = "passphrase") throws(PatchError) -> SecretBytes? {
        switch Terminal.askForSecret("\(name) for \(escaped(file.description)): ") {
        case .answer(let passphrase): return passphrase
        case .noTerminal: return nil
        case .brokenOff: throw PatchError(.passphrase, "no passphrase was given").about(file)
        case .tooLong: throw PatchError(.passphrase, "the passphrase is too long").about(file)
        }
    }
}
