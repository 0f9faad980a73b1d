internal import PatchCrypto
internal import Synchronization

/// Counts a patch's failures, and reports once if there are too many in too short a time.
final class Breaker: Sendable {
    private let limit: Int
    private let window: UInt64
    private let opened: @Sendable (Breaker, Int) -> Void
    private let failures = Mutex<[UInt64]?>([])

    /// - Parameter opened: Called with the number of failures when they reach the limit.
    init(limits: PatchLimits, opened: @escaping @Sendable (Breaker, Int) -> Void) {
        limit = max(1, limits.failures)
        window = UInt64(max(0, limits.failureWindow.nanoseconds))
        self.opened = opened
    }

    /// Counts a failure.
    ///
    /// - Parameter now: Nanoseconds of a monotonic clock.
    func count(at now: UInt64) {
        guard limit < .max else { return }
        let isTooMany = failures.locked { failures in
            failures?.removeAll { $0 &+ window < now }
            failures?.append(now)
            guard let count = failures?.count, count >= limit else { return false }
            failures = nil
            return true
        }
        if isTooMany { opened(self, limit) }
    }
}
