import PatchRunner
import Synchronization

/// An uptime that is only advanced.
final class ManualUptime: Sendable {
    private struct State {
        var now = Duration.zero
        var sleepers: [(id: Int, end: Duration, waiter: CheckedContinuation<Void, Never>)] = []
        var lastID = 0
    }

    private let state = Mutex(State())

    var uptime: Uptime {
        Uptime(now: { self.state.locked { $0.now } }, sleep: { end in try await self.sleep(until: end) })
    }

    /// How many tasks wait for an uptime.
    var sleepers: Int { state.locked { $0.sleepers.count } }

    func advance(by time: Duration) {
        let due = state.locked { state in
            state.now += time
            let due = state.sleepers.filter { $0.end <= state.now }
            state.sleepers.removeAll { $0.end <= state.now }
            return due
        }
        for sleeper in due { sleeper.waiter.resume() }
    }

    private func sleep(until end: Duration) async throws {
        let id = state.locked { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let waits = state.locked { state in
                    // A task that is cancelled later is woken below.
                    let waits = end > state.now && !Task.isCancelled
                    if waits { state.sleepers.append((id, end, waiter)) }
                    return waits
                }
                if !waits { waiter.resume() }
            }
        } onCancel: {
            let waiter = state.locked { state -> CheckedContinuation<Void, Never>? in
                guard let place = state.sleepers.firstIndex(where: { $0.id == id }) else { return nil }
                return state.sleepers.remove(at: place).waiter
            }
            waiter?.resume()
        }
        try Task.checkCancellation()
    }
}
