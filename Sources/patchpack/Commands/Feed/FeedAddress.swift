import PatchCrypto
import PatchFeed
import PatchFiles
import PatchHTTP
import PatchPublishing

/// A state of a feed: a folder or server, and one of its snapshots.
struct FeedAddress {
    private let place: String
    private let arguments: ParsedArguments
    /// Its name, without a password.
    var name: String { HTTPSource.shown(place) }
    let snapshot: Int?

    /// - Parameter text: A name such as `feed`, `feed@12` or `https://example.com/feed`.
    init(_ text: String, _ arguments: ParsedArguments) {
        self.arguments = arguments
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        snapshot = parts.count > 1 ? parts.last.flatMap { Int($0) } : nil
        let withoutSnapshot = parts.dropLast().joined(separator: "@")
        place = HTTPSource.withLowerScheme(snapshot == nil ? text : withoutSnapshot)
    }

    var isServed: Bool { URLPath.isServed(place) }

    /// Whether a feed is on a server.
    ///
    /// - Throws: `feedUnavailable` if it is neither a folder nor a URL.
    static func check(_ place: String) throws(PatchError) -> Bool {
        guard !URLPath.isServed(place) else { return true }
        guard Path(place).isFolder else {
            throw PatchError(
                .feedUnavailable, "\(HTTPSource.shown(place)): there is no such folder",
                hint: "give the folder of a feed, or its URL, which begins with https://")
        }
        return false
    }

    func read(_ path: String) throws(PatchError) -> [UInt8]? {
        guard isServed else { return try FeedFolder(path: Path(place)).read(path) }
        let reply = try FeedReading.Server(place, arguments).fetch(path, limit: FeedLimits().targets)
        guard case .bytes(let bytes) = reply.content else { return nil }
        return bytes
    }

    func hasStaged() -> Bool { !isServed && snapshot == nil && FeedFolder(path: Path(place)).hasStaged() }

    /// - Throws: `feed-unavailable` if the chain of snapshots does not reach the state, which then need not be this
    ///   feed's.
    func feed(_ root: [UInt8]?) throws(PatchError) -> FeedRepository {
        let isServed = try Self.check(place)
        let isBesideServed = arguments.operands.contains { URLPath.isServed(HTTPSource.withLowerScheme($0.text)) }
        if !isServed, !isBesideServed { try FeedReading.refuseSettings(arguments, of: place) }
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

    func history(_ root: [UInt8]?, _ console: Console?) -> FeedHistory {
        var count = 0
        return FeedHistory(reading: read) { (number) throws(PatchError) in
            count += 1
            console?.status("\(count) states are read")
            return try feed(root, at: number)
        }
    }
}
