internal import CLuaBridge
internal import Synchronization

/// The memory of a registry's Lua states.
@safe final class StatePool: Sendable {
    nonisolated(unsafe) let pool: OpaquePointer
    /// The patches with several instances. One clock serves all of them, because a sleeping task keeps its memory until its time
    /// is over, even if it is cancelled.
    private let grown = Mutex<(patches: [Grown], hasClock: Bool)>(([], false))

    private struct Grown {
        weak var state: LuaState?
    }

    init() {
        guard let pool = unsafe pp_pool_make() else { fatalError("out of memory") }
        unsafe self.pool = pool
    }

    deinit { unsafe pp_pool_free(pool) }

    /// Closes a patch's unused instances, until only the first is left.
    func look(after state: LuaState) {
        let mustBegin = grown.locked { grown in
            grown.patches.removeAll { $0.state?.isOpen != true }
            grown.patches.append(Grown(state: state))
            defer { grown.hasClock = true }
            return !grown.hasClock
        }
        guard mustBegin else { return }
        Task.detached { [weak self] in
            repeat {
                try? await Task.sleep(for: .seconds(30))
            } while self?.closeIdle() == true
        }
    }

    /// Returns whether there are patches left that have several instances.
    private func closeIdle() -> Bool {
        for state in grown.locked({ $0.patches.compactMap(\.state) }) { state.closeIdle() }
        return grown.locked { grown in
            // One that grows after this is added again.
            grown.patches.removeAll { $0.state?.isOpen != true || $0.state?.instances == 1 }
            grown.hasClock = !grown.patches.isEmpty
            return grown.hasClock
        }
    }
}
