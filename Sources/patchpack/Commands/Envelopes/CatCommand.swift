import PatchCrypto
import PatchFiles

enum CatCommand {
    static let verb = Verb(
        name: "cat", summary: "verify an envelope and print its scripts",
        operands: "FILE [NAME.lua...] (--trusted-key KEY | --unverified) --script-key FILE",
        operandValue: .file("FILE"), operandCount: 1...Int.max,
        options: [.unverified, .manifest] + Verification.options,
        example: "patchpack cat dist/cart.js --trusted-key keys/trusted.pem --script-key keys/script.key",
        run: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let path = arguments.operands[0].path
        let contents = try contents(of: path, arguments)
        let names = arguments.operands.dropFirst()
        var scripts = contents.scripts
        if !names.isEmpty {
            scripts = try path.naming { () throws(PatchError) in
                try Self.scripts(called: names, among: contents.scripts)
            }
        }
        guard console.format == .text else {
            for script in scripts {
                let members: JSONMembers = [
                    ("file", path), ("name", script.name), ("verified", !arguments.has(.unverified)),
                    ("text", String(decoding: script.bytes, as: UTF8.self)),
                ]
                let manifest: JSONMembers = arguments.has(.manifest) ? [("manifest", contents.manifest)] : []
                try console.json(.object("patchpack.cat/1", members + manifest))
            }
            return
        }
        if arguments.has(.manifest) {
            for (key, value) in contents.manifest.json.members {
                try console.raw("-- \(escaped("\(key): \(value.text())"))\n")
            }
        }
        for (index, script) in scripts.enumerated() {
            // The same headings as in `head` and `tail`.
            if scripts.count > 1 { try console.raw("\(index == 0 ? "" : "\n")==> \(script.name) <==\n") }
            guard StandardOutput.isTerminal else {
                try StandardOutput.write(script.bytes)
                continue
            }
            // A terminal would obey escape sequences in an unverified file.
            for line in script.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
                try console.raw(escaped(String(decoding: line, as: UTF8.self)) + "\n")
            }
        }
    }

    /// The scripts with some names, in the order of the names.
    ///
    /// - Throws: `no-input` if there is no script of a name.
    private static func scripts(
        called names: ArraySlice<Argument>, among scripts: [PatchScript]
    ) throws(PatchError) -> [PatchScript] {
        try names.map { (name) throws(PatchError) in
            if let script = scripts.first(where: { name.isText($0.name) }) { return script }
            throw PatchError(
                .noInput, "does not contain \(name.text)",
                hint: "it contains \(scripts.map(\.name).joined(separator: ", "))")
        }
    }

    /// The manifest and the scripts of an envelope. It is verified first, unless `--unverified` is given.
    ///
    /// - Throws: The error of an envelope that is not good; `usage` if a key is missing, or if `--unverified` is given
    ///   with an option of the verification.
    private static func contents(
        of path: Path, _ arguments: ParsedArguments
    ) throws(PatchError) -> (manifest: Manifest, scripts: [PatchScript]) {
        guard arguments.has(.unverified) else {
            let result = try Verification(arguments).result(of: path, keepingScripts: true)
            if let error = result.error { throw error.about(path) }
            guard let manifest = result.report.manifest else { throw PatchError(.internal, "no manifest").about(path) }
            return (manifest, result.scripts)
        }
        // They are about signatures and a device, to which nothing is compared here.
        let others = Verification.options.filter { option in
            arguments.has(option) && ![Option.scriptKey, .passphraseEnv, .passphraseFile].contains { $0 === option }
        }
        guard others.isEmpty else {
            let names = others.map { "--\($0.name)" }.joined(separator: ", ")
            throw .usage("--unverified cannot be used with \(names)", hint: "without it, the envelope is verified")
        }
        let scriptKeys = try KeyFiles(arguments).scriptKeys().needed(
            "no script key", hint: "give --script-key FILE, or set PATCHPACK_SCRIPT_KEY")
        return try path.naming { () throws(PatchError) in
            let envelope = try UnverifiedEnvelope(InputFile.contents(of: path, limit: EnvelopeLimits().envelopeSize))
            let contents = try envelope.contents(scriptKeys: scriptKeys)
            return (contents.manifest, contents.scripts)
        }
    }
}

extension Option {
    static let unverified = Option("unverified", "open the envelope without checking who signed it")
    static let manifest = Option("manifest", "print the manifest too, as comments before the scripts")
}
