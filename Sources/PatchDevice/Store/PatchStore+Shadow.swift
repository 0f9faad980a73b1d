internal import PatchCrypto
package import PatchRunner

// Patches in shadow. They never answer, and are compared with the answers.
extension PatchStore {
    /// The versions that this process should run in shadow.
    private func wantedShadows(_ memory: Memory) -> [StoreState.Held] {
        // If no call can be noted, a patch that crashes the app would do so each time.
        guard memory.writer.canWrite, memory.writer.whyUnwritable == nil else { return [] }
        return memory.writer.state.shadowing.filter { held in
            switch memory.launch.blockReasons[held.hash] {
            case .banned, .notApplicable: false
            default: true
            }
        }
    }

    /// Starts the versions in shadow that do not run yet, if this process writes the folder.
    ///
    /// - Parameter onlyWaiting: Whether to start only those that waited for functions that are registered now.
    package func startShadows(on runner: PatchRunner, onlyWaiting: Bool = false, trust: () -> PatchTrust) {
        let due = memory.locked { memory in
            let wanted = wantedShadows(memory)
            guard !wanted.isEmpty else { return wanted }
            let running = Set(runner.shadows.map(\.id))
            let due = wanted.filter { held in
                guard !running.contains(held.patch), !memory.launch.triedShadows.contains(held.hash) else {
                    return false
                }
                guard case .waiting(let names) = memory.launch.blockReasons[held.hash] else { return !onlyWaiting }
                return runner.registry.names.missing(names).isEmpty
            }
            memory.launch.triedShadows.formUnion(due.map(\.hash))
            return due
        }
        guard !due.isEmpty else { return }
        let keys = trust()
        for held in due { start(held, on: runner, keys) }
    }

    /// Loads a version, and runs it in shadow. If it cannot run now, the reason is noted.
    private func start(_ held: StoreState.Held, on runner: PatchRunner, _ trust: PatchTrust) {
        let hash = held.hash
        guard let patch = verify(hash, on: runner, trust: trust) else {
            let isReady = memory.locked { memory in
                memory.launch.triedShadows.remove(hash)
                // Another thread may have registered its functions meanwhile.
                guard case .waiting(let names) = memory.launch.blockReasons[hash] else { return false }
                return runner.registry.names.missing(names).isEmpty
            }
            if isReady { startShadows(on: runner, onlyWaiting: true) { trust } }
            return
        }
        do throws(PatchError) {
            // A script that ends the process would do so in each launch.
            try record { $0.noteLoading(hash) }
            let loaded = Result { () throws(PatchError) in try runner.load(patch) }
            noteLoaded(hash, isProtective: nil)
            try runner.shadow(loaded.get()) { [weak self] in (try? self?.record { $0.noteShadowCall(hash) }) != nil }
        } catch {
            memory.locked { memory in
                memory.launch.setBlockReason(error.isCircumstance ? .postponed(error) : .refused(error), of: hash)
                if error.isCircumstance { memory.launch.triedShadows.remove(hash) }
            }
            return
        }
        memory.locked { memory in
            memory.launch.setBlockReason(nil, of: hash)
            memory.launch.triedShadows.remove(hash)
        }
        endShadows()  // another thread may have removed it meanwhile
    }

    /// Ends the shadows that should no longer run.
    package func endShadows() {
        let ended = memory.locked { memory -> [LoadedPatch] in
            guard let running = memory.launch.runner?.shadows, !running.isEmpty else { return [] }
            let wanted = Set(wantedShadows(memory).map(\.patch))
            return running.filter { !wanted.contains($0.id) }
        }
        for patch in ended { runner?.endShadow(patch) }
    }
}
