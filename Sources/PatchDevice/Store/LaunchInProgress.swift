internal import PatchCrypto
internal import PatchRunner

/// The launch of this process: the patches that run in it, and why others do not.
struct LaunchInProgress {
    /// How far the patches that are held are activated.
    enum Activation {
        case notBegun
        /// The tasks wait for its end.
        case underway([CheckedContinuation<Void, Never>])
        case done
    }

    /// The version of a patch that was activated last.
    struct Activated {
        let patch: PatchID
        /// The SHA-256 of its envelope, in hex digits.
        let hash: String
    }

    /// How long the writer has not synced.
    struct Silence {
        /// The time of its last sync; nil if there was none.
        let last: Duration?
        /// How many syncs of this process have seen no newer one.
        let syncs: Int
    }

    /// A held patch that no longer waits.
    struct Ready {
        let held: StoreState.Held
        /// Whether the launch would have begun with it.
        let isDue: Bool
    }

    /// Whether this process has begun its launch, or is about to, so that no other thread does so too.
    var isBeginning = false
    /// Whether this process has begun its launch, so that the last one is judged and the state is about this one.
    var hasBegun = false
    /// Whether the app has confirmed that it works, whatever the role of this process.
    var hasConfirmed = false
    /// Whether the app has reported that the system may end it.
    var isInBackground = false
    var activation = Activation.notBegun
    weak var runner: PatchRunner?
    /// Returns the keys that envelopes are verified with; nil before the launch.
    var trust: (@Sendable () -> PatchTrust)?
    /// The keys that counted when the running patches were last verified.
    var trusted: Set<KeyID>?
    /// nil before a sync of this process has looked.
    var silence: Silence?
    /// The hashes of patches that the launch would have begun with if the app had registered their functions earlier.
    var due: Set<String> = []
    /// Why patches do not run in this launch, by the hashes of their envelopes.
    private(set) var blockReasons: [String: BlockReason] = [:]
    /// The version of each patch that was activated last, by id. It may have been deactivated since, and may no longer
    /// be held.
    var activated: [String: Activated] = [:]
    /// The hashes of the patches of which only the `otherwise` was activated last, by id.
    var closed: [String: String] = [:]
    /// The hashes of patches that have failed too often, and in whose place an older version runs.
    var broken: Set<String> = []
    /// Whether a patch that is gone runs on until the sync of the writer has ended, which may bring its older version.
    var awaitsWriter = false
    /// The hashes of patches that were tried alone, so that one that cannot run does not take the turns of the others.
    var triedAlone: Set<String> = []
    /// The hashes of patches in shadow that are about to start, or that failed to, so that they are not tried again.
    var triedShadows: Set<String> = []

    /// The hashes of the patches of which only the `otherwise` answers.
    var answering: Set<String> { Set((runner?.closedPatches ?? []).compactMap { closed[$0.id] }) }

    /// The hashes of the running patches.
    var running: Set<String> { Set((runner?.activePatches ?? []).compactMap { activated[$0.id] }.map(\.hash)) }

    /// Whether this process has banned a patch, and could not write that.
    func isBanned(_ hash: String) -> Bool {
        if case .banned = blockReasons[hash] { true } else { false }
    }

    /// Sets why a patch does not run, unless this process has banned it, which lasts as long as the process.
    ///
    /// - Parameter reason: nil if it runs, or may.
    mutating func setBlockReason(_ reason: BlockReason?, of hash: String) {
        if !isBanned(hash) { blockReasons[hash] = reason }
    }

    /// Replaces the block reasons of patches that the feed has taken away, if that could not be written.
    mutating func setBlockReasons(_ patches: [(hash: String, code: PatchStatus.Code, reason: String)]) {
        blockReasons = blockReasons.filter { _, blockReason in
            guard case .notApplicable(_, let code) = blockReason else { return true }
            return [.appVersion, .engine].contains(code)  // found by a verification
        }
        for patch in patches {
            setBlockReason(.notApplicable(PatchError(.policy, patch.reason), patch.code), of: patch.hash)
        }
    }

    /// Takes the patches that no longer wait, the highest version of each, so that no other thread runs them too.
    ///
    /// - Parameter failed: The hashes of patches that have failed in this launch.
    mutating func takeReady(of state: StoreState, without failed: Set<String>) -> [Ready] {
        guard state.isEnabled, let runner else { return [] }
        let running = Dictionary(runner.activePatches.map { ($0.id, $0.version) }) { first, _ in first }
        var ready: [Ready] = []
        var ids: Set<String> = []
        for held in state.held {
            guard case .waiting(let names) = blockReasons[held.hash], runner.registry.names.missing(names).isEmpty
            else { continue }
            blockReasons[held.hash] = nil
            let isDue = due.contains(held.hash)
            let mayRun = isDue || (held.stage != .suspect && !held.isSuspended)
            let isHigher = running[held.patch.id].map { $0 < held.patch.version } ?? true
            guard mayRun, isHigher, !failed.contains(held.hash), ids.insert(held.patch.id).inserted else { continue }
            ready.append(Ready(held: held, isDue: isDue))
        }
        return ready
    }
}

/// Why a held patch does not run in this launch.
enum BlockReason: Sendable {
    case refused(PatchError)
    /// The machine or the thread lacked something. It is tried again at the next launch, and at the next sync if it
    /// need not wait for a launch.
    case postponed(PatchError)
    case expired(PatchError)
    /// It is not for this version of the app, it needs a higher engine level, or the feed has taken it away and that
    /// could not be written. The code states which.
    case notApplicable(PatchError, PatchStatus.Code)
    /// The app has not registered these functions yet.
    case waiting([String])
    /// This process has banned it, for this reason, and that could not be written.
    case banned(String)

    /// What tells a new reason from one that was reported before.
    var name: String {
        switch self {
        case .refused(let error): "refused \(error.code)"
        case .postponed: "postponed"
        case .expired: "expired"
        case .notApplicable(_, let code): code.rawValue
        case .waiting: "waiting"
        case .banned: "banned"
        }
    }
}
