import PatchCrypto
import PatchRunner

/// `test`: runs specs against patches.
enum TestCommand {
    static let verb = Verb(
        name: "test", summary: "run specs against patches, in the sandbox that the app has",
        operands: "PATCH... --spec SPEC.lua... [--interface FILE]", operandValue: .file("PATCH"),
        operandCount: 1...Int.max,
        options: [
            .spec, .interface, .filter, .filterOut, .tags, .excludeTags, .timeLimit, .testFormat, .coverage, .watch,
            .bundle, .stdinFilename, .trustedKey, .trustStore, .trustStorePin, .scriptKey, .storePassphraseEnv,
            .storePassphraseFile,
        ],
        example: "patchpack test patches --spec specs --interface interface.json",
        run: { (arguments, console) throws(PatchError) in try run(arguments, console) })

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        guard arguments.has(.spec) else {
            throw PatchError(.usage, "no spec", hint: "give --spec SPEC.lua, or a folder of specs")
        }
        guard arguments.has(.watch) else { return try runOnce(arguments, console) }
        let files = try files(arguments)
        guard !files.contains(where: \.isStandardStream) else {
            throw PatchError(.usage, "--watch with standard input", hint: "name files")
        }
        let watch = try FileWatch(files)
        while true {
            do {
                _ = try runOnce(arguments, console)
            } catch {
                console.error(error)
            }
            console.note("waiting for a change; end it with Ctrl-C")
            try watch.wait()
        }
    }

    /// The scripts, the specs, and the interface.
    private static func files(_ arguments: ParsedArguments) throws(PatchError) -> [Path] {
        try patchFiles(arguments) + specFiles(arguments) + [InterfaceCommand.path(arguments)].compactMap(\.self)
    }

    private static func patchFiles(_ arguments: ParsedArguments) throws(PatchError) -> [Path] {
        try InputFiles.all(arguments, in: true, called: ".lua")
    }

    private static func specFiles(_ arguments: ParsedArguments) throws(PatchError) -> [Path] {
        let specs = try InputFiles.expanded(arguments.values(of: .spec).map(\.path), called: ".lua")
        guard !specs.isEmpty else {
            throw PatchError(.noInput, "no spec in the folders of --spec", hint: "a spec's name ends in .lua")
        }
        return specs
    }

    private static func runOnce(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let interface = try InterfaceCommand.given(arguments)
        let patches = try patches(arguments)
        let specs = try specFiles(arguments)
        let coverageFile = arguments.value(of: .coverage)?.path
        if let coverageFile { try protect(files(arguments), from: coverageFile) }
        let now = try SystemClock.now()
        var filter = SpecFilter()
        filter.only = try arguments.text(of: .filter) ?? ""
        filter.except = try arguments.text(of: .filterOut) ?? ""
        filter.tags = try arguments.text(of: .tags) ?? ""
        filter.exceptTags = try arguments.text(of: .excludeTags) ?? ""
        let timeLimit = try arguments.number(of: .timeLimit) ?? 10
        let format = arguments.value(of: .testFormat)?.text ?? "text"
        var runs: [TestReport.Run] = []
        for spec in specs {
            var run = TestReport.Run(spec: spec)
            do {
                let bytes = try InputFile.contents(of: spec, limit: Limits().scriptSize)
                run.patches = chosen(for: spec, bytes, of: patches)
                let chosen = run.patches
                // What a spec prints is no part of the report.
                run.report = StandardOutput.whileDiverted {
                    // A spec is the author's own; what limits patches is no matter of its.
                    PatchSpec.run(
                        Script(name: spec.description, bytes: bytes), on: chosen.map(\.patch), interface: interface,
                        filter: filter, timeLimit: .seconds(min(timeLimit, 86_400)), covers: coverageFile != nil,
                        time: now)
                }
            } catch {
                run.report.setError(error)
            }
            if !filter.isEmpty, run.report.tests.isEmpty, run.report.error == nil { continue }
            runs.append(run)
            if format == "text" { try TestReport.show(run, isOnly: specs.count == 1, console) }
        }
        guard !runs.isEmpty else {
            throw PatchError(.usage, "no test fits the filter", hint: "patchpack test without it lists all of them")
        }
        switch format {
        case "tap": try console.raw(TAP.text(runs.flatMap(TestReport.cases)))
        case "junit": try console.raw(JUnit.text(runs.flatMap(TestReport.cases)))
        case "json": for line in TestReport.json(runs) { try console.json(line) }
        default: console.note(TestReport.counts(runs))
        }
        if let coverageFile { try write(runs, patches.flatMap(\.files), to: coverageFile, format, console) }
        guard !runs.allSatisfy(\.report.isGood) else { return 0 }
        return runs.compactMap { $0.report.error?.code.exitStatus }.first ?? PatchError.Code.script.exitStatus
    }

    private static func write(
        _ runs: [TestReport.Run], _ files: [(key: String, path: Path)], to path: Path, _ format: String,
        _ console: Console
    ) throws(PatchError) {
        let text = TestReport.lcov(runs, files: files)
        guard !text.isEmpty else {
            return console.warning("\(path): not written, because no line of a patch could be counted")
        }
        try OutputFile.write([OutputFile(path: path, content: .bytes(Array(text.utf8)))], force: true)
        guard format == "text", !console.isQuiet else { return }
        for line in TestReport.coverageLines(runs) { try console.line(line) }
    }

    /// The patches that a spec is for: those that its `-- @patch` lines name, else that of its own name, else all.
    private static func chosen(for spec: Path, _ bytes: [UInt8], of patches: [GivenPatch]) -> [GivenPatch] {
        guard patches.count > 1 else { return patches }
        let named = ScriptHead.patches(of: bytes)
        if !named.isEmpty { return patches.filter { named.contains($0.patch.manifest.id) } }
        let own = patches.filter { patch in patch.path.isSpecced(by: spec) }
        return own.isEmpty ? patches : own
    }

    /// - Throws: `usage` where the report would take the place of what it is about.
    private static func protect(_ inputs: [Path], from output: Path) throws(PatchError) {
        guard !output.isStandardStream else { throw PatchError(.usage, "--coverage - is no file", hint: "name a file") }
        guard let identity = FileInfo(output, following: true)?.identity,
            inputs.contains(where: { FileInfo($0, following: true)?.identity == identity })
        else { return }
        throw PatchError(.usage, "\(output): the output would replace an input", hint: "name another output")
    }

    /// A patch and the files that it was made of, for a report on its lines.
    struct GivenPatch {
        let path: Path
        let patch: PatchUnderTest
        let files: [(key: String, path: Path)]
    }

    /// The operands: scripts, each a patch or all of them one, and envelopes, which are verified first.
    private static func patches(_ arguments: ParsedArguments) throws(PatchError) -> [GivenPatch] {
        let fields = try ManifestFields(arguments)
        var patches: [GivenPatch] = []
        let paths = try patchFiles(arguments)
        guard !paths.isEmpty else {
            throw PatchError(.noInput, "no script in the folders", hint: "a script's name ends in .lua")
        }
        let given = try ScriptInput.name(arguments)
        if arguments.has(.bundle) { return [try patch(of: paths, fields, given)] }
        for path in paths {
            if path.bytes.suffix(4).elementsEqual(".lua".utf8) || path.isStandardStream && given != nil {
                patches.append(try patch(of: [path], fields, given))
                continue
            }
            let keys = try KeyFiles(arguments)
            guard let trust = try keys.trustStore(), let scriptKeys = try keys.scriptKeys() else {
                throw PatchError(
                    .usage, "\(path) is an envelope, and there is no key to verify it with",
                    hint: "give --trusted-key and --script-key; a script is called .lua")
            }
            let verifier = try EnvelopeVerifier(trustStore: trust, policy: .none)
            let verified = try path.naming { () throws(PatchError) in
                try verifier.verify(
                    try InputFile.contents(of: path, limit: Limits().envelopeSize), scriptKeys: scriptKeys
                ).get()
            }
            patches.append(
                GivenPatch(
                    path: path, patch: PatchUnderTest(manifest: verified.manifest, scripts: verified.scripts),
                    files: verified.scripts.map { (SpecReport.key(verified.manifest.id, $0.name), Path($0.name)) }))
        }
        return patches
    }

    private static func patch(
        of files: [Path], _ fields: ManifestFields, _ given: Path?
    ) throws(PatchError) -> GivenPatch {
        var scripts: [Script] = []
        let paths = files.map { $0.isStandardStream ? given ?? $0 : $0 }
        for (file, path) in zip(files, paths) {
            let name = LintedPatch.name(of: path, beside: paths[0])
            scripts.append(Script(name: name, bytes: try InputFile.contents(of: file, limit: Limits().scriptSize)))
        }
        let head = try fields.head(of: scripts[0], at: paths[0])
        let manifest = try fields.manifest(for: scripts, head: head, from: paths[0])
        return GivenPatch(
            path: paths[0], patch: PatchUnderTest(manifest: manifest, scripts: scripts),
            files: zip(scripts, paths).map { (SpecReport.key(manifest.id, $0.name), $1) })
    }
}

extension String {
    var replacingLineFeeds: String { split(separator: "\n").joined(separator: " ") }
}

extension Path {
    /// Whether a spec is this script's by its name: `cart.lua`, `cart_spec.lua`, `cart-spec.lua` or `cart.spec.lua`.
    fileprivate func isSpecced(by spec: Path) -> Bool {
        func stem(_ path: Path) -> [UInt8] {
            let bytes = path.name.bytes
            return Array(bytes[..<(bytes.lastIndex(of: UInt8(ascii: ".")) ?? bytes.endIndex)])
        }
        let (own, others) = (stem(self), stem(spec))
        return ["", "_spec", "-spec", ".spec"].contains { others == own + Array($0.utf8) }
    }
}
