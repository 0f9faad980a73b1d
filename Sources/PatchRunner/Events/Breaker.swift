internal import Synchronization

/// Counts the failures of a patch, and decides which of its replacements are skipped.
///
/// The breaker of a replacement opens if there were too many failures in too short a time: for the replacement that has
/// failed, and for all of them if others have failed in that time, too. After a pause a call tries the script. If a few
/// tries in a row succeed, the breaker closes. If one fails, the pause begins again, and is twice as long. A call that
/// waits in its original, such as a stream, may not end for hours: if it has not failed for as long as the first pause,
/// it has succeeded.
final class Breaker: Sendable {
    enum Change: Sendable {
        /// From now on, these replacements are skipped.
        case opened([String], failures: Int)
        /// A try has failed, so that the replacement is skipped for another pause.
        case pauses(String)
        /// The replacement runs again.
        case closed(String)
    }

    /// Which calls run a replacement.
    enum Position: Sendable {
        /// All of them.
        case closed
        /// None, until the end of a pause, an uptime.
        case open(until: Duration)
        /// One at a time, to try it.
        case halfOpen
    }

    /// A call that tries a replacement.
    struct Probe: Sendable {
        fileprivate let breaker: Breaker
        fileprivate let function: String
        fileprivate let number: Int

        /// - Parameter succeeded: nil if the call was not made, or was given up.
        func ended(succeeded: Bool?) { breaker.ended(self, succeeded) }
    }

    /// The open breaker of a replacement.
    private struct Opening {
        /// How long a pause lasts, and the uptime at which the current one ends.
        var pause: Duration
        var end: Duration
        /// How many tries in a row have succeeded.
        var successes = 0
        /// The call that tries it, and until when no other one does.
        var probe: (number: Int, end: Duration)?
    }

    private struct State {
        var failures = RecentFailures()
        var open: [String: Opening] = [:]
        var probes = 0
    }

    /// How many tries in a row must succeed.
    private static let successes = 3
    /// The least time that a call tries it alone, however short the pause is.
    private static let shortestTry = Duration.seconds(1)
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
    private let reference = Mutex(Reference())

    private struct Reference { weak var owner: (any AnyObject & Sendable)? }

    /// The loaded patch whose failures it counts; nil before it is set, and if the patch is gone.
    var owner: (any AnyObject & Sendable)? {
        get { reference.locked { $0.owner } }
        set { reference.locked { $0.owner = newValue } }
    }

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

    /// Counts a failure of a replacement.
    func count(_ function: String) {
        guard limit < .max else { return }
        let now = uptime.now()
        let opened = state.locked { state -> [String]? in
            guard state.open[function] == nil else { return nil }
            state.failures.add(function, at: now, window: window)
            guard state.failures.count >= limit else { return nil }
            let isAlone = state.failures.functions == 1
            state.failures = RecentFailures()
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
        let now = uptime.now()
        let (probe, isClosed) = state.locked { state -> (Probe?, Bool) in
            guard var opening = state.open[function], now >= opening.end else { return (nil, false) }
            if let earlier = opening.probe {
                guard now >= earlier.end else { return (nil, false) }
                opening.successes += 1
            }
            guard opening.successes < Self.successes else {
                state.open[function] = nil
                return (nil, true)
            }
            state.probes += 1
            opening.probe = (state.probes, now + max(pause, Self.shortestTry))
            state.open[function] = opening
            return (Probe(breaker: self, function: function, number: state.probes), false)
        }
        if isClosed { changed(self, .closed(function)) }
        return probe
    }

    private func ended(_ probe: Probe, _ succeeded: Bool?) {
        let function = probe.function
        let change = state.locked { state -> Change? in
            // A call that was still running when another one was let in has counted already, unless it fails now.
            guard var opening = state.open[function], succeeded == false || opening.probe?.number == probe.number else {
                return nil
            }
            opening.probe = nil
            if succeeded == true { opening.successes += 1 }
            if succeeded == false {
                opening.successes = 0
                opening.pause = max(opening.pause, min(opening.pause * 2, Self.longestPause))
                opening.end = uptime.now() + opening.pause
            }
            guard opening.successes < Self.successes else {
                state.open[function] = nil
                return .closed(function)
            }
            state.open[function] = opening
            return succeeded == false ? .pauses(function) : nil
        }
        if let change { changed(self, change) }
    }
}

/// The failures of a patch within a window of time. Neither the cost of a failure nor the memory grows with their
/// number.
struct RecentFailures {
    /// Failures that came at nearly the same time, and when the first of them did.
    struct Moment {
        let began: Duration
        var counts: [String: Int]
    }

    /// How many moments a window has at most, but for the one that has just begun.
    static let most = 1000
    private(set) var moments: [Moment] = []
    private var counts: [String: Int] = [:]
    private(set) var count = 0
    /// How many functions have failed.
    var functions: Int { counts.count }

    /// Counts a failure, and forgets those that are older than the window.
    mutating func add(_ function: String, at now: Duration, window: Duration) {
        while let first = moments.first, now - first.began > window {
            for (function, number) in first.counts {
                let left = counts[function, default: 0] - number
                counts[function] = left > 0 ? left : nil
                count -= number
            }
            moments.removeFirst()
        }
        if let last = moments.indices.last, now - moments[last].began <= window / Self.most {
            moments[last].counts[function, default: 0] += 1
        } else {
            moments.append(Moment(began: now, counts: [function: 1]))
        }
        counts[function, default: 0] += 1
        count += 1
    }
}
