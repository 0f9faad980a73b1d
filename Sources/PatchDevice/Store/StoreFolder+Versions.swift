internal import PatchCrypto
internal import PatchFeed
internal import PatchFiles
internal import PatchRunner

// The parts of a folder that several versions of the app share. Each version writes its own part and reads the others, so nothing
// is written by two processes at once, and no version takes anything away from another one.
extension StoreFolder {
    /// The parts of the other versions, the one that synced last first; empty if they cannot be listed.
    func others() -> [StoreFolder] { ((try? Self.parts(of: root)) ?? []).filter { $0.path != path } }

    /// The parts of all versions, the one that synced last first. A folder that an older version of this library has made is one,
    /// too.
    private static func parts(of root: Path) throws(PatchError) -> [StoreFolder] {
        let folder = root.appending(versions)
        let names = FileInfo(folder, following: false)?.isFolder == true ? try Folder.names(in: folder) : []
        let parts = names.filter { AppVersion($0.description) != nil }
            .map { StoreFolder(root: root, part: folder.appending($0)) }
            .filter { FileInfo($0.path, following: false)?.isFolder == true }
        let old = StoreFolder(root: root, part: root)
        return (parts + (old.hasState || old.hasBans ? [old] : [])).map { ($0, $0.lastSync ?? .zero, $0.lastUse) }
            .sorted { ($0.1, $0.2) > ($1.1, $1.2) }.map(\.0)
    }

    /// What other versions have banned or revoked.
    func bansOfOthers() -> [StoreState.Bans] { others().map { $0.readBans() } }

    /// What other versions know that this one may not know.
    struct News {
        let states: StoreState.News
        /// Their parts, in the order of the states.
        let folders: [StoreFolder]
    }

    /// What other versions know that have synced since this one did, or that have seen a newer state of the feed, or all of
    /// them if this one has not begun; nil if there are none.
    ///
    /// Who knows more does not follow from the order of the syncs, because caches may have old files.
    ///
    /// - Throws: `no-input` if they cannot be listed, or a state cannot be read, this time.
    func news(of app: String) throws(PatchError) -> News? {
        let parts = try Self.parts(of: root).filter { $0.path != path }
        guard !parts.isEmpty else { return nil }
        let (last, own) = hasState ? (lastSync ?? .zero, seen) : (nil, nil)
        var known: [(folder: StoreFolder, state: StoreState, seen: Seen?)] = []
        for other in parts {
            let seen = other.seen
            guard last.map({ $0 < other.lastSync ?? .zero }) ?? true || Self.isNewer(seen, than: own) else { continue }
            let (state, fault) = other.readState()
            // What is damaged is lost.
            if let fault, fault.code == .noInput { throw fault }
            if let state, state.app == app { known.append((other, state, seen)) }
        }
        // The one that has seen the newest state comes first. The others stay in the order of their syncs.
        guard let newest = Self.newest(known.map(\.seen)) else { return nil }
        let first = known.remove(at: newest)
        known.insert(first, at: 0)
        let isNewer: Bool
        if own == nil, hasState, let floor = readState().state?.floor {
            // The list of this part is lost. Its state still has the time of it.
            isNewer = first.seen.map { floor < $0.list.published } ?? false
        } else {
            isNewer = own == nil || Self.isNewer(first.seen, than: own)
        }
        return News(
            states: StoreState.News(
                states: known.map(\.state), list: isNewer ? first.seen?.list : own?.list, isNewer: isNewer),
            folders: known.map(\.folder))
    }

    /// The newest state of a feed that a part has seen.
    private struct Seen {
        let list: PatchList
        let root: Int, timestamp: Int
    }

    /// The place of the newest; the first of several that are equal.
    private static func newest(_ seen: [Seen?]) -> Int? {
        seen.indices.max { isNewer(seen[$1], than: seen[$0]) }
    }

    private static func isNewer(_ seen: Seen?, than other: Seen?) -> Bool {
        guard let seen, let other else { return seen != nil }
        // Lists of the same second are ordered by the root, and then by the timestamp, because new keys let timestamps
        // begin anew.
        return (other.list.published, other.root, other.timestamp)
            < (seen.list.published, seen.root, seen.timestamp)
    }

    /// What the feed offered in the newest state that this part has seen; nil if that is not known.
    private var seen: Seen? {
        guard let bytes = try? InputFile.regular(feed.appending(Path(Self.list)), limit: PatchList.byteLimit),
            let list = try? PatchList(decoding: bytes)
        else { return nil }
        let roots = ((try? Folder.names(in: feed)) ?? []).compactMap { name in
            FeedLayout.isRoot(name.description) ? Int(name.description.prefix { $0 != "." }) : nil
        }
        let name = "timestamp.json"
        let file = try? InputFile.regular(feed.appending(Path(name)), limit: FeedLimits().timestamp)
        let timestamp = file.flatMap { bytes in
            try? TimestampMetadata(SignedMetadata(bytes, name: name, type: TimestampMetadata.type)).version
        }
        return Seen(list: list, root: roots.max() ?? 1, timestamp: timestamp ?? 0)
    }

    /// Another app that the folder belongs to; nil if it belongs to this one, or to none yet.
    func otherApp(than app: String) -> String? {
        others().lazy.compactMap { $0.readState().state?.app }.first { $0 != app }
    }

    /// The state of a folder that an older version of this library has made for this version of the app, unless that still runs.
    func oldState(of version: AppVersion) -> StoreState? {
        let old = StoreFolder(root: root, part: root)
        guard old.hasState, let state = old.readState().state, state.appVersion == version else { return nil }
        return (try? Folder.lock(root, isShared: true)) == nil ? nil : state
    }

    /// When a version of the app has last written its part, since 1970.
    private var lastUse: Duration {
        lastWrite ?? FileInfo(path, following: true)?.modified ?? .zero
    }

    /// The folder with the feed's metadata. A part that has not begun, or cannot be written, has those of the version that
    /// has seen the newest ones.
    var knownFeed: Path {
        guard !hasState else { return feed }
        let others = others()
        return Self.newest(others.map(\.seen)).map { others[$0].feed } ?? feed
    }

    /// An envelope of any part. Its name is its hash, which tells whether it is the right one.
    ///
    /// - Throws: What ``envelope(_:limit:)`` throws for this part, if no other one has it.
    func anyEnvelope(_ hash: String, limit: Int) throws(PatchError) -> [UInt8] {
        do throws(PatchError) {
            return try envelope(hash, limit: limit)
        } catch {
            for other in others() {
                if let envelope = try? other.envelope(hash, limit: limit) { return envelope }
            }
            throw error
        }
    }

    /// Copies what other versions have and this one lacks: envelopes, and the metadata of the feed if they are newer, so
    /// that no older ones are accepted.
    ///
    /// - Throws: `no-input` if an envelope cannot be read this time, `io` if it cannot be written.
    func take(_ hashes: [String], from news: News) throws(PatchError) {
        let others = news.folders
        let limit = EnvelopeLimits().envelopeSize
        for hash in hashes where !hasEnvelope(hash) {
            for other in others where other.hasEnvelope(hash) && !hasEnvelope(hash) {
                do throws(PatchError) {
                    try write(other.envelope(hash, limit: limit), hash: hash)
                } catch {
                    // One that is damaged is fetched by the next sync.
                    if error.code != .malformed { throw error }
                }
            }
        }
        guard news.states.isNewer, let newest = others.first else { return }
        let names = ((try? Folder.names(in: newest.feed)) ?? []).filter { !Self.isTemporary($0) }
        let files = names.compactMap { name -> OutputFile? in
            let (old, new) = (feed.appending(name), newest.feed.appending(name))
            guard let bytes = try? InputFile.regular(new, limit: Self.metadataLimit), !old.holds(bytes) else {
                return nil
            }
            return OutputFile(path: old, content: .bytes(bytes), below: root)
        }
        // What is missing is fetched by the next sync.
        if !files.isEmpty { try? OutputFile.write(files, force: true) }
    }

    private static let metadataLimit = 64 << 20

    /// The name of the installation, which all versions and processes share: the one that is noted, or else a new one, which is
    /// noted then.
    ///
    /// - Parameter replacesDamaged: Whether a file that is no name is replaced, which only a process that writes may do.
    func installation(or new: String, replacesDamaged: Bool) -> String {
        let file = root.appending(Path("installation"))
        var noted: String? {
            guard let bytes = try? InputFile.regular(file, limit: new.utf8.count), bytes.count == new.utf8.count,
                bytes.allSatisfy(Hex.isLowercaseDigit)
            else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        if let noted { return noted }
        // What another process has just noted is not damaged.
        if replacesDamaged, FileInfo(file, following: false) != nil, noted == nil { try? Folder.removeAll(file) }
        // If two processes begin at once, the name of the first one counts.
        try? OutputFile.write([OutputFile(path: file, content: .bytes(Array(new.utf8)), below: root)], force: false)
        return noted ?? new
    }

    /// Removes the parts of versions that do not run.
    ///
    /// - Parameter time: Keeps parts that were written later than this time since 1970; nil keeps none.
    func removeOthers(unusedSince time: Duration?) {
        for other in others() where time.map({ other.lastUse < $0 }) ?? true {
            guard let lock = try? Folder.lock(other.path) else { continue }
            withExtendedLifetime(lock) { other.removePart() }
        }
    }

    private func removePart() {
        guard path != root else {
            for name in Self.names { try? Folder.removeAll(root.appending(Path(name))) }
            return
        }
        // In one step, so that a process that begins meanwhile finds all of it, or nothing.
        let aside = path.parent.appending(Path(".patchpack-\(path.name).tmp"))
        try? Folder.removeAll(aside)
        guard (try? Folder.rename(path, to: aside.name)) != nil else { return }
        try? Folder.removeAll(aside)
    }

    private static let names = ["state", "state.unread", "mark", "bans", "envelopes", "feed", "synced", "syncing"]

    // MARK: a tool

    /// The app that a folder belongs to: each version of it that has a part, the one that synced last first.
    ///
    /// - Throws: `no-input` if there is no state, `malformed` or `config` if none can be read.
    static func hosts(in root: Path) throws(PatchError) -> [HostInfo] {
        var states: [StoreState] = []
        var fault: PatchError?
        for part in try parts(of: root) {
            let (state, problem) = part.readState()
            fault = fault ?? problem
            // A version may have a part, and an older one in the folder itself.
            if let state, !states.contains(where: { $0.appVersion == state.appVersion }) { states.append(state) }
        }
        guard states.isEmpty else {
            return try states.map { state throws(PatchError) in
                try HostInfo(app: state.app, version: state.appVersion.description)
            }
        }
        throw fault ?? PatchError(.noInput, "not a store: it has no state", remedy: StoreRemedy.sync).about(root)
    }
}

/// A remedy for an error of a device's folder. A tool words it in terms of its own verbs.
package enum StoreRemedy: PatchError.Remedy {
    /// Sync, which makes the state.
    case sync
}
