package import PatchCrypto
internal import PatchFeed
internal import PatchText

/// The state of a store: which patches it holds, which were tried, which proved good, and which are banned.
///
/// It is a value without files or clocks. Tests/README.md has a table of its transitions. The words of this folder:
///
/// - A version is *held* if its envelope is in the folder and it may run. One in shadow is *stored*, but not held.
/// - The *note* is `launch`: it is written before any script runs, and says which patches run. A launch has *failed* if
///   the next one finds its note open (`isWatched`).
/// - A patch is *watched* for some time after its activation. A crash meanwhile is blamed on it.
/// - A patch is *active* or *running* if its functions are called. Only the `otherwise` of a *closed* one *answers*.
/// - An `Event` is what a change has done. A `SyncOutcome` is what the last sync did with a version that is not held.
package struct StoreState: Sendable, Hashable {
    /// A version of a patch that must not run on this device again.
    package struct Ban: Sendable, Hashable {
        package let patch: PatchID
        /// The SHA-256 of its envelope, in hex digits.
        package let hash: String
        package let reason: String
        /// When it was banned; nil if the clock returned no time.
        package let time: Timestamp?
    }

    /// What this installation never accepts again: the part of the state that is also written to a file of its own,
    /// so that it survives if the state is lost, and that counts for the other versions of the app too.
    struct Exclusions: Equatable {
        var bans: [Ban] = []
        /// The keys that a delivered trust store has revoked.
        var revoked: Set<KeyID> = []
        /// The highest number of a trust store. An older one adds no keys.
        var trustNumber = 0
    }

    /// The note about a launch, which is written before any script runs.
    package struct Launch: Sendable, Hashable {
        /// The hashes of the patches that it began with.
        package var patches: [String]
        /// The hashes of patches that were activated later, or were called in shadow, and whose watch is not over.
        package var late: [String] = []
        /// The hashes of patches that have failed: their breakers opened, or their scripts did not load.
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
        /// Whether the watch of the patches that it began with is over. A crash may still count against later ones.
        package var isFirstWatchOver = false

        /// How it has gone so far, in a word.
        package var standing: String {
            if isConfirmed { return "confirmed" }
            return isWatched ? "unknown" : "ended"
        }
    }

    /// The result of the last sync for a version of a patch.
    package struct SyncOutcome: Sendable, Hashable {
        /// The word for the outcome, which a newer patchpack may have written.
        package let code: String
        /// The reason, if the outcome alone does not state it.
        package let reason: String?

        init(_ outcome: SyncReport.Outcome, reason: String?) {
            self.init(code: outcome.rawValue, reason: reason?.shortened(to: StoreState.textLimit))
        }

        init(code: String, reason: String?) {
            self.code = code
            self.reason = reason
        }
    }

    /// What a change of the state has done, for the app and its log.
    package enum Event: Sendable, Equatable {
        case trial(PatchID)
        case good(PatchID)
        case suspect(Held)
        case closed(Held)
        case banned(Ban)
        case safeMode(failures: Int)
        case neverConfirmed(launches: Int)
    }

    package let app: String
    package let appVersion: AppVersion
    /// A random name of this installation, which stays the same.
    package internal(set) var installation: String
    /// Sorted by id, the highest version first.
    package internal(set) var held: [Held] = []
    /// The versions in shadow, one of each patch, by id. None of them is in `held`.
    package internal(set) var shadows: [Held] = []
    package internal(set) var bans: [Ban] = []
    /// What remains of the versions that had failed when they were dropped.
    package internal(set) var dropped: [Held] = []
    /// Whether patches run at all: the feed's kill switch. What has run is no longer part of the launch once it is off:
    /// how the launch goes on says nothing about it.
    package var isEnabled = true {
        didSet {
            guard !isEnabled else { return }
            launch?.patches = []
            launch?.late = []
            closeNote()
        }
    }
    package internal(set) var launch: Launch?
    /// How many launches in a row failed although no patch was on trial.
    package internal(set) var failures = 0
    /// Whether the patches that are off may be tried again, because the set of good ones has changed.
    package internal(set) var mayRetry = false
    /// Whether a launch of this version of the app was ever confirmed.
    package internal(set) var hasConfirmed = false
    /// The number of launches of this version of the app, while patches were held, before the first confirmed one.
    /// Counting ends at ``patience``.
    package internal(set) var unconfirmed = 0
    /// Whether good patches are left out because launches failed with them.
    package var isSafe: Bool { held.contains(where: \.isSuspended) }
    /// Counts the writes of the state, so that a mark can be matched to its state.
    package var revision = 0
    /// The name that the app gave the installation at the last sync; nil if it gave none.
    package var givenName: String?
    /// The keys that a delivered trust store has revoked. They stay revoked even if that file is lost.
    package internal(set) var revoked: Set<KeyID> = []
    /// The SHA-256 of the trust store that was delivered last; nil if there is none.
    package var deliveredTrust: String?
    /// The highest number of a trust store that the app's own keys have signed. An older trust store cannot bring back
    /// keys that this one has removed.
    package internal(set) var trustNumber = 0
    /// The newest time that signed data have shown.
    package var floor: Timestamp?
    package var switches: [String: String] = [:]
    /// The message that the app should show.
    package var notice: String?
    package var minimumAppVersion: AppVersion?
    /// The results of the last sync for versions that are not held, and for held ones that were refused or have
    /// expired.
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

    // MARK: held patches

    /// The versions whose envelopes are in the folder.
    package var stored: [Held] { shadows.isEmpty ? held : held + shadows }

    /// The versions that run in shadow now. While a suspect is tried, it is alone.
    package var shadowing: [Held] {
        isEnabled && !isSafe && launch?.isSafe != true && !triesSuspect ? shadows : []
    }

    /// Puts patches that were downloaded and verified in shadow, one for each id. A version that has run is no longer
    /// held.
    package mutating func shadow(_ patches: [(patch: PatchID, hash: String)]) {
        for (patch, hash) in patches where !isBanned(hash) && !shadows.contains(where: { $0.hash == hash }) {
            for old in shadows where old.patch.id == patch.id { remove(old.hash) }
            remove(hash)
            var new = recall(patch, hash)
            new.stage = .shadow
            shadows.append(new)
        }
        shadows.sort(by: Held.precedes)
    }

    /// Adds patches that were downloaded and verified, one for each id. Of the other envelopes of a patch, these give
    /// way: one of the same version, one that is neither good, closed nor running, and one in shadow of the same or a
    /// lower version.
    ///
    /// - Parameter running: The hashes of the running patches, which stay until the launch has ended.
    package mutating func add(_ patches: [(patch: PatchID, hash: String)], running: Set<String> = []) {
        var known = Set(held.map(\.hash) + bans.map(\.hash))
        let new = Dictionary(patches.filter { known.insert($0.hash).inserted }.map { ($0.patch.id, $0) }) { $1 }
        drop(
            held.filter { held in
                guard let other = new[held.patch.id] else { return false }
                let isKept = held.stage == .good || held.isClosed || running.contains(held.hash)
                return !isKept || held.patch == other.patch
            })
        for old in shadows {
            if let other = new[old.patch.id], old.patch.version <= other.patch.version { remove(old.hash) }
        }
        held += new.values.map { recall($0.patch, $0.hash) }
        held.sort(by: Held.precedes)
    }

    /// Holds a patch that another version of the app holds. If it is good there, it is good here too. What failed there
    /// may work here.
    mutating func adopt(_ other: Held) {
        guard !isBanned(other.hash), !stored.contains(where: { $0.hash == other.hash || $0.patch == other.patch })
        else { return }
        var new = recall(other.patch, other.hash)
        new.isProtective = other.isProtective
        if other.stage == .good, new.stage == .downloaded, new.failures == 0 {
            new.stage = .good
            new.isUnproven = other.isUnproven
        }
        held.append(new)
        held.sort(by: Held.precedes)
    }

    /// Removes a version that is held or in shadow. What remains of it counts if it is offered again.
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
    package mutating func ban(_ patch: PatchID, _ hash: String, _ reason: String, at time: Timestamp?) -> [Event] {
        guard !isBanned(hash) else { return [] }
        remove(hash)
        let ban = Ban(patch: patch, hash: hash, reason: reason.shortened(to: Self.textLimit), time: time)
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

    /// Adds a ban, unless its envelope is banned already, and drops that envelope. Above the limit, the oldest ban is
    /// forgotten.
    package mutating func add(_ ban: Ban) {
        guard !isBanned(ban.hash) else { return }
        bans.append(ban)
        drop(stored.filter { $0.hash == ban.hash })
        dropped.removeAll { $0.hash == ban.hash }
        if bans.count > Self.banLimit { bans.removeFirst() }
    }

    package func isBanned(_ hash: String) -> Bool { bans.contains { $0.hash == hash } }

    /// Drops the versions that a launch has settled: versions below one that has proved itself, and all versions that
    /// are not good except the highest, which the feed offered last. The highest closed version stays too.
    mutating func dropOldVersions() {
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

    mutating func drop(_ old: [Held]) {
        let hashes = Set(old.map(\.hash))
        held.removeAll { hashes.contains($0.hash) }
        shadows.removeAll { hashes.contains($0.hash) }
        dropped = (dropped + old.compactMap(\.remains)).suffix(Self.banLimit)
    }

    /// A version that is held from now on, with what remains of it if it was dropped before.
    private mutating func recall(_ patch: PatchID, _ hash: String) -> Held {
        dropped.firstIndex { $0.hash == hash }.map { dropped.remove(at: $0) } ?? Held(patch, hash: hash)
    }

    /// The most bans, and the most dropped versions. A device that has more may forget the oldest.
    static let banLimit = 1_000
    /// The most outcomes that are kept.
    static let outcomeLimit = 1_000
    /// The most bytes of a reason and of an outcome's reason. A list, or an envelope, could make a longer one, and
    /// thousands of them must fit into the file of the state, which has a limit, too.
    private static let textLimit = 500
    /// The number of launches without a confirmation after which the app is notified that it never confirms.
    package static let patience = 3
    static let failedLaunches = "launches with it failed"
    static let failedShadow = "launches failed in which it was called in shadow"
    static let failedLoad = "launches ended while its script was loading"
}
