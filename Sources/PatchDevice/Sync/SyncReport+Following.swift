internal import PatchCrypto

extension SyncReport {
    /// The report of a process that follows another one, with that one's results.
    init(following state: StoreState) {
        self.init()
        hasFollowed = true
        let held = state.stored.map { held in
            Result(
                patch: held.patch,
                outcome: !state.isEnabled ? .disabled : held.stage == .shadow ? .shadow : .kept, detail: nil)
        }
        let banned = state.bans.map { ban in
            Result(patch: ban.patch, outcome: .banned, detail: ban.reason)
        }
        let others = state.outcomes.compactMap { patch, outcome in
            Outcome(rawValue: outcome.code).map {
                Result(patch: patch, outcome: $0, detail: outcome.detail)
            }
        }
        results = (held + banned + others.filter { $0.outcome != .banned }).sorted {
            ($0.patch.id, $1.patch.version) < ($1.patch.id, $0.patch.version)
        }
    }
}
