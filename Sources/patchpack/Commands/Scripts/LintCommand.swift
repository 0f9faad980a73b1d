import PatchCrypto
import PatchFiles
import PatchLint
import PatchRunner

enum LintCommand {
    static let verb = Verb(
        name: "lint", summary: "find mistakes that would make a patch fail (see docs/lint.md)",
        operands: "SCRIPT.lua... [--interface FILE]", operandValue: .file("SCRIPT.lua"), operandCount: 0...Int.max,
        options: [.interface, .bundle, .strict, .recursive, .filesFrom, .jobs, .stdinFilename, .lintFormat],
        example: "patchpack lint patches/*.lua --interface interface.json",
        run: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        try LuaLibrary.check()
        let interface = try InterfaceFile.fromOptions(arguments)
        let fields = try ManifestFields(arguments)
        let paths = try InputFiles.placed(arguments, called: ".lua").map(\.path)
        let patches = arguments.has(.bundle) && !paths.isEmpty ? [paths] : paths.map { [$0] }
        let given = try ScriptFiles.name(arguments)
        var output = Output(
            format: arguments.resultFormat, isStrict: arguments.has(.strict), console: console)
        try deliverInOrder(patches, jobs: arguments.jobs()) { patches in
            patches.map { files in
                let linted = Result { () throws(PatchError) in
                    try LintedPatch(files, fields, interface, onStandardInput: given)
                }
                return (files[0], linted)
            }
        } deliver: { (path, result) throws(PatchError) in
            switch result {
            case .success(let patch): try output.add(patch)
            case .failure(let error): try output.add(error, at: path)
            }
        }
        if output.format == .sarif { try output.printSarif() }
        if patches.count != 1 || !output.all.isEmpty { output.printCounts(of: paths.count) }
    }

    /// What lint has found, and the printing of it.
    private struct Output {
        let format: ResultFormat
        /// Whether warnings count as errors.
        let isStrict: Bool
        let console: Console
        /// The findings so far.
        private(set) var all: [(finding: Finding, file: Path)] = []
        /// The entries of the patches, by their names and versions.
        private var entries: [String: Path] = [:]

        init(format: ResultFormat, isStrict: Bool, console: Console) {
            self.format = format
            self.isStrict = isStrict
            self.console = console
        }

        mutating func add(_ patch: LintedPatch) throws(PatchError) {
            var findings = patch.findings
            if let label = patch.label {
                if let other = entries[label] {
                    findings.append((patch.finding(.duplicate, PatchError.twice(label, other)), patch.entry))
                } else {
                    entries[label] = patch.entry
                }
            }
            all += findings
            for (finding, file) in findings { try print(finding, in: file, patch.line(of: finding)) }
            if findings.contains(where: { isFailure($0.finding) }) { console.fail(.script) }
            if format == .text, findings.isEmpty, !console.isQuiet {
                try console.line(.good, "ok", "  \(patch.entry)")
            }
        }

        /// Adds the error of a file that cannot be read.
        mutating func add(_ error: PatchError, at path: Path) throws(PatchError) {
            if format == .text || format == .json { console.error(error) }
            if format == .json { try console.json(.failure(error, file: path)) }
            let text = SourceText(path.description, [])
            let finding = text.finding(.unreadable, line: 1, error.message, hint: error.hint)
            all.append((finding, path))
            if format == .github { try print(finding, in: path, "") }
            console.fail(error.code)
        }

        /// Whether a finding is a failure of the run.
        private func isFailure(_ finding: Finding) -> Bool { isStrict || finding.severity == .error }

        /// Prints a finding, unless the format is one document at the end.
        ///
        /// - Parameter line: The line of the source that it is about.
        private func print(_ finding: Finding, in file: Path, _ line: String) throws(PatchError) {
            switch format {
            case .json: try console.json(finding.json(file))
            case .github: try console.annotation(finding.annotation(on: file, finding.region))
            case .sarif: break
            case .text, .junit, .tap:
                if isFailure(finding) || !console.isQuiet { try show(finding, in: file, line, console) }
            }
        }

        func printSarif() throws(PatchError) {
            let rules = Finding.Code.allCases.map {
                Sarif.Rule(id: $0.rawValue, meaning: $0.meaning, level: $0.severity.rawValue)
            }
            let results = all.map { finding, file in
                finding.annotation(on: file, finding.code == .unreadable ? nil : finding.region)
            }
            try console.sarif(rules, results)
        }

        func printCounts(of files: Int) {
            let errors = all.count { $0.finding.severity == .error }
            let warnings = all.count - errors
            console.note(
                "\(errors.counting("error")), \(warnings.counting("warning")) in \(files.counting("file"))")
        }
    }

    /// How many characters of a line are shown.
    private static let longestShown = 160

    /// Prints a finding, the line that it is about with a mark below, and its hint.
    static func show(_ finding: Finding, in file: Path, _ text: String, _ console: Console) throws(PatchError) {
        try console.line(
            .bad, finding.severity.rawValue,
            "  \(file):\(finding.line):\(finding.column): \(finding.message) [\(finding.code.rawValue)]")
        let margin = String(repeating: " ", count: max(0, 5 - "\(finding.line)".count)) + "\(finding.line)"
        // Only the part around the finding is shown of a long line.
        let from = max(0, finding.column - 1 - longestShown / 2)
        let scalars = text.unicodeScalars.dropFirst(from).prefix(longestShown)
        // A tab is shown as one space, so that the caret is in the right place.
        let shown = String(String.UnicodeScalarView(scalars.map { $0 == "\t" ? " " : $0 }))
        try console.line("\(margin) | \(shown)")
        func columns(_ part: some Sequence<Unicode.Scalar>) -> Int { part.reduce(0) { $0 + $1.columns } }
        let column = finding.column - 1 - from
        let space = columns(shown.unicodeScalars.prefix(column))
        let length = max(1, columns(shown.unicodeScalars.dropFirst(column).prefix(finding.length)))
        try console.line("      | " + String(repeating: " ", count: space) + String(repeating: "^", count: length))
        if let hint = finding.shownHint(of: file) { try console.line("      = \(hint)") }
    }
}

extension Finding {
    fileprivate func json(_ file: Path) -> JSONValue {
        .object(
            "patchpack.lint/1",
            [
                ("file", file), ("code", code.rawValue), ("severity", severity.rawValue), ("line", line),
                ("column", column), ("length", length), ("message", message), ("hint", shownHint(of: file)),
            ])
    }

    /// The hint to show: the finding's own, otherwise one in terms of the command line.
    func shownHint(of file: Path) -> String? {
        hint ?? (code == .spec ? "run it with the patch that it is for: patchpack test PATCH.lua --spec \(file)" : nil)
    }

    fileprivate var region: Sarif.Region { Sarif.Region(line: line, column: column, length: length) }

    fileprivate func annotation(on file: Path, _ region: Sarif.Region?) -> Annotation {
        Annotation(
            level: severity.rawValue, file: file, title: code.rawValue, region: region,
            message: message + (shownHint(of: file).map { "; \($0)" } ?? ""))
    }
}
