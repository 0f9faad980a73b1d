internal import PatchCrypto
internal import PatchRunner
internal import PatchText

// The words of each kind: its name, its members in JSON, and its text.
extension PatchEvent.Kind {
    /// How a kind of event is written.
    private struct Words {
        let name: EventRecord.Name
        let patch: PatchID?
        /// The members in JSON beside the patch.
        let attributes: EventRecord.Members
        /// Returns one line for a reader. Nothing in it is escaped.
        let text: () -> String

        init(
            _ name: EventRecord.Name, _ patch: PatchID? = nil, _ attributes: EventRecord.Members = [],
            text: @autoclosure @escaping () -> String
        ) {
            self.name = name
            self.patch = patch
            self.attributes = attributes
            self.text = text
        }
    }

    /// The words of an event of the device. The runner's events have their own.
    private var words: Words {
        switch self {
        case .runner(let kind): Words(kind.name, kind.patch, text: kind.text)
        case .launched(let launch):
            Words(
                .launched, nil,
                [(.running, .array(launch.patches.map(Self.object))), (.isSafe, .bool(launch.isSafeMode))],
                text: "launched with \(launch.names)\(launch.isSafeMode ? ", in safe mode" : "")")
        case .beganTrial(let trial): Words(.trial, trial.patch, text: "\(trial.patch) is on trial")
        case .confirmed(let confirmation):
            Words(.confirmed, confirmation.patch, text: "\(confirmation.patch) is good")
        case .rolledBack(let halt):
            Words(
                .rolledBack, halt.patch, halt.attributes, text: "\(halt.patch) was rolled back: \(halt.reason)")
        case .suspected(let halt):
            Words(.rolledBack, halt.patch, halt.attributes, text: "\(halt.patch) is suspected: \(halt.reason)")
        case .closed(let halt):
            Words(
                .closed, halt.patch, halt.attributes,
                text: "\(halt.patch) is closed, and only its `otherwise` answers: \(halt.reason)")
        case .safeMode(let mode):
            Words(
                .safeMode, nil, [(.failures, .integer(mode.failures))],
                text: "\(mode.failures) launches failed, so the app runs without these patches")
        case .waiting(let wait):
            Words(
                .waiting, wait.patch, [(.names, .array(wait.functions.map(JSONValue.string)))],
                text: "\(wait.patch) waits: \(PatchEvent.missing(wait.functions))")
        case .neverConfirmed(let unconfirmed):
            Words(
                .neverConfirmed, nil, [(.launches, .integer(unconfirmed.launches))],
                text: "none of \(unconfirmed.launches) launches was confirmed: call confirm() when the app works")
        case .expired(let exclusion):
            Words(.expired, exclusion.patch, exclusion.error.attributes, text: exclusion.text)
        case .notApplicable(let exclusion):
            Words(.notApplicable, exclusion.patch, exclusion.error.attributes, text: exclusion.text)
        case .withdrawn(let withdrawal):
            Words(
                .withdrawn, withdrawal.patch, withdrawal.reason.map { [(.reason, .string($0))] } ?? [],
                text: "\(withdrawal.patch) was withdrawn" + (withdrawal.reason.map { ": \($0)" } ?? ""))
        case .disabled: Words(.disabled, text: "all patches are switched off")
        case .enabled: Words(.enabled, text: "patches are switched on again")
        case .synced(let sync):
            Words(
                .synced, nil,
                [
                    (.bytes, .integer(sync.bytes)), (.milliseconds, .integer(sync.duration.milliseconds)),
                    (.counts, .object(sync.sortedCounts.map { ($0.rawValue, .integer($1)) })),
                ], text: "synced: \(sync.summary); \(sync.bytes) bytes in \(sync.duration.milliseconds) ms")
        case .syncFailed(let failure):
            Words(.syncFailed, nil, failure.error.attributes, text: "sync failed: \(failure.error)")
        case .changedSwitches(let switches):
            Words(
                .switches, nil, [(.switches, .object(sorted: switches.values, JSONValue.string))],
                text: "switches: \(switches.summary)")
        case .storeFailed(let error): Words(.storeFailed, nil, error.attributes, text: "the store: \(error)")
        case .becameFollower(let follower):
            Words(
                .follower, nil, [(.isForked, .bool(follower.isForked))],
                text: "another process writes the device's folder, and this one\(follower.fork) follows")
        case .misused(let error): Words(.misused, nil, error.attributes, text: error.text)
        }
    }

    var name: EventRecord.Name { words.name }

    var patch: PatchID? { words.patch }

    var text: String { words.text() }

    var record: EventRecord {
        if case .runner(let kind) = self { return kind.record }
        let words = words
        return EventRecord(words.name, patch: words.patch?.pair, words.attributes)
    }

    private static func object(_ patch: PatchID) -> JSONValue {
        .object(keyed: [(.patch, .string(patch.id)), (.version, .integer(patch.version))])
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
    /// Why a patch waits for functions, in words.
    static func missing(_ names: [String]) -> String {
        "the app has registered no \(names.joined(separator: ", no ")) yet"
    }
}

extension PatchEvent.Halt {
    fileprivate var attributes: EventRecord.Members { [(.reason, .string(reason)), (.hash, .string(hash))] }
}

extension PatchEvent.Launch {
    fileprivate var names: String {
        patches.isEmpty ? "no patches" : patches.map(\.description).joined(separator: ", ")
    }
}

extension PatchEvent.Exclusion {
    fileprivate var text: String { "\(patch) does not run: \(error.message)" }
}

extension PatchEvent.Follower {
    fileprivate var fork: String { isForked ? ", which was forked," : "" }
}

extension PatchEvent.Switches {
    fileprivate var summary: String {
        values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }
}

extension PatchEvent.Sync {
    /// How many patches have which outcome.
    fileprivate var summary: String {
        counts.isEmpty ? "no patches" : sortedCounts.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }

    /// The counts in the order of the outcomes' names.
    fileprivate var sortedCounts: [(key: SyncReport.Outcome, value: Int)] {
        counts.sorted { $0.key.rawValue < $1.key.rawValue }
    }
}
