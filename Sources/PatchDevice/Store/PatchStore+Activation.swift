package import PatchCrypto
package import PatchRunner

// Which held patches are active in this process, and what takes the place of one that ends.
extension PatchStore {
    package var runner: PatchRunner? { memory.locked { $0.launch.runner } }
    package var running: [PatchID] { runner?.active.map(\.id) ?? [] }

    /// The hashes of the patches that have failed in this launch.
    var failed: Set<String> { memory.locked { $0.failed } }

    /// Whether the `otherwise` of a closed patch is active.
    package func isAnswering(_ hash: String) -> Bool { memory.locked { $0.launch.answering.contains(hash) } }

    // MARK: beginning

    /// Activates held patches, in the given order.
    func activateHeld(_ hashes: [String], in state: StoreState, on runner: PatchRunner, _ trust: PatchTrust) {
        runner.setEarliestTime(state.floor)
        let checks = LaunchChecks(hashes.count) { self.check(hashes[$0], on: runner, trust: trust) }
        for (index, hash) in hashes.enumerated() {
            if let patch = admit(hash, by: checks.take(index), on: runner) {
                if activate(patch, hash, on: runner) { continue }
            } else {
                memory.locked { _ = $0.launch.due.insert(hash) }
                exclude(hash)
            }
            // The older version beside a closed patch is one of the launch's patches itself.
            guard !state.isClosed(hash, isFollower: isReadOnly),
                let patch = state.held.first(where: { $0.hash == hash })?.patch
            else { continue }
            activateSuccessor(of: patch.id, without: [patch], on: runner, trust, isDue: true)
        }
        checks.end()
    }

    /// Activates the patches that waited for functions that are registered now: the highest version of each that can
    /// run.
    func activateWaiting() {
        let (ready, runner, trust) = memory.locked { memory in
            let ready = memory.launch.takeReady(of: memory.writer.state, without: memory.failed)
            return (ready, memory.launch.runner, memory.launch.trust)
        }
        guard let runner, let trust else { return }
        defer { startShadows(on: runner, onlyWaiting: true, trust: trust) }
        guard !ready.isEmpty else { return }
        let keys = trust()
        for each in ready {
            let held = each.held
            if let patch = verify(held.hash, on: runner, trust: keys), noteActivation(of: held, isDue: each.isDue),
                activate(patch, held.hash, on: runner), !state.isClosed(held.hash, isFollower: isReadOnly)
            {
                continue
            }
            activateSuccessor(of: held.patch.id, without: [held.patch], on: runner, keys)
        }
        endIfInBackground()
    }

    /// Watches running patches that are held again, such as after ``clear()``, as if they were activated now.
    ///
    /// - Throws: What ``change(endsInBackground:_:)`` throws.
    package func watchRunning() throws(PatchError) {
        let hashes = memory.locked { memory in
            let running = memory.launch.running
            return memory.writer.state.held.filter { $0.stage == .downloaded && running.contains($0.hash) }.map(\.hash)
        }
        guard !hashes.isEmpty else { return }
        try change { state in hashes.flatMap { state.activate($0) } }
    }

    /// Loads a patch's script, and activates its replacements.
    ///
    /// - Parameter closing: Whether to activate only its `otherwise`, whatever its stage.
    /// - Returns: Whether it is active.
    @discardableResult
    package func activate(
        _ patch: VerifiedPatch, _ hash: String, on runner: PatchRunner, closing: Bool = false
    ) -> Bool {
        let identity = patch.manifest.patch
        do throws(PatchError) {
            let loaded = try load(patch, hash, on: runner)
            let (isClosed, replacesTrials) = memory.locked { memory in
                let writer = memory.writer
                let isClosed = closing || writer.state.isClosed(hash, isFollower: writer.role != .writer)
                return (isClosed, !isClosed && writer.canWrite && !writer.state.trials(replacedBy: hash).isEmpty)
            }
            // Not before: if its script does not load, the version before stays, with what is known of it.
            if replacesTrials { try? update { $0.replaceTrials(by: hash) } }
            if isClosed { runner.activateOtherwise(of: loaded) } else { try runner.activate(loaded) }
            let mayRun = memory.locked { memory in
                memory.launch.setBlockReason(nil, of: hash)
                if isClosed {
                    memory.launch.closed[identity.id] = hash
                } else {
                    memory.launch.activated[identity.id] = LaunchInProgress.Activated(patch: identity, hash: hash)
                }
                return memory.writer.state.isEnabled && !memory.launch.isBanned(hash)
                    && memory.writer.state.held.contains { $0.hash == hash }
            }
            if mayRun { return true }
            // Another thread has removed or banned the patch while its script was loading.
            end([identity], on: runner)
        } catch {
            let reason: BlockReason = error.isCircumstance ? .postponed(error) : .refused(error)
            memory.locked { $0.launch.setBlockReason(reason, of: hash) }
            if !isReadOnly, !error.isCircumstance, error.code == .script || error.code == .scriptLimit {
                fail(identity, "its script did not load: \(error.message)")
            }
        }
        exclude(hash)
        return false
    }

    /// Loads a patch's script, and notes whether it is protective before any function of it runs.
    private func load(_ patch: VerifiedPatch, _ hash: String, on runner: PatchRunner) throws(PatchError) -> LoadedPatch
    {
        let held = isReadOnly ? nil : state.held.first { $0.hash == hash }
        let notesLoading = held?.notesLoading ?? false
        if notesLoading { try? record { $0.noteLoading(hash) } }
        let result = Result { () throws(PatchError) in try runner.load(patch) }
        let isProtective = (try? result.get())?.isProtective
        let hasChanged = isProtective.map { $0 != held?.isProtective } ?? false
        if held != nil, notesLoading || hasChanged {
            noteLoaded(hash, isProtective: isProtective)
        }
        return try result.get()
    }

    // MARK: ending

    /// Ends running patches. A version that is held and good, or closed, takes the place in the same step, so that no
    /// call meets the original in between.
    ///
    /// - Parameter others: Other versions that must not run, either.
    package func end(_ ended: Set<PatchID>, on runner: PatchRunner, without others: Set<PatchID> = []) {
        let isAnyLoaded = !ended.isDisjoint(with: (runner.active + runner.closed).map(\.id))
        let keys = memory.locked { $0.launch.trust }
        // The keys are read from the disk, so only if something ends.
        let trust = isAnyLoaded ? keys?() : nil
        for patch in ended {
            if let trust, (runner.active + runner.closed).contains(where: { $0.id == patch }) {
                activateSuccessor(of: patch.id, without: others.union(ended), on: runner, trust)
            }
            runner.deactivate(patch)
        }
    }

    /// Activates held versions of a patch in the place of others: the closed one, and the highest good one that can
    /// run.
    ///
    /// - Parameter isDue: Whether the launch would have begun with it.
    func activateSuccessor(
        of id: String, without others: Set<PatchID>, on runner: PatchRunner, _ trust: PatchTrust, isDue: Bool = false
    ) {
        let isFollower = isReadOnly
        let (failed, blockReasons, due) = memory.locked { ($0.failed, $0.launch.blockReasons, $0.launch.due) }
        for held in state.successors(of: id, without: others, isFollower: isFollower) {
            let hash = held.hash
            let isClosed = state.isClosed(hash, isFollower: isFollower)
            // The feed has taken it away, or it has failed too often.
            if case .notApplicable = blockReasons[hash] { continue }
            guard isClosed || !failed.contains(hash) else { continue }
            var isActive = memory.locked { (isClosed ? $0.launch.answering : $0.launch.running).contains(hash) }
            if !isActive, let patch = verify(hash, on: runner, trust: trust),
                noteActivation(of: held, isDue: isDue || due.contains(hash))
            {
                isActive = activate(patch, hash, on: runner)
            }
            // A closed one answers only for functions with an `otherwise`.
            if isActive, !isClosed { return }
        }
    }

    /// Notes that a version is about to be active.
    ///
    /// - Parameter isDue: Whether the launch would have begun with it.
    /// - Returns: Whether it may be active. If that cannot be written, a crash would not be held against it, so only
    ///   one that is known to be good may be, and the `otherwise` of a closed one.
    private func noteActivation(of held: StoreState.Held, isDue: Bool) -> Bool {
        guard !isReadOnly else { return true }
        do throws(PatchError) {
            try change { $0.activate(held.hash, isDue: isDue) }
            return true
        } catch {
            if held.isKnownGood || state.isClosed(held.hash, isFollower: false) { return true }
            memory.locked { $0.launch.setBlockReason(.postponed(error), of: held.hash) }
            return false
        }
    }
}
