package import PatchCrypto
internal import PatchFeed
package import PatchFiles

/// The root file that a signer trusts. It never comes from the feed's own folder, because a thief who can write there
/// could name other keys.
///
/// It is the file that the caller names, or one beside a private key. Making a feed or changing its keys writes that
/// file. Its name identifies the feed: it has the beginning of the SHA-256 of the feed's first root file.
package struct PinnedRoot: Sendable {
    private let folder: FeedFolder
    private let given: Path?
    private let places: [Path]
    private let hasKey: Bool
    private let keyIDs: Set<String>
    private let takesOwn: Bool

    /// - Parameters:
    ///   - given: The root file that the caller names; nil for one beside a key.
    ///   - keys: The files of the keys at hand.
    ///   - keyIDs: The ids of the keys at hand, as far as they are known.
    ///   - hasKey: Whether there is any key at hand, including one that is not a file.
    ///   - takesOwn: Whether the folder's own root file is enough if there is no key.
    package init(
        of folder: FeedFolder, given: Path?, keys: [Path], keyIDs: Set<String> = [], hasKey: Bool,
        takesOwn: Bool = false
    ) {
        self.keyIDs = keyIDs
        self.takesOwn = takesOwn
        self.folder = folder
        self.given = given
        self.hasKey = hasKey
        var places: [Path] = []
        for parent in keys.map(\.parent) where !places.contains(parent) { places.append(parent) }
        self.places = places
    }

    /// Reads a root file that the caller names.
    ///
    /// - Throws: `feed-malformed` if it is another file, `no-input` or `config` if it cannot be read.
    package static func bytes(of file: Path) throws(PatchError) -> [UInt8] {
        let bytes = try InputFile.small(file)
        do throws(PatchError) {
            _ = try RootMetadata(SignedMetadata(bytes, name: file.description, type: "root"))
        } catch {
            throw error.hinting(error.hint ?? "name the feed's 1.root.json, as the app has it")
        }
        return bytes
    }

    /// The root to trust.
    ///
    /// - Throws: `usage` if there is neither a key nor a root file, `config` if there is none beside the keys, or no
    ///   role of the feed has one of them, `feed-unavailable` if the folder has no feed, and the errors of reading a
    ///   root file.
    package func root() throws(PatchError) -> [UInt8] {
        if let given { return try Self.bytes(of: given) }
        guard let first = try folder.read(FeedLayout.firstRoot) else {
            throw PatchError.noFeed(FeedLayout.firstRoot).about(folder.path)
        }
        var newest: (version: Int, bytes: [UInt8])?
        for file in try files("root.json", of: first) where FileInfo(file, following: true) != nil {
            let bytes = try InputFile.regular(file, limit: FeedLimits().root)
            let version = try file.naming { () throws(PatchError) in try FeedRepository.version(ofRoot: bytes) }
            if version > (newest?.version ?? 0) { newest = (version, bytes) }
        }
        guard let newest else {
            guard hasKey else {
                if takesOwn { return first }
                throw PatchError(.usage, "no key", remedy: .giveKeyOrRoot).about(folder.path)
            }
            // The folder's own root proves nothing, but a wrong key should be reported.
            if !keyIDs.isEmpty, let feed = try? folder.ownRepository(),
                keyIDs.isDisjoint(with: FeedRole.allCases.flatMap { feed.keys(of: $0).ids })
            {
                throw PatchError(
                    .config, "no role of this feed has the key \(FeedKey.short(keyIDs.sorted()))", remedy: .lookAtKeys
                ).about(folder.path)
            }
            let reason = places.isEmpty ? "; a key that is not a file has none beside it" : ""
            throw PatchError(
                .config, "no root file to trust: its own \(FeedLayout.firstRoot) proves nothing\(reason)",
                remedy: .giveRoot(sha256: try MessageDigest.sha256.text(of: first))
            ).about(folder.path)
        }
        return newest.bytes
    }

    /// Refuses a folder that is older than the last state that was signed with these keys.
    ///
    /// Otherwise, a thief could restore an old state and have it signed again.
    ///
    /// - Parameters:
    ///   - version: The version of the folder's timestamp.
    ///   - floor: The version that the change passes by. From there on, the state that was signed last is given up.
    /// - Throws: `feed-rollback`.
    package func check(_ version: Int, above floor: Int = 0) throws(PatchError) {
        for file in try files("signed", of: folder.read(FeedLayout.firstRoot)) {
            guard let bytes = try? InputFile.regular(file, limit: Self.longestNote),
                let newest = Int(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)),
                newest > max(version, floor)
            else { continue }
            throw PatchError(
                .feedRollback,
                "\(FeedLayout.timestamp): is of version \(version), but version \(newest) was signed with the key beside \(file)",
                remedy: .takeNewestOrPass(newest)
            ).about(folder.path)
        }
    }

    /// The most bytes of a file with a version and a line feed.
    private static let longestNote = 32

    /// Records beside each key which timestamp was signed last. If the file cannot be written, there is no such check.
    package func noteSigned(_ version: Int) throws(PatchError) {
        for file in try files("signed", of: folder.read(FeedLayout.firstRoot)) {
            try? OutputFile.write(Array("\(version)\n".utf8), to: file, force: true)
        }
    }

    /// Saves a root beside each private key, so that the next signer trusts it.
    ///
    /// - Returns: The files that could not be written.
    package func keep(_ root: [UInt8]) throws(PatchError) -> [Path] {
        var failed: [Path] = []
        for file in try files("root.json", of: folder.read(FeedLayout.firstRoot)) where !file.holds(root) {
            do throws(PatchError) { try OutputFile.write(root, to: file, force: true) } catch { failed.append(file) }
        }
        return failed
    }

    /// The files beside the keys that have the name of a feed, which its first root file identifies.
    private func files(_ end: String, of first: [UInt8]?) throws(PatchError) -> [Path] {
        guard let first else { return [] }
        let name = Path("feed-\(try MessageDigest.sha256.text(of: first).prefix(16)).\(end)")
        return places.map { $0.appending(name) }
    }
}
