/// An event as its line of JSON has it, of the schema `patchpack.event/1` (docs/events.md).
///
/// Runners and devices make them, and reports read them. Each word of theirs is written here, and nowhere else.
package struct EventRecord: Sendable {
    /// The value of `schema`.
    package static let schema = "patchpack.event/1"

    /// The value of `eventName`.
    package enum Name: String, CaseIterable, Sendable {
        case loaded, activated, deactivated, refused, failed
        case fellBack = "fell-back"
        case called
        case breakerOpened = "breaker-opened"
        case log, launched, trial, confirmed
        case rolledBack = "rolled-back"
        case safeMode = "safe-mode"
        case waiting
        case neverConfirmed = "never-confirmed"
        case expired
        case notApplicable = "not-applicable"
        case withdrawn, disabled, enabled, synced
        case syncFailed = "sync-failed"
        case switches
        case storeFailed = "store-failed"
        case misused

        /// The severity. A script's log line has that of its level.
        package var severity: Severity {
            switch self {
            case .refused, .fellBack, .syncFailed, .withdrawn, .disabled, .waiting: .warn
            case .failed, .breakerOpened, .rolledBack, .safeMode, .storeFailed, .neverConfirmed, .misused: .error
            default: .info
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

    /// A member of the line, of its `resource`, or of its `attributes`.
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
        case calls = "patch.calls"
        case failures = "patch.failures"
        case fallbacks = "patch.fallbacks"
        case measured = "patch.measured"
        case nanoseconds = "patch.nanoseconds"
        case longest = "patch.longest"
        case times = "patch.times"
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
        case isCut = "event.cut"
    }

    /// The bounds in nanoseconds by which `patch.times` counts measured calls. A number at the end is of those that are below none.
    package static let timeBounds = [
        100_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000, 100_000_000, 200_000_000,
        500_000_000,
    ]

    package typealias Members = [(key: Key, value: JSONValue)]

    package let name: Name
    private let severity: Severity
    /// A script's log line.
    private let body: String?
    /// The attributes that say which patch it is about. They are kept if the line is cut.
    private let patch: Members
    private let attributes: Members

    package init(
        _ name: Name, patch: (id: String, version: Int)? = nil, severity: Severity? = nil, body: String? = nil,
        _ attributes: Members = []
    ) {
        self.name = name
        self.severity = severity ?? name.severity
        self.body = body
        self.patch = patch.map { [(.patch, .string($0.id)), (.version, .integer($0.version))] } ?? []
        self.attributes = attributes
    }

    /// The line. Characters that a terminal would act on are escaped.
    ///
    /// - Parameters:
    ///   - context: Members that say when and where it happened, such as `timestamp` and `resource`.
    ///   - count: How often it happened again; nil for an event by itself.
    ///   - isCut: Whether to leave out everything but the patch.
    package func line(_ context: Members = [], count: Int? = nil, isCut: Bool = false) -> String {
        var members: Members = [(.schema, .string(Self.schema))] + context
        members += [(.severity, .integer(severity.rawValue)), (.event, .string(name.rawValue))]
        if let body, !isCut { members.append((.body, .string(body))) }
        var attributes = patch + (isCut ? [(.isCut, .bool(true))] : attributes)
        if let count { attributes.append((.count, .integer(count))) }
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
