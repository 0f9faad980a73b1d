import PatchCrypto
import PatchFiles
import PatchRunner
import PatchSpec

enum TestReport {
    /// A patch and its source files, for the coverage report.
    struct GivenPatch {
        let path: Path
        let patch: VerifiedPatch
        let files: [(key: String, path: Path)]
    }

    /// A spec, the patches that it is for, and its results.
    struct Run {
        let spec: Path
        var patches: [GivenPatch] = []
        var report = SpecReport()

        /// What the patches would change, by the function.
        var comparisons: [(String, RunnerEvent.Comparison)] {
            report.comparisons.sorted { $0.key.hasBytes(before: $1.key) }.map { ($0.key, $0.value) }
        }

        func count(_ status: SpecReport.Status) -> Int { report.tests.count { $0.status == status } }

        var names: String { patches.map(\.patch.manifest.id).joined(separator: ", ") }
    }

    /// The reason that a run fails although no test failed.
    private static func fault(_ run: Run) -> String? {
        if let error = run.report.error { return error.text }
        if run.report.replacements == 0 { return "the patches replace nothing" }
        return run.report.tests.isEmpty ? "the spec has no tests" : nil
    }

    /// Prints a run as text.
    ///
    /// - Parameter isOnly: Whether it is the only run, whose spec needs no heading.
    static func show(_ run: Run, isOnly: Bool, _ console: Console) throws(PatchError) {
        let isBad = fault(run) != nil || run.report.tests.contains { $0.status == .failed }
        if !isOnly, isBad || !console.isQuiet {
            try console.line(.faint, "\(run.spec)", run.patches.isEmpty ? "" : "  for \(run.names)")
        }
        for test in run.report.tests {
            switch test.status {
            case .failed:
                try console.line(.bad, "failed", "  \(test.name)")
                for line in test.message.split(separator: "\n") { try console.line("    \(line)") }
            case .pending:
                let why = test.message.isEmpty || test.name.hasSuffix(test.message) ? "" : ": \(test.message)"
                if !console.isQuiet { try console.line(.faint, "pending", "  \(test.name)\(why)") }
            case .passed: if !console.isQuiet { try console.line(.good, "ok", "  \(test.name)") }
            }
        }
        for (function, comparison) in run.comparisons where !console.isQuiet {
            try console.line(.faint, "in shadow", "  \(function): \(comparison.summary)")
            for line in comparison.lines { try console.line("    \(line)") }
        }
        if let error = run.report.shadowError { console.warning("in shadow, the spec cannot be loaded: \(error)") }
        if let fault = fault(run) { try show(fault, of: run, console) }
    }

    private static func show(_ fault: String, of run: Run, _ console: Console) throws(PatchError) {
        let error = run.report.error
        var text = fault
        var place: PatchError.Place?
        // The place in the spec is shown before the message, and any other one is in it.
        if let error, error.place?.file == run.spec.description {
            text = error.message
            place = error.place
        }
        // A traceback has several lines.
        let lines = text.split(separator: "\n").map(String.init)
        console.error(
            PatchError(error?.code ?? .script, lines.first ?? "", hint: error?.hint, at: place).about(run.spec))
        for line in lines.dropFirst() { try console.line("    \(line)") }
    }

    private static func json(of function: String, _ comparison: RunnerEvent.Comparison, in run: Run) -> JSONValue {
        let examples = comparison.examples.map { example in
            JSONValue([
                ("answer", example.answer), ("result", example.result), ("message", example.failure?.text),
                ("file", example.place?.script), ("line", example.place?.line),
            ])
        }
        return .object(
            "patchpack.test-shadow/1",
            [
                ("spec", run.spec), ("function", function), ("agreed", comparison.agreed),
                ("differed", comparison.differed), ("failed", comparison.failed),
                ("incomparable", comparison.incomparable),
                ("reasons", JSONValue(comparison.sortedReasons.map { ($0.key, $0.value) })), ("examples", examples),
            ])
    }

    /// How many tests have passed, failed and are pending, in all runs.
    static func counts(_ runs: [Run]) -> String {
        func count(_ status: SpecReport.Status) -> Int { runs.reduce(0) { $0 + $1.count(status) } }
        let broken = runs.count { fault($0) != nil }
        return "\(count(.passed)) passed, \(count(.failed)) failed, \(count(.pending)) pending"
            + (runs.count == 1 ? "" : " in \(runs.count) specs") + (broken == 0 ? "" : ", \(broken) broken")
    }

    /// A run's tests. Its fault is also a case, because many CI servers would not show it otherwise.
    static func cases(of run: Run) -> [ReportCase] {
        let spec = run.spec.description
        let tests = run.report.tests.map { test in
            ReportCase(
                group: spec, name: test.name, outcome: test.status.outcome, message: test.message,
                place: "\(spec):\(test.line)", nanoseconds: test.nanoseconds)
        }
        guard let fault = fault(run) else { return tests }
        return tests + [ReportCase(group: spec, name: spec, outcome: .broken, message: fault)]
    }

    /// An annotation for GitHub on each failed test, and on each spec that failed as a whole.
    static func annotations(_ runs: [Run]) -> [Annotation] {
        runs.flatMap { run in
            let tests = run.report.tests.filter { $0.status == .failed }.map { test in
                Annotation(
                    level: "error", file: run.spec, title: test.name,
                    region: .init(line: test.line, column: 1, length: 1), message: test.message)
            }
            guard let fault = fault(run) else { return tests }
            return tests + [Annotation(level: "error", file: run.spec, title: "spec", message: fault)]
        }
    }

    /// Objects of each run: one for each test, one for each function in shadow, and one for the run as a whole.
    static func json(_ runs: [Run]) -> [JSONValue] {
        runs.flatMap { run in
            let tests = run.report.tests.map { test in
                JSONValue.object(
                    "patchpack.test/1",
                    [
                        ("spec", run.spec), ("patches", run.patches.map(\.patch.manifest.id)), ("name", test.name),
                        ("line", test.line), ("status", test.status.rawValue),
                        ("microseconds", Int(test.nanoseconds / 1000)),
                        ("message", test.message.isEmpty ? .null : test.message.json),
                    ])
            }
            let whole = JSONValue.object(
                "patchpack.test-run/1",
                [
                    ("spec", run.spec), ("ok", run.report.isGood), ("replacements", run.report.replacements),
                    ("passed", run.count(.passed)), ("failed", run.count(.failed)), ("pending", run.count(.pending)),
                    ("fault", fault(run)),
                ])
            return tests + run.comparisons.map { json(of: $0, $1, in: run) } + [whole]
        }
    }
}

extension SpecReport.Status {
    fileprivate var outcome: ReportCase.Outcome {
        switch self {
        case .passed: .passed
        case .failed: .failed
        case .pending: .skipped
        }
    }
}

extension RunnerEvent.Comparison {
    /// The examples, and the reasons for which calls could not be compared, a line each.
    fileprivate var lines: [String] {
        examples.map { example in
            if let failure = example.failure { return "\(example.answer) would fail: \(failure.text)" }
            let place = example.place.map { "\($0.script):\($0.line): " } ?? ""
            return "\(place)\(example.answer) would be \(example.result ?? "nothing")"
        }
            + sortedReasons.map { reason, count in "not compared: \(reason) (\(count))" }
    }

    fileprivate var sortedReasons: [(key: String, value: Int)] {
        reasons.sorted { $0.key.hasBytes(before: $1.key) }
    }
}
