import Libc
import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing
import PatchReport
import PatchRunner

enum EventFiles {
    private static let packings = [".gz", ".zst"]

    private static func unpacked(_ file: Path) -> Path {
        guard let packing = packings.first(where: file.ends) else { return file }
        return Path(bytes: Array(file.bytes.dropLast(packing.utf8.count)))
    }

    /// Whether a name is that of an event log, such as `a.jsonl`, and `a.jsonl.1` and `a.jsonl-20261126.gz` after a
    /// rotation.
    private static func isLog(_ name: Path) -> Bool {
        let text = unpacked(name).description
        guard let suffix = text.firstRange(of: ".jsonl"), suffix.lowerBound > text.startIndex else { return false }
        let rotation = text[suffix.upperBound...].utf8
        return rotation.isEmpty
            || "-._".utf8.contains(rotation.first ?? 0)
                && rotation.allSatisfy { "0123456789-._:TZ".utf8.contains($0) }
    }

    /// The event logs in files and folders, each once, and the files that are left out.
    ///
    /// - Parameter mayBeMissing: Whether a folder may have none, as before the first device reports.
    /// - Throws: `noInput` if a folder cannot be read, or has no event log.
    private static func find(
        _ places: [Path], mayBeMissing: Bool
    ) throws(PatchError) -> (files: [Path], leftOut: [FleetReport.Input.LeftOut]) {
        var (files, others) = ([Path](), [Path]())
        for place in places {
            guard place.isFolder else {
                files.append(place)
                continue
            }
            var search = FolderSearch(includes: isLog)
            try search.add(place)
            guard mayBeMissing || !search.found.isEmpty else {
                throw InputFiles.nothing(called: ".jsonl", in: place)
            }
            files += search.found
            others += search.others
        }
        let named = Set(files)
        var (kept, paths, packed, identities) = ([Path](), Set<Path>(), Set<Path>(), [FileInfo.Identity: Path]())
        var leftOut: [FleetReport.Input.LeftOut] = []
        for file in files {
            let text = unpacked(file)
            let identity = FileInfo(file.isStandardStream ? Path("/dev/stdin") : file, following: true)?.identity
            let same = identity.flatMap { identities[$0] }
            if same == nil, let identity { identities[identity] = file }
            if !paths.insert(file).inserted {
                leftOut.append(.init(file, "it is named twice"))
            } else if let same {
                leftOut.append(.init(file, "it is the same file as \(same)"))
            } else if text != file, named.contains(text) || !packed.insert(text).inserted {
                leftOut.append(.init(file, "\(text.name) is beside it, compressed otherwise or not at all"))
            } else {
                kept.append(file)
            }
        }
        leftOut += others.map { .init($0, "its name is not that of an event log") }
        return (kept, leftOut)
    }

    /// The report on all events of the files, and the first file's error. The error is printed, and the report has the
    /// other files.
    ///
    /// - Parameter listed: The patches that a feed lists. They are counted even if no device reports them.
    static func report(
        on places: [Path], mayBeMissing: Bool = false, patch: String? = nil, version: Int? = nil, since: Timestamp?,
        newSince: Timestamp? = nil, newUntil: Timestamp? = nil, listed: [FleetReport.Listed] = [],
        installation: String? = nil,
        origin: FleetReport.Origin? = nil, _ console: Console
    ) throws(PatchError) -> (FleetReport, PatchError?) {
        let (files, leftOut) = try find(places, mayBeMissing: mayBeMissing)
        for file in leftOut.prefix(20) { console.warning("\(file.file): left out, because \(file.reason)") }
        if leftOut.count > 20 { console.warning("\(leftOut.count - 20) other files are left out") }
        var builder = ReportBuilder(
            now: WallClock.milliseconds, patch: patch, version: version, since: since, newSince: newSince,
            newUntil: newUntil, installation: installation, origin: origin)
        builder.add(listed: listed)
        var failure: PatchError?
        let input = EventInput()
        for file in files {
            do {
                try input.read(file, into: &builder)
            } catch {
                console.error(error)
                failure = failure ?? error
            }
        }
        var report = builder.report()
        report.input.leftOut = leftOut
        let read = report.input
        if failure == nil, let first = files.first,
            read.events + read.earlier + read.others + read.elsewhere + read.withoutDevice == 0
        {
            let (damaged, foreign) = (read.damaged, read.foreign)
            let lines = damaged > 0 ? damaged.counting("damaged line") : foreign.counting("line") + " of another schema"
            var error = PatchError(
                .malformed, "no event was read" + (damaged + foreign > 0 ? ", beside \(lines)" : ""),
                hint: "name the event logs of devices")
            if files.count == 1 { error = error.about(first) }
            console.error(error)
            failure = error
        }
        return (report, failure)
    }
}

extension FeedRepository {
    /// Of which app and environment the events of its devices are.
    var origin: FleetReport.Origin { FleetReport.Origin(app: app, environment: environment) }

    /// The listed patches for a report, with the time when each was withdrawn or all patches were switched off.
    var listed: [FleetReport.Listed] {
        list.entries.map { entry in
            FleetReport.Listed(
                id: entry.id, version: entry.version,
                stopped: entry.state == .withdrawn ? entry.since : list.isEnabled ? nil : list.stop?.time,
                isLive: entry.state == .active)
        }
    }
}
