package import PatchCrypto

// Which patches run, and which take the place of others.
extension StoreState {
    /// The patches that may run: the highest version of each patch that is neither a suspect, nor closed, nor off. A
    /// launch that tries those that are off again runs them too.
    ///
    /// After a failed launch in which nothing was on trial, nothing new is tried until a launch works or the good
    /// patches are off. Otherwise, the new patch would be blamed. Nothing new is tried while a suspect is tried,
    /// either.
    package var runnable: [Held] {
        let isRetry = launch?.isRetry ?? false
        let takesNew = failures == 0 && !triesSuspect
        return highest { held in
            let isNew = held.stage == .downloaded || held.isUnproven
            return ![.suspect, .closed].contains(held.stage) && (!held.isSuspended || isRetry) && (!isNew || takesNew)
        }
    }

    /// Whether a suspect runs whose watch is not over.
    var triesSuspect: Bool {
        guard let launch else { return false }
        let watched = Set((launch.isFirstWatchOver ? [] : launch.patches) + launch.late)
        return held.contains { $0.stage == .suspect && watched.contains($0.hash) }
    }

    /// The closed patches whose `otherwise` answers: the highest closed version of each, unless a higher version runs.
    func closed(beside chosen: [Held], _ isClosed: (Held) -> Bool) -> [Held] {
        highest(where: isClosed).filter { closed in
            !chosen.contains { $0.patch.id == closed.patch.id && $0.patch.version > closed.patch.version }
        }
    }

    /// The highest version of each patch among those that meet a condition.
    private func highest(where condition: (Held) -> Bool) -> [Held] {
        held.filter(condition).reduce(into: []) { chosen, patch in
            if chosen.last?.patch.id != patch.patch.id { chosen.append(patch) }
        }
    }

    /// Whether a patch may be tried alone: it is a suspect, or it is closed, and its pause is over.
    func isDue(_ held: Held, _ limits: CrashLimits, _ now: Timestamp?) -> Bool {
        guard held.stage == .closed else { return held.stage == .suspect }
        // Without a clock, there is no pause.
        guard let now, let closed = held.closed else { return true }
        let passed = now.secondsSince1970 - closed.secondsSince1970
        // A clock that was set back does not make the pause longer.
        return passed < 0 || passed >= limits.pause(after: held.closings - 1).components.seconds
    }

    /// Whether a higher version of a patch has run, and may run on.
    func isBelowTried(_ patch: PatchID) -> Bool {
        held.contains { other in
            other.patch.id == patch.id && other.patch.version > patch.version && !other.couldNotRun
                && [.trial, .good].contains(other.stage)
        }
    }

    /// Chooses the patches that a launch begins with.
    ///
    /// - Parameters:
    ///   - onlyGood: Whether nothing is tried, because what happened in the last launch cannot be written.
    ///   - wasHealthy: Whether the last launch was confirmed, and has ended in an orderly way.
    mutating func choose(
        _ launch: inout Launch, _ limits: CrashLimits, onlyGood: Bool, wasHealthy: Bool, _ time: Timestamp?
    ) {
        // What the last launch could not write about its own end is no failure of a good patch.
        var chosen = onlyGood ? highest(where: \.isKnownGood) : runnable
        // A patch that could not run before does not make suspects, or patches that are off, wait forever. They do not
        // make it wait, either.
        let isGood = chosen.allSatisfy { !$0.isOnTrial }
        let isSettled = !onlyGood && chosen.allSatisfy { !$0.isOnTrial || $0.couldNotRun }
        // A suspect is tried after a healthy launch, when nothing else is on trial.
        let suspect = isSettled && wasHealthy ? nextSuspect(limits, time, mayRepeat: isGood) : nil
        if let suspect {
            chosen = highest { !$0.isOnTrial && !$0.isSuspended && $0.patch.id != suspect.patch.id } + [suspect]
            chosen.sort { $0.patch.id < $1.patch.id }
            for index in held.indices where held[index].hash == suspect.hash { held[index].stage = .suspect }
        } else if isSettled, isSafe, mayRetry, isGood || held.contains(where: { $0.isSuspended && !$0.couldNotRun }) {
            // The patches that are off are tried once more, because the set of good ones has changed.
            chosen = highest { !$0.isOnTrial }
            launch.isRetry = true
            mayRetry = false
        } else if isSettled, wasHealthy, !isGood {
            // What could not run before has this launch, and then the others that could not have their turn.
            for index in held.indices where held[index].isSuspended || isDue(held[index], limits, time) {
                held[index].couldNotRun = false
            }
        }
        launch.isSafe = isSafe && !launch.isRetry
        launch.patches = (closed(beside: chosen) { $0.stage == .closed } + chosen).map(\.hash)
    }

    /// The suspect or closed patch that is tried alone next.
    ///
    /// - Parameter mayRepeat: Whether one that could not run before is tried again if there is no other.
    private func nextSuspect(_ limits: CrashLimits, _ time: Timestamp?, mayRepeat: Bool) -> Held? {
        let due = held.filter { isDue($0, limits, time) }
        return due.first { !$0.couldNotRun } ?? (mayRepeat ? due.first : nil)
    }

    /// The closed patches whose `otherwise` should answer in this launch.
    package var answeringClosed: [Held] { isEnabled ? closed(beside: runnable) { $0.stage == .closed } : [] }

    /// The hashes of the patches that run in a process that follows, or that only reads the store: the good ones, and
    /// the closed ones, whose `otherwise` answers. As such a process cannot note what it tries, it tries nothing.
    ///
    /// - Parameter broken: The hashes of patches that have failed too often in this process.
    package func hashesForFollowers(without broken: Set<String> = []) -> [String] {
        guard isEnabled else { return [] }
        let good = highest { $0.isKnownGood && !broken.contains($0.hash) }
        return (closed(beside: good, \.isClosed) + good).map(\.hash)
    }

    /// The versions of a patch that may take the place of others: the closed one, and then those that are good or, in
    /// the process that tries them, have run on trial, the highest first.
    ///
    /// - Parameters:
    ///   - others: The versions that no longer run.
    ///   - isFollower: Whether this process follows the one that tries suspects.
    package func successors(of id: String, without others: Set<PatchID>, isFollower: Bool) -> [Held] {
        let known = held.filter { isEnabled && $0.patch.id == id && !others.contains($0.patch) }
        let running = known.filter { held in
            let hasRun = held.stage == .good || held.wasGood || (held.stage == .trial && !isFollower)
            let isOff = held.isSuspended && launch?.isRetry != true
            return hasRun && !isOff
        }
        let closed = known.first { isClosed($0.hash, isFollower: isFollower) }
        return [closed].compactMap(\.self) + running.filter { $0.hash != closed?.hash }
    }

    /// Whether only the `otherwise` of a patch answers, and its functions do not run.
    ///
    /// - Parameter isFollower: Whether this process follows the one that tries suspects.
    package func isClosed(_ hash: String, isFollower: Bool) -> Bool {
        held.contains { $0.hash == hash && ($0.stage == .closed || (isFollower && $0.isClosed)) }
    }
}
