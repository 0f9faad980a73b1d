package import PatchCrypto

// How the last launch is judged: what has proved itself, and what failed.
extension StoreState {
    /// Begins a launch: judges the last one, and chooses the patches that run.
    ///
    /// - Parameters:
    ///   - onlyGood: Whether patches on trial wait, because a failed launch could not be noted.
    ///   - news: What other versions of the app have learned since the last launch of this one.
    package mutating func begin(
        limits: CrashLimits, onlyGood: Bool = false, news: News? = nil, at time: Timestamp?
    ) -> [Event] {
        var events: [Event] = []
        let wasHealthy = launch.map { $0.isConfirmed && !$0.isWatched } ?? false
        if let launch { judge(launch, limits, time, &events) }
        if let news { learn(news) }
        dropOldVersions()
        // A protective patch is a suspect only in the launch that tries it.
        for index in held.indices where held[index].stage == .suspect && held[index].isProtective {
            held[index].stage = .closed
            held[index].failures = 0
        }
        self.launch = nil
        var launch = Launch(patches: [])
        if isEnabled { choose(&launch, limits, onlyGood: onlyGood, wasHealthy: wasHealthy, time) }
        let chosen = Set(launch.patches)
        for index in held.indices where chosen.contains(held[index].hash) { events += startTrial(at: index) }
        self.launch = launch
        return events
    }

    /// The indices in `held` of the patches that a crash of a launch is blamed on: those that run and whose watch is
    /// not over. The confirmation ends the watch of patches that the launch began with, if they had proved themselves
    /// before.
    func blamable(_ launch: Launch) -> [Int] {
        let began = Set(launch.isFirstWatchOver ? [] : launch.patches)
        let late = Set(launch.late)
        let broken = Set(launch.broken)
        return held.indices.filter { index in
            let hash = held[index].hash
            let mayBeBad = !launch.isConfirmed || held[index].isOnTrial
            let isWatched = late.contains(hash) || (mayBeBad && began.contains(hash))
            return isWatched && held[index].stage != .closed && !broken.contains(hash)
        }
    }

    /// The indices in `held` of the closed patches that a crash of a launch counts against: those whose watch is not
    /// over, if no sync has reached the feed, which could have withdrawn them.
    func watchedClosed(_ launch: Launch) -> [Int] {
        guard !launch.hasSynced else { return [] }
        let watched = Set((launch.isFirstWatchOver ? [] : launch.patches) + launch.late)
        return held.indices.filter { held[$0].stage == .closed && watched.contains(held[$0].hash) }
    }

    /// The hashes of the patches in shadow that were called in a launch, and whose watch is not over.
    func calledShadows(_ launch: Launch) -> Set<String> {
        Set(shadows.map(\.hash)).intersection(launch.late)
    }

    /// The patches whose scripts were loading.
    func loading(_ launch: Launch) -> [Held] { stored.filter { launch.loading.contains($0.hash) } }

    /// Whether a crash from now on would count: against the launch, or against a patch.
    var crashCounts: Bool {
        guard let launch else { return false }
        return !launch.isConfirmed && !launch.isFirstWatchOver || !loading(launch).isEmpty
            || !blamable(launch).isEmpty || !watchedClosed(launch).isEmpty || !calledShadows(launch).isEmpty
    }

    /// Closes the note if a crash would no longer count.
    mutating func closeNote() {
        if !crashCounts { launch?.isWatched = false }
    }

    /// Judges the last launch: how it ended, and what a crash in it says about its patches.
    mutating func judge(
        _ launch: Launch, _ limits: CrashLimits, _ time: Timestamp?, _ events: inout [Event]
    ) {
        judgeEnd(of: launch, &events)
        guard launch.isWatched else { return }
        // It has failed. If it ended while scripts were loading, they are the cause.
        let loading = loading(launch)
        guard loading.isEmpty else { return judgeLoading(loading, limits, time, &events) }
        let ran = blamable(launch)
        let shadows = calledShadows(launch)
        // Closed patches are the cause only if nothing else can be.
        let closed = ran.isEmpty && shadows.isEmpty ? watchedClosed(launch) : []
        guard closed.isEmpty else { return judgeClosed(closed, limits, time, &events) }
        judgeShadows(shadows, limits, time, &events)
        // What was never confirmed is blamed before what was.
        let hasUnconfirmed = !shadows.isEmpty || ran.contains { held[$0].stage != .good }
        let unproven = ran.filter { held[$0].isUnproven }
        if hasUnconfirmed { judgeUnproven(unproven, limits, time, &events) } else { putOnTrialAgain(unproven) }
        let trials = ran.filter { held[$0].stage != .good && !(hasUnconfirmed && unproven.contains($0)) }
        guard !trials.isEmpty else {
            // Only good patches can be the cause. After a retry that has failed, those that were off stay off. A launch
            // that was confirmed, and in which no patch can be the cause, counts for nothing.
            guard shadows.isEmpty, !launch.isRetry, !launch.isConfirmed || !ran.isEmpty else { return }
            return judgeGood(ran, wasSafe: launch.isSafe, limits, time, &events)
        }
        // A suspect is tried alone, beside patches that are good.
        let isKnown =
            trials.count == 1 && shadows.isEmpty
            && (!hasUnconfirmed || unproven.isEmpty || held[trials[0]].stage == .suspect)
        judgeTrials(trials, isKnown: isKnown, limits, time, &events)
    }

    /// Judges how a launch ended, whether or not it crashed.
    private mutating func judgeEnd(of launch: Launch, _ events: inout [Event]) {
        let hasPassed = !launch.isWatched || launch.isFirstWatchOver
        if launch.isConfirmed { unconfirmed = 0 }
        if launch.isConfirmed, hasPassed {
            events += prove(launch)
        } else if launch.isRetry {
            // An orderly end proves nothing, so the patches may be tried again.
            mayRetry = hasPassed
        }
        if launch.isConfirmed, !launch.isWatched { forgive(Set(launch.late).subtracting(launch.broken)) }
        let all = Set(launch.patches + launch.late)
        for index in held.indices where all.contains(held[index].hash) { held[index].couldNotRun = false }
        if !launch.isConfirmed, !held.isEmpty, !hasConfirmed, unconfirmed < Self.patience {
            unconfirmed += 1
            if unconfirmed == Self.patience { events.append(.neverConfirmed(launches: unconfirmed)) }
        }
    }

    /// Counts a crash against confirmed patches that have not proved themselves. They stay good, as an unconfirmed one
    /// ran too, until they have failed more often than one on trial may.
    private mutating func judgeUnproven(
        _ unproven: [Int], _ limits: CrashLimits, _ time: Timestamp?, _ events: inout [Event]
    ) {
        for index in unproven {
            held[index].failures += 1
            if held[index].failures > limits.trialFailures { events.append(setAside(at: index, time)) }
        }
    }

    /// Puts confirmed patches that have not proved themselves on trial again, because no others can be the cause.
    private mutating func putOnTrialAgain(_ unproven: [Int]) {
        for index in unproven {
            held[index].stage = .trial
            held[index].isUnproven = false
            held[index].wasGood = true
        }
    }

    /// Counts a crash against the patches on trial, and bans the one that is known to be the cause once it has failed
    /// too often.
    private mutating func judgeTrials(
        _ trials: [Int], isKnown: Bool, _ limits: CrashLimits, _ time: Timestamp?, _ events: inout [Event]
    ) {
        for index in trials {
            held[index].failures += 1
            // If several patches have not proved themselves, the cause is not known. Those on trial are tried again
            // alone.
            if isKnown || held[index].stage == .suspect || held[index].failures < limits.trialFailures { continue }
            events.append(setAside(at: index, time))
        }
        guard isKnown, let index = trials.first,
            held[index].stage == .suspect || held[index].failures >= limits.trialFailures
        else { return }
        if held[index].isProtective {
            events.append(setAside(at: index, time))
        } else if hasConfirmed {
            events += ban(held[index].patch, held[index].hash, Self.failedLaunches, at: time)
        } else {
            // Perhaps the app just never confirms. The first confirmation bans the patch, because that launch works
            // without it.
            held[index].stage = .suspect
            events.append(.suspect(held[index]))
        }
    }

    /// Counts a failed launch against the patches in shadow that were called in it.
    mutating func judgeShadows(
        _ called: Set<String>, _ limits: CrashLimits, _ time: Timestamp?, _ events: inout [Event]
    ) {
        for index in shadows.indices where called.contains(shadows[index].hash) { shadows[index].failures += 1 }
        for shadow in shadows where called.contains(shadow.hash) && shadow.failures >= limits.trialFailures {
            events += ban(shadow.patch, shadow.hash, Self.failedShadow, at: time)
        }
    }

    /// Makes a patch a suspect, or closes it if it is protective.
    mutating func setAside(at index: Int, _ time: Timestamp?) -> Event {
        held[index].isUnproven = false
        held[index].failures = 0
        held[index].wasGood = false
        guard held[index].isProtective else {
            held[index].stage = .suspect
            return .suspect(held[index])
        }
        held[index].stage = .closed
        held[index].closed = time
        held[index].closings = min(held[index].closings + 1, CrashLimits.mostTries)
        return .closed(held[index])
    }

    /// Counts a launch that ended while scripts were loading. Nothing else is blamed.
    mutating func judgeLoading(
        _ loading: [Held], _ limits: CrashLimits, _ time: Timestamp?, _ events: inout [Event]
    ) {
        for patch in loading where patch.loadFailures + 1 >= limits.trialFailures {
            events += ban(patch.patch, patch.hash, Self.failedLoad, at: time)
        }
        let hashes = loading.map(\.hash)
        for index in held.indices where hashes.contains(held[index].hash) { held[index].loadFailures += 1 }
        for index in shadows.indices where hashes.contains(shadows[index].hash) { shadows[index].loadFailures += 1 }
    }

    /// Counts a failed launch in which nothing but closed patches can be the cause, and no sync has reached the feed.
    /// After `safeModeFailures` of them in a row, one patch is banned.
    mutating func judgeClosed(
        _ closed: [Int], _ limits: CrashLimits, _ time: Timestamp?, _ events: inout [Event]
    ) {
        for index in closed { held[index].failures += 1 }
        guard let worst = closed.max(by: { held[$0].failures < held[$1].failures }),
            held[worst].failures >= limits.safeModeFailures
        else { return }
        events += ban(held[worst].patch, held[worst].hash, Self.failedLaunches, at: time)
    }

    /// Counts a failed launch in which no patch was on trial. After `safeModeFailures` of them in a row, the patches
    /// that ran are off, or closed.
    ///
    /// - Parameters:
    ///   - ran: The indices in `held` of the patches that ran.
    ///   - wasSafe: Whether good patches were left out.
    mutating func judgeGood(
        _ ran: [Int], wasSafe: Bool, _ limits: CrashLimits, _ time: Timestamp?, _ events: inout [Event]
    ) {
        guard !ran.isEmpty else {
            guard wasSafe else { return }
            // It failed without patches too, so they were not the reason.
            for index in held.indices { held[index].isSuspended = false }
            failures = 0
            return
        }
        failures += 1
        guard failures >= limits.safeModeFailures else { return }
        if ran.contains(where: { !held[$0].isProtective }) { events.append(.safeMode(failures: failures)) }
        for index in ran {
            if held[index].isProtective {
                events.append(setAside(at: index, time))
            } else {
                held[index].isSuspended = true
            }
        }
        failures = 0
        mayRetry = false
    }

    /// Notes that a confirmed launch has lasted until the end of its watch, or ended in an orderly way.
    mutating func prove(_ launch: Launch) -> [Event] {
        var events: [Event] = []
        failures = 0
        let ran = Set(launch.patches)
        let passed = ran.subtracting(launch.broken)
        for index in held.indices where ran.contains(held[index].hash) {
            if launch.isRetry { held[index].isSuspended = false }
            guard passed.contains(held[index].hash), held[index].stage != .closed else { continue }
            held[index].isUnproven = false
            held[index].closings = 0
            // A suspect, and a patch that has failed before, become good only now.
            let isCleared = held[index].stage == .suspect && held[index].failures == 0
            guard isCleared || held[index].stage == .trial else { continue }
            held[index].stage = .good
            held[index].wasGood = false
            events.append(.good(held[index].patch))
        }
        forgive(passed)
        // A patch that is off could not run, or the set of good patches has changed.
        if launch.isRetry || !events.isEmpty { mayRetry = isSafe }
        return events
    }

    mutating func forgive(_ hashes: Set<String>) {
        for index in held.indices where hashes.contains(held[index].hash) { held[index].failures = 0 }
        for index in shadows.indices where hashes.contains(shadows[index].hash) { shadows[index].failures = 0 }
    }
}
