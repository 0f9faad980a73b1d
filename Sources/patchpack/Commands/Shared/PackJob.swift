import PatchCrypto
import PatchFiles
import PatchLint
import PatchRunner
import Synchronization

/// One run of `pack`: the settings for all of its envelopes.
struct PackJob: Sendable {
    /// An envelope to make.
    struct Unit: Sendable {
        /// The scripts and their names in the envelope, the entry first.
        let scripts: [(path: Path, name: String)]
        let output: Path
        /// The id and version in an entry script that was checked for duplicates; "" if it had none, nil if it was not checked.
        var patch: String?
        /// The reason that it cannot be made.
        var fault: PatchError?
    }

    /// The result of making an envelope.
    struct Result: Sendable {
        let unit: Unit
        var manifest: Manifest?
        /// The SHA-256 of the payload, which no signature changes.
        var payloadDigest: String?
        var size = 0
        /// Whether all of its signatures are `rsa-sha1`.
        var isForOldClients = false
        /// Whether its output already exists with the same bytes.
        var isUnchanged = false
        /// Whether it is not written because another one failed.
        var isHeldBack = false
        /// The file to write when all envelopes are good.
        var file: OutputFile?
        /// Problems that do not prevent packing.
        var warnings: [String] = []
        var error: PatchError?
    }

    private let arguments: ParsedArguments
    private let files: [InputFiles.Placed]
    private let keys: KeyFiles
    private let packer: EnvelopePacker
    private let commands: [SignatureCommand]
    private let trustStore: TrustStore
    private let now: Timestamp
    private let fields: ManifestFields
    private let interface: PatchInterface?
    let isDryRun: Bool
    var writesToStandardOutput: Bool { arguments.value(of: .output)?.path.isStandardStream == true }

    init(_ arguments: ParsedArguments) throws(PatchError) {
        self.arguments = arguments
        isDryRun = arguments.has(.dryRun)
        fields = try ManifestFields(arguments)
        interface = try InterfaceFile.fromOptions(arguments)
        files = try InputFiles.placed(arguments, called: ".lua")
        keys = try KeyFiles(arguments, operands: files.map(\.path))
        let signingKeys = try keys.signingKeys()
        commands = try SignatureCommand.all(arguments)
        guard !signingKeys.isEmpty || !commands.isEmpty else {
            throw PatchError(.usage, "no signing key", hint: "give --signing-key FILE, or set PATCHPACK_SIGNING_KEY")
        }
        guard let scriptKey = try keys.scriptKey() else {
            throw PatchError(.usage, "no script key", hint: "give --script-key FILE, or set PATCHPACK_SCRIPT_KEY")
        }
        packer = try EnvelopePacker(scriptKey: scriptKey, signingKeys: signingKeys)
        trustStore = try keys.trustStore(orThatOf: signingKeys, needed: !commands.isEmpty)
        now = try SystemClock.now()
    }

    /// The envelopes to make: one from each script, or one from all of them.
    func units() throws(PatchError) -> [Unit] {
        let isBundle = arguments.has(.bundle)
        guard !isBundle || !files.isEmpty else {
            throw PatchError(.usage, "--bundle without a script", hint: "the first script is the entry")
        }
        guard !isBundle || files[0].folder == nil else {
            throw PatchError(
                .usage, "--bundle with a folder first",
                hint: "the first script is the entry: name it before the folders"
            )
        }
        if !isBundle, files.count > 1, let output = arguments.value(of: .output)?.path {
            try Self.checkFolder(output)
        }
        if !isBundle, files.count > 1, arguments.has(.id) {
            throw PatchError(
                .usage, "--id with several scripts", hint: "give each script a tag `-- @patch NAME`, or --bundle them")
        }
        var units: [Unit] = []
        if isBundle {
            var scripts: [(path: Path, name: String)] = []
            for (path, folder) in files { scripts.append((path, try name(of: path, in: folder))) }
            units = [Unit(scripts: scripts, output: try output(for: scripts[0].name, isOnly: true))]
        } else {
            for (path, folder) in files {
                do {
                    let name = try name(of: path, in: folder)
                    let output = try output(for: name, isOnly: files.count == 1)
                    units.append(Unit(scripts: [(path, name)], output: output))
                } catch {
                    units.append(Unit(scripts: [(path, "")], output: path, fault: error))
                }
            }
        }
        let outputs = units.filter { $0.fault == nil && !$0.output.isStandardStream }.map(\.output)
        var distinct: Set<Path> = []
        for output in outputs where !distinct.insert(output).inserted {
            throw PatchError(
                .usage, "two scripts would be packed into \(output)", hint: "give --root DIR, to name them by folder")
        }
        try keys.protectInputs(from: outputs)
        if units.count > 1 { refuseDuplicates(in: &units) }
        return units
    }

    /// Refuses a second script with the same id and version, because an app would accept either.
    private func refuseDuplicates(in units: inout [Unit]) {
        var seen: [String: Path] = [:]
        for index in units.indices where units[index].fault == nil {
            let path = units[index].scripts[0].path
            guard FileInfo(path, following: true)?.isRegular == true,
                let bytes = try? InputFile.contents(of: path, limit: packer.limits.scriptSize)
            else { continue }
            let patch = (try? ScriptHead(of: bytes)).map(patch(of:)) ?? ""
            units[index].patch = patch
            guard !patch.isEmpty else { continue }
            if let other = seen[patch] { units[index].fault = PatchError.twice(patch, other).about(path) }
            seen[patch] = seen[patch] ?? path
        }
    }

    /// Checks that an entry script still has the id and version that it had in the check for duplicates. Its bytes are not kept
    /// until then.
    private func check(_ head: ScriptHead, isThatOf unit: Unit) throws(PatchError) {
        guard let looked = unit.patch, !looked.isByteEqual(to: patch(of: head)) else { return }
        throw PatchError(
            .noInput, "another id or version than when pack began: it was changed meanwhile", hint: "pack it again"
        ).about(unit.scripts[0].path)
    }

    /// The id and version of a script's head; "" if it has none.
    private func patch(of head: ScriptHead) -> String {
        guard let id = fields.id ?? head.value(of: .patch), let version = fields.version ?? head.value(of: .version)
        else { return "" }
        return "\(id) \(version)"
    }

    /// A script's name in its envelope.
    private func name(of operand: Path, in folder: Path?) throws(PatchError) -> String {
        let path = operand.isStandardStream ? try ScriptInput.name(arguments) ?? operand : operand
        guard !path.isStandardStream else {
            throw PatchError(
                .usage, "the script on standard input has no name", hint: "give it one: --stdin-filename NAME.lua")
        }
        guard !path.isFolder else {
            throw PatchError(.noInput, "is a folder", hint: "give --recursive to take each .lua file in it").about(path)
        }
        let root = arguments.value(of: .root)?.path
        let name: String
        if arguments.has(.bundle), root == nil {
            // In a bundle, scripts are named as in `lint` and `test`: by their paths below the entry's folder.
            let first = files[0].path
            let entry = first.isStandardStream ? try ScriptInput.name(arguments) ?? first : first
            name = LintedPatch.name(of: path, beside: entry)
        } else {
            name = try InputFiles.name(of: path, in: folder, root: root).description
        }
        guard Manifest.Script.isName(name) else {
            throw PatchError(
                .usage, "\(name) cannot be a script's name",
                hint: path.ends(in: ".js")
                    ? "an envelope is packed already: name its script" : Manifest.Script.nameRule
            ).about(path)
        }
        return name
    }

    /// The path of an entry script's envelope: in the output folder, unless the name of the output ends in `.js`.
    ///
    /// A pattern such as `*.lua` that matches a single script today must not turn `-o dist` into a file.
    private func output(for entry: String, isOnly: Bool) throws(PatchError) -> Path {
        let name = Path(entry.dropLast(".lua".count) + ".js")
        guard let output = arguments.value(of: .output)?.path else { return name }
        if output.isStandardStream {
            guard isOnly, arguments.value(of: .format)?.isText("json") != true else {
                throw PatchError(.usage, "-o - works only with one envelope and text output", hint: "name a folder")
            }
            return output
        }
        guard !output.ends(in: ".lua") || output.isFolder else {
            throw PatchError(
                .usage, "-o \(output) ends in .lua", hint: "an envelope is NAME.js; any other name is a folder")
        }
        guard Self.isFile(output) else { return output.appending(name) }
        try output.checkParent()
        return output
    }

    private static func isFile(_ output: Path) -> Bool { output.ends(in: ".js") && !output.isFolder }

    /// Refuses an output that is one file.
    private static func checkFolder(_ output: Path) throws(PatchError) {
        guard !isFile(output) else {
            throw PatchError(.usage, "\(output) is one file, but there are several envelopes", hint: "name a folder")
        }
    }

    /// Makes envelopes, opens them as a verifier would, and writes the good ones, unless they are to be written later.
    func pack(_ units: [Unit]) -> [Result] {
        var results = units.map(seal)
        guard !isDryRun, !arguments.has(.allOrNothing) else { return results }
        // Only files that replace nothing are written together. The others are checked one by one.
        let new = results.indices.filter { index in
            results[index].file.map { !arguments.has(.upgrade) || FileInfo($0.path, following: false) == nil } ?? false
        }
        let errors = OutputFile.writeEach(new.compactMap { results[$0].file }, replacing: { _ in force })
        for (index, error) in zip(new, errors) where error?.code != .exists {
            (results[index].error, results[index].file) = (error, nil)
        }
        for index in results.indices where results[index].file != nil {
            var alone = [results[index]]
            do throws(PatchError) { try write(&alone) } catch { alone[0].error = error }
            results[index] = alone[0]
            results[index].file = nil
        }
        return results
    }

    /// Makes one envelope, and opens it as a verifier would.
    private func seal(_ unit: Unit) -> Result {
        var result = Result(unit: unit, error: unit.fault)
        guard result.error == nil else { return result }
        do {
            let scripts = try scripts(of: unit)
            if !arguments.has(.noLint) { try LuaLibrary.check() }
            let linted = LintedPatch(
                zip(scripts, unit.scripts).map { ($0, $1.path) }, fields, interface,
                looksAtCode: !arguments.has(.noLint))
            let manifest = try judged(linted, &result)
            if let head = linted.head { try check(head, isThatOf: unit) }
            if let end = manifest.expires, end <= now {
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
            if arguments.format == "json" {
                let digest = try MessageDigest.sha256.hexadecimal(of: sealed.payload)
                result.payloadDigest = String(decoding: digest, as: UTF8.self)
            }
            try check(envelope, scripts, signers: sealed.signers.count)
            if writesToStandardOutput {
                if !isDryRun { try StandardOutput.write(envelope) }
            } else if unit.output.holds(envelope) {
                result.isUnchanged = true
            } else {
                result.file = OutputFile(path: unit.output, content: .bytes(envelope))
                if force, let refusal = refusal(of: manifest, at: unit.output) {
                    result.warnings.append("\(refusal.text); --force replaces it")
                }
                if isDryRun || arguments.has(.allOrNothing) {
                    var alone = [result]
                    try settle(&alone) { (results) throws(PatchError) in _ = try replaced(by: results) }
                    result = alone[0]
                }
            }
        } catch {
            result.error = error.code == .config ? error.about(unit.scripts[0].path) : error
        }
        return result
    }

    /// Writes the envelopes that are not written yet: all of them or none.
    ///
    /// - Throws: `exists` if an envelope must not replace an existing file, `io` if writing fails.
    func write(_ results: inout [Result]) throws(PatchError) {
        guard !isDryRun else { return }
        try settle(&results) { (results) throws(PatchError) in
            let files = results.compactMap(\.file)
            guard arguments.has(.upgrade), files.contains(where: { FileInfo($0.path, following: false) != nil }) else {
                return try OutputFile.write(files, force: force)
            }
            // The checked file must be the one that is replaced, so other upgrades wait.
            try Self.upgrades.withLock { _ throws(PatchError) in
                try Folder.whileLocked(around: files.map(\.path)) { () throws(PatchError) in
                    let replaced = try replaced(by: results)
                    try OutputFile.write(files) { force || replaced.contains($0) }
                }
            }
        }
        for index in results.indices { results[index].file = nil }
    }

    /// Calls `body` again as long as another process has put the same envelopes in place. Those envelopes are unchanged.
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

    /// The paths of the files that the envelopes replace.
    ///
    /// - Throws: `exists` if an envelope must not replace an existing file.
    private func replaced(by results: [Result]) throws(PatchError) -> Set<Path> {
        var paths: Set<Path> = []
        for result in results {
            guard let file = result.file, let manifest = result.manifest else { continue }
            let isReplaced = try replaces(file.path, manifest)
            try file.checkPlace(force: isReplaced)
            if isReplaced { paths.insert(file.path) }
        }
        return paths
    }

    /// One thread upgrades at a time, so that no thread waits for a lock of its own process.
    private static let upgrades = Mutex(())

    /// Whether an envelope may replace the existing file: any file with `--force`, a lower version of the same patch with
    /// `--upgrade`.
    ///
    /// - Throws: `exists` if it may not.
    private func replaces(_ path: Path, _ manifest: Manifest) throws(PatchError) -> Bool {
        guard !force, FileInfo(path, following: false) != nil else { return force }
        guard arguments.has(.upgrade) else {
            throw PatchError(
                .exists, "already exists",
                hint: "give --upgrade to replace a lower version, or --force to replace anything"
            ).about(path)
        }
        if let refusal = refusal(of: manifest, at: path) { throw refusal }
        return true
    }

    /// The reason why an envelope is not an upgrade of the file at a path; nil if it is, or if there is no regular file.
    private func refusal(of manifest: Manifest, at path: Path) -> PatchError? {
        guard FileInfo(path, following: false)?.isRegular == true else { return nil }
        func refusal(_ what: String, _ hint: String) -> PatchError { PatchError(.exists, what, hint: hint).about(path) }
        let old: Manifest
        do throws(PatchError) {
            let bytes = try InputFile.contents(of: path, limit: packer.limits.envelopeSize)
            old = try EnvelopeVerifier(trustStore: trustStore, policy: .none)
                .verify(bytes, scriptKeys: packer.scriptKey).manifest
        } catch {
            return refusal(
                "already exists, and is not a patch that these keys verify: \(error.message)", Self.forceHint)
        }
        guard old.id == manifest.id else { return refusal("already exists, and is \(old.id)", Self.forceHint) }
        guard old.version >= manifest.version else { return nil }
        return refusal(
            "already exists with the "
                + (old.version == manifest.version
                    ? "same version \(old.version), and other bytes" : "higher version \(old.version)"),
            "a changed patch needs a higher version")
    }

    private static let forceHint = "name another output, or give --force to replace it"

    /// The manifest of a patch without errors. Its warnings are added to the result.
    private func judged(_ linted: LintedPatch, _ result: inout Result) throws(PatchError) -> Manifest {
        var fault: PatchError?
        for (finding, file) in linted.findings {
            let text = "\(finding.message) [\(finding.code.rawValue)]"
            if finding.severity == .warning {
                let place = "\(file):\(finding.line):\(finding.column)"
                result.warnings.append("\(place): \(text)" + (finding.shownHint(of: file).map { "; \($0)" } ?? ""))
            } else if fault == nil {
                let hint =
                    finding.shownHint(of: file).map { "\($0)\($0.hasSuffix("?") ? " Or" : ", or")" } ?? "fix it, or"
                fault = PatchError(
                    .script, text, hint: "\(hint) pack it anyway with --no-lint",
                    at: .init(file: file.description, line: finding.line))
            }
        }
        let manifest = try linted.manifest.get()
        if let fault { throw fault }
        return manifest
    }

    private var force: Bool { arguments.has(.force) }

    private func scripts(of unit: Unit) throws(PatchError) -> [PatchScript] {
        var scripts: [PatchScript] = []
        for (path, name) in unit.scripts {
            let bytes = try ScriptInput.bytes(of: path)
            guard bytes.count <= packer.limits.scriptSize else {
                throw PatchError(
                    .limit, "larger than the \(packer.limits.scriptSize) bytes allowed for a script",
                    hint: "split it, and pack the parts with --bundle"
                ).about(path)
            }
            scripts.append(PatchScript(name: name, bytes: bytes))
        }
        return scripts
    }

    /// Checks that the new envelope can be opened and holds the same scripts.
    ///
    /// The trust in its signers was checked before. The expiry is not checked.
    private func check(_ envelope: [UInt8], _ scripts: [PatchScript], signers: Int) throws(PatchError) {
        let verifier = try EnvelopeVerifier(trustStore: trustStore, threshold: signers, policy: .none)
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
                ("file", .string((unit.scripts.first?.path ?? unit.output).description)),
                ("output", unit.fault == nil ? .string(unit.output.description) : .null),
            ], error,
            [
                ("written", .bool(error == nil && !job.isDryRun && !isUnchanged && !isHeldBack)),
                ("unchanged", .bool(isUnchanged)), ("warnings", .strings(warnings)),
                ("payloadSHA256", .optional(payloadDigest)), ("size", manifest == nil ? .null : .integer(size)),
                ("manifest", manifest?.json ?? .null),
            ])
    }
}
