import PatchCrypto
import PatchFiles

/// `diff`: shows the differences between two envelopes, or between an envelope and its source scripts.
enum DiffCommand {
    static let verb = Verb(
        name: "diff", summary: "compare the scripts of two envelopes, or of an envelope and a folder",
        operands: "OLD NEW (--trusted-key KEY | --unverified) --script-key FILE",
        operandValue: .file("FILE"), operandCount: 2...2,
        options: [.unverified] + Verification.options,
        example: "patchpack diff dist/cart-6.js dist/cart-7.js --unverified --script-key keys/script.key",
        run: run)

    /// One side of the comparison.
    private struct Side {
        let path: Path
        var manifest: Manifest?
        var scripts: [PatchScript]

        /// Compares a single script with the only script of an envelope, whatever its file name is.
        mutating func takeName(of other: Side) {
            guard manifest == nil, !path.isFolder, other.manifest != nil, other.scripts.count == 1 else { return }
            scripts = [PatchScript(name: other.scripts[0].name, bytes: scripts[0].bytes)]
        }
    }

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let reader = try EnvelopeReader(arguments)
        var old = try side(arguments.operands[0].path, reader)
        var new = try side(arguments.operands[1].path, reader)
        old.takeName(of: new)
        new.takeName(of: old)
        var (text, left) = ("", LineDiff.mostPairs)
        if let before = old.manifest, let after = new.manifest {
            text += LineDiff.text(
                "\(old.path) manifest", before.json.lines, "\(new.path) manifest", after.json.lines, left: &left)
        }
        for name in Set((old.scripts + new.scripts).map(\.name)).sorted() {
            func bytes(_ side: Side) -> [UInt8] { side.scripts.first { $0.name == name }?.bytes ?? [] }
            text += LineDiff.text("\(old.path) \(name)", bytes(old), "\(new.path) \(name)", bytes(new), left: &left)
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
        if path.isFolder {
            var scripts: [PatchScript] = []
            for (file, _) in try InputFiles.expanded([path], called: ".lua") {
                let name = file.components.dropFirst(path.components.count).map { Path(bytes: Array($0)).description }
                scripts.append(
                    PatchScript(
                        name: name.joined(separator: "/"), bytes: try ScriptInput.bytes(of: file)))
            }
            return Side(path: path, scripts: scripts)
        }
        if path.ends(in: ".lua") {
            let bytes = try ScriptInput.bytes(of: path)
            return Side(path: path, scripts: [PatchScript(name: path.name.description, bytes: bytes)])
        }
        let contents = try reader.contents(of: path)
        return Side(path: path, manifest: contents.manifest, scripts: contents.scripts)
    }
}
