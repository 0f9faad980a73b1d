package import PatchCrypto
internal import PatchFeed

// The relation between a feed's folder and the place that the feed is served from.
extension FeedRepository {
    /// The files of this state of the feed, except for the root files and the timestamp.
    ///
    /// A target has its SHA-256, and its bytes are still to be compared with it.
    package var contents: [(path: String, sha256: String?)] {
        let lists = bodies.rollout.targets.values.map { (path: $0.path, sha256: $0.sha256 ?? "") }
        return (targets + lists).map { (FeedLayout.target($0.path, sha256: $0.sha256), $0.sha256) }
            + [FeedRole.targets, .rollout, .snapshot].map {
                (FeedLayout.metadata($0.rawValue, version: state(of: $0).version), nil)
            }
    }

    /// The change that made this state, as recorded in its snapshot. Snapshots of older versions of patchpack do not record it.
    package var change: ChangeStamp {
        let change = bodies.snapshot.change
        return ChangeStamp(time: change.time, author: change.author, reason: change.reason)
    }

    /// The change that made this state, or the last change of the list if the snapshot does not record its own.
    package var lastChange: ChangeStamp { change.time == nil ? list.change : change }

    /// Checks that a served timestamp file is not newer than the timestamp of this feed.
    ///
    /// - Throws: `feed-rollback` if it is newer, `feed-signature` if this feed's keys have not signed it.
    package func checkNotOlder(than bytes: [UInt8]) throws(PatchError) {
        let file = try SignedMetadata(bytes, name: "the served timestamp.json", type: TimestampMetadata.type)
        try file.verify(by: oldRoot.timestamp)
        let (served, own) = (try TimestampMetadata(file).version, state(of: .timestamp).version)
        guard served <= own else {
            throw PatchError(
                .feedRollback, "the served timestamp.json is of version \(served), but this folder's of version \(own)",
                hint: "another copy of the feed was changed since: work on that one")
        }
    }
}
