internal import PatchCrypto
internal import PatchFeed
internal import PatchFiles

// What a version of the app finds in the parts of the other ones, when it begins or they have synced since it did.
extension StoreFolder {
    /// What other versions know that this one may not know.
    struct News {
        let states: StoreState.News
        /// Their parts, in the order of the states.
        let folders: [StoreFolder]
    }

    /// What a part has seen of the feed.
    private struct SeenFeed {
        let list: PatchList
        /// The versions of the root and of the timestamp.
        let root: Int, timestamp: Int

        /// Whether it is newer than another one. What is not known is older than all else.
        static func isNewer(_ one: SeenFeed?, than other: SeenFeed?) -> Bool {
            guard let one, let other else { return one != nil }
            // Lists of the same second are ordered by the root, and then by the timestamp, because new keys let
            // timestamps begin anew.
            return (one.list.published, one.root, one.timestamp) > (other.list.published, other.root, other.timestamp)
        }

        /// The index of the newest; of several that are equal, the first one's. Nil if there are none.
        static func newest(_ all: [SeenFeed?]) -> Int? { all.indices.max { isNewer(all[$1], than: all[$0]) } }
    }

    /// Another version of the app, with what it knows.
    private struct Other {
        let folder: StoreFolder
        let state: StoreState
        let seen: SeenFeed?
    }

    /// What other versions know that have synced since this one did, or that have seen a newer state of the feed, or
    /// all of them if this one has not begun; nil if there are none.
    ///
    /// - Throws: `no-input` if they cannot be listed, or a state cannot be read, this time.
    func news(of app: String) throws(PatchError) -> News? {
        let parts = try listOthers()
        guard !parts.isEmpty else { return nil }
        let own = hasState ? seenFeed : nil
        var others = try knowing(parts, more: own, app)
        guard let newest = SeenFeed.newest(others.map(\.seen)) else { return nil }
        // The one that has seen the newest state comes first. The others stay in the order of their syncs.
        others.insert(others.remove(at: newest), at: 0)
        let first = others[0].seen
        let isNewer = isNewer(first, than: own)
        let states = StoreState.News(
            states: others.map(\.state), list: isNewer ? first?.list : own?.list, isNewer: isNewer)
        return News(states: states, folders: others.map(\.folder))
    }

    /// Those of other versions that may know more than this one, and whose states can be used.
    ///
    /// Who knows more does not follow from the order of the syncs, because caches may have old files. A version that
    /// has not begun knows less than all others.
    private func knowing(_ parts: [StoreFolder], more own: SeenFeed?, _ app: String) throws(PatchError) -> [Other] {
        let isNew = !hasState
        let ownSync = lastSync ?? .zero
        var others: [Other] = []
        for part in parts {
            let seen = part.seenFeed
            let hasSyncedSince = ownSync < part.lastSync ?? .zero
            guard isNew || hasSyncedSince || SeenFeed.isNewer(seen, than: own) else { continue }
            let (state, fault) = part.readState()
            // What is damaged is lost.
            if let fault, fault.code == .noInput { throw fault }
            if let state, state.app == app { others.append(Other(folder: part, state: state, seen: seen)) }
        }
        return others
    }

    /// Whether another part has seen a newer state of the feed than this one has, or this one has seen none.
    private func isNewer(_ other: SeenFeed?, than own: SeenFeed?) -> Bool {
        if own == nil, hasState, let floor = readState().state?.floor {
            // The list of this part is lost. Its state still has the time of it.
            return other.map { floor < $0.list.published } ?? false
        }
        return own == nil || SeenFeed.isNewer(other, than: own)
    }

    /// The newest state of the feed that this part has seen; nil if that is not known.
    private var seenFeed: SeenFeed? {
        guard let bytes = try? InputFile.regular(feed.appending(Path(Self.list)), limit: PatchList.byteLimit),
            let list = try? PatchList(decoding: bytes)
        else { return nil }
        let roots = ((try? Folder.names(in: feed)) ?? []).compactMap { name in
            FeedLayout.isRoot(name.description) ? Int(name.description.prefix { $0 != "." }) : nil
        }
        return SeenFeed(list: list, root: roots.max() ?? 1, timestamp: timestampVersion ?? 0)
    }

    /// The version of the timestamp that this part has; nil if it has none that can be read.
    private var timestampVersion: Int? {
        let name = "timestamp.json"
        guard let bytes = try? InputFile.regular(feed.appending(Path(name)), limit: FeedLimits().timestamp) else {
            return nil
        }
        return try? TimestampMetadata(SignedMetadata(bytes, name: name, type: TimestampMetadata.type)).version
    }

    /// The folder with the newest metadata of the feed that this version may begin with: its own, or if it has no
    /// part yet, those of the version that has seen the newest ones.
    var knownFeed: Path {
        guard !hasState else { return feed }
        let others = others()
        return SeenFeed.newest(others.map(\.seenFeed)).map { others[$0].feed } ?? feed
    }

    // MARK: taking it

    /// Copies what other versions have and this one lacks: envelopes, and the metadata of the feed if they are newer,
    /// so that no older ones are accepted.
    ///
    /// - Parameter hashes: The SHA-256 of the envelopes that this version holds, in hex digits.
    /// - Throws: `no-input` if an envelope cannot be read this time, `io` if it cannot be written.
    func copyMissing(_ hashes: [String], from news: News) throws(PatchError) {
        for hash in hashes where !hasEnvelope(hash) { try copyEnvelope(hash, from: news.folders) }
        if news.states.isNewer, let newest = news.folders.first { copyMetadata(from: newest) }
    }

    private func copyEnvelope(_ hash: String, from others: [StoreFolder]) throws(PatchError) {
        let limit = EnvelopeLimits().envelopeSize
        for other in others where other.hasEnvelope(hash) {
            do throws(PatchError) {
                return try writeEnvelope(other.envelope(hash, limit: limit), hash: hash)
            } catch {
                // One that is damaged is taken from another version, or fetched by the next sync.
                guard [.malformed, .limit].contains(error.code) else { throw error }
            }
        }
    }

    /// Copies the metadata that differ. What cannot be copied is fetched by the next sync.
    private func copyMetadata(from other: StoreFolder) {
        let names = ((try? Folder.names(in: other.feed)) ?? []).filter { !Self.isTemporary($0) }
        let files = names.compactMap { name -> OutputFile? in
            let place = feed.appending(name)
            guard let bytes = try? InputFile.regular(other.feed.appending(name), limit: Self.metadataLimit),
                !place.holds(bytes)
            else { return nil }
            return OutputFile(path: place, content: .bytes(bytes), below: root)
        }
        if !files.isEmpty { try? OutputFile.write(files, force: true) }
    }

    /// The most bytes of a file of metadata that is copied. The client has lower limits of its own for each kind.
    private static let metadataLimit = 64 << 20
}
