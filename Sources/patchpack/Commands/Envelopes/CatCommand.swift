import PatchCrypto
import PatchFiles

/// `cat`: prints the scripts of an envelope.
enum CatCommand {
    static let verb = Verb(
        name: "cat", summary: "verify an envelope and print its scripts",
        operands: "FILE [NAME.lua...] (--trusted-key KEY | --unverified) --script-key FILE",
        operandValue: .file("FILE"), operandCount: 1...Int.max,
        options: [.unverified, .manifest] + Verification.options,
        example: "patchpack cat dist/cart.js --trusted-key keys/trusted.pem --script-key keys/script.key",
        run: run)

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
                        .noInput, "does not contain \(name.text)",
                        hint: "it contains \(contents.scripts.map(\.name).joined(separator: ", "))"
                    ).about(path)
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
            // The same headings as in `head` and `tail`.
            if scripts.count > 1 { try console.raw("\(index == 0 ? "" : "\n")==> \(script.name) <==\n") }
            guard StandardOutput.isTerminal else {
                try StandardOutput.write(script.bytes)
                continue
            }
            // A terminal would obey escape sequences in an unverified file.
            for line in script.bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
                try console.raw(escaped(String(decoding: line, as: UTF8.self)) + "\n")
            }
        }
        return 0
    }
}

extension Option {
    static let manifest = Option(name: "manifest", help: "print the manifest too, as comments before the scripts")
}
