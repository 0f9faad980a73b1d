internal import PatchCrypto

extension SyncReport {
    /// The report of a process that follows another one, with that one's results.
    init(following state: StoreState) {
        self.init()
        hasFollowed = true
        func noted(_ patch: PatchID) -> Result? {
            guard let outcome = state.outcomes[patch], let known = Outcome(rawValue: outcome.code) else { return nil }
            return Result(patch: patch, outcome: known, detail: outcome.reason)
        }
        let storedResults = state.stored.map { held in
            guard state.isEnabled else { return Result(patch: held.patch, outcome: .disabled, detail: nil) }
            return noted(held.patch)
                ?? Result(patch: held.patch, outcome: held.stage == .shadow ? .shadow : .kept, detail: nil)
        }
        let stored = Set(storedResults.map(\.patch))
        // A ban's own reason says more than the result of the sync that met it.
        let otherResults = state.outcomes.keys.filter { !stored.contains($0) }.compactMap(noted)
            .filter { $0.outcome != .banned }
        // Each version has one result: what the feed says of it last, or else the last ban.
        let told = stored.union(otherResults.map(\.patch))
        let bans = Dictionary(state.bans.map { ($0.patch, $0.reason) }) { $1 }
        let bannedResults = bans.filter { !told.contains($0.key) }.map { patch, reason in
            Result(patch: patch, outcome: .banned, detail: reason)
        }
        results = (storedResults + bannedResults + otherResults).sorted { PatchID.precedes($0.patch, $1.patch) }
    }
}
