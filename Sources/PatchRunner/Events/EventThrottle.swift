internal import CLuaBridge
internal import Synchronization

/// Tells a listener of events: of those that are the same, at most one in a second, with how often it has happened again.
///
/// What waits to be told when nothing more happens is told by a task. At the end of the throttle's life it is told at once.
package final class EventThrottle<Event: RepeatedEvent>: Sendable {
    private struct State {
        var repeats: EventDeduplicator<Event>
        /// Whether a task waits for the end of the second.
        var isAwaited = false
    }

    private let state: Mutex<State>
    private let milliseconds: Int
    private let listener: @Sendable (Event) -> Void

    /// - Parameters:
    ///   - milliseconds: The time instead of a second; 0 to tell of each event.
    ///   - listener: Called without a lock.
    package init(milliseconds: Int = 1000, listener: @escaping @Sendable (Event) -> Void) {
        self.milliseconds = milliseconds
        self.listener = listener
        state = Mutex(State(repeats: EventDeduplicator(milliseconds: milliseconds)))
    }

    deinit { flush() }

    private static var now: Int { Int(clamping: pp_nanoseconds() / 1_000_000) }

    /// Tells of an event, or counts it.
    package func tell(_ event: Event) {
        let now = Self.now
        let (over, isNew, awaits) = state.locked { state in
            let over = state.repeats.take(at: now)
            let isNew = state.repeats.isNew(event, at: now)
            let awaits = !isNew && !state.isAwaited
            if awaits { state.isAwaited = true }
            return (over, isNew, awaits)
        }
        for event in over { listener(event) }
        if isNew { listener(event) }
        if awaits { awaitEnd() }
    }

    /// Tells of all that waits.
    package func flush() {
        for event in state.locked({ $0.repeats.take(at: nil) }) { listener(event) }
    }

    private func awaitEnd() {
        Task.detached(priority: .utility) { [weak self, milliseconds] in
            try? await Task.sleep(for: .milliseconds(milliseconds))
            self?.end()
        }
    }

    private func end() {
        let now = Self.now
        let (over, awaits) = state.locked { state in
            let over = state.repeats.take(at: now)
            state.isAwaited = state.repeats.areWaiting
            return (over, state.isAwaited)
        }
        for event in over { listener(event) }
        if awaits { awaitEnd() }
    }
}
