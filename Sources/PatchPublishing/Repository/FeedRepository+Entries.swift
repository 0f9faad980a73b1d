package import PatchCrypto
internal import PatchFeed
internal import PatchText

private typealias Key = PatchList.Key

extension FeedRepository {
    /// The entries of a patch in the list.
    package func entries(of id: String) -> [PatchEntryDraft] { list.entries.filter { $0.id == id } }

    /// A reason why devices refuse a feed.
    package enum Fault: Sendable, Equatable {
        /// The metadata of a role have expired.
        case ended(Role, at: Timestamp)
        /// The list was signed with a clock that is ahead of this one.
        case signedAhead(Timestamp)
    }

    /// The reasons why devices refuse the current feed.
    package func faults(at now: Timestamp) -> [Fault] {
        let ended = Role.allCases.filter { state(of: $0).expires < now }
        let faults = ended.map { Fault.ended($0, at: state(of: $0).expires) }
        guard let published, Self.isAhead(published, of: now) else { return faults }
        return faults + [.signedAhead(published)]
    }

    /// Whether a list was signed with a clock that is more than five minutes ahead, which is the tolerance between clocks.
    package static func isAhead(_ published: Timestamp, of now: Timestamp) -> Bool {
        published.secondsSince1970 - now.secondsSince1970 > 300
    }

    /// The entry of a version, or of the highest version.
    ///
    /// - Parameter listed: The entries of the patch, if they are known.
    package func entry(
        _ id: String, version: Int?, of listed: [PatchEntryDraft]? = nil
    ) throws(PatchError) -> PatchEntryDraft {
        let all = (listed ?? entries(of: id)).filter { version == nil || $0.version == version }
        guard let entry = all.max(by: { $0.version < $1.version }) else {
            throw .unlisted(id, version: version, in: self)
        }
        return entry
    }

    /// The entry that a user means: the one of the given version, or else of the highest version.
    ///
    /// - Parameter listed: The entries of the patch.
    /// - Throws: `usage` if no version is given, and a lower one was offered later.
    package func meantEntry(
        _ id: String, version: Int?, of listed: [PatchEntryDraft]
    ) throws(PatchError) -> PatchEntryDraft {
        let highest = try entry(id, version: version, of: listed)
        guard version == nil, highest.state == .active, let offered = highest.offered else { return highest }
        let later = listed.first {
            $0.state == .active && $0.version != highest.version && $0.offered ?? offered > offered
        }
        guard let later else { return highest }
        throw PatchError(
            .usage,
            "\(id): version \(later.version) is \(later.words), later than version \(highest.version), which is \(highest.words)",
            remedy: PublishingRemedy.giveVersion)
    }

    /// Checks that a state may be restored without being named.
    ///
    /// Restoring it must roll back changes of the same author, and must not offer a patch to any device that does not get it now.
    ///
    /// - Parameters:
    ///   - older: The state before the last change.
    ///   - undone: The changes since then.
    /// - Throws: `config` if it may not.
    package func checkUndo(
        to older: FeedRepository, undoing undone: [Change], by author: String?
    ) throws(PatchError) {
        guard let reason = reasonAgainstUndo(to: older, undoing: undone, by: author) else { return }
        throw PatchError(
            .config, reason, remedy: PublishingRemedy.giveState(older.state(of: .snapshot).version))
    }

    private func reasonAgainstUndo(
        to older: FeedRepository, undoing undone: [Change], by author: String?
    ) -> String? {
        for change in undone {
            guard let other = change.author, other != author else { continue }
            return "a change since then was made by \(other)\(change.reason.map { ": \($0)" } ?? "")"
        }
        let listed = list.entries(by: \.path)
        let wider = older.list.entries.first { entry in
            listed[entry.path].map { entry.reachesMore(than: $0) } ?? (entry.state == .active)
        }
        if let wider { return "\(wider.name) would be \(wider.words) again" }
        if let lowest = list.minimumAppVersion, older.list.minimumAppVersion.map({ $0 < lowest }) ?? true {
            return "versions of the app below \(lowest) would get patches again"
        }
        return list.isEnabled || !older.list.isEnabled ? nil : "all patches would be switched on again"
    }
}

extension PatchEntryDraft {
    /// Whether it reaches devices to which another entry does not offer it.
    fileprivate func reachesMore(than other: PatchEntryDraft) -> Bool {
        guard state == .active else { return state == .paused && other.state == .withdrawn }
        guard other.state == .active else { return true }
        // All users are not all devices: a device may have no user.
        if other.basisPoints == 10_000, other.rollout?.unit != .user { return false }
        let isElsewhere = rollout?.unit != other.rollout?.unit || rollout?.seed != other.rollout?.seed
        return basisPoints > other.basisPoints || basisPoints > 0 && isElsewhere
            || !(Set(groups).isSubset(of: other.groups) && Set(users).isSubset(of: other.users))
    }
}

extension PatchEntryDraft {
    /// The version that devices have instead of this one if it is not offered; nil if there is none.
    ///
    /// - Parameter listed: The entries of the patch.
    package func fallback(of listed: [PatchEntryDraft]) -> PatchEntryDraft? {
        guard state != .active else { return nil }
        return listed.filter { $0.version != version && $0.state == .active }.max { $0.version < $1.version }
    }

    /// The entry after a change that a user asked for; nil if it is already the same, with the same reason.
    ///
    /// - Parameter reason: The reason; nil if none is given.
    package func changed(to new: PatchEntryDraft, reason: String?) -> PatchEntryDraft? {
        guard !new.isEquivalent(to: self) || reason != nil && reason != self.reason else { return nil }
        var new = new
        new.reason = reason
        return new
    }

    /// Whether each device that another version is offered to is offered this one too.
    func reachesAll(of other: PatchEntryDraft) -> Bool {
        func range(_ entry: PatchEntryDraft) -> VersionRange? {
            entry.json[Key.appVersions]?.text.flatMap(VersionRange.init)
        }
        guard let own = range(self), let others = range(other), own.covers(others) else { return false }
        guard json[Key.engine]?.number ?? 1 <= other.json[Key.engine]?.number ?? 1 else { return false }
        return !other.reachesMore(than: self)
    }
}

extension PatchError {
    package static func unlisted(_ id: String, version: Int? = nil, in feed: FeedRepository) -> PatchError {
        let versions = feed.entries(of: id).map(\.version).sorted()
        if let version, !versions.isEmpty {
            return PatchError(
                .usage, "\(id): the feed has no version \(version) of it",
                hint: "it has \(versions.map(String.init).joined(separator: ", "))")
        }
        let known = feed.list.entries.map(\.id)
        let longer = Set(known).filter { $0.hasSuffix(".\(id)") }.sorted()
        guard longer.isEmpty else {
            let meant = longer.prefix(4).joined(separator: " or ")
            return PatchError(.usage, "\(id): no such patch in this feed", hint: "did you mean \(meant)?")
        }
        if let guess = nearest(id, among: Set(known)) {
            return PatchError(.usage, "\(id): no such patch in this feed", hint: "did you mean \(guess)?")
        }
        return PatchError(.usage, "\(id): no such patch in this feed", remedy: PublishingRemedy.lookAtPatches)
    }
}
