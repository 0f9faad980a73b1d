/// How long the process has been running, and a way to wait until it has run for some time. Tests use one that they can
/// advance.
package struct Uptime: Sendable {
    /// The time since a fixed moment of the process. It does not advance while the machine sleeps.
    package let now: @Sendable () -> Duration
    /// Waits until an uptime. It throws if the task is cancelled.
    package let sleep: @Sendable (_ end: Duration) async throws -> Void

    package init(
        now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (_ end: Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// A time that can be added to an uptime: more than a year is as good as never.
    package static func bounded(_ time: Duration) -> Duration { min(max(.zero, time), .seconds(366 * 86_400)) }

    private static let start = SuspendingClock.now

    package static let system = Uptime(
        now: { start.duration(to: .now) },
        sleep: { try await Task.sleep(until: start.advanced(by: $0), clock: .suspending) })
}
