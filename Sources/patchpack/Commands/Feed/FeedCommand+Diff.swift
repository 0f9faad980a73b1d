import PatchCrypto
import PatchFeed
import PatchFiles
import PatchHTTP
import PatchPublishing

extension FeedCommand {
    /// A state of a feed: a folder or a server, and one of its snapshots.
    private struct State {
        private let place: String
        /// Its name, without a password.
        var name: String { HTTPSource.shown(place) }
        let snapshot: Int?

        /// - Parameter text: Such as `feed`, `feed@12` or `https://example.com/feed`.
        init(_ text: String) {
            let parts = text.split(separator: "@", omittingEmptySubsequences: false)
            let number = parts.count > 1 ? parts.last.flatMap { Int($0) } : nil
            snapshot = number
            place = number == nil ? text : String(text.dropLast((parts.last?.count ?? 0) + 1))
        }

        var isServed: Bool { place.hasPrefix("https://") || place.hasPrefix("http://") }

        func read(_ path: String, _ arguments: ParsedArguments) throws(PatchError) -> [UInt8]? {
            guard isServed else { return try FeedFolder(path: Path(place)).read(path) }
            let source = try FeedReading.server(place, arguments)
            let reply = try waiting { () async throws(PatchError) in
                try await source.fetch(path, limit: FeedLimits().targets, etag: nil)
            }
            guard case .bytes(let bytes, _) = reply.content else { return nil }
            return bytes
        }

        func feed(_ root: [UInt8]?, _ arguments: ParsedArguments) throws(PatchError) -> FeedRepository {
            var first = root
            if first == nil { first = try read("metadata/1.root.json", arguments) }
            guard let first else {
                throw PatchError(
                    .feedUnavailable, "\(name): metadata/1.root.json: missing, so this is not the folder of a feed")
            }
            return try Path(name).naming { () throws(PatchError) in
                try FeedRepository(FeedRepository.Reading(root: first, snapshot: snapshot)) {
                    (path) throws(PatchError) -> [UInt8]? in try read(path, arguments)
                }
            }
        }
    }

    @Sendable static func diff(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        var root: [UInt8]?
        if let file = FeedPin.given(arguments) { root = try InputFile.small(file) }
        let (old, new) = (State(arguments.operands[0].text), State(arguments.operands[1].text))
        let lines = try new.feed(root, arguments).changes(since: old.feed(root, arguments))
        if console.format == .json {
            try console.json(
                .object(
                    [("schema", .string("patchpack.feed-changes/1")), ("feed", .string(new.name))]
                        + JSONValue.outcome(nil) + [
                            ("changes", .array(lines.map(JSONValue.string))), ("error", .null),
                        ]))
        } else {
            for line in lines { try console.line(line) }
            if lines.isEmpty, !console.isQuiet { try console.line(.good, "same", "  \(new.name)") }
        }
        return 0
    }
}
