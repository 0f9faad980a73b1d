import PatchCrypto
import PatchFiles

/// How a verb verifies envelopes: the keys and the policy that the options give.
struct Verification: Sendable {
    /// The options of a verb that verifies a file before using it.
    static let options: [Option] = [
        .trustedKey, .trustStore, .trustStorePin, .scriptKey, .passphraseEnv, .passphraseFile, .threshold,
        .require, .runningApp, .appVersion, .runningEngine, .minimumVersion, .time,
    ]

    let keys: KeyFiles
    let verifier: EnvelopeVerifier
    /// The script keys; nil checks only the signatures.
    let scriptKeys: ScriptKeyRing?

    /// - Parameter keys: The keys of the same command line, if they have been read. A passphrase in a pipe is read only
    ///   once.
    /// - Throws: `usage` if a key is missing or an option is wrong, and the error of a key or trust store.
    init(_ arguments: ParsedArguments, keys: KeyFiles? = nil) throws(PatchError) {
        if let keys { self.keys = keys } else { self.keys = try KeyFiles(arguments) }
        let threshold = try arguments.number(of: .threshold) ?? 1
        var policy = VerificationPolicy.unchecked
        policy.time = arguments.has(.time) ? try arguments.time(of: .time) : try SystemClock.now()
        policy.app = try arguments.text(of: .runningApp)
        policy.appVersion = try arguments.appVersion()
        policy.engineLevel = try arguments.number(of: .runningEngine) ?? 1
        policy.minimumVersion = try arguments.number(of: .minimumVersion, atLeast: 0)
        let trustStore = try self.keys.trustStore().needed(
            "no trusted key", hint: "give --trusted-key FILE or --trust-store PATH, or set PATCHPACK_TRUSTED_KEY")
        if arguments.has(.signatureOnly) {
            // These options concern the manifest, which is not opened.
            let others = [Option.scriptKey, .runningApp, .appVersion, .runningEngine, .minimumVersion].filter(
                arguments.has)
            guard others.isEmpty else {
                let names = others.map { "--\($0.name)" }.joined(separator: ", ")
                throw .usage(
                    "--signature-only cannot be used with \(names)",
                    hint: "without it, the manifest is opened and compared too")
            }
            scriptKeys = nil
        } else {
            let instead = arguments.takes(.signatureOnly) ? ", or --signature-only" : ""
            scriptKeys = try self.keys.scriptKeys().needed(
                "no script key", hint: "give --script-key FILE, or set PATCHPACK_SCRIPT_KEY\(instead)")
        }
        verifier = try EnvelopeVerifier(
            trustStore: trustStore, threshold: threshold,
            requiredSigners: arguments.texts(of: .require).map {
                Set($0.split(separator: "|", omittingEmptySubsequences: false).map(String.init))
            }, policy: policy, limits: EnvelopeLimits())
    }

    /// Whether two good files have the same contents, even if their scripts are encrypted or hashed with other
    /// algorithms. The result of a file that can be read only once has to have its scripts.
    func haveSameContents(_ one: FileResult, _ other: FileResult) -> Bool {
        if one.contentsHash == other.contentsHash { return true }
        let patches = [one, other].map { file in
            file.path.canBeReadAgain ? result(of: file.path, keepingScripts: true) : file
        }
        guard let first = patches[0].report.manifest, let second = patches[1].report.manifest,
            patches.allSatisfy({ $0.error == nil })
        else { return false }
        return first.encoded() == second.encoded() && patches[0].scripts == patches[1].scripts
    }

    struct FileResult: Sendable {
        let path: Path
        var report = VerificationReport()
        var scripts: [PatchScript] = []
        /// The bytes that were verified, if they are kept.
        var envelope: [UInt8] = []
        /// The SHA-256 of the payload, if it was requested and the signatures are good.
        var payloadDigest: String?
        var error: PatchError?
        /// Whether the file has no bytes.
        var isEmpty = false
        /// A hash of the manifest and the scripts' digests; 0 if the file is not good, or if only signatures are
        /// checked. Within a suite it is the same for two files with the same contents.
        var contentsHash = 0
        let isSignatureOnly: Bool

        /// What a comparison with another file needs of it.
        var comparable: FileResult {
            guard path.canBeReadAgain else { return self }
            var result = FileResult(path: path, isSignatureOnly: isSignatureOnly)
            result.contentsHash = contentsHash
            return result
        }
    }

    /// Verifies a file.
    ///
    /// - Parameter keepingScripts: Whether to keep the scripts. The scripts of many files take much memory.
    func result(
        of path: Path, keepingScripts: Bool, keepingEnvelope: Bool = false, hashingPayload: Bool = false
    ) -> FileResult {
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
        if keepingEnvelope { result.envelope = bytes }
        let kept = hashingPayload ? bytes : []
        result.report =
            if let scriptKeys {
                verifier.report(on: consume bytes, scriptKeys: scriptKeys)
            } else {
                verifier.reportSignatures(on: consume bytes)
            }
        if let patch = result.report.patch {
            result.scripts = keepingScripts ? patch.scripts : []
            var hasher = Hasher()
            for member in patch.unsealed {
                hasher.combine(member.count)
                unsafe member.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
            }
            result.contentsHash = hasher.finalize()
            result.report.patch = nil  // it has the scripts, too
        }
        if let error = result.report.error {
            let isSplit = ![.read, .split].contains(result.report.failedStage)
            result.error = explained(error, of: path, isSplit: isSplit)
        }
        if hashingPayload, result.report.stages.contains(where: { $0.stage == .signature && $0.status == .passed }) {
            result.payloadDigest = try? UnverifiedEnvelope(kept).payloadDigest()
        }
        return result
    }

    /// An error, with a guess at what the file is, or how it was converted, if there is one.
    ///
    /// - Parameter isSplit: Whether the file has the layers of an envelope.
    private func explained(_ error: PatchError, of path: Path, isSplit: Bool) -> PatchError {
        let isOtherFile = error.code == .malformed && !isSplit
        guard isOtherFile || error.code == .badSignature, path.canBeReadAgain,
            let bytes = try? InputFile.contents(of: path, limit: verifier.limits.envelopeSize),
            let guess = isSplit ? FileKind.converted(bytes) : FileKind.guess(from: bytes)
        else { return error }
        return error.hinting("it looks like \(guess)")
    }
}

extension Verification.FileResult {
    /// A line on a good file: its patch, and who signed it.
    var summary: String {
        let names = report.signers.map { signer in
            let line = report.signatures.first { $0.keyID == signer && $0.isValid }
            let name = line?.keyName.map { "\($0), " } ?? ""
            return "\(signer) (\(name)\(line?.algorithm.rawValue ?? ""))"
        }
        let signed = "signed by \(names.joined(separator: ", "))"
        guard !isSignatureOnly, let manifest = report.manifest else { return "\(signed); signatures only" }
        return "\(manifest.id) \(manifest.version), \(signed)"
    }

    /// The code that mPaaS clients report for this fault; nil if there is no error.
    var mpaasCode: Int? {
        guard let error else { return nil }
        if isEmpty { return 301 }
        switch error.code {
        case .decryptFailed: return 304
        case .digestMismatch: return 306
        default: return report.failedStage == .zip ? 305 : 300
        }
    }

    func json(schema: String, _ members: JSONMembers = []) -> JSONValue {
        let stages = report.stages.map { stage in
            let detail: JSONMembers = stage.detail.map { [("detail", $0)] } ?? []
            return JSONValue([("name", stage.stage.rawValue), ("status", stage.status.word)] + detail)
        }
        let signatures = report.signatures.map { signature in
            JSONValue([
                ("algorithm", signature.algorithm.rawValue), ("keyID", signature.keyID),
                ("trusted", signature.isTrusted), ("valid", signature.isValid),
                ("name", signature.keyName), ("refusal", signature.refusal),
            ])
        }
        return .report(
            schema, about: [("file", path)], error,
            [
                ("mpaasCode", mpaasCode), ("depth", isSignatureOnly ? "signature" : "full"),
                ("payloadSHA256", payloadDigest), ("stages", stages), ("signatures", signatures),
                ("manifest", report.manifest),
            ] + members)
    }
}
