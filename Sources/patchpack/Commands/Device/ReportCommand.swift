import PatchCrypto
import PatchFiles
import PatchReport
import PatchRunner

extension Option {
    static let gate = Option(
        name: "gate", value: .text("BOUND"), repeats: true,
        help:
            "fail unless a part is surely below a bound: failures, fallbacks, failing, rolled-back or refused, as in 'failing<0.5%'"
    )
    static let reportedPatch = Option(
        name: "patch", value: .text("ID"), help: "report only this patch")
    static let reportedVersion = Option(
        name: "patch-version", value: .text("N"), help: "report only this version")
    static let html = Option(name: "html", value: .file("FILE"), help: "also write the report as a page with charts")
}

/// `report`: adds up what devices told about their patches.
enum ReportCommand {
    static let verb = Verb(
        name: "report", summary: "add up the event logs of devices: who runs what, what fails, is it safe to go on",
        operands: "FILE|DIR|-...", operandValue: .file("FILE"), operandCount: 0...Int.max,
        options: [.gate, .reportedPatch, .reportedVersion, .html, .force, .filesFrom, .null],
        example: "patchpack report events/ --patch com.example.shop.cart-total --gate 'failing<0.5%'", run: run)

    /// How the files of an event log are called.
    private static let suffixes = [".jsonl", ".jsonl.gz", ".jsonl.zst"]

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let gates = try gates(arguments)
        let files = try InputFiles.all(arguments, in: true, called: suffixes)
        let version = try arguments.number(of: .reportedVersion)
        let id = try arguments.text(of: .reportedPatch)
        let page = try arguments.value(of: .html)?.path.checked(force: arguments.has(.force))
        guard var builder = ReportBuilder(now: WallClock.milliseconds, patch: id, version: version)
        else { throw PatchError(.internal, "no memory") }
        var failure: PatchError?
        let input = EventInput()
        let progress = ReportProgress(files, console)
        for file in files {
            do {
                try input.read(file, into: &builder) { progress.show($0.input.events, $1) }
                progress.finish(file)
            } catch {
                // What the other files say is still worth knowing.
                console.error(error)
                if failure == nil { failure = error }
            }
        }
        progress.end()
        var report = builder.report()
        if let failure, console.format == .text, report.input.bytes == 0 { return failure.code.exitStatus }
        report.patches.removeAll { patch in
            id.map { $0 != patch.id } ?? false || version.map { $0 != patch.version } ?? false
        }
        let results = ReportGateResult.all(gates, report, id: id, version: version)
        if failure == nil { failure = results.first { $0.verdict == .crossed }?.failure }
        if failure == nil, !gates.isEmpty, report.input.droppedPatches > 0 {
            failure = PatchError(
                .limit, "\(report.input.droppedPatches) events of patches were not counted, so no gate can be decided",
                hint: "there are too many patches: give --patch ID and --patch-version N")
        }
        if failure == nil { failure = results.lazy.compactMap(\.failure).first }
        if console.format == .json {
            try console.json(report.json(results, failure))
        } else {
            for line in report.lines(results) { try line.print(console) }
        }
        if let page {
            try OutputFile.write(
                [OutputFile(path: page, content: .bytes(Array(report.page(results).utf8)))],
                force: arguments.has(.force))
        }
        return failure?.code.exitStatus ?? 0
    }

    private static func gates(_ arguments: ParsedArguments) throws(PatchError) -> [ReportGate] {
        var gates: [ReportGate] = []
        for text in try arguments.texts(of: .gate) {
            guard let gate = ReportGate(text) else {
                let measures = ReportGate.Measure.allCases.map(\.rawValue).joined(separator: ", ")
                throw PatchError(
                    .usage, "--gate \(text): not a bound",
                    hint: "write one of \(measures), then < and a percentage, as in 'failing<0.5%'")
            }
            gates.append(gate)
        }
        return gates
    }
}

extension Path {
    /// The path itself, if a file can be written there.
    fileprivate func checked(force: Bool) throws(PatchError) -> Path {
        try OutputFile(path: self, content: .bytes([])).checkPlace(force: force)
        return self
    }
}

/// Shows how far the reading is, on a terminal.
final class ReportProgress {
    private let total: Int
    private let console: Console
    private let start = ContinuousClock().now
    private var before = 0

    init(_ files: [Path], _ console: Console) {
        self.console = console
        total = files.reduce(0) { $0 + (FileInfo($1, following: true)?.size ?? 0) }
    }

    /// - Parameters:
    ///   - events: The events that were read.
    ///   - bytes: The bytes that were read of the current file.
    func show(_ events: Int, _ bytes: Int) {
        let seconds = max(0.001, (ContinuousClock().now - start) / .seconds(1))
        let speed = Double(before + bytes) / seconds
        let left =
            speed > 0 && total > before + bytes ? ", \(Int(Double(total - before - bytes) / speed) + 1) s left" : ""
        console.status(
            "\((before + bytes).bytes) read, \(Int(speed).bytes) and \(Int(Double(events) / seconds)) events a second\(left)"
        )
    }

    func finish(_ file: Path) { before += FileInfo(file, following: true)?.size ?? 0 }

    func end() { console.status(nil) }
}
