internal import CLuaBridge
public import PatchCrypto
package import PatchText

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
        public package(set) var message: String
        /// The script in which it happened; nil if Lua does not know it.
        public let script: String?
        /// The line in the script, from 1. For a wrong result it is the line on which the function begins.
        public let line: Int?
        /// The line and those that called it, the innermost first, at most ten, each in a line of text, such as `cart.lua:3: in tax`;
        /// nil if no function of the script called it.
        public package(set) var stackTrace: String?
        /// Whether the patch is not at fault: the machine had no processor time or no memory for it.
        package var isCircumstance = false

        package init(code: PatchError.Code, message: String, script: String?, line: Int?) {
            self.code = code
            self.message = message
            self.script = script
            self.line = line
        }
    }

    /// The reason why the script did not answer although it did not fail. Its `otherwise` answered instead, or, without one, the
    /// next patch below or the original.
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
        /// The patch was deactivated while a call was in a patch above it, so that the original answered.
        case deactivated
    }

    /// The number of calls of a patch, and how long they took.
    public struct Calls: Sendable, Equatable {
        /// How often a function of the patch was called.
        public package(set) var calls = 0
        /// How many of the calls failed.
        public package(set) var failures = 0
        /// How often something else answered: the script's `otherwise`, another patch or the original.
        public package(set) var fallbacks = 0
        /// How many of the calls were measured.
        public package(set) var measured = 0
        /// The total time of the measured calls, in nanoseconds.
        public package(set) var nanoseconds = 0
        /// The longest measured call since the patch was activated, in nanoseconds.
        public package(set) var longest = 0
        /// The number of measured calls that took less than each of ``timeBounds``, but not less than the bound before it. The
        /// last number counts the longer calls. Empty if no call was measured.
        public package(set) var times: [Int] = []
        /// The bounds of ``times``: from 100 µs to 500 ms.
        public static var timeBounds: [Duration] {
            (0..<Int32(PP_BOUNDS)).map { .nanoseconds(pp_bound($0)) }
        }

        package init() {}
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
    /// A replacement failed. The script's `otherwise` answered. Without one, the next patch below or the original answered; if it
    /// had already answered in this call, it did not run again.
    case failed(PatchID, function: String, Failure)
    /// The patch's script did not answer a call, although it did not fail.
    case fellBack(PatchID, function: String, Fallback)
    /// The statistics of a patch's calls since the last event of this kind.
    case called(PatchID, Calls)
    /// A patch in shadow was compared with the answers that were given.
    case compared(PatchID, function: String, Comparison)
    /// Replacements of a patch failed too often, and are skipped for now. `otherwise` has the functions for which the script gives
    /// an `otherwise`, which answers them.
    case breakerOpened(PatchID, functions: [String], failures: Int, otherwise: [String])
    /// A replacement that had failed too often runs again, because tries have succeeded.
    case breakerClosed(PatchID, function: String)
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
    public var name: String { kind.rawValue }

    /// The same name, in the schema of the lines.
    package var kind: EventRecord.Name { subject.kind }

    /// The patch that the event is about; nil if its manifest was not verified.
    public var patch: PatchID? { subject.patch }

    private var subject: (kind: EventRecord.Name, patch: PatchID?) {
        switch self {
        case .loaded(let patch, _): (.loaded, patch)
        case .activated(let patch): (.activated, patch)
        case .deactivated(let patch): (.deactivated, patch)
        case .refused(_, let patch): (.refused, patch)
        case .failed(let patch, _, _): (.failed, patch)
        case .fellBack(let patch, _, _): (.fellBack, patch)
        case .called(let patch, _): (.called, patch)
        case .compared(let patch, _, _): (.compared, patch)
        case .breakerOpened(let patch, _, _, _): (.breakerOpened, patch)
        case .breakerClosed(let patch, _): (.breakerClosed, patch)
        case .log(let patch, _, _): (.log, patch)
        case .repeated(let event, _): event.subject
        }
    }

    package var record: EventRecord {
        switch self {
        case .activated, .deactivated: make([])
        case .loaded(_, let replaces): make([(.replaces, .array(replaces.map(JSONValue.string)))])
        case .refused(let error, _): make(error.attributes)
        case .failed(_, let function, let failure):
            make([(.function, .string(function))] + failure.error.attributes + failure.stackMembers)
        case .fellBack(_, let function, let reason):
            make([(.function, .string(function)), (.error, .string(reason.rawValue))])
        case .called(_, let calls): make(calls.attributes)
        case .compared(_, let function, let comparison):
            make([(.function, .string(function))] + comparison.attributes)
        case .breakerOpened(_, let functions, let failures, let otherwise):
            make(
                [(.replaces, .array(functions.map(JSONValue.string))), (.failures, .integer(failures))]
                    + (otherwise.isEmpty ? [] : [(.otherwise, .array(otherwise.map(JSONValue.string)))]))
        case .breakerClosed(_, let function): make([(.function, .string(function))])
        case .log(_, let level, let text):
            EventRecord(kind, patch: patch?.pair, severity: level.severity, body: text)
        case .repeated(let event, let count): event.record.repeated(count)
        }
    }

    private func make(_ members: EventRecord.Members) -> EventRecord { EventRecord(kind, patch: patch?.pair, members) }

    /// The severity of the event. For a script's log line, it is the line's level.
    public var severity: EventSeverity { record.level }

    /// A message that is the same for every event of the name; for a script's log line, the line. Characters that a terminal
    /// would act on are escaped.
    public var message: String { Escape.comment(record.message) }

    /// The values that differ from event to event, by the names that they have in JSON, such as `patch.id` (docs/events.md).
    public var attributes: [(name: String, value: EventValue)] { record.values }
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
    /// The event as one line of text for a reader. Characters that a terminal would act on are escaped.
    public var description: String { Escape.comment(words) }

    private var words: String {
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
            return "\(subject) was called \(calls.calls.times), and failed \(calls.failures.times)"
        case .compared(_, let function, let comparison):
            return "\(subject) in shadow of \(function): \(comparison)"
        case .breakerOpened(_, let functions, let failures, let otherwise):
            return "\(subject) failed \(failures.times), and is skipped in \(functions.joined(separator: ", "))"
                + (otherwise.isEmpty ? "" : ": `otherwise` answers \(otherwise.joined(separator: ", "))")
        case .breakerClosed(_, let function): return "\(subject) runs again in \(function)"
        case .log(_, let level, let text): return "\(subject) \(level): \(text)"
        case .repeated(let event, let count): return "\(event.words) (\(count.times) more)"
        }
    }
}

extension Int {
    /// `1 time`, `2 times`.
    package var times: String { "\(self) time\(self == 1 ? "" : "s")" }
}

extension RunnerEvent.Failure {
    /// The place, if it is known, and the message: `cart.lua:3: attempt to call a nil value`.
    package var text: String { error.text }

    var stackMembers: EventRecord.Members { stackTrace.map { [(.stack, .string($0))] } ?? [] }

    /// The failure as an error, for a run that is not part of a call.
    var error: PatchError {
        let error = PatchError(code, message, at: .init(file: script, line: line))
        return isCircumstance ? error.ofCircumstance : error
    }
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
