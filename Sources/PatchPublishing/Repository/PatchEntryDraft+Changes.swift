package import PatchCrypto
package import PatchFeed

private typealias Key = PatchList.Key

// How an entry changes, and whether two are the same.
extension PatchEntryDraft {
    /// Whether it is offered as another entry asks for: to the same part of all devices, groups and users, at the same
    /// moment.
    func isListed(as other: PatchEntryDraft) -> Bool {
        hasKnownAudience && other.hasKnownAudience && state == other.state && resumedState == other.resumedState
            && (when == .nextLaunch) == (other.when == .nextLaunch)
            && basisPoints == other.basisPoints && hasBuckets(of: other)
            && groups.exact == other.groups.exact && users.exact == other.users.exact
    }

    /// Whether another entry is the same for devices.
    package func isEquivalent(to other: PatchEntryDraft) -> Bool {
        func visible(_ entry: PatchEntryDraft) -> [UInt8] {
            var json = entry.json
            for key in [Key.since, Key.offered, Key.author, Key.reason] { json.set(key, nil) }
            if entry.when == .now { json.set(Key.when, nil) }
            return json.encoded()
        }
        return visible(self) == visible(other)
    }

    /// The entry after a change, with the time, author and reason of the change.
    func stamped(since old: PatchEntryDraft?, in details: ChangeDetails) -> PatchEntryDraft {
        guard old?.json.encoded() != json.encoded() else { return self }
        var entry = self
        entry.since = details.now
        if isOffered, old?.state != state { entry.offered = details.now }
        entry.json.set(Key.author, details.author.map(JSONValue.string))
        entry.reason = details.reason
        return entry
    }

    /// Changes the state at a user's request.
    ///
    /// - Throws: `usage` if a withdrawn patch is to be paused, or to be in shadow: a library that does not know shadow
    ///   takes it as paused.
    package mutating func setState(_ new: PatchList.Entry.State) throws(PatchError) {
        guard new != .paused || state != .withdrawn else {
            throw PatchError(
                .usage, "\(name) is withdrawn, and pausing would give it back to devices that still have it",
                remedy: resumedState == .shadow ? PublishingRemedy.packHigherInShadow : .resumeFirst)
        }
        guard new != .shadow || state != .withdrawn else {
            throw PatchError(
                .usage, "\(name) is withdrawn, and devices that still have it would keep it if they do not know shadow",
                remedy: .packHigherInShadow)
        }
        state = new
    }

    /// The entry after a change that a user asked for; nil if it is already the same, with the same reason.
    package func changed(to new: PatchEntryDraft, reason: String?) -> PatchEntryDraft? {
        let hasNewReason = reason != nil && reason != self.reason
        guard hasNewReason || !new.isEquivalent(to: self) else { return nil }
        var new = new
        new.reason = reason
        return new
    }
}
