import PatchCrypto
import PatchFiles

enum Passphrase {
    /// The passphrases that the options give: one for all private keys and key stores, or one for each.
    ///
    /// - Throws: `passphrase` if a variable is not set, or a first line is empty; `noInput` if a file is missing or
    ///   cannot be read; `config` if it has more than 4096 bytes; `usage` if the name of a variable is not UTF-8.
    static func all(
        of arguments: ParsedArguments, from variable: Option = .passphraseEnv, or file: Option = .passphraseFile
    ) throws(PatchError) -> [SecretBytes] {
        try arguments.texts(of: variable).map { (name) throws(PatchError) in try value(of: name, variable) }
            + arguments.values(of: file).map { (word) throws(PatchError) in try firstLine(of: word.path, file) }
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
        defer { bytes.wipe() }
        var line = bytes.withoutByteOrderMark.prefix { $0 != UInt8(ascii: "\n") }
        // Not removeLast(), which would copy what is not wiped.
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        guard !line.isEmpty else {
            throw PatchError(.passphrase, "no passphrase in the first line").about(path)
        }
        return SecretBytes(line)
    }

    /// The passphrase of a key store: the given one, or the answer to a question on the terminal.
    ///
    /// - Parameters:
    ///   - given: The passphrases that the options give.
    ///   - isNew: Whether the store does not exist yet. The passphrase is then asked for twice, because a typing
    ///     mistake would lock the store for good.
    ///   - name: Its name in questions and errors, from which the names of its options are made.
    /// - Throws: `passphrase` if there is neither, or if the second answer is another one than the first; `usage` if
    ///   several are given.
    static func ofStore(
        _ path: Path, given: [SecretBytes], isNew: Bool = false, called name: String = "passphrase"
    ) throws(PatchError) -> SecretBytes {
        guard given.count <= 1 else {
            throw .usage("several passphrases for one key store", hint: "give one").about(path)
        }
        if let given = given.first { return given }
        if let answer = try ask(for: path, called: name) {
            if isNew, try ask(for: path, called: "\(name) again")?.isEqual(to: answer) != true {
                throw PatchError(.passphrase, "the two passphrases differ").about(path)
            }
            return answer
        }
        let option = "--\(name.replacing(" ", with: "-"))"
        throw PatchError(
            .passphrase, "the key store needs a \(name)", hint: "give \(option)-env or \(option)-file"
        ).about(path)
    }

    /// Asks for a passphrase on the terminal without showing it; returns nil if there is no terminal.
    ///
    /// - Throws: `passphrase` if the question was cancelled, or if the answer is too long.
    static func ask(for file: Path, called name: String = "passphrase") throws(PatchError) -> SecretBytes? {
        try file.naming { () throws(PatchError) in
            try Terminal.askForSecret("\(name) for \(escaped(file.description)): ")
        }
    }
}
