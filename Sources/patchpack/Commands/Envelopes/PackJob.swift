import PatchCrypto
import PatchFiles
import PatchLint
import PatchRunner
import Synchronization

/// The packing of the scripts that a command line names.
struct PackJob: Sendable {
    /// One envelope to make.
    struct Unit: Sendable {
        /// The scripts and their names in the envelope, the entry first.
        let scripts: [(path: Path, name: String)]
        let output: Path
        /// The id and version in an entry script that was checked for duplicates; "" if it had none, nil if it was not
        /// checked.
        var patch: String?
        /// Why it is not packed; nil if it is.
        var fault: PatchError?
    }

    struct Result: Sendable {
        let unit: Unit
        var manifest: Manifest?
        /// The SHA-256 of the payload, which no signature changes.
        var payloadDigest: String?
        /// The size of the envelope in bytes.
        var size = 0
        /// Whether all of its signatures are `rsa-sha1`.
        var isForOldClients = false
        /// Whether its output already exists with the same bytes.
        var isUnchanged = false
        /// Whether it is not written because another one failed.
        var isHeldBack = false
        /// The file to write when all envelopes are good.
        var file: OutputFile?
        var warnings: [String] = []
        var error: PatchError?
    }

    let files: [InputFiles.Placed]
    /// The given keys, whose files no envelope may replace.
    let keys: KeyFiles
    let packer: EnvelopePacker
    /// The keys of all signers.
    let trustStore: TrustStore
    var commands: [SignatureCommand] = []
    let now: Timestamp
    /// The name of a script on standard input; nil if none is given.
    var standardInputName: Path?
    /// Whether all scripts are one envelope.
    var isBundle = false
    /// The folder below which scripts are named by their paths.
    var root: Path?
    /// An envelope, or the folder for envelopes; nil for the current folder.
    var destination: Path?
    /// The fields that take the place of tags.
    var fields = ManifestFields()
    var interface: PatchInterface?
    /// Whether the code is checked, and not only the tags.
    var lints = true
    var isDryRun = false
    var isAllOrNothing = false
    /// Whether an envelope replaces a lower version of the same patch, and whether it replaces any file.
    var upgrades = false, forces = false
    /// Whether the results are printed as JSON, with the SHA-256 of each payload.
    var printsJSON = false

    var writesToStandardOutput: Bool { destination?.isStandardStream == true }
    /// Several envelopes cannot have one id.
    var hasOneEnvelope: Bool { isBundle || files.count <= 1 }
    /// The options that can give a field which every patch needs.
    private var fieldOptions: [Option] { hasOneEnvelope ? [.id, .version, .app] : [.version, .app] }

    /// Makes envelopes, opens them as a verifier would, and writes the good ones, unless they are to be written later.
    func pack(_ units: [Unit]) -> [Result] {
        var results = units.map(seal)
        guard !isDryRun, !isAllOrNothing else { return results }
        // Files that may be upgrades are checked one by one. The others are written together.
        let together = results.indices.filter { index in
            guard let file = results[index].file else { return false }
            return !upgrades || FileInfo(file.path, following: false) == nil
        }
        let errors = OutputFile.writeEach(together.compactMap { results[$0].file }, replacing: { _ in forces })
        // A file that exists may be the same envelope by now, which `write` finds out.
        for (index, error) in zip(together, errors) where error?.code != .exists {
            results[index].error = error
            results[index].file = nil
        }
        for index in results.indices where results[index].file != nil {
            var alone = [results[index]]
            do throws(PatchError) {
                try write(&alone)
            } catch {
                alone[0].error = error
            }
            results[index] = alone[0]
            results[index].file = nil
        }
        return results
    }

    /// Makes one envelope, and opens it as a verifier would. It is written if it goes to standard output. Otherwise the
    /// result has the file to write.
    private func seal(_ unit: Unit) -> Result {
        var result = Result(unit: unit, error: unit.fault)
        guard result.error == nil else { return result }
        do {
            let scripts = try scripts(of: unit)
            if lints { try LuaLibrary.check() }
            let linted = LintedPatch(
                zip(scripts, unit.scripts).map { ($0, $1.path) }, fields, interface, options: fieldOptions,
                looksAtCode: lints)
            let manifest = try judged(linted, &result)
            if let head = linted.head { try check(head, isThatOf: unit) }
            if let end = manifest.expires, manifest.hasExpired(at: now) {
                result.warnings.append("\(unit.scripts[0].path): it has already expired, at \(end)")
            }
            var sealed = try packer.seal(manifest, scripts)
            for command in commands {
                try sealed.attach(try command.signature(of: sealed.payload), from: trustStore, at: now)
            }
            let envelope = try sealed.encoded()
            result.manifest = manifest
            result.size = envelope.count
            result.isForOldClients = sealed.algorithms == [.rsaSHA1]
            if printsJSON { result.payloadDigest = try MessageDigest.sha256.text(of: sealed.payload) }
            try check(envelope, scripts, signers: sealed.keyIDs.count)
            if !writesToStandardOutput {
                try place(envelope, of: manifest, &result)
            } else if !isDryRun {
                try StandardOutput.write(envelope)
            }
        } catch {
            result.error = error.about(unit.scripts[0].path)
        }
        return result
    }

    /// Notes in a result the file to write, unless it exists with the same bytes.
    ///
    /// - Throws: In a run that does not write the file at once, `exists` if it must not replace an existing file, `io`
    ///   if that is not a regular file.
    private func place(_ envelope: [UInt8], of manifest: Manifest, _ result: inout Result) throws(PatchError) {
        let output = result.unit.output
        guard !output.holds(envelope) else {
            result.isUnchanged = true
            return
        }
        result.file = OutputFile(path: output, content: .bytes(envelope))
        if forces, let refusal = refusal(of: manifest, at: output) {
            result.warnings.append("\(refusal.text); --force replaces it")
        }
        guard isDryRun || isAllOrNothing else { return }
        var alone = [result]
        try settle(&alone) { (results) throws(PatchError) in _ = try replaced(by: results) }
        result = alone[0]
    }

    /// Writes the envelopes that are not written yet: all of them or none.
    ///
    /// - Throws: `exists` if an envelope must not replace an existing file, `io` if writing fails.
    func write(_ results: inout [Result]) throws(PatchError) {
        guard !isDryRun else { return }
        try settle(&results) { (results) throws(PatchError) in
            let files = results.compactMap(\.file)
            guard upgrades, files.contains(where: { FileInfo($0.path, following: false) != nil }) else {
                return try OutputFile.write(files, force: forces)
            }
            // The checked file must be the one that is replaced, so other upgrades wait.
            try Self.upgrading.withLock { _ throws(PatchError) in
                try Folder.whileLocked(around: files.map(\.path)) { () throws(PatchError) in
                    let replaced = try replaced(by: results)
                    try OutputFile.write(files) { forces || replaced.contains($0) }
                }
            }
        }
        for index in results.indices { results[index].file = nil }
    }

    /// One thread upgrades at a time, so that no thread waits for a lock of its own process.
    private static let upgrading = Mutex(())

    /// Calls `body` again as long as another process has put the same envelopes in place. Those envelopes are
    /// unchanged.
    private func settle(_ results: inout [Result], _ body: ([Result]) throws(PatchError) -> Void) throws(PatchError) {
        while true {
            do throws(PatchError) {
                return try body(results)
            } catch {
                guard error.code == .exists else { throw error }
                var isFound = false
                for index in results.indices {
                    guard let file = results[index].file, case .bytes(let bytes) = file.content,
                        file.path.holds(bytes)
                    else { continue }
                    results[index].isUnchanged = true
                    results[index].file = nil
                    isFound = true
                }
                guard isFound else { throw error }
            }
        }
    }

    /// Checks that an entry script still has the id and version that it had in the check for duplicates. Its bytes are
    /// not kept until then.
    ///
    /// - Throws: `no-input` if it has others.
    private func check(_ head: ScriptHead, isThatOf unit: Unit) throws(PatchError) {
        guard let looked = unit.patch, !looked.isByteEqual(to: fields.patch(of: head) ?? "") else { return }
        throw PatchError(
            .noInput, "another id or version than when pack began: it was changed meanwhile", hint: "pack it again"
        ).about(unit.scripts[0].path)
    }

    /// The manifest of a patch without errors. Its warnings are added to the result.
    ///
    /// - Throws: The error of a patch without a manifest, otherwise `script` with the first finding that is an error.
    private func judged(_ linted: LintedPatch, _ result: inout Result) throws(PatchError) -> Manifest {
        var fault: PatchError?
        for (finding, file) in linted.findings {
            let text = "\(finding.message) [\(finding.code.rawValue)]"
            if finding.severity == .warning {
                let place = "\(file):\(finding.line):\(finding.column)"
                result.warnings.append("\(place): \(text)" + (finding.shownHint(of: file).map { "; \($0)" } ?? ""))
            } else if fault == nil {
                var hint = "fix it, or"
                if let own = finding.shownHint(of: file) { hint = own + (own.hasSuffix("?") ? " Or" : ", or") }
                fault = PatchError(
                    .script, text, hint: "\(hint) pack it anyway with --no-lint",
                    at: .init(file: file.description, line: finding.line))
            }
        }
        let manifest = try linted.manifest.get()
        if let fault { throw fault }
        return manifest
    }

    private func scripts(of unit: Unit) throws(PatchError) -> [PatchScript] {
        try unit.scripts.map { (path, name) throws(PatchError) in
            PatchScript(name: name, bytes: try ScriptFiles.bytes(of: path))
        }
    }

    /// Checks that the new envelope can be opened and holds the same scripts.
    ///
    /// The trust in its signers was checked before. The expiry is not checked.
    ///
    /// - Throws: The error of a verifier, `internal` if the scripts are others.
    private func check(_ envelope: [UInt8], _ scripts: [PatchScript], signers: Int) throws(PatchError) {
        let verifier = try EnvelopeVerifier(trustStore: trustStore, threshold: signers, policy: .unchecked)
        guard try verifier.verify(envelope, scriptKeys: packer.scriptKey).scripts == scripts else {
            throw PatchError(.internal, "the envelope does not hold the packed scripts", hint: "report this defect")
        }
    }
}

extension PackJob.Result {
    func json(_ job: PackJob) -> JSONValue {
        .report(
            "patchpack.pack/1",
            about: [
                ("file", unit.scripts.first?.path ?? unit.output),
                ("output", unit.fault == nil ? unit.output.json : .null),
            ], error,
            [
                ("written", error == nil && !job.isDryRun && !isUnchanged && !isHeldBack),
                ("unchanged", isUnchanged), ("warnings", warnings),
                ("payloadSHA256", payloadDigest), ("size", manifest.map { _ in size }), ("manifest", manifest),
            ])
    }
}
