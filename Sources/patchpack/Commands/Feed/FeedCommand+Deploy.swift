import PatchCrypto
import PatchFeed
import PatchFiles
import PatchHTTP
import PatchPublishing

extension FeedCommand {
    static let deployOptions: [Option] = [
        .deployTarget, .servedAfter, .repair, .dryRun, .pinnedRoot, .authorities, .insecure,
    ]

    @Sendable static func deploy(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let folder = FeedFolder(path: arguments.operands[0].path)
        guard let place = try arguments.text(of: .deployTarget) else {
            throw PatchError(
                .usage, "no place to deploy to", hint: "give --to FOLDER, s3://…, rsync://… or HOST:FOLDER")
        }
        var pinned: [UInt8]?
        if let file = FeedPin.given(arguments) { pinned = try InputFile.small(file) }
        if pinned == nil { pinned = try folder.read("metadata/1.root.json") }
        guard let root = pinned else {
            throw PatchError(.feedUnavailable, "metadata/1.root.json: missing, so this is not the folder of a feed")
                .about(folder.path)
        }
        let target = try target(place, arguments)
        let deployment = try Deployment(of: folder, root: root, to: target, repairs: arguments.has(.repair))
        let isTrial = arguments.has(.dryRun)
        let (outcome, plan) = try deployment.run(isTrial: isTrial)
        for path in plan.replaced { console.warning("\(target.name): \(path) was of another copy, and was replaced") }
        try checkServed(deployment, arguments, console)
        let (snapshot, timestamp) = (
            deployment.feed.state(of: .snapshot).version, deployment.feed.state(of: .timestamp).version
        )
        if console.format == .json {
            try console.json(
                .object(
                    [("schema", .string("patchpack.feed-deploy/1")), ("feed", .string(folder.path.description))]
                        + JSONValue.outcome(nil) + [
                            ("to", .string(target.name)),
                            ("outcome", .string(isTrial && outcome == .deployed ? "would-deploy" : outcome.rawValue)),
                            ("snapshot", .integer(snapshot)), ("timestamp", .integer(timestamp)),
                            ("replaced", .array(plan.replaced.map(JSONValue.string))),
                            ("bytes", .integer(plan.bytes)), ("error", .null),
                        ]))
        } else if !console.isQuiet {
            let word = isTrial && outcome == .deployed ? "would deploy" : outcome.rawValue
            try console.line(
                .good, word, "  \(folder.path) to \(target.name)  snapshot \(snapshot), timestamp \(timestamp)")
        }
        return 0
    }

    private static func target(_ place: String, _ arguments: ParsedArguments) throws(PatchError) -> any DeployTarget {
        let limit = FeedFolder.fileLimit
        if place.hasPrefix("s3://") {
            var settings = HTTPSettings()
            settings.allowsHTTP = arguments.has(.insecure)
            settings.authorities = try arguments.text(of: .authorities)
            return try ObjectStoreTarget(place, settings: settings, limit: limit)
        }
        return try RsyncTarget.takes(place)
            ? RsyncTarget(place, limit: limit) : FolderTarget(path: Path(place), limit: limit)
    }

    /// Looks at the feed from outside.
    private static func checkServed(
        _ deployment: Deployment, _ arguments: ParsedArguments, _ console: Console
    ) throws(PatchError) {
        guard !arguments.has(.dryRun), let url = try arguments.text(of: .servedAfter) else { return }
        let source = try FeedReading.server(url, arguments)
        let reply = try waiting { () async throws(PatchError) in
            try await source.fetch("metadata/timestamp.json", limit: FeedLimits().timestamp, etag: nil)
        }
        guard case .bytes(let bytes, _) = reply.content else {
            throw PatchError(
                .feedUnavailable, "\(HTTPSource.shown(url)): has no metadata/timestamp.json",
                hint: "is what --to names served at that URL?")
        }
        let own = deployment.feed.state(of: .timestamp).version
        let served = try deployment.position(bytes)
        guard served.version < own else { return }
        let age = reply.maxAge.map { "; caches keep it for \($0.seconds) s" } ?? ""
        console.warning("\(HTTPSource.shown(url)): still has timestamp \(served.version), not \(own)\(age)")
    }
}
