package import PatchCrypto
package import PatchFeed

// Changes of the list and its entries, as users request them.
extension FeedRepository {
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
    ///
    /// - Parameters:
    ///   - changed: The changed entries, by name.
    ///   - added: The new entries.
    package mutating func replace(
        _ changed: [String: PatchEntryDraft], adding added: [PatchEntryDraft], in details: ChangeDetails
    ) {
        guard !changed.isEmpty || !added.isEmpty else { return }
        edit(in: details) { list in list.entries = list.entries.map { changed[$0.name] ?? $0 } + added }
    }

    /// Restores the list of an older state, unless it is in effect. A patch that was not listed then is withdrawn, because devices
    /// may have it.
    ///
    /// - Returns: Whether the list was changed.
    /// - Throws: `config` if a patch was listed then, but the release keys no longer sign its envelope.
    package mutating func undo(to older: FeedRepository, in details: ChangeDetails) throws(PatchError) -> Bool {
        let signed = Set(targets.map(\.path))
        let before = older.list.entries
        for entry in before where entry.state != .withdrawn && !signed.contains(entry.path ?? "") {
            throw PatchError(
                .config, "\(entry.name) was removed, so the state before that cannot be made again",
                remedy: PublishingRemedy.publishAgain)
        }
        var restored = list
        restored.isEnabled = older.list.isEnabled
        restored.minimumAppVersion = older.list.minimumAppVersion
        restored.notice = older.list.notice
        restored.switches = older.list.switches
        let (now, earlier) = (Dictionary(grouping: list.entries, by: \.name), Set(before.map(\.path)))
        restored.entries =
            before.map { entry in
                // An entry that is the same for devices keeps its current time, author and reason.
                now[entry.name]?.first { $0.isEquivalent(to: entry) } ?? entry
            }
            + list.entries.filter { !earlier.contains($0.path) }.map { entry in
                guard entry.state != .withdrawn else { return entry }
                var entry = entry
                entry.state = .withdrawn
                entry.reason = details.reason ?? "undone"
                return entry
            }
        guard !restored.isEquivalent(to: list) else { return false }
        edit(in: details) { $0 = restored }
        return true
    }

    /// Removes all but the newest versions of patches.
    ///
    /// Withdrawals stay, because they must reach devices that have been away for long. A version stays too if it is offered to
    /// devices that no version that stays is offered to.
    ///
    /// - Parameter count: How many versions of each patch to keep at least.
    /// - Returns: The versions that were removed, and those that stay because of their devices, newest first for each patch.
    package mutating func prune(
        _ ids: [String], keeping count: Int, in details: ChangeDetails
    ) throws(PatchError) -> (removed: [PatchEntryDraft], needed: [PatchEntryDraft]) {
        let listed = Dictionary(grouping: list.entries, by: \.id)
        var (removed, needed): ([PatchEntryDraft], [PatchEntryDraft]) = ([], [])
        for id in ids {
            guard let entries = listed[id] else { throw .unlisted(id, in: self) }
            let versions = entries.filter { $0.state != .withdrawn }.sorted { $0.version > $1.version }
            var kept = versions.prefix(count).filter { $0.state == .active }
            for entry in versions.dropFirst(count) {
                if entry.state == .active, !kept.contains(where: { $0.reachesAll(of: entry) }) {
                    kept.append(entry)
                    needed.append(entry)
                } else {
                    removed.append(entry)
                }
            }
        }
        let names = Set(removed.map(\.name))
        prune(in: details) { names.contains($0.name) }
        return (removed, needed)
    }

    /// Removes versions that no device should get any more, from the list and from the targets.
    ///
    /// - Parameter isSuperfluous: Whether to remove an entry.
    package mutating func prune(in details: ChangeDetails, _ isSuperfluous: (PatchEntryDraft) -> Bool) {
        let paths = Set(list.entries.filter(isSuperfluous).compactMap(\.path))
        guard !paths.isEmpty else { return }
        edit(in: details) { list in list.entries.removeAll(where: isSuperfluous) }
        removeTargets(in: details, paths.contains)
    }

    /// Removes targets, so that they are no longer signed by the release keys.
    package mutating func removeTargets(in details: ChangeDetails, _ isSuperfluous: (String) -> Bool) {
        bumpVersion(of: .targets, in: details)
        bodies.targets.targets = bodies.targets.targets.filter { !isSuperfluous($0.key.text) }
    }

    /// The envelopes that the release keys have signed and no entry lists.
    package var unlistedTargets: [String] {
        let listed = Set(list.entries.compactMap(\.path))
        return targets.map(\.path).filter { $0.utf8.starts(with: FeedLayout.envelopes.utf8) && !listed.contains($0) }
    }

    /// Removes a version of patches from the targets that the release keys have signed.
    ///
    /// Its withdrawal stays in the list, because devices may have the patch. If only the withdrawal is left, it is removed too.
    ///
    /// - Returns: The patches of which no withdrawal stays.
    package mutating func prune(
        _ ids: [String], version: Int, in details: ChangeDetails
    ) throws(PatchError) -> Set<String> {
        let listed = list.entries(by: \.name)
        var (paths, gone): (Set<String>, Set<String>) = ([], [])
        var withdrawn: [PatchEntryDraft] = []
        for id in ids {
            let path = envelopePath(id, version)
            let entry = listed["\(id) \(version)"]
            let isSigned = digest(of: path) != nil
            guard isSigned || entry != nil else { throw .unlisted(id, version: version, in: self) }
            if isSigned { paths.insert(path) }
            if entry?.state != .withdrawn {
                withdrawn.append(withdrawal(of: id, version: version, after: entry))
            } else if !isSigned {
                gone.insert(id)
            }
        }
        if !withdrawn.isEmpty || !gone.isEmpty {
            let changed = Set(withdrawn.map(\.id)).union(gone)
            edit(in: details) { list in
                list.entries = list.entries.filter { $0.version != version || !changed.contains($0.id) } + withdrawn
            }
        }
        if !paths.isEmpty { removeTargets(in: details, paths.contains) }
        return gone
    }

    /// An entry that withdraws a version, whether or not it is listed. It only withdraws it, so it needs no envelope.
    package func withdrawal(of id: String, version: Int, after old: PatchEntryDraft? = nil) -> PatchEntryDraft {
        var entry = PatchEntryDraft(withdrawing: id, version: version)
        entry.path = envelopePath(id, version)
        entry.reason = old?.reason
        return entry
    }

    private func envelopePath(_ id: String, _ version: Int) -> String {
        FeedLayout.envelope("\(id)-\(version).js", of: app)
    }

    /// The result of renewing a role's metadata.
    package enum Renewal: Sendable, Equatable {
        case renewed(Role, version: Int)
        /// Its keys are not at hand, and it expires in this many days.
        case endsSoon(Role, days: Int)
    }

    /// Renews metadata that expire soon, as far as the keys are at hand.
    ///
    /// A job that runs each day has only the online key. A list that was signed with a wrong time is signed again.
    package mutating func refresh(with keyIDs: Set<String>, in details: ChangeDetails) -> [Renewal] {
        let roles = Role.allCases.filter { role in
            let (ids, threshold) = keys(of: role)
            return role == .timestamp || ids.count(where: keyIDs.contains) >= threshold
        }
        refresh(Set(roles), in: details)
        if let published, published > details.now, roles.contains(.rollout) { edit(in: details) { _ in } }
        return Role.allCases.compactMap { role in
            let state = state(of: role)
            if changed.contains(role) { return .renewed(role, version: state.version) }
            let days = details.now.wholeDays(until: state.expires)
            return days < role.days / 4 ? .endsSoon(role, days: days) : nil
        }
    }
}

extension PatchListDraft {
    /// Sets a value that the app reads, under a name that people can type and read.
    ///
    /// Devices accept any name, and a name that the list has already stays usable.
    ///
    /// - Throws: `usage` if the name is new, and not `[A-Za-z0-9._-]{1,64}`.
    package mutating func nameSwitch(_ name: String, value: String) throws(PatchError) {
        guard NameForm.isWord(name.utf8) || switches?[name] != nil else {
            throw PatchError(
                .usage, name.isEmpty ? "a switch without a name" : "\(name): not a name of a switch",
                hint: "a name has at most 64 letters, digits, dots, underscores and hyphens, as in checkout=old")
        }
        setSwitch(name, to: value)
    }

    /// Removes a value that the app reads.
    ///
    /// - Throws: `usage` if there is none.
    package mutating func removeSwitch(_ name: String) throws(PatchError) {
        guard switches?[name] != nil else {
            throw PatchError(.usage, "\(name): no such switch to remove", remedy: PublishingRemedy.giveValue)
        }
        setSwitch(name, to: nil)
    }
}

extension PatchEntryDraft {
    /// Changes the state at a user's request.
    ///
    /// - Throws: `usage` if a withdrawn patch is to be paused.
    package mutating func setState(_ new: PatchList.Entry.State) throws(PatchError) {
        guard new != .paused || state != .withdrawn else {
            throw PatchError(
                .usage, "it is withdrawn, and pausing would give it back to devices that still have it",
                remedy: PublishingRemedy.resumeFirst)
        }
        state = new
    }
}

extension Timestamp {
    /// The whole days until another moment; negative if it has passed.
    package func wholeDays(until other: Timestamp) -> Int {
        Int((Double(other.secondsSince1970 - secondsSince1970) / 86_400).rounded(.down))
    }
}
