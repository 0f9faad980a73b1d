import PatchCrypto
import PatchFiles
import PatchLint
import PatchRunner
import PatchText

struct LintedPatch: Sendable {
    let entry: Path
    /// Its id and version, if it has them.
    private(set) var version: String?
    private(set) var findings: [(finding: Finding, file: Path)] = []
    /// The scripts, the entry first, and their files.
    let scripts: [(script: PatchScript, file: Path)]
    /// The entry's tags; nil if they cannot be read.
    private(set) var head: ScriptHead?
    /// The manifest that it would be packed with, or the error if it has none.
    private(set) var manifest: Result<Manifest, PatchError>
    private let texts: [String: SourceText]

    /// Reads scripts, the entry first, and lints them.
    ///
    /// - Throws: What ``ScriptFiles/scripts(_:onStandardInput:)`` throws.
    init(
        _ paths: [Path], _ fields: ManifestFields, _ interface: PatchInterface?, onStandardInput given: Path?
    ) throws(PatchError) {
        self.init(try ScriptFiles.scripts(paths, onStandardInput: given ?? Path("stdin.lua")), fields, interface)
    }

    /// - Parameters:
    ///   - options: The required fields that an option of the verb can give.
    ///   - looksAtCode: Whether the code is checked, and not only the tags.
    init(
        _ given: [(script: PatchScript, file: Path)], _ fields: ManifestFields, _ interface: PatchInterface?,
        options: [Option] = [], looksAtCode: Bool = true
    ) {
        entry = given[0].file
        self.scripts = given
        let scripts = given.map(\.script)
        let all = scripts.map { SourceText($0.name, $0.bytes) }
        let text = all[0]
        texts = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var found: [Finding] = []
        for script in all where !Manifest.Script.isName(script.name) {
            found.append(
                script.finding(
                    .fileName, line: 1, "\(script.name) cannot be a script's name", hint: Manifest.Script.nameRule))
        }
        do {
            let tags = try ScriptHead(of: scripts[0], at: entry)
            head = tags
            version = fields.patch(of: tags)
            for (tag, meant) in tags.doubtfulTags {
                found.append(
                    text.finding(
                        .unknownTag, line: text.firstLine(with: "@\(tag) ") ?? text.firstLine(with: "@\(tag)") ?? 1,
                        word: "@\(tag)", "the tag @\(tag) is unknown", hint: "did you mean @\(meant)?"))
            }
            // Wrong names have their own finding.
            let named =
                found.contains { $0.code == .fileName }
                ? [PatchScript(name: "main.lua", bytes: scripts[0].bytes)] : scripts
            let manifest = try fields.manifest(for: named, head: tags, from: entry, options: options)
            self.manifest = .success(manifest)
            if looksAtCode, let refusal = interface?.refusal(of: manifest) {
                found.append(text.finding(.tags, line: tags.line(of: "app") ?? 1, word: manifest.app, refusal))
            }
        } catch {
            manifest = .failure(error)
            found.append(text.finding(.tags, line: error.place?.line ?? 1, error.message, hint: error.hint))
        }
        // Scripts above the limit of an envelope are not checked. The finding about the tags reports the limit.
        if looksAtCode, scripts.count <= EnvelopeLimits().scriptCount {
            let replaces = fields.replaces ?? head?.replaces ?? []
            found += Linter.findings(in: scripts, replaces: replaces, interface: interface, head: head)
        }
        // A spec has no tags.
        if found.contains(where: { $0.code == .spec }) { found.removeAll { $0.code != .spec } }
        let files = Dictionary(given.map { ($0.script.name, $0.file) }, uniquingKeysWith: { _, last in last })
        findings = found.map { ($0, files[$0.script] ?? entry) }
    }

    /// A finding about the patch as a whole, at its tag `@patch`.
    func finding(_ code: Finding.Code, _ error: PatchError) -> Finding {
        let text = texts[scripts[0].script.name] ?? SourceText("", [])
        return text.finding(
            code, line: text.firstLine(with: "@patch") ?? 1, word: "@patch", error.message, hint: error.hint)
    }

    func line(of finding: Finding) -> String { texts[finding.script]?.line(finding.line) ?? "" }

    /// A script's name: its path below the entry's folder, or its file's name.
    static func name(of path: Path, beside entry: Path) -> String {
        let (above, all) = (entry.absoluteComponents.dropLast(), path.absoluteComponents)
        guard path != entry, all.starts(with: above), all.count > above.count else { return path.name.description }
        return all.dropFirst(above.count).map { Path(bytes: $0).description }.joined(separator: "/")
    }
}

extension PatchError {
    static func twice(_ patch: String, _ other: Path) -> PatchError {
        PatchError(
            .duplicate, "\(patch) is also in \(other)",
            hint: "give the newer one a higher @version, or give one of them another @patch")
    }
}

extension ScriptHead {
    /// Tags that differ from a known tag by one typing mistake. A misspelt `@expires` would have no effect.
    var doubtfulTags: [(tag: String, meant: String)] {
        // A longer tag differs by more than one letter.
        otherTags.filter { $0.utf8.count <= 64 }.compactMap { tag in
            Tag.allCases.first { editDistance($0.rawValue, tag.lowercased()) <= 1 }.map { (tag, $0.rawValue) }
        }
    }
}
