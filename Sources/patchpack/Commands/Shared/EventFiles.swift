import Libc
import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing
import PatchReport
import PatchRunner

/// The files of event logs, read into a report.
enum EventFiles {
    /// The suffixes of event log files.
    static let suffixes = [".jsonl", ".jsonl.gz", ".jsonl.zst"]

    /// The files without copies, such as a file that is named twice, or a compressed file next to its uncompressed form.
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

    /// The report on all events of the files, and the first file's error. The error is printed, and the report has the other
    /// files.
    ///
    /// - Parameters:
    ///   - listed: The patches that a feed lists. They are counted even if no device reports them.
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
        let progress = ReadingProgress(of: files, in: "events", console)
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
    /// The listed patches for a report, with the time when each was withdrawn or all patches were switched off.
    var listed: [FleetReport.Listed] {
        list.entries.map { entry in
            FleetReport.Listed(
                id: entry.id, version: entry.version,
                stopped: entry.state == .withdrawn ? entry.since : list.isEnabled ? nil : list.stop?.time)
        }
    }
}
