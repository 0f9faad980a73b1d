package import PatchCrypto
package import PatchRunner

/// What a store remembers: which patches it holds, which were tried, which proved good, and which are banned.
///
/// It is a value without files or clocks. docs/running-patches.md has its transitions as a table.
package struct StoreState: Sendable, Equatable {
    /// Where a patch is on its way from download to trust.
    package enum Stage: String, Sendable {
        /// It has not run yet.
        case downloaded
        /// It runs, but no whole launch with it was confirmed.
        case trial
        /// It was among several patches on trial when launches failed. It is tried again alone.
        case suspect
        /// A launch that began with it was confirmed.
        case good
    }

    /// A version of a patch that is held.
    package struct Held: Sendable, Equatable {
        package let patch: PatchID
        /// The SHA-256 of its envelope, in hex digits.
        package let hash: String
        package var stage = Stage.downloaded
        /// How many launches it has made fail, as far as is known.
        package var failures = 0

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
    package struct Ban: Sendable, Equatable {
        package let patch: PatchID
        /// The SHA-256 of its envelope, in hex digits.
        package let hash: String
        package let reason: String
        package let time: Timestamp?
    }

    /// What is also written to a file of its own, so that it outlives a state that was lost.
    struct Bans: Equatable {
        let bans: [Ban]
        let revoked: Set<KeyID>

        init(bans: [Ban], revoked: Set<KeyID>) { (self.bans, self.revoked) = (bans, revoked) }
        init(_ state: StoreState) { self.init(bans: state.bans, revoked: state.revoked) }
    }

    /// The note about a launch, which is written before any script runs.
    package struct Launch: Sendable, Equatable {
        package enum End: String, Sendable {
            /// The app did not say that it is healthy, nor that it ended. If the next launch finds this, the app crashed,
            /// hung or was killed.
            case unknown
            /// The app said that it is healthy.
            case confirmed
            /// The app ended in an orderly way before it was confirmed.
            case ended
        }

        /// The hashes of the patches that it began with.
        package var patches: [String]
        /// The hashes of patches that were activated later, but before the launch was confirmed.
        package var late: [String] = []
        /// The hashes of patches whose breakers opened.
        package var broken: [String] = []
        /// Whether it ran in safe mode.
        package var isSafe = false
        package var end = End.unknown
    }

    /// What the last sync said of a patch.
    package struct Verdict: Sendable, Equatable {
        package let version: Int
        package let code: String
        package let detail: String?

        package init(version: Int, code: String, detail: String? = nil) {
            self.version = version
            self.code = code
            self.detail = detail
        }
    }

    /// Something that a change has brought about, for the log.
    package enum Outcome: Sendable, Equatable {
        case trial(PatchID)
        case good(PatchID)
        case suspect(PatchID)
        case banned(Ban)
        case safeMode(failures: Int)
    }

    package let app: String
    package var appVersion: AppVersion
    /// A random name of this installation, which stays the same.
    package let installation: String
    /// Sorted by id, the highest version first.
    package private(set) var held: [Held] = []
    package private(set) var bans: [Ban] = []
    /// Whether patches run at all: the feed's kill switch.
    package var isEnabled = true
    package private(set) var launch: Launch?
    /// How many launches in a row failed although no patch was on trial.
    package private(set) var failures = 0
    /// Whether patches are left out because the app crashed with good ones.
    package private(set) var isSafe = false
    /// The keys that a delivered trust store has revoked. They stay revoked, whatever becomes of that file.
    package private(set) var revoked: Set<KeyID> = []
    /// The SHA-256 of the trust store that was delivered last; nil if none is.
    package var deliveredTrust: String?
    /// The newest time that signed data have shown.
    package var floor: Timestamp?
    package var switches: [String: String] = [:]
    /// The text that the app should show.
    package var notice: String?
    package var minimumAppVersion: AppVersion?
    /// What the last sync said, by patch id.
    package var verdicts: [String: Verdict] = [:]

    package init(
        app: String, appVersion: AppVersion, installation: String, held: [Held] = [], bans: [Ban] = [],
        launch: Launch? = nil, failures: Int = 0, isSafe: Bool = false
    ) {
        self.app = app
        self.appVersion = appVersion
        self.installation = installation
        // An envelope is of one patch. In a list that says otherwise, the first counts.
        for one in held where !self.held.contains(where: { $0.hash == one.hash }) { self.held.append(one) }
        self.held.sort(by: Held.precedes)
        self.bans = bans
        self.launch = launch
        self.failures = failures
        self.isSafe = isSafe
    }

    // MARK: a launch

    /// Begins a launch: judges the last one, and says which patches run.
    ///
    /// - Parameters:
    ///   - version: The app's version now.
    ///   - onlyGood: Whether patches on trial wait, because a launch that fails could not be noted.
    ///   - time: For bans.
    package mutating func begin(
        _ version: AppVersion, limits: StoreLimits, onlyGood: Bool = false, at time: Timestamp?
    ) -> [Outcome] {
        var outcomes: [Outcome] = []
        let wasHealthy = launch?.end == .confirmed
        if version != appVersion {
            // What failed with the old version may run well with the new one. Bans stay.
            appVersion = version
            for index in held.indices where held[index].stage != .good { held[index].stage = .downloaded }
            for index in held.indices { held[index].failures = 0 }
            (launch, failures, isSafe) = (nil, 0, false)
        }
        if let launch { judge(launch, limits, time, &outcomes) }
        var launch = Launch(patches: [], isSafe: isSafe)
        if isEnabled, !isSafe {
            for hash in choose(onlyGood: onlyGood, trySuspect: wasHealthy) {
                launch.patches.append(hash)
                if let patch = startTrial(of: hash) { outcomes.append(.trial(patch)) }
            }
        }
        self.launch = launch
        return outcomes
    }

    /// Counts what the last launch says about its patches.
    private mutating func judge(
        _ launch: Launch, _ limits: StoreLimits, _ time: Timestamp?, _ outcomes: inout [Outcome]
    ) {
        switch launch.end {
        case .confirmed:
            failures = 0
            for index in held.indices where launch.patches.contains(held[index].hash) {
                if !launch.broken.contains(held[index].hash) { held[index].failures = 0 }
            }
        case .ended: break
        case .unknown where launch.isSafe:
            // It failed without patches too, so they were not the reason.
            (isSafe, failures) = (false, 0)
        case .unknown:
            let ran = Set(launch.patches + launch.late).subtracting(launch.broken)
            let trials = held.filter { ran.contains($0.hash) && $0.stage != .good }
            guard !trials.isEmpty else {
                failures += launch.patches.isEmpty ? 0 : 1
                guard failures >= max(1, limits.failures) else { return }
                outcomes.append(.safeMode(failures: failures))
                (isSafe, failures) = (true, 0)
                return
            }
            for index in held.indices where trials.contains(where: { $0.hash == held[index].hash }) {
                held[index].failures += 1
                guard held[index].stage == .suspect || held[index].failures >= limits.trialFailures else { continue }
                // With several on trial it is not known which one it was. Each is tried again alone.
                if trials.count == 1 || held[index].stage == .suspect { continue }
                held[index].stage = .suspect
                held[index].failures = 0
                outcomes.append(.suspect(held[index].patch))
            }
            guard trials.count == 1, let trial = held.first(where: { $0.hash == trials[0].hash }),
                trial.stage == .suspect || trial.failures >= limits.trialFailures
            else { return }
            ban(trial.hash, "launches with it failed", at: time).map { outcomes.append(.banned($0)) }
        }
    }

    /// What may run: of each patch the highest version that is not a suspect.
    package var runnable: [Held] { runnable { $0 != .suspect } }

    private func runnable(_ mayRun: (Stage) -> Bool) -> [Held] {
        held.filter { mayRun($0.stage) }.reduce(into: []) { chosen, patch in
            if chosen.last?.patch.id != patch.patch.id { chosen.append(patch) }
        }
    }

    /// The hashes of the patches that a launch begins with.
    private func choose(onlyGood: Bool, trySuspect: Bool) -> [String] {
        var chosen = onlyGood ? runnable { $0 == .good } : runnable
        // A suspect is tried after a healthy launch, when nothing else is on trial.
        if trySuspect, !onlyGood, chosen.allSatisfy({ $0.stage == .good }),
            let suspect = held.first(where: { $0.stage == .suspect })
        {
            chosen.removeAll { $0.patch.id == suspect.patch.id }
            chosen.append(suspect)
            chosen.sort { $0.patch.id < $1.patch.id }
        }
        return chosen.map(\.hash)
    }

    /// The hashes of the good patches, for a process that may not write notes.
    package var goodOnes: [String] {
        isEnabled && !isSafe ? choose(onlyGood: true, trySuspect: false) : []
    }

    private mutating func startTrial(of hash: String) -> PatchID? {
        guard let index = held.firstIndex(where: { $0.hash == hash && $0.stage == .downloaded }) else { return nil }
        held[index].stage = .trial
        return held[index].patch
    }

    /// Notes that the app is healthy: the patches that the launch began with, and that still run, are good.
    package mutating func confirm() -> [Outcome] {
        guard let launch, launch.end != .confirmed else { return [] }
        self.launch?.end = .confirmed
        failures = 0
        var outcomes: [Outcome] = []
        for hash in launch.patches where !launch.broken.contains(hash) {
            // One that failed in the launch before must run a whole launch without a failure first.
            guard let index = held.firstIndex(where: { $0.hash == hash && $0.stage != .good && $0.failures == 0 })
            else {
                continue
            }
            held[index].stage = .good
            let patch = held[index].patch
            outcomes.append(.good(patch))
            held.removeAll { $0.patch.id == patch.id && $0.patch.version < patch.version }
        }
        return outcomes
    }

    /// Notes that the launch ended in an orderly way, so that it does not count as a failure.
    package mutating func end() {
        if launch?.end == .unknown { launch?.end = .ended }
    }

    /// Notes that the app goes on after all, so that a crash counts again.
    package mutating func resume() {
        if launch?.end == .ended { launch?.end = .unknown }
    }

    /// Notes that a patch of this launch could not run, so that it is neither blamed nor praised for what follows.
    package mutating func leaveOut(_ hash: String) {
        launch?.patches.removeAll { $0 == hash }
        launch?.late.removeAll { $0 == hash }
        for index in held.indices where held[index].hash == hash && held[index].stage == .trial {
            held[index].stage = .downloaded
        }
    }

    /// Notes that a good patch runs in the place of one that could not.
    package mutating func takePlace(_ hash: String) {
        if launch?.patches.contains(hash) == false { launch?.patches.append(hash) }
    }

    /// Notes that a patch is activated in the middle of a launch. It becomes good in a later one, which begins with it.
    package mutating func activate(_ hash: String) -> [Outcome] {
        let outcomes = startTrial(of: hash).map { [Outcome.trial($0)] } ?? []
        if launch?.end != .confirmed, launch?.late.contains(hash) == false { launch?.late.append(hash) }
        return outcomes
    }

    /// Counts a failure of one patch: its breaker opened, or its script did not load.
    package mutating func fail(_ patch: PatchID, _ reason: String, limits: StoreLimits, at time: Timestamp?)
        -> [Outcome]
    {
        guard let index = held.firstIndex(where: { $0.patch == patch }) else { return [] }
        let hash = held[index].hash
        guard launch?.broken.contains(hash) == false else { return [] }
        launch?.broken.append(hash)
        held[index].failures += 1
        guard held[index].failures >= limits.trialFailures else { return [] }
        return ban(hash, reason, at: time).map { [.banned($0)] } ?? []
    }

    // MARK: what is held

    /// Adds a patch that was downloaded and verified. Another version of it that is not good gives way.
    package mutating func add(_ patch: PatchID, hash: String) {
        guard !held.contains(where: { $0.hash == hash }), !isBanned(hash) else { return }
        held.removeAll { $0.patch.id == patch.id && ($0.stage != .good || $0.patch.version == patch.version) }
        held.append(Held(patch, hash: hash))
        held.sort(by: Held.precedes)
        isSafe = false  // with another set of patches the app may run again
    }

    /// Removes a patch, such as one that was withdrawn.
    package mutating func remove(_ hash: String) {
        let count = held.count
        held.removeAll { $0.hash == hash }
        if held.count != count { isSafe = false }
    }

    /// Removes a patch, and never takes it again.
    @discardableResult
    package mutating func ban(_ hash: String, _ reason: String, at time: Timestamp?) -> Ban? {
        guard let patch = held.first(where: { $0.hash == hash })?.patch else { return nil }
        remove(hash)
        let ban = Ban(patch: patch, hash: hash, reason: String(reason.prefix(500)), time: time)
        add(ban)
        return ban
    }

    /// Takes a ban that another file has.
    package mutating func revoke(_ keys: Set<KeyID>) { revoked.formUnion(keys) }

    package mutating func add(_ ban: Ban) {
        guard !isBanned(ban.hash) else { return }
        bans.append(ban)
        held.removeAll { $0.hash == ban.hash }
        // A device that has banned a thousand patches may forget the oldest.
        if bans.count > Self.banLimit { bans.removeFirst() }
    }

    package func isBanned(_ hash: String) -> Bool { bans.contains { $0.hash == hash } }

    private static let banLimit = 1_000
}

/// How often something may fail before a store reacts.
public struct StoreLimits: Sendable {
    /// After how many failed launches patches on trial are taken back.
    public var trialFailures = 2
    /// After how many failed launches in a row without a patch on trial the app runs without patches.
    public var failures = 3

    /// The defaults.
    public init() {}
}
