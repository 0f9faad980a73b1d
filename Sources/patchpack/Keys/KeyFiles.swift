import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing

extension PatchError {
    /// An error for a pin without a file to compare with it.
    static var pinWithoutStore: PatchError {
        .usage("--trust-store-pin without a trust store", hint: "give --trust-store FILE")
    }
}

/// The keys that a command line names, with their passphrases. Each is read when it is asked for.
struct KeyFiles: Sendable {
    private let arguments: ParsedArguments

    /// Every file that the command line reads.
    let inputs: [Path]
    /// The passphrases that the options give: one for all private keys and key stores, or one for each.
    let passphrases: [SecretBytes]

    /// Collects the inputs and reads the passphrases.
    ///
    /// - Parameter operands: The operands that are files; nil if all are.
    /// - Throws: `usage` if more than one of the inputs is standard input; what ``Passphrase/all(of:from:or:)`` throws.
    init(_ arguments: ParsedArguments, operands: [Path]? = nil) throws(PatchError) {
        self.arguments = arguments
        inputs = (operands ?? arguments.operands.map(\.path)) + arguments.inputs
        guard inputs.count(where: \.isStandardStream) <= 1 else {
            throw .usage("standard input (-) can be used only once", hint: "give files for other inputs")
        }
        passphrases = try Passphrase.all(of: arguments)
    }

    /// The trusted keys from all options, or else from the environment; nil if none is given.
    ///
    /// - Throws: `usage` if there is a pin, but no trust store; what reading a key or a trust store throws.
    func trustStore() throws(PatchError) -> TrustStore? {
        let isSaid = arguments.has(.trustedKey) || arguments.has(.trustStore)
        let files = arguments.keys(of: .trustedKey, fromEnvironment: !isSaid)
        let store = isSaid ? arguments.path(of: .trustStore) : Option.trustStore.fromEnvironment?.path
        let pin = try arguments.text(of: .trustStorePin)
        guard pin == nil || store != nil else { throw .pinWithoutStore }
        var keys = try files.map { (file) throws(PatchError) in try TrustedKey(KeyFile(file).verifyingKey()) }
        if let store { keys += try TrustFiles.store(at: store, pinnedTo: pin).keys }
        return keys.isEmpty ? nil : try TrustStore(keys: keys)
    }

    /// The trusted keys, which must include the public half of every signing key.
    ///
    /// If no trusted key is given, the public halves of the signing keys are the trusted keys.
    ///
    /// - Parameter needed: Whether a trusted key must be given, because signatures are also made elsewhere.
    /// - Throws: `config` if a signing key is not trusted, `policy` if it is no longer trusted, `usage` if no trusted
    ///   key is given that is needed.
    func trustStore(orThatOf signingKeys: [SigningKey], needed: Bool) throws(PatchError) -> TrustStore {
        guard let store = try trustStore() else {
            guard !needed else {
                throw .usage("no trusted key", hint: "give the public key of the signature command: --trusted-key FILE")
            }
            return try TrustStore(trusting: signingKeys.map(\.verifyingKey))
        }
        for key in signingKeys.map(\.verifyingKey)
        where !store.keys.contains(where: { $0.key.id == key.id && $0.key.algorithm == key.algorithm }) {
            throw PatchError(
                .config, "the signing key \(key.id) (\(key.algorithm.rawValue)) is not among the trusted keys",
                hint: "give the private key that belongs to --trusted-key; `patchpack keyinfo` shows the ids")
        }
        try Self.refuse(signingKeys, endedIn: store)
        return store
    }

    /// Refuses to sign with a key that is revoked or past its date in the trust store.
    ///
    /// - Throws: `policy` if there is one, `config` if this machine's clock is wrong.
    static func refuse(_ signingKeys: [SigningKey], endedIn store: TrustStore) throws(PatchError) {
        let now = try SystemClock.now()
        for trusted in store.keys where signingKeys.contains(where: { $0.verifyingKey.id == trusted.key.id }) {
            guard let refusal = trusted.refusal(at: now) else { continue }
            throw PatchError(
                .policy, "the signing key \(trusted.key.id)\(trusted.name.map { " (\($0))" } ?? "") \(refusal)",
                hint: "sign with a key that is still trusted")
        }
    }

    /// The script keys from all given files; nil if none is given.
    ///
    /// - Throws: What reading a script key or a key store throws.
    func scriptKeys() throws(PatchError) -> ScriptKeyRing? {
        let files = arguments.keys(of: .scriptKey)
        guard !files.isEmpty else { return nil }
        var ring = ScriptKeyRing()
        for file in files {
            for (name, key) in try keys(of: file) where !ring.keys.contains(where: { $0.key.id == key.id }) {
                // Two key stores may have different keys of one name.
                try ring.add(key, named: ring.scriptKey(named: name) == nil ? name : key.id.description)
            }
        }
        return ring
    }

    /// The script key to encrypt with; nil if none is given.
    ///
    /// - Throws: `config` if there is no key of the requested name, or a key store is empty; `usage` if there are
    ///   several keys and none is requested; what ``scriptKeys()`` throws.
    func scriptKey() throws(PatchError) -> ScriptKey? {
        guard let ring = try scriptKeys() else { return nil }
        if let name = try arguments.text(of: .scriptKeyName) {
            guard let key = ring.scriptKey(named: name) else {
                throw PatchError(
                    .config, "no script key named \(name)",
                    hint: "the names are \(ring.scriptKeyNames.joined(separator: ", "))")
            }
            return key
        }
        guard ring.keys.count <= 1 else {
            throw .usage(
                "\(ring.keys.count) script keys given, expected one",
                hint: "choose one, such as --\(Option.scriptKeyName.name) \(ring.keys[0].name)")
        }
        guard let key = ring.keys.first?.key else { throw PatchError(.config, "the key store is empty") }
        return key
    }

    private func keys(of name: KeyName) throws(PatchError) -> [(name: String, key: ScriptKey)] {
        let file = try KeyFile(name)
        guard file.isKeyStore else {
            let key = try file.scriptKey()
            return [(key.id.description, key)]
        }
        let ring = try opened { (passphrase) throws(PatchError) in try file.ring(passphrase: passphrase) }
        if let ring { return ring.keys }
        return try file.ring(passphrase: Passphrase.ofStore(name.path, given: [])).keys
    }

    /// Opens a private key or a key store with one of the given passphrases; returns nil if none is given.
    ///
    /// - Throws: `passphrase` if none of them is right, and what else `open` throws.
    private func opened<Key>(_ open: (SecretBytes) throws(PatchError) -> Key) throws(PatchError) -> Key? {
        var failure: PatchError?
        // Each of several keys may have its own passphrase, so all of them are tried.
        for passphrase in passphrases {
            do throws(PatchError) {
                return try open(passphrase)
            } catch {
                guard error.code == .passphrase else { throw error }
                failure = error
            }
        }
        if let failure { throw failure }
        return nil
    }

    /// The private keys that sign.
    ///
    /// The environment is used only if no option gives a way to sign. A feed has several keys, so its variable is
    /// always used.
    ///
    /// - Throws: `config` if a key is unusable, or other users can read it; `passphrase` if its passphrase is missing
    ///   or wrong; `noInput` if it cannot be read.
    func signingKeys(_ option: Option = .signingKey) throws(PatchError) -> [SigningKey] {
        let signsOtherwise = [Option.signatureCommand, .attach, .detach].contains { arguments.has($0) }
        let takesVariable = option.id != Option.signingKey.id || !signsOtherwise
        var keys: [SigningKey] = []
        for name in arguments.keys(of: option, fromEnvironment: takesVariable) {
            let file = try KeyFile(name)
            // The private halves of some keys of a feed's roles are elsewhere.
            if Self.takesPublic.contains(option.name), file.isPublic { continue }
            keys.append(try signingKey(file))
        }
        return keys
    }

    /// The options that take public keys, too.
    private static let takesPublic = [Option.rootKey, .releaseKey, .onlineKey, .addKey].map(\.name)

    /// The keys that an option names, public or private, as a feed has them.
    ///
    /// - Throws: `config` if a feed cannot use one; what reading a key throws.
    func feedKeys(_ option: Option) throws(PatchError) -> [FeedKey] {
        try arguments.keys(of: option).map { (name) throws(PatchError) in
            let file = try KeyFile(name)
            return try name.path.naming { () throws(PatchError) in
                file.isPublic
                    ? try FeedKey(pem: file.bytes.unprotected) : try FeedKey(signingKey(file).verifyingKey)
            }
        }
    }

    /// Reads a key of any kind.
    ///
    /// - Throws: `config` if it is a key store or unusable, or is a private key that other users can read; `passphrase`
    ///   if its passphrase is missing or wrong; `noInput` if it cannot be read.
    func describe(_ name: KeyName) throws(PatchError) -> KeyDescription {
        let file = try KeyFile(name)
        guard !file.isKeyStore else {
            throw PatchError(
                .config, "is a key store with several keys", hint: "patchpack keystore list STORE"
            ).about(name.path)
        }
        if file.isPrivate { return .signing(try signingKey(file)) }
        return file.holds("-----BEGIN ") ? .trusted(try file.verifyingKey()) : .script(try file.scriptKey())
    }

    /// Reads a private key. Its passphrase comes from the options or from the terminal.
    ///
    /// - Throws: `config` if other users can read or write the file, unless the options allow it; `passphrase` if its
    ///   passphrase is missing or wrong; what else ``KeyFile/signingKey(passphrase:)`` throws.
    private func signingKey(_ file: KeyFile) throws(PatchError) -> SigningKey {
        guard !file.isOpenToOthers || arguments.has(.allowUnsafePermissions) || !file.isPrivate else {
            throw PatchError(
                .config, "other users can read or write this private key",
                hint: "chmod 600 \(file.name.path), or give --allow-unsafe-permissions"
            ).about(file.name.path)
        }
        let key = try opened { (passphrase) throws(PatchError) in try file.signingKey(passphrase: passphrase) }
        if let key { return key }
        do throws(PatchError) {
            return try file.signingKey(passphrase: nil)
        } catch {
            guard error.code == .passphrase else { throw error }
            guard let answer = try Passphrase.ask(for: file.name.path) else {
                throw error.hinting("give --passphrase-env or --passphrase-file")
            }
            return try file.signingKey(passphrase: answer)
        }
    }

    /// The files that an option names, except standard input and variables.
    func files(_ option: Option) -> [Path] {
        arguments.keys(of: option).filter { $0.variable == nil && !$0.path.isStandardStream }.map(\.path)
    }
}

extension ParsedArguments {
    /// The keys that an option names, otherwise the key that its variable names.
    fileprivate func keys(of option: Option, fromEnvironment: Bool = true) -> [KeyName] {
        let given = values(of: option)
        guard given.isEmpty, fromEnvironment, let value = option.fromEnvironment else {
            return given.map { KeyName($0, from: "--\(option.name)") }
        }
        return [KeyName(value, from: option.variable ?? "")]
    }
}
