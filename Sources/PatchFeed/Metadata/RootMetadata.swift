package import PatchCrypto

/// The root role's metadata: which keys count for the top-level roles (section 4.3).
package struct RootMetadata: MetadataBody {
    package static let type = "root"

    package var version: Int
    package var expires: Timestamp
    /// Whether files have their version or hash in their names.
    package let hasConsistentSnapshots: Bool
    package private(set) var keys: FeedKeys
    package var root: RoleKeys
    package var timestamp: RoleKeys
    package var snapshot: RoleKeys
    package var targets: RoleKeys
    private let received: JSONValue

    package init(_ file: SignedMetadata) throws(PatchError) {
        version = file.version
        expires = file.expires
        received = .object(file.body.members)
        hasConsistentSnapshots = try file.body.optional("consistent_snapshot", file.body.flag) ?? false
        keys = try FeedKeys(file.body.object("keys"))
        let roles = try file.body.object("roles")
        root = try RoleKeys(roles.object("root"), known: keys)
        timestamp = try RoleKeys(roles.object("timestamp"), known: keys)
        snapshot = try RoleKeys(roles.object("snapshot"), known: keys)
        targets = try RoleKeys(roles.object("targets"), known: keys)
    }

    /// Makes the root of a new feed.
    ///
    /// - Parameters:
    ///   - name: Distinguishes the feed from others that are made in the same second with the same keys. Clients ignore
    ///     it.
    ///   - online: The keys of the snapshot and timestamp roles.
    package init(
        named name: String, keys: FeedKeys, root: RoleKeys, targets: RoleKeys, online: RoleKeys, expires: Timestamp
    ) {
        version = 0
        self.expires = expires
        hasConsistentSnapshots = true
        self.keys = keys
        self.root = root
        self.targets = targets
        snapshot = online
        timestamp = online
        var received = Self.head
        received.set("feed", .string(name))
        received.set("consistent_snapshot", .bool(true))
        self.received = received
    }

    package var json: JSONValue {
        var json = received
        json.set("keys", keys.json)
        json.change("roles") { roles in
            for (name, keys) in [
                ("root", root), ("targets", targets), ("snapshot", snapshot), ("timestamp", timestamp),
            ] {
                roles.change(name, keys.write)
            }
        }
        return addingHeader(to: json)
    }

    /// Gives a role other keys. Keys that no role has any longer are removed.
    ///
    /// - Throws: `feed-malformed` if an added key is not one.
    package mutating func setKeys(
        of role: WritableKeyPath<RootMetadata, RoleKeys>, to ids: [String], threshold: Int,
        adding added: [(id: String, json: JSONValue)]
    ) throws(PatchError) {
        for key in added { try keys.set(key.id, key.json) }
        self[keyPath: role] = RoleKeys(ids: ids, threshold: threshold, known: keys)
        // There may be other roles than the four.
        let roles = json["roles"]?.members ?? []
        let used = roles.flatMap { $0.value["keyids"]?.elements ?? [] }.compactMap(\.text)
        keys.keep(Set(used.map(ExactString.init)))
    }
}
