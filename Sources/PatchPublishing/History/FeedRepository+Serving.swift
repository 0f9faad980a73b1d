package import PatchCrypto
internal import PatchFeed

/// A timestamp that any copy of the feed may have made.
package struct SnapshotPosition: Sendable {
    package let version: Int
    /// The version of the snapshot that it lists.
    package let snapshot: Int
    /// Whether this folder's snapshot is that one, or came after it.
    package let isOwn: Bool
    /// The version of the newest root that allows it.
    package var root = 1
    /// Whether no key of the newest root has signed it. Devices with that root have forgotten its versions.
    package var isForgotten = false
}

// The relation between a feed's folder and the place that the feed is served from.
extension FeedRepository {
    /// The files of this state of the feed, except for the root files and the timestamp.
    ///
    /// A target has its SHA-256, and its bytes are still to be compared with it. A metadata file has nil.
    package var contents: [(path: String, sha256: String?)] {
        let lists = bodies.rollout.targets.values.map { (path: $0.path, sha256: $0.sha256 ?? "") }
        return (targets + lists).map { (FeedLayout.target($0.path, sha256: $0.sha256), $0.sha256) }
            + [FeedRole.targets, .rollout, .snapshot].map {
                (FeedLayout.metadata($0.rawValue, version: state(of: $0).version), nil)
            }
    }

    /// Checks that a served timestamp file is not newer than the timestamp of this feed.
    ///
    /// One that the newest keys have not signed is of before a change of keys that is not deployed yet.
    ///
    /// - Throws: `feed-rollback` if it is newer, `feed-malformed` if it is malformed.
    package func checkNotOlder(than bytes: [UInt8]) throws(PatchError) {
        let file = try SignedMetadata(bytes, name: "the served timestamp.json", type: TimestampMetadata.type)
        guard (try? file.verify(by: oldRoot.timestamp)) != nil else { return }
        let (served, own) = (try TimestampMetadata(file).version, state(of: .timestamp).version)
        guard served <= own else {
            throw PatchError(
                .feedRollback, "the served timestamp.json is of version \(served), but this folder's of version \(own)",
                hint: "another copy of the feed was changed since: work on that one")
        }
    }

    /// Reads a timestamp that comes from elsewhere.
    ///
    /// - Throws: `feed-malformed` if it is malformed, `feed-signature` if no root of the feed allows it.
    package func position(
        of timestamp: [UInt8], called name: String, root: [UInt8], _ read: (String) throws(PatchError) -> [UInt8]?
    ) throws(PatchError) -> SnapshotPosition {
        // A timestamp that was deployed before the keys changed is signed with the keys of an older root.
        var trusted = try Self.trusted(from: root, earlierRoots: .max, read)
        try trusted.update(timestamp: timestamp, called: name)
        guard let metadata = trusted.timestamp else { throw PatchError(.internal, "no timestamp") }
        let isOwn = try descends(from: metadata.snapshot, read)
        let file = try SignedMetadata(timestamp, name: name, type: TimestampMetadata.type)
        let allowing = (trusted.earlierRoots + [trusted.root]).last { (try? file.verify(by: $0.timestamp)) != nil }
        let isForgotten = try Self.sound(file.signatures, over: file.payload, by: [trusted.root.timestamp]).isEmpty
        return SnapshotPosition(
            version: metadata.version, snapshot: metadata.snapshot.version, isOwn: isOwn,
            root: allowing?.version ?? 1, isForgotten: isForgotten)
    }

    /// Whether a snapshot is the one of this feed, or comes before it in the history.
    ///
    /// Each snapshot names the one before it. Snapshots of older versions of patchpack do not; then the file of the
    /// other snapshot must be in the folder.
    private func descends(
        from other: MetadataDescription, _ read: (String) throws(PatchError) -> [UInt8]?
    ) throws(PatchError) -> Bool {
        let name = "snapshot.json"
        var snapshot = bodies.snapshot
        while snapshot.version > other.version, let previous = try snapshot.previous() {
            guard previous.version < snapshot.version, let bytes = try read(FeedLayout.snapshot(previous.version)),
                (try? previous.file.check(bytes, of: name)) != nil,
                let before = try? SnapshotMetadata(SignedMetadata(bytes, name: name, type: SnapshotMetadata.type)),
                before.version == previous.version
            else { return false }
            snapshot = before
        }
        guard snapshot.version >= other.version, let own = try read(FeedLayout.snapshot(other.version)) else {
            return false
        }
        return (try? other.file.check(own, of: name)) != nil
    }
}

extension PatchError {
    /// An error for a place that has a change that this folder does not have.
    package static func otherCopy(_ place: String, _ position: SnapshotPosition) -> PatchError {
        PatchError(
            .feedConflict,
            "\(place): has snapshot \(position.snapshot), timestamp \(position.version), of another copy of this feed",
            hint:
                "patchpack feed log shows its changes: take that copy, and make this change again in it; docs/operations.md explains how, and how to give it up"
        )
    }
}
