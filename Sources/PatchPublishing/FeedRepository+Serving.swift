package import PatchCrypto
internal import PatchFeed

// What a feed's folder has to do with the place that the feed is served from.
extension FeedRepository {
    /// The files that this state of the feed consists of, but for the root files and the timestamp.
    package var paths: [String] {
        let lists = (drafts[.rollout]?.signed["targets"]?.members ?? []).map { path, value in
            (path: path, sha256: value["hashes"]?["sha256"]?.text ?? "")
        }
        return (targets + lists).map { Self.place(of: $0.path, sha256: $0.sha256) }
            + [Role.targets, .rollout, .snapshot].map { "metadata/\(state(of: $0).version).\($0).json" }
    }

    /// A timestamp that any copy of the feed may have made.
    package struct Position: Sendable {
        /// The version of the timestamp.
        package let version: Int
        /// The version of the snapshot that it lists.
        package let snapshot: Int
        /// Whether this folder has that snapshot, so that the folder's state came after it or is it.
        package let isOwn: Bool
    }

    /// Reads a timestamp that comes from elsewhere.
    ///
    /// - Parameters:
    ///   - root: The root file to trust.
    ///   - read: Reads a file of the feed's folder.
    /// - Throws: `feed-malformed`, or `feed-signature` if no root of the feed allows it.
    package static func position(
        of timestamp: [UInt8], root: [UInt8], _ read: (String) throws(PatchError) -> [UInt8]?
    ) throws(PatchError) -> Position {
        let name = "the deployed timestamp.json"
        let file = try SignedMetadata(timestamp, name: name, type: Role.timestamp.type)
        // An older root's keys have signed what was deployed before the keys changed.
        let keys = try roots(from: root, read).reversed().map(\.root.timestamp)
        let metadata = try TimestampMetadata(verified(file, by: keys) {})
        let path = "metadata/\(metadata.snapshot.version).snapshot.json"
        let own = try read(path)
        let isOwn = own.map { bytes in (try? metadata.snapshot.file.check(bytes, of: path)) != nil } ?? false
        return Position(version: metadata.version, snapshot: metadata.snapshot.version, isOwn: isOwn)
    }
}
