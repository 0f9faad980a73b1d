import PatchCrypto
import PatchFiles
import PatchLint
import PatchRunner
import PatchSpec
import Synchronization

enum TestCommand {
    static let verb = Verb(
        name: "test", summary: "run specs against patches, in the same sandbox as in the app",
        operands: "PATCH... --spec SPEC.lua... [--interface FILE]", operandValue: .file("PATCH"),
        operandCount: 1...Int.max,
        options: [
            .spec, .interface, .filter, .timeLimit, .testFormat, .coverage, .testShadow, .bundle, .strict,
            .stdinFilename, .trustedKey, .trustStore, .trustStorePin, .scriptKey, .passphraseEnv, .passphraseFile,
        ],
        example: "patchpack test patches --spec specs --interface interface.json",
        run: run)

    /// The Lua pattern that selects tests; empty for all tests.
    ///
    /// Each repetition of a class multiplies the time that a match can take, so at most three are allowed.
    ///
    /// - Throws: `usage` if there are more.
    private static func filter(_ arguments: ParsedArguments) throws(PatchError) -> String {
        let text = try arguments.text(of: .filter) ?? ""
        var repetitions = 0
        var before: UInt8 = 0
        var beforeThat: UInt8 = 0
        for byte in text.utf8 {
            let isClass = before == UInt8(ascii: ".") || before == UInt8(ascii: "]") || beforeThat == UInt8(ascii: "%")
            if isClass, "-*+".utf8.contains(byte) { repetitions += 1 }
            beforeThat = before
            before = byte
        }
        guard repetitions <= 3 else {
            throw .usage(
                "--filter: a pattern may repeat at most three classes, such as .*",
                hint: "name a part of the test")
        }
        return text
    }

    /// What a command line asks for.
    private struct Request {
        let coverageFile: Path?
        let interface: PatchInterface?
        let patches: [TestReport.GivenPatch]
        let hasPatchFolder: Bool
        let specs: [InputFiles.Placed]
        let now: Timestamp
        let filter: String
        /// How many seconds the code of a spec may run at a time: at most a day.
        let timeLimit: Int
        let format: ResultFormat
        let isStrict: Bool
        /// Whether the specs also run with the patches in shadow.
        let shadows: Bool

        init(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
            guard arguments.has(.spec) else {
                throw .usage("no spec", hint: "give --spec SPEC.lua, or a folder of specs")
            }
            coverageFile = try arguments.newFile(.coverage, force: CoverageReport.isReplaced(arguments))
            interface = try InterfaceFile.fromOptions(arguments)
            patches = try TestCommand.patches(arguments, console)
            hasPatchFolder = arguments.operands.contains { $0.path.isFolder }
            var seen: Set<Path> = []
            specs = try InputFiles.expanded(arguments.values(of: .spec).map(\.path), called: ".lua").filter {
                seen.insert($0.path).inserted
            }
            now = try SystemClock.now()
            filter = try TestCommand.filter(arguments)
            timeLimit = min(try arguments.number(of: .timeLimit) ?? 10, 86_400)
            format = arguments.resultFormat
            isStrict = arguments.has(.strict)
            shadows = arguments.has(.testShadow)
        }
    }

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let request = try Request(arguments, console)
        // A spec is code with all of Lua's libraries.
        Environment.removeSecrets()
        var runs: [TestReport.Run] = []
        for (spec, folder) in request.specs {
            guard let run = try run(spec, isNamed: folder == nil, of: request, after: runs, console) else { continue }
            // A filter may leave a spec without tests, and a folder may hold files that are shared by specs.
            let mayBeEmpty = folder != nil || !request.filter.isEmpty
            if mayBeEmpty, run.report.tests.isEmpty, run.report.error == nil {
                if request.filter.isEmpty { console.note("left out: \(spec), which has no tests") }
                continue
            }
            runs.append(run)
            if request.format == .text { try TestReport.show(run, isOnly: request.specs.count == 1, console) }
        }
        guard !runs.isEmpty else { throw noTests(request.filter) }
        let hasUntested = noteUntested(request.patches, runs, isStrict: request.isStrict, console)
        try report(runs, as: request.format, console)
        if let file = request.coverageFile {
            try writeCoverage(of: runs, request.patches.flatMap(\.files), to: file, request.format, console)
        }
        let lacksSpecs = hasUntested && request.isStrict
        guard lacksSpecs || !runs.allSatisfy(\.report.isGood) else { return }
        console.fail(runs.lazy.compactMap(\.report.error).first?.code ?? .script)
    }

    /// Runs a spec.
    ///
    /// - Parameters:
    ///   - isNamed: Whether the command line names it, and not a folder that it is in.
    ///   - runs: The runs before, for the report if the spec does not end.
    /// - Returns: The run, with the error if the spec cannot be read or run; nil if it is for other patches.
    /// - Throws: `usage` if the filter is wrong, which is an error for all specs, or if the spec is a key.
    private static func run(
        _ spec: Path, isNamed: Bool, of request: Request, after runs: [TestReport.Run], _ console: Console
    ) throws(PatchError) -> TestReport.Run? {
        var run = TestReport.Run(spec: spec)
        do throws(PatchError) {
            let bytes = try ScriptFiles.bytes(of: spec)
            let chosen = try chosen(
                for: spec, bytes, isAlone: !isNamed && !request.hasPatchFolder, of: request.patches,
                beside: request.specs.map(\.path))
            guard let chosen else {
                console.note("left out: \(spec), which is for another patch")
                return nil
            }
            run.patches = chosen
            run.report = try report(of: run, PatchScript(name: spec.description, bytes: bytes), request, runs, console)
        } catch {
            run.report.error = error
        }
        if let error = run.report.error, error.code == .usage { throw error }
        return run
    }

    /// Runs the code of a spec. If it runs on after its time limit, the report of what has ended is printed, and the
    /// process ends.
    ///
    /// - Parameters:
    ///   - run: The spec, and the patches that it is for.
    ///   - runs: The runs before.
    /// - Throws: `unavailable` if no thread can be made to watch it.
    private static func report(
        of run: TestReport.Run, _ script: PatchScript, _ request: Request, _ runs: [TestReport.Run],
        _ console: Console
    ) throws(PatchError) -> SpecReport {
        // The tests that have ended, for a report while another one is running.
        let ended = Shared(Mutex<[SpecReport.Test]>([]))
        let (format, isOnly) = (request.format, request.specs.count == 1)
        // At the limit itself, the runner ends what Lua can interrupt. That may take a moment.
        let patience = request.timeLimit + 5
        // The thread that normally uses the console is busy in the spec's code and does not return.
        nonisolated(unsafe) let console = console
        let watchdog = try Watchdog(after: patience) {
            var run = run
            run.report.tests += ended.value.withLock { $0 }
            run.report.error = PatchError(.script, "still running after its time limit; Lua cannot interrupt it")
            if format == .text { try? unsafe TestReport.show(run, isOnly: isOnly, console) }
            try? unsafe TestCommand.report(runs + [run], as: format, console)
            return PatchError.Code.script.exitStatus
        }
        defer { watchdog.end() }
        // The output of a spec is not part of the report.
        return StandardOutput.whileDiverted {
            // A spec is the author's own code, so the limits of patches do not apply to it.
            SpecRunner.run(
                script, on: run.patches.map(\.patch), interface: request.interface, filter: request.filter,
                timeLimit: .seconds(request.timeLimit), covers: request.coverageFile != nil,
                shadows: request.shadows, time: request.now, codeRuns: { watchdog.watch($0) },
                testEnded: { test in ended.value.withLock { $0.append(test) } })
        }
    }

    private static func noTests(_ filter: String) -> PatchError {
        PatchError(
            filter.isEmpty ? .script : .usage,
            filter.isEmpty
                ? "no spec has a test for these patches" : "no test matches the filter --filter \(filter)",
            hint: "a spec is for the patch with its file name, or for those that its `-- @patch` lines name")
    }

    /// Warns of the patches without a spec.
    ///
    /// - Parameter isStrict: Whether they are errors.
    /// - Returns: Whether there are any.
    private static func noteUntested(
        _ patches: [TestReport.GivenPatch], _ runs: [TestReport.Run], isStrict: Bool, _ console: Console
    ) -> Bool {
        let untested = patches.filter { patch in
            !runs.contains { $0.patches.contains { $0.path == patch.path } }
        }
        for patch in untested {
            let text = "\(patch.path): no spec for \(patch.patch.manifest.id)"
            let error = PatchError(.script, text, hint: "write one, or test without --strict")
            if isStrict { console.error(error) } else { console.warning(text) }
        }
        return !untested.isEmpty
    }

    private static func report(_ runs: [TestReport.Run], as format: ResultFormat, _ console: Console) throws(PatchError)
    {
        switch format {
        case .tap: try console.report(runs.flatMap(TestReport.cases), as: TAP.text)
        case .junit: try console.report(runs.flatMap(TestReport.cases), as: JUnit.text)
        case .json: for line in TestReport.json(runs) { try console.json(line) }
        case .github:
            for annotation in TestReport.annotations(runs) { try console.annotation(annotation) }
            console.note(TestReport.counts(runs))
        case .text, .sarif: console.note(TestReport.counts(runs))
        }
    }

    /// Writes the coverage, and prints it too if the results are text.
    ///
    /// - Parameter path: A file that may be replaced, as `CoverageReport.isReplaced` has told.
    private static func writeCoverage(
        of runs: [TestReport.Run], _ files: [(key: String, path: Path)], to path: Path, _ format: ResultFormat,
        _ console: Console
    ) throws(PatchError) {
        let text = CoverageReport.lcov(runs, files: files)
        guard !text.isEmpty else {
            return console.warning("\(path): not written, because no line of a patch could be counted")
        }
        try OutputFile.write(Array(text.utf8), to: path, force: true)
        guard format == .text, !console.isQuiet else { return }
        for line in CoverageReport.lines(runs) { try console.line(line) }
    }

    /// The patches that a spec is for: the patches in its `-- @patch` lines, or the patch with its file name, or all
    /// patches.
    ///
    /// - Parameter isAlone: Whether the spec was found in a folder, but the patches were not. It may then be for
    ///   another patch.
    /// - Returns: Nil if the spec is for another patch.
    /// - Throws: `script` if its lines name no patch that was given, unless it may be for another one.
    private static func chosen(
        for spec: Path, _ bytes: [UInt8], isAlone: Bool, of patches: [TestReport.GivenPatch], beside specs: [Path]
    ) throws(PatchError) -> [TestReport.GivenPatch]? {
        let named = ScriptHead.patches(of: bytes)
        guard named.isEmpty else {
            let chosen = patches.filter { named.contains($0.patch.manifest.id) }
            guard chosen.isEmpty else { return chosen }
            guard !isAlone else { return nil }
            throw PatchError(
                .script, "it is for \(named.joined(separator: ", ")), but no such patch was given",
                hint: patches.isEmpty
                    ? "are the folders of patches and specs swapped?"
                    : "the patches are \(patches.map(\.patch.manifest.id).joined(separator: ", "))")
        }
        let own = patches.filter { $0.path.isSpecced(by: spec) }
        guard own.isEmpty else { return own }
        // If the folder has a spec for this patch, its other specs are for other patches.
        let hasOwn =
            isAlone && patches.count == 1
            && specs.contains { $0.parent == spec.parent && patches[0].path.isSpecced(by: $0) }
        return hasOwn ? nil : patches
    }

    /// The patches that the operands name: scripts and envelopes.
    ///
    /// Each script is a patch, or with `--bundle` all scripts are one patch. Envelopes are verified first.
    private static func patches(
        _ arguments: ParsedArguments, _ console: Console
    ) throws(PatchError) -> [TestReport.GivenPatch] {
        // They are read once, because a pipe cannot be read again.
        var keys: (verifier: EnvelopeVerifier, scriptKeys: ScriptKeyRing)?
        let fields = try ManifestFields(arguments)
        var patches: [TestReport.GivenPatch] = []
        let paths = try InputFiles.placed(arguments, in: true, called: ".lua").map(\.path)
        let given = try ScriptFiles.name(arguments)
        if arguments.has(.bundle) {
            try refuseKeys(arguments)
            guard let bundle = try patch(of: paths, fields, given) else { return [] }
            return [bundle]
        }
        for path in paths {
            let isNamedByOption = path.isStandardStream && given != nil
            if path.ends(in: ".lua") || isNamedByOption {
                // Shared scripts and the parts of a bundle have no tags. A script named on the command line must be a
                // patch.
                let isNamed = arguments.operands.contains { $0.path == path }
                if let patch = try patch(of: [path], fields, given, needsTag: !isNamed && fields.id == nil) {
                    patches.append(patch)
                } else {
                    console.note("left out: \(path), which has no @patch")
                }
                continue
            }
            // A missing file is reported before missing keys.
            let envelope = try InputFile.contents(of: path, limit: EnvelopeLimits().envelopeSize)
            let read = if let keys { keys } else { try Self.keys(arguments, for: path) }
            keys = read
            let verified = try path.naming { () throws(PatchError) in
                try read.verifier.verify(envelope, scriptKeys: read.scriptKeys)
            }
            patches.append(
                TestReport.GivenPatch(
                    path: path, patch: verified,
                    files: verified.scripts.map { (SpecReport.key(verified.manifest.id, $0.name), Path($0.name)) }))
        }
        if keys == nil { try refuseKeys(arguments) }
        return patches
    }

    /// Refuses the options that are for envelopes only.
    private static func refuseKeys(_ arguments: ParsedArguments) throws(PatchError) {
        let ofEnvelopes: [Option] = [
            .trustedKey, .trustStore, .trustStorePin, .scriptKey, .passphraseEnv, .passphraseFile,
        ]
        guard let option = ofEnvelopes.first(where: arguments.has) else { return }
        throw .usage("--\(option.name) without an envelope", hint: "a script is tested as it is, without keys")
    }

    /// The keys that the envelopes are verified and opened with.
    ///
    /// - Parameter path: One of the envelopes, for the error.
    /// - Throws: `usage` if there is no key.
    private static func keys(
        _ arguments: ParsedArguments, for path: Path
    ) throws(PatchError) -> (verifier: EnvelopeVerifier, scriptKeys: ScriptKeyRing) {
        let files = try KeyFiles(arguments)
        guard let trust = try files.trustStore(), let scriptKeys = try files.scriptKeys() else {
            throw .usage(
                "\(path) is read as an envelope, but there is no key to verify it with",
                hint: "give --trusted-key and --script-key; the name of a script must end in .lua")
        }
        return (try EnvelopeVerifier(trustStore: trust, policy: .unchecked), scriptKeys)
    }

    /// Reads a patch's scripts, the entry first.
    ///
    /// - Parameter needsTag: Whether an entry without `@patch` is not a patch. The result is then nil, not an error.
    private static func patch(
        of files: [Path], _ fields: ManifestFields, _ given: Path?, needsTag: Bool = false
    ) throws(PatchError) -> TestReport.GivenPatch? {
        let given = try ScriptFiles.scripts(files, onStandardInput: given)
        let (scripts, entry) = (given.map(\.script), given[0].file)
        let head = try ScriptHead(of: scripts[0], at: entry)
        if needsTag, head.value(of: .patch) == nil { return nil }
        let manifest = try fields.manifest(for: scripts, head: head, from: entry)
        return TestReport.GivenPatch(
            path: entry, patch: VerifiedPatch(unverifiedForTesting: manifest, scripts: scripts),
            files: given.map { (SpecReport.key(manifest.id, $0.script.name), $0.file) })
    }
}

extension Path {
    /// Whether a spec is for this script by its name: `cart.lua`, `cart_spec.lua`, `cart-spec.lua` or `cart.spec.lua`.
    fileprivate func isSpecced(by spec: Path) -> Bool {
        // Names of Lua modules have no hyphens, but patch names often do.
        func stem(_ path: Path) -> [UInt8] {
            let bytes = path.name.bytes
            return bytes[..<(bytes.lastIndex(of: UInt8(ascii: ".")) ?? bytes.endIndex)]
                .map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }
        }
        let (own, others) = (stem(self), stem(spec))
        return ["", "_spec", ".spec"].contains { others == own + Array($0.utf8) }
    }
}
