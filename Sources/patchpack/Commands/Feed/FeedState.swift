import PatchCrypto
import PatchFeed
import PatchFiles
import PatchHTTP
import PatchPublishing

/// A state of a feed: a folder or server, and one of its snapshots.
struct FeedState {
    private let place: String
    /// Its name, without a password.
    var name: String { HTTPSource.shown(place) }
    let snapshot: Int?

    /// - Parameter text: A name such as `feed`, `feed@12` or `https://example.com/feed`.
    init(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let number = parts.count > 1 ? parts.last.flatMap { Int($0) } : nil
        snapshot = number
        place = number == nil ? text : String(text.dropLast((parts.last?.count ?? 0) + 1))
    }

    private init(_ place: String, snapshot: Int?) {
        self.place = place
        self.snapshot = snapshot
    }

    /// The same feed at another snapshot.
    func at(_ snapshot: Int) -> FeedState { FeedState(place, snapshot: snapshot) }

    var isServed: Bool { place.hasPrefix("https://") || place.hasPrefix("http://") }

    func read(_ path: String, _ arguments: ParsedArguments) throws(PatchError) -> [UInt8]? {
        guard isServed else { return try FeedFolder(path: Path(place)).read(path) }
        let reply = try FeedReading.Server(place, arguments).fetch(path, limit: FeedLimits().targets)
        guard case .bytes(let bytes, _) = reply.content else { return nil }
        return bytes
    }

    /// Whether a change waits for signatures in the folder.
    func hasStaged() throws(PatchError) -> Bool {
        guard !isServed, snapshot == nil else { return false }
        return try FeedFolder(path: Path(place)).hasStaged()
    }

    func feed(_ root: [UInt8]?, _ arguments: ParsedArguments) throws(PatchError) -> FeedRepository {
        var first = root
        if first == nil { first = try read(FeedLayout.firstRoot, arguments) }
        guard let first else {
            throw PatchError(
                .feedUnavailable, "\(name): \(FeedLayout.firstRoot): missing, so this is not the folder of a feed")
        }
        return try Path(name).naming { () throws(PatchError) in
            try FeedRepository(FeedRepository.Reading(root: first, snapshot: snapshot)) {
                (path) throws(PatchError) -> [UInt8]? in try read(path, arguments)
            }
        }
    }

    /// The earlier states.
    func history(_ root: [UInt8]?, _ arguments: ParsedArguments, _ console: Console) -> FeedHistory {
        var count = 0
        return FeedHistory { (number) throws(PatchError) in
            count += 1
            console.status("\(count) states are read")
            guard try read(FeedLayout.snapshot(number), arguments) != nil else { return nil }
            return try at(number).feed(root, arguments)
        }
    }
}
