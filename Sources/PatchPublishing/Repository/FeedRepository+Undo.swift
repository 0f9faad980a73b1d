package import PatchCrypto
package import PatchFeed

// Restoring the list of an earlier state.
extension FeedRepository {
    /// Restores the list of an older state, unless it is in effect. A patch that was not listed then is withdrawn,
    /// because devices may have it. A stop that is restored keeps its reason.
    ///
    /// - Returns: Whether the list was changed.
    /// - Throws: `config` if a patch was listed then, but the release keys no longer sign its envelope.
    package mutating func undo(to older: FeedRepository, in details: ChangeDetails) throws(PatchError) -> Bool {
        let signed = Set(targets.map(\.path))
        let before = older.list.entries
        for entry in before where entry.state != .withdrawn && !signed.contains(entry.path ?? "") {
            throw PatchError(
                .config, "\(entry.name) was removed, so the state before that cannot be made again",
                remedy: .publishAgain)
        }
        var restored = list
        restored.isEnabled = older.list.isEnabled
        restored.minimumAppVersion = older.list.minimumAppVersion
        restored.notice = older.list.notice
        restored.switches = older.list.switches
        let now = Dictionary(grouping: list.entries, by: \.name)
        let kept = before.map { entry in
            // An entry that is the same for devices keeps its current time, author and reason.
            now[entry.name]?.first { $0.isEquivalent(to: entry) } ?? entry
        }
        let earlier = Set(before.map(\.name))
        var added = list.entries.filter { !earlier.contains($0.name) }
        for index in added.indices where added[index].state != .withdrawn { added[index].state = .withdrawn }
        restored.entries = kept + added
        guard !restored.isEquivalent(to: list) else { return false }
        edit(in: details, restoring: older.list) { $0 = restored }
        return true
    }

    /// Checks that a state may be restored without being named.
    ///
    /// Restoring it must roll back changes of the same author, and must not offer a patch to any device that does not
    /// get it now.
    ///
    /// - Throws: `config` if it may not.
    package func checkUndo(
        to older: FeedRepository, undoing undone: [ChangeStamp], by author: String?
    ) throws(PatchError) {
        guard let reason = reasonAgainstUndo(to: older, undoing: undone, by: author) else { return }
        throw PatchError(.config, reason, remedy: .giveState(older.state(of: .snapshot).version))
    }

    private func reasonAgainstUndo(
        to older: FeedRepository, undoing undone: [ChangeStamp], by author: String?
    ) -> String? {
        for change in undone where change.author != author {
            let other = change.author ?? "somebody without a name"
            return "a change since then was made by \(other)\(change.reason.map { ": \($0)" } ?? "")"
        }
        return older.list.offersMore(than: list).map { "\($0) again" }
    }
}
