import PatchCrypto

/// A key as the command line names it: `[ALGORITHM:]FILE`.
struct KeyName {
    let algorithm: SignatureAlgorithm?
    let path: Path

    init(_ argument: Argument) {
        let fields = argument.bytes.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let prefix = String(decoding: fields[0], as: UTF8.self)
        algorithm = fields.count == 2 ? SignatureAlgorithm(rawValue: prefix) : nil
        path = algorithm == nil ? argument.path : Path(bytes: Array(fields[1]))
    }
}

/// Reads the keys that a command line names, by options or by the environment.
struct KeyFiles {
    let arguments: ParsedArguments
    let console: Console

    /// - Throws: `usage` where more than one of the inputs is standard input.
    init(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        self.arguments = arguments
        self.console = console
        let keys = [Option.signingKey, .scriptKey, .trustedKey].flatMap { arguments.values(of: $0) }
        let inputs =
            keys.map { KeyName($0).path } + arguments.operands.map(\.path)
            + arguments.values(of: .passphraseFile).map(\.path)
        guard inputs.count(where: \.isStandardStream) <= 1 else {
            throw PatchError(.usage, "standard input (-) is named twice", hint: "name a file for all inputs but one")
        }
    }

    /// The trusted keys; nil where none is named.
    func trustStore() throws(PatchError) -> TrustStore? {
        let names = names(.trustedKey, "PATCHPACK_TRUSTED_KEY")
        guard !names.isEmpty else { return nil }
        var keys: [VerifyingKey] = []
        for name in names { keys.append(try KeyFile(name).verifyingKey()) }
        return try TrustStore(keys)
    }

    /// The script key; nil where none is named.
    func scriptKey() throws(PatchError) -> ScriptKey? {
        guard let name = names(.scriptKey, "PATCHPACK_SCRIPT_KEY").first else { return nil }
        return try KeyFile(name).scriptKey()
    }

    /// The private keys that sign.
    func signingKeys() throws(PatchError) -> [SigningKey] {
        var keys: [SigningKey] = []
        for name in names(.signingKey, "PATCHPACK_SIGNING_KEY") { keys.append(try signingKey(KeyFile(name))) }
        return keys
    }

    /// Reads a key of whatever kind.
    func describe(_ name: KeyName) throws(PatchError) -> KeyDescription {
        let file = try KeyFile(name)
        if file.bytes.contains("PRIVATE KEY-----") { return .signing(try signingKey(file)) }
        return file.bytes.contains("-----BEGIN ") ? .trusted(try file.verifyingKey()) : .script(try file.scriptKey())
    }

    /// Reads a private key, with the passphrase that the options name or a person at a terminal gives.
    ///
    /// - Throws: `config` for a file that others can read, unless the options allow it.
    private func signingKey(_ file: KeyFile) throws(PatchError) -> SigningKey {
        guard !file.isOpenToOthers || arguments.has(.allowUnsafePermissions) else {
            throw PatchError(
                .config, "\(file.name.path): others can read or write this private key",
                hint: "chmod 600 \(file.name.path), or --allow-unsafe-permissions")
        }
        let named = try Passphrase.named(by: arguments)
        do {
            return try file.signingKey(passphrase: named)
        } catch  where error.code == .passphrase && named == nil {
            guard let answer = try Passphrase.ask(for: file.name.path) else {
                throw PatchError(.passphrase, error.message, hint: "give --passphrase-env or --passphrase-file")
            }
            return try file.signingKey(passphrase: answer)
        }
    }

    /// The keys that an option names, or else the one that the environment names.
    private func names(_ option: Option, _ variable: String) -> [KeyName] {
        let given = arguments.values(of: option)
        if given.isEmpty, let value = Environment[variable] { return [KeyName(Argument(bytes: Array(value.utf8)))] }
        return given.map(KeyName.init)
    }
}

/// A key file's bytes, wiped when it goes; its errors name the file.
private struct KeyFile {
    let name: KeyName
    let bytes: SecretBytes
    let isOpenToOthers: Bool

    init(_ name: KeyName) throws(PatchError) {
        self.name = name
        var isOpen = false
        var bytes = try InputFile.contents(of: name.path, limit: 64 << 10) {
            isOpen = $0.isRegular && $0.isOpenToOthers
        }
        isOpenToOthers = isOpen
        self.bytes = SecretBytes(wiping: &bytes)
    }

    func verifyingKey() throws(PatchError) -> VerifyingKey {
        let pem = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        return try naming { () throws(PatchError) in try VerifyingKey(pem: pem, algorithm: name.algorithm) }
    }

    func scriptKey() throws(PatchError) -> ScriptKey {
        try naming { () throws(PatchError) in try ScriptKey(file: bytes) }
    }

    func signingKey(passphrase: SecretBytes?) throws(PatchError) -> SigningKey {
        try naming { () throws(PatchError) in
            try SigningKey(pem: bytes, passphrase: passphrase, algorithm: name.algorithm)
        }
    }

    private func naming<Key>(_ body: () throws(PatchError) -> Key) throws(PatchError) -> Key {
        do {
            return try body()
        } catch {
            throw error.about(name.path)
        }
    }
}

extension SecretBytes {
    fileprivate func contains(_ text: String) -> Bool {
        unsafe withUnsafeBytes { unsafe $0.firstRange(of: Array(text.utf8)) != nil }
    }
}
