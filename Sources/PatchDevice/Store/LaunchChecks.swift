internal import Dispatch
internal import PatchRunner
internal import Synchronization

/// The checks of a launch's patches. Other threads make them ahead of the thread that activates the patches one after the other,
/// which makes a check itself if none of them has begun it.
final class LaunchChecks: Sendable {
    private let check: @Sendable (Int) -> PatchStore.Check
    private let items: Mutex<[Item]>

    private enum Item {
        case open, begun, taken
        case awaited(DispatchSemaphore)
        case done(PatchStore.Check)
    }

    /// How many checks are made ahead, at most: each keeps its scripts.
    private static let lead = 8

    /// - Parameter check: Checks a patch of the launch, on any thread.
    init(_ count: Int, check: @escaping @Sendable (Int) -> PatchStore.Check) {
        self.check = check
        items = Mutex(Array(repeating: .open, count: count))
        for index in 1..<max(1, min(count, Self.lead)) { begin(index) }
    }

    /// Takes the check of a patch, in the order of the patches.
    func take(_ index: Int) -> PatchStore.Check {
        begin(index + Self.lead)
        let awaited = DispatchSemaphore(value: 0)
        let isBegun = items.locked { items in
            if case .open = items[index] {
                items[index] = .taken
                return false
            }
            if case .begun = items[index] { items[index] = .awaited(awaited) } else { awaited.signal() }
            return true
        }
        guard isBegun else { return check(index) }
        awaited.wait()
        let done = items.locked { items in
            defer { items[index] = .taken }
            return items[index]
        }
        guard case .done(let check) = done else { fatalError("a check of a launch is taken twice") }
        return check
    }

    /// Makes a check on another thread, unless it is taken before that thread comes to it.
    private func begin(_ index: Int) {
        guard items.locked({ $0.indices.contains(index) }) else { return }
        DispatchQueue.global(qos: .userInitiated).async { [self] in
            let isOpen = items.locked { items in
                guard case .open = items[index] else { return false }
                items[index] = .begun
                return true
            }
            guard isOpen else { return }
            let check = check(index)
            items.locked { items in
                if case .awaited(let awaited) = items[index] { awaited.signal() }
                items[index] = .done(check)
            }
        }
    }
}
