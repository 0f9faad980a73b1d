internal import PatchCrypto

/// The root role's metadata: which keys count for the other three roles (section 4.3).
struct RootMetadata: Sendable {
    let version: Int
    let expires: Timestamp
    /// Whether files have their version or hash in their names.
    let hasConsistentSnapshots: Bool
    let root: RoleKeys
    let timestamp: RoleKeys
    let snapshot: RoleKeys
    let targets: RoleKeys

    init(_ file: SignedMetadata) throws(PatchError) {
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
