/// How long the process has been running, and how to wait until it has run for some time. Tests have one that they move.
package struct Uptime: Sendable {
    /// The time since some moment of the process. It stands still while the machine sleeps.
    package let now: @Sendable () -> Duration
    /// Waits until then. It throws if the task is cancelled.
    package let sleep: @Sendable (_ end: Duration) async throws -> Void

    package init(
        now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (_ end: Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// A time that can be added to an uptime: more than a year is as good as never.
    static func bounded(_ time: Duration) -> Duration { min(max(.zero, time), .seconds(366 * 86_400)) }

    private static let start = SuspendingClock.now

    /// That of the system.
    package static let system = Uptime(
        now: { start.duration(to: .now) },
        sleep: { try await Task.sleep(until: start.advanced(by: $0), clock: .suspending) })
}
