package import PatchCrypto

// Changes of the list and its entries, as users request them.
extension FeedRepository {
    /// Changes the list, unless the result is the same.
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

    package enum Renewal: Sendable, Equatable {
        case renewed(FeedRole, version: Int)
        /// Its keys are not at hand, and it expires in this many days.
        case endsSoon(FeedRole, days: Int)
    }

    /// Renews metadata that expire soon, as far as the keys are at hand.
    ///
    /// A job that runs each day has only the online key. A list that was signed with a wrong time is signed again.
    package mutating func refresh(with keyIDs: Set<String>, in details: ChangeDetails) -> [Renewal] {
        let roles = FeedRole.allCases.filter { role in
            let (ids, threshold) = keys(of: role)
            return role == .timestamp || ids.count(where: keyIDs.contains) >= threshold
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
