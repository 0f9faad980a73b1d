import Libc
import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing
import PatchReport
import PatchRunner

/// The report on the event logs that a command line names.
enum EventFiles {
    /// The report on all events of the files, as far as they can be read.
    ///
    /// - Parameters:
    ///   - places: The files, and folders with files.
    ///   - mayBeMissing: Whether a folder may have no event log, as before the first device reports.
    ///   - filter: What of the logs is counted.
    ///   - listed: The patches that a feed lists. They are counted even if no device reports them.
    /// - Returns: The report, and the first reason why it is not on all events, which is printed already: the error of
    ///   a file, or `malformed` if no file has an event; nil if it is on all.
    /// - Throws: `noInput` if a folder cannot be read, or has no event log.
    static func report(
        on places: [Path], mayBeMissing: Bool = false, _ filter: ReportFilter, listed: [FleetReport.Listed],
        _ console: Console
    ) throws(PatchError) -> (FleetReport, PatchError?) {
        let logs = try EventLogs(in: places, mayBeMissing: mayBeMissing)
        warn(of: logs.leftOut, console)
        var builder = ReportBuilder(now: WallClock.milliseconds, filter: filter)
        builder.add(listed: listed)
        let errors = read(logs.files, into: &builder, console)
        var report = builder.report()
        report.input.leftOut = logs.leftOut
        report.input.unread = errors.count
        var failure = errors.first
        if failure == nil, let missing = missingEvents(in: report.input, logs.files) {
            console.error(missing)
            failure = missing
        }
        return (report, failure)
    }

    private static func warn(of leftOut: [FleetReport.Input.LeftOut], _ console: Console) {
        let most = 20
        for file in leftOut.prefix(most) { console.warning("\(file.file): left out, because \(file.reason)") }
        if leftOut.count > most { console.warning("\(leftOut.count - most) other files are left out") }
    }

    /// Reads the files, and prints and returns the error of each that cannot be read to its end.
    private static func read(
        _ files: [Path], into builder: inout ReportBuilder, _ console: Console
    ) -> [PatchError] {
        var errors: [PatchError] = []
        let input = EventInput()
        for file in files {
            do {
                try input.read(file, into: &builder)
            } catch {
                console.error(error)
                errors.append(error)
            }
        }
        return errors
    }

    /// The error of files that are not event logs, so that no one takes them for those of a fleet in which nothing
    /// fails; nil if they have an event, counted or not, or if there are no files.
    private static func missingEvents(in input: FleetReport.Input, _ files: [Path]) -> PatchError? {
        let events = input.events + input.earlier + input.others + input.elsewhere + input.withoutDevice
        guard events == 0, let first = files.first else { return nil }
        var message = "no event was read"
        if input.damaged > 0 {
            message += ", beside \(input.damaged.counting("damaged line"))"
        } else if input.foreign > 0 {
            message += ", beside \(input.foreign.counting("line")) of another schema"
        }
        let error = PatchError(.malformed, message, hint: "name the event logs of devices")
        return files.count == 1 ? error.about(first) : error
    }
}

extension FeedRepository {
    /// Of which app and environment the events of its devices are.
    var origin: FleetReport.Origin { FleetReport.Origin(app: app, environment: environment) }

    /// The listed patches for a report, with the time when each was withdrawn or all patches were switched off.
    var listed: [FleetReport.Listed] {
        let switchedOff = list.isEnabled ? nil : list.stop?.time
        return list.entries.map { entry in
            FleetReport.Listed(
                id: entry.id, version: entry.version, stopped: entry.state == .withdrawn ? entry.since : switchedOff,
                isLive: entry.resumedState == .active, isOffered: entry.isOffered)
        }
    }
}
