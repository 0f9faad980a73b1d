import PatchCrypto
import PatchRunner

/// `test`: runs specs against patches.
enum TestCommand {
    static let verb = Verb(
        name: "test", summary: "run specs against patches, in the sandbox that the app has",
        operands: "PATCH... --spec SPEC.lua [--interface FILE]", operandValue: .file("PATCH"),
        operandCount: 1...Int.max,
        options: [
            .spec, .interface, .testFormat, .coverage, .watch, .bundle, .trustedKey, .trustStore, .trustStorePin,
            .scriptKey,
            .storePassphraseEnv, .storePassphraseFile,
        ],
        example: "patchpack test patches/cart-total.lua --spec specs/cart-total.lua",
        run: { (arguments, console) throws(PatchError) in try run(arguments, console) })

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let specs = arguments.values(of: .spec).map(\.path)
        guard !specs.isEmpty else { throw PatchError(.usage, "no spec", hint: "give --spec SPEC.lua") }
        guard arguments.has(.watch) else { return try runOnce(specs, arguments, console) }
        guard !(arguments.operands.map(\.path) + specs).contains(where: \.isStandardStream) else {
            throw PatchError(.usage, "--watch with standard input", hint: "name files")
        }
        let watch = try FileWatch(
            arguments.operands.map(\.path) + specs + [InterfaceCommand.path(arguments)].compactMap(\.self))
        while true {
            do {
                _ = try runOnce(specs, arguments, console)
            } catch {
                console.error(error)
            }
            console.note("waiting for a change; end it with Ctrl-C")
            try watch.wait()
        }
    }

    private static func runOnce(
        _ specs: [Path], _ arguments: ParsedArguments, _ console: Console
    ) throws(PatchError) -> Int32 {
        let interface = try InterfaceCommand.given(arguments)
        let patches = try patches(arguments)
        let coverageFile = arguments.value(of: .coverage)?.path
        if let coverageFile {
            try protect(
                arguments.operands.map(\.path) + specs + [InterfaceCommand.path(arguments)].compactMap(\.self),
                from: coverageFile)
        }
        let now = try SystemClock.now()
        var runs: [(spec: Path, report: SpecReport)] = []
        for spec in specs {
            let bytes = try InputFile.contents(of: spec, limit: Limits().scriptSize)
            // A spec is the author's own; what limits patches is no matter of its.
            let report = PatchSpec.run(
                Script(name: spec.description, bytes: bytes), on: patches.map(\.patch), interface: interface,
                covers: coverageFile != nil, time: now)
            runs.append((spec, report))
        }
        let format = arguments.value(of: .testFormat)?.text ?? "text"
        switch format {
        case "tap": try console.raw(TestReport.tap(runs))
        case "junit": try console.raw(TestReport.junit(runs))
        case "json": for line in TestReport.json(runs) { try console.json(line) }
        default: try TestReport.show(runs, console)
        }
        if let coverageFile {
            let text = TestReport.lcov(runs, files: patches.flatMap(\.files))
            try OutputFile.write(
                [OutputFile(path: coverageFile, content: .bytes(Array(text.utf8)))], force: true)
        }
        if format == "text", !console.isQuiet, coverageFile != nil {
            for line in TestReport.coverageLines(runs) { try console.line(line) }
        }
        guard !runs.allSatisfy(\.report.isGood) else { return 0 }
        return runs.compactMap { $0.report.error?.code.exitStatus }.first ?? PatchError.Code.script.exitStatus
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
    private struct GivenPatch {
        let patch: PatchUnderTest
        let files: [(key: String, path: Path)]
    }

    /// The operands: scripts, each a patch or all of them one, and envelopes, which are verified first.
    private static func patches(_ arguments: ParsedArguments) throws(PatchError) -> [GivenPatch] {
        let fields = try ManifestFields(arguments)
        var patches: [GivenPatch] = []
        let paths = arguments.operands.map(\.path)
        if arguments.has(.bundle) { return [try patch(of: paths, fields)] }
        for path in paths {
            if path.bytes.suffix(4).elementsEqual(".lua".utf8) {
                patches.append(try patch(of: [path], fields))
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
                    patch: PatchUnderTest(manifest: verified.manifest, scripts: verified.scripts),
                    files: verified.scripts.map { (SpecReport.key(verified.manifest.id, $0.name), Path($0.name)) }))
        }
        return patches
    }

    private static func patch(of paths: [Path], _ fields: ManifestFields) throws(PatchError) -> GivenPatch {
        var scripts: [Script] = []
        for path in paths {
            let name = LintedPatch.name(of: path, beside: paths[0])
            scripts.append(Script(name: name, bytes: try InputFile.contents(of: path, limit: Limits().scriptSize)))
        }
        let head = try fields.head(of: scripts[0], at: paths[0])
        let manifest = try fields.manifest(for: scripts, head: head, from: paths[0])
        return GivenPatch(
            patch: PatchUnderTest(manifest: manifest, scripts: scripts),
            files: zip(scripts, paths).map { (SpecReport.key(manifest.id, $0.name), $1) })
    }
}

/// What a run of specs is written as.
private enum TestReport {
    typealias Run = (spec: Path, report: SpecReport)

    private static func seconds(_ nanoseconds: UInt64) -> String {
        let micro = nanoseconds / 1000
        let digits = String(micro % 1_000_000)
        return "\(micro / 1_000_000)." + String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }

    /// Why a run is not good although no test failed.
    private static func fault(_ run: Run) -> String? {
        if let error = run.report.error { return error.message }
        if run.report.replacements == 0 { return "the patches replace nothing" }
        return run.report.tests.isEmpty ? "the spec has no tests" : nil
    }

    static func show(_ runs: [Run], _ console: Console) throws(PatchError) {
        var counts: [SpecReport.Status: Int] = [:]
        for run in runs {
            for test in run.report.tests {
                counts[test.status, default: 0] += 1
                switch test.status {
                case .failed:
                    try console.line(.bad, "failed", "  \(test.name)")
                    for line in test.message.split(separator: "\n") { try console.line("    \(line)") }
                case .pending: if !console.isQuiet { try console.line(.faint, "pending", "  \(test.name)") }
                case .passed: if !console.isQuiet { try console.line(.good, "ok", "  \(test.name)") }
                }
            }
            if let fault = fault(run) {
                console.error(PatchError(.script, "\(run.spec): \(fault)", hint: run.report.error?.hint))
            }
        }
        if !console.isQuiet {
            try console.line(
                "\(counts[.passed] ?? 0) passed, \(counts[.failed] ?? 0) failed, \(counts[.pending] ?? 0) pending")
        }
    }

    /// TAP, version 14.
    static func tap(_ runs: [Run]) -> String {
        func line(_ text: String) -> String {
            escaped(text.replacingLineFeeds).map { $0 == "#" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        }
        var number = 0
        var lines: [String] = []
        for run in runs {
            for test in run.report.tests {
                number += 1
                let result = test.status == .failed ? "not ok" : "ok"
                lines.append(
                    "\(result) \(number) - \(line(test.name))" + (test.status == .pending ? " # SKIP pending" : ""))
                guard test.status == .failed else { continue }
                lines += ["  ---", "  message: |2"]
                lines += test.message.split(separator: "\n").map { "    \(escaped(String($0)))" }
                lines += ["  at: \(JSONValue.string("\(run.spec):\(test.line)").text())", "  ..."]
            }
            if let fault = fault(run) {
                number += 1
                lines.append("not ok \(number) - \(line("\(run.spec): \(fault)"))")
            }
        }
        return (["TAP version 14", "1..\(number)"] + lines).joined(separator: "\n") + "\n"
    }

    /// JUnit's XML, in the form that CI servers share.
    static func junit(_ runs: [Run]) -> String {
        var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
        for run in runs {
            let tests = run.report.tests
            let fault = fault(run)
            let time = seconds(tests.reduce(0) { $0 + $1.nanoseconds })
            xml +=
                "  <testsuite name=\"\(attribute(run.spec.description))\" tests=\"\(tests.count + (fault == nil ? 0 : 1))\" failures=\"\(tests.count { $0.status == .failed })\""
                + " errors=\"\(fault == nil ? 0 : 1)\" skipped=\"\(tests.count { $0.status == .pending })\" time=\"\(time)\">\n"
            for test in tests {
                xml +=
                    "    <testcase classname=\"\(attribute(run.spec.description))\" name=\"\(attribute(test.name))\" line=\"\(test.line)\" time=\"\(seconds(test.nanoseconds))\""
                switch test.status {
                case .passed: xml += "/>\n"
                case .pending: xml += "><skipped/></testcase>\n"
                case .failed:
                    let first = test.message.split(separator: "\n").first.map(String.init) ?? ""
                    xml += "><failure message=\"\(attribute(first))\">\(attribute(test.message))</failure></testcase>\n"
                }
            }
            // Many servers look at cases alone.
            if let fault {
                let spec = attribute(run.spec.description)
                xml +=
                    "    <testcase classname=\"\(spec)\" name=\"\(spec)\"><error message=\"\(attribute(fault))\"/></testcase>\n"
            }
            xml += "  </testsuite>\n"
        }
        return xml + "</testsuites>\n"
    }

    /// Text in XML; what XML cannot hold is shown as an escape.
    private static func attribute(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "<": "&lt;"
            case ">": "&gt;"
            case "&": "&amp;"
            case "\"": "&quot;"
            case "\n": "&#10;"
            case "\t": "&#9;"
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
                scalar.escaped(asASCII: true)
            default: String(scalar)
            }
        }.joined()
    }

    static func json(_ runs: [Run]) -> [JSONValue] {
        runs.flatMap { run in
            run.report.tests.map { test in
                .object([
                    ("schema", .string("patchpack.test/1")), ("spec", .string(run.spec.description)),
                    ("name", .string(test.name)), ("line", .integer(test.line)),
                    ("status", .string(test.status.rawValue)),
                    ("microseconds", .integer(Int(test.nanoseconds / 1000))),
                    ("message", test.message.isEmpty ? .null : .string(test.message)),
                ])
            } + [
                .object([
                    ("schema", .string("patchpack.test-run/1")), ("spec", .string(run.spec.description)),
                    ("ok", .bool(run.report.isGood)), ("replacements", .integer(run.report.replacements)),
                    ("passed", .integer(run.report.tests.count { $0.status == .passed })),
                    ("failed", .integer(run.report.tests.count { $0.status == .failed })),
                    ("pending", .integer(run.report.tests.count { $0.status == .pending })),
                    ("fault", fault(run).map { .string($0) } ?? .null),
                ])
            ]
        }
    }

    /// The lines of all runs together.
    private static func coverage(_ runs: [Run]) -> [String: [Int: Int]] {
        var all: [String: [Int: Int]] = [:]
        for run in runs {
            for (name, lines) in run.report.coverage { all[name, default: [:]].merge(lines) { $0 + $1 } }
        }
        return all
    }

    /// lcov's tracefile.
    static func lcov(_ runs: [Run], files: [(key: String, path: Path)]) -> String {
        var text = ""
        for (name, lines) in coverage(runs).sorted(by: { $0.key < $1.key }) {
            guard let file = files.first(where: { $0.key == name }) else { continue }
            text += "TN:patchpack\nSF:\(file.path)\n"
            for (line, count) in lines.sorted(by: { $0.key < $1.key }) { text += "DA:\(line),\(count)\n" }
            text += "LF:\(lines.count)\nLH:\(lines.count { $0.value > 0 })\nend_of_record\n"
        }
        return text
    }

    /// For each script, how many lines ran, and which did not.
    static func coverageLines(_ runs: [Run]) -> [String] {
        coverage(runs).sorted { $0.key < $1.key }.map { name, lines in
            let missed = lines.filter { $0.value == 0 }.keys.sorted()
            let ran = lines.count - missed.count
            let script = name.split(separator: " ").last ?? ""
            return "\(script): \(ran) of \(lines.count) lines ran"
                + (missed.isEmpty ? "" : ", not \(missed.map(String.init).joined(separator: ", "))")
        }
    }
}

extension String {
    fileprivate var replacingLineFeeds: String { split(separator: "\n").joined(separator: " ") }
}
