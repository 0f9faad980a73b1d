public import PatchCrypto
public import PatchRunner
package import PatchText

/// An event that a device reports to the app.
///
/// A version after 1.0 may add cases. Give a `switch` an `@unknown default`.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum PatchEvent: Sendable {
    /// An event of the runner: a patch was loaded, called, refused, or failed.
    case runner(RunnerEvent)
    /// A launch began with these patches.
    case launched([PatchID], isSafe: Bool)
    /// A patch runs for the first time on this device.
    case trial(PatchID)
    /// A launch with the patch was confirmed, so it is good.
    case confirmed(PatchID)
    /// A patch is rolled back. Launches or calls failed with it, its script did not load, or the app banned it. The hash is the
    /// SHA-256 of its envelope.
    case rolledBack(PatchID, reason: String, hash: String)
    /// Launches failed with a patch that has an `otherwise`, so only that answers. The hash is the SHA-256 of its envelope.
    case closed(PatchID, reason: String, hash: String)
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
    /// The device was brought up to date with the feed. There is a count for each code of a choice.
    case synced(bytes: Int, milliseconds: Int, counts: [String: Int])
    /// A sync failed: the feed could not be read, or the device's folder could not be written.
    case syncFailed(PatchError)
    /// The feed's values for the app have changed.
    case switches([String: String])
    /// The device's folder or a file in it cannot be used.
    case storeFailed(PatchError)
    /// Another process writes the device's folder, and this process follows it: it runs the patches that are good there. This
    /// process may be a fork of the one that opened the folder.
    case follower(isForked: Bool)
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
        case .trial(let patch): (.trial, patch, [])
        case .confirmed(let patch): (.confirmed, patch, [])
        case .rolledBack(let patch, let reason, let hash):
            (.rolledBack, patch, [(.reason, .string(reason)), (.hash, .string(hash))])
        case .closed(let patch, let reason, let hash):
            (.closed, patch, [(.reason, .string(reason)), (.hash, .string(hash))])
        case .safeMode(let failures): (.safeMode, nil, [(.failures, .integer(failures))])
        case .waiting(let patch, let names): (.waiting, patch, [(.names, .array(names.map(JSONValue.string)))])
        case .neverConfirmed(let launches): (.neverConfirmed, nil, [(.launches, .integer(launches))])
        case .expired(let patch, let error): (.expired, patch, error.attributes)
        case .notApplicable(let patch, let error): (.notApplicable, patch, error.attributes)
        case .withdrawn(let patch, let reason): (.withdrawn, patch, reason.map { [(.reason, .string($0))] } ?? [])
        case .disabled: (.disabled, nil, [])
        case .enabled: (.enabled, nil, [])
        case .synced(let bytes, let milliseconds, let counts):
            (
                .synced, nil,
                [
                    (.bytes, .integer(bytes)), (.milliseconds, .integer(milliseconds)),
                    (.counts, .object(sorted: counts, JSONValue.integer)),
                ]
            )
        case .syncFailed(let error): (.syncFailed, nil, error.attributes)
        case .switches(let values): (.switches, nil, [(.switches, .object(sorted: values, JSONValue.string))])
        case .storeFailed(let error): (.storeFailed, nil, error.attributes)
        case .follower(let isForked): (.follower, nil, [(.isForked, .bool(isForked))])
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
    public var attributes: [(name: String, value: EventValue)] { record.values }

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
        case .trial(let patch): return "\(patch) is on trial"
        case .confirmed(let patch): return "\(patch) is good"
        case .rolledBack(let patch, let reason, _): return "\(patch) was rolled back: \(reason)"
        case .closed(let patch, let reason, _): return "\(patch) is closed, and only its `otherwise` answers: \(reason)"
        case .safeMode(let failures): return "\(failures) launches failed, so the app runs without these patches"
        case .waiting(let patch, let names): return "\(patch) waits: \(Self.missing(names))"
        case .neverConfirmed(let launches):
            return "none of \(launches) launches was confirmed: call confirm() when the app works"
        case .expired(let patch, let error), .notApplicable(let patch, let error):
            return "\(patch) does not run: \(error.message)"
        case .withdrawn(let patch, let reason): return "\(patch) was withdrawn" + (reason.map { ": \($0)" } ?? "")
        case .disabled: return "all patches are switched off"
        case .enabled: return "patches are switched on again"
        case .synced(let bytes, let milliseconds, let counts):
            let codes = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
            return "synced: \(codes.isEmpty ? "no patches" : codes); \(bytes) bytes in \(milliseconds) ms"
        case .syncFailed(let error): return "sync failed: \(error)"
        case .switches(let values):
            return "switches: "
                + values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        case .storeFailed(let error): return "the store: \(error)"
        case .follower(let isForked):
            return
                "another process writes the device's folder, and this one\(isForked ? ", which was forked," : "") follows"
        case .misused(let error): return error.text
        case .repeated(let event, let count): return "\(event.words) (\(count.times) more)"
        }
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
