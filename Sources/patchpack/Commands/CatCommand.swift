import PatchCrypto

/// `cat`: prints the scripts of an envelope.
enum CatCommand {
    static let verb = Verb(
        name: "cat", summary: "verify an envelope and print its scripts",
        operands: "FILE [NAME.lua...] (--trusted-key KEY | --unverified) --script-key FILE",
        operandValue: .file("FILE"), operandCount: 1...Int.max,
        options: [
            .unverified, .manifest, .trustedKey, .trustStore, .trustStorePin, .scriptKey, .storePassphraseEnv,
            .storePassphraseFile, .threshold, .require, .runningApp, .appVersion, .runningEngine, .floor, .time,
        ],
        example: "patchpack cat dist/cart.js --trusted-key keys/trusted.pem --script-key keys/script.key",
        run: { (arguments, console) throws(PatchError) in try run(arguments, console) })

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let path = arguments.operands[0].path
        let contents = try EnvelopeReader(arguments).contents(of: path)
        var scripts = contents.scripts
        let names = arguments.operands.dropFirst()
        if !names.isEmpty {
            scripts = []
            for name in names {
                guard let script = contents.scripts.first(where: { name.isText($0.name) }) else {
                    throw PatchError(
                        .noInput, "\(path): it holds no \(name.text)",
                        hint: "it holds \(contents.scripts.map(\.name).joined(separator: ", "))")
                }
                scripts.append(script)
            }
        }
        guard console.format == .text else {
            for script in scripts {
                try console.json(
                    .object(
                        [
                            ("schema", .string("patchpack.cat/1")), ("file", .string(path.description)),
                            ("name", .string(script.name)), ("verified", .bool(!arguments.has(.unverified))),
                            ("text", .string(String(decoding: script.bytes, as: UTF8.self))),
                        ] + (arguments.has(.manifest) ? [("manifest", contents.manifest.json)] : [])))
            }
            return 0
        }
        if arguments.has(.manifest) {
            for line in contents.manifest.json.lines.split(separator: 0x0A) {
                try console.raw("-- \(escaped(String(decoding: line, as: UTF8.self)))\n")
            }
        }
        for (index, script) in scripts.enumerated() {
            // As head and tail do.
            if scripts.count > 1 { try console.raw("\(index == 0 ? "" : "\n")==> \(script.name) <==\n") }
            guard StandardOutput.isTerminal else {
                try StandardOutput.write(script.bytes)
                continue
            }
            // A terminal would obey what an unverified file says.
            for line in script.bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
                try console.raw(escaped(String(decoding: line, as: UTF8.self)) + "\n")
            }
        }
        return 0
    }
}

/// `diff`: shows what two envelopes, or an envelope and the scripts that it was made of, differ in.
enum DiffCommand {
    static let verb = Verb(
        name: "diff", summary: "show how the scripts of two envelopes, or of an envelope and a folder, differ",
        operands: "OLD NEW (--trusted-key KEY | --unverified) --script-key FILE",
        operandValue: .file("FILE"), operandCount: 2...2,
        options: [
            .unverified, .trustedKey, .trustStore, .trustStorePin, .scriptKey, .storePassphraseEnv,
            .storePassphraseFile, .threshold, .require, .runningApp, .appVersion, .runningEngine, .floor, .time,
        ],
        example: "patchpack diff dist/cart-6.js dist/cart-7.js --unverified --script-key keys/script.key",
        run: { (arguments, console) throws(PatchError) in try run(arguments, console) })

    /// What one side holds.
    private struct Side {
        let path: Path
        var manifest: Manifest?
        var scripts: [Script]

        /// A single script is compared with the only one of an envelope, whatever its file is called.
        mutating func takeName(of other: Side) {
            guard manifest == nil, !path.isFolder, other.manifest != nil, other.scripts.count == 1 else { return }
            scripts = [Script(name: other.scripts[0].name, bytes: scripts[0].bytes)]
        }
    }

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let reader = try EnvelopeReader(arguments)
        var old = try side(arguments.operands[0].path, reader)
        var new = try side(arguments.operands[1].path, reader)
        old.takeName(of: new)
        new.takeName(of: old)
        var text = ""
        if let before = old.manifest, let after = new.manifest {
            text += LineDiff.text(
                "\(old.path) manifest", before.json.lines, "\(new.path) manifest", after.json.lines)
        }
        for name in Set((old.scripts + new.scripts).map(\.name)).sorted() {
            func bytes(_ side: Side) -> [UInt8] { side.scripts.first { $0.name == name }?.bytes ?? [] }
            text += LineDiff.text("\(old.path) \(name)", bytes(old), "\(new.path) \(name)", bytes(new))
        }
        if console.format == .json {
            try console.json(
                .object([
                    ("schema", .string("patchpack.diff/1")), ("old", .string(old.path.description)),
                    ("new", .string(new.path.description)), ("equal", .bool(text.isEmpty)), ("diff", .string(text)),
                ]))
        } else if !console.isQuiet {
            try console.raw(text)
        }
        return text.isEmpty ? 0 : 1
    }

    private static func side(_ path: Path, _ reader: EnvelopeReader) throws(PatchError) -> Side {
        let limit = Limits().scriptSize
        if path.isFolder {
            var scripts: [Script] = []
            for file in try InputFiles.expanded([path], called: ".lua") {
                let name = file.components.dropFirst(path.components.count).map { Path(bytes: Array($0)).description }
                scripts.append(
                    Script(name: name.joined(separator: "/"), bytes: try InputFile.contents(of: file, limit: limit)))
            }
            return Side(path: path, scripts: scripts)
        }
        if path.bytes.suffix(4).elementsEqual(".lua".utf8) {
            let bytes = try InputFile.contents(of: path, limit: limit)
            return Side(path: path, scripts: [Script(name: path.name.description, bytes: bytes)])
        }
        let contents = try reader.contents(of: path)
        return Side(path: path, manifest: contents.manifest, scripts: contents.scripts)
    }
}

extension Option {
    static let manifest = Option(name: "manifest", help: "print the manifest too, as comments before the scripts")
    static let unverified = Option(
        name: "unverified", help: "look into envelopes without checking who signed them")
}

/// Opens envelopes for people: verified ones, or any if the command line says so.
private struct EnvelopeReader {
    private let verification: Verification?
    private let scriptKeys: ScriptKeyRing?

    init(_ arguments: ParsedArguments) throws(PatchError) {
        guard arguments.has(.unverified) else {
            verification = try Verification(arguments)
            scriptKeys = nil
            return
        }
        verification = nil
        scriptKeys = try KeyFiles(arguments).scriptKeys()
        guard scriptKeys != nil else {
            throw PatchError(.usage, "no script key", hint: "give --script-key FILE, or set PATCHPACK_SCRIPT_KEY")
        }
    }

    func contents(of path: Path) throws(PatchError) -> (manifest: Manifest, scripts: [Script]) {
        if let verification {
            let result = verification.result(of: path, keepingScripts: true)
            if let error = result.error { throw error.about(path) }
            guard let manifest = result.report.manifest else {
                throw PatchError(.internal, "\(path): no manifest", hint: "report this defect")
            }
            return (manifest, result.scripts)
        }
        return try path.naming { () throws(PatchError) in
            let envelope = try UnverifiedEnvelope(InputFile.contents(of: path, limit: Limits().envelopeSize))
            guard let scriptKeys else { throw PatchError(.internal, "no script key", hint: "report this defect") }
            let contents = try envelope.contents(scriptKeys: scriptKeys)
            return (contents.manifest, contents.scripts)
        }
    }
}
