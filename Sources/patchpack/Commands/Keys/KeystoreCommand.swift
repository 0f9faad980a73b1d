import PatchCrypto
import PatchFiles

enum KeystoreCommand {
    private static let passphrase: [Option] = [.passphraseEnv, .passphraseFile]

    static let verb = Verb(
        name: "keystore", summary: "keep named script keys in one file, encrypted with a passphrase",
        actions: [
            Verb(
                name: "keystore add", summary: "add script keys", operands: "STORE KEY...",
                operandValue: .file("FILE"), operandCount: 2...Int.max, options: [.name] + passphrase,
                example: "patchpack keystore add keys/script.store keys/script.key --name 2026", run: add),
            Verb(
                name: "keystore list", summary: "show the keys' names and ids", operands: "STORE",
                operandValue: .file("STORE"), operandCount: 1...1, options: passphrase,
                example: "patchpack keystore list keys/script.store", run: list),
            Verb(
                name: "keystore remove", summary: "remove keys", operands: "STORE NAME...",
                operandValue: .file("STORE"), operandCount: 2...Int.max, options: passphrase,
                example: "patchpack keystore remove keys/script.store 2024", run: remove),
            Verb(
                name: "keystore export", summary: "write a key to its own file, unencrypted",
                operands: "STORE NAME -o FILE", operandValue: .file("STORE"), operandCount: 2...2,
                options: [.outputFile, .force] + passphrase,
                example: "patchpack keystore export keys/script.store 2026 -o script.key", run: export),
            Verb(
                name: "keystore passphrase", summary: "change the passphrase", operands: "STORE",
                operandValue: .file("STORE"), operandCount: 1...1,
                options: [.newPassphraseEnv, .newPassphraseFile] + passphrase,
                example:
                    "patchpack keystore passphrase keys/script.store --passphrase-env OLD --new-passphrase-env NEW",
                run: changePassphrase),
        ])

    /// What is done with a key. JSON has the raw values.
    private enum Action: String {
        case add
        case list
        case remove
        case export
        case passphrase

        /// The word before the key's name; empty if it is only shown.
        var done: String {
            switch self {
            case .add: "added  "
            case .list: ""
            case .remove: "removed  "
            case .export: "exported  "
            case .passphrase: "kept  "
            }
        }
    }

    /// The store that the first operand names.
    private struct Store {
        /// Its file. A link is followed, so that it stays a link if the file is replaced.
        let path: Path
        let passphrase: SecretBytes

        /// - Parameters:
        ///   - inputs: The operands that are files, besides the store.
        ///   - mayBeNew: Whether the store is made if it does not exist.
        ///   - isEdited: Whether the store is written, so that it must be a file.
        /// - Throws: `usage` if it is `-`, or if several passphrases are given, `passphrase` if there is none, `io` if
        ///   it cannot be written, or its target is not known.
        init(
            _ arguments: ParsedArguments, reading inputs: [Path] = [], mayBeNew: Bool = false, isEdited: Bool = true
        ) throws(PatchError) {
            let given = arguments.operands[0].path
            guard !given.isStandardStream else { throw .usage("a key store must be a file, not -") }
            let passphrases = try KeyFiles(arguments, operands: [given] + inputs).passphrases
            path = try given.resolved()
            if isEdited { try OutputFile(path: path, content: .bytes([])).checkPlace(force: true) }
            let exists = try FileInfo.ifThere(path) != nil
            passphrase = try Passphrase.ofStore(given, given: passphrases, isNew: mayBeNew && !exists)
        }

        /// - Throws: `passphrase` if the passphrase is wrong, `no-input` or `config` if the file cannot be read.
        func keys() throws(PatchError) -> ScriptKeyRing {
            try KeyFile(KeyName(nil, path, from: "keystore")).ring(passphrase: passphrase)
        }

        /// Reads the keys, changes them, and writes them back.
        ///
        /// - Parameters:
        ///   - mustExist: Whether the store must be there already. Otherwise one that is missing has no keys yet.
        ///   - new: The passphrase to write them with; nil to keep the current one.
        func change(
            mustExist: Bool, passphrase new: SecretBytes? = nil,
            _ change: (inout ScriptKeyRing) throws(PatchError) -> Void
        ) throws(PatchError) {
            try Folder.whileLocked(around: [path]) { () throws(PatchError) in
                let exists = try FileInfo.ifThere(path) != nil
                var ring = exists || mustExist ? try keys() : ScriptKeyRing()
                try path.naming { () throws(PatchError) in try change(&ring) }
                let sealed = try KeyStoreFile.seal(ring, passphrase: new ?? passphrase)
                try OutputFile.write([OutputFile(path: path, content: .secret(SecretBytes(sealed)))], force: exists)
            }
        }
    }

    private static func add(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let others = arguments.operands.dropFirst().map(\.path)
        let store = try Store(arguments, reading: others, mayBeNew: true)
        let given = try arguments.text(of: .name)
        guard given == nil || others.count == 1 else {
            throw .usage("--name with several keys", hint: "add them one by one")
        }
        let newKeys = try others.map { (other) throws(PatchError) in
            let key = try KeyFile(KeyName(nil, other, from: "keystore add")).scriptKey()
            return (given ?? key.id.description, key)
        }
        try store.path.checkParent()
        try store.change(mustExist: false) { (ring) throws(PatchError) in
            for (name, key) in newKeys { try ring.add(key, named: name) }
        }
        for (name, key) in newKeys { try show(name, key, .add, on: console) }
    }

    private static func list(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        for (name, key) in try Store(arguments, isEdited: false).keys().keys {
            try show(name, key, .list, on: console)
        }
    }

    private static func remove(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let names = arguments.operands.dropFirst()
        var removed: [(name: String, key: ScriptKey)] = []
        try Store(arguments).change(mustExist: true) { (ring) throws(PatchError) in
            removed = ring.keys.filter { key in names.contains { $0.isText(key.name) } }
            for name in names { try ring.remove(name.text) }
        }
        for (name, key) in removed { try show(name, key, .remove, on: console) }
    }

    private static func changePassphrase(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let store = try Store(arguments)
        // A wrong passphrase must fail before a new one is asked for.
        _ = try store.keys()
        let new = try Passphrase.ofStore(
            arguments.operands[0].path,
            given: Passphrase.all(of: arguments, from: .newPassphraseEnv, or: .newPassphraseFile), isNew: true,
            called: "new passphrase")
        var keys: [(name: String, key: ScriptKey)] = []
        try store.change(mustExist: true, passphrase: new) { keys = $0.keys }
        for (name, key) in keys { try show(name, key, .passphrase, on: console) }
    }

    private static func export(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let name = arguments.operands[1].text
        let store = try Store(arguments, isEdited: false)
        // The second operand is a name.
        let output = try arguments.newFile(
            .outputFile, allowsStandardOutput: true, reading: [arguments.operands[0].path]
        ).needed("no output file", hint: "give -o FILE")
        guard let key = try store.keys().scriptKey(named: name) else {
            throw PatchError(.config, "no key named \(name) in the store", hint: "patchpack keystore list STORE")
        }
        guard !output.isStandardStream else {
            guard !StandardOutput.isTerminal else {
                throw .usage("-o - would show the key on the terminal", hint: "give -o FILE, or a pipe")
            }
            var bytes = key.encoded().unprotected
            defer { bytes.wipe() }
            try StandardOutput.write(bytes)
            return
        }
        let file = OutputFile(path: output, content: .secret(key.encoded()))
        try OutputFile.write([file], force: arguments.has(.force))
        console.warnOfReaders([file])
        try show(name, key, .export, on: console)
    }

    private static func show(
        _ name: String, _ key: ScriptKey, _ action: Action, on console: Console
    ) throws(PatchError) {
        try console.result(
            .report(
                "patchpack.keystore/1", nil,
                [("action", action.rawValue), ("name", name), ("suite", key.suite.rawValue), ("keyID", key.id)]),
            always: action == .list, "\(action.done)\(name)  \(key.suite.rawValue), id \(key.id)")
    }
}
