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
        guard changed.remove(.rollout) != nil else { return }
        list.json = list.json.merged(with: other.list.json, since: base.list.json)
        bodies.rollout = other.bodies.rollout
        bumpVersion(of: .rollout, in: details)
        list.published = details.now
    }
}

private typealias Key = PatchList.Key

extension JSONValue {
    /// Merges the changes of another list of patches into this one.
    ///
    /// If both have changed a member, a switch, or a member of an entry, the value of this list stays. The exceptions
    /// are urgent: the state of a patch, its reason, and whether patches are switched on. The author and the reason of
    /// the list stay too.
    fileprivate func merged(with other: JSONValue, since base: JSONValue) -> JSONValue {
        // `stop` has the reason for `enabled`, so both must come from the same change.
        let isStopped = other.differs(from: base, in: Key.enabled)
        var merged = mergedMembers(
            with: other, since: base, urgent: isStopped ? [Key.enabled, Key.stop] : [],
            apart: [Key.patches, Key.switches, Key.author, Key.reason])
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
            return entry.mergedMembers(
                with: theirs, since: old, urgent: [Key.state, Key.reason, Key.since, Key.offered, Key.author])
        }
        func isWithdrawn(_ entry: JSONValue?) -> Bool {
            entry?[Key.state]?.text == PatchList.Entry.State.withdrawn.rawValue
        }
        // A withdrawal is for the devices that have the patch, whether or not it is listed here.
        let added = (other[Key.patches]?.elements ?? []).filter {
            let old = old[name($0)]
            return mine[name($0)] == nil && (old == nil || isWithdrawn($0) && !isWithdrawn(old))
        }
        return kept + added
    }

    /// This object with the members that another one has changed. A member that both have changed stays as it is here.
    ///
    /// - Parameters:
    ///   - urgent: The members whose value in the other object takes precedence.
    ///   - apart: The members to leave unchanged.
    private func mergedMembers(
        with other: JSONValue, since base: JSONValue?, urgent: Set<String> = [], apart: Set<String> = []
    ) -> JSONValue {
        var merged = self
        for key in Set(other.members.map(\.key) + (base?.members.map(\.key) ?? [])).subtracting(apart) {
            guard other.differs(from: base, in: key) else { continue }
            if urgent.contains(key) || !differs(from: base, in: key) { merged.set(key, other[key]) }
        }
        return merged
    }

    private func differs(from other: JSONValue?, in key: String) -> Bool {
        self[key]?.encoded() != other?[key]?.encoded()
    }
}
