package import PatchCrypto
package import PatchRunner

// A launch, from its beginning to its end: the last one is judged, and the held patches are activated.
extension PatchStore {
    package var hasBegun: Bool { memory.locked { $0.launch.hasBegun } }
    package var hasLaunched: Bool {
        memory.locked { if case .done = $0.launch.activation { true } else { false } }
    }

    /// Launches: judges the last launch, and activates the patches that are held. Each envelope is verified again. A
    /// second call changes nothing.
    ///
    /// - Parameters:
    ///   - runner: Activates the patches. Pass its events to ``observe(_:)``.
    ///   - trust: Returns the keys that envelopes are verified with. It is called only if there are envelopes.
    /// - Returns: The patches that run now.
    @discardableResult
    package func launch(on runner: PatchRunner, trust: @escaping @Sendable () -> PatchTrust) -> [PatchID] {
        let isFirst = memory.locked { memory in
            guard case .notBegun = memory.launch.activation else { return false }
            memory.launch.activation = .underway([])
            return true
        }
        guard isFirst else { return running }
        begin()
        memory.locked { memory in
            memory.launch.runner = runner
            memory.launch.trust = trust
        }
        runner.registry.names.whenAdded { [weak self] in self?.activateWaiting() }
        let state = state
        let hashes = isReadOnly ? state.hashesForFollowers() : state.launch?.patches ?? []
        if !hashes.isEmpty || !state.shadowing.isEmpty {
            let trust = trust()
            noteKeysThatCount(in: trust, on: runner)
            activateHeld(hashes, in: state, on: runner, trust)
            startShadows(on: runner) { trust }
        }
        let running = running
        endActivation()
        tell(.launched(.init(running, isSafeMode: state.launch?.isSafe ?? false)))
        return running
    }

    /// Notes that the held patches are activated, and wakes the tasks that have waited for that.
    private func endActivation() {
        let waiters = memory.locked { memory -> [CheckedContinuation<Void, Never>] in
            defer { memory.launch.activation = .done }
            guard case .underway(let waiters) = memory.launch.activation else { return [] }
            return waiters
        }
        for waiter in waiters { waiter.resume() }
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

    /// Judges the last launch, and notes that a new one begins, before anything of it runs.
    package func begin() {
        noticeFork()
        let taken = memory.locked { memory -> (faults: [PatchError], news: StoreState.News?, mayWrite: Bool)? in
            guard !memory.launch.isBeginning else { return nil }
            memory.launch.isBeginning = true
            let faults = memory.writer.takeOver(hasBegun: false)
            memory.watches.launch = endOfWatch
            let mayWrite = memory.writer.canWrite
            // Not before the last launch is judged: until then, its note must not be ended as if it were this one's. A
            // process that follows judges none.
            memory.launch.hasBegun = !mayWrite
            return (faults, memory.writer.takeNews(), mayWrite)
        }
        guard let taken else { return }
        for fault in taken.faults { emit(fault) }
        if role == .follower { tell(.becameFollower(.init(isForked: false))) }
        guard taken.mayWrite else { return }
        let time = clock()
        do throws(PatchError) {
            try change { $0.begin(limits: limits, news: taken.news, at: time) }
            memory.locked { $0.launch.hasBegun = true }
        } catch {
            let events = memory.locked { memory -> [StoreState.Event] in
                memory.launch.hasBegun = true
                // Otherwise another process has taken the folder, and judges the launch itself.
                guard memory.writer.canWrite else { return [] }
                memory.writer.mustWrite = true
                // A failed launch cannot be noted, so nothing new is tried.
                return memory.writer.state.begin(limits: limits, onlyGood: true, news: taken.news, at: time)
            }
            emit(events)
        }
    }

    // MARK: the confirmation

    /// - Returns: Whether that was written.
    @discardableResult
    package func confirm() -> Bool {
        let time = clock()
        let isWritten = (try? change { $0.confirm(limits: limits, at: time) }) != nil
        // Not before: the change would confirm for the end of the watch, and then once more.
        memory.locked { $0.launch.hasConfirmed = true }
        return isWritten
    }

    /// Confirms a launch that another process has begun, and ends it, because nothing is running that could still
    /// crash.
    ///
    /// - Throws: What ``change(endsInBackground:_:)`` throws.
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
            guard launch.isConfirmed else { return true }
            return memory.writer.state.held.contains { held in
                held.stage == .trial && held.failures == 0 && launch.late.contains(held.hash)
                    && !launch.broken.contains(held.hash)
            }
        }
    }

    // MARK: the end

    /// Whether the app has reported that the system may end it.
    package var isInBackground: Bool { memory.locked { $0.launch.isInBackground } }

    /// Notes that the launch ends in an orderly way, so that it does not count as a failure.
    package func enterBackground() {
        memory.locked { $0.launch.isInBackground = true }
        endIfInBackground()
    }

    /// Notes that the app is used again after ``enterBackground()``, so that a crash counts again.
    package func enterForeground() {
        memory.locked { $0.launch.isInBackground = false }
        if isReadOnly { _ = follow(on: runner) }  // an orderly end lets other processes write
        guard state.launch?.isWatched == false else { return }
        try? record { $0.resume() }
        endShadows()
    }

    /// Ends the launch, if the app is in the background: the system ends such an app without notice. An activation may
    /// have opened the launch's note again, which is open only while the scripts load.
    func endIfInBackground() {
        if isInBackground { try? record { _ in } }
    }

    func release() { memory.locked { $0.writer.release() } }
}
