import PatchCrypto
import PatchFiles

/// `trust`: edits and shows files of trusted keys.
enum TrustCommand {
    private static let actions = ["add", "list", "revoke", "remove", "pin"]

    static let verb = Verb(
        name: "trust", summary: "edit, list or pin a file of trusted keys",
        operands: "add STORE KEY... | list STORE | revoke STORE NAME... | remove STORE NAME... | pin STORE",
        operandValue: .choice("ACTION", actions), actions: actions, operandCount: 2...Int.max,
        options: [.name, .notAfter],
        example: "patchpack trust add keys/trust.store keys/trusted.pem --name release-2026",
        run: { (arguments, console) throws(PatchError) in try run(arguments, console) })

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let action = arguments.operands[0].text
        let path = arguments.operands[1].path
        let others = arguments.operands.dropFirst(2)
        guard ["list", "pin"].contains(action) == others.isEmpty else {
            throw PatchError(
                .usage, "trust \(action): wrong number of arguments", hint: "patchpack trust \(verb.operands)")
        }
        guard action == "add" || !arguments.has(.name) && !arguments.has(.notAfter) else {
            throw PatchError(.usage, "--name and --not-after go with trust add")
        }
        switch action {
        case "list":
            let keys = try TrustFiles.store(at: path, pinnedTo: nil).keys
            let width = keys.map(\.name.count).max() ?? 0
            for key in keys { try show(key, "listed", padded: width, on: console) }
        case "pin":
            let file = try TrustFiles.file(at: path)
            _ = try path.naming { () throws(PatchError) in try TrustStore(contentsOf: file) }
            try showPin(TrustStoreFile.pin(of: file), of: path, on: console)
        default: try edit(action, path, Array(others), arguments, console)
        }
        return 0
    }

    private static func edit(
        _ action: String, _ path: Path, _ others: [Argument], _ arguments: ParsedArguments, _ console: Console
    ) throws(PatchError) {
        guard !path.isStandardStream else { throw PatchError(.usage, "a store to edit is a file") }
        _ = try KeyFiles(arguments, operands: action == "add" ? others.map(\.path) : [])
        let path = try path.resolved()
        var newKeys: [TrustedKey] = []
        if action == "add" {
            for other in others {
                let name = KeyName(other, from: "trust add")
                newKeys.append(try newKey(name, arguments, isOnly: others.count == 1))
            }
            try Folder.make(path.parent)
        }
        let changed = try Folder.whileLocked(around: path) { () throws(PatchError) in
            try change(action, path, adding: newKeys, others)
        }
        let done = ["add": "added", "revoke": "revoked", "remove": "removed"][action] ?? action
        for key in changed { try show(key, done, on: console) }
    }

    /// Reads the store, changes it and writes it again; gives the keys concerned.
    private static func change(
        _ action: String, _ path: Path, adding newKeys: [TrustedKey], _ others: [Argument]
    ) throws(PatchError) -> [TrustedKey] {
        var store = try TrustFiles.editable(at: path, mustExist: action != "add")
        var changed = newKeys
        for key in newKeys { try store.add(key) }
        if action != "add" {
            for other in others {
                try store.update(other.text) { key in
                    var key = key
                    key.isRevoked = key.isRevoked || action == "revoke"
                    changed.append(key)
                    return action == "remove" ? nil : key
                }
            }
        }
        try OutputFile.write([OutputFile(path: path, content: .bytes(store.encoded()))], force: true)
        return changed
    }

    /// A key from a PEM file, called as the options say, or as its file.
    private static func newKey(
        _ name: KeyName, _ arguments: ParsedArguments, isOnly: Bool
    ) throws(PatchError) -> TrustedKey {
        let given = try arguments.text(of: .name)
        guard given == nil || isOnly else {
            throw PatchError(.usage, "--name with several keys", hint: "add them one by one")
        }
        let file = name.path.name.description
        let stem = file.hasSuffix(".pem") ? String(file.dropLast(4)) : file
        return try TrustedKey(
            KeyFile(name).verifyingKey(), name: given ?? stem, notAfter: try arguments.time(of: .notAfter))
    }

    private static func show(
        _ key: TrustedKey, _ action: String, padded width: Int = 0, on console: Console
    ) throws(PatchError) {
        if console.format == .json {
            try console.json(
                .object(
                    [("schema", .string("patchpack.trust/1"))] + JSONValue.outcome(nil) + [
                        ("action", .string(action)), ("name", .string(key.name)),
                        ("algorithm", .string(key.key.algorithm.rawValue)), ("keyID", .string(key.key.id.description)),
                        ("revoked", .bool(key.isRevoked)),
                        ("notAfter", key.notAfter.map { .string($0.description) } ?? .null), ("error", .null),
                    ]))
        } else if !console.isQuiet || action == "listed" {
            let end = key.notAfter.map { ", until \($0)" } ?? ""
            let space = String(repeating: " ", count: max(0, width - key.name.count))
            let text =
                "\(key.name)\(space)  \(key.key.algorithm.rawValue), id \(key.key.id)\(end)\(key.isRevoked ? ", revoked" : "")"
            try console.line(action == "listed" ? text : "\(action)  \(text)")
        }
    }

    private static func showPin(_ pin: String, of path: Path, on console: Console) throws(PatchError) {
        guard console.format == .json else { return try console.line(pin) }
        try console.json(
            .object(
                [("schema", .string("patchpack.trust/1"))] + JSONValue.outcome(nil) + [
                    ("action", .string("pinned")), ("file", .string(path.description)), ("pin", .string(pin)),
                    ("error", .null),
                ]))
    }
}
