package import PatchRunner
import Synchronization

/// A clock that runs only when it is moved. It begins at 2026-09-21T14:13:20Z.
package final class ManualClock: Sendable {
    /// The beginning, in seconds since 1970.
    package static let start = 1_790_000_000
    private let seconds = Atomic(ManualClock.start)

    package init() {}

    /// The time in seconds since 1970.
    package var now: Int { seconds.load(ordering: .relaxed) }
    /// Moves it on by some seconds.
    package func advance(_ count: Int) { seconds.add(count, ordering: .relaxed) }

    /// How long it has run. Who waits for a later moment is never woken.
    package var uptime: Uptime {
        Uptime(
            now: { .seconds(self.now - ManualClock.start) },
            sleep: { _ in try await Task.sleep(for: .seconds(1 << 30)) })
    }
}
