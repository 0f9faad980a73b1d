import PatchCrypto
import PatchFiles

enum VerifyCommand {
    static let verb = Verb(
        name: "verify", summary: "check signatures, contents and policy of envelopes",
        operands: "FILE... --trusted-key KEY (--script-key FILE | --signature-only)",
        operandValue: .file("FILE"), operandCount: 0...Int.max,
        options: [
            .trustedKey, .trustStore, .trustStorePin, .scriptKey, .passphraseEnv, .passphraseFile,
            .signatureOnly, .threshold, .require, .runningApp, .appVersion, .runningEngine, .minimumVersion, .time,
            .recursive, .filesFrom, .jobs, .verifyFormat,
        ],
        example: "patchpack verify dist/*.js --trusted-key keys/trusted.pem --script-key keys/script.key",
        run: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let paths = try InputFiles.placed(arguments, called: ".js").map(\.path)
        let verification = try Verification(arguments)
        let isJSON = console.format == .json
        var output = Output(format: arguments.resultFormat, console: console)
        var first: [PatchID: Verification.FileResult] = [:]
        try inOrder(paths, jobs: arguments.jobs(), on: console, words: ("ok", "refused")) {
            $0.map { verification.result(of: $0, keepingScripts: !$0.canBeReadAgain, hashingPayload: isJSON) }
        } show: { (result) throws(PatchError) in
            var result = result
            // An app would accept either file. The same patch with other signatures is still the same patch.
            if result.error == nil, let patch = result.report.manifest?.patch {
                if let other = first[patch] {
                    if !verification.haveSameContents(other, result) {
                        result.error = .twice("\(patch.id) \(patch.version)", other.path)
                    }
                } else {
                    first[patch] = result.comparable
                }
            }
            try output.add(result)
            return result.error
        }
        try output.finish()
    }

    /// What verify has found, and the printing of it.
    private struct Output {
        let format: ResultFormat
        let console: Console
        private var annotations: [Annotation] = []
        private var cases: [ReportCase] = []

        init(format: ResultFormat, console: Console) {
            self.format = format
            self.console = console
        }

        mutating func add(_ result: Verification.FileResult) throws(PatchError) {
            switch format {
            case .sarif: if let annotation = result.annotation { annotations.append(annotation) }
            case .junit: cases.append(result.reportCase)
            case .github: if let annotation = result.annotation { try console.annotation(annotation) }
            case .json: try console.json(result.json(schema: "patchpack.verify/1"))
            case .text, .tap: try show(result)
            }
        }

        private func show(_ result: Verification.FileResult) throws(PatchError) {
            if let error = result.error {
                try console.line(.bad, "\(error.code)", "  \(result.path)")
                console.error(error.about(result.path))
            } else if !console.isQuiet {
                try console.line(.good, "ok", "  \(result.path)  \(result.summary)")
            }
        }

        /// Prints what is one document.
        func finish() throws(PatchError) {
            switch format {
            case .sarif:
                var codes: Set<String> = []
                let rules = annotations.filter { codes.insert($0.title).inserted }.map {
                    Sarif.Rule(id: $0.title, meaning: "see this verdict in docs/cli.md", level: "error")
                }
                try console.sarif(rules, annotations)
            case .junit: try console.report(cases, as: JUnit.text)
            case .text, .json, .github, .tap: break
            }
        }
    }
}

extension Verification.FileResult {
    fileprivate var reportCase: ReportCase {
        var message = ""
        if let error {
            message = "\(error.code): \(error.message)"
            if let hint = error.shownHint { message += "\n\(hint)" }
        }
        return ReportCase(
            group: "patchpack verify", name: path.description, outcome: error == nil ? .passed : .failed,
            message: message, place: path.description)
    }

    fileprivate var annotation: Annotation? {
        guard let error else { return nil }
        let message = error.message + (error.shownHint.map { "; \($0)" } ?? "")
        return Annotation(level: "error", file: path, title: error.code.description, message: message)
    }
}
