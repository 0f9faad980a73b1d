internal import Synchronization

/// Counts the failures of a patch, and decides which of its replacements are skipped.
///
/// The breaker of a replacement opens if there were too many failures in too short a time: for the replacement that has failed, and
/// for all of them if others have failed in that time, too. After a pause a call tries the script. If a few tries in a row succeed,
/// the breaker closes. If one fails, the pause begins again, and is twice as long.
final class Breaker: Sendable {
    enum Change: Sendable {
        /// From now on, these replacements are skipped.
        case opened([String], failures: Int)
        /// A try has failed, so that the replacement is skipped for another pause.
        case pauses(String)
        /// The replacement runs again.
        case closed(String)
    }

    enum Position: Sendable {
        case closed
        /// None does until the end of a pause, an uptime.
        case open(until: Duration)
        /// One call at a time tries it.
        case halfOpen
    }

    /// A call that tries a replacement.
    struct Probe: Sendable {
        fileprivate let breaker: Breaker
        fileprivate let function: String

        /// - Parameter succeeded: nil if the call was not made, or was given up.
        func ended(succeeded: Bool?) { breaker.ended(function, succeeded) }
    }

    private struct Opening {
        var pause: Duration
        var end: Duration
        var successes = 0
        var isTried = false
    }

    private struct State {
        var failures: [(time: Duration, function: String)] = []
        var open: [String: Opening] = [:]
    }

    private static let successes = 3
    private static let longestPause = Duration.seconds(3600)
    /// The end of a pause that has none.
    static let never = Duration.seconds(Int64.max)

    private let limit: Int
    private let window: Duration
    private let pause: Duration
    private let functions: [String]
    let uptime: Uptime
    private let changed: @Sendable (Breaker, Change) -> Void
    private let state = Mutex(State())

    /// - Parameter uptime: The clock by which failures add up, and by which a pause ends.
    init(
        limits: PatchLimits, functions: [String], uptime: Uptime,
        changed: @escaping @Sendable (Breaker, Change) -> Void
    ) {
        limit = max(1, limits.failures)
        window = max(.zero, limits.failureWindow)
        pause = Uptime.bounded(limits.breakerPause)
        self.functions = functions
        self.uptime = uptime
        self.changed = changed
    }

    func count(_ function: String) {
        guard limit < .max else { return }
        let now = uptime.now()
        let opened = state.locked { state -> [String]? in
            guard state.open[function] == nil else { return nil }
            state.failures.removeAll { now - $0.time > window }
            state.failures.append((now, function))
            guard state.failures.count >= limit else { return nil }
            let isAlone = state.failures.allSatisfy { $0.function == function }
            state.failures = []
            let opened = isAlone ? [function] : functions.filter { state.open[$0] == nil }
            for function in opened { state.open[function] = Opening(pause: pause, end: now + pause) }
            return opened
        }
        if let opened { changed(self, .opened(opened, failures: limit)) }
    }

    /// Opens it for all replacements, for good.
    func open() {
        state.locked { state in
            for function in functions { state.open[function] = Opening(pause: .zero, end: Self.never) }
        }
    }

    var isOpen: Bool { state.locked { !$0.open.isEmpty } }
    func isOpen(_ function: String) -> Bool { state.locked { $0.open[function] != nil } }

    func position(of function: String) -> Position {
        state.locked { state in
            guard let end = state.open[function]?.end else { return .closed }
            return uptime.now() < end ? .open(until: end) : .halfOpen
        }
    }

    /// Lets a call try a replacement, if the pause is over and no other call tries it.
    func probe(_ function: String) -> Probe? {
        state.locked { state in
            guard let opening = state.open[function], !opening.isTried, uptime.now() >= opening.end else { return nil }
            state.open[function]?.isTried = true
            return Probe(breaker: self, function: function)
        }
    }

    private func ended(_ function: String, _ succeeded: Bool?) {
        let change = state.locked { state -> Change? in
            guard var opening = state.open[function] else { return nil }
            opening.isTried = false
            if succeeded == true { opening.successes += 1 }
            if succeeded == false {
                opening.successes = 0
                opening.pause = max(opening.pause, min(opening.pause * 2, Self.longestPause))
                opening.end = uptime.now() + opening.pause
            }
            let isClosed = opening.successes == Self.successes
            state.open[function] = isClosed ? nil : opening
            return isClosed ? .closed(function) : succeeded == false ? .pauses(function) : nil
        }
        if let change { changed(self, change) }
    }
}
