import PatchCrypto
import PatchFeed
import PatchFiles
import PatchHTTP
import PatchPublishing

/// A state of a feed: a folder or server, and one of its snapshots.
struct FeedAddress {
    /// The folder or the URL, without the snapshot.
    private let place: String
    private let arguments: ParsedArguments
    /// Its name, without a password.
    var name: String { HTTPSource.shown(place) }
    /// The number of the snapshot; nil for the current state.
    let snapshot: Int?

    /// - Parameter text: A name such as `feed`, `feed@12` or `https://example.com/feed`.
    init(_ text: String, _ arguments: ParsedArguments) {
        self.arguments = arguments
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        snapshot = parts.count > 1 ? parts.last.flatMap { Int($0) } : nil
        let withoutSnapshot = parts.dropLast().joined(separator: "@")
        place = HTTPSource.withLowerScheme(snapshot == nil ? text : withoutSnapshot)
    }

    /// Whether it is a URL.
    var isServed: Bool { URLPath.isServed(place) }

    /// Whether a feed is on a server, and not in a folder.
    ///
    /// - Throws: `feed-unavailable` if it is neither a folder nor a URL.
    static func isOnServer(_ place: String) throws(PatchError) -> Bool {
        guard !URLPath.isServed(place) else { return true }
        guard Path(place).isFolder else {
            throw PatchError(
                .feedUnavailable, "\(HTTPSource.shown(place)): there is no such folder",
                hint: "give the folder of a feed, or its URL, which begins with https://")
        }
        return false
    }

    /// Reads a file of the feed; nil if it is missing.
    func read(_ path: String) throws(PatchError) -> [UInt8]? {
        guard isServed else { return try FeedFolder(path: Path(place)).read(path) }
        let reply = try FeedReading.Server(place, arguments).fetch(path, limit: FeedLimits().targets)
        guard case .bytes(let bytes) = reply.content else { return nil }
        return bytes
    }

    func hasStaged() -> Bool { !isServed && snapshot == nil && FeedFolder(path: Path(place)).hasStaged() }

    /// The feed in this state.
    ///
    /// - Parameter root: The root file to trust; nil trusts the feed's own first one.
    /// - Throws: `feed-unavailable` if there is no feed, or if the chain of snapshots does not reach the state, which
    ///   then need not be this feed's; `config` if it has no such state, `usage` if an option has no effect.
    func feed(_ root: [UInt8]?) throws(PatchError) -> FeedRepository {
        let isServed = try Self.isOnServer(place)
        let isBesideServed = arguments.operands.contains { URLPath.isServed(HTTPSource.withLowerScheme($0.text)) }
        if !isServed, !isBesideServed { try FeedReading.refuseSettings(arguments, of: place) }
        // Another operand may be a URL, which is read later.
        _ = try FeedReading.settings(arguments)
        let feed = try feed(root, at: nil)
        guard let snapshot else { return feed }
        return try Path(name).naming { () throws(PatchError) in
            let (state, gap) = try history(root, nil).state(at: snapshot, from: feed)
            if let gap { throw gap }
            return state
        }
    }

    private func feed(_ root: [UInt8]?, at snapshot: Int?) throws(PatchError) -> FeedRepository {
        var first = root
        if first == nil { first = try read(FeedLayout.firstRoot) }
        guard let first else {
            throw PatchError(
                .feedUnavailable, "\(name): \(FeedLayout.firstRoot): missing, so this is not the folder of a feed")
        }
        return try Path(name).naming { () throws(PatchError) in
            try FeedRepository(root: first, snapshot: snapshot, read)
        }
    }

    /// The earlier states of the feed.
    ///
    /// - Parameter console: Shows how many of them are read; nil shows nothing.
    func history(_ root: [UInt8]?, _ console: Console?) -> FeedHistory {
        var count = 0
        return FeedHistory(reading: read) { (number) throws(PatchError) in
            count += 1
            console?.status("\(count) states are read")
            return try feed(root, at: number)
        }
    }
}
