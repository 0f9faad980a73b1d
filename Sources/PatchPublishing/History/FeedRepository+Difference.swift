internal import PatchCrypto
internal import PatchFeed

private typealias Key = MetadataKey

extension FeedRepository {
    /// The keys that have signed the metadata of a role.
    package struct Approval: Sendable, Equatable {
        package let role: FeedRole
        package let keyIDs: [String]
    }

    /// The signers of each role that differs from another state. The snapshot and the timestamp are left out, because
    /// every change signs them.
    package func approvals(since old: FeedRepository) -> [Approval] {
        [FeedRole.root, .targets, .rollout].compactMap { role in
            guard state(of: role).version != old.state(of: role).version, let ids = approvals[role] else { return nil }
            return Approval(role: role, keyIDs: ids)
        }
    }

    /// The differences from another state of a feed, in words: the signed files, the offered patches and their
    /// audience, and the keys.
    package func visibleChanges(since old: FeedRepository) -> [String] {
        var lines: [String] = []
        // The root file has the keys of all roles except the rollout role.
        let knowsRoots = knowsRoot && old.knowsRoot
        for role in FeedRole.allCases where role == .rollout || knowsRoots {
            let (before, after) = (old.keys(of: role), keys(of: role))
            for id in before.ids where !after.ids.contains(id) {
                lines.append("\(role): removes the key \(id.prefix(16))")
            }
            for id in after.ids where !before.ids.contains(id) {
                lines.append("\(role): adds the key \(id.prefix(16))")
            }
            if before.threshold != after.threshold {
                lines.append("\(role): \(after.threshold) keys must sign, no longer \(before.threshold)")
            }
        }
        let signed = Set(old.targets.map(\.path))
        let nowSigned = Set(targets.map(\.path))
        // A trust store keeps its name. An envelope of another version has another name.
        let replaced = targets.filter { target in
            guard let before = old.digest(of: target.path) else { return false }
            return before != target.sha256
        }
        lines += signed.subtracting(nowSigned).sorted().map { "no longer signed: \($0)" }
        lines += nowSigned.subtracting(signed).sorted().map { "signed: \($0)" }
        lines += replaced.map { "signed with other bytes: \($0.path)" }
        return lines + list.visibleChanges(since: old.list)
    }

    /// The differences from another state of a feed, one line for each member of the metadata and of the list.
    ///
    /// Nothing that a signer has to check is left out.
    package func changes(since old: FeedRepository) -> [String] {
        var lines: [String] = []
        for role in [FeedRole.root, .targets, .rollout, .snapshot, .timestamp] {
            // The snapshot and the timestamp only list the versions that belong together, and the rollout role only
            // describes the list.
            let left: Set<String> =
                switch role {
                case .root, .targets: [Key.version, Key.expires]
                case .rollout: [Key.version, Key.expires, Key.targets]
                case .snapshot, .timestamp: [Key.version, Key.expires, Key.meta]
                }
            let (before, after) = (old.state(of: role), state(of: role))
            let (was, now) = (old.bodies[role].json, bodies[role].json)
            lines += Self.differences("\(role):", was.without(left), now.without(left))
            guard before.version != after.version || before.expires != after.expires else { continue }
            lines.append("\(role): version \(before.version) -> \(after.version), ends \(after.expires)")
        }
        return lines + Self.differences("list:", old.list.json, list.json)
    }

    private static func differences(_ place: String, _ old: JSONValue?, _ new: JSONValue?) -> [String] {
        switch (old, new) {
        case (nil, nil): return []
        case (let old?, let new?) where old.encoded() == new.encoded(): return []
        case (.object(let old), .object(let new)): return differences(place, old, new)
        case (.array(let old), .array(let new)):
            if let old = named(old), let new = named(new) { return differences(place, old, new) }
            return ["\(place) \(JSONValue.array(old).text()) -> \(JSONValue.array(new).text())"]
        case (let old?, let new?): return ["\(place) \(old.text()) -> \(new.text())"]
        case (let old?, nil): return ["\(place) removes \(old.text())"]
        case (nil, let new?): return ["\(place) adds \(new.text())"]
        }
    }

    private static func differences(
        _ place: String, _ old: [(key: String, value: JSONValue)], _ new: [(key: String, value: JSONValue)]
    ) -> [String] {
        func values(_ members: [(key: String, value: JSONValue)]) -> [ExactString: JSONValue] {
            Dictionary(members.map { (ExactString($0.key), $0.value) }) { $1 }
        }
        let (before, after) = (values(old), values(new))
        var keys: [String] = []
        var seen: Set<ExactString> = []
        for (key, _) in old + new where seen.insert(ExactString(key)).inserted { keys.append(key) }
        return keys.flatMap { differences("\(place) \($0)", before[ExactString($0)], after[ExactString($0)]) }
    }

    /// The elements of an array by name; nil if their names are not unique. With names, their order has no meaning.
    private static func named(_ values: [JSONValue]) -> [(key: String, value: JSONValue)]? {
        let members = values.compactMap { value -> (key: String, value: JSONValue)? in
            if case .string(let text) = value { return (text, .object([])) }
            if let id = value[PatchList.Key.id]?.text, let version = value[PatchList.Key.version] {
                return ("\(id) \(version.text())", value)
            }
            return value[Key.name]?.text.map { ($0, value) }
        }
        let names = Set(members.map { ExactString($0.key) })
        guard members.count == values.count, names.count == members.count else { return nil }
        return members
    }
}

extension JSONValue {
    fileprivate func without(_ keys: Set<String>) -> JSONValue {
        .object(members.filter { member in !keys.contains { member.key.isByteEqual(to: $0) } })
    }
}
