package import PatchCrypto

/// What a fleet of devices told about its patches.
package struct FleetReport: Sendable, Equatable {
    /// What was read.
    package struct Input: Sendable, Equatable {
        package var bytes = 0
        package var events = 0
        /// Lines that are no JSON: cut, binary, or too long.
        package var damaged = 0
        /// Those of them that are events with a name, a version or a code that no patch has, and one of these names.
        package var misnamed = 0
        package var misnamedExample: String?
        /// Lines of another schema.
        package var foreign = 0
        /// Events that do not say from which installation they are.
        package var withoutDevice = 0
        /// Events whose time is missing, before 2020 or in the future. They count, but not by time.
        package var withoutTime = 0
        /// Events from before the time that was asked for. They are not counted at all.
        package var earlier = 0
        /// Events that were not counted by patch, hour or text, because there were too many different ones.
        package var dropped = 0
        /// Those of them that were about a patch, so that what is said of patches may be wrong.
        package var droppedPatches = 0
        /// Events of other installations than the one that was asked for.
        package var others = 0
    }

    /// What may go wrong on a device as such, and not with one of its patches: the name of its event.
    package enum Trouble: String, Sendable, CaseIterable {
        case syncFailed = "sync-failed"
        case storeFailed = "store-failed"
        /// An envelope was refused whose manifest was not verified, so that its patch is unknown.
        case refused
        case safeMode = "safe-mode"
        case neverConfirmed = "never-confirmed"
        case misused
    }

    /// One device, as its events have it.
    package struct Device: Sendable, Equatable {
        /// A patch on the device, in one version.
        package struct Held: Sendable, Equatable {
            package let id: String
            package let version: Int
            /// What became of it last, and when; nil if no believable time is known.
            package let stage: Stage
            package let since: Timestamp?
            package let isRunning: Bool

            package init(id: String, version: Int, stage: Stage, since: Timestamp?, isRunning: Bool) {
                (self.id, self.version, self.stage, self.since) = (id, version, stage, since)
                self.isRunning = isRunning
            }
        }

        package let installation: String
        /// The newest version of the app that it reported, and the operating system; empty if it does not say.
        package var appVersion = "", system = ""
        package var launches = 0, syncs = 0
        package var lastLaunch: Timestamp?, lastSync: Timestamp?
        /// The patches, sorted by id, then by version.
        package var patches: [Held] = []
    }

    /// What becomes of a patch on a device. If two are of the same moment, the higher one counts.
    package enum Stage: UInt8, Sendable {
        case none, refused, trial, good, over, withdrawn, rolledBack
    }

    /// One patch in one version.
    package struct Patch: Sendable, Equatable {
        package let id: String
        package let version: Int
        /// Devices that reported anything about the patch.
        package var devices = 0
        /// Those that did so for the first time since the time that was asked for.
        package var newDevices = 0
        /// Devices on which it runs: it was activated, not taken away since, and part of the last launch.
        package var running = 0
        /// Devices on which it failed at least once.
        package var failing = 0
        /// Devices that rolled it back, for good or until the next version.
        package var rolledBack = 0
        /// Devices that rolled it back together with others, and do not know yet which of them was the cause.
        package var suspected = 0
        /// Devices on which it failed, or that rolled it back.
        package var affected = 0
        /// Devices that refused it.
        package var refused = 0
        /// Devices by the last stage that they reported.
        package var trial = 0, good = 0, withdrawn = 0
        /// Devices on which it is over: it has expired, or the app was updated past its range.
        package var over = 0
        /// When the feed stopped it; nil if it is not stopped.
        package var stopped: Timestamp?
        /// Devices that were heard of since then, and those of them on which it still runs.
        package var heard = 0, keeping = 0
        package var calls = 0, failures = 0, fallbacks = 0
        /// The calls whose time was measured, and their nanoseconds together.
        package var measured = 0, nanoseconds = 0
        /// The longest measured call, in nanoseconds.
        package var longest = 0
        /// The measured calls by their time: below each of `EventRecord.timeBounds`, and below none.
        package var times = [Int](repeating: 0, count: EventRecord.timeBounds.count + 1)
        /// The first minute with a failure or a roll-back, in minutes since 1970.
        package var firstBadMinute: Int?
        /// Devices by app version, the newest version first.
        package var appVersions: [Part] = []
        /// Devices by operating system and its version, the most frequent first. Those that do not say it are left out.
        package var systems: [Part] = []
        /// What went wrong, the most frequent first.
        package var faults: [Fault] = []
        /// The hours in which something happened.
        package var hours: [Hour] = []

        package init(id: String, version: Int) {
            self.id = id
            self.version = version
        }

        /// The part of all calls that failed.
        package var failureRate: Share { Share(failures, of: calls) }
        /// The mean time of a call, in nanoseconds.
        package var meanTime: Int? { measured > 0 ? nanoseconds / measured : nil }
        /// The part of the measured calls that took longer than one of `EventRecord.timeBounds`.
        ///
        /// - Parameter bound: Its place.
        package func share(slowerThan bound: Int) -> Share {
            func sum(_ counts: ArraySlice<Int>) -> Int { counts.reduce(into: 0) { $0.addOrMost($1) } }
            return Share(sum(times[(bound + 1)...]), of: sum(times[...]))
        }
        /// The first hour that is drawn, in hours since 1970, and the devices that reported an earlier one; nil if no device has a time.
        ///
        /// The clock of a device may be wrong by years, and a chart that begins then shows nothing. What is far before the first quarter
        /// of the devices is left out: twice as long as the others took, and at least two months.
        package var beginning: (hour: Int, devicesBefore: Int)? {
            let new = hours.filter { $0.newDevices > 0 }
            guard let last = new.last?.hour else { return nil }
            let all = new.reduce(0) { $0.addingOrMost($1.newDevices) }
            var count = 0
            let quarter = new.first { hour in
                count.addOrMost(hour.newDevices)
                return count > all / 4
            }
            let start = quarter.map { $0.hour - max(60 * 24, 2 * (last - $0.hour)) } ?? last
            let (before, drawn) = (new.prefix { $0.hour < start }, new.first { $0.hour >= start })
            return drawn.map { ($0.hour, before.reduce(0) { $0.addingOrMost($1.newDevices) }) }
        }
        /// The first minute with a failure or a roll-back that is not before the first hour that is drawn, in minutes since 1970.
        package var firstBelievedBadMinute: Int? {
            guard let first = beginning?.hour else { return firstBadMinute }
            return hours.first { $0.hour >= first && $0.firstBadMinute != nil }?.firstBadMinute
        }
        /// Whether a device was affected by it, refused it, or suspects it.
        package var hasTrouble: Bool { affected > 0 || refused > 0 || suspected > 0 }
        /// The first bound of time that at least 95 percent of the measured calls are below, in nanoseconds; nil if there is none.
        package var time95: Int? {
            zip(EventRecord.timeBounds, EventRecord.timeBounds.indices)
                .first { (share(slowerThan: $1).value ?? 1) <= 0.05 }?.0
        }
    }

    /// A patch that a feed lists, and when the feed stopped it, if it did.
    package struct Listed: Sendable {
        package let id: String
        package let version: Int
        package let stopped: Timestamp?

        package init(id: String, version: Int, stopped: Timestamp? = nil) {
            (self.id, self.version, self.stopped) = (id, version, stopped)
        }
    }

    /// Devices that have something in common.
    package struct Part: Sendable, Equatable {
        package let name: String
        package var devices = 0
        /// Those on which the patch failed, or that rolled it back.
        package var affected = 0

        mutating func add(_ count: (devices: Int, affected: Int)) {
            devices += count.devices
            affected += count.affected
        }
    }

    /// Something that went wrong with a patch.
    package struct Fault: Sendable, Equatable {
        /// `failed`, `refused`, `fell-back` or `rolled-back`; of a device, `sync-failed` or `store-failed`.
        package let event: String
        /// The error's code; empty for a roll-back, which has only a reason.
        package let code: String
        package let function: String
        /// Where it happened, as far as it is known.
        package let place: PatchError.Place
        /// The message of the first, or the reason; of the last in a report on one device.
        package let message: String
        package var count: Int
        /// When it happened last; nil if no believable time is known.
        package let last: Timestamp?
    }

    /// What happened in an hour.
    package struct Hour: Sendable, Equatable {
        /// Hours since 1970.
        package let hour: Int
        /// Devices that reported the patch for the first time.
        package var newDevices = 0
        package var calls = 0, failures = 0
        /// Events of failures, and of roll-backs.
        package var failed = 0, rolledBack = 0
        /// The minute of the first of them, in minutes since 1970.
        package var firstBadMinute: Int?
    }

    package var input = Input()
    /// All devices that were heard of.
    package var devices = 0
    /// Devices on which something went wrong at least once that is not of one patch.
    package var troubled: [Trouble: Int] = [:]
    /// Devices whose last sync failed.
    package var unsynced = 0
    /// Why, the most frequent first.
    package var faults: [Fault] = []
    /// How many devices each one that was counted represents: 1 unless there were too many for the memory.
    package var scale = 1
    /// When the newest event was made; nil if none has a believable time.
    package var newest: Timestamp?
    /// The patches, sorted by id, then by version.
    package var patches: [Patch] = []
    /// The only device that was asked for; nil if all were, or if no event is of it.
    package var device: Device?

    package init() {}
}
