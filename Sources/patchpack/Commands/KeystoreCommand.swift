import PatchCrypto

/// `keystore`: keeps named script keys in one file, under a passphrase.
enum KeystoreCommand {
    private static let actions = ["add", "list", "remove", "export"]

    static let verb = Verb(
        name: "keystore", summary: "keep named script keys in one file, under a passphrase",
        operands: "add STORE KEY... | list STORE | remove STORE NAME... | export STORE NAME -o FILE",
        operandValue: .choice("ACTION", actions), operandCount: 2...Int.max,
        options: [.name, .outputFile, .force, .storePassphraseEnv, .storePassphraseFile],
        example: "patchpack keystore add keys/script.store keys/script.key --name 2026",
        run: { (arguments, console) throws(PatchError) in try run(arguments, console) })

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let action = arguments.operands[0].text
        let path = arguments.operands[1].path
        let others = Array(arguments.operands.dropFirst(2))
        guard actions.contains(action) else {
            throw PatchError(.usage, "keystore \(action) is unknown", hint: "one of \(actions.joined(separator: ", "))")
        }
        guard (action == "list") == others.isEmpty, action != "export" || others.count == 1 else {
            throw PatchError(
                .usage, "keystore \(action): wrong number of arguments", hint: "patchpack keystore \(verb.operands)")
        }
        guard action == "add" || !arguments.has(.name), action == "export" || !arguments.has(.output) else {
            throw PatchError(.usage, "--name goes with keystore add, --output with keystore export")
        }
        let isNew = action == "add" && FileInfo(path, following: true) == nil
        let passphrase = try Passphrase.ofStore(path, arguments)
        var ring = isNew ? ScriptKeyRing() : try ScriptKeyFile(path: path, passphrase: passphrase).ring()
        var shown = ring.keys
        switch action {
        case "add":
            shown = []
            for other in others {
                let key = try KeyFile(KeyName(nil, other.path)).scriptKey()
                let given = try arguments.text(of: .name)
                guard given == nil || others.count == 1 else {
                    throw PatchError(.usage, "--name with several keys", hint: "add them one by one")
                }
                try ring.add(key, named: given ?? key.id.description)
                shown.append((given ?? key.id.description, key))
            }
        case "remove":
            shown = shown.filter { key in others.contains { $0.isText(key.name) } }
            for other in others { try ring.remove(other.text) }
        case "export":
            shown = shown.filter { others[0].isText($0.name) }
            guard let key = shown.first?.key else {
                throw PatchError(
                    .config, "no key called \(others[0].text) in the store", hint: "patchpack keystore list STORE")
            }
            guard let output = arguments.value(of: .output)?.path else {
                throw PatchError(.usage, "no output file", hint: "give -o FILE")
            }
            try KeyFiles(arguments).protectInputs(from: [output])
            try OutputFile.write([OutputFile(path: output, content: .secret(key.file()))], force: arguments.has(.force))
        default: break
        }
        if action == "add" || action == "remove" {
            let sealed = try KeyStoreFile.seal(ring, passphrase: passphrase)
            try OutputFile.write([OutputFile(path: path, content: .secret(SecretBytes(sealed)))], force: true)
        }
        for (name, key) in shown { try show(name, key, action, on: console) }
        return 0
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
