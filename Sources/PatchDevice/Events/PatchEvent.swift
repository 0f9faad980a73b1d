public import PatchCrypto
public import PatchFeed
public import PatchRunner
package import PatchText

/// An event that a device reports to the app.
///
/// A version after 1.0 may add cases. Give a `switch` an `@unknown default`.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum PatchEvent: Sendable {
    /// Why and how a patch was rolled back or closed.
    public struct Rollback: Sendable, Hashable {
        /// The patch.
        public let patch: PatchID
        /// The reason, in a sentence.
        public let reason: String
        /// The SHA-256 of its envelope, in hex digits.
        public let hash: String

        package init(_ patch: PatchID, reason: String, hash: String) {
            self.patch = patch
            self.reason = reason
            self.hash = hash
        }
    }

    /// What a sync has done.
    public struct Sync: Sendable, Hashable {
        /// How many bytes were read from the feed.
        public let bytes: Int
        /// How long it took, to the millisecond.
        public let duration: Duration
        /// The number of patches for each choice.
        public let counts: [PatchChoice: Int]

        package init(bytes: Int, duration: Duration, counts: [PatchChoice: Int]) {
            self.bytes = bytes
            self.duration = .milliseconds(duration.milliseconds)
            self.counts = counts
        }
    }

    /// An event of the runner: a patch was loaded, called, refused, or failed.
    case runner(RunnerEvent)
    /// A launch began with these patches.
    case launched([PatchID], isSafe: Bool)
    /// A patch runs for the first time on this device.
    case beganTrial(PatchID)
    /// A launch with the patch was confirmed, so it is good.
    case confirmed(PatchID)
    /// A patch is rolled back. Launches or calls failed with it, its script did not load, or the app banned it.
    case rolledBack(Rollback)
    /// Launches failed with a patch that has an `otherwise`, so only that answers.
    case closed(Rollback)
    /// This number of launches failed with good patches, so the app runs without them.
    case safeMode(failures: Int)
    /// A patch waits until the app registers these functions.
    case waiting(PatchID, names: [String])
    /// No launch of this version of the app was ever confirmed, after this number of launches.
    case neverConfirmed(launches: Int)
    /// A patch that is held has expired, so it does not run.
    case expired(PatchID, PatchError)
    /// A patch that is held is not for this version of the app, or needs a higher engine level, so it does not run.
    case notApplicable(PatchID, PatchError)
    /// A patch was withdrawn by the feed.
    case withdrawn(PatchID, reason: String?)
    /// The feed has switched all patches off.
    case disabled
    /// The feed has switched patches on again.
    case enabled
    /// The device was brought up to date with the feed.
    case synced(Sync)
    /// A sync failed: the feed could not be read, or the device's folder could not be written.
    case syncFailed(PatchError)
    /// The feed's values for the app have changed.
    case changedSwitches([String: String])
    /// The device's folder or a file in it cannot be used.
    case storeFailed(PatchError)
    /// Another process writes the device's folder, and this process follows it: it runs the patches that are good there. This
    /// process may be a fork of the one that opened the folder.
    case followed(isForked: Bool)
    /// A call had no effect, because the app made it too early.
    case misused(PatchError)
    /// An event of the device has happened this number of times again within a second of its last report. The event is the last
    /// of them. Repeated events of a runner are reported as ``runner(_:)``.
    indirect case repeated(PatchEvent, count: Int)
}

extension PatchEvent {
    /// The event as one line of JSON, of the schema `patchpack.event/1` (docs/events.md). Characters that a terminal
    /// would act on are escaped.
    public var jsonLine: String { record.line() }

    /// The event's name in JSON, such as `breaker-opened`.
    public var name: String { row.name.rawValue }

    /// The name and the patch, and the attributes of an event of the device.
    private var row: (name: EventRecord.Name, patch: PatchID?, attributes: EventRecord.Members) {
        switch self {
        case .runner(let event): (event.kind, event.patch, [])
        case .repeated(let event, _): event.row
        case .launched(let patches, let isSafe):
            (.launched, nil, [(.running, .array(patches.map(Self.object))), (.isSafe, .bool(isSafe))])
        case .beganTrial(let patch): (.trial, patch, [])
        case .confirmed(let patch): (.confirmed, patch, [])
        case .rolledBack(let rollback): (.rolledBack, rollback.patch, rollback.attributes)
        case .closed(let rollback): (.closed, rollback.patch, rollback.attributes)
        case .safeMode(let failures): (.safeMode, nil, [(.failures, .integer(failures))])
        case .waiting(let patch, let names): (.waiting, patch, [(.names, .array(names.map(JSONValue.string)))])
        case .neverConfirmed(let launches): (.neverConfirmed, nil, [(.launches, .integer(launches))])
        case .expired(let patch, let error): (.expired, patch, error.attributes)
        case .notApplicable(let patch, let error): (.notApplicable, patch, error.attributes)
        case .withdrawn(let patch, let reason): (.withdrawn, patch, reason.map { [(.reason, .string($0))] } ?? [])
        case .disabled: (.disabled, nil, [])
        case .enabled: (.enabled, nil, [])
        case .synced(let sync):
            (
                .synced, nil,
                [
                    (.bytes, .integer(sync.bytes)), (.milliseconds, .integer(sync.duration.milliseconds)),
                    (.counts, .object(sync.sortedCounts.map { ($0.rawValue, .integer($1)) })),
                ]
            )
        case .syncFailed(let error): (.syncFailed, nil, error.attributes)
        case .changedSwitches(let values): (.switches, nil, [(.switches, .object(sorted: values, JSONValue.string))])
        case .storeFailed(let error): (.storeFailed, nil, error.attributes)
        case .followed(let isForked): (.follower, nil, [(.isForked, .bool(isForked))])
        case .misused(let error): (.misused, nil, error.attributes)
        }
    }

    private static func object(_ patch: PatchID) -> JSONValue {
        .object(keyed: [(.patch, .string(patch.id)), (.version, .integer(patch.version))])
    }

    package var record: EventRecord {
        switch self {
        case .runner(let event): event.record
        case .repeated(let event, let count): event.record.repeated(count)
        default: EventRecord(row.name, patch: row.patch?.pair, row.attributes)
        }
    }

    /// How severe the event is. For a script's log line, this is the line's level.
    public var severity: EventSeverity { record.level }

    /// A message that is the same for every event of this name; for a script's log line, the content of the line. Characters that
    /// a terminal would act on are escaped.
    public var message: String { Escape.comment(record.message) }

    /// The values that differ from event to event, by their names in JSON, such as `patch.id` (docs/events.md).
    public var attributes: [EventAttribute] { record.values }

    /// The patch that the event is about.
    public var patch: PatchID? { row.patch }
}

extension PatchEvent: CustomStringConvertible {
    static func missing(_ names: [String]) -> String {
        "the app has registered no \(names.joined(separator: ", no ")) yet"
    }

    /// The event as one line of text for a reader. Characters that a terminal would act on are escaped.
    public var description: String { Escape.comment(words) }

    private var words: String {
        switch self {
        case .runner(let event): return "\(event)"
        case .launched(let patches, let isSafe):
            let names = patches.isEmpty ? "no patches" : patches.map(\.description).joined(separator: ", ")
            return "launched with \(names)\(isSafe ? ", in safe mode" : "")"
        case .beganTrial(let patch): return "\(patch) is on trial"
        case .confirmed(let patch): return "\(patch) is good"
        case .rolledBack(let rollback): return "\(rollback.patch) was rolled back: \(rollback.reason)"
        case .closed(let rollback):
            return "\(rollback.patch) is closed, and only its `otherwise` answers: \(rollback.reason)"
        case .safeMode(let failures): return "\(failures) launches failed, so the app runs without these patches"
        case .waiting(let patch, let names): return "\(patch) waits: \(Self.missing(names))"
        case .neverConfirmed(let launches):
            return "none of \(launches) launches was confirmed: call confirm() when the app works"
        case .expired(let patch, let error), .notApplicable(let patch, let error):
            return "\(patch) does not run: \(error.message)"
        case .withdrawn(let patch, let reason): return "\(patch) was withdrawn" + (reason.map { ": \($0)" } ?? "")
        case .disabled: return "all patches are switched off"
        case .enabled: return "patches are switched on again"
        case .synced(let sync):
            let codes = sync.sortedCounts.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
            let time = "\(sync.duration.milliseconds) ms"
            return "synced: \(codes.isEmpty ? "no patches" : codes); \(sync.bytes) bytes in \(time)"
        case .syncFailed(let error): return "sync failed: \(error)"
        case .changedSwitches(let values):
            return "switches: "
                + values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        case .storeFailed(let error): return "the store: \(error)"
        case .followed(let isForked):
            return
                "another process writes the device's folder, and this one\(isForked ? ", which was forked," : "") follows"
        case .misused(let error): return error.text
        case .repeated(let event, let count): return "\(event.words) (\(count.times) more)"
        }
    }
}

extension PatchEvent.Rollback {
    fileprivate var attributes: EventRecord.Members { [(.reason, .string(reason)), (.hash, .string(hash))] }
}

extension PatchEvent.Sync {
    /// The counts in the order of the choices' names.
    fileprivate var sortedCounts: [(key: PatchChoice, value: Int)] {
        counts.sorted { $0.key.rawValue < $1.key.rawValue }
    }
}

extension PatchEvent: RepeatedEvent {
    package var sameness: EventSameness? {
        switch self {
        case .runner(let event): event.sameness
        case .syncFailed(let error), .storeFailed(let error), .misused(let error):
            EventSameness(name, patch, "\(error.code)")
        case .repeated(let event, _): event.sameness
        default: nil
        }
    }

    package var single: (event: PatchEvent, count: Int) {
        switch self {
        case .runner(.repeated(let event, let count)): (.runner(event), count)
        case .repeated(let event, let count): (event, count)
        default: (self, 1)
        }
    }

    package func repeated(_ count: Int) -> PatchEvent {
        if case .runner(let event) = self { .runner(event.repeated(count)) } else { .repeated(self, count: count) }
    }
}
