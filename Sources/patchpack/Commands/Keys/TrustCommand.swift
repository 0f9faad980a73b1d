import PatchCrypto
import PatchFiles

enum TrustCommand {
    static let verb = Verb(
        name: "trust", summary: "edit, list or pin a file of trusted keys",
        actions: [
            Verb(
                name: "trust add", summary: "trust public keys", operands: "STORE KEY...",
                operandValue: .file("FILE"), operandCount: 2...Int.max, options: [.name, .notAfter],
                example: "patchpack trust add keys/trust.store keys/trusted.pem --name release-2026", run: add),
            Verb(
                name: "trust list", summary: "show the keys", operands: "STORE",
                operandValue: .file("STORE"), operandCount: 1...1, options: [],
                example: "patchpack trust list keys/trust.store", run: list),
            Verb(
                name: "trust revoke", summary: "stop trusting keys, but keep them listed",
                operands: "STORE NAME...", operandValue: .file("STORE"), operandCount: 2...Int.max, options: [],
                example: "patchpack trust revoke keys/trust.store release-2025", run: revoke),
            Verb(
                name: "trust remove", summary: "remove keys", operands: "STORE NAME...",
                operandValue: .file("STORE"), operandCount: 2...Int.max, options: [],
                example: "patchpack trust remove keys/trust.store release-2024", run: remove),
            Verb(
                name: "trust sign",
                summary: "sign the store with a key that signs envelopes, so that a feed can deliver its new keys",
                operands: "STORE --app NAME [--environment E] --signing-key KEY...", operandValue: .file("STORE"),
                operandCount: 1...1,
                options: [
                    .runningApp, .environment, .trustNumber, .signingKey, .passphraseEnv, .passphraseFile,
                    .allowUnsafePermissions,
                ],
                example:
                    "patchpack trust sign keys/trust.store --app com.example.shop --signing-key keys/offline/signing.pem",
                run: sign),
            Verb(
                name: "trust pin", summary: "print the digest to build into an app", operands: "STORE",
                operandValue: .file("STORE"), operandCount: 1...1, options: [],
                example: "patchpack trust pin keys/trust.store", run: pin),
        ])

    private static func add(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let others = arguments.operands.dropFirst()
        // Checks that at most one of the files is standard input.
        _ = try KeyFiles(arguments, operands: others.map(\.path))
        let path = try storeToEdit(arguments)
        let keys = try others.map { (other) throws(PatchError) in
            try newKey(KeyName(other, from: "trust add"), arguments, isOnly: others.count == 1)
        }
        try path.checkParent()
        try change(path, mustExist: false) { (store) throws(PatchError) in
            for key in keys { try store.add(key) }
        }
        for key in keys { try show(key, "added", on: console) }
    }

    private static func list(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let keys = try TrustFiles.store(at: arguments.operands[0].path, pinnedTo: nil).keys
        let width = keys.map { $0.name?.count ?? 0 }.max() ?? 0
        for key in keys { try show(key, "listed", padded: width, on: console) }
    }

    private static func revoke(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        try update(arguments, "revoked", on: console) { key in
            var key = key
            key.isRevoked = true
            return key
        }
    }

    private static func remove(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        try update(arguments, "removed", on: console) { _ in nil }
    }

    private static func sign(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let app = try arguments.runningApp().needed("no app", hint: "give --app NAME, such as com.example.shop")
        let environment = try arguments.environmentName()
        let keys = try KeyFiles(arguments, operands: []).signingKeys()
        guard !keys.isEmpty else {
            throw .usage("nothing to sign with", hint: "give --signing-key KEY: a key that the app has")
        }
        let path = try storeToEdit(arguments)
        try Folder.whileLocked(around: [path]) { () throws(PatchError) in
            let file = try TrustFiles.file(at: path)
            let signed = try path.naming { () throws(PatchError) in
                _ = try TrustStoreFile(file)
                var store = try SignedTrustStore(file)
                // What an editor has changed is another store, with a number of its own.
                let known = try TrustStore(decoding: file, rsaDefault: .rsaSHA1).keys.map(\.key)
                store.dropChangedSignatures(among: known + keys.map(\.verifyingKey))
                let label = SignedTrustStore.Label(
                    app: app, environment: environment,
                    number: try arguments.number(of: .trustNumber) ?? store.nextNumber(for: app, environment))
                for key in keys { try store.sign(with: key, as: label) }
                return store.encoded
            }
            try OutputFile.write(signed, to: path, force: true)
        }
        for key in keys {
            try show(TrustedKey(key.verifyingKey, name: key.verifyingKey.id.description), "signed", on: console)
        }
    }

    private static func pin(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let path = arguments.operands[0].path
        let file = try TrustFiles.file(at: path)
        // A file that is no trust store is not pinned.
        _ = try path.naming { () throws(PatchError) in try TrustStore(decoding: file, rsaDefault: .rsaSHA1) }
        let pin = try TrustStoreFile.pin(of: file)
        try console.result(
            .report("patchpack.trust/1", nil, [("action", "pinned"), ("file", path), ("pin", pin)]), always: true, pin)
    }

    /// The file of the store that the first operand names.
    ///
    /// - Throws: `usage` if it is `-`, `io` if it is not a regular file.
    private static func storeToEdit(_ arguments: ParsedArguments) throws(PatchError) -> Path {
        let path = arguments.operands[0].path
        guard !path.isStandardStream else { throw .usage("a store to edit must be a file, not -") }
        let file = try path.resolved()
        try OutputFile(path: file, content: .bytes([])).checkPlace(force: true)
        return file
    }

    /// Changes the keys that the operands name.
    ///
    /// - Parameters:
    ///   - action: The word to print for each key.
    ///   - change: Returns the new key; nil removes it.
    private static func update(
        _ arguments: ParsedArguments, _ action: String, on console: Console, _ change: (TrustedKey) -> TrustedKey?
    ) throws(PatchError) {
        var changed: [TrustedKey] = []
        try self.change(storeToEdit(arguments), mustExist: true) { (store) throws(PatchError) in
            for name in arguments.operands.dropFirst() {
                try store.update(name.text) { key in
                    let newKey = change(key)
                    changed.append(newKey ?? key)
                    return newKey
                }
            }
        }
        for key in changed { try show(key, action, on: console) }
    }

    /// Reads a store, changes it, and writes it back.
    ///
    /// - Parameter mustExist: Whether the store must be there already. Otherwise one that is missing has no keys yet.
    private static func change(
        _ path: Path, mustExist: Bool, _ change: (inout TrustStoreFile) throws(PatchError) -> Void
    ) throws(PatchError) {
        try Folder.whileLocked(around: [path]) { () throws(PatchError) in
            var store = TrustStoreFile()
            let exists = try FileInfo.ifThere(path) != nil
            if exists || mustExist {
                store = try path.naming { () throws(PatchError) in try TrustStoreFile(InputFile.small(path)) }
            }
            try path.naming { () throws(PatchError) in try change(&store) }
            try OutputFile.write(store.encoded(), to: path, force: exists)
        }
    }

    /// A key from a PEM file, named by `--name` or by its file name.
    private static func newKey(
        _ name: KeyName, _ arguments: ParsedArguments, isOnly: Bool
    ) throws(PatchError) -> TrustedKey {
        let given = try arguments.text(of: .name)
        guard given == nil || isOnly else { throw .usage("--name with several keys", hint: "add them one by one") }
        let file = name.path.name.description
        let stem = file.hasSuffix(".pem") ? String(file.dropLast(".pem".count)) : file
        return try TrustedKey(
            KeyFile(name).verifyingKey(), name: given ?? stem, expires: try arguments.time(of: .notAfter))
    }

    /// - Parameters:
    ///   - action: What was done with the key; `listed` if it is only shown.
    ///   - width: The number of characters that its name is padded to.
    private static func show(
        _ key: TrustedKey, _ action: String, padded width: Int = 0, on console: Console
    ) throws(PatchError) {
        let isListed = action == "listed"
        let done = isListed ? "" : "\(action)  "
        let name = key.name ?? ""
        let space = String(repeating: " ", count: max(0, width - name.count))
        let end = key.expires.map { ", until \($0)" } ?? ""
        let revoked = key.isRevoked ? ", revoked" : ""
        try console.result(
            .report(
                "patchpack.trust/1", nil,
                [
                    ("action", action), ("name", name), ("algorithm", key.key.algorithm.rawValue),
                    ("keyID", key.key.id), ("revoked", key.isRevoked), ("notAfter", key.expires),
                ]),
            always: isListed,
            "\(done)\(name)\(space)  \(key.key.algorithm.rawValue), id \(key.key.id)\(end)\(revoked)")
    }
}
