package import PatchCrypto

// What happens in a launch.
extension StoreState {
    /// Puts a held patch on trial, unless it has run before.
    mutating func startTrial(at index: Int) -> [Event] {
        guard held[index].stage == .downloaded else { return [] }
        held[index].stage = .trial
        return [.trial(held[index].patch)]
    }

    /// Notes that the app is healthy: the patches that the launch began with, and that still run, are good.
    ///
    /// If this was noted before, the patches that were activated later are good too. Patches have proved themselves
    /// once their watch is over. The first confirmation of this version of the app bans the suspects that have failed
    /// too often, because the launch works without them.
    package mutating func confirm(limits: CrashLimits, at time: Timestamp?) -> [Event] {
        guard let launch else { return [] }
        guard !launch.isConfirmed else { return promote(Set(launch.late).subtracting(launch.broken)) }
        self.launch?.isConfirmed = true
        unconfirmed = 0
        var events = promote(Set(launch.patches).subtracting(launch.broken))
        if !crashCounts {
            self.launch?.isWatched = false
            events += prove(launch)
        }
        guard !hasConfirmed else { return events }
        hasConfirmed = true
        for suspect in held + dropped
        where suspect.stage == .suspect && suspect.failures >= limits.trialFailures
            && !launch.patches.contains(suspect.hash)
        {
            events += ban(suspect.patch, suspect.hash, Self.failedLaunches, at: time)
        }
        return events
    }

    /// Makes patches good. A patch that failed in the previous launch must first run a whole watch without a failure.
    mutating func promote(_ hashes: Set<String>, from stages: Set<Stage> = [.downloaded, .trial]) -> [Event] {
        var events: [Event] = []
        var good: [String: Int] = [:]
        // The highest version of a patch comes first.
        for index in held.indices where hashes.contains(held[index].hash) {
            let patch = held[index].patch
            guard stages.contains(held[index].stage), held[index].failures == 0, good[patch.id] == nil
            else { continue }
            held[index].stage = .good
            held[index].isUnproven = true
            held[index].wasGood = false
            good[patch.id] = patch.version
            events.append(.good(patch))
        }
        guard !good.isEmpty else { return [] }
        // A version that is good, or closed, stays until this one has proved itself.
        drop(held.filter { $0.stage != .good && !$0.isClosed && $0.patch.version < good[$0.patch.id] ?? 0 })
        mayRetry = isSafe
        return events
    }

    /// Notes that the watch of some patches is over, and that the app has not crashed. Patches that were activated in
    /// the middle of the launch are good now, if the app has confirmed.
    ///
    /// - Parameters:
    ///   - began: Whether the watch of the patches that the launch began with is over.
    ///   - ended: The hashes of patches that were activated later, and whose watch is over.
    package mutating func pass(began: Bool, late ended: Set<String>) -> [Event] {
        guard let launch else { return [] }
        let passed = ended.intersection(launch.late).subtracting(launch.broken)
        self.launch?.late.removeAll(where: ended.contains)
        self.launch?.isFirstWatchOver = began
        defer { closeNote() }
        guard launch.isConfirmed else { return [] }
        let events = began ? prove(launch) : []
        forgive(passed)
        return events + promote(passed, from: [.downloaded, .trial, .suspect])
    }

    /// The patch that may be tried alone in the middle of a launch, which is confirmed, and in which nothing is watched
    /// any more; nil if there is none. One below a version that runs would end that one.
    ///
    /// - Parameter others: The hashes of patches whose turn it is not.
    package func nextAlone(limits: CrashLimits, at time: Timestamp?, without others: Set<String> = []) -> Held? {
        guard isEnabled, failures == 0, let launch, launch.isConfirmed, launch.isFirstWatchOver, !launch.isWatched
        else {
            return nil
        }
        return held.first { held in
            isDue(held, limits, time) && !held.couldNotRun && held.failures == 0 && !launch.broken.contains(held.hash)
                && !others.contains(held.hash) && !isBelowTried(held.patch)
        }
    }

    /// Notes that a patch is tried alone in the middle of a launch. It becomes good once its watch is over.
    package mutating func tryAlone(_ hash: String) -> [Event] {
        for index in held.indices where held[index].hash == hash { held[index].stage = .suspect }
        launch?.patches.removeAll { $0 == hash }  // the launch may have begun with its `otherwise`
        return activate(hash)
    }

    /// Notes that the launch ended in an orderly way, so that it does not count as a failure.
    package mutating func end() { launch?.isWatched = false }

    /// Notes that the app continues after all, so that a crash counts again.
    package mutating func resume() {
        launch?.isWatched = true
        closeNote()
    }

    /// Notes that a patch of this launch could not run, so that it is neither blamed nor praised for the rest of the
    /// launch.
    package mutating func exclude(_ hash: String) {
        launch?.patches.removeAll { $0 == hash }
        launch?.late.removeAll { $0 == hash }
        for index in held.indices where held[index].hash == hash {
            if held[index].stage == .trial { held[index].stage = .downloaded }
            held[index].couldNotRun = true
        }
        closeNote()
    }

    /// Notes that a script is about to be loaded, so that a launch that ends meanwhile is blamed on it alone. This is
    /// done for protective patches that are not good, and for patches in shadow.
    package mutating func noteLoading(_ hash: String) {
        let isShadow = shadows.contains { $0.hash == hash }
        guard launch != nil, isShadow || held.contains(where: { $0.hash == hash && $0.notesLoading }) else { return }
        launch?.loading.append(hash)
        launch?.isWatched = true
    }

    /// Notes that a script has been loaded, or could not be.
    ///
    /// - Parameter isProtective: Whether one of its replacements has an `otherwise`; nil if it could not be loaded, or
    ///   is in shadow.
    package mutating func noteLoaded(_ hash: String, isProtective: Bool?) {
        launch?.loading.removeAll { $0 == hash }
        for index in held.indices where held[index].hash == hash {
            held[index].loadFailures = 0
            if let isProtective { held[index].isProtective = isProtective }
        }
        for index in shadows.indices where shadows[index].hash == hash { shadows[index].loadFailures = 0 }
        closeNote()
    }

    /// Notes that a sync has reached the feed, so that a crash no longer counts against closed patches.
    package mutating func noteSync() {
        guard held.contains(where: { $0.stage == .closed }) else { return }
        launch?.hasSynced = true
        for index in held.indices where held[index].stage == .closed { held[index].failures = 0 }
        closeNote()
    }

    /// Notes that a patch in shadow is about to run for the first time in this launch, so that a crash counts against
    /// it.
    package mutating func noteShadowCall(_ hash: String) {
        guard launch?.late.contains(hash) == false, shadows.contains(where: { $0.hash == hash }) else { return }
        launch?.late.append(hash)
        launch?.isWatched = true
    }

    /// Notes that a patch is activated in the middle of a launch. It becomes good once its watch is over, by a second
    /// confirmation, or in a later launch that begins with it.
    ///
    /// A crash from now on counts, even if the launch was confirmed before.
    ///
    /// - Parameter isDue: Whether the launch would have begun with it if the app had registered its functions earlier.
    ///   Then it counts as a patch that the launch began with, as long as their watch is not over, and if the launch is
    ///   not confirmed yet or the patch has proved itself before.
    package mutating func activate(_ hash: String, isDue: Bool = false) -> [Event] {
        var events: [Event] = []
        if let index = held.firstIndex(where: { $0.hash == hash }) {
            events = startTrial(at: index)
            held[index].couldNotRun = false
        }
        guard let launch, launch.isFirstWatchOver || !launch.patches.contains(hash) else { return events }
        let isProven = held.contains { $0.hash == hash && !$0.isOnTrial }
        let isOfBeginning = isDue && !launch.isFirstWatchOver && (!launch.isConfirmed || isProven)
        if isOfBeginning {
            self.launch?.patches.append(hash)
        } else {
            if !launch.late.contains(hash) { self.launch?.late.append(hash) }
            if crashCounts { self.launch?.isWatched = true }
        }
        return events
    }

    /// The other versions of a patch that this launch tries, and that end when this one is active; none if only its
    /// `otherwise` answers.
    package func trials(replacedBy hash: String) -> [String] {
        guard let launch, let index = held.firstIndex(where: { $0.hash == hash }), held[index].stage != .closed else {
            return []
        }
        // The versions of a patch stand side by side.
        let id = held[index].patch.id
        let before = held[..<index].reversed().prefix { $0.patch.id == id }
        let after = held[(index + 1)...].prefix { $0.patch.id == id }
        return (before + after).filter { other in
            other.isOnTrial && (launch.patches.contains(other.hash) || launch.late.contains(other.hash))
        }.map(\.hash)
    }

    /// Notes that a version of a patch has loaded, and takes the place of others: a later crash is not their fault.
    package mutating func replaceTrials(by hash: String) {
        let ended = trials(replacedBy: hash)
        launch?.patches.removeAll(where: ended.contains)
        launch?.late.removeAll(where: ended.contains)
    }

    /// Counts a failure of one patch, at most once in a launch: its breaker opened, or its script did not load. It is
    /// banned once it has failed too often.
    package mutating func fail(_ patch: PatchID, _ reason: String, limits: CrashLimits, at time: Timestamp?)
        -> [Event]
    {
        guard let index = held.firstIndex(where: { $0.patch == patch }) else { return [] }
        let hash = held[index].hash
        guard launch?.broken.contains(hash) == false else { return [] }
        launch?.broken.append(hash)
        held[index].failures += 1
        closeNote()
        return held[index].failures < limits.trialFailures ? [] : ban(patch, hash, reason, at: time)
    }
}
