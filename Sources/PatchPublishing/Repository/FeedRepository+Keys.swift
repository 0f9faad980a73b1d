package import PatchCrypto
internal import PatchFeed

extension FeedRepository {
    /// Changes the keys of several roles.
    ///
    /// - Returns: How many keys each role has, and how many of them must sign.
    /// - Throws: `config` if a key to remove does not exist, if too few keys would be left, or if a key would be of an
    ///   online role and of root or targets.
    package mutating func rotate(
        _ roles: [FeedRole], adding added: [FeedKey], removing removed: [String], threshold: Int?,
        in details: ChangeDetails
    ) throws(PatchError) -> [(role: FeedRole, keys: Int, threshold: Int)] {
        // These roles come first, because the versions of the others depend on whether devices forget versions.
        let first = roles.filter { $0 == .timestamp || $0 == .snapshot }
        var changed: [(role: FeedRole, keys: Int, threshold: Int)] = []
        for role in first + roles.filter({ !first.contains($0) }) {
            try rotate(role, adding: added, removing: removed, threshold: threshold, in: details)
            let (ids, needed) = keys(of: role)
            changed.append((role, ids.count, needed))
        }
        return changed
    }

    /// Changes the keys of a role, unless it has them already.
    ///
    /// - Parameters:
    ///   - role: The role. The keys of the rollout role are in the targets metadata, and the keys of the others in the
    ///     root metadata.
    ///   - removed: Beginnings of the ids of keys to remove.
    ///   - threshold: How many keys must sign; nil leaves the number unchanged.
    /// - Throws: `config` if a key to remove does not exist, if too few keys would be left, or if a key would be of an
    ///   online role and of root or targets.
    package mutating func rotate(
        _ role: FeedRole, adding added: [FeedKey], removing removed: [String], threshold: Int?,
        in details: ChangeDetails
    ) throws(PatchError) {
        let old = keys(of: role)
        var ids = old.ids
        for prefix in removed {
            let found = ids.filter { $0.hasPrefix(prefix) }
            guard found.count == 1 else {
                throw PatchError(
                    .config, "\(prefix): \(found.isEmpty ? "not a key" : "several keys") of the role \(role)",
                    hint: "its keys are \(FeedKey.short(ids))")
            }
            ids.removeAll { $0 == found[0] }
        }
        for key in added where !ids.contains(key.id) { ids.append(key.id) }
        let needed = threshold ?? old.threshold
        guard needed >= 1, ids.count >= needed else {
            throw PatchError(
                .config, "the role \(role) would have \(ids.count) keys, but needs \(needed) signatures",
                remedy: .addKeys)
        }
        if role == .timestamp || role == .snapshot, Set(ids).isDisjoint(with: old.ids) {
            clientsForgetVersions = true
        }
        let isOffline = role == .root || role == .targets
        let others = (isOffline ? [FeedRole.rollout, .snapshot, .timestamp] : [.root, .targets]).flatMap {
            keys(of: $0).ids
        }
        if let shared = added.first(where: { others.contains($0.id) }) {
            throw PatchError(
                .config, "\(shared.id.prefix(16)) is a key of \(isOffline ? "an online role" : "root or targets")",
                hint: "make another key: a thief of the online key must not be able to add code")
        }
        guard ids != old.ids || needed != old.threshold else { return }
        let new = added.map { (id: $0.id, json: $0.json) }
        if let keys = role.rootKeys {
            bumpVersion(of: .root, in: details)
            try bodies.root.setKeys(of: keys, to: ids, threshold: needed, adding: new)
        } else {
            bumpVersion(of: .targets, in: details)
            try bodies.targets.setKeys(of: role.rawValue, to: ids, threshold: needed, adding: new)
        }
        // The role's metadata must be signed again with the new keys.
        bumpVersion(of: role, in: details)
    }
}
