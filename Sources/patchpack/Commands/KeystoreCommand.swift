import PatchCrypto
import PatchFiles

/// `keystore`: keeps named script keys in one file, under a passphrase.
enum KeystoreCommand {
    private static let actions = ["add", "list", "remove", "export"]

    static let verb = Verb(
        name: "keystore", summary: "keep named script keys in one file, under a passphrase",
        operands: "add STORE KEY... | list STORE | remove STORE NAME... | export STORE NAME -o FILE",
        operandValue: .choice("ACTION", actions), actions: actions, operandCount: 2...Int.max,
        options: [.name, .outputFile, .force, .storePassphraseEnv, .storePassphraseFile],
        example: "patchpack keystore add keys/script.store keys/script.key --name 2026",
        run: { (arguments, console) throws(PatchError) in try run(arguments, console) })

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let action = arguments.operands[0].text
        let path = arguments.operands[1].path
        let others = Array(arguments.operands.dropFirst(2))
        guard (action == "list") == others.isEmpty, action != "export" || others.count == 1 else {
            throw PatchError(
                .usage, "keystore \(action): wrong number of arguments", hint: "patchpack keystore \(verb.operands)")
        }
        guard action == "add" || !arguments.has(.name), action == "export" || !arguments.has(.output) else {
            throw PatchError(.usage, "--name goes with keystore add, --output with keystore export")
        }
        guard !path.isStandardStream else { throw PatchError(.usage, "a key store is a file") }
        _ = try KeyFiles(arguments, operands: action == "add" ? others.map(\.path) : [])
        let store = try path.resolved()
        let isNew = action == "add" && FileInfo(store, following: true) == nil
        let passphrase = try Passphrase.ofStore(path, arguments, isNew: isNew)
        let shown =
            switch action {
            case "list": try keys(in: store, passphrase).keys
            case "export": try export(others[0].text, from: store, passphrase, arguments)
            default: try edit(action, store, passphrase, others, arguments)
            }
        for (name, key) in shown { try show(name, key, action, on: console) }
        return 0
    }

    private static func keys(in path: Path, _ passphrase: SecretBytes) throws(PatchError) -> ScriptKeyRing {
        try KeyFile(KeyName(nil, path, from: "keystore")).ring(passphrase: passphrase)
    }

    /// Writes one key to a plain key file.
    private static func export(
        _ name: String, from path: Path, _ passphrase: SecretBytes, _ arguments: ParsedArguments
    ) throws(PatchError) -> [(name: String, key: ScriptKey)] {
        guard let output = arguments.value(of: .output)?.path else {
            throw PatchError(.usage, "no output file", hint: "give -o FILE")
        }
        try KeyFiles(arguments, operands: [path]).protectInputs(from: [output])
        guard let key = try keys(in: path, passphrase).scriptKey(named: name) else {
            throw PatchError(.config, "no key called \(name) in the store", hint: "patchpack keystore list STORE")
        }
        guard !output.isStandardStream else {
            guard !StandardOutput.isTerminal else {
                throw PatchError(.usage, "-o - would show the key on the terminal", hint: "give -o FILE, or a pipe")
            }
            var bytes = unsafe key.file().withUnsafeBytes { unsafe Array($0) }
            defer { _ = SecretBytes(wiping: &bytes) }
            try StandardOutput.write(bytes)
            return []
        }
        try OutputFile.write([OutputFile(path: output, content: .secret(key.file()))], force: arguments.has(.force))
        return [(name, key)]
    }

    /// Adds or removes keys; gives those concerned.
    private static func edit(
        _ action: String, _ path: Path, _ passphrase: SecretBytes, _ others: [Argument], _ arguments: ParsedArguments
    ) throws(PatchError) -> [(name: String, key: ScriptKey)] {
        let given = try arguments.text(of: .name)
        guard given == nil || others.count == 1 else {
            throw PatchError(.usage, "--name with several keys", hint: "add them one by one")
        }
        var newKeys: [(name: String, key: ScriptKey)] = []
        if action == "add" {
            for other in others {
                let key = try KeyFile(KeyName(nil, other.path, from: "keystore add")).scriptKey()
                newKeys.append((given ?? key.id.description, key))
            }
            try Folder.make(path.parent)
        }
        return try Folder.whileLocked(around: path) { () throws(PatchError) in
            let exists = FileInfo(path, following: true) != nil
            var ring = exists || action == "remove" ? try keys(in: path, passphrase) : ScriptKeyRing()
            var changed = newKeys
            for (name, key) in newKeys { try ring.add(key, named: name) }
            if action == "remove" {
                changed = ring.keys.filter { key in others.contains { $0.isText(key.name) } }
                for other in others { try ring.remove(other.text) }
            }
            let sealed = try KeyStoreFile.seal(ring, passphrase: passphrase)
            try OutputFile.write([OutputFile(path: path, content: .secret(SecretBytes(sealed)))], force: true)
            return changed
        }
    }

    private static func show(
        _ name: String, _ key: ScriptKey, _ action: String, on console: Console
    ) throws(PatchError) {
        if console.format == .json {
            try console.json(
                .object(
                    [("schema", .string("patchpack.keystore/1"))] + JSONValue.outcome(nil) + [
                        ("action", .string(action)), ("name", .string(name)), ("suite", .string(key.suite.rawValue)),
                        ("keyID", .string(key.id.description)), ("error", .null),
                    ]))
        } else if !console.isQuiet || action == "list" {
            let text = "\(name)  \(key.suite.rawValue), id \(key.id)"
            let done = ["add": "added  ", "remove": "removed  ", "export": "exported  "][action] ?? ""
            try console.line(done + text)
        }
    }
}
