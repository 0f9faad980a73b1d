import PatchCrypto
import PatchFiles
import PatchLint
import PatchRunner
import PatchText

/// The scripts of a patch, and what lint has found in them.
struct LintedPatch: Sendable {
    let entry: Path
    /// Its id and version; nil if one of them is missing.
    private(set) var label: String?
    /// The findings, and the files that they are in.
    private(set) var findings: [(finding: Finding, file: Path)] = []
    /// The entry's tags; nil if they cannot be read.
    private(set) var head: ScriptHead?
    /// The manifest that it would be packed with, or the error if it has none.
    private(set) var manifest: Result<Manifest, PatchError>
    private let entryText: SourceText
    /// The scripts by their names. Of two with one name, which no manifest allows, it has the first.
    private let sources: [String: (text: SourceText, file: Path)]

    /// Reads scripts, the entry first, and lints them.
    ///
    /// - Parameter given: The name of a script on standard input; nil for `stdin.lua`.
    /// - Throws: What ``ScriptFiles/scripts(_:onStandardInput:)`` throws.
    init(
        _ paths: [Path], _ fields: ManifestFields, _ interface: PatchInterface?, onStandardInput given: Path?
    ) throws(PatchError) {
        self.init(try ScriptFiles.scripts(paths, onStandardInput: given ?? Path("stdin.lua")), fields, interface)
    }

    /// Lints scripts.
    ///
    /// - Parameters:
    ///   - given: The scripts and their files, the entry first. There must be one.
    ///   - fields: The fields that take the place of tags.
    ///   - interface: Describes the app; nil if the app is not known.
    ///   - options: The required fields that an option of the verb can give.
    ///   - looksAtCode: Whether the code is checked, and not only the tags.
    init(
        _ given: [(script: PatchScript, file: Path)], _ fields: ManifestFields, _ interface: PatchInterface?,
        options: [Option] = [], looksAtCode: Bool = true
    ) {
        let scripts = given.map(\.script)
        let texts = scripts.map { SourceText($0.name, $0.bytes) }
        let text = texts[0]
        entry = given[0].file
        entryText = text
        sources = Dictionary(
            zip(texts, given).map { ($0.name, (text: $0, file: $1.file)) }, uniquingKeysWith: { first, _ in first })
        var found = texts.filter { !Manifest.Script.isName($0.name) }.map { wrong in
            wrong.finding(
                .fileName, line: 1, "\(wrong.name) cannot be a script's name", hint: Manifest.Script.nameRule)
        }
        // Wrong names have their own finding.
        let named = found.isEmpty ? scripts : [PatchScript(name: "main.lua", bytes: scripts[0].bytes)]
        do {
            let tags = try ScriptHead(of: scripts[0], at: entry)
            head = tags
            label = fields.patch(of: tags)
            for (tag, meant) in tags.doubtfulTags {
                found.append(
                    text.finding(
                        .unknownTag, line: text.firstLine(with: "@\(tag) ") ?? text.firstLine(with: "@\(tag)") ?? 1,
                        word: "@\(tag)", "the tag @\(tag) is unknown", hint: "did you mean @\(meant)?"))
            }
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
        findings = found.map { ($0, sources[$0.script]?.file ?? entry) }
    }

    /// A finding about the patch as a whole, at its tag `@patch`.
    func finding(_ code: Finding.Code, _ error: PatchError) -> Finding {
        let line = entryText.firstLine(with: "@patch") ?? 1
        return entryText.finding(code, line: line, word: "@patch", error.message, hint: error.hint)
    }

    /// The line of the source that a finding is about; empty if there is none.
    func line(of finding: Finding) -> String { sources[finding.script]?.text.line(finding.line) ?? "" }

    /// A script's name: its path below the entry's folder, or its file's name.
    static func name(of path: Path, beside entry: Path) -> String {
        let (above, all) = (entry.absoluteComponents.dropLast(), path.absoluteComponents)
        guard path != entry, all.starts(with: above), all.count > above.count else { return path.name.description }
        return all.dropFirst(above.count).map { Path(bytes: $0).description }.joined(separator: "/")
    }
}

extension PatchError {
    /// The error of a patch whose id and version another file has, too.
    static func twice(_ patch: String, _ other: Path) -> PatchError {
        PatchError(
            .duplicate, "\(patch) is also in \(other)",
            hint: "give the newer one a higher @version, or give one of them another @patch")
    }
}

extension ScriptHead {
    /// The tags that differ from a known tag by one typing mistake, and the known ones. A misspelt `@expires` would
    /// have no effect.
    var doubtfulTags: [(tag: String, meant: String)] {
        // No known tag is nearly as long, and a comparison with a long one takes time.
        otherTags.filter { $0.utf8.count <= 64 }.compactMap { tag in
            Tag.allCases.first { editDistance($0.rawValue, tag.lowercased()) <= 1 }.map { (tag, $0.rawValue) }
        }
    }
}
