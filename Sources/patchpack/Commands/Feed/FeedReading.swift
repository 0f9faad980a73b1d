import PatchCrypto
import PatchDevice
import PatchFeed
import PatchFiles
import PatchHTTP
import PatchPublishing

/// A feed in a folder or on a server, read as a device reads it.
struct FeedReading: Sendable {
    let place: Path
    let root: [UInt8]
    let source: CacheWatch

    init(_ arguments: ParsedArguments) throws(PatchError) {
        let given = HTTPSource.withLowerScheme(arguments.operands[0].path.description)
        place = Path(HTTPSource.shown(given))
        let pinned = PinnedRoot.pathFromOptions(arguments)
        _ = try Self.settings(arguments)
        if try FeedAddress.check(given) {
            guard let pinned else {
                throw .usage("no root file", hint: "give --root FILE: the feed's 1.root.json, as the app has it")
            }
            root = try PinnedRoot.bytes(of: pinned)
            source = CacheWatch(source: try Server(given, arguments).source)
        } else {
            try Self.refuseSettings(arguments, of: place.description)
            let file = pinned ?? place.appending(Path(FeedLayout.firstRoot))
            guard pinned != nil || FileInfo(file, following: true) != nil else {
                throw .noFeed(in: place, lacking: FeedLayout.firstRoot)
            }
            root = try pinned == nil ? InputFile.regular(file, limit: FeedLimits().root) : PinnedRoot.bytes(of: file)
            source = CacheWatch(source: FolderSource(place.description))
        }
    }

    /// Refuses the options of connections, which have no effect on a folder.
    static func refuseSettings(_ arguments: ParsedArguments, of folder: String) throws(PatchError) {
        guard let option = [Option.authorities, .insecure].first(where: arguments.has) else { return }
        throw .usage(
            "--\(option.name) without a URL: \(folder) is a folder", hint: "leave it out, or give the feed's URL")
    }

    static func settings(_ arguments: ParsedArguments) throws(PatchError) -> HTTPSettings {
        let authorities = arguments.value(of: .authorities)
        if let file = authorities?.path { _ = try InputFile.open(file) }
        var settings = HTTPSettings(allowsHTTP: arguments.has(.insecure), authoritiesFile: authorities?.text)
        settings.allowsHTTPName = "--\(Option.insecure.name)"
        settings.authoritiesName = "--\(Option.authorities.name)"
        return settings
    }

    struct Server: Sendable {
        /// Its URL, without a password.
        let name: String
        fileprivate let source: any FeedSource

        /// Checks the URL. Nothing is fetched yet.
        init(_ url: String, _ arguments: ParsedArguments) throws(PatchError) {
            name = HTTPSource.shown(url)
            source = try HTTPSource(url, settings: FeedReading.settings(arguments))
        }

        /// The server that an option names. Without the option, this is nil.
        init?(_ option: Option, _ arguments: ParsedArguments) throws(PatchError) {
            guard let url = try arguments.text(of: option) else { return nil }
            try self.init(url, arguments)
        }

        func fetch(_ path: String, limit: Int) throws(PatchError) -> FeedReply {
            let source = source
            return try runBlocking { () async throws(PatchError) in
                try await source.fetch(.init(path, byteLimit: limit))
            }
        }

        func timestamp() throws(PatchError) -> FeedReply {
            try fetch(FeedLayout.timestamp, limit: FeedLimits().timestamp)
        }
    }

    func client(at now: Timestamp) throws(PatchError) -> FeedClient {
        try FeedClient(root: root, source: source, storage: NoStorage(), at: now)
    }
}

extension PatchError {
    static func noFeed(in folder: Path, lacking file: String) -> PatchError {
        PatchError(.feedUnavailable, "\(file): missing, so this is not the folder of a feed").about(folder)
    }
}

/// A storage that keeps trusted metadata only until the end of the run.
struct NoStorage: FeedStorage {
    package func read(_ name: String, limit: Int) -> [UInt8]? { nil }
    package func write(_ name: String, _ bytes: [UInt8]) throws(PatchError) {}
    package func remove(_ name: String) throws(PatchError) {}
}

extension PinnedRoot {
    static func pathFromOptions(_ arguments: ParsedArguments) -> Path? {
        arguments.path(of: .pinnedRoot) ?? Option.pinnedRoot.fromEnvironment?.path
    }

    /// The bytes of that file; nil if no file is named.
    static func fromOptions(_ arguments: ParsedArguments) throws(PatchError) -> [UInt8]? {
        try pathFromOptions(arguments).map { (given) throws(PatchError) in try bytes(of: given) }
    }
}
