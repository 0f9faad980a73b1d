package import PatchCrypto

/// The root role's metadata: which keys count for the other three roles (section 4.3).
package struct RootMetadata: Sendable {
    package let version: Int
    package let expires: Timestamp
    /// Whether files have their version or hash in their names.
    package let hasConsistentSnapshots: Bool
    package let root: RoleKeys
    package let timestamp: RoleKeys
    package let snapshot: RoleKeys
    package let targets: RoleKeys

    package init(_ file: SignedMetadata) throws(PatchError) {
        (version, expires) = (file.version, file.expires)
        let isConsistent = try file.body.optional("consistent_snapshot", file.body.flag)
        hasConsistentSnapshots = isConsistent ?? false
        let keys = try FeedKeys(file.body.object("keys"))
        let roles = try file.body.object("roles")
        root = try RoleKeys(roles.object("root"), known: keys)
        timestamp = try RoleKeys(roles.object("timestamp"), known: keys)
        snapshot = try RoleKeys(roles.object("snapshot"), known: keys)
        targets = try RoleKeys(roles.object("targets"), known: keys)
    }
}
