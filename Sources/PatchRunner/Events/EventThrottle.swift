internal import PatchText
internal import Synchronization

/// Passes events to a listener: of equal events, at most one in a second, with the number of repetitions.
///
/// If nothing more happens, a task passes on the pending repetitions. When the throttle is released, it passes them on
/// at once.
package final class EventThrottle<Event: RepeatedEvent>: Sendable {
    private struct State {
        var repeats: EventDeduplicator<Event>
        /// Whether a task is waiting for the end of the second.
        var isAwaited = false
    }

    private let state: Mutex<State>
    private let interval: Duration
    private let uptime: Uptime
    private let listener: @Sendable (Event) -> Void

    /// - Parameters:
    ///   - milliseconds: The interval, if it is not a second; 0 to pass on each event.
    ///   - uptime: The clock by which the interval ends.
    ///   - listener: Called while no lock is held.
    package init(
        milliseconds: Int = 1000, uptime: Uptime = .system, listener: @escaping @Sendable (Event) -> Void
    ) {
        interval = .milliseconds(milliseconds)
        self.uptime = uptime
        self.listener = listener
        state = Mutex(State(repeats: EventDeduplicator(milliseconds: milliseconds)))
    }

    deinit { flush() }

    private var now: Int { uptime.now().milliseconds }

    /// Passes an event on, or counts it.
    package func emit(_ event: Event) {
        let now = now
        let (over, isNew, awaits) = state.locked { state in
            let over = state.repeats.take(at: now)
            let isNew = state.repeats.add(event, at: now)
            let awaits = !isNew && !state.isAwaited
            if awaits { state.isAwaited = true }
            return (over, isNew, awaits)
        }
        for event in over { listener(event) }
        if isNew { listener(event) }
        if awaits { awaitEnd() }
    }

    /// Passes on the pending repetitions at once.
    package func flush() {
        for event in state.locked({ $0.repeats.take(at: nil) }) { listener(event) }
    }

    private func awaitEnd() {
        Task.detached(priority: .utility) { [weak self, uptime, end = uptime.now() + interval] in
            try? await uptime.sleep(end)
            self?.end()
        }
    }

    private func end() {
        let now = now
        let (over, awaits) = state.locked { state in
            let over = state.repeats.take(at: now)
            state.isAwaited = state.repeats.areWaiting
            return (over, state.isAwaited)
        }
        for event in over { listener(event) }
        if awaits { awaitEnd() }
    }
}
