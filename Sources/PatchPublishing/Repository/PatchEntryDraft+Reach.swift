internal import PatchCrypto
internal import PatchFeed

private typealias Key = PatchList.Key

// Which devices an entry reaches, and what the others have.
extension PatchEntryDraft {
    /// Whether it reaches devices that another entry does not reach. In shadow it reaches fewer than any that is
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
        guard hasKnownAudience, other.hasKnownAudience else {
            // What cannot be read may be any devices. Only all devices are surely as many.
            if other.hasKnownAudience, other.isForEachDevice { return false }
            return [Key.rollout, Key.groups, Key.users, Key.when].contains { key in
                json[key]?.encoded() != other.json[key]?.encoded()
            }
        }
        guard !other.isForEachDevice else { return false }
        guard groups.exact.isSubset(of: other.groups.exact) else { return true }
        if other.basisPoints == 10_000 {
            // It is for all users. Only devices without a user are left.
            return basisPoints > 0 && rollout?.unit != .user
        }
        guard users.exact.isSubset(of: other.users.exact) else { return true }
        let isOfOtherBuckets = basisPoints > 0 && !hasBuckets(of: other)
        return isOfOtherBuckets || basisPoints > other.basisPoints
    }

    /// Whether the devices or users are in the same buckets as those of another entry. Devices compare bytes, and take
    /// the id if there is no seed.
    func hasBuckets(of other: PatchEntryDraft) -> Bool {
        rollout?.unit == other.rollout?.unit
            && (rollout?.seed ?? id).isByteEqual(to: other.rollout?.seed ?? other.id)
    }

    /// The highest active version beside this one, which answers where this one does not; nil if there is none, or if
    /// this one is active.
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
        func engine(_ entry: PatchEntryDraft) -> Int { entry.json[Key.engine]?.number ?? 1 }
        guard engine(self) <= engine(other) else { return false }
        // A device that has it live needs no shadow of it, so only the audiences are compared.
        var other = other
        if state == .active, other.state == .shadow { other.state = .active }
        return !other.reachesMore(than: self)
    }
}

extension [String] {
    /// The names as devices compare them: by bytes.
    var exact: Set<ExactString> { Set(map { ExactString($0) }) }
}
