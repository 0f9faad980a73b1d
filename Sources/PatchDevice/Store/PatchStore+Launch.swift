package import PatchCrypto
package import PatchRunner
internal import PatchFiles

// A launch: the last one is judged, and the held patches are activated.
extension PatchStore {
    /// Begins a launch: judges the last one, and activates the patches that are held. Each envelope is verified again.
    ///
    /// - Parameters:
    ///   - runner: Activates the patches. Pass its events to ``observe(_:)``.
    ///   - trust: Returns the keys that envelopes are verified with. It is called only if there are envelopes.
    /// - Returns: The patches that run now.
    @discardableResult
    package func activateHeld(on runner: PatchRunner, trust: @escaping @Sendable () -> PatchTrust) -> [PatchID] {
        let isFirst = memory.locked { memory in
            defer { memory.launch.activation = memory.launch.activation ?? .underway([]) }
            return memory.launch.activation == nil
        }
        guard isFirst else { return running }
        begin()
        memory.locked {
            $0.launch.runner = runner
            $0.launch.trust = trust
        }
        let state = state
        let hashes = isReadOnly ? state.hashesForFollowers() : state.launch?.patches ?? []
        runner.registry.names.whenAdded { [weak self] in self?.activateWaiting() }
        if !hashes.isEmpty || !state.shadowing.isEmpty {
            let trust = trust()
            let keys = keysThatCount(in: trust, on: runner)
            memory.locked { $0.launch.trusted = keys }
            activateHeld(hashes, in: state, on: runner, trust)
            startShadows(on: runner) { trust }
        }
        let running = self.running
        let waiters = memory.locked { memory in
            guard case .underway(let waiters) = memory.launch.activation else {
                return [CheckedContinuation<Void, Never>]()
            }
            memory.launch.activation = .done
            return waiters
        }
        for waiter in waiters { waiter.resume() }
        tell(.launched(.init(running, isSafeMode: state.launch?.isSafe ?? false)))
        return running
    }

    /// Activates held patches, in the given order.
    func activateHeld(_ hashes: [String], in state: StoreState, on runner: PatchRunner, _ trust: PatchTrust) {
        runner.setEarliestTime(state.floor)
        let checks = LaunchChecks(hashes.count) { self.check(hashes[$0], on: runner, trust: trust) }
        for (index, hash) in hashes.enumerated() {
            if let patch = verified(hash, checks.take(index), on: runner) {
                if run(patch, hash, on: runner) { continue }
            } else {
                memory.locked { _ = $0.launch.due.insert(hash) }
                exclude(hash)
            }
            guard !state.isClosed(hash, isFollower: isReadOnly),
                let patch = state.held.first(where: { $0.hash == hash })?.patch
            else { continue }
            runSuccessor(of: patch.id, without: [patch], on: runner, trust, isDue: true)
        }
        checks.end()
    }

    /// Ends running patches. A version that is held and good, or closed, takes the place in the same step, so that no
    /// call meets the original in between.
    ///
    /// - Parameter others: Other versions that must not run, either.
    package func end(_ ended: Set<PatchID>, on runner: PatchRunner, without others: Set<PatchID> = []) {
        let isIdle = ended.isDisjoint(with: (runner.active + runner.closed).map(\.id))
        let trust = isIdle ? nil : memory.locked { $0.launch.trust }?()
        for patch in ended {
            if let trust, (runner.active + runner.closed).contains(where: { $0.id == patch }) {
                runSuccessor(of: patch.id, without: others.union(ended), on: runner, trust)
            }
            runner.deactivate(patch)
        }
    }

    /// Runs a held version of a patch in the place of others: the closed one, and the highest good one that can run.
    ///
    /// - Parameter isDue: Whether the launch would have begun with it.
    /// - Returns: Whether a good one runs.
    @discardableResult
    func runSuccessor(
        of id: String, without others: Set<PatchID>, on runner: PatchRunner, _ trust: PatchTrust, isDue: Bool = false
    ) -> Bool {
        let isFollower = isReadOnly
        let (failed, blockReasons) = memory.locked { ($0.failed, $0.launch.blockReasons) }
        for held in state.successors(of: id, without: others, isFollower: isFollower) {
            let (hash, isClosed) = (held.hash, state.isClosed(held.hash, isFollower: isFollower))
            // The feed has taken it away, or it has failed too often.
            if case .notApplicable = blockReasons[hash] { continue }
            guard isClosed || !failed.contains(hash) else { continue }
            if memory.locked({ isClosed ? $0.launch.answering : $0.launch.running }).contains(hash) {
                guard isClosed else { return true }
                continue
            }
            guard let patch = verified(hash, on: runner, trust: trust) else { continue }
            if !isFollower { try? change { $0.activate(hash, isDue: isDue) } }
            if run(patch, hash, on: runner), !isClosed { return true }
        }
        return false
    }

    package var running: [PatchID] { runner?.active.map(\.id) ?? [] }

    /// Whether the `otherwise` of a closed patch is active.
    package func isAnswering(_ hash: String) -> Bool { memory.locked { $0.launch.answering.contains(hash) } }

    /// Watches running patches that are held again, such as after ``clear()``, as if they were activated now.
    package func watchRunning() throws(PatchError) {
        let hashes = memory.locked { memory in
            let running = memory.launch.running
            return memory.writer.state.held.filter { $0.stage == .downloaded && running.contains($0.hash) }.map(\.hash)
        }
        guard !hashes.isEmpty else { return }
        try change { state in hashes.flatMap { state.activate($0) } }
    }

    /// Activates the patches that waited for functions that are registered now: the highest version of each.
    private func activateWaiting() {
        let (ready, runner, trust) = memory.locked { memory in
            let ready = memory.launch.takeReady(of: memory.writer.state, without: memory.failed)
            return (ready, memory.launch.runner, memory.launch.trust)
        }
        guard let runner, let trust else { return }
        defer { startShadows(on: runner, onlyWaiting: true, trust: trust) }
        guard !ready.isEmpty else { return }
        let keys = trust()
        for (hash, isDue) in ready {
            guard let patch = verified(hash, on: runner, trust: keys) else { continue }
            if !isReadOnly { guard (try? change { $0.activate(hash, isDue: isDue) }) != nil else { continue } }
            _ = run(patch, hash, on: runner)
        }
        // The system ends an app in the background without notice.
        if isInBackground { enterBackground() }
    }

    package var hasBegun: Bool { memory.locked { $0.launch.hasBegun } }
    package var hasLaunched: Bool {
        memory.locked { if case .done = $0.launch.activation { true } else { false } }
    }

    /// Waits while another thread activates the patches that are held.
    package func untilLaunched() async {
        await withCheckedContinuation { waiter in
            let waits = memory.locked { memory in
                guard case .underway(let waiters) = memory.launch.activation else { return false }
                memory.launch.activation = .underway(waiters + [waiter])
                return true
            }
            if !waits { waiter.resume() }
        }
    }

    /// Judges the last launch, and notes that a new one begins.
    package func begin() {
        noticeFork()
        let (isFirst, faults, news) = memory.locked { memory in
            guard !memory.launch.hasBegun else { return (false, [PatchError](), StoreState.News?.none) }
            let faults = memory.writer.takeOver(hasBegun: false)
            memory.launch.hasBegun = true
            memory.watches.launch = endOfWatch
            return (true, faults, memory.writer.takeNews())
        }
        for fault in faults { emit(fault) }
        if isFirst, role == .follower {
            tell(.becameFollower(.init(isForked: false)))
        }
        guard isFirst, !isReadOnly else { return }
        let time = clock()
        let old = state
        do throws(PatchError) {
            try change { $0.begin(limits: limits, news: news, at: time) }
        } catch {
            // A failed launch cannot be noted, so nothing new is tried.
            var state = old
            let events = state.begin(limits: limits, onlyGood: true, news: news, at: time)
            memory.locked {
                $0.writer.state = state
                $0.writer.mustWrite = true
            }
            emit(events)
        }
    }

    /// Verifies a patch that is held, and checks that the app has the functions that it replaces.
    ///
    /// - Returns: nil if it cannot run now; ``why(_:)`` returns the reason.
    package func verified(_ hash: String, on runner: PatchRunner, trust: PatchTrust) -> VerifiedPatch? {
        runner.setEarliestTime(state.floor)
        return verified(hash, check(hash, on: runner, trust: trust), on: runner)
    }

    struct Check: Sendable {
        let result: Result<VerifiedPatch, PatchError>
        /// The manifest, even if the patch is refused.
        let manifest: Manifest?
    }

    /// Reads and verifies an envelope that is held. It may run on any thread: it reports, notes and changes nothing.
    private func check(_ hash: String, on runner: PatchRunner, trust: PatchTrust) -> Check {
        do throws(PatchError) {
            let envelope = try folder.anyEnvelope(hash, limit: EnvelopeLimits().envelopeSize)
            let report = try runner.report(on: envelope, trust: trust)
            return Check(result: report.result, manifest: report.manifest)
        } catch {
            return Check(result: .failure(error), manifest: nil)
        }
    }

    private func verified(_ hash: String, _ checked: Check, on runner: PatchRunner) -> VerifiedPatch? {
        guard let patch = state.stored.first(where: { $0.hash == hash })?.patch else { return nil }
        if case .banned = memory.locked({ $0.launch.blockReasons[hash] }) { return nil }
        do throws(PatchError) {
            let verified = try checked.result.get()
            runner.lowerMinimumVersion(of: patch.id, to: patch.version)
            let names = runner.registry.names
            while case let missing = names.missing(verified.manifest.replaces), !missing.isEmpty {
                let isNew = memory.locked { memory in
                    defer { memory.launch.blockReasons[hash] = .waiting(missing) }
                    if case .waiting = memory.launch.blockReasons[hash] { return false }
                    return true
                }
                if isNew { tell(.waiting(.init(patch, functions: missing))) }
                // Another thread may have registered a function just before the reason was noted.
                if names.missing(verified.manifest.replaces) == missing { return nil }
            }
            return verified
        } catch {
            note(blockReason(error, checked.manifest, on: runner), for: patch, hash)
            return nil
        }
    }

    /// Why a held patch does not run. If the app was updated past its range, or it has expired, the patch is not at
    /// fault.
    private func blockReason(_ error: PatchError, _ manifest: Manifest?, on runner: PatchRunner) -> BlockReason {
        guard !error.isCircumstance else { return .postponed(error) }
        guard error.code == .policy, let manifest, manifest.app.utf8.elementsEqual(host.app.utf8) else {
            return .refused(error)
        }
        if !manifest.appVersions.contains(host.version) { return .notApplicable(error, .appVersion) }
        if manifest.engine > PatchRunner.engineLevel { return .notApplicable(error, .engine) }
        guard let end = manifest.expires, end <= runner.time ?? end else { return .refused(error) }
        return .expired(error)
    }

    /// Notes why a patch does not run, and reports it once.
    private func note(_ blockReason: BlockReason, for patch: PatchID, _ hash: String) {
        let isNew = memory.locked { memory in
            defer { memory.launch.blockReasons[hash] = blockReason }
            return memory.launch.blockReasons[hash]?.name != blockReason.name
        }
        guard isNew else { return }
        switch blockReason {
        case .refused(let error), .postponed(let error): tell(.runner(.refused(.init(patch, error))))
        case .expired(let error): tell(.expired(.init(patch, error)))
        case .notApplicable(let error, _): tell(.notApplicable(.init(patch, error)))
        case .waiting, .banned: break
        }
    }

    /// Notes the patches that the feed has taken away, if that could not be written, for ``why(_:)`` and for the
    /// processes that follow this one.
    func setBlockReasons(_ patches: [(hash: String, code: PatchStatus.Code, reason: String)]) {
        memory.locked { memory in
            memory.launch.setBlockReasons(patches)
            memory.writer.hasUnwrittenWithdrawals = !patches.isEmpty
        }
    }

    /// Runs a patch's script, and activates its replacements.
    ///
    /// - Parameter closing: Whether to activate only its `otherwise`, whatever its stage.
    /// - Returns: Whether it runs.
    package func run(
        _ patch: VerifiedPatch, _ hash: String, on runner: PatchRunner, closing: Bool = false
    ) -> Bool {
        let identity = patch.manifest.patch
        do throws(PatchError) {
            let loaded = try load(patch, hash, on: runner)
            let isClosed =
                closing || memory.locked { $0.writer.state.isClosed(hash, isFollower: $0.writer.role != .writer) }
            if isClosed { runner.activateOtherwise(of: loaded) } else { try runner.activate(loaded) }
            // Another thread may have removed the patch while its script was loading.
            let isMeant = memory.locked { memory in
                memory.launch.blockReasons[hash] = nil
                if isClosed {
                    memory.launch.closed[identity.id] = hash
                } else {
                    memory.launch.activated[identity.id] = (identity, hash)
                }
                return memory.writer.state.isEnabled && memory.writer.state.held.contains { $0.hash == hash }
            }
            guard !isMeant else { return true }
            end([identity], on: runner)
            exclude(hash)
            return false
        } catch {
            memory.locked { $0.launch.blockReasons[hash] = error.isCircumstance ? .postponed(error) : .refused(error) }
            if !isReadOnly, !error.isCircumstance, error.code == .script || error.code == .scriptLimit {
                fail(identity, "its script did not load: \(error.message)")
            }
            exclude(hash)
            return false
        }
    }

    /// Loads a patch's script, and notes whether it is protective before any function of it runs.
    private func load(_ patch: VerifiedPatch, _ hash: String, on runner: PatchRunner) throws(PatchError) -> LoadedPatch
    {
        let held = isReadOnly ? nil : state.held.first { $0.hash == hash }
        let isNoted = held?.notesLoading ?? false
        if isNoted { try? note { $0.noteLoading(hash) } }
        let result = Result { () throws(PatchError) in try runner.load(patch) }
        let isProtective = (try? result.get())?.isProtective
        if let held, isNoted || isProtective.map({ $0 != held.isProtective }) ?? false {
            try? note { $0.noteLoaded(hash, isProtective: isProtective) }
        }
        return try result.get()
    }

    /// Deactivates running patches, and ends shadows, that would be refused now: a key that signed them was revoked or
    /// has expired, or they have expired.
    ///
    /// Each envelope is read from the folder and verified again. A file that cannot be read, or is damaged, ends no
    /// patch.
    package func dropRefused(on runner: PatchRunner, trust: PatchTrust) {
        let (time, keys) = (runner.time, keysThatCount(in: trust, on: runner))
        let (isKnown, activated, closed) = memory.locked { memory in
            defer { memory.launch.trusted = keys }
            return (memory.launch.trusted == keys, memory.launch.activated, memory.launch.closed)
        }
        let patches = (runner.active + runner.closed + runner.shadows).filter { patch in
            !isKnown || patch.manifest.hasExpired(at: time)
        }
        guard !patches.isEmpty else { return }
        let stored = state.stored.reduce(into: [:]) { $0[$1.patch] = $1 }
        for patch in patches {
            let identity = patch.id
            guard let held = stored[identity], case let hash = held.hash,
                activated[identity.id]?.hash == hash || closed[identity.id] == hash || held.stage == .shadow,
                verified(hash, on: runner, trust: trust) == nil
            else { continue }
            switch memory.locked({ $0.launch.blockReasons[hash] }) {
            case .expired: break
            case .refused(let error) where [.policy, .unknownSigner].contains(error.code): break
            default: continue
            }
            end([identity], on: runner)
            if held.stage != .shadow { exclude(hash) }
        }
    }

    private func keysThatCount(in trust: PatchTrust, on runner: PatchRunner) -> Set<KeyID> {
        let time = runner.time
        return Set(trust.store.keys.filter { $0.refusal(at: time) == nil }.map(\.key.id))
    }

    /// Why held versions do not run, if they were refused or have expired.
    package var refusals: [PatchID: (isExpired: Bool, error: PatchError)] {
        memory.locked { memory in
            memory.writer.state.stored.reduce(into: [:]) { refusals, held in
                switch memory.launch.blockReasons[held.hash] {
                case .expired(let error): refusals[held.patch] = (true, error)
                case .refused(let error): refusals[held.patch] = (false, error)
                default: break
                }
            }
        }
    }

    private func exclude(_ hash: String) {
        if !isReadOnly { try? update { $0.exclude(hash) } }
    }

    /// - Returns: Whether that was written.
    @discardableResult
    package func confirm() -> Bool {
        let time = clock()
        memory.locked { $0.launch.hasConfirmed = true }
        return (try? change { $0.confirm(limits: limits, at: time) }) != nil
    }

    /// Confirms a launch that another process has begun, and ends it, because nothing is running that could still
    /// crash.
    ///
    /// - Throws: `io` if that cannot be written.
    package func confirmLast() throws(PatchError) {
        let time = clock()
        try change { state in
            defer { state.end() }
            return state.confirm(limits: limits, at: time)
        }
    }

    /// Whether a confirmation would have an effect on the launch, or on a patch that was activated later.
    var needsConfirmation: Bool {
        memory.locked { memory in
            guard memory.writer.canWrite, let launch = memory.writer.state.launch else { return false }
            return !launch.isConfirmed
                || memory.writer.state.held.contains {
                    $0.stage == .trial && $0.failures == 0 && launch.late.contains($0.hash)
                        && !launch.broken.contains($0.hash)
                }
        }
    }

    func release() { memory.locked { $0.writer.release() } }

    /// Notes that the launch ends in an orderly way, so that it does not count as a failure.
    package func enterBackground() {
        memory.locked { $0.launch.isInBackground = true }
        try? update { $0.end() }
    }

    /// Notes that the app is used again after ``enterBackground()``, so that a crash counts again.
    package func enterForeground() {
        memory.locked { $0.launch.isInBackground = false }
        if isReadOnly { _ = follow(on: runner) }  // an orderly end lets other processes write
        guard state.launch?.isWatched == false else { return }
        try? update { $0.resume() }
        endShadows()
    }

    private func fail(_ patch: PatchID, _ reason: String) {
        let time = clock()
        try? change { $0.fail(patch, reason, limits: limits, at: time) }
    }
}
