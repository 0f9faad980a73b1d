package import PatchCrypto
internal import PatchFeed

extension FeedRepository {
    /// Rebases this change, which waits for signatures, onto another change that edited only the list.
    package mutating func rebase(
        from base: FeedRepository, onto other: FeedRepository, in details: ChangeDetails
    ) throws(PatchError) {
        guard other.changed.isDisjoint(with: [.targets, .root]) else {
            throw PatchError(
                .config, "another change of the keys or the targets waits for signatures", remedy: .signStagedFirst)
        }
        // A change of the timestamp alone, as by a daily job, leaves the list and its signatures as they are.
        guard other.changed.contains(.rollout), changed.remove(.rollout) != nil else { return }
        list.json = list.json.merged(with: other.list.json, since: base.list.json)
        let lowest = other.list.minimumAppVersion
        if let lowest, base.list.minimumAppVersion.map({ $0 < lowest }) ?? true,
            list.minimumAppVersion.map({ $0 < lowest }) ?? true
        {
            list.minimumAppVersion = lowest
        }
        bodies.rollout = other.bodies.rollout
        bumpVersion(of: .rollout, in: details)
        list.published = details.now
    }
}

private typealias Key = PatchList.Key

extension JSONValue {
    /// The members that say whether patches are switched on, and why not.
    private static let stopMembers: Set<String> = [Key.enabled, Key.stop]
    /// The members that say whether a patch is offered, and since when, why and by whom.
    private static let stateMembers: Set<String> = [
        Key.state, Key.before, Key.reason, Key.since, Key.offered, Key.author,
    ]

    /// Merges the changes of another list of patches into this one.
    ///
    /// If both have changed a member, a switch, or a member of an entry, the value of this list stays. The exception is
    /// what stops patches: it wins, whichever list has it. The author and the reason of the list stay too.
    fileprivate func merged(with other: JSONValue, since base: JSONValue) -> JSONValue {
        var merged = mergedMembers(
            with: other, since: base,
            apart: Self.stopMembers.union([Key.patches, Key.switches, Key.author, Key.reason]))
        let isStopped = !PatchListDraft(self).isEnabled
        if other.differs(from: base, in: Self.stopMembers),
            !(isStopped && differs(from: base, in: Self.stopMembers) && PatchListDraft(other).isEnabled)
        {
            merged.set(Self.stopMembers, as: other)
        }
        if self[Key.switches] != nil || other[Key.switches] != nil {
            let none = JSONValue.object([])
            merged.set(
                Key.switches,
                (self[Key.switches] ?? none).mergedMembers(
                    with: other[Key.switches] ?? none, since: base[Key.switches] ?? none))
        }
        merged.set(Key.patches, .array(mergedPatches(with: other, since: base)))
        return merged
    }

    /// The entries of this list, with the changes, additions and removals of another one.
    private func mergedPatches(with other: JSONValue, since base: JSONValue) -> [JSONValue] {
        func name(_ entry: JSONValue) -> String { PatchEntryDraft(entry).name }
        func entries(_ list: JSONValue) -> [String: JSONValue] {
            Dictionary((list[Key.patches]?.elements ?? []).map { (name($0), $0) }) { $1 }
        }
        let (mine, theirs, old) = (entries(self), entries(other), entries(base))
        let kept = (self[Key.patches]?.elements ?? []).compactMap { entry -> JSONValue? in
            let (theirs, old) = (theirs[name(entry)], old[name(entry)])
            guard let theirs else { return old?.encoded() == entry.encoded() ? nil : entry }
            return entry.mergedEntry(with: theirs, since: old)
        }
        // A withdrawal is for the devices that have the patch, whether or not it is listed here.
        let added = (other[Key.patches]?.elements ?? []).filter {
            let old = old[name($0)]
            return mine[name($0)] == nil && (old == nil || $0.isWithdrawn && old?.isWithdrawn == false)
        }
        return kept + added
    }

    private var isWithdrawn: Bool { PatchEntryDraft(self).state == .withdrawn }

    /// This entry of a list, with the changes of another one of the same version.
    ///
    /// Whether it is offered comes from one of them, with all that belongs to it. If both have changed that, it comes
    /// from the one that reaches fewer devices, or from the other one if both reach as many.
    private func mergedEntry(with other: JSONValue, since old: JSONValue?) -> JSONValue {
        // A withdrawal may have nothing that the other one needs to be read.
        if isWithdrawn, !other.isWithdrawn, old?.isWithdrawn != true { return self }
        var merged = mergedMembers(with: other, since: old, apart: Self.stateMembers)
        let isStronger =
            differs(from: old, in: Self.stateMembers)
            && PatchEntryDraft(other).reachesMore(than: PatchEntryDraft(self))
        if other.differs(from: old, in: Self.stateMembers), !isStronger { merged.set(Self.stateMembers, as: other) }
        return merged
    }

    /// This object with the members that another one has changed. A member that both have changed stays as it is here.
    ///
    /// - Parameter apart: The members to leave unchanged.
    private func mergedMembers(
        with other: JSONValue, since base: JSONValue?, apart: Set<String> = []
    ) -> JSONValue {
        var merged = self
        for key in Set(other.members.map(\.key) + (base?.members.map(\.key) ?? [])).subtracting(apart) {
            if other.differs(from: base, in: [key]), !differs(from: base, in: [key]) { merged.set(key, other[key]) }
        }
        return merged
    }

    private mutating func set(_ keys: Set<String>, as other: JSONValue) {
        for key in keys.sorted() { set(key, other[key]) }
    }

    private func differs(from other: JSONValue?, in keys: Set<String>) -> Bool {
        keys.contains { self[$0]?.encoded() != other?[$0]?.encoded() }
    }
}
