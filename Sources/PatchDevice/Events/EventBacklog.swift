internal import PatchRunner
internal import Synchronization

/// Keeps events until their log is open.
final class EventBacklog: Sendable {
    /// The events are nil once the log is open.
    private let state = Mutex<(events: [PatchEvent]?, log: PatchEventLog?)>(([], nil))

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
            defer { state = (nil, log) }
            return state.events
        }
        for event in events ?? [] { log?.record(event) }
    }
}
