package import PatchCrypto
internal import PatchFeed

// A change as it is drafted: roles get their next versions, and the list is edited.
extension FeedRepository {
    /// A version that no honest feed reaches. A thief of the online key may exceed it, to leave no versions to the
    /// owner.
    private static let mostHonest = 1 << 32

    /// Marks the roles as changed that an interrupted change of keys has left stale, so that they are signed again.
    package mutating func resignStaleRoles(in details: ChangeDetails) {
        for role in stale { bumpVersion(of: role, in: details) }
    }

    /// Marks a role's metadata as changed: they get the next version, and a new expiry.
    mutating func bumpVersion(of role: FeedRole, in details: ChangeDetails) {
        guard changed.insert(role).inserted else { return }
        var last = max(bodies[role].version, orphanedVersions[role] ?? 0)
        if clientsForgetVersions, role != .root, last > Self.mostHonest {
            // The timestamp is replaced, so each of its versions has no file.
            if role == .timestamp { last = 0 }
            if let unused = details.unusedVersions[role] { last = min(last, unused - 1) }
        }
        // Devices read each root, one after the other, so no version of it is passed by.
        if role != .root { last = max(last, details.versionFloor) }
        let start = start(at: details.now)
        bodies.renew(role, version: last + 1, expires: start.adding(days: role.days))
        signatures[role] = []
    }

    /// The time from which new metadata count. A device may use the time of the last list as the lower bound of its
    /// clock, so it is that time if the list's signer was a little ahead.
    private func start(at now: Timestamp) -> Timestamp {
        guard let published, published > now,
            published.secondsSince1970 - now.secondsSince1970 <= Timestamp.signerTolerance
        else { return now }
        return published
    }

    /// Changes the list, and records in each changed entry the time, the author and the reason.
    package mutating func edit(in details: ChangeDetails, _ body: (inout PatchListDraft) -> Void) {
        edit(in: details, restoring: nil, body)
    }

    /// Changes the list as `edit(in:_:)` does.
    ///
    /// - Parameter older: The list that is restored, if one is. What it had stopped keeps its reason, so that a stop by
    ///   a gate remains one.
    mutating func edit(
        in details: ChangeDetails, restoring older: PatchListDraft?, _ body: (inout PatchListDraft) -> Void
    ) {
        bumpVersion(of: .rollout, in: details)
        let old = list.entries(by: \.name)
        let stopped = older?.entries(by: \.name).filter { !$0.value.isOffered } ?? [:]
        let (wasEnabled, stop) = (list.isEnabled, list.stop)
        body(&list)
        if list.isEnabled != wasEnabled || list.stop != stop {
            list.stop = list.isEnabled ? nil : details.restoring(older?.stop?.reason).stamp
        }
        list.entries = list.entries.map { entry in
            entry.stamped(since: old[entry.name], in: details.restoring(stopped[entry.name]?.reason))
        }
        list.change = details.stamp
        hasNewList = true
    }

    /// Changes the list, unless the result is the same.
    ///
    /// - Returns: Whether it was changed.
    package mutating func edit(
        in details: ChangeDetails, unlessSame body: (inout PatchListDraft) throws(PatchError) -> Void
    ) throws(PatchError) -> Bool {
        var list = list
        try body(&list)
        guard list.json.encoded() != self.list.json.encoded() else { return false }
        edit(in: details) { $0 = list }
        return true
    }

    /// Changes and adds entries, in one step, because there may be thousands.
    package mutating func replace(
        _ changed: [String: PatchEntryDraft], adding added: [PatchEntryDraft], in details: ChangeDetails
    ) {
        guard !changed.isEmpty || !added.isEmpty else { return }
        edit(in: details) { list in list.entries = list.entries.map { changed[$0.name] ?? $0 } + added }
    }

    /// Changes an entry.
    package mutating func replace(_ entry: PatchEntryDraft, with new: PatchEntryDraft, in details: ChangeDetails) {
        replace([entry.name: new], adding: [], in: details)
    }

    /// Renews metadata that expire soon: the timestamp always, the others when less than half of their time is left, or
    /// when they have to pass the floor for versions. Locked roles are left alone.
    package mutating func refresh(_ roles: Set<FeedRole>, in details: ChangeDetails) {
        for role in FeedRole.allCases where roles.contains(role) {
            let endsSoon = bodies[role].expires < details.now.adding(days: role.days / 2)
            let isPassed = role != .root && state(of: role).version <= details.versionFloor
            guard !details.locked.contains(role), role == .timestamp || endsSoon || isPassed else { continue }
            bumpVersion(of: role, in: details)
        }
    }

    package enum Renewal: Sendable, Equatable {
        case renewed(FeedRole, version: Int)
        /// Its keys are not at hand, and it expires in this many days, less than a quarter of its time.
        case endsSoon(FeedRole, days: Int)
    }

    /// Renews metadata that expire soon, as far as the keys are at hand.
    ///
    /// A job that runs each day has only the online key. A list that was signed with a wrong time is signed again.
    ///
    /// - Parameter asks: Whether a signer without a known key is asked too. As it must sign the timestamp, it can sign
    ///   each role that one key of the timestamp, whichever it is, is enough for.
    package mutating func refresh(
        with keyIDs: Set<String>, asking asks: Bool = false, in details: ChangeDetails
    ) -> [Renewal] {
        let online = Set(keys(of: .timestamp).ids)
        let roles = FeedRole.allCases.filter { role in
            let (ids, threshold) = keys(of: role)
            let isAsked = asks && threshold == 1 && online.isSubset(of: ids)
            return role == .timestamp || isAsked || ids.count(where: keyIDs.contains) >= threshold
        }
        refresh(Set(roles), in: details)
        if let published, published > details.now, roles.contains(.rollout) { edit(in: details) { _ in } }
        return FeedRole.allCases.compactMap { role in
            let state = state(of: role)
            if changed.contains(role) { return .renewed(role, version: state.version) }
            let days = details.now.wholeDays(until: state.expires)
            return days < role.days / 4 ? .endsSoon(role, days: days) : nil
        }
    }
}
