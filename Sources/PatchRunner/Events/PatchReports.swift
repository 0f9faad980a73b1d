internal import CLuaBridge
internal import Synchronization

/// Tells the host about a patch: its failures, which are counted, and its log, up to a limit.
package final class PatchReports: Sendable {
    let patch: PatchID
    let breaker: Breaker
    private let events: @Sendable (PatchEvent) -> Void
    private let limit: Int
    /// When the minute of the log began, and the bytes that it has got since.
    private let minute = Mutex<(began: UInt64, bytes: Int)>((0, 0))

    /// - Parameter events: Told of what happens, on the thread on which it happens.
    init(
        on patch: PatchID, limits: PatchLimits, breaker: Breaker, events: @escaping @Sendable (PatchEvent) -> Void
    ) {
        self.patch = patch
        self.breaker = breaker
        self.events = events
        limit = max(0, limits.logBytesPerMinute)
    }

    /// Reports a failure, which may be the one that opens the breaker.
    func failed(_ failure: PatchEvent.Failure, in function: String) {
        events(.failed(patch, function: function, failure))
        breaker.count(at: pp_nanoseconds())
    }

    func fellBack(_ reason: PatchEvent.Fallback, in function: String) {
        events(.fellBack(patch, function: function, reason))
    }

    /// What of a log line is to be told: the line, or, of the first one past the minute's limit, that it is past it; nil for the others.
    func line(_ level: PatchEvent.LogLevel, _ text: UnsafeBufferPointer<UInt8>) -> PatchEvent? {
        let now = pp_nanoseconds()
        let (before, after) = minute.locked { minute in
            if minute.began == 0 || now - minute.began >= 60_000_000_000 { minute = (now, 0) }
            let before = minute.bytes
            minute.bytes = before.addingOrMost(text.count).addingOrMost(1)
            return (before, minute.bytes)
        }
        guard before <= limit else { return nil }
        guard after <= limit else {
            return .log(patch, .warn, "more than \(limit) bytes logged in a minute; the rest of it is dropped")
        }
        return unsafe .log(patch, level, String(decoding: text, as: UTF8.self))
    }

    func tell(_ event: PatchEvent) { events(event) }

    /// Those of a script that is no patch's, which go nowhere.
    package static var none: PatchReports {
        let limits = PatchLimits()
        return PatchReports(
            on: PatchID(id: "com.example.none", version: 1), limits: limits,
            breaker: Breaker(limits: limits) { _, _ in },
            events: { _ in })
    }
}
