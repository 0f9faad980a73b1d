package import PatchCrypto
package import PatchFiles
package import PatchText

/// What the event logs of a fleet add up to.
package struct FleetReport: Sendable, Equatable {
    /// What was read, and what of it was not counted.
    package struct Input: Sendable, Equatable {
        package var bytes = 0
        package var events = 0
        /// Lines that are not valid events: cut, binary, too long, or misnamed.
        package var damaged = 0
        /// The damaged lines that do not name their installation, and the devices that the others name.
        package var damagedWithoutDevice = 0, damagedDevices = 0
        /// The damaged lines that are events with a name, a version or a code that no patch has.
        package var misnamed = 0
        /// The first of these names in the order of bytes, cut to 64 bytes; nil if there is none.
        package var misnamedExample: String?
        /// Lines of another schema.
        package var foreign = 0
        /// Events that do not name their installation.
        package var withoutDevice = 0
        /// Events whose time is missing, before 2020 or in the future. They count, but not by time.
        package var withoutTime = 0
        /// Events from before the requested time, or without a time if one is requested. They are not counted at all.
        package var earlier = 0
        /// Events that were not counted by patch, hour or string, because there were too many different ones. One that
        /// is the first of a device counts again if its hour has no room.
        package var dropped = 0
        /// The dropped events about a patch. If there are any, the numbers of patches may be wrong.
        package var droppedPatches = 0
        /// Events of other installations than the requested one.
        package var others = 0
        /// Events of other apps or environments than the feed's.
        package var elsewhere = 0
        /// How many apps or environments the counted events are of, whichever are more.
        package var origins = 0
        /// How many files could not be read to their end. Events are missing then.
        package var unread = 0
        /// The files that were not read.
        package var leftOut: [LeftOut] = []

        /// A file that was not read, and why.
        package struct LeftOut: Sendable, Equatable {
            package let file: Path
            package let reason: String

            package init(_ file: Path, _ reason: String) {
                self.file = file
                self.reason = reason
            }
        }
    }

    /// A problem of a device itself, and not of one of its patches. The raw value is its mark in the table of devices.
    package enum Trouble: UInt64, Sendable, CaseIterable {
        case syncFailed = 1
        case storeFailed = 2
        /// An envelope was refused before its manifest was verified, so its patch is unknown.
        case refused = 4
        case safeMode = 8
        case neverConfirmed = 16
        case misused = 32

        package var event: EventRecord.Name {
            switch self {
            case .syncFailed: .syncFailed
            case .storeFailed: .storeFailed
            case .refused: .refused
            case .safeMode: .safeMode
            case .neverConfirmed: .neverConfirmed
            case .misused: .misused
            }
        }
    }

    /// The only device of a report on one.
    package struct Device: Sendable, Equatable {
        /// A patch on the device, in one version.
        package struct Held: Sendable, Equatable {
            package let id: String
            package let version: Int
            /// Its last stage, and when it reached that; nil if no plausible time is known.
            package let stage: Stage
            package let since: Timestamp?
            package let isRunning: Bool

            package init(id: String, version: Int, stage: Stage, since: Timestamp?, isRunning: Bool) {
                self.id = id
                self.version = version
                self.stage = stage
                self.since = since
                self.isRunning = isRunning
            }
        }

        package let installation: String
        /// The newest version of the app that it reported, and the operating system; empty if it did not report them.
        package var appVersion = "", system = ""
        package var launches = 0, syncs = 0
        package var lastLaunch: Timestamp?, lastSync: Timestamp?
        /// The patches, sorted by id, then by version.
        package var patches: [Held] = []
    }

    /// The stage of a patch on a device. If two have the same time, the higher one counts.
    package enum Stage: UInt8, Sendable {
        case none, shadow, refused, trial, good
        /// It has expired, or the app was updated past its range.
        case over
        case withdrawn, rolledBack
    }

    /// The beginning of a patch's chart.
    package struct ChartStart: Sendable, Equatable {
        /// The first hour, in hours since 1970.
        package let hour: Int
        /// Devices that reported an earlier one.
        package let devicesBefore: Int
    }

    /// One patch in one version.
    package struct Patch: Sendable, Equatable {
        package let id: String
        package let version: Int
        /// Whether it answers calls where it runs, and is not in shadow, as the feed or else the events say. Then only
        /// devices count that ran it, or tried to: many others may have shadowed it, or shadow it until they sync, and
        /// would hide the failures of a few. A pause or a withdrawal changes nothing about that.
        package var isLive = false
        /// Devices that reported anything about the patch.
        package var devices = 0
        /// Devices that reported it for the first time within the requested times (`ReportFilter.newDevices`).
        package var newDevices = 0
        /// Devices on which it runs: it was activated, not removed since, and part of the last launch.
        package var running = 0
        /// Devices on which it failed at least once, also in shadow.
        package var failing = 0
        /// Devices that rolled it back, for good or until the next version.
        package var rolledBack = 0
        /// Devices that rolled it back together with others, and do not know yet which of them was the cause.
        package var suspected = 0
        /// Devices on which it failed, or that rolled it back.
        package var affected = 0
        /// Devices that refused it.
        package var refused = 0
        /// Devices by the last stage that they reported. Those in `.none` only loaded it, or the events of a stage are
        /// missing.
        package var stages: [Stage: Int] = [:]
        /// When the feed stopped it; nil if it is not stopped.
        package var stopped: Timestamp? {
            didSet { stopTime = stopped.map { UInt64(max(0, $0.secondsSince1970)) * 1000 } }
        }
        /// The same in milliseconds since 1970, to compare it with each event.
        private(set) var stopTime: UInt64?
        /// Devices that have reported since the feed stopped it, and the number of them on which it still runs.
        package var heard = 0, keeping = 0
        /// Devices that have compared it in shadow, now or earlier.
        package var shadowed = 0
        /// Devices that have compared a function for which there was no room, so that it is not one of ``comparisons``.
        package var uncounted = 0
        /// What it would change, function by function, the one with the most differences first.
        package var comparisons: [Comparison] = []
        package var counts = CallCounts()
        /// The mean of the devices' shares of their calls that failed, and that something else answered.
        package var failureShare = Share(0, of: 0), fallbackShare = Share(0, of: 0)
        /// The mean of the devices' shares of their measured calls that took longer than each of
        /// `EventRecord.timeBounds`.
        package var slowerShares = EventRecord.timeBounds.map { _ in Share(0, of: 0) }
        /// How many devices each one represents whose calls, or whose comparisons, are counted. More devices have room
        /// in the report itself.
        package var callScale = 1, comparisonScale = 1
        /// The first minute with a failure or a roll-back, in minutes since 1970.
        package var firstBadMinute: Int?
        /// Devices by app version, the newest version first.
        package var appVersions: [Part] = []
        /// Devices by operating system and its version, the most frequent first. Devices that do not report it are left
        /// out.
        package var systems: [Part] = []
        /// The faults, the most frequent first.
        package var faults: [Fault] = []
        /// What was reported in each hour, the earliest first.
        package var hours: [Hour] = []

        package init(id: String, version: Int) {
            self.id = id
            self.version = version
        }

        /// The comparisons of all functions together.
        package var comparison: ComparisonCounts {
            comparisons.reduce(into: ComparisonCounts()) { $0.add($1.counts) }
        }
        /// Where the chart begins; nil if no device has a time.
        ///
        /// The clock of a device may be wrong by years, and a chart that began then would show nothing. Hours far
        /// before the first quarter of the devices are left out: further back than twice the time that the others took,
        /// and than two months.
        package var beginning: ChartStart? {
            let new = hours.filter { $0.newDevices > 0 }
            guard let last = new.last?.hour else { return nil }
            let all = new.reduce(0) { $0.addingOrMost($1.newDevices) }
            // The hour by which a quarter of them had it.
            var quarter = last
            var count = 0
            for hour in new {
                count.addOrMost(hour.newDevices)
                guard count <= all / 4 else {
                    quarter = hour.hour
                    break
                }
            }
            let twoMonths = 60 * 24
            let start = quarter - max(twoMonths, 2 * (last - quarter))
            let before = new.prefix { $0.hour < start }
            guard let first = new.first(where: { $0.hour >= start }) else { return nil }
            return ChartStart(hour: first.hour, devicesBefore: before.reduce(0) { $0.addingOrMost($1.newDevices) })
        }
        /// The first minute in the chart with a failure or a roll-back, in minutes since 1970.
        package var firstBelievedBadMinute: Int? {
            guard let first = beginning?.hour else { return firstBadMinute }
            return hours.first { $0.hour >= first && $0.firstBadMinute != nil }?.firstBadMinute
        }
        /// Devices whose last stage it is.
        package func devices(in stage: Stage) -> Int { stages[stage, default: 0] }
        package var hasTrouble: Bool { affected > 0 || refused > 0 || suspected > 0 }
    }

    /// The runs of a function in shadow, compared with the calls that were answered.
    package struct Comparison: Sendable, Equatable {
        /// Why calls could not be compared, and how many for this reason.
        package struct Reason: Sendable, Equatable {
            package let text: String
            package let count: Int
        }

        /// An answer, what it would be, and the function of the script that returned it.
        package struct Example: Sendable, Equatable {
            package let answer: String
            package let result: String
            package let place: PatchError.Place
        }

        package let function: String
        package var counts = ComparisonCounts()
        /// The mean of the devices' shares of their compared calls that would have been answered otherwise.
        package var differingShare = Share(0, of: 0)
        /// The mean of the devices' shares of their calls in the sample that could be compared.
        package var comparableShare = Share(0, of: 0)
        /// Its devices, of all that have compared the patch.
        package var users = Share(0, of: 0)
        /// The votes of its devices, in billionths. Each device has one, and divides it among the functions that it
        /// uses.
        package var votes = 0
        /// The known reasons, the most frequent first.
        package var reasons: [Reason] = []
        /// The earliest differences, each once.
        package var examples: [Example] = []

        package init(function: String) { self.function = function }

        /// The calls that could not be compared for other reasons than the known ones.
        package var otherReasons: Int { max(0, counts.incomparable - reasons.reduce(0) { $0.addingOrMost($1.count) }) }
    }

    /// An app in an environment, as a feed has it.
    package struct Origin: Sendable {
        package let app: String
        package let environment: String

        package init(app: String, environment: String) {
            self.app = app
            self.environment = environment
        }
    }

    /// A patch that a feed lists.
    package struct Listed: Sendable {
        package let id: String
        package let version: Int
        /// When the feed stopped it; nil if it did not.
        package let stopped: Timestamp?
        /// Whether it is not in shadow, or was not before it was paused or withdrawn.
        package let isLive: Bool
        /// Whether devices still get it, live or in shadow.
        package let isOffered: Bool

        package init(
            id: String, version: Int, stopped: Timestamp? = nil, isLive: Bool = false, isOffered: Bool = true
        ) {
            self.id = id
            self.version = version
            self.stopped = stopped
            self.isLive = isLive
            self.isOffered = isOffered
        }
    }

    /// Devices that have something in common.
    package struct Part: Sendable, Equatable {
        package let name: String
        package var devices = 0
        package var affected = 0

        mutating func add(_ count: SurroundingsTable.Count) {
            devices += count.devices
            affected += count.affected
        }
    }

    /// Something that went wrong with a patch, or with a device itself.
    package struct Fault: Sendable, Equatable {
        /// The name of the event: `failed`, `compared` (it failed in shadow), `refused`, `fell-back`, `rolled-back`
        /// or `closed`; of a device, the name of a ``Trouble``.
        package let event: String
        /// The error's code; empty for a roll-back, which has only a reason.
        package let code: String
        package let function: String
        /// Where it happened, as far as it is known.
        package let place: PatchError.Place
        /// The line and those that called it, in the form of the event; nil if nothing in the script called it.
        package let stack: String?
        /// The message of the first occurrence, or the reason. In a report on one device, it is from the last
        /// occurrence.
        package let message: String
        package var count: Int
        /// When it happened last; nil if no plausible time is known.
        package let last: Timestamp?
    }

    /// What was reported of a patch in an hour.
    package struct Hour: Sendable, Equatable {
        /// Hours since 1970.
        package let hour: Int
        /// Devices that reported the patch for the first time.
        package var newDevices = 0
        /// Calls, and those of them that failed.
        package var calls = 0, failures = 0
        /// Events of failures, and of roll-backs.
        package var failed = 0, rolledBack = 0
        /// The minute of the first of them, in minutes since 1970.
        package var firstBadMinute: Int?
    }

    package var input = Input()
    /// All devices that reported anything.
    package var devices = 0
    /// The same, with the devices whose events are left out because of their time.
    package var knownDevices = 0
    /// The devices that had each trouble at least once.
    package var troubled: [Trouble: Int] = [:]
    /// Devices whose last sync failed.
    package var unsynced = 0
    /// The faults of devices themselves, the most frequent first.
    package var faults: [Fault] = []
    /// How many devices each counted device represents: 1 unless there were too many for the memory.
    package var scale = 1
    /// The latest time that the last events of several devices have reached; nil if none has a plausible time.
    package var newest: Timestamp?
    /// The patches, sorted by id, then by version.
    package var patches: [Patch] = []
    /// The requested device; nil if all were requested, or if it has no events.
    package var device: Device?

    package init() {}
}
