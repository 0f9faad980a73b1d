import PatchCrypto
import PatchFeed
import PatchFiles

/// The folder of a feed: what is uploaded, and what waits for signatures.
struct FeedFolder: Sendable {
    let path: Path
    /// The largest file that is read: a targets file, or an envelope.
    static let fileLimit = 64 << 20

    /// Reads a file of the feed; nil if there is none.
    func read(_ name: String, limit: Int = fileLimit) throws(PatchError) -> [UInt8]? {
        let file = path.appending(Path(name))
        guard FileInfo(file, following: true) != nil else { return nil }
        let bytes = try InputFile.contents(of: file, limit: limit)
        guard bytes.count <= limit else {
            throw PatchError(.feedLimit, "more than \(limit) bytes").about(file)
        }
        return bytes
    }

    /// The feed in the folder.
    func repository() throws(PatchError) -> FeedRepository {
        try FeedRepository { (name) throws(PatchError) in try read(name) }
    }

    /// The feed in the folder, and whether a change waits for signatures; if so, with that change.
    func repositoryWithChange() throws(PatchError) -> (feed: FeedRepository, isStaged: Bool) {
        var feed = try repository()
        let isStaged = try feed.takeUp { (name) throws(PatchError) in try read(name) }
        return (feed, isStaged)
    }

    /// The feed with the change that waits for signatures.
    ///
    /// - Throws: `config` if there is none.
    func staged() throws(PatchError) -> FeedRepository {
        let (feed, isStaged) = try repositoryWithChange()
        guard isStaged else { throw PatchError(.config, "nothing waits for signatures").about(path) }
        return feed
    }

    /// Writes files in their order. A file with a version or a hash in its name is never replaced.
    func write(_ files: [FeedRepository.File]) throws(PatchError) {
        var new: [OutputFile] = []
        for file in files {
            let place = path.appending(Path(file.path))
            // What an interrupted run has left, or what another change published before.
            guard !place.holds(file.bytes) else { continue }
            guard file.replaces || FileInfo(place, following: false) == nil else {
                throw PatchError(
                    .exists, "exists with other bytes, and is never replaced",
                    hint: "is another copy of this feed older or newer? work on the newest one"
                ).about(place)
            }
            try Folder.make(place.parent)
            new.append(OutputFile(path: place, content: .bytes(file.bytes)))
        }
        // Clients read the timestamp first, so what it leads to is in its place before it.
        let timestamp = files.first { $0.replaces && $0.path.hasSuffix("timestamp.json") }.map {
            path.appending(Path($0.path))
        }
        let index = new.firstIndex { $0.path == timestamp } ?? new.count
        try OutputFile.write(Array(new[..<index]), force: true)
        for file in new[index...] { try OutputFile.write([file], force: true) }
    }

    /// The SHA-256 of each envelope that was ever published for an app, by its name.
    func published(for app: String) throws(PatchError) -> [String: String] {
        let place = path.appending(Path("targets/patches/\(app)"))
        guard place.isFolder else { return [:] }
        var digests: [String: String] = [:]
        for name in try Folder.names(in: place) {
            let parts = name.description.split(separator: ".", maxSplits: 1).map(String.init)
            if parts.count == 2 { digests[parts[1]] = parts[0] }
        }
        return digests
    }

    /// Removes what waits for signatures.
    func discardStaged() throws(PatchError) {
        for name in FeedRepository.stagedPaths { try Folder.remove(path.appending(Path(name))) }
    }
}

/// Trusted metadata that are forgotten at the end.
struct NoStorage: FeedStorage {
    func read(_ name: String, limit: Int) -> [UInt8]? { nil }
    func write(_ name: String, _ bytes: [UInt8]) throws(PatchError) {}
    func remove(_ name: String) throws(PatchError) {}
}
