import PatchCrypto
import PatchFiles

/// Where a private key's passphrase comes from: a variable, a file, or a person at a terminal.
enum Passphrase {
    /// The passphrases of private keys that the options name: one for all, or one for each.
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
                .passphrase, "--\(option.name) names a variable that is not set, or empty",
                hint: "export the variable that holds the passphrase, and give its name, not the passphrase")
        }
        return SecretBytes(wiping: &value)
    }

    private static func firstLine(of path: Path, _ file: Option) throws(PatchError) -> SecretBytes {
        guard path.isStandardStream || FileInfo(path, following: true) != nil else {
            throw PatchError(
                .noInput, "--\(file.name) names a file that is not there",
                hint: "give the name of the file that holds the passphrase, or <(…), not the passphrase")
        }
        var bytes = try InputFile.small(path, limit: 4096)
        defer { _ = SecretBytes(wiping: &bytes) }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard !line.isEmpty else {
            throw PatchError(.passphrase, "no passphrase in its first line").about(path)
        }
        return SecretBytes(line)
    }

    /// The passphrase of a key store: named by the options, or given by a person at a terminal.
    ///
    /// - Parameter isNew: Whether the store is still to be made, so that a slip of the finger would lock it for ever.
    /// - Throws: `passphrase` where there is neither.
    static func ofStore(
        _ path: Path, _ arguments: ParsedArguments, isNew: Bool = false
    ) throws(PatchError) -> SecretBytes {
        let (variable, file) = (Option.storePassphraseEnv, Option.storePassphraseFile)
        if arguments.has(variable), arguments.has(file) {
            throw PatchError(.usage, "--\(variable.name) and --\(file.name) exclude each other")
        }
        if let name = try arguments.text(of: variable) { return try value(of: name, variable) }
        if let path = arguments.value(of: file)?.path { return try firstLine(of: path, file) }
        if let answer = try ask(for: path) {
            if isNew, try ask(for: path)?.isSame(as: answer) != true {
                throw PatchError(.passphrase, "the two passphrases differ").about(path)
            }
            return answer
        }
        throw PatchError(
            .passphrase, "the key store needs a passphrase",
            hint: "give --\(Option.storePassphraseEnv.name) or --\(Option.storePassphraseFile.name)"
        ).about(path)
    }

    /// Asks for a passphrase on the terminal, without showing it; nil if there is no terminal.
    ///
    /// - Throws: `passphrase` if the question was broken off.
    static func ask(for file: Path) throws(PatchError) -> SecretBytes? {
        switch Terminal.askForSecret("passphrase for \(escaped(file.description)): ") {
        case .answer(let passphrase): return passphrase
        case .noTerminal: return nil
        case .brokenOff: throw PatchError(.passphrase, "no passphrase was given").about(file)
        case .tooLong: throw PatchError(.passphrase, "the passphrase is too long").about(file)
        }
    }
}
