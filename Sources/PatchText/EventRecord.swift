package import PatchCrypto

/// An event as a line of JSON, in the schema `patchpack.event/1` (docs/events.md).
///
/// Runners and devices make them, and reports read them. The words of the schema are defined only here.
package struct EventRecord: Sendable {
    package static let schema = "patchpack.event/1"

    /// The value of `eventName`.
    package enum Name: String, CaseIterable, Sendable {
        case loaded, activated, deactivated, refused, failed
        case fellBack = "fell-back"
        case called, compared
        case breakerOpened = "breaker-opened"
        case breakerClosed = "breaker-closed"
        case log, launched, trial, confirmed
        case rolledBack = "rolled-back"
        case closed
        case safeMode = "safe-mode"
        case waiting
        case neverConfirmed = "never-confirmed"
        case expired
        case notApplicable = "not-applicable"
        case withdrawn, disabled, enabled, synced
        case syncFailed = "sync-failed"
        case switches
        case storeFailed = "store-failed"
        case follower, misused

        /// The severity. A script's log line has the severity of its level.
        package var severity: Severity {
            switch self {
            case .refused, .fellBack, .syncFailed, .withdrawn, .disabled, .waiting: .warn
            case .failed, .breakerOpened, .rolledBack, .closed, .safeMode, .storeFailed, .neverConfirmed, .misused:
                .error
            default: .info
            }
        }

        /// A description of the event, the same for every event with this name.
        package var sentence: String {
            switch self {
            case .loaded: "a patch was loaded"
            case .activated: "a patch is active"
            case .deactivated: "a patch is no longer active"
            case .refused: "a patch was refused"
            case .failed: "a patch failed in a function"
            case .fellBack: "something else than a patch's script answered"
            case .called: "a patch was called"
            case .compared: "a patch in shadow was compared with the answers that were given"
            case .breakerOpened: "a patch failed too often, and its script does not run for now"
            case .breakerClosed: "a patch that had failed too often runs again"
            case .log: "a patch wrote to the log"
            case .launched: "a launch began"
            case .trial: "a patch runs for the first time on this device"
            case .confirmed: "a patch is good"
            case .rolledBack: "a patch was rolled back"
            case .closed: "launches failed with a patch, and only its `otherwise` answers"
            case .safeMode: "launches failed with good patches, so the app runs without them"
            case .waiting: "a patch waits for functions that the app has not registered yet"
            case .neverConfirmed: "no launch was confirmed; call confirm() when the app works"
            case .expired: "a patch does not run, because its time is over"
            case .notApplicable: "a patch does not run, because it is not for this version of the app"
            case .withdrawn: "a patch was withdrawn"
            case .disabled: "all patches are switched off"
            case .enabled: "patches are switched on again"
            case .synced: "the device is up to date with the feed"
            case .syncFailed: "a sync failed"
            case .switches: "the feed's values for the app have changed"
            case .storeFailed: "the device's folder cannot be used"
            case .follower: "another process writes the device's folder, and this one follows it"
            case .misused: "a call came too early, and had no effect"
            }
        }
    }

    /// The value of `severityNumber`, of OpenTelemetry's log data model.
    package enum Severity: Int, Sendable {
        case debug = 5
        case info = 9
        case warn = 13
        case error = 17
    }

    /// A key in the line, in its `resource`, or in its `attributes`.
    package enum Key: String, CaseIterable, Sendable {
        case schema, timestamp, resource
        case severity = "severityNumber"
        case event = "eventName"
        case body, attributes
        case installation = "app.installation.id"
        case app = "service.name"
        case appVersion = "service.version"
        case environment = "deployment.environment.name"
        case groups = "device.groups"
        case user = "user.id"
        case system = "os.name"
        case systemVersion = "os.version"
        case model = "device.model.identifier"
        case patch = "patch.id"
        case version = "patch.version"
        case replaces = "patch.replaces"
        case function = "code.function.name"
        case file = "code.file.path"
        case line = "code.line.number"
        case error = "error.type"
        case message = "error.message"
        case hint = "error.hint"
        case stack = "exception.stacktrace"
        case calls = "patch.calls"
        case failures = "patch.failures"
        case otherwise = "patch.otherwise"
        case fallbacks = "patch.fallbacks"
        case measured = "patch.measured"
        case nanoseconds = "patch.nanoseconds"
        case longest = "patch.longest"
        case times = "patch.times"
        case agreed = "shadow.agreed"
        case differed = "shadow.differed"
        case failed = "shadow.failed"
        case incomparable = "shadow.incomparable"
        case reasons = "shadow.reasons"
        case answer = "shadow.answer"
        case result = "shadow.result"
        case running = "patch.running"
        case isSafe = "safe_mode"
        case reason = "patch.reason"
        case hash = "patch.hash"
        case names = "patch.missing"
        case launches = "device.launches"
        case bytes = "sync.bytes"
        case milliseconds = "sync.milliseconds"
        case counts = "sync.counts"
        case switches = "feed.switches"
        case count = "event.count"
        case isForked = "process.forked"
        case isCut = "event.cut"
    }

    /// The upper bounds, in nanoseconds, of the counts of measured calls in `patch.times`.
    ///
    /// One more count at the end is for the calls that are not below any of the bounds.
    package static let timeBounds = [
        100_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000, 100_000_000, 200_000_000,
        500_000_000,
    ]

    /// The value of `patch.reason` in `rolled-back` if any of several patches may be the cause.
    ///
    /// Each of them is then tried alone.
    package static let suspicion = "launches failed while it was on trial with others"

    package typealias Members = [(key: Key, value: JSONValue)]

    package let name: Name
    package let severity: Severity
    /// A script's log line.
    private let body: String?
    /// The attributes that identify the patch. They are kept if the line is cut.
    private let patch: Members
    private let others: Members
    /// The number of repetitions; nil for a single event.
    private var count: Int?

    package init(
        _ name: Name, patch: (id: String, version: Int)? = nil, severity: Severity? = nil, body: String? = nil,
        _ attributes: Members = []
    ) {
        self.name = name
        self.severity = severity ?? name.severity
        self.body = body
        self.patch = patch.map { [(.patch, .string($0.id)), (.version, .integer($0.version))] } ?? []
        others = attributes
    }

    /// The record of the event with a number of repetitions.
    package func repeated(_ count: Int) -> EventRecord {
        var record = self
        record.count = count
        return record
    }

    /// A description of the event. For a script's log line, it is the line itself.
    package var message: String { body ?? name.sentence }

    package var attributes: Members { patch + others + counted }

    private var counted: Members { count.map { [(.count, .integer($0))] } ?? [] }

    /// The line. Characters that a terminal would act on are escaped.
    ///
    /// - Parameters:
    ///   - context: Members for the time and the place of the event, such as `timestamp` and `resource`.
    ///   - isCut: Whether to leave out everything but the patch and the count.
    package func line(_ context: Members = [], isCut: Bool = false) -> String {
        var members: Members = [(.schema, .string(Self.schema))] + context
        members += [(.severity, .integer(severity.rawValue)), (.event, .string(name.rawValue))]
        if let body, !isCut { members.append((.body, .string(body))) }
        let attributes = isCut ? patch + [(.isCut, .bool(true))] + counted : attributes
        members.append((.attributes, .object(keyed: attributes)))
        return JSONValue.object(keyed: members).text(escaping: isUnprintable)
    }
}

extension JSONValue {
    /// An object with members of an event.
    package static func object(keyed members: EventRecord.Members) -> JSONValue {
        .object(members.map { (key: $0.key.rawValue, value: $0.value) })
    }
}

extension PatchError {
    /// The attributes of an event that is about an error.
    package var attributes: EventRecord.Members {
        var members: EventRecord.Members = [(.error, .string("\(code)")), (.message, .string(message))]
        if let hint { members.append((.hint, .string(hint))) }
        if let file = place?.file { members.append((.file, .string(file))) }
        if let line = place?.line { members.append((.line, .integer(line))) }
        return members
    }
}
