package import PatchCrypto
package import PatchRunner

/// The state of a store: which patches it holds, which were tried, which proved good, and which are banned.
///
/// It is a value without files or clocks. Tests/README.md has a table of its transitions.
package struct StoreState: Sendable, Hashable {
    /// Where a patch is on its way from download to trust.
    package enum Stage: String, Sendable {
        /// It has not run yet.
        case downloaded
        /// It runs, but has not proved itself yet.
        case trial
        /// It was among several patches on trial when launches failed. It is tried again alone.
        case suspect
        /// Launches failed with it, and it is protective: its `otherwise` answers, and its functions do not run. They are tried
        /// again alone, and it is a suspect meanwhile.
        case closed
        /// A launch that began with it was confirmed, or it ran in one until its watch was over.
        case good
        /// It never answers, and is compared with the answers. It is judged like a patch on trial, and never promoted.
        case shadow
    }

    package struct Held: Sendable, Hashable {
        package let patch: PatchID
        /// The SHA-256 of its envelope, in hex digits.
        package let hash: String
        package var stage = Stage.downloaded
        /// The number of failures that it is blamed for: failed launches, and failures of the patch itself. While it is closed, the
        /// number of failed launches in a row that have completed no sync.
        package var failures = 0
        /// Whether one of its replacements has an `otherwise`, as its script has shown.
        package internal(set) var isProtective = false
        /// How often it was closed since it proved itself last.
        package internal(set) var closings = 0
        /// When it was closed last.
        package internal(set) var closed: Timestamp?
        /// Whether it was good before launches failed with it, and was not set aside since. Processes that follow the one that
        /// tries it keep running it.
        package internal(set) var wasGood = false
        /// The number of launches in a row that ended while its script was loading.
        package internal(set) var loadFailures = 0
        /// Whether it is left out because launches failed with it and other good patches: safe mode.
        package var isSuspended = false
        /// Whether it could not run when it was last tried, because it was waiting or was refused.
        package var couldNotRun = false
        /// Whether it is good, but no launch that began with it has lasted until the end of its watch, or ended in an orderly
        /// way. A crash while it is watched can put it back on trial.
        package var isUnproven = false

        /// Whether it may still turn out to be bad.
        package var isOnTrial: Bool { stage != .good || isUnproven }

        /// What counts on if the feed offers it again after it was dropped; nil if nothing does. If it was closed, that is over.
        var remains: Held? {
            var held = Held(patch, hash: hash)
            held.loadFailures = loadFailures
            held.closings = closings
            if !isClosed {
                held.stage = stage == .suspect ? stage : .downloaded
                held.failures = failures
            }
            // Followers ran it in spite of its failure, and do so again.
            held.wasGood = held.failures > 0 && (wasGood || stage == .good)
            return held == Held(patch, hash: hash) ? nil : held
        }

        /// Whether it is closed, or was until its functions were tried in this launch.
        var isClosed: Bool { stage == .closed || stage == .suspect && isProtective }

        /// Whether it is noted that its script is loading.
        var notesLoading: Bool { isProtective && stage != .good }

        package init(_ patch: PatchID, hash: String) {
            self.patch = patch
            self.hash = hash
        }

        /// The order by id, the highest version first.
        static func precedes(_ one: Held, _ other: Held) -> Bool {
            (one.patch.id, other.patch.version) < (other.patch.id, one.patch.version)
        }
    }

    /// A version of a patch that must not run on this device again.
    package struct Ban: Sendable, Hashable {
        package let patch: PatchID
        package let hash: String
        package let reason: String
        package let time: Timestamp?
    }

    /// The part of the state that is also written to its own file, so that it survives if the state is lost.
    struct Bans: Equatable {
        var bans: [Ban] = []
        var revoked: Set<KeyID> = []
        var trustNumber = 0
    }

    /// The note about a launch, which is written before any script runs.
    package struct Launch: Sendable, Hashable {
        /// The hashes of the patches that it began with.
        package var patches: [String]
        /// The hashes of patches that were activated later, or were called in shadow, and whose watch is not over.
        package var late: [String] = []
        /// The hashes of patches whose breakers opened.
        package var broken: [String] = []
        /// The hashes of patches in shadow, and of protective ones that are not good, whose scripts are loading.
        package var loading: [String] = []
        /// Whether a sync has reached the feed while a patch was closed.
        package var hasSynced = false
        /// Whether good patches were left out, because launches failed with them.
        package var isSafe = false
        /// Whether those patches are tried again in this launch.
        package var isRetry = false
        /// Whether the app has confirmed that it works.
        package var isConfirmed = false
        /// Whether a crash would still count. If the next launch finds it set, the app crashed, hung or was killed.
        package var isWatched = true
        /// Whether the watch of the patches that it began with is over.
        package var isPast = false

        package var standing: String { isConfirmed ? "confirmed" : isWatched ? "unknown" : "ended" }
    }

    /// The result of the last sync for a version of a patch.
    package struct SyncOutcome: Sendable, Hashable {
        package let code: String
        package let detail: String?
    }

    /// A result of a change, for the log.
    package enum Outcome: Sendable, Equatable {
        case trial(PatchID)
        case good(PatchID)
        case suspect(PatchID)
        case closed(PatchID)
        case banned(Ban)
        case safeMode(failures: Int)
        case neverConfirmed(launches: Int)
    }

    package let app: String
    package let appVersion: AppVersion
    /// A random name of this installation, which stays the same.
    package internal(set) var installation: String
    /// Sorted by id, the highest version first.
    package private(set) var held: [Held] = []
    /// The versions in shadow, one of each patch, by id. None of them is in `held`.
    package private(set) var shadows: [Held] = []
    package private(set) var bans: [Ban] = []
    /// What remains of the versions that had failed when they were dropped.
    package internal(set) var dropped: [Held] = []
    /// Whether patches run at all: the feed's kill switch.
    package var isEnabled = true
    package internal(set) var launch: Launch?
    /// How many launches in a row failed although no patch was on trial.
    package internal(set) var failures = 0
    /// Whether the patches that are off may be tried again, because the set of good ones has changed.
    package internal(set) var mayRetry = false
    /// Whether a launch of this version of the app was ever confirmed.
    package internal(set) var hasConfirmed = false
    /// The number of launches of this version of the app, while patches were held, before the first confirmed one. Counting ends
    /// at ``patience``.
    package internal(set) var unconfirmed = 0
    package var isSafe: Bool { held.contains(where: \.isSuspended) }
    /// Counts the writes of the state, so that a mark can be matched to its state.
    package var revision = 0
    /// The name that the app gave the installation at the last sync; nil if it gave none.
    package var givenName: String?
    /// The keys that a delivered trust store has revoked. They stay revoked even if that file is lost.
    package private(set) var revoked: Set<KeyID> = []
    /// The SHA-256 of the trust store that was delivered last; nil if there is none.
    package var deliveredTrust: String?
    /// The highest number of a trust store that the app's own keys have signed. An older trust store cannot bring back keys that
    /// this one has removed.
    package private(set) var trustNumber = 0
    /// The newest time that signed data have shown.
    package var floor: Timestamp?
    package var switches: [String: String] = [:]
    /// The message that the app should show.
    package var notice: String?
    package var minimumAppVersion: AppVersion?
    /// The results of the last sync for versions that are not held.
    package var outcomes: [PatchID: SyncOutcome] = [:]

    package init(
        app: String, appVersion: AppVersion, installation: String, held: [Held] = [], shadows: [Held] = [],
        bans: [Ban] = []
    ) {
        self.app = app
        self.appVersion = appVersion
        self.installation = installation
        // An envelope belongs to one patch. If a list has an envelope twice, the first entry counts.
        var hashes: Set<String> = []
        self.held = held.filter { hashes.insert($0.hash).inserted }.sorted(by: Held.precedes)
        self.bans = bans
        for var shadow in shadows where !isBanned(shadow.hash) && hashes.insert(shadow.hash).inserted {
            shadow.stage = .shadow
            self.shadows.removeAll { $0.patch.id == shadow.patch.id }
            self.shadows.append(shadow)
        }
        self.shadows.sort(by: Held.precedes)
    }

    // MARK: a launch

    /// Begins a launch: judges the last one, and chooses the patches that run.
    ///
    /// - Parameters:
    ///   - onlyGood: Whether patches on trial wait, because a failed launch could not be noted.
    ///   - news: What other versions of the app have learned since the last launch of this one.
    package mutating func begin(
        limits: CrashLimits, onlyGood: Bool = false, news: News? = nil, at time: Timestamp?
    ) -> [Outcome] {
        var outcomes: [Outcome] = []
        let wasHealthy = launch.map { $0.isConfirmed && !$0.isWatched } ?? false
        if let launch { judge(launch, limits, time, &outcomes) }
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
        for index in held.indices where chosen.contains(held[index].hash) { outcomes += startTrial(at: index) }
        self.launch = launch
        return outcomes
    }

    /// The indices in `held` of the patches that a crash of a launch is blamed on: those that run and whose watch is not over.
    /// The confirmation ends the watch of patches that the launch began with, if they had proved themselves before.
    private func blamable(_ launch: Launch) -> [Int] {
        let began = Set(launch.isPast ? [] : launch.patches)
        let (late, broken) = (Set(launch.late), Set(launch.broken))
        return held.indices.filter { index in
            let hash = held[index].hash
            let mayBeBad = !launch.isConfirmed || held[index].isOnTrial
            return held[index].stage != .closed && !broken.contains(hash)
                && (late.contains(hash) || mayBeBad && began.contains(hash))
        }
    }

    /// The indices in `held` of the closed patches that a crash of a launch counts against: those whose watch is not over, if no
    /// sync has reached the feed, which could have withdrawn them.
    private func watchedClosed(_ launch: Launch) -> [Int] {
        let watched = Set((launch.isPast ? [] : launch.patches) + launch.late)
        return launch.hasSynced
            ? [] : held.indices.filter { held[$0].stage == .closed && watched.contains(held[$0].hash) }
    }

    /// The hashes of the patches in shadow that were called in a launch, and whose watch is not over.
    private func calledShadows(_ launch: Launch) -> Set<String> {
        Set(shadows.map(\.hash)).intersection(launch.late)
    }

    /// The patches whose scripts were loading.
    private func loading(_ launch: Launch) -> [Held] { stored.filter { launch.loading.contains($0.hash) } }

    private var crashCounts: Bool {
        launch.map {
            !$0.isConfirmed && !$0.isPast || !loading($0).isEmpty || !blamable($0).isEmpty || !watchedClosed($0).isEmpty
                || !calledShadows($0).isEmpty
        } ?? false
    }

    /// Closes the note if a crash would no longer count.
    private mutating func closeNote() {
        if !crashCounts { launch?.isWatched = false }
    }

    private mutating func judge(
        _ launch: Launch, _ limits: CrashLimits, _ time: Timestamp?, _ outcomes: inout [Outcome]
    ) {
        let hasPassed = !launch.isWatched || launch.isPast
        if launch.isConfirmed { unconfirmed = 0 }
        if launch.isConfirmed, hasPassed {
            outcomes += prove(launch)
        } else if launch.isRetry {
            // An orderly end proves nothing, so the patches may be tried again.
            mayRetry = hasPassed
        }
        if launch.isConfirmed, !launch.isWatched { forgive(Set(launch.late).subtracting(launch.broken)) }
        let all = Set(launch.patches + launch.late)
        for index in held.indices where all.contains(held[index].hash) { held[index].couldNotRun = false }
        if !launch.isConfirmed, !held.isEmpty, !hasConfirmed, unconfirmed < Self.patience {
            unconfirmed += 1
            if unconfirmed == Self.patience { outcomes.append(.neverConfirmed(launches: unconfirmed)) }
        }
        guard launch.isWatched else { return }
        let loading = loading(launch)
        guard loading.isEmpty else { return judgeLoading(loading, limits, time, &outcomes) }
        let (ran, shadows) = (blamable(launch), calledShadows(launch))
        let closed = ran.isEmpty && shadows.isEmpty ? watchedClosed(launch) : []
        guard closed.isEmpty else { return judgeClosed(closed, limits, time, &outcomes) }
        judgeShadows(shadows, limits, time, &outcomes)
        // A confirmed patch stays good if an unconfirmed one ran too, unless it is the third such crash. If only confirmed
        // patches ran, the crash counts against them.
        let hasUnconfirmed = !shadows.isEmpty || ran.contains { held[$0].stage != .good }
        let unproven = ran.filter { held[$0].isUnproven }
        for index in unproven {
            if hasUnconfirmed {
                held[index].failures += 1
                guard held[index].failures > limits.trialFailures else { continue }
                outcomes.append(setAside(at: index, time))
            } else {
                held[index].stage = .trial
                held[index].isUnproven = false
                held[index].wasGood = true
            }
        }
        let trials = ran.filter { held[$0].stage != .good && !(hasUnconfirmed && unproven.contains($0)) }
        let isKnown =
            trials.count == 1 && shadows.isEmpty
            && (!hasUnconfirmed || unproven.isEmpty || held[trials[0]].stage == .suspect)
        guard !trials.isEmpty else {
            guard shadows.isEmpty, !launch.isRetry, !launch.isConfirmed || !ran.isEmpty else { return }
            return judgeGood(ran, wasSafe: launch.isSafe, limits, time, &outcomes)
        }
        for index in trials {
            held[index].failures += 1
            // If several patches have not proved themselves, the cause is not known. Those on trial are tried again alone.
            if isKnown || held[index].stage == .suspect || held[index].failures < limits.trialFailures { continue }
            outcomes.append(setAside(at: index, time))
        }
        guard isKnown, let index = trials.first,
            held[index].stage == .suspect || held[index].failures >= limits.trialFailures
        else { return }
        guard !held[index].isProtective else { return outcomes.append(setAside(at: index, time)) }
        guard hasConfirmed else {
            // Perhaps the app just never confirms. The first confirmation bans the patch, because that launch works without it.
            held[index].stage = .suspect
            return outcomes.append(.suspect(held[index].patch))
        }
        outcomes += ban(held[index].patch, held[index].hash, Self.failedLaunches, at: time)
    }

    /// Counts a failed launch against the patches in shadow that were called in it.
    private mutating func judgeShadows(
        _ called: Set<String>, _ limits: CrashLimits, _ time: Timestamp?, _ outcomes: inout [Outcome]
    ) {
        for index in shadows.indices where called.contains(shadows[index].hash) { shadows[index].failures += 1 }
        for shadow in shadows where called.contains(shadow.hash) && shadow.failures >= limits.trialFailures {
            outcomes += ban(shadow.patch, shadow.hash, Self.failedShadow, at: time)
        }
    }

    /// Makes a patch a suspect, or closes it if it is protective.
    private mutating func setAside(at index: Int, _ time: Timestamp?) -> Outcome {
        held[index].isUnproven = false
        held[index].failures = 0
        held[index].wasGood = false
        guard held[index].isProtective else {
            held[index].stage = .suspect
            return .suspect(held[index].patch)
        }
        held[index].stage = .closed
        held[index].closed = time
        held[index].closings = min(held[index].closings + 1, CrashLimits.mostTries)
        return .closed(held[index].patch)
    }

    /// Counts a launch that ended while scripts were loading. Nothing else is blamed.
    private mutating func judgeLoading(
        _ loading: [Held], _ limits: CrashLimits, _ time: Timestamp?, _ outcomes: inout [Outcome]
    ) {
        for patch in loading where patch.loadFailures + 1 >= limits.trialFailures {
            outcomes += ban(patch.patch, patch.hash, Self.failedLoad, at: time)
        }
        let hashes = loading.map(\.hash)
        for index in held.indices where hashes.contains(held[index].hash) { held[index].loadFailures += 1 }
        for index in shadows.indices where hashes.contains(shadows[index].hash) { shadows[index].loadFailures += 1 }
    }

    /// Counts a failed launch in which nothing but closed patches can be the cause, and no sync has reached the feed. The third in
    /// a row bans one of them.
    private mutating func judgeClosed(
        _ closed: [Int], _ limits: CrashLimits, _ time: Timestamp?, _ outcomes: inout [Outcome]
    ) {
        for index in closed { held[index].failures += 1 }
        guard let worst = closed.max(by: { held[$0].failures < held[$1].failures }),
            held[worst].failures >= max(1, limits.failures)
        else { return }
        outcomes += ban(held[worst].patch, held[worst].hash, Self.failedLaunches, at: time)
    }

    /// Counts a failed launch in which no patch was on trial.
    ///
    /// - Parameter ran: The indices in `held` of the patches that ran.
    private mutating func judgeGood(
        _ ran: [Int], wasSafe: Bool, _ limits: CrashLimits, _ time: Timestamp?, _ outcomes: inout [Outcome]
    ) {
        guard !ran.isEmpty else {
            guard wasSafe else { return }
            // It failed without patches too, so they were not the reason.
            for index in held.indices { held[index].isSuspended = false }
            failures = 0
            return
        }
        failures += 1
        guard failures >= max(1, limits.failures) else { return }
        if ran.contains(where: { !held[$0].isProtective }) { outcomes.append(.safeMode(failures: failures)) }
        for index in ran {
            if held[index].isProtective {
                outcomes.append(setAside(at: index, time))
            } else {
                held[index].isSuspended = true
            }
        }
        failures = 0
        mayRetry = false
    }

    /// Notes that a confirmed launch has lasted until the end of its watch, or ended in an orderly way.
    private mutating func prove(_ launch: Launch) -> [Outcome] {
        var outcomes: [Outcome] = []
        failures = 0
        let (ran, passed) = (Set(launch.patches), Set(launch.patches).subtracting(launch.broken))
        for index in held.indices where ran.contains(held[index].hash) {
            if launch.isRetry { held[index].isSuspended = false }
            guard passed.contains(held[index].hash), held[index].stage != .closed else { continue }
            held[index].isUnproven = false
            held[index].closings = 0
            // A suspect, and a patch that has failed before, become good only now.
            guard held[index].stage == .suspect && held[index].failures == 0 || held[index].stage == .trial else {
                continue
            }
            held[index].stage = .good
            held[index].wasGood = false
            outcomes.append(.good(held[index].patch))
        }
        forgive(passed)
        // A patch that is off could not run, or the set of good patches has changed.
        if launch.isRetry || !outcomes.isEmpty { mayRetry = isSafe }
        return outcomes
    }

    private mutating func forgive(_ hashes: Set<String>) {
        for index in held.indices where hashes.contains(held[index].hash) { held[index].failures = 0 }
        for index in shadows.indices where hashes.contains(shadows[index].hash) { shadows[index].failures = 0 }
    }

    /// Drops the versions that a launch has settled: versions below one that has proved itself, and all versions that are not
    /// good except the highest, which the feed offered last. The highest closed version stays too.
    private mutating func dropOldVersions() {
        var proven: Set<String> = []
        var tried: Set<String> = []
        var closed: Set<String> = []
        drop(
            held.filter { held in
                let id = held.patch.id
                if proven.contains(id) { return true }
                if !held.isOnTrial { proven.insert(id) }
                if held.isClosed { return !closed.insert(id).inserted }
                return held.stage != .good && !tried.insert(id).inserted
            })
    }

    private mutating func drop(_ old: [Held]) {
        let hashes = Set(old.map(\.hash))
        held.removeAll { hashes.contains($0.hash) }
        shadows.removeAll { hashes.contains($0.hash) }
        dropped = (dropped + old.compactMap(\.remains)).suffix(Self.banLimit)
    }

    private mutating func take(_ patch: PatchID, _ hash: String) -> Held {
        dropped.firstIndex { $0.hash == hash }.map { dropped.remove(at: $0) } ?? Held(patch, hash: hash)
    }

    /// The patches that may run: the highest version of each patch that is neither a suspect nor off.
    ///
    /// After a failed launch in which nothing was on trial, nothing new is tried until a launch works or the good patches are
    /// off. Otherwise, the new patch would be blamed. Nothing new is tried while a suspect is tried, either.
    package var runnable: [Held] {
        let isRetry = launch?.isRetry ?? false
        let takesNew = failures == 0 && !triesSuspect
        return runnable { held in
            let isNew = held.stage == .downloaded || held.isUnproven
            return ![.suspect, .closed].contains(held.stage) && (!held.isSuspended || isRetry) && (!isNew || takesNew)
        }
    }

    /// Whether a suspect runs whose watch is not over.
    private var triesSuspect: Bool {
        guard let launch else { return false }
        let watched = Set((launch.isPast ? [] : launch.patches) + launch.late)
        return held.contains { $0.stage == .suspect && watched.contains($0.hash) }
    }

    /// The closed patches whose `otherwise` answers: the highest closed version of each, unless a higher version runs.
    private func closed(beside chosen: [Held], _ isClosed: (Held) -> Bool) -> [Held] {
        runnable(isClosed).filter { closed in
            !chosen.contains { $0.patch.id == closed.patch.id && $0.patch.version > closed.patch.version }
        }
    }

    private func runnable(_ mayRun: (Held) -> Bool) -> [Held] {
        held.filter(mayRun).reduce(into: []) { chosen, patch in
            if chosen.last?.patch.id != patch.patch.id { chosen.append(patch) }
        }
    }

    /// Whether a patch may be tried alone: it is a suspect, or it is closed, and its pause is over.
    private func isDue(_ held: Held, _ limits: CrashLimits, _ now: Timestamp?) -> Bool {
        guard held.stage == .closed, let now, let closed = held.closed else {
            return [.suspect, .closed].contains(held.stage)
        }
        let passed = now.secondsSince1970 - closed.secondsSince1970
        // A clock that was set back does not make the pause longer.
        return passed < 0 || passed >= limits.pause(after: held.closings - 1).components.seconds
    }

    private mutating func choose(
        _ launch: inout Launch, _ limits: CrashLimits, onlyGood: Bool, wasHealthy: Bool, _ time: Timestamp?
    ) {
        // What the last launch could not write about its own end is no failure of a good patch.
        var chosen = onlyGood ? runnable { ($0.stage == .good || $0.wasGood) && !$0.isSuspended } : runnable
        // A patch that could not run before does not make suspects, or patches that are off, wait forever. They do not make it
        // wait, either.
        let isGood = chosen.allSatisfy { !$0.isOnTrial }
        let isSettled = !onlyGood && chosen.allSatisfy { !$0.isOnTrial || $0.couldNotRun }
        let suspects = held.filter { isDue($0, limits, time) }
        if isSettled, wasHealthy,
            let suspect = suspects.first(where: { !$0.couldNotRun }) ?? (isGood ? suspects.first : nil)
        {
            // A suspect is tried after a healthy launch, when nothing else is on trial.
            chosen = runnable { !$0.isOnTrial && !$0.isSuspended && $0.patch.id != suspect.patch.id } + [suspect]
            chosen.sort { $0.patch.id < $1.patch.id }
            for index in held.indices where held[index].hash == suspect.hash { held[index].stage = .suspect }
        } else if isSettled, mayRetry, isGood || held.contains(where: { $0.isSuspended && !$0.couldNotRun }), isSafe {
            chosen = runnable { !$0.isOnTrial }
            launch.isRetry = true
            mayRetry = false
        }
        launch.isSafe = isSafe && !launch.isRetry
        launch.patches = (closed(beside: chosen) { $0.stage == .closed } + chosen).map(\.hash)
    }

    /// The closed patches whose `otherwise` should answer in this launch.
    package var closedOnes: [Held] { isEnabled ? closed(beside: runnable) { $0.stage == .closed } : [] }

    /// The hashes of the good and the closed patches, for a process that may not write notes.
    ///
    /// - Parameter broken: The hashes of patches that have failed too often in this process.
    package func goodOnes(without broken: Set<String> = []) -> [String] {
        guard isEnabled else { return [] }
        let good = runnable { ($0.stage == .good || $0.wasGood) && !$0.isSuspended && !broken.contains($0.hash) }
        return (closed(beside: good, \.isClosed) + good).map(\.hash)
    }

    /// The versions of a patch that may take the place of others: the closed one, and then those that are good or, in the process
    /// that tries them, have run on trial, the highest first.
    ///
    /// - Parameters:
    ///   - others: The versions that no longer run.
    ///   - isFollower: Whether this process follows the one that tries suspects.
    package func successors(of id: String, without others: Set<PatchID>, isFollower: Bool) -> [Held] {
        let known = held.filter { isEnabled && $0.patch.id == id && !others.contains($0.patch) }
        let running = known.filter { held in
            (held.stage == .good || held.wasGood || held.stage == .trial && !isFollower)
                && (!held.isSuspended || launch?.isRetry == true)
        }
        let closed = known.first { isClosed($0.hash, isFollower: isFollower) }
        return (closed.map { [$0] } ?? []) + running.filter { $0.hash != closed?.hash }
    }

    /// Whether only the `otherwise` of a patch answers, and its functions do not run.
    ///
    /// - Parameter isFollower: Whether this process follows the one that tries suspects.
    package func isClosed(_ hash: String, isFollower: Bool) -> Bool {
        held.contains { $0.hash == hash && ($0.stage == .closed || isFollower && $0.isClosed) }
    }

    private mutating func startTrial(at index: Int) -> [Outcome] {
        guard held[index].stage == .downloaded else { return [] }
        held[index].stage = .trial
        return [.trial(held[index].patch)]
    }

    /// Notes that the app is healthy: the patches that the launch began with, and that still run, are good.
    ///
    /// If this was noted before, the patches that were activated later are good too. Patches have proved themselves once their
    /// watch is over.
    package mutating func confirm(limits: CrashLimits, at time: Timestamp?) -> [Outcome] {
        guard let launch else { return [] }
        guard !launch.isConfirmed else { return promote(Set(launch.late).subtracting(launch.broken)) }
        self.launch?.isConfirmed = true
        unconfirmed = 0
        var outcomes = promote(Set(launch.patches).subtracting(launch.broken))
        if !crashCounts {
            self.launch?.isWatched = false
            outcomes += prove(launch)
        }
        guard !hasConfirmed else { return outcomes }
        hasConfirmed = true
        for suspect in held + dropped
        where suspect.stage == .suspect && suspect.failures >= limits.trialFailures
            && !launch.patches.contains(suspect.hash)
        {
            outcomes += ban(suspect.patch, suspect.hash, Self.failedLaunches, at: time)
        }
        return outcomes
    }

    /// Makes patches good. A patch that failed in the previous launch must first run a whole watch without a failure.
    private mutating func promote(_ hashes: Set<String>, from stages: Set<Stage> = [.downloaded, .trial]) -> [Outcome] {
        var outcomes: [Outcome] = []
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
            outcomes.append(.good(patch))
        }
        guard !good.isEmpty else { return [] }
        // A version that is good, or closed, stays until this one has proved itself.
        drop(held.filter { $0.stage != .good && !$0.isClosed && $0.patch.version < good[$0.patch.id] ?? 0 })
        mayRetry = isSafe
        return outcomes
    }

    /// Notes that the watch of some patches is over, and that the app has not crashed. Patches that were activated in the middle
    /// of the launch are good now, if the app has confirmed.
    ///
    /// - Parameters:
    ///   - began: Whether the watch of the patches that the launch began with is over.
    ///   - ended: The hashes of patches that were activated later, and whose watch is over.
    package mutating func pass(began: Bool, late ended: Set<String>) -> [Outcome] {
        guard let launch else { return [] }
        let passed = ended.intersection(launch.late).subtracting(launch.broken)
        self.launch?.late.removeAll(where: ended.contains)
        self.launch?.isPast = began
        defer { closeNote() }
        guard launch.isConfirmed else { return [] }
        let outcomes = began ? prove(launch) : []
        forgive(passed)
        return outcomes + promote(passed, from: [.downloaded, .trial, .suspect])
    }

    /// The patch that may be tried alone in the middle of a launch, which is confirmed, and in which nothing is watched any more;
    /// nil if there is none.
    package func nextAlone(limits: CrashLimits, at time: Timestamp?) -> Held? {
        guard isEnabled, failures == 0, let launch, launch.isConfirmed, launch.isPast, !launch.isWatched else {
            return nil
        }
        return held.first { held in
            isDue(held, limits, time) && !held.couldNotRun && held.failures == 0 && !launch.broken.contains(held.hash)
        }
    }

    /// Notes that a patch is tried alone in the middle of a launch. It becomes good once its watch is over.
    package mutating func tryAlone(_ hash: String) -> [Outcome] {
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

    /// Notes that a patch of this launch could not run, so that it is neither blamed nor praised for the rest of the launch.
    package mutating func exclude(_ hash: String) {
        launch?.patches.removeAll { $0 == hash }
        launch?.late.removeAll { $0 == hash }
        for index in held.indices where held[index].hash == hash {
            if held[index].stage == .trial { held[index].stage = .downloaded }
            held[index].couldNotRun = true
        }
        closeNote()
    }

    /// Notes that a script is about to be loaded, so that a launch that ends meanwhile is blamed on it alone. This is done for
    /// protective patches that are not good, and for patches in shadow.
    package mutating func beginLoading(_ hash: String) {
        let isShadow = shadows.contains { $0.hash == hash }
        guard launch != nil, isShadow || held.contains(where: { $0.hash == hash && $0.notesLoading }) else { return }
        launch?.loading.append(hash)
        if isShadow { launch?.isWatched = true }
    }

    /// - Parameter isProtective: Whether one of its replacements has an `otherwise`; nil if it could not be loaded, or is in shadow.
    package mutating func endLoading(_ hash: String, isProtective: Bool?) {
        launch?.loading.removeAll { $0 == hash }
        for index in held.indices where held[index].hash == hash {
            held[index].loadFailures = 0
            if let isProtective { held[index].isProtective = isProtective }
        }
        guard let index = shadows.firstIndex(where: { $0.hash == hash }) else { return }
        shadows[index].loadFailures = 0
        closeNote()
    }

    /// Notes that a sync has reached the feed, so that a crash no longer counts against closed patches.
    package mutating func sync() {
        guard held.contains(where: { $0.stage == .closed }) else { return }
        launch?.hasSynced = true
        for index in held.indices where held[index].stage == .closed { held[index].failures = 0 }
        closeNote()
    }

    /// Notes that a patch in shadow is about to run for the first time in this launch, so that a crash counts against it.
    package mutating func call(_ hash: String) {
        guard launch?.late.contains(hash) == false, shadows.contains(where: { $0.hash == hash }) else { return }
        launch?.late.append(hash)
        launch?.isWatched = true
    }

    /// Notes that a patch is activated in the middle of a launch. It becomes good once its watch is over, by a second
    /// confirmation, or in a later launch that begins with it.
    ///
    /// A crash from now on counts, even if the launch was confirmed before.
    ///
    /// - Parameter isDue: Whether the launch would have begun with it if the app had registered its functions earlier. Then it
    ///   counts as a patch that the launch began with, if the launch is not confirmed yet or the patch has proved itself before.
    package mutating func activate(_ hash: String, isDue: Bool = false) -> [Outcome] {
        var outcomes: [Outcome] = []
        if let index = held.firstIndex(where: { $0.hash == hash }) {
            outcomes = startTrial(at: index)
            held[index].couldNotRun = false
            // Another version ends, so a later crash is not its fault.
            let id = held[index].patch.id
            let isClosed = held[index].stage == .closed
            let ended = held.filter { $0.patch.id == id && $0.hash != hash && $0.isOnTrial && !isClosed }.map(\.hash)
            launch?.patches.removeAll(where: ended.contains)
            launch?.late.removeAll(where: ended.contains)
        }
        guard let launch, launch.isPast || !launch.patches.contains(hash) else { return outcomes }
        let isProven = held.contains { $0.hash == hash && !$0.isOnTrial }
        if isDue, !launch.isConfirmed || isProven, !launch.isPast {
            self.launch?.patches.append(hash)
        } else {
            if !launch.late.contains(hash) { self.launch?.late.append(hash) }
            if crashCounts { self.launch?.isWatched = true }
        }
        return outcomes
    }

    /// Counts a failure of one patch: its breaker opened, or its script did not load.
    package mutating func fail(_ patch: PatchID, _ reason: String, limits: CrashLimits, at time: Timestamp?)
        -> [Outcome]
    {
        guard let index = held.firstIndex(where: { $0.patch == patch }) else { return [] }
        let hash = held[index].hash
        guard launch?.broken.contains(hash) == false else { return [] }
        launch?.broken.append(hash)
        held[index].failures += 1
        closeNote()
        return held[index].failures < limits.trialFailures ? [] : ban(patch, hash, reason, at: time)
    }

    // MARK: held patches

    /// The versions whose envelopes are in the folder.
    package var stored: [Held] { shadows.isEmpty ? held : held + shadows }

    /// The versions that run in shadow now. While a suspect is tried, it is alone.
    package var shadowing: [Held] {
        isEnabled && !isSafe && launch?.isSafe != true && !triesSuspect ? shadows : []
    }

    /// Puts patches that were downloaded and verified in shadow, one for each id. A version that has run is no longer held.
    package mutating func shadow(_ patches: [(patch: PatchID, hash: String)]) {
        for (patch, hash) in patches where !isBanned(hash) && !shadows.contains(where: { $0.hash == hash }) {
            for old in shadows where old.patch.id == patch.id { remove(old.hash) }
            remove(hash)
            shadows.append(take(patch, hash))
            shadows[shadows.count - 1].stage = .shadow
        }
        shadows.sort(by: Held.precedes)
    }

    /// Adds patches that were downloaded and verified, one for each id. Another version that is neither good nor running gives
    /// way to it, and so does the same or a lower version in shadow.
    ///
    /// - Parameter running: The hashes of the running patches, which stay until the launch has ended.
    package mutating func add(_ patches: [(patch: PatchID, hash: String)], running: Set<String> = []) {
        var known = Set(held.map(\.hash) + bans.map(\.hash))
        let newest = Dictionary(patches.filter { known.insert($0.hash).inserted }.map { ($0.patch.id, $0) }) { $1 }
        drop(
            held.filter { held in
                let isKept = held.stage == .good || held.isClosed || running.contains(held.hash)
                return newest[held.patch.id].map { !isKept || held.patch == $0.patch } ?? false
            })
        for old in shadows where old.patch.version <= newest[old.patch.id]?.patch.version ?? 0 { remove(old.hash) }
        held += newest.values.map { take($0.patch, $0.hash) }
        held.sort(by: Held.precedes)
    }

    /// Holds a patch that another version of the app holds. If it is good there, it is good here too. What failed there may work
    /// here.
    mutating func adopt(_ other: Held) {
        guard !isBanned(other.hash), !stored.contains(where: { $0.hash == other.hash || $0.patch == other.patch })
        else { return }
        var new = take(other.patch, other.hash)
        new.isProtective = other.isProtective
        if other.stage == .good, new.stage == .downloaded, new.failures == 0 {
            new.stage = .good
            new.isUnproven = other.isUnproven
        }
        held.append(new)
        held.sort(by: Held.precedes)
    }

    package mutating func remove(_ hash: String) {
        guard let patch = stored.first(where: { $0.hash == hash }) else { return }
        drop([patch])
        launch?.patches.removeAll { $0 == hash }
        launch?.late.removeAll { $0 == hash }
        closeNote()
        // It may have been the one that made launches fail.
        if patch.stage == .good { mayRetry = isSafe }
    }

    /// Never accepts a patch again, whether it is held, dropped or only running.
    package mutating func ban(_ patch: PatchID, _ hash: String, _ reason: String, at time: Timestamp?) -> [Outcome] {
        guard !isBanned(hash) else { return [] }
        remove(hash)
        let ban = Ban(patch: patch, hash: hash, reason: String(reason.prefix(500)), time: time)
        add(ban)
        return [.banned(ban)]
    }

    /// Forgets everything except the installation, and the keys that were revoked or removed.
    package mutating func clear() {
        var new = StoreState(app: app, appVersion: appVersion, installation: installation)
        new.givenName = givenName
        if launch != nil { new.launch = Launch(patches: []) }
        new.revoke(revoked)
        new.raiseTrust(to: trustNumber)
        self = new
    }

    package mutating func revoke(_ keys: Set<KeyID>) { revoked.formUnion(keys) }
    package mutating func raiseTrust(to number: Int) { trustNumber = max(trustNumber, number) }

    package mutating func add(_ ban: Ban) {
        guard !isBanned(ban.hash) else { return }
        bans.append(ban)
        drop(stored.filter { $0.hash == ban.hash })
        dropped.removeAll { $0.hash == ban.hash }
        // A device that has banned a thousand patches may forget the oldest.
        if bans.count > Self.banLimit { bans.removeFirst() }
    }

    package func isBanned(_ hash: String) -> Bool { bans.contains { $0.hash == hash } }

    private static let banLimit = 1_000
    /// The number of launches without a confirmation after which the app is notified that it never confirms.
    package static let patience = 3
    static let failedLaunches = "launches with it failed"
    static let failedShadow = "launches failed in which it was called in shadow"
    static let failedLoad = "launches ended while its script was loading"
}
