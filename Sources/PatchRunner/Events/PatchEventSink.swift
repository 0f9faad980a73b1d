internal import CLuaBridge
internal import PatchCrypto
internal import Synchronization

/// Reports the events of a patch to the host, counts its failures, and limits its log.
package final class PatchEventSink: Sendable {
    let patch: PatchID
    let breaker: Breaker
    private let events: (@Sendable (RunnerEvent) -> Void)?
    private let limit: Int
    /// When the current minute of the log began, and how many bytes were logged since then.
    private let minute = Mutex<(began: UInt64, bytes: Int)>((0, 0))

    /// - Parameter events: Called for each event, on the thread on which it happens; nil if there is no listener.
    init(
        on patch: PatchID, limits: PatchLimits, breaker: Breaker, events: (@Sendable (RunnerEvent) -> Void)?
    ) {
        self.patch = patch
        self.breaker = breaker
        self.events = events
        limit = max(0, limits.logBytesPerMinute)
    }

    /// Whether there is a listener.
    var isHeard: Bool { events != nil }

    /// Reports a failure and counts it, which may open the breaker.
    ///
    /// - Parameters:
    ///   - failure: nil if there is no listener.
    ///   - isOfPatch: Whether the failure counts. A patch that waited for the processor is not at fault.
    func failed(_ failure: RunnerEvent.Failure?, in function: String, isOfPatch: Bool) {
        if let failure { emit(.failed(patch, function: function, failure)) }
        if isOfPatch { breaker.count(at: pp_nanoseconds()) }
    }

    func fellBack(_ reason: RunnerEvent.Fallback, in function: String) {
        emit(.fellBack(patch, function: function, reason))
    }

    /// The event for a log line. The first line past the minute's limit becomes a warning; the following lines are
    /// dropped (nil).
    func line(_ level: RunnerEvent.LogLevel, _ text: UnsafeBufferPointer<UInt8>) -> RunnerEvent? {
        let now = pp_nanoseconds()
        let (before, after) = minute.locked { minute in
            if minute.began == 0 || now - minute.began >= 60_000_000_000 { minute = (now, 0) }
            let before = minute.bytes
            minute.bytes = before.addingOrMost(text.count).addingOrMost(1)
            return (before, minute.bytes)
        }
        guard before <= limit else { return nil }
        guard after <= limit else {
            return .log(patch, .warn, "more than \(limit) bytes logged in a minute; the rest is dropped")
        }
        return unsafe .log(patch, level, String(decoding: text, as: UTF8.self))
    }

    /// Reports why there can be no other instance of the patch.
    func hasOneInstance(_ error: PatchError) {
        emit(.log(patch, .warn, "calls take turns, because another instance could not be made: \(error)"))
    }

    func emit(_ event: RunnerEvent) { events?(event) }

    /// A sink for a script that is not part of a patch. Its events are dropped.
    package static var none: PatchEventSink {
        let limits = PatchLimits()
        return PatchEventSink(
            on: PatchID(id: "com.example.none", version: 1), limits: limits,
            breaker: Breaker(limits: limits) { _, _ in },
            events: nil)
    }
}
