#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif
import PatchCrypto

/// `verify`: says of each file whether it is a patch to be trusted, and why not.
enum VerifyCommand {
    static let verb = Verb(
        name: "verify", summary: "check signatures, contents and policy of envelopes",
        operands: "FILE... --trusted-key KEY (--script-key FILE | --signature-only)",
        operandValue: .file("FILE"), operandCount: 0...Int.max,
        options: [
            .trustedKey, .trustStore, .trustStorePin, .scriptKey, .storePassphraseEnv, .storePassphraseFile,
            .signatureOnly, .threshold, .require, .runningApp, .appVersion, .runningEngine, .floor, .time, .recursive,
            .filesFrom, .null,
            .jobs, .verifyFormat,
        ],
        example: "patchpack verify dist/*.js --trusted-key keys/trusted.pem --script-key keys/script.key",
        run: { (arguments, console) throws(PatchError) in try run(arguments, console) })

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let verification = try Verification(arguments)
        let format = arguments.value(of: .verifyFormat)?.text ?? "text"
        var seen: [String: Verification.FileResult] = [:]
        var failed: [Verification.FileResult] = []
        var cases: [ReportCase] = []
        let status = try inOrder(
            InputFiles.all(arguments, called: ".js"), jobs: Jobs.count(arguments), on: console,
            words: ("ok", "refused"), work: { verification.result(of: $0, keepingScripts: false) }
        ) { (result) throws(PatchError) in
            var result = result
            // An app would take one of them, and which one is chance. The same patch under other signatures is the same patch.
            if result.error == nil, let manifest = result.report.manifest {
                let patch = "\(manifest.id) \(manifest.version)"
                if let other = seen[patch], other.contents != result.contents {
                    result.error = .twice(patch, other.path)
                }
                seen[patch] = seen[patch] ?? result
            }
            switch format {
            case "sarif": if result.error != nil { failed.append(result) }
            case "junit", "tap": cases.append(result.reportCase)
            case "github":
                if let error = result.error {
                    let message = error.message + (error.hint.map { "; \($0)" } ?? "")
                    try console.line(Annotation.text("error", result.path, title: error.code.description, message))
                }
            default: try show(result, console)
            }
            return result.error
        }
        switch format {
        case "sarif": try console.raw(sarif(failed))
        case "junit": try console.raw(JUnit.text(cases))
        case "tap": try console.raw(TAP.text(cases))
        default: break
        }
        return status
    }

    private static func sarif(_ failed: [Verification.FileResult]) -> String {
        var codes: [String] = []
        let results = failed.compactMap { result in
            result.error.map { error in
                let code = error.code.description
                if !codes.contains(code) { codes.append(code) }
                let message = error.message + (error.hint.map { "; \($0)" } ?? "")
                return Sarif.Result(rule: code, level: "error", message: message, file: result.path)
            }
        }
        let rules = codes.map { Sarif.Rule(id: $0, meaning: "docs/cli.md has this verdict", level: "error") }
        return Sarif.text(rules, results)
    }

    private static func show(_ result: Verification.FileResult, _ console: Console) throws(PatchError) {
        guard console.format == .text else {
            return try console.json(.object(result.json(schema: "patchpack.verify/1")))
        }
        if let error = result.error {
            try console.line(.bad, "\(error.code)", "  \(result.path)")
            console.error(error.about(result.path))
        } else if !console.isQuiet {
            try console.line(.good, "ok", "  \(result.path)  \(result.summary)")
        }
    }
}

/// The system's clock.
enum SystemClock {
    /// - Throws: `config` where it stands before 1970 or behind the year 9999.
    static func now() throws(PatchError) -> Timestamp {
        guard let now = Timestamp(secondsSince1970: time(nil)) else {
            throw PatchError(.config, "this machine's clock is wrong", hint: "set the clock, or give --at TIME")
        }
        return now
    }
}

/// How many files to work on at a time.
enum Jobs {
    /// - Parameter defaultsToOne: Whether they work one after the other unless the option says otherwise.
    static func count(_ arguments: ParsedArguments, defaultsToOne: Bool = false) throws(PatchError) -> Int {
        try arguments.number(of: .jobs) ?? (defaultsToOne ? 1 : max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
    }
}

/// What `verify` and `unpack` ask of a file.
struct Verification: Sendable {
    let keys: KeyFiles
    let verifier: EnvelopeVerifier
    /// nil checks the signatures alone.
    let scriptKeys: ScriptKeyRing?

    /// Reads the options and the keys.
    init(_ arguments: ParsedArguments) throws(PatchError) {
        keys = try KeyFiles(arguments)
        let threshold = try arguments.number(of: .threshold) ?? 1
        let now = arguments.has(.time) ? try arguments.time(of: .time) : try SystemClock.now()
        let policy = Policy(
            time: now,
            app: try arguments.text(of: .runningApp),
            appVersion: try arguments.value(of: .appVersion, "a version such as 2.3.1", AppVersion.init),
            engine: try arguments.number(of: .runningEngine) ?? 1,
            floor: try arguments.number(of: .floor, atLeast: 0))
        guard let trustStore = try keys.trustStore() else {
            throw PatchError(
                .usage, "no trusted key",
                hint: "give --trusted-key FILE or --trust-store PATH, or set PATCHPACK_TRUSTED_KEY")
        }
        let signatureOnly = arguments.has(.signatureOnly)
        if signatureOnly {
            // What is asked of a patch is in its manifest, which is not opened.
            for option in [Option.scriptKey, .runningApp, .appVersion, .runningEngine, .floor]
            where arguments.has(option) {
                throw PatchError(.usage, "--\(option.name) and --signature-only exclude each other")
            }
        }
        scriptKeys = signatureOnly ? nil : try keys.scriptKeys()
        guard signatureOnly || scriptKeys != nil else {
            let instead =
                arguments.verb.options.contains { $0.name == Option.signatureOnly.name }
                ? ", or --signature-only" : ""
            throw PatchError(
                .usage, "no script key", hint: "give --script-key FILE, or set PATCHPACK_SCRIPT_KEY\(instead)")
        }
        verifier = try EnvelopeVerifier(
            trustStore: trustStore, threshold: threshold,
            requiredSigners: arguments.texts(of: .require).map {
                Set($0.split(separator: "|", omittingEmptySubsequences: false).map(String.init))
            }, policy: policy)
    }

    /// A file, and what its verification found.
    struct FileResult: Sendable {
        let path: Path
        var report = VerificationReport()
        var scripts: [Script] = []
        var signers: [KeyID] = []
        var error: PatchError?
        var isEmpty = false
        /// What two files with the same manifest and scripts have in common.
        var contents = 0
        let isSignatureOnly: Bool
    }

    /// Reads and verifies a file.
    ///
    /// - Parameter keepingScripts: Whether the scripts are of use; of many files, they are much to hold.
    func result(of path: Path, keepingScripts: Bool) -> FileResult {
        var result = FileResult(path: path, isSignatureOnly: scriptKeys == nil)
        let bytes: [UInt8]
        do {
            bytes = try InputFile.contents(of: path, limit: verifier.limits.envelopeSize)
        } catch {
            result.report = .failed(.read, error)
            result.error = error
            return result
        }
        result.isEmpty = bytes.isEmpty
        do {
            if let scriptKeys {
                let patch = try verifier.verify(consume bytes, scriptKeys: scriptKeys, report: &result.report).get()
                result.scripts = keepingScripts ? patch.scripts : []
                result.signers = patch.signers
                var hasher = Hasher()
                hasher.combine(patch.manifest.json.text())
                for script in patch.scripts { hasher.combine(script.bytes) }
                result.contents = hasher.finalize()
            } else {
                result.signers = try verifier.verifySignatures(consume bytes, report: &result.report).get()
            }
        } catch {
            result.error = error
            if error.code == .malformed, [.read, .split].contains(result.report.failedStage),
                !path.isStandardStream, FileInfo(path, following: true)?.isRegular == true,
                let again = try? InputFile.contents(of: path, limit: verifier.limits.envelopeSize),
                let guess = ForeignFile.guess(at: again)
            {
                result.error = PatchError(error.code, error.message, hint: "it looks like \(guess)")
            }
        }
        return result
    }
}

extension PatchError {
    /// An error for a patch that is there already.
    ///
    /// - Parameters:
    ///   - patch: Its id and version.
    ///   - other: The file that has it too.
    static func twice(_ patch: String, _ other: Path) -> PatchError {
        PatchError(
            .duplicate, "\(patch) is in \(other) too",
            hint: "give the newer one a higher @version, or the other one its own @patch")
    }
}

extension Verification.FileResult {
    /// The file among the cases of a report.
    fileprivate var reportCase: ReportCase {
        ReportCase(
            group: "patchpack verify", name: path.description, outcome: error == nil ? .passed : .failed,
            message: error.map { "\($0.code): \($0.message)" + ($0.hint.map { "\n\($0)" } ?? "") } ?? "",
            place: path.description)
    }

    /// What stands behind `ok`.
    var summary: String {
        let names = signers.map { signer in
            let line = report.signatures.first { $0.keyID == signer && $0.isValid }
            let name = line?.keyName.map { $0.isEmpty ? "" : "\($0), " } ?? ""
            return "\(signer) (\(name)\(line?.algorithm.rawValue ?? ""))"
        }
        let signed = "signed by \(names.joined(separator: ", "))"
        guard !isSignatureOnly, let manifest = report.manifest else { return "\(signed); signatures only" }
        return "\(manifest.id) \(manifest.version), \(signed)"
    }

    /// The code that clients of mPaaS report for the same fault; nil where all is well.
    var mpaasCode: Int? {
        guard let error else { return nil }
        if isEmpty { return 301 }
        switch error.code {
        case .decryptFailed: return 304
        case .digestMismatch: return 306
        default: return report.failedStage == .zip ? 305 : 300
        }
    }

    /// The members of a JSON line.
    func json(schema: String) -> [(key: String, value: JSONValue)] {
        let stages = report.stages.map { stage in
            let detail = stage.detail.map { [(key: "detail", value: JSONValue.string($0))] } ?? []
            return JSONValue.object(
                [("name", .string(stage.stage.rawValue)), ("status", .string(stage.status.rawValue))] + detail)
        }
        let signatures = report.signatures.map { signature in
            JSONValue.object([
                ("algorithm", .string(signature.algorithm.rawValue)), ("keyID", .string(signature.keyID.description)),
                ("trusted", .bool(signature.isTrusted)), ("valid", .bool(signature.isValid)),
                ("name", signature.keyName.map { $0.isEmpty ? .null : .string($0) } ?? .null),
                ("refusal", signature.refusal.map { .string($0) } ?? .null),
            ])
        }
        return [("schema", .string(schema)), ("file", .string(path.description))] + JSONValue.outcome(error) + [
            ("mpaasCode", mpaasCode.map { .integer($0) } ?? .null),
            ("depth", .string(isSignatureOnly ? "signature" : "full")),
            ("stages", .array(stages)),
            ("signatures", .array(signatures)),
            ("manifest", report.manifest?.json ?? .null),
            ("error", .error(error)),
        ]
    }
}
