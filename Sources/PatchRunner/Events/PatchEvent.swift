public import PatchCrypto

/// An event in the life of a patch, for a host's log.
public enum PatchEvent: Sendable {
    /// Why a call of a replacement failed.
    public struct Failure: Sendable {
        /// `script` for an error or a wrong result, `script-limit` for a run that was ended.
        public let code: PatchError.Code
        /// Lua's message without its position, or what was expected and what was given.
        public let message: String
        /// The script in which it happened; nil if Lua does not know it.
        public let script: String?
        /// The line in the script, from 1. For a wrong result it is the line on which the function begins.
        public let line: Int?

        package init(code: PatchError.Code, message: String, script: String?, line: Int?) {
            self.code = code
            self.message = message
            self.script = script
            self.line = line
        }
    }

    /// The reason why an older patch or the original answered although the patch did not fail.
    public enum Fallback: String, Sendable {
        /// Another thread was in the patch for longer than ``PatchLimits/lockTime``.
        case busy
        /// The thread's stack was nearly used up, or calls were nested too deep. Reported once for all calls within a
        /// call.
        case noRoom = "no-room"
        /// There were already ``PatchLimits/waitingCalls`` asynchronous calls waiting.
        case waiting
        /// The run around the call was ended.
        case ended
    }

    /// How often a patch was called, and how long its calls took.
    public struct Calls: Sendable, Equatable {
        /// How often a function of the patch was called.
        public package(set) var calls: Int
        /// How many of the calls failed.
        public package(set) var failures: Int
        /// How often an older patch or the original answered.
        public package(set) var fallbacks: Int
        /// How many of the calls were measured.
        public package(set) var measured: Int
        /// The time of the measured calls together, in nanoseconds.
        public package(set) var nanoseconds: Int
        /// The longest measured call since the patch was activated, in nanoseconds.
        public package(set) var longest: Int

        package init(
            calls: Int = 0, failures: Int = 0, fallbacks: Int = 0, measured: Int = 0, nanoseconds: Int = 0,
            longest: Int = 0
        ) {
            self.calls = calls
            self.failures = failures
            self.fallbacks = fallbacks
            self.measured = measured
            self.nanoseconds = nanoseconds
            self.longest = longest
        }
    }

    /// The level of a script's log line.
    public enum LogLevel: Int, Sendable {
        case debug, info, warn, error
    }

    /// A patch was loaded: its script ran, and said what it replaces.
    case loaded(PatchID, replaces: [String])
    /// A patch's replacements are active.
    case activated(PatchID)
    /// A patch's replacements are no longer active.
    case deactivated(PatchID)
    /// A patch was refused. Its id and version are given if the manifest was verified.
    case refused(PatchError, PatchID?)
    /// A replacement failed. What lies below it answered, unless it had already answered.
    case failed(PatchID, function: String, Failure)
    /// An older patch or the original answered, although the patch did not fail.
    case fellBack(PatchID, function: String, Fallback)
    /// How a patch was called since the last event of this kind.
    case called(PatchID, Calls)
    /// A patch failed too often and was deactivated.
    case breakerOpened(PatchID, failures: Int)
    /// A script wrote to the log.
    case log(PatchID, LogLevel, String)
    /// A launch began with these patches.
    case launched([PatchID], isSafe: Bool)
    /// A patch runs for the first time on this device.
    case trial(PatchID)
    /// A launch with the patch was confirmed, so it is good.
    case confirmed(PatchID)
    /// A patch is taken back because launches or calls failed with it. Its envelope has this SHA-256.
    case rolledBack(PatchID, reason: String, hash: String)
    /// So many launches failed with good patches that the app runs without any.
    case safeMode(failures: Int)
    /// A patch was withdrawn by the feed.
    case withdrawn(PatchID, reason: String?)
    /// The feed has switched all patches off.
    case disabled
    /// The feed has switched patches on again.
    case enabled
    /// The store was brought up to date with the feed. There is a count for each code of a choice.
    case synced(bytes: Int, milliseconds: Int, counts: [String: Int])
    /// The feed could not be read.
    case syncFailed(PatchError)
    /// The feed's values for the app have changed.
    case switches([String: String])
    /// The store's folder or a file in it cannot be used.
    case storeFailed(PatchError)
}

extension PatchEvent {
    /// The event as one line of JSON, of the schema `patchpack.event/1` (docs/events.md). Characters that a terminal
    /// would act on are escaped.
    public var jsonLine: String { jsonLine([]) }

    /// The event as one line of JSON.
    ///
    /// - Parameters:
    ///   - context: Members that say when and where it happened, such as `timestamp` and `resource`.
    ///   - count: How often it happened again; nil for an event by itself.
    ///   - isCut: Whether to leave out everything but the patch.
    package func jsonLine(
        _ context: [(key: String, value: JSONValue)], count: Int? = nil, isCut: Bool = false
    ) -> String {
        var members: [(key: String, value: JSONValue)] = [("schema", .string("patchpack.event/1"))]
        members += context
        members += [("severityNumber", .integer(severity)), ("eventName", .string(name))]
        if case .log(_, _, let text) = self, !isCut { members.append(("body", .string(text))) }
        var attributes = patchAttributes + (isCut ? [("event.cut", .bool(true))] : self.attributes)
        if let count { attributes.append(("event.count", .integer(count))) }
        members.append(("attributes", .object(attributes)))
        return JSONValue.object(members).text(escaping: isUnprintable)
    }

    /// The severity, as a number of OpenTelemetry's log data model.
    private var severity: Int {
        switch self {
        case .log(_, .debug, _): 5
        case .log(_, .warn, _), .refused, .fellBack, .syncFailed, .withdrawn, .disabled: 13
        case .log(_, .error, _), .failed, .breakerOpened, .rolledBack, .safeMode, .storeFailed: 17
        default: 9
        }
    }

    private var patchAttributes: [(key: String, value: JSONValue)] {
        patch.map { [("patch.id", .string($0.id)), ("patch.version", .integer($0.version))] } ?? []
    }

    private var attributes: [(key: String, value: JSONValue)] {
        var members: [(key: String, value: JSONValue)] = []
        switch self {
        case .activated, .deactivated, .log, .trial, .confirmed, .disabled, .enabled: break
        case .loaded(_, let replaces): members.append(("patch.replaces", .array(replaces.map(JSONValue.string))))
        case .refused(let error, _): members += Self.attributes(of: error)
        case .failed(_, let function, let failure):
            members.append(("code.function.name", .string(function)))
            members += Self.attributes(of: failure.error)
        case .fellBack(_, let function, let reason):
            members += [("code.function.name", .string(function)), ("error.type", .string(reason.rawValue))]
        case .called(_, let calls):
            members += [
                ("patch.calls", .integer(calls.calls)), ("patch.failures", .integer(calls.failures)),
                ("patch.fallbacks", .integer(calls.fallbacks)),
            ]
            if calls.measured > 0 {
                members += [
                    ("patch.measured", .integer(calls.measured)), ("patch.nanoseconds", .integer(calls.nanoseconds)),
                    ("patch.longest", .integer(calls.longest)),
                ]
            }
        case .breakerOpened(_, let failures), .safeMode(let failures):
            members.append(("patch.failures", .integer(failures)))
        case .launched(let patches, let isSafe):
            members += [
                ("patch.running", .array(patches.map { .string("\($0.id) \($0.version)") })),
                ("safe_mode", .bool(isSafe)),
            ]
        case .rolledBack(_, let reason, let hash):
            members += [("patch.reason", .string(reason)), ("patch.hash", .string(hash))]
        case .withdrawn(_, let reason):
            if let reason { members.append(("patch.reason", .string(reason))) }
        case .synced(let bytes, let milliseconds, let counts):
            members += [
                ("sync.bytes", .integer(bytes)), ("sync.milliseconds", .integer(milliseconds)),
                ("sync.counts", .object(counts.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) })),
            ]
        case .syncFailed(let error), .storeFailed(let error): members += Self.attributes(of: error)
        case .switches(let values):
            members.append(
                ("feed.switches", .object(values.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })))
        }
        return members
    }

    private static func attributes(of error: PatchError) -> [(key: String, value: JSONValue)] {
        var members: [(key: String, value: JSONValue)] = [
            ("error.type", .string("\(error.code)")), ("error.message", .string(error.message)),
        ]
        if let hint = error.hint { members.append(("error.hint", .string(hint))) }
        if let file = error.place?.file { members.append(("code.file.path", .string(file))) }
        if let line = error.place?.line { members.append(("code.line.number", .integer(line))) }
        return members
    }

    /// The event's name in JSON, such as `breaker-opened`.
    public var name: String {
        switch self {
        case .loaded: "loaded"
        case .activated: "activated"
        case .deactivated: "deactivated"
        case .refused: "refused"
        case .failed: "failed"
        case .fellBack: "fell-back"
        case .called: "called"
        case .breakerOpened: "breaker-opened"
        case .log: "log"
        case .launched: "launched"
        case .trial: "trial"
        case .confirmed: "confirmed"
        case .rolledBack: "rolled-back"
        case .safeMode: "safe-mode"
        case .withdrawn: "withdrawn"
        case .disabled: "disabled"
        case .enabled: "enabled"
        case .synced: "synced"
        case .syncFailed: "sync-failed"
        case .switches: "switches"
        case .storeFailed: "store-failed"
        }
    }

    /// The patch that the event is about.
    public var patch: PatchID? {
        switch self {
        case .loaded(let patch, _), .activated(let patch), .deactivated(let patch), .failed(let patch, _, _),
            .fellBack(let patch, _, _), .called(let patch, _), .breakerOpened(let patch, _), .log(let patch, _, _),
            .trial(let patch),
            .confirmed(let patch), .rolledBack(let patch, _, _), .withdrawn(let patch, _):
            patch
        case .launched, .safeMode, .disabled, .enabled, .synced, .syncFailed, .switches, .storeFailed: nil
        case .refused(_, let patch): patch
        }
    }
}

extension PatchEvent: CustomStringConvertible {
    /// The event as a line of text for a reader.
    public var description: String {
        let subject = patch.map { "\($0.id) \($0.version)" } ?? "a patch"
        switch self {
        case .loaded(_, let replaces): return "\(subject) loaded: replaces \(replaces.joined(separator: ", "))"
        case .activated, .deactivated: return "\(subject) \(name)"
        case .refused(let error, _): return "\(subject) refused: \(error)"
        case .failed(_, let function, let failure):
            return "\(subject) failed in \(function): \(failure.text)"
        case .fellBack(_, let function, let reason):
            return "\(subject) was skipped in \(function): \(reason.rawValue)"
        case .called(_, let calls):
            return "\(subject) was called \(calls.calls) times, and failed \(calls.failures) times"
        case .breakerOpened(_, let failures): return "\(subject) was deactivated after \(failures) failures"
        case .log(_, let level, let text): return "\(subject) \(level): \(text)"
        case .launched(let patches, let isSafe):
            let names =
                patches.isEmpty ? "no patches" : patches.map { "\($0.id) \($0.version)" }.joined(separator: ", ")
            return "launched with \(names)\(isSafe ? ", in safe mode" : "")"
        case .trial: return "\(subject) is on trial"
        case .confirmed: return "\(subject) is good"
        case .rolledBack(_, let reason, _): return "\(subject) was taken back: \(reason)"
        case .safeMode(let failures): return "\(failures) launches failed, so the app runs without patches"
        case .withdrawn(_, let reason): return "\(subject) was withdrawn" + (reason.map { ": \($0)" } ?? "")
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
        }
    }
}

extension PatchEvent.Failure {
    /// The place, if it is known, and the message: `cart.lua:3: attempt to call a nil value`.
    package var text: String { error.text }

    /// The failure as an error, for a run that is not part of a call.
    var error: PatchError { PatchError(code, message, at: .init(file: script, line: line)) }
}
