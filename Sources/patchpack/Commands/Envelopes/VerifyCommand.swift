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
        let format = arguments.value(of: .verifyFormat)?.text ?? "text"
        let isJSON = console.format == .json
        var seen: [String: (path: Path, contents: Int)] = [:]
        var failed: [Annotation] = []
        var cases: [ReportCase] = []
        try inOrder(paths, jobs: arguments.jobs(), on: console, words: ("ok", "refused")) {
            $0.map { verification.result(of: $0, keepingScripts: false, hashingPayload: isJSON) }
        } show: { (result) throws(PatchError) in
            var result = result
            // An app would accept either file. The same patch with other signatures is still the same patch.
            if result.error == nil, let manifest = result.report.manifest {
                let patch = "\(manifest.id) \(manifest.version)"
                if let other = seen[patch], other.contents != result.contents,
                    !verification.haveSameContents(other.path, result.path)
                {
                    result.error = .twice(patch, other.path)
                }
                seen[patch] = seen[patch] ?? (result.path, result.contents)
            }
            switch format {
            case "sarif": if let annotation = result.annotation { failed.append(annotation) }
            case "junit": cases.append(result.reportCase)
            case "github": if let annotation = result.annotation { try console.annotation(annotation) }
            default: try show(result, console)
            }
            return result.error
        }
        switch format {
        case "sarif":
            var codes: Set<String> = []
            let rules = failed.filter { codes.insert($0.title).inserted }.map {
                Sarif.Rule(id: $0.title, meaning: "see this verdict in docs/cli.md", level: "error")
            }
            try console.sarif(rules, failed)
        case "junit": try console.report(cases, as: JUnit.text)
        default: break
        }
    }

    private static func show(_ result: Verification.FileResult, _ console: Console) throws(PatchError) {
        guard console.format == .text else {
            return try console.json(result.json(schema: "patchpack.verify/1"))
        }
        if let error = result.error {
            try console.line(.bad, "\(error.code)", "  \(result.path)")
            console.error(error.about(result.path))
        } else if !console.isQuiet {
            try console.line(.good, "ok", "  \(result.path)  \(result.summary)")
        }
    }
}

extension Verification.FileResult {
    fileprivate var reportCase: ReportCase {
        ReportCase(
            group: "patchpack verify", name: path.description, outcome: error == nil ? .passed : .failed,
            message: error.map { "\($0.code): \($0.message)" + ($0.hint.map { "\n\($0)" } ?? "") } ?? "",
            place: path.description)
    }

    fileprivate var annotation: Annotation? {
        error.map { error in
            let message = error.message + (error.hint.map { "; \($0)" } ?? "")
            return Annotation(level: "error", file: path, title: error.code.description, message: message)
        }
    }
}
