internal import PatchCrypto
internal import PatchRunner
internal import PatchText

// The words of each kind: its name, its members in JSON, and its text.
extension PatchEvent.Kind {
    var name: EventRecord.Name { row.name }

    var patch: PatchID? { row.patch }

    /// The name and the patch, and the attributes of an event of the device.
    private var row: (name: EventRecord.Name, patch: PatchID?, attributes: EventRecord.Members) {
        switch self {
        case .runner(let kind): (kind.name, kind.patch, [])
        case .launched(let launch):
            (
                .launched, nil,
                [(.running, .array(launch.patches.map(Self.object))), (.isSafe, .bool(launch.isSafeMode))]
            )
        case .beganTrial(let patch): (.trial, patch, [])
        case .confirmed(let patch): (.confirmed, patch, [])
        case .rolledBack(let halt): (.rolledBack, halt.patch, halt.attributes)
        case .closed(let halt): (.closed, halt.patch, halt.attributes)
        case .safeMode(let mode): (.safeMode, nil, [(.failures, .integer(mode.failures))])
        case .waiting(let wait):
            (.waiting, wait.patch, [(.names, .array(wait.functions.map(JSONValue.string)))])
        case .neverConfirmed(let unconfirmed):
            (.neverConfirmed, nil, [(.launches, .integer(unconfirmed.launches))])
        case .expired(let exclusion): (.expired, exclusion.patch, exclusion.error.attributes)
        case .notApplicable(let exclusion): (.notApplicable, exclusion.patch, exclusion.error.attributes)
        case .withdrawn(let withdrawal):
            (.withdrawn, withdrawal.patch, withdrawal.reason.map { [(.reason, .string($0))] } ?? [])
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
        case .syncFailed(let failure): (.syncFailed, nil, failure.error.attributes)
        case .changedSwitches(let switches):
            (.switches, nil, [(.switches, .object(sorted: switches.values, JSONValue.string))])
        case .storeFailed(let error): (.storeFailed, nil, error.attributes)
        case .becameFollower(let follower): (.follower, nil, [(.isForked, .bool(follower.isForked))])
        case .misused(let error): (.misused, nil, error.attributes)
        }
    }

    private static func object(_ patch: PatchID) -> JSONValue {
        .object(keyed: [(.patch, .string(patch.id)), (.version, .integer(patch.version))])
    }

    var record: EventRecord {
        if case .runner(let kind) = self { return kind.record }
        return EventRecord(row.name, patch: row.patch?.pair, row.attributes)
    }

    /// One line of text for a reader. Nothing in it is escaped.
    var text: String {
        switch self {
        case .runner(let kind): return kind.text
        case .launched(let launch):
            let names = launch.patches.map(\.description).joined(separator: ", ")
            return "launched with \(names.isEmpty ? "no patches" : names)\(launch.isSafeMode ? ", in safe mode" : "")"
        case .beganTrial(let patch): return "\(patch) is on trial"
        case .confirmed(let patch): return "\(patch) is good"
        case .rolledBack(let halt): return "\(halt.patch) was rolled back: \(halt.reason)"
        case .closed(let halt): return "\(halt.patch) is closed, and only its `otherwise` answers: \(halt.reason)"
        case .safeMode(let mode): return "\(mode.failures) launches failed, so the app runs without these patches"
        case .waiting(let wait): return "\(wait.patch) waits: \(PatchEvent.missing(wait.functions))"
        case .neverConfirmed(let unconfirmed):
            return "none of \(unconfirmed.launches) launches was confirmed: call confirm() when the app works"
        case .expired(let exclusion), .notApplicable(let exclusion):
            return "\(exclusion.patch) does not run: \(exclusion.error.message)"
        case .withdrawn(let withdrawal):
            return "\(withdrawal.patch) was withdrawn" + (withdrawal.reason.map { ": \($0)" } ?? "")
        case .disabled: return "all patches are switched off"
        case .enabled: return "patches are switched on again"
        case .synced(let sync):
            let codes = sync.sortedCounts.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
            let time = "\(sync.duration.milliseconds) ms"
            return "synced: \(codes.isEmpty ? "no patches" : codes); \(sync.bytes) bytes in \(time)"
        case .syncFailed(let failure): return "sync failed: \(failure.error)"
        case .changedSwitches(let switches):
            let values = switches.values.sorted { $0.key < $1.key }
            return "switches: " + values.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        case .storeFailed(let error): return "the store: \(error)"
        case .becameFollower(let follower):
            let fork = follower.isForked ? ", which was forked," : ""
            return "another process writes the device's folder, and this one\(fork) follows"
        case .misused(let error): return error.text
        }
    }

    var sameness: EventSameness? {
        switch self {
        case .runner(let kind): kind.sameness
        case .syncFailed(let failure): EventSameness(name.rawValue, nil, "\(failure.error.code)")
        case .storeFailed(let error), .misused(let error): EventSameness(name.rawValue, nil, "\(error.code)")
        default: nil
        }
    }
}

extension PatchEvent {
    static func missing(_ names: [String]) -> String {
        "the app has registered no \(names.joined(separator: ", no ")) yet"
    }
}

extension PatchEvent.Halt {
    fileprivate var attributes: EventRecord.Members { [(.reason, .string(reason)), (.hash, .string(hash))] }
}

extension PatchEvent.Sync {
    /// The counts in the order of the outcomes' names.
    fileprivate var sortedCounts: [(key: SyncReport.Outcome, value: Int)] {
        counts.sorted { $0.key.rawValue < $1.key.rawValue }
    }
}
