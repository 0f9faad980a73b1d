internal import Dispatch
internal import PatchCrypto
package import PatchRunner

// Breakers that open: the failure is noted, and an older version takes the place.
extension PatchStore {
    /// Takes an event of the runner. A breaker that opens counts as a failure of its patch, unless the patch has an
    /// `otherwise`. An older good version answers from then on for a function that has none.
    ///
    /// It is called in a call of the app, which waits for no write and no other thread: the rest happens on a thread of
    /// its own.
    package func observe(_ event: RunnerEvent) {
        guard case .breakerOpened(let breaker) = event.kind else { return }
        let patch = breaker.patch
        pending.locked { $0.append(.breakerOpened(patch, failures: breaker.failures)) }
        queue.async { [weak self] in
            guard let self else { return }
            writePending()
            let needsOther = breaker.functions.count > breaker.otherwise.count
            if needsOther || isBanned(patch) { replace(patch) }
        }
    }

    /// Waits until breakers that have opened are noted, and older versions have taken the place. For tests.
    package func waitForBreakers() { queue.sync {} }

    /// Whether the envelope of an active patch is banned.
    private func isBanned(_ patch: PatchID) -> Bool {
        memory.locked { memory in
            guard let active = memory.launch.activated[patch.id], active.patch == patch else { return false }
            return memory.writer.state.isBanned(active.hash)
        }
    }

    /// Ends a patch that is banned now. Otherwise an older version answers for the functions that have failed.
    private func replace(_ patch: PatchID) {
        guard let runner, let active = runner.active.first(where: { $0.id == patch }) else { return }
        if isBanned(patch) { return end([patch], on: runner) }
        let (trust, activated) = memory.locked { ($0.launch.trust, $0.launch.activated[patch.id]) }
        let others = state.successors(of: patch.id, without: [patch], isFollower: isReadOnly)
        guard let trust = trust?(), let hash = activated?.hash, others.contains(where: { $0.stage != .closed }) else {
            return
        }
        memory.locked { _ = $0.launch.broken.insert(hash) }
        if active.isProtective {
            guard let verified = verify(hash, on: runner, trust: trust),
                activate(verified, hash, on: runner, closing: true)
            else { return }
        }
        activateSuccessor(of: patch.id, without: [patch], on: runner, trust)
    }
}
