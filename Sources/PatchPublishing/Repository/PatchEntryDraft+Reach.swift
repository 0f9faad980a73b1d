internal import PatchCrypto
internal import PatchFeed

private typealias Key = PatchList.Key

// Which devices an entry reaches, and what the others have.
extension PatchEntryDraft {
    /// Whether it reaches devices to which another entry does not offer it. In shadow it reaches fewer than any that is
    /// active.
    func reachesMore(than other: PatchEntryDraft) -> Bool {
        func reach(_ entry: PatchEntryDraft) -> Int {
            switch entry.state {
            case .withdrawn?: 0
            case .paused?, nil: 1
            case .shadow?: 2
            case .active?: 3
            }
        }
        guard isOffered, state == other.state else { return reach(self) > reach(other) }
        guard !other.isForEachDevice else { return false }
        if other.basisPoints == 10_000 {
            // It is for all users. Only devices without a user are left.
            return basisPoints > 0 && rollout?.unit != .user || !Set(groups).isSubset(of: other.groups)
        }
        let isElsewhere = rollout?.unit != other.rollout?.unit || rollout?.seed != other.rollout?.seed
        return basisPoints > other.basisPoints || basisPoints > 0 && isElsewhere
            || !(Set(groups).isSubset(of: other.groups) && Set(users).isSubset(of: other.users))
    }

    /// The version that devices have instead of this one if it is not offered; nil if there is none.
    ///
    /// - Parameter versions: All listed versions of the same patch.
    package func fallback(among versions: [PatchEntryDraft]) -> PatchEntryDraft? {
        guard state != .active else { return nil }
        return versions.filter { $0.version != version && $0.state == .active }.max { $0.version < $1.version }
    }

    /// Whether each device that another version is offered to is offered this one too. In shadow it reaches none that
    /// the other one is live on.
    func reachesAll(of other: PatchEntryDraft) -> Bool {
        func range(_ entry: PatchEntryDraft) -> VersionRange? {
            entry.json[Key.appVersions]?.text.flatMap(VersionRange.init)
        }
        guard let own = range(self), let others = range(other), own.covers(others) else { return false }
        guard json[Key.engine]?.number ?? 1 <= other.json[Key.engine]?.number ?? 1 else { return false }
        var other = other
        if state == .active, other.state == .shadow { other.state = .active }
        return !other.reachesMore(than: self)
    }
}
