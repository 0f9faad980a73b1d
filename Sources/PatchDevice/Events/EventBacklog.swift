internal import PatchRunner
internal import Synchronization

/// Keeps events until their log is open.
final class EventBacklog: Sendable {
    private enum State {
        case closed([PatchEvent])
        case open(PatchEventLog?)
    }

    private let state = Mutex(State.closed([]))

    func record(_ event: PatchEvent) {
        let log: PatchEventLog? = state.locked { state in
            switch state {
            case .open(let log): return log
            case .closed(let events):
                state = .closed(events + [event])
                return nil
            }
        }
        log?.record(event)
    }

    /// - Parameter log: nil drops the events.
    func open(_ log: PatchEventLog?) {
        let events: [PatchEvent] = state.locked { state in
            guard case .closed(let events) = state else { return [] }
            state = .open(log)
            return events
        }
        for event in events { log?.record(event) }
    }
}
