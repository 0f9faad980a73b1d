import Dispatch
import Libc
import PatchCrypto
import Synchronization

/// Ends the process if a spec's code runs past its time limit.
///
/// Lua's hooks do not run in a C loop, a handler or a finalizer, so nothing else can end it.
final class Watchdog: Sendable {
    private let limit: Duration
    private let lastWords: @Sendable () -> Int32
    /// The processor's and the clock's time at which the code began to run; nil while no code runs.
    private let running = Mutex<(processor: Duration, clock: Duration)?>(nil)
    private let ended = DispatchSemaphore(value: 0)
    /// How many times as long as its limit code may wait for something, or for its turn on a busy machine.
    private static let patience = 10

    /// - Parameters:
    ///   - seconds: How much processor time the code may take.
    ///   - lastWords: Called on another thread while the code is still running. Returns the exit status.
    /// - Throws: `unavailable` if no thread can be made.
    init(after seconds: Int, lastWords: @escaping @Sendable () -> Int32) throws(PatchError) {
        limit = .seconds(seconds)
        self.lastWords = lastWords
        try needThreads()
        _ = Threads.start { [self] in while ended.wait(timeout: .now() + 1) == .timedOut { look() } }
    }

    /// Notes that the code begins to run, or that it has ended.
    ///
    /// - Parameter runs: Whether it begins.
    func watch(_ runs: Bool) { running.withLock { $0 = runs ? Self.times : nil } }

    /// Ends the watch for good.
    func end() { ended.signal() }

    /// The processor time of this process, and the time of a clock that nobody sets.
    private static var times: (processor: Duration, clock: Duration) {
        func read(_ clock: clockid_t) -> Duration {
            var now = timespec()
            unsafe clock_gettime(clock, &now)
            return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
        }
        return (read(CLOCK_PROCESS_CPUTIME_ID), read(CLOCK_MONOTONIC))
    }

    /// Ends the process if the code has run for too long.
    private func look() {
        let now = Self.times
        let isOverdue = running.withLock { began in
            guard let began else { return false }
            return now.processor - began.processor > limit || now.clock - began.clock > limit * Self.patience
        }
        if isOverdue { _exit(lastWords()) }
    }
}
