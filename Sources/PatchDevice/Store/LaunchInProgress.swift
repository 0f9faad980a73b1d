internal import PatchCrypto
internal import PatchRunner

/// The launch of this process: what runs in it, what does not, and why.
struct LaunchInProgress {
    /// Whether the patches that are held were activated, and who waits for that.
    enum Activation {
        case underway([CheckedContinuation<Void, Never>]), done
    }

    /// Whether this process has begun its launch.
    var hasBegun = false
    /// Whether the app has said that it works, in whatever role.
    var hasConfirmed = false
    /// Whether the app has said that the system may end it.
    var isInBackground = false
    /// nil until the patches that are held are activated.
    var activation: Activation?
    weak var runner: PatchRunner?
    /// What envelopes are verified with; nil until the patches that are held are activated.
    var trust: (@Sendable () -> PatchTrust)?
    /// The keys that counted when what runs was last verified.
    var trusted: Set<KeyID>?
    /// The hashes of patches that the launch would have begun with, had the app registered their functions before.
    var due: Set<String> = []
    /// Why patches do not run in this launch, by the hashes of their envelopes.
    var blockReasons: [String: BlockReason] = [:]
    /// What was activated last of each patch, by id. It may have ended since, and may be held no more.
    var activated: [String: (patch: PatchID, hash: String)] = [:]

    /// The hashes of what runs.
    var running: Set<String> {
        Set((runner?.active ?? []).compactMap { activated[$0.id] }.map(\.hash))
    }

    /// Replaces why patches do not run that the feed has taken away, which could not be written.
    mutating func hinder(_ patches: [(hash: String, code: PatchStatus.Code, reason: String)]) {
        blockReasons = blockReasons.filter { _, blockReason in
            guard case .notApplicable(_, let code) = blockReason else { return true }
            return [.appVersion, .engine].contains(code)  // what a verification has found
        }
        for patch in patches {
            blockReasons[patch.hash] = .notApplicable(PatchError(.policy, patch.reason), patch.code)
        }
    }

    /// Takes out what waits for nothing any more, so that no other thread runs it too: of each patch the highest version.
    mutating func takeReady(of state: StoreState) -> [(hash: String, isDue: Bool)] {
        guard state.isEnabled, let runner else { return [] }
        let running = Dictionary(runner.active.map { ($0.id, $0.version) }) { first, _ in first }
        var ready: [(hash: String, isDue: Bool)] = []
        var ids: Set<String> = []
        for held in state.held {
            guard case .waiting(let names) = blockReasons[held.hash], runner.registry.names.missing(names).isEmpty
            else { continue }
            blockReasons[held.hash] = nil
            let isDue = due.contains(held.hash)
            guard isDue || held.stage != .suspect && !held.isSuspended,
                state.launch?.broken.contains(held.hash) != true,
                running[held.patch.id] ?? 0 < held.patch.version, ids.insert(held.patch.id).inserted
            else { continue }
            ready.append((held.hash, isDue))
        }
        return ready
    }
}

/// Why a patch that is held does not run in this launch.
enum BlockReason: Sendable {
    case refused(PatchError)
    case expired(PatchError)
    /// It is not for this version of the app, or needs a higher engine level, or the feed has taken it away and that could not be
    /// written, which the code says.
    case notApplicable(PatchError, PatchStatus.Code)
    /// The app has not registered these functions yet.
    case waiting([String])

    /// Which of them it is.
    var name: String {
        switch self {
        case .refused(let error): "refused \(error.code)"
        case .expired: "expired"
        case .notApplicable(_, let code): code.rawValue
        case .waiting: "waiting"
        }
    }
}
