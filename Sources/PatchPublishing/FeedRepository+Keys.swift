package import PatchCrypto
internal import PatchFeed

extension FeedRepository {
    /// Changes the keys of a role.
    ///
    /// - Parameters:
    ///   - role: The role. The rollout role's keys are in the targets metadata, those of the others in the root's.
    ///   - added: Keys to add.
    ///   - removed: Beginnings of the ids of keys to remove.
    ///   - threshold: How many keys must sign; nil leaves it.
    /// - Throws: `config` if a key is not there, or too few keys would be left.
    package mutating func rotate(
        _ role: Role, adding added: [FeedKey], removing removed: [String], threshold: Int?, at now: Timestamp
    ) throws(PatchError) {
        var (ids, needed) = keys(of: role)
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
        needed = threshold ?? needed
        guard needed >= 1, ids.count >= needed else {
            throw PatchError(
                .config, "the role \(role) would have \(ids.count) keys, but needs \(needed) signatures",
                hint: "add keys with --add, or lower the number with --threshold")
        }
        if role == .timestamp || role == .snapshot, Set(ids).isDisjoint(with: keys(of: role).ids) { isForgotten = true }
        let isOffline = role == .root || role == .targets
        let others = (isOffline ? [Role.rollout, .snapshot, .timestamp] : [.root, .targets]).flatMap {
            keys(of: $0).ids
        }
        if let shared = added.first(where: { others.contains($0.id) }) {
            throw PatchError(
                .config, "\(shared.id.prefix(16)) is a key of \(isOffline ? "an online role" : "root or targets")",
                hint: "make another key: a thief of the online key must not be able to add code")
        }
        let entry = JSONValue.object([
            ("keyids", .array(ids.map(JSONValue.string))), ("threshold", .integer(needed)),
        ])
        if role == .rollout {
            touch(.targets, at: now)
            drafts[.targets]?.signed.change("delegations") { delegations in
                delegations.change("keys") { keys in for key in added { keys.set(key.id, key.json) } }
                var delegation = delegations["roles"]?.elements.first ?? .object([])
                for member in entry.members { delegation.set(member.key, member.value) }
                delegations.set("roles", .array([delegation]))
                delegations.change("keys") { keys in
                    keys = .object(keys.members.filter { ids.contains($0.key) })
                }
            }
            touch(.rollout, at: now)
        } else {
            touch(.root, at: now)
            drafts[.root]?.signed.change("keys") { keys in for key in added { keys.set(key.id, key.json) } }
            drafts[.root]?.signed.change("roles") { $0.set(role.rawValue, entry) }
            let used = Set(
                (drafts[.root]?.signed["roles"]?.members ?? []).flatMap { _, role in
                    role["keyids"]?.elements.compactMap(\.text) ?? []
                })
            drafts[.root]?.signed.change("keys") { keys in keys = .object(keys.members.filter { used.contains($0.key) })
            }
            // What the role has signed must be signed again by the new keys.
            if role != .root { touch(role, at: now) }
        }
    }
}
