package import PatchCrypto
internal import PatchFeed
package import PatchFiles

/// The folder of a feed: the files to upload, and the change that waits for signatures.
package struct FeedFolder: Sendable {
    package let path: Path
    /// The maximum size of a file that is read, in bytes. The largest files are targets files and envelopes.
    package static let fileLimit = 64 << 20

    package init(path: Path) { self.path = path }

    /// Reads a file of the feed of at most ``fileLimit`` bytes.
    package func read(_ name: String) throws(PatchError) -> [UInt8]? { try read(name, limit: Self.fileLimit) }

    /// Reads a file of the feed; nil if there is none.
    ///
    /// - Throws: `feed-limit` if it has more bytes, `feed-malformed` if git has marked a conflict in it, `no-input` if
    ///   it cannot be read.
    package func read(_ name: String, limit: Int) throws(PatchError) -> [UInt8]? {
        let file = path.appending(Path(name))
        do throws(PatchError) {
            let bytes = try InputFile.regularIfThere(file, limit: limit)
            guard bytes?.starts(with: "<<<<<<< ".utf8) != true else {
                throw PatchError(
                    .feedMalformed, "\(name): has git's marks of a conflict",
                    hint: "take one side of the whole folder (git checkout --ours DIR), and make the other change again"
                )
            }
            return bytes
        } catch {
            throw error.code == .limit ? PatchError(.feedLimit, error.message).about(file) : error
        }
    }

    /// The feed in the folder, read starting from a trusted root.
    package func repository(
        root: [UInt8], isInterrupted: Bool = false, snapshot: Int? = nil
    ) throws(PatchError) -> FeedRepository {
        try path.naming { () throws(PatchError) in
            try FeedRepository(root: root, isInterrupted: isInterrupted, snapshot: snapshot, read)
        }
    }

    /// The feed in the folder, trusting its own first root file. Use it to look at a feed, not to sign it.
    package func ownRepository() throws(PatchError) -> FeedRepository {
        try FeedRepository(trustingItself: read)
    }

    /// Checks that devices read the state of this folder.
    ///
    /// - Throws: `feed-rollback` if an older state is served, `feed-conflict` if it has a change that this folder does
    ///   not have.
    package func check(served timestamp: [UInt8], by name: String, root: [UInt8]) throws(PatchError) {
        let feed = try repository(root: root)
        let position = try feed.position(of: timestamp, called: "\(name): timestamp.json", root: root, read)
        guard position.isOwn else { throw .otherCopy(name, position) }
        let own = feed.state(of: .timestamp).version
        guard position.version >= own else {
            throw PatchError(
                .feedRollback, "\(name): has timestamp \(position.version), and \(path) has \(own)",
                remedy: .deployOrPurge)
        }
    }

    /// A feed with the change that waits for signatures; nil if none waits.
    ///
    /// - Parameter floor: A version that the change may pass by, as it was staged.
    package func staged(on feed: FeedRepository, above floor: Int = 0) throws(PatchError) -> FeedRepository? {
        var feed = feed
        return try feed.loadStagedChange(above: floor, reading: read) ? feed : nil
    }

    /// Writes files in order. A file with a version or a hash in its name is never replaced.
    ///
    /// - Throws: `exists` if such a file is there with other bytes, `io` if writing fails.
    package func write(_ files: [FeedFile]) throws(PatchError) {
        var new: [OutputFile] = []
        for file in files {
            let place = path.appending(Path(file.path))
            // An interrupted run has left it, or another change has published it before.
            if let there = FileInfo(place, following: true), there.size == file.size {
                guard try !place.holds(file.bytes) else { continue }
            }
            guard file.replaces || FileInfo(place, following: false) == nil else {
                throw PatchError(
                    .exists, "exists with other bytes, and is never replaced",
                    hint: "is another copy of this feed older or newer? work on the newest one"
                ).about(place)
            }
            let content = OutputFile.Content.later { () throws(PatchError) in try file.bytes }
            // Other folders of a feed may be links.
            let base = file.path.hasPrefix("\(FeedLayout.stagedFolder)/") ? path : nil
            new.append(OutputFile(path: place, content: content, below: base, hasLaterTime: file.replaces))
        }
        // Clients read the timestamp first, so the files that it leads to are put in place before it.
        let timestamp = path.appending(Path(FeedLayout.timestamp))
        let index = new.firstIndex { $0.path == timestamp } ?? new.count
        try OutputFile.write(Array(new[..<index]), force: true)
        for file in new[index...] { try OutputFile.write([file], force: true) }
    }

    /// A file that keeps git from changing and merging the files of a new feed; empty if a file of that name exists.
    var attributes: [FeedFile] {
        let name = ".gitattributes"
        guard FileInfo(path.appending(Path(name)), following: false) == nil else { return [] }
        return [FeedFile(path: name, bytes: Array("* -text -merge\n".utf8), replaces: false)]
    }

    /// The SHA-256 of each envelope that was ever published for an app, by its name.
    package func published(for app: String) throws(PatchError) -> [String: String] {
        let place = path.appending(Path(FeedLayout.envelopeFolder(of: app)))
        guard place.isFolder else { return [:] }
        var digests: [String: String] = [:]
        for name in try Folder.names(in: place) {
            let parts = name.description.split(separator: ".", maxSplits: 1).map(String.init)
            if parts.count == 2 { digests[parts[1]] = parts[0] }
        }
        return digests
    }

    /// The lowest version of each role that has no file.
    package func unusedVersions() throws(PatchError) -> [FeedRole: Int] {
        let names = Set(try Folder.names(in: path.appending(Path(FeedLayout.metadataFolder))).map(\.description))
        var unused: [FeedRole: Int] = [:]
        for role in FeedRole.allCases {
            var version = 1
            while names.contains("\(version).\(role).json") { version += 1 }
            unused[role] = version
        }
        return unused
    }

    /// The trust store that a feed delivers; nil if it delivers none.
    package func trustStore(of feed: FeedRepository) throws(PatchError) -> [UInt8]? {
        try path.naming { () throws(PatchError) in
            try feed.trustStore { (file) throws(PatchError) in try read(file, limit: PatchList.trustLimit) }
        }
    }

    /// The keys of the trust store that a feed delivers, one line per key.
    package func trustedKeys(of feed: FeedRepository) throws(PatchError) -> [String] {
        guard let bytes = try trustStore(of: feed) else { return [] }
        let place = Path(PatchList.trustPath(for: feed.app))
        return try place.naming { () throws(PatchError) in try TrustStore(decoding: bytes, rsaDefault: .rsaSHA1).keys }
            .map { entry in
                let name = entry.name.map { " \($0)" } ?? ""
                let end = entry.expires.map { ", until \($0)" } ?? ""
                return "key \(entry.key.id)\(name)\(end)\(entry.isRevoked ? ", revoked" : "")"
            }
    }

    /// Checks that the devices of a feed accept a trust store: it is for them, and newer than the current one.
    ///
    /// - Throws: `config` if they do not.
    package func checkTrustStore(
        _ label: SignedTrustStore.Label, _ bytes: [UInt8], in feed: FeedRepository
    ) throws(PatchError) {
        guard label.app.isByteEqual(to: feed.app), label.environment.isByteEqual(to: feed.environment) else {
            throw PatchError(
                .config,
                "the store is signed for \(label.app) \(label.environment), and the feed is of \(feed.app) \(feed.environment)",
                remedy: .signStore(app: feed.app, environment: feed.environment))
        }
        guard let old = try trustStore(of: feed), old != bytes, let known = try? SignedTrustStore(old).label,
            known.app == label.app, known.environment == label.environment, known.number >= label.number
        else { return }
        throw PatchError(
            .config, "the store has the number \(label.number), and the feed delivers one with \(known.number)",
            remedy: .signStoreAgain)
    }

    /// Whether a path leads to this folder or into it, whether or not the last folders of the path exist.
    package func contains(_ place: Path) -> Bool {
        guard let own = FileInfo(path, following: true)?.identity else { return false }
        var folder = place
        while !folder.isFolder, folder.parent != folder { folder = folder.parent }
        // The system names the folders above: the path may be relative, or have `..` and links in it.
        var below: FileInfo.Identity?
        while let identity = FileInfo(folder, following: true)?.identity, identity != below {
            if identity == own { return true }
            below = identity
            folder = folder.appending(Path(".."))
        }
        return false
    }

    /// The patches that are not withdrawn, and that no other keys have signed.
    package func patches(of feed: FeedRepository, signedOnlyBy keys: Set<KeyID>) throws(PatchError) -> [String] {
        guard !keys.isEmpty else { return [] }
        var names: [String] = []
        for entry in feed.list.entries where entry.state != .withdrawn {
            guard let target = entry.path, let digest = feed.digest(of: target),
                let bytes = try read(FeedLayout.target(target, sha256: digest))
            else { continue }
            let envelope = try path.naming { () throws(PatchError) in try UnverifiedEnvelope(bytes) }
            if envelope.signatures.allSatisfy({ keys.contains($0.keyID) }) {
                names.append(entry.name)
            }
        }
        return names
    }

    /// What differs after any change of the feed, or of the change that waits for signatures. That one is not read:
    /// whatever is in its place, a patch can be stopped.
    struct State: Equatable {
        let timestamp: [UInt8]?
        let staged: [FileInfo?]
    }

    func state() throws(PatchError) -> State {
        State(timestamp: try read(FeedLayout.timestamp), staged: stagedFiles)
    }

    /// Whether it is the folder of a feed, sound or not.
    package func hasFeed() -> Bool { FileInfo(path.appending(Path(FeedLayout.timestamp)), following: true) != nil }

    package func hasStaged() -> Bool { stagedFiles.contains { $0 != nil } }

    private var stagedFiles: [FileInfo?] {
        FeedRepository.stagedPaths.map { FileInfo(path.appending(Path($0)), following: false) }
    }

    /// Removes the change that waits for signatures, whatever it is. A link is removed itself.
    package func discardStaged() throws(PatchError) {
        try Folder.removeAll(path.appending(Path(FeedLayout.stagedFolder)))
    }
}
