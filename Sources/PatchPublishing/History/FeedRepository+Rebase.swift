package import PatchCrypto
internal import PatchFeed

extension FeedRepository {
    /// Rebases this change, which waits for signatures, onto another change that edited only the list.
    ///
    /// - Parameters:
    ///   - base: The feed that both changes were made of.
    ///   - other: The feed with the other change.
    /// - Throws: `config` if the other change has edited more.
    package mutating func rebase(
        from base: FeedRepository, onto other: FeedRepository, in details: ChangeDetails
    ) throws(PatchError) {
        guard other.changed.isDisjoint(with: [.targets, .root]) else {
            throw PatchError(
                .config, "another change of the keys or the targets waits for signatures", remedy: .signStagedFirst)
        }
        // A change of the timestamp alone, as by a daily job, leaves the list and its signatures as they are.
        guard other.changed.contains(.rollout), changed.contains(.rollout) else { return }
        list = list.merged(with: other.list, since: base.list)
        bodies.rollout = other.bodies.rollout
        // It gets the version after the other change's.
        changed.remove(.rollout)
        bumpVersion(of: .rollout, in: details)
        list.published = details.now
    }
}

private typealias Key = PatchList.Key

extension PatchListDraft {
    /// The members that say whether patches are switched on, and why not.
    private static let stopMembers = [Key.enabled, Key.stop]

    /// Merges the changes of another list of patches into this one.
    ///
    /// If both have changed a member, a switch, or a member of an entry, the value of this list stays. The exception is
    /// what stops patches: it wins, whichever list has it. The author and the reason of the list stay too.
    fileprivate func merged(with other: PatchListDraft, since base: PatchListDraft) -> PatchListDraft {
        var merged = self
        merged.json = json.merged(
            with: other.json, since: base.json,
            apart: Self.stopMembers + [Key.patches, Key.switches, Key.author, Key.reason])
        let hasStopped = !isEnabled && json.differs(from: base.json, in: Self.stopMembers)
        let undoesStop = hasStopped && other.isEnabled
        if other.json.differs(from: base.json, in: Self.stopMembers), !undoesStop {
            merged.json.set(Self.stopMembers, as: other.json)
        }
        if let lowest = other.minimumAppVersion, base.reachesVersions(below: lowest),
            merged.reachesVersions(below: lowest)
        {
            merged.minimumAppVersion = lowest
        }
        if switches != nil || other.switches != nil {
            let none = JSONValue.object([])
            merged.switches = (switches ?? none).merged(with: other.switches ?? none, since: base.switches ?? none)
        }
        merged.entries = mergedEntries(with: other, since: base)
        return merged
    }

    /// The entries of this list, with the changes, additions and removals of another one.
    private func mergedEntries(with other: PatchListDraft, since base: PatchListDraft) -> [PatchEntryDraft] {
        let mine = entries(by: \.name)
        let theirs = other.entries(by: \.name)
        let before = base.entries(by: \.name)
        let kept = entries.compactMap { entry -> PatchEntryDraft? in
            let old = before[entry.name]
            if let their = theirs[entry.name] { return entry.merged(with: their, since: old) }
            // The other list does not have it: it is removed there, unless it is new or changed here.
            return old?.json.encoded() == entry.json.encoded() ? nil : entry
        }
        let added = other.entries.filter { entry in
            guard mine[entry.name] == nil else { return false }
            guard let old = before[entry.name] else { return true }
            // It is removed here. A withdrawal is for the devices that have the patch, whether or not it is listed.
            return entry.state == .withdrawn && old.state != .withdrawn
        }
        return kept + added
    }
}

extension PatchEntryDraft {
    /// The members that say whether a patch is offered, and since when, why and by whom.
    private static let stateMembers = [Key.state, Key.before, Key.reason, Key.since, Key.offered, Key.author]
    /// The members that say to which devices it is offered.
    private static let reachMembers = [Key.rollout, Key.groups, Key.users]

    /// This entry of a list, with the changes of another one of the same version.
    ///
    /// Whether it is offered comes from one of them, with all that belongs to it. If both have changed that, it comes
    /// from the one that reaches fewer devices, or from the other one if both reach as many. So does whom it is offered
    /// to, if both offer it and have changed that. If each reaches devices that the other one does not, the other one
    /// has stopped something.
    fileprivate func merged(with other: PatchEntryDraft, since old: PatchEntryDraft?) -> PatchEntryDraft {
        // A withdrawal may have nothing that the other one needs to be read.
        if state == .withdrawn, other.state != .withdrawn, old?.state != .withdrawn { return self }
        var merged = self
        let bothMove =
            isOffered && other.isOffered && json.differs(from: old?.json, in: Self.reachMembers)
            && other.json.differs(from: old?.json, in: Self.reachMembers)
        let ofState = Self.stateMembers + (bothMove ? Self.reachMembers : [])
        merged.json = json.merged(with: other.json, since: old?.json, apart: ofState)
        let isStronger =
            json.differs(from: old?.json, in: ofState) && other.reachesMore(than: self)
            && !(bothMove && reachesMore(than: other))
        if other.json.differs(from: old?.json, in: ofState), !isStronger { merged.json.set(ofState, as: other.json) }
        return merged
    }
}

extension JSONValue {
    /// This object with the members that another one has changed. A member that both have changed stays as it is here.
    ///
    /// - Parameter apart: The members to leave unchanged.
    fileprivate func merged(with other: JSONValue, since base: JSONValue?, apart: [String] = []) -> JSONValue {
        var merged = self
        // In the order of the lists, because the result is signed: it must not differ from one run to the next.
        var seen = Set(apart.map { ExactString($0) })
        for (key, _) in other.members + (base?.members ?? []) where seen.insert(ExactString(key)).inserted {
            if other.differs(from: base, in: [key]), !differs(from: base, in: [key]) { merged.set(key, other[key]) }
        }
        return merged
    }

    fileprivate mutating func set(_ keys: [String], as other: JSONValue) {
        for key in keys { set(key, other[key]) }
    }

    fileprivate func differs(from other: JSONValue?, in keys: [String]) -> Bool {
        keys.contains { self[$0]?.encoded() != other?[$0]?.encoded() }
    }
}
