package import PatchCrypto
internal import PatchFeed

extension FeedRepository {
    /// Makes this change, which waits for signatures, again on top of another one, which changed the list alone.
    ///
    /// - Parameters:
    ///   - base: The feed that both began with.
    ///   - other: The feed after the other change.
    package mutating func rebase(
        from base: FeedRepository, onto other: FeedRepository, in details: ChangeDetails
    ) throws(PatchError) {
        guard other.changed.isDisjoint(with: [.targets, .root]) else {
            throw PatchError(
                .config, "another change of the keys or the targets waits for signatures",
                remedy: PublishingRemedy.signStagedFirst)
        }
        guard changed.remove(.rollout) != nil else { return }
        list.json = list.json.merged(with: other.list.json, since: base.list.json)
        bodies.rollout = other.bodies.rollout
        touch(.rollout, in: details)
        list.published = details.now
    }
}

private typealias Key = PatchList.Key

extension JSONValue {
    /// This list of patches with what another one has changed. Where both have, the other one's state of a patch, its reason
    /// and whether patches are switched on win: those are the urgent ones.
    fileprivate func merged(with other: JSONValue, since base: JSONValue) -> JSONValue {
        func isChanged(_ key: String, _ value: JSONValue?, since old: JSONValue?) -> Bool {
            value?[key]?.encoded() != old?[key]?.encoded()
        }
        var merged = self
        for key in Set(other.members.map(\.key) + base.members.map(\.key)) where key != Key.patches {
            guard isChanged(key, other, since: base) else { continue }
            if key == Key.enabled || !isChanged(key, self, since: base) { merged.set(key, other[key]) }
        }
        func entries(_ list: JSONValue) -> [String: JSONValue] {
            Dictionary((list[Key.patches]?.elements ?? []).map { ($0[Key.path]?.text ?? "", $0) }) { $1 }
        }
        let (theirs, old) = (entries(other), entries(base))
        let patches = (self[Key.patches]?.elements ?? []).map { entry -> JSONValue in
            let path = entry[Key.path]?.text ?? ""
            guard let theirs = theirs[path] else { return entry }
            var entry = entry
            for key in Set(theirs.members.map(\.key) + (old[path]?.members.map(\.key) ?? [])) {
                guard isChanged(key, theirs, since: old[path]) else { continue }
                if [Key.state, Key.reason, Key.since, Key.offered, Key.author].contains(key)
                    || !isChanged(key, entry, since: old[path])
                {
                    entry.set(key, theirs[key])
                }
            }
            return entry
        }
        merged.set(Key.patches, .array(patches))
        return merged
    }
}
