import Libc
import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing
import PatchReport
import PatchRunner

/// The files of event logs, read into a report.
enum EventFiles {
    /// How the files of an event log are called.
    static let suffixes = [".jsonl", ".jsonl.gz", ".jsonl.zst"]

    /// The files without copies: those that are named twice, and a compressed one whose text is beside it.
    private static func withoutCopies(_ files: [Path], _ console: Console) -> [Path] {
        let named = Set(files)
        var (kept, texts) = ([Path](), Set<Path>())
        for file in files {
            let packing = [".gz", ".zst"].first { file.ends(in: $0) }
            let text = packing.map { Path(bytes: Array(file.bytes.dropLast($0.utf8.count))) } ?? file
            guard packing == nil || !named.contains(text), texts.insert(text).inserted else {
                let reason =
                    packing == nil
                    ? "it is named twice" : "\(text.name) is beside it, compressed otherwise or not at all"
                console.warning("\(file): left out, because \(reason)")
                continue
            }
            kept.append(file)
        }
        return kept
    }

    /// The report on all events of files, and the first error of a file, which was printed. The others are in the report.
    ///
    /// - Parameters:
    ///   - listed: The patches that a feed lists, which are counted whatever devices send.
    ///   - installation: The only device to count; nil for all.
    static func report(
        on files: [Path], patch: String? = nil, version: Int? = nil, since: Timestamp?, newSince: Timestamp? = nil,
        listed: [FleetReport.Listed] = [], installation: String? = nil, _ console: Console
    ) throws(PatchError) -> (FleetReport, PatchError?) {
        guard
            let builder = ReportBuilder(
                now: WallClock.milliseconds, patch: patch, version: version, since: since, newSince: newSince,
                listed: listed, installation: installation)
        else { throw PatchError(.internal, "no memory") }
        let lines = EventLines(builder, jobs: Resources.processorCount)
        var failure: PatchError?
        let input = EventInput()
        let files = withoutCopies(files, console)
        let progress = ReportProgress(files, console)
        for file in files {
            do {
                try input.read(file, into: lines) { progress.show(lines.input.events, $0) }
                progress.finish(file)
            } catch {
                console.error(error)
                failure = failure ?? error
            }
        }
        progress.end()
        return (lines.report(), failure)
    }
}

extension FeedRepository {
    /// What it lists, for a report: with when it was withdrawn, or all patches were switched off.
    var listed: [FleetReport.Listed] {
        list.entries.map { entry in
            FleetReport.Listed(
                id: entry.id, version: entry.version,
                stopped: entry.state == .withdrawn ? entry.since : list.isEnabled ? nil : list.stop?.time)
        }
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
