internal import CLuaBridge
public import PatchCrypto

/// An event that a runner reports to the app about its patches.
///
/// A version after 1.0 may add cases. Give a `switch` an `@unknown default`.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum RunnerEvent: Sendable {
    /// Why a call of a replacement failed.
    public struct Failure: Sendable {
        /// `script` for an error or a wrong result, `script-limit` for a run that was ended.
        public let code: PatchError.Code
        /// Lua's message without its position, or the reason why a value could not be passed.
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

    /// The reason why the script did not answer although it did not fail. Its `otherwise` answered instead, or, without one, an
    /// older patch or the original.
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
        /// The patch has failed too often, and its script's `otherwise` answered.
        case otherwise
    }

    /// The number of calls of a patch, and how long they took.
    public struct Calls: Sendable, Equatable {
        /// How often a function of the patch was called.
        public package(set) var calls: Int
        /// How many of the calls failed.
        public package(set) var failures: Int
        /// How often something else answered: the script's `otherwise`, an older patch or the original.
        public package(set) var fallbacks: Int
        /// How many of the calls were measured.
        public package(set) var measured: Int
        /// The total time of the measured calls, in nanoseconds.
        public package(set) var nanoseconds: Int
        /// The longest measured call since the patch was activated, in nanoseconds.
        public package(set) var longest: Int
        /// The number of measured calls that took less than each of ``timeBounds``, but not less than the bound before it. The
        /// last number counts the longer calls. Empty if no call was measured.
        public package(set) var times: [Int]
        /// The bounds of ``times``: from 100 µs to 500 ms.
        public static var timeBounds: [Duration] {
            (0..<Int32(PP_BOUNDS)).map { .nanoseconds(pp_bound($0)) }
        }

        package init(
            calls: Int = 0, failures: Int = 0, fallbacks: Int = 0, measured: Int = 0, nanoseconds: Int = 0,
            longest: Int = 0, times: [Int] = []
        ) {
            self.calls = calls
            self.failures = failures
            self.fallbacks = fallbacks
            self.measured = measured
            self.nanoseconds = nanoseconds
            self.longest = longest
            self.times = times
        }
    }

    /// The level of a script's log line.
    public enum LogLevel: Int, Sendable {
        case debug, info, warn, error
    }

    /// A patch was loaded: its script ran and declared its replacements.
    case loaded(PatchID, replaces: [String])
    /// A patch's replacements are active.
    case activated(PatchID)
    /// A patch's replacements are no longer active.
    case deactivated(PatchID)
    /// A patch was refused. Its id and version are given if the manifest was verified.
    case refused(PatchError, PatchID?)
    /// A replacement failed. The script's `otherwise` answered. Without one, the next older patch or the original answered; if it
    /// had already answered in this call, it did not run again.
    case failed(PatchID, function: String, Failure)
    /// The patch's script did not answer a call, although it did not fail.
    case fellBack(PatchID, function: String, Fallback)
    /// The statistics of a patch's calls since the last event of this kind.
    case called(PatchID, Calls)
    /// A patch failed too often, and was deactivated. The exceptions are the functions for which its script gives an `otherwise`,
    /// which answers them from now on.
    case breakerOpened(PatchID, failures: Int, otherwise: [String])
    /// A script wrote to the log.
    case log(PatchID, LogLevel, String)
    /// An event happened again this many times within a second after it was reported. The event is the latest occurrence.
    indirect case repeated(RunnerEvent, count: Int)
}

extension RunnerEvent {
    /// The event as one line of JSON, of the schema `patchpack.event/1` (docs/events.md). Characters that a terminal
    /// would act on are escaped.
    public var jsonLine: String { record.line() }

    /// The event's name in JSON, such as `breaker-opened`.
    public var name: String { record.name.rawValue }

    /// The record from which the event's line is made.
    package var record: EventRecord {
        switch self {
        case .loaded(let patch, let replaces):
            EventRecord(.loaded, patch: patch.pair, [(.replaces, .array(replaces.map(JSONValue.string)))])
        case .activated(let patch): EventRecord(.activated, patch: patch.pair)
        case .deactivated(let patch): EventRecord(.deactivated, patch: patch.pair)
        case .refused(let error, let patch): EventRecord(.refused, patch: patch?.pair, error.attributes)
        case .failed(let patch, let function, let failure):
            EventRecord(.failed, patch: patch.pair, [(.function, .string(function))] + failure.error.attributes)
        case .fellBack(let patch, let function, let reason):
            EventRecord(
                .fellBack, patch: patch.pair, [(.function, .string(function)), (.error, .string(reason.rawValue))])
        case .called(let patch, let calls): EventRecord(.called, patch: patch.pair, calls.attributes)
        case .breakerOpened(let patch, let failures, let functions):
            EventRecord(
                .breakerOpened, patch: patch.pair,
                [(.failures, .integer(failures))]
                    + (functions.isEmpty ? [] : [(.otherwise, .array(functions.map(JSONValue.string)))]))
        case .log(let patch, let level, let text):
            EventRecord(.log, patch: patch.pair, severity: level.severity, body: text)
        case .repeated(let event, let count): event.record.repeated(count)
        }
    }

    /// The severity of the event. For a script's log line, it is the line's level.
    public var severity: EventSeverity { record.level }

    /// A message that is the same for every event of the name; for a script's log line, the line. Characters that a terminal
    /// would act on are escaped.
    public var message: String { Escape.comment(record.message) }

    /// The values that differ from event to event, by the names that they have in JSON, such as `patch.id` (docs/events.md).
    public var attributes: [(name: String, value: EventValue)] { record.values }

    /// The patch that the event is about; nil if its manifest was not verified.
    public var patch: PatchID? {
        switch self {
        case .loaded(let patch, _), .activated(let patch), .deactivated(let patch), .failed(let patch, _, _),
            .fellBack(let patch, _, _), .called(let patch, _), .breakerOpened(let patch, _, _),
            .log(let patch, _, _):
            patch
        case .refused(_, let patch): patch
        case .repeated(let event, _): event.patch
        }
    }
}

extension PatchID {
    package var pair: (id: String, version: Int) { (id, version) }
}

extension RunnerEvent.LogLevel {
    fileprivate var severity: EventRecord.Severity {
        switch self {
        case .debug: .debug
        case .info: .info
        case .warn: .warn
        case .error: .error
        }
    }
}

extension RunnerEvent.Calls {
    fileprivate var attributes: EventRecord.Members {
        var members: EventRecord.Members = [
            (.calls, .integer(calls)), (.failures, .integer(failures)), (.fallbacks, .integer(fallbacks)),
        ]
        if measured > 0 {
            members += [
                (.measured, .integer(measured)), (.nanoseconds, .integer(nanoseconds)), (.longest, .integer(longest)),
                (.times, .array(times.prefix((times.lastIndex { $0 > 0 } ?? -1) + 1).map(JSONValue.integer))),
            ]
        }
        return members
    }
}

extension RunnerEvent: CustomStringConvertible {
    /// The event as a readable line.
    public var description: String {
        let subject = patch.map { "\($0)" } ?? "a patch"
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
        case .breakerOpened(_, let failures, let functions):
            return functions.isEmpty
                ? "\(subject) was deactivated after \(failures) failures"
                : "\(subject) failed \(failures) times: `otherwise` answers \(functions.joined(separator: ", "))"
        case .log(_, let level, let text): return "\(subject) \(level): \(text)"
        case .repeated(let event, let count): return "\(event) (\(count) times more)"
        }
    }
}

extension RunnerEvent.Failure {
    /// The place, if it is known, and the message: `cart.lua:3: attempt to call a nil value`.
    package var text: String { error.text }

    /// The failure as an error, for a run that is not part of a call.
    var error: PatchError { PatchError(code, message, at: .init(file: script, line: line)) }
}

extension RunnerEvent: RepeatedEvent {
    package var sameness: EventSameness? {
        switch self {
        case .failed(let patch, let function, let failure): EventSameness(name, patch, "\(function) \(failure.code)")
        case .fellBack(let patch, let function, let reason):
            EventSameness(name, patch, "\(function) \(reason.rawValue)")
        case .log(let patch, let level, let text): EventSameness(name, patch, "\(level) \(text)")
        case .refused(let error, let patch): EventSameness(name, patch, "\(error.code)")
        case .repeated(let event, _): event.sameness
        default: nil
        }
    }

    package var single: (event: RunnerEvent, count: Int) {
        if case .repeated(let event, let count) = self { (event, count) } else { (self, 1) }
    }

    package func repeated(_ count: Int) -> RunnerEvent { .repeated(self, count: count) }
}
