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

    /// Checks the place and its options. Only the root file is read.
    ///
    /// - Throws: `feed-unavailable` if there is no such folder, or it has no feed; `usage` if a server is read without
    ///   a root file, or if an option is wrong; and the error of the root file.
    init(_ arguments: ParsedArguments) throws(PatchError) {
        let given = HTTPSource.withLowerScheme(arguments.operands[0].path.description)
        place = Path(HTTPSource.shown(given))
        let pinned = PinnedRoot.pathFromOptions(arguments)
        // A wrong option is reported before a missing root file.
        _ = try Self.settings(arguments)
        if try FeedAddress.isOnServer(given) {
            guard let pinned else {
                throw .usage("no root file", hint: "give --root FILE: the feed's 1.root.json, as the app has it")
            }
            root = try PinnedRoot.bytes(of: pinned)
            source = CacheWatch(source: try Server(given, arguments).source)
        } else {
            try Self.refuseSettings(arguments, of: place.description)
            if let pinned {
                root = try PinnedRoot.bytes(of: pinned)
            } else {
                let file = place.appending(Path(FeedLayout.firstRoot))
                guard FileInfo(file, following: true) != nil else {
                    throw .noFeed(in: place, lacking: FeedLayout.firstRoot)
                }
                root = try InputFile.regular(file, limit: FeedLimits().root)
            }
            source = CacheWatch(source: FolderSource(place.description))
        }
    }

    /// Refuses the options of connections, which have no effect on a folder.
    static func refuseSettings(_ arguments: ParsedArguments, of folder: String) throws(PatchError) {
        guard let option = [Option.authorities, .insecure].first(where: arguments.has) else { return }
        throw .usage(
            "--\(option.name) without a URL: \(folder) is a folder", hint: "leave it out, or give the feed's URL")
    }

    /// The settings of connections.
    ///
    /// - Throws: `no-input` if the file of certificates cannot be read.
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

    /// A client that knows the root only, as a device before its first sync.
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
    /// The root file that the option or the variable names; nil if neither is given.
    static func pathFromOptions(_ arguments: ParsedArguments) -> Path? {
        arguments.path(of: .pinnedRoot) ?? Option.pinnedRoot.fromEnvironment?.path
    }

    /// The bytes of that file; nil if no file is named.
    static func fromOptions(_ arguments: ParsedArguments) throws(PatchError) -> [UInt8]? {
        try pathFromOptions(arguments).map { (given) throws(PatchError) in try bytes(of: given) }
    }
}
