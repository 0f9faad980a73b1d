internal import PatchRunner
internal import Synchronization

/// Keeps events until their log is open.
final class EventBacklog: Sendable {
    private struct State {
        /// nil once the log is open.
        var events: [PatchEvent]? = []
        var log: PatchEventLog?
    }

    private let state = Mutex(State())

    func record(_ event: PatchEvent) {
        let log = state.locked { state in
            state.events?.append(event)
            return state.log
        }
        log?.record(event)
    }

    /// - Parameter log: nil drops the events.
    func open(_ log: PatchEventLog?) {
        let events = state.locked { state in
            defer { state = State(events: nil, log: log) }
            return state.events
        }
        for event in events ?? [] { log?.record(event) }
    }
}
