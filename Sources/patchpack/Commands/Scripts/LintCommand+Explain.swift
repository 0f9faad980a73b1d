import PatchCrypto
import PatchWorkbench

extension Option {
    static let explainCode = Option(
        name: "explain", help: "explain these codes with examples, or list all of them")
}

extension LintCommand {
    /// `lint --explain CODE`: prints a script that has the problem, and one that does not.
    static func explain(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let format = arguments.value(of: .lintFormat)?.text ?? "text"
        guard ["text", "json"].contains(format) else {
            throw PatchError(.usage, "--explain has no format \(format)", hint: "use text or json")
        }
        let all = Finding.Code.allCases
        let codes = try arguments.operands.map { (word) throws(PatchError) in
            guard let code = all.first(where: { word.isText($0.rawValue) }) else {
                throw PatchError.unknown(
                    "code", word.text, known: all.map(\.rawValue), help: "patchpack lint --explain lists them")
            }
            return code
        }
        let sorted = all.sorted { $0.rawValue < $1.rawValue }
        for code in codes.isEmpty ? sorted : codes {
            if format == "json" {
                try console.json(code.explanation)
            } else if codes.isEmpty {
                try console.line(
                    code.severity == .error ? .bad : .faint, code.rawValue, ": \(code.severity), \(code.meaning)")
            } else {
                try explain(code, console)
            }
        }
        return 0
    }

    private static func explain(_ code: Finding.Code, _ console: Console) throws(PatchError) {
        try console.line(.bad, code.rawValue, " (\(code.severity)): \(code.meaning)")
        let (wrong, right) = code.examples
        for (word, style, example) in [("wrong", Console.Style.bad, wrong), ("right", .good, right)] {
            try console.line("")
            try console.line(style, word, ": \(example.sentence)")
            for file in example.files {
                if example.files.count > 1 || file.bytes == nil || code == .fileName {
                    try console.line("  \(file.name):")
                }
                try show(file.shown.split(separator: "\n", omittingEmptySubsequences: false).dropLast(), console)
            }
        }
        let offered = LintExample.offered(in: wrong.files.map(\.shown).joined())
        if !offered.isEmpty {
            try console.line("")
            try console.line(.faint, "the app", ":")
            try show(offered.map { $0[...] }, console)
        }
        try console.line("")
    }

    private static func show(_ lines: some Sequence<Substring>, _ console: Console) throws(PatchError) {
        for line in lines { try console.line(line.isEmpty ? "" : "    \(line)") }
    }
}

extension Finding.Code {
    /// The explanation as an object of `patchpack.lint-code/1`.
    fileprivate var explanation: JSONValue {
        func json(_ example: LintExample) -> JSONValue {
            .object([
                ("text", .string(example.files.map(\.shown).joined(separator: "\n"))),
                ("sentence", .string(example.sentence)),
            ])
        }
        let (wrong, right) = examples
        return .object([
            ("schema", .string("patchpack.lint-code/1")), ("code", .string(rawValue)),
            ("severity", .string(severity.rawValue)), ("meaning", .string(meaning)), ("wrong", json(wrong)),
            ("right", json(right)),
        ])
    }
}
