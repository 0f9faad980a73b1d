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
    /// next patch below or the original. A version after 1.0 may add some.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
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
        package var nanoseconds = 0
        /// The longest measured call since the patch was activated, in nanoseconds.
        package var longest = 0
        /// The counts of ``buckets``; empty if no call was measured.
        package var times: [Int] = []
        /// The bounds of ``buckets``: from 100 µs to 500 ms.
        package static var timeBounds: [Duration] {
            (0..<Int32(PP_BOUNDS)).map { .nanoseconds(pp_bound($0)) }
        }

        /// Measured calls that took about as long as each other.
        public struct Bucket: Sendable, Hashable {
            /// They took less than this, but not less than the bound of the bucket before; nil for the longest calls.
            public let bound: Duration?
            /// How many there were.
            public let count: Int
        }

        /// The total time of the measured calls, in nanoseconds.
        public var totalTime: Duration { .nanoseconds(nanoseconds) }
        /// The longest measured call since the patch was activated, in nanoseconds.
        public var longestTime: Duration { .nanoseconds(longest) }
        /// The measured calls by the time that they took, the shortest first; empty if no call was measured.
        public var buckets: [Bucket] {
            zip(Self.timeBounds.map(Optional.some) + [nil], times).map { Bucket(bound: $0, count: $1) }
        }

        package init() {}
    }

    /// A line that a script wrote to the log.
    public struct LogLine: Sendable, Hashable {
        /// The severity that the script gave it.
        public let severity: EventSeverity
        /// The text of the line.
        public let text: String

        package init(_ severity: EventSeverity, _ text: String) {
            self.severity = severity
            self.text = text
        }
    }

    /// The functions of a patch that failed too often, so that the script does not run for now.
    public struct OpenBreaker: Sendable, Hashable {
        /// The functions that are skipped.
        public let functions: [String]
        /// How often they had failed.
        public let failures: Int
        /// Those of the functions for which the script gives an `otherwise`, which answers them.
        public let otherwise: [String]

        package init(functions: [String], failures: Int, otherwise: [String]) {
            self.functions = functions
            self.failures = failures
            self.otherwise = otherwise
        }
    }

    /// A patch was loaded: its script ran and declared its replacements.
    case loaded(PatchID, replaces: [String])
    /// A patch's replacements are active.
    case activated(PatchID)
    /// A patch's replacements are no longer active.
    case deactivated(PatchID)
    /// A patch was refused. It is named if its manifest was verified.
    case refused(PatchID?, PatchError)
    /// A replacement failed. The script's `otherwise` answered. Without one, the next patch below or the original answered; if it
    /// had already answered in this call, it did not run again.
    case failed(PatchedCall, Failure)
    /// The patch's script did not answer a call, although it did not fail.
    case fellBack(PatchedCall, Fallback)
    /// The statistics of a patch's calls since the last event of this kind.
    case called(PatchID, Calls)
    /// A patch in shadow was compared with the answers that were given.
    case compared(PatchedCall, Comparison)
    /// Replacements of a patch failed too often, and are skipped for now.
    case breakerOpened(PatchID, OpenBreaker)
    /// A replacement that had failed too often runs again, because tries have succeeded.
    case breakerClosed(PatchedCall)
    /// A script wrote to the log.
    case logged(PatchID, LogLine)
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
        case .refused(let patch, _): (.refused, patch)
        case .failed(let call, _): (.failed, call.patch)
        case .fellBack(let call, _): (.fellBack, call.patch)
        case .called(let patch, _): (.called, patch)
        case .compared(let call, _): (.compared, call.patch)
        case .breakerOpened(let patch, _): (.breakerOpened, patch)
        case .breakerClosed(let call): (.breakerClosed, call.patch)
        case .logged(let patch, _): (.log, patch)
        case .repeated(let event, _): event.subject
        }
    }

    package var record: EventRecord {
        switch self {
        case .activated, .deactivated: make([])
        case .loaded(_, let replaces): make([(.replaces, .array(replaces.map(JSONValue.string)))])
        case .refused(_, let error): make(error.attributes)
        case .failed(let call, let failure):
            make([(.function, .string(call.function))] + failure.error.attributes + failure.stackMembers)
        case .fellBack(let call, let reason):
            make([(.function, .string(call.function)), (.error, .string(reason.rawValue))])
        case .called(_, let calls): make(calls.attributes)
        case .compared(let call, let comparison):
            make([(.function, .string(call.function))] + comparison.attributes)
        case .breakerOpened(_, let breaker):
            make(
                [
                    (.replaces, .array(breaker.functions.map(JSONValue.string))),
                    (.failures, .integer(breaker.failures)),
                ]
                    + (breaker.otherwise.isEmpty
                        ? [] : [(.otherwise, .array(breaker.otherwise.map(JSONValue.string)))]))
        case .breakerClosed(let call): make([(.function, .string(call.function))])
        case .logged(_, let line):
            EventRecord(kind, patch: patch?.pair, severity: line.severity.recorded, body: line.text)
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
    public var attributes: [EventAttribute] { record.values }
}

extension PatchID {
    package var pair: (id: String, version: Int) { (id, version) }
}

extension EventSeverity {
    /// The severity in the lines of a log. A script has the same name for it.
    package var recorded: EventRecord.Severity {
        switch self {
        case .debug: .debug
        case .info: .info
        case .warning: .warn
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
        case .refused(_, let error): return "\(subject) refused: \(error)"
        case .failed(let call, let failure): return "\(subject) failed in \(call.function): \(failure.text)"
        case .fellBack(let call, let reason):
            return "\(subject) was skipped in \(call.function): \(reason.rawValue)"
        case .called(_, let calls):
            return "\(subject) was called \(calls.calls.times), and failed \(calls.failures.times)"
        case .compared(let call, let comparison): return "\(subject) in shadow of \(call.function): \(comparison)"
        case .breakerOpened(_, let breaker):
            let functions = breaker.functions.joined(separator: ", ")
            let otherwise = breaker.otherwise.joined(separator: ", ")
            return "\(subject) failed \(breaker.failures.times), and is skipped in \(functions)"
                + (otherwise.isEmpty ? "" : ": `otherwise` answers \(otherwise)")
        case .breakerClosed(let call): return "\(subject) runs again in \(call.function)"
        case .logged(_, let line): return "\(subject) \(line.severity.recorded): \(line.text)"
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
        case .failed(let call, let failure): EventSameness(name, call.patch, "\(call.function) \(failure.code)")
        case .fellBack(let call, let reason):
            EventSameness(name, call.patch, "\(call.function) \(reason.rawValue)")
        case .logged(let patch, let line): EventSameness(name, patch, "\(line.severity) \(line.text)")
        case .refused(let patch, let error): EventSameness(name, patch, "\(error.code)")
        case .repeated(let event, _): event.sameness
        default: nil
        }
    }

    package var single: (event: RunnerEvent, count: Int) {
        if case .repeated(let event, let count) = self { (event, count) } else { (self, 1) }
    }

    package func repeated(_ count: Int) -> RunnerEvent { .repeated(self, count: count) }
}
