internal import CLuaBridge
internal import PatchCrypto
internal import PatchText
internal import Synchronization

/// The host's function for events. A runner and the patches that it has loaded keep it.
final class EventListener: Sendable {
    private let handler: @Sendable (RunnerEvent) -> Void

    init(_ handler: @escaping @Sendable (RunnerEvent) -> Void) {
        self.handler = handler
        Self.firstTask
    }

    /// Calls the function. If this thread has too little stack for it, a task does.
    func hear(_ kind: RunnerEvent.Kind) {
        let event = RunnerEvent(kind)
        guard pp_has_stack_for_events() else { return Self.run { [handler] in handler(event) } }
        handler(event)
    }

    /// The first task of a program makes the types of its parts, for which a thread with little stack has no room.
    private static let firstTask: Void = run {}

    @inline(never)
    private static func run(_ body: @escaping @Sendable () -> Void) { Task.detached { body() } }
}

/// Reports the events of a patch to the host, counts its failures, and limits its log.
package final class PatchEventSink: Sendable {
    let patch: PatchID
    let breaker: Breaker
    let listener: EventListener?
    private let limit: Int
    /// When the current minute of the log began, and how many bytes were logged since then.
    private let minute = Mutex<(began: Duration, bytes: Int)?>(nil)
    private let uptime: Uptime

    /// - Parameter listener: Is called for each event, on the thread on which it happens.
    init(on patch: PatchID, limits: PatchLimits, breaker: Breaker, uptime: Uptime, listener: EventListener?) {
        self.uptime = uptime
        self.patch = patch
        self.breaker = breaker
        self.listener = listener
        limit = max(0, limits.logBytesPerMinute)
    }

    var isHeard: Bool { listener != nil }

    /// Reports a failure and counts it, which may open the breaker.
    ///
    /// - Parameters:
    ///   - failure: nil if there is no listener.
    ///   - isOfPatch: Whether the failure counts. A patch that got no processor or no memory is not at fault.
    func failed(_ failure: RunnerEvent.Failure?, in function: String, isOfPatch: Bool) {
        if let failure {
            emit(.failed(.init(PatchedCall(patch, function), limit > 0 ? failure : failure.withText(of: 0))))
        }
        if isOfPatch { breaker.count(function) }
    }

    /// The event for a line of the script's log, which is counted. The first line past the minute's limit becomes a
    /// warning, and the following ones nil.
    func line(_ severity: EventSeverity, _ text: UnsafeBufferPointer<UInt8>) -> RunnerEvent.Kind? {
        let now = uptime.now()
        let (before, after) = minute.locked { minute in
            var current = minute ?? (began: now, bytes: 0)
            if now - current.began >= .seconds(60) { current = (began: now, bytes: 0) }
            let before = current.bytes
            current.bytes = before.addingOrMost(text.count).addingOrMost(1)  // the end of the line
            minute = current
            return (before, current.bytes)
        }
        guard before <= limit else { return nil }
        guard after <= limit else {
            return .logged(.init(patch, .warning, "more than \(limit) bytes logged in a minute; the rest is dropped"))
        }
        return unsafe .logged(.init(patch, severity, String(decoding: text, as: UTF8.self)))
    }

    /// Reports that calls take turns, and why another instance could not be made.
    func reportTurns(because error: PatchError) {
        emit(.logged(.init(patch, .warning, "calls take turns, because another instance could not be made: \(error)")))
    }

    func emit(_ kind: RunnerEvent.Kind) { listener?.hear(kind) }

    /// A sink for a script that is not part of a patch. Its events are dropped.
    package static var none: PatchEventSink {
        let limits = PatchLimits()
        return PatchEventSink(
            on: PatchID(id: "com.example.none", version: 1), limits: limits,
            breaker: Breaker(limits: limits, functions: [], uptime: .system) { _, _ in }, uptime: .system,
            listener: nil)
    }
}

extension RunnerEvent.Failure {
    /// The failure with as many bytes of its message as an app allows.
    ///
    /// With none, the message is only the words of Lua or of the runner that it begins with. What follows them may be a
    /// value, and so may the whole message of an error that a script has made. A run that was ended has only words of
    /// the runner. The names of a stack are words of the script.
    func withText(of bytes: Int) -> RunnerEvent.Failure {
        var failure = self
        if bytes > 0 {
            failure.message = message.shortened(to: bytes)
        } else if code == .script {
            failure.message = ownWords
        }
        return failure
    }

    /// The words of Lua or of the runner with which the message begins.
    private var ownWords: String {
        guard message.utf8.starts(with: "attempt to ".utf8) else {
            return Self.openings.first { message.utf8.starts(with: $0.utf8) } ?? "an error of the script"
        }
        return message.split(separator: " ").prefix { Self.wordsOfLua.contains(String($0)) }.joined(separator: " ")
    }

    /// The messages that the runner makes itself, up to the values in them.
    private static let openings = [
        "host.throw in a function that cannot throw", "uncaught error of the host", "wrong result", "stack overflow",
        "C stack overflow", "not enough memory",
    ]
    private static let wordsOfLua: Set<String> = [
        "attempt", "to", "call", "index", "compare", "concatenate", "get", "length", "of", "perform", "arithmetic",
        "bitwise", "operation", "on", "a", "two", "with", "nil", "boolean", "number", "string", "table", "function",
        "userdata", "value", "values",
    ]
}
