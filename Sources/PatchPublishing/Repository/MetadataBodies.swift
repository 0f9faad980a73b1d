internal import PatchCrypto
internal import PatchFeed

/// The signed parts of all roles' metadata.
struct MetadataBodies: Sendable {
    var root: RootMetadata
    var targets: TargetsMetadata
    var rollout: TargetsMetadata
    var snapshot: SnapshotMetadata
    var timestamp: TimestampMetadata

    subscript(role: FeedRole) -> any MetadataBody {
        switch role {
        case .root: root
        case .targets: targets
        case .rollout: rollout
        case .snapshot: snapshot
        case .timestamp: timestamp
        }
    }

    /// Replaces the metadata of a role by those of a file.
    ///
    /// - Throws: `feed-malformed`.
    mutating func take(_ file: SignedMetadata, as role: FeedRole) throws(PatchError) {
        switch role {
        case .root: root = try RootMetadata(file)
        case .targets: targets = try TargetsMetadata(file)
        case .rollout: rollout = try TargetsMetadata(file)
        case .snapshot: snapshot = try SnapshotMetadata(file)
        case .timestamp: timestamp = try TimestampMetadata(file)
        }
    }

    mutating func renew(_ role: FeedRole, version: Int, expires: Timestamp) {
        func renew(_ body: inout some MetadataBody) {
            body.version = version
            body.expires = expires
        }
        switch role {
        case .root: renew(&root)
        case .targets: renew(&targets)
        case .rollout: renew(&rollout)
        case .snapshot: renew(&snapshot)
        case .timestamp: renew(&timestamp)
        }
    }
}

extension TargetsMetadata {
    /// The delegation to a role; nil if there is none.
    func delegation(to role: FeedRole) -> Delegation? {
        delegations.first { $0.role.isByteEqual(to: role.rawValue) }
    }
}
