internal import Libc
internal import PatchCrypto
internal import PatchFiles
package import PatchRunner

// Several processes that share a folder: one writes, the others follow it.
extension PatchStore {
    /// Brings a process that does not write up to date with the writer. If the writer has ended, this process takes its
    /// place and begins its launch: it judges the writer's launch, and activates the patches on trial.
    ///
    /// - Parameters:
    ///   - longest: How long a sync may take, if the app syncs. If the writer has not synced for three syncs in a row,
    ///     this process asks the feed itself.
    ///   - waits: Whether a patch that is gone stays active while the writer syncs, which may bring its older version.
    /// - Returns: Whether this process follows another one, or only reads.
    package func follow(on runner: PatchRunner?, longest: Duration? = nil, waits: Bool = true) -> Bool {
        noticeFork()
        let switches = state.switches
        var isSilent = false
        if let longest { isSilent = noticeSilence(longest) }
        let hasTakenOver = takeOver(isSilent: isSilent)
        let isFollower = [.follower, .reader].contains(role)
        if isFollower { memory.locked { $0.launch.setBlockReasons([]) } }  // the writer's state counts again
        if let runner, hasLaunched, hasTakenOver || isFollower {
            let state = state
            let hashes = hasTakenOver ? state.launch?.patches ?? [] : state.hashesForFollowers(without: failed)
            activateOnly(hashes, of: state, on: runner, waits: waits && isFollower)
            if state.switches != switches { tell(.changedSwitches(.init(state.switches))) }
        }
        if !isFollower { takeBansOfOthers(on: runner) }
        if hasTakenOver { endIfInBackground() }
        return isFollower
    }

    /// Opens the folder again. If the writer has ended, this process begins the launch that it writes from now on.
    ///
    /// - Parameter isSilent: Whether the process that writes has not synced for some time.
    /// - Returns: Whether it has begun that launch.
    private func takeOver(isSilent: Bool) -> Bool {
        let (hasBegun, faults) = memory.locked { memory in
            guard !memory.writer.canWrite, !memory.writer.isClosed else {
                // It writes already, or never again.
                return (false, memory.writer.takeOver(hasBegun: memory.launch.hasBegun))
            }
            let faults = memory.writer.open(isSilent: isSilent)
            guard memory.writer.canWrite, memory.launch.hasBegun else { return (false, faults) }
            let news = memory.writer.takeNews()
            memory.pendingEvents = memory.writer.state.begin(limits: limits, news: news, at: clock())
            memory.writer.mustWrite = true
            memory.watches.launch = endOfWatch
            return (true, faults)
        }
        var unwritten: PatchError?
        if hasBegun {
            do throws(PatchError) {
                try change { _ in [] }
            } catch {
                // A failed launch could not be noted, so nothing is tried.
                memory.locked { $0.writer.giveUp(error) }
                unwritten = error
            }
        }
        for fault in faults { emit(fault) }
        if let unwritten { emit(unwritten) }
        return hasBegun && unwritten == nil
    }

    /// Takes what other versions of the app have banned since this process has read the folder, and ends it.
    private func takeBansOfOthers(on runner: PatchRunner?) {
        let others = folder.exclusionsOfOthers()
        let old = state
        var new = old
        for other in others { new.merge(other) }
        guard new != old else { return }
        try? update { state in for other in others { state.merge(other) } }
        // A ban is for specific bytes: those that run may be other ones of the same version.
        let running = memory.locked { $0.launch.running.union($0.launch.answering) }
        let banned = new.bans.filter { running.contains($0.hash) && !old.isBanned($0.hash) }.map(\.patch)
        if let runner { end(Set(banned), on: runner) }
    }

    /// Notices that the writer does not sync.
    ///
    /// - Parameter longest: How long a sync may take.
    /// - Returns: Whether it has not done so since the third last sync of this process, and is not about to.
    private func noticeSilence(_ longest: Duration) -> Bool {
        guard !isWriterSyncing(longest) else { return false }
        let last = folder.lastSync
        return memory.locked { memory in
            var syncs = 0
            if let silence = memory.launch.silence, silence.last == last { syncs = silence.syncs + 1 }
            memory.launch.silence = LaunchInProgress.Silence(last: last, syncs: syncs)
            return syncs >= 3
        }
    }

    /// Notes that a sync begins, for the processes that follow this one.
    package func noteSyncBegin() {
        if !isReadOnly { folder.noteSyncBegin(at: .milliseconds(WallClock.milliseconds)) }
    }

    /// Notes that a sync has ended, for the processes that follow this one.
    package func noteSyncEnd(hasSucceeded: Bool) {
        if !isReadOnly {
            folder.noteSyncEnd(hasSucceeded: hasSucceeded, at: .milliseconds(WallClock.milliseconds))
        }
    }

    /// Whether the writer has begun a sync, and may be in it.
    ///
    /// - Parameter longest: How long a sync may take.
    private func isWriterSyncing(_ longest: Duration) -> Bool {
        let now = Duration.milliseconds(WallClock.milliseconds)
        // The clock may have been set back since.
        return folder.syncBegin.map { max(now - $0, $0 - now) < longest } ?? false
    }

    /// Whether a patch that is gone runs on until the sync of the writer has ended.
    package var awaitsWriter: Bool { memory.locked { $0.launch.awaitsWriter } }

    /// Activates patches, and deactivates all others that are not good. The patches in shadow follow the state, too.
    ///
    /// - Parameter hashes: The patches that a launch would begin with now, and the closed ones, whose `otherwise`
    ///   answers.
    private func activateOnly(_ hashes: [String], of state: StoreState, on runner: PatchRunner, waits: Bool) {
        let isFollower = isReadOnly
        endShadows()
        let (trust, failed) = memory.locked { ($0.launch.trust, $0.failed) }
        // One that has failed in this process may answer with its `otherwise`, as a closed one does.
        let closed = Set(
            hashes.filter { state.isClosed($0, isFollower: isFollower) }
                + state.held.map(\.hash).filter(failed.contains))
        let wanted = Set(hashes).subtracting(closed)
        if let trust = trust?() {
            dropRefused(on: runner, trust: trust)
            let active = memory.locked { memory in
                memory.launch.running.intersection(wanted).union(memory.launch.answering.intersection(closed))
            }
            activateHeld(hashes.filter { !active.contains($0) }, in: state, on: runner, trust)
        }
        for id in findUnwanted(by: state, wanted, on: runner, waits: waits) { runner.deactivate(id) }
        let answering = memory.locked { $0.launch.closed }
        runner.endOtherwise { !closed.contains(answering[$0.name] ?? "") }
        if let trust { startShadows(on: runner, trust: trust) }
    }

    /// Finds the names of the active patches that end with a change of the state, and notes whether others wait for the
    /// writer.
    private func findUnwanted(
        by state: StoreState, _ wanted: Set<String>, on runner: PatchRunner, waits: Bool
    ) -> [String] {
        let waits = waits && isWriterSyncing(Self.longestWait)
        return memory.locked { memory in
            memory.launch.awaitsWriter = false
            return runner.active.map(\.name).filter { id in
                guard state.isEnabled, let hash = memory.launch.activated[id]?.hash else { return true }
                let isGone = !state.held.contains { $0.patch.id == id }
                if waits, isGone, !state.isBanned(hash) {
                    memory.launch.awaitsWriter = true
                    return false
                }
                // A good version stays active in the place of a patch that cannot run.
                let isGood = state.held.contains { $0.hash == hash && $0.stage == .good && !$0.isSuspended }
                return !wanted.contains(hash) && !isGood
            }
        }
    }

    /// How long a follower waits for the sync of the writer.
    package static let longestWait = Duration.seconds(10)

    /// Notices that this process was forked from the one that opened the store. It shares the lock of that process,
    /// which it must not release, so it drops the lock without unlocking it and follows.
    func noticeFork() {
        let isForked = memory.locked { memory in
            guard memory.writer.noticeFork() else { return false }
            memory.watches = Watches()
            return true
        }
        if isForked { tell(.becameFollower(.init(isForked: true))) }
    }
}
