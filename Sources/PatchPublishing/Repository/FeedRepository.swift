package import PatchCrypto
package import PatchFeed

/// The repository side of a feed: changes the metadata and the list, signs them, and makes the files to write.
///
/// It reads no files and has no clock. Changes are drafted first. `files(signedBy:in:)` makes the files once there are
/// enough signatures.
package struct FeedRepository: Sendable {
    // The feed as it was read, and as the draft has changed it.

    var bodies: MetadataBodies
    /// The root metadata before the change, whose keys must also sign a new root.
    let oldRoot: RootMetadata
    package internal(set) var list: PatchListDraft
    /// Roles that the newest root's keys have not signed yet, because a change of keys was interrupted.
    let stale: Set<FeedRole>
    /// The last version of each role that has a file, even if no metadata list it, as after an interrupted run.
    let orphanedVersions: [FeedRole: Int]
    /// Whether the root is the one of this state. Older versions of patchpack made states that do not record their
    /// root.
    package internal(set) var knowsRoot = true
    /// The ids of the keys that have signed the metadata of each role, as they were read.
    var approvals: [FeedRole: [String]] = [:]
    /// The version of the snapshot before the change, and its file's SHA-256.
    let previous: (version: Int, sha256: String)?

    // The draft.

    /// The roles whose metadata are changed.
    package internal(set) var changed: Set<FeedRole> = []
    var signatures: [FeedRole: [MetadataSignature]] = [:]
    /// Whether the list is edited.
    var hasNewList = false
    /// The files of the targets that are added.
    var newTargets: [FeedFile] = []
    /// Whether devices forget the versions that they have seen, because all keys of the timestamp or of the snapshot
    /// are new.
    var clientsForgetVersions = false
}

extension FeedRepository {
    package var app: String { list.app }

    /// When the list was signed.
    package var published: Timestamp? { list.published }

    package var environment: String { list.environment }

    /// The change that made this state, as recorded in its snapshot. Snapshots of older versions of patchpack do not
    /// record it.
    package var change: ChangeStamp { bodies.snapshot.change.stamp }

    /// The change that made this state, or the last change of the list if the snapshot does not record its own.
    package var lastChange: ChangeStamp { change.time == nil ? list.change : change }

    package func state(of role: FeedRole) -> (version: Int, expires: Timestamp) {
        (bodies[role].version, bodies[role].expires)
    }

    /// The ids of a role's keys, and how many of them must sign.
    package func keys(of role: FeedRole) -> (ids: [String], threshold: Int) {
        let keys = role.rootKeys.map { bodies.root[keyPath: $0] } ?? delegatedKeys
        return keys.map { ($0.ids, $0.threshold) } ?? ([], 0)
    }

    /// The keys of the rollout role; nil if the targets role does not delegate to it.
    var delegatedKeys: RoleKeys? { bodies.targets.delegation(to: .rollout)?.keys }

    /// The targets that the release keys have signed, in the order of their paths' bytes. The SHA-256 is empty if only
    /// other hashes are signed.
    package var targets: [(path: String, sha256: String)] {
        bodies.targets.targets.values.sorted { $0.path.hasBytes(before: $1.path) }.map { ($0.path, $0.sha256 ?? "") }
    }

    /// The SHA-256 of a target that the release keys have signed; nil if they have not, and empty if only other hashes
    /// are signed.
    package func digest(of path: String) -> String? {
        bodies.targets.targets[ExactString(path)].map { $0.sha256 ?? "" }
    }

    // MARK: faults

    /// What is wrong with this state of the feed at a time.
    package func faults(at now: Timestamp) -> [FeedFault] {
        let ended = FeedRole.allCases.filter { state(of: $0).expires <= now }
        let faults = ended.map { FeedFault.ended($0, at: state(of: $0).expires) }
        guard let published, published.isAhead(of: now) else { return faults }
        return faults + [.signedAhead(published)]
    }
}

/// What is wrong with a feed that its keys have signed.
package enum FeedFault: Sendable, Equatable {
    /// The role's metadata have expired.
    case ended(FeedRole, at: Timestamp)
    /// The list was signed with a clock that is ahead of this one.
    case signedAhead(Timestamp)
}
