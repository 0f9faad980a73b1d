import PatchCrypto
import PatchRunner

/// `lint`: looks at scripts before they ship.
enum LintCommand {
    static let verb = Verb(
        name: "lint", summary: "look for what would make a patch fail, before it ships",
        operands: "SCRIPT.lua... [--interface FILE]", operandValue: .file("SCRIPT.lua"), operandCount: 1...Int.max,
        options: [.interface, .bundle, .lintFormat],
        example: "patchpack lint patches/*.lua --interface interface.json",
        run: { (arguments, console) throws(PatchError) in try run(arguments, console) })

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let interface = try InterfaceCommand.given(arguments)
        let fields = try ManifestFields(arguments)
        let paths = arguments.operands.map(\.path)
        let patches = arguments.has(.bundle) ? [paths] : paths.map { [$0] }
        let format = arguments.value(of: .lintFormat)?.text ?? "text"
        var all: [(finding: Finding, file: Path)] = []
        var firstFault: PatchError?
        for patch in patches {
            do {
                let patch = try LintedPatch(patch, fields, interface)
                all += patch.findings
                for (finding, file) in patch.findings {
                    switch format {
                    case "json": try console.json(finding.json(file))
                    case "github": try console.line(finding.annotation(file))
                    case "sarif": break
                    default:
                        if finding.severity == .error || !console.isQuiet {
                            try show(finding, in: file, patch.line(of: finding), console)
                        }
                    }
                }
                if format == "text", patch.findings.isEmpty, !console.isQuiet {
                    try console.line(.good, "ok", "  \(patch.entry)")
                }
            } catch {
                console.error(error)
                if format == "json" { try console.json(.failure(error)) }
                firstFault = firstFault ?? error
            }
        }
        if format == "sarif" { try console.raw(Sarif.text(of: all)) }
        if let firstFault { return firstFault.code.exitStatus }
        return all.contains { $0.finding.severity == .error } ? PatchError.Code.script.exitStatus : 0
    }

    /// Prints a finding with its line and a caret.
    static func show(_ finding: Finding, in file: Path, _ text: String, _ console: Console) throws(PatchError) {
        try console.line(
            .bad, finding.severity.rawValue,
            "  \(file):\(finding.line):\(finding.column): \(finding.message) [\(finding.code.rawValue)]")
        let margin = String(repeating: " ", count: max(0, 5 - "\(finding.line)".count)) + "\(finding.line)"
        // A tab stays one, so that the caret stands below what it means.
        let before = String(text.unicodeScalars.prefix(finding.column - 1)).map { $0 == "\t" ? "\t" : " " }.joined()
        try console.line("\(margin) | \(text.replacingTabs)")
        try console.line(
            "      | \(before.replacingTabs)" + String(repeating: "^", count: min(finding.length, max(1, text.count))))
        if let hint = finding.hint { try console.line("      = \(hint)") }
    }
}

/// A patch of some files, and what was found in it.
struct LintedPatch {
    let entry: Path
    private(set) var findings: [(finding: Finding, file: Path)] = []
    private let texts: [String: SourceText]

    /// Reads scripts, the entry first, and looks at them.
    ///
    /// - Throws: `no-input` or `io` where one cannot be read.
    init(_ paths: [Path], _ fields: ManifestFields, _ interface: PatchInterface?) throws(PatchError) {
        entry = paths[0]
        var scripts: [Script] = []
        var files: [String: Path] = [:]
        for path in paths {
            let name = Self.name(of: path, beside: paths[0])
            scripts.append(Script(name: name, bytes: try InputFile.contents(of: path, limit: Limits().scriptSize)))
            files[name] = path
        }
        texts = Dictionary(
            scripts.map { ($0.name, SourceText($0.name, $0.bytes)) }, uniquingKeysWith: { first, _ in first })
        let text = SourceText(scripts[0].name, scripts[0].bytes)
        var found: [Finding] = []
        var replaces: [String] = []
        do {
            let head = try fields.head(of: scripts[0], at: paths[0])
            replaces = head.replaces
            for (tag, meant) in head.doubtfulTags {
                found.append(
                    text.finding(
                        .unknownTag, line: text.firstLine(with: "@\(tag)") ?? 1, word: "@\(tag)",
                        "the tag @\(tag) is unknown", hint: "did you mean @\(meant)?"))
            }
            let manifest = try fields.manifest(for: scripts, head: head, from: paths[0])
            if let refusal = interface?.refusal(of: manifest) {
                found.append(text.finding(.tags, line: text.firstLine(with: "@app") ?? 1, word: manifest.app, refusal))
            }
        } catch {
            let message = error.message.dropping(prefix: "\(paths[0]): ")
            let tag = ScriptHead.Tag.allCases.first { message.contains($0.rawValue) }
            let line = tag.flatMap { text.firstLine(with: "@\($0.rawValue)") } ?? 1
            found.append(text.finding(.tags, line: line, message, hint: error.hint))
        }
        found += PatchLint.findings(in: scripts, replaces: replaces, interface: interface)
        findings = found.map { ($0, files[$0.script] ?? paths[0]) }
    }

    /// The line of source that a finding is about.
    func line(of finding: Finding) -> String { texts[finding.script]?.line(finding.line) ?? "" }

    /// A script's name: its path below the entry's folder, or its file's name.
    static func name(of path: Path, beside entry: Path) -> String {
        let (above, all) = (entry.parent.components, path.components)
        guard path != entry, all.starts(with: above), all.count > above.count else { return path.name.description }
        return all.dropFirst(above.count).map { Path(bytes: Array($0)).description }.joined(separator: "/")
    }
}

extension Finding {
    /// The finding as an object of `patchpack.lint/1`.
    fileprivate func json(_ file: Path) -> JSONValue {
        .object([
            ("schema", .string("patchpack.lint/1")), ("file", .string(file.description)),
            ("code", .string(code.rawValue)), ("severity", .string(severity.rawValue)), ("line", .integer(line)),
            ("column", .integer(column)), ("length", .integer(length)), ("message", .string(message)),
            ("hint", hint.map(JSONValue.string) ?? .null),
        ])
    }

    /// The finding as GitHub Actions shows it beside the line.
    fileprivate func annotation(_ file: Path) -> String {
        func escaped(_ text: String, _ characters: String) -> String {
            text.unicodeScalars.map { scalar in
                characters.unicodeScalars.contains(scalar)
                    ? "%" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16, uppercase: true)
                    : String(scalar)
            }.joined()
        }
        let text = escaped(message + (hint.map { "; \($0)" } ?? ""), "%\r\n")
        return
            "::\(severity.rawValue) file=\(escaped(file.description, "%\r\n:,")),line=\(line),col=\(column),title=\(code.rawValue)::\(text)"
    }
}

/// SARIF 2.1.0: what GitHub and editors read.
private enum Sarif {
    static func text(of findings: [(finding: Finding, file: Path)]) -> String {
        let rules: [JSONValue] = Finding.Code.allCases.map { code in
            .object([
                ("id", .string(code.rawValue)),
                ("shortDescription", .object([("text", .string(code.meaning))])),
                ("defaultConfiguration", .object([("level", .string(code.severity.rawValue))])),
            ])
        }
        let results: [JSONValue] = findings.map { finding, file in
            let region: JSONValue = .object([
                ("startLine", .integer(finding.line)), ("startColumn", .integer(finding.column)),
                ("endColumn", .integer(finding.column + finding.length)),
            ])
            let place: JSONValue = .object([
                ("artifactLocation", .object([("uri", .string(uri(file)))])), ("region", region),
            ])
            let message = finding.message + (finding.hint.map { "; \($0)" } ?? "")
            return .object([
                ("ruleId", .string(finding.code.rawValue)), ("level", .string(finding.severity.rawValue)),
                ("message", .object([("text", .string(message))])),
                ("locations", .array([.object([("physicalLocation", place)])])),
            ])
        }
        let driver: JSONValue = .object([
            ("name", .string("patchpack")), ("version", .string(toolVersion)), ("rules", .array(rules)),
        ])
        let run: JSONValue = .object([
            ("tool", .object([("driver", driver)])), ("columnKind", .string("unicodeCodePoints")),
            ("results", .array(results)),
        ])
        return JSONValue.object([
            ("$schema", .string("https://json.schemastore.org/sarif-2.1.0.json")), ("version", .string("2.1.0")),
            ("runs", .array([run])),
        ]).text(escaping: isUnprintable) + "\n"
    }

    /// A path as a URI reference.
    private static func uri(_ path: Path) -> String {
        path.bytes.map { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}

extension String {
    /// The text with a space for each tab: a caret below it stands where it should.
    fileprivate var replacingTabs: String { map { $0 == "\t" ? " " : String($0) }.joined() }

    func dropping(prefix: String) -> String { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self }
}
