internal import Dispatch
internal import PatchRunner
internal import Synchronization

/// The checks of a launch's patches. Other threads make them ahead of the thread that activates the patches in order.
/// That thread makes a check itself if no other thread has begun it.
final class LaunchChecks: Sendable {
    private struct State {
        var items: [Item]
        /// nil once all checks are taken, so that a late thread does not keep the device alive.
        var check: (@Sendable (Int) -> PatchStore.Check)?
    }

    private let state: Mutex<State>

    private enum Item {
        case open, begun, taken
        case awaited(DispatchSemaphore)
        case done(PatchStore.Check)
    }

    /// The maximum number of checks that are made ahead: each keeps its scripts in memory.
    private static let lead = 8

    /// - Parameter check: Checks a patch of the launch, on any thread.
    init(_ count: Int, check: @escaping @Sendable (Int) -> PatchStore.Check) {
        state = Mutex(State(items: Array(repeating: .open, count: count), check: check))
        // The first one is taken at once.
        for index in 1..<max(1, min(count, Self.lead)) { begin(index) }
    }

    /// Takes the check of a patch, in the order of the patches. Each may be taken once.
    func take(_ index: Int) -> PatchStore.Check {
        begin(index + Self.lead)
        let awaited = DispatchSemaphore(value: 0)
        let check = state.locked { state -> (@Sendable (Int) -> PatchStore.Check)? in
            if case .open = state.items[index] {
                state.items[index] = .taken
                return state.check
            }
            if case .begun = state.items[index] { state.items[index] = .awaited(awaited) } else { awaited.signal() }
            return nil
        }
        if let check { return check(index) }
        awaited.wait()
        let done = state.locked { state in
            defer { state.items[index] = .taken }
            return state.items[index]
        }
        // A check that another thread has begun is done now: that thread has ended it before it signalled.
        guard case .done(let check) = done else { preconditionFailure("check \(index) of a launch was taken before") }
        return check
    }

    /// Ends the checks, once all are taken.
    func end() { state.locked { $0.check = nil } }

    /// Makes a check on another thread, unless it is taken before that thread begins it.
    private func begin(_ index: Int) {
        guard state.locked({ $0.items.indices.contains(index) }) else { return }
        DispatchQueue.global(qos: .userInitiated).async { [self] in
            let check = state.locked { state -> (@Sendable (Int) -> PatchStore.Check)? in
                guard case .open = state.items[index], let check = state.check else { return nil }
                state.items[index] = .begun
                return check
            }
            guard let done = check?(index) else { return }
            state.locked { state in
                if case .awaited(let awaited) = state.items[index] { awaited.signal() }
                state.items[index] = .done(done)
            }
        }
    }
}
