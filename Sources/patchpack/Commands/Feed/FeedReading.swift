import PatchCrypto
import PatchDevice
import PatchFeed
import PatchFiles
import PatchHTTP
import PatchPublishing
import Synchronization

/// A feed in a folder or on a server, read as a device reads it.
struct FeedReading: Sendable {
    let place: Path
    let root: [UInt8]
    let source: CacheWatch

    init(_ arguments: ParsedArguments) throws(PatchError) {
        let given = arguments.operands[0].path
        place = Path(HTTPSource.shown(given.description))
        let pinned = PinnedRoot.given(arguments)
        let isURL = given.description.hasPrefix("https://") || given.description.hasPrefix("http://")
        if isURL {
            guard let pinned else {
                throw PatchError(
                    .usage, "no root file", hint: "give --root FILE: the feed's 1.root.json, as the app has it")
            }
            root = try InputFile.small(pinned)
            source = CacheWatch(source: try Self.server(given.description, arguments))
        } else {
            let file = pinned ?? place.appending(Path(FeedLayout.firstRoot))
            guard FileInfo(file, following: true) != nil
            else {
                throw PatchError(
                    .feedUnavailable, "\(FeedLayout.firstRoot): missing, so this is not the folder of a feed"
                )
                .about(place)
            }
            root = try pinned == nil ? InputFile.regular(file, limit: FeedLimits().root) : InputFile.small(file)
            source = CacheWatch(source: FolderSource(place.description))
        }
    }

    /// How a server is asked, as the options say.
    static func settings(_ arguments: ParsedArguments) throws(PatchError) -> HTTPSettings {
        var settings = HTTPSettings(
            allowsHTTP: arguments.has(.insecure), authorities: try arguments.text(of: .authorities))
        settings.allowsHTTPName = "--\(Option.insecure.name)"
        settings.authoritiesName = "--\(Option.authorities.name)"
        return settings
    }

    private static func server(_ url: String, _ arguments: ParsedArguments) throws(PatchError) -> any FeedSource {
        try HTTPSource(url, settings: settings(arguments))
    }

    /// Fetches one file from a server.
    static func fetch(
        _ path: String, limit: Int, from url: String, _ arguments: ParsedArguments
    ) throws(PatchError) -> FeedReply {
        let source = try server(url, arguments)
        return try waiting { () async throws(PatchError) in try await source.fetch(path, limit: limit, etag: nil) }
    }

    /// Fetches a server's timestamp.
    static func timestamp(from url: String, _ arguments: ParsedArguments) throws(PatchError) -> FeedReply {
        try fetch(FeedLayout.timestamp, limit: FeedLimits().timestamp, from: url, arguments)
    }

    func client(at now: Timestamp) throws(PatchError) -> FeedClient {
        try FeedClient(root: root, from: source, keptIn: NoStorage(), at: now)
    }

    /// Updates a client, and reads the feed's list.
    func list(_ client: inout FeedClient) async throws(PatchError) -> (list: PatchList, size: Int) {
        try await client.update()
        guard let target = try await client.listTarget() else {
            throw PatchError(.feedMalformed, "the feed has no list of patches").about(place)
        }
        let bytes = try await client.contents(of: target, limit: PatchList.byteLimit)
        let list = try PatchList(decoding: bytes)
        // A device looks for the list of its own app, beginning with the targets role.
        guard try await client.target(PatchList.path(for: list.app))?.path == target.path else {
            throw PatchError(.feedMismatch, "\(target.path): the list is of the app \(list.app)").about(place)
        }
        return (list, bytes.count)
    }

    /// What is wrong with the headers for caches that a server has sent so far.
    var cachingFaults: [String] { source.faults }
}

/// Notes for how long caches may answer in a server's place.
final class CacheWatch: FeedSource {
    private let source: any FeedSource
    private let seen = Mutex<[Kind: Int?]>([:])

    /// The kinds of files that differ in how long they may be kept.
    private enum Kind: CaseIterable {
        case timestamp, missing, permanent
    }

    init(source: any FeedSource) { self.source = source }

    func fetch(_ path: String, limit: Int, etag: String?) async throws(PatchError) -> FeedReply {
        let reply = try await source.fetch(path, limit: limit, etag: etag)
        // Only a server has caches, and only a server has a clock.
        guard reply.date != nil else { return reply }
        let kind: Kind
        if case .missing = reply.content {
            kind = .missing
        } else {
            kind = path.hasSuffix("/timestamp.json") ? .timestamp : .permanent
        }
        seen.withLock { $0[kind] = .some(reply.maxAge?.seconds) }
        return reply
    }

    /// A line for each kind of file that is kept for too long or not long enough.
    var faults: [String] {
        let seen = seen.withLock { $0 }
        return Kind.allCases.compactMap { kind in
            guard let age = seen[kind] else { return nil }
            switch kind {
            case .timestamp:
                if let age { return age <= 600 ? nil : "caches keep timestamp.json for \(age) s: send max-age=60" }
                return "timestamp.json has no Cache-Control, so caches guess how long to keep it: send max-age=60"
            case .missing:
                guard let age, age > 600 else { return nil }
                return "caches remember for \(age) s that a file is missing: send max-age=60"
            case .permanent:
                guard age ?? 0 < 86_400 else { return nil }
                return "files that never change are not kept by caches: send max-age=31536000, immutable"
            }
        }
    }
}

/// Trusted metadata that are forgotten at the end.
struct NoStorage: FeedStorage {
    package func read(_ name: String, limit: Int) -> [UInt8]? { nil }
    package func write(_ name: String, _ bytes: [UInt8]) throws(PatchError) {}
    package func remove(_ name: String) throws(PatchError) {}
}
