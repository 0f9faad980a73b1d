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
        guard let place = try arguments.text(of: .deployTarget), !place.isEmpty else {
            throw PatchError(
                .usage, "no place to deploy to", hint: "give --to FOLDER, s3://…, rsync://… or HOST:FOLDER")
        }
        var pinned = try PinnedRoot.givenRoot(arguments)
        if pinned == nil { pinned = try folder.read(FeedLayout.firstRoot) }
        guard let root = pinned else {
            throw PatchError(.feedUnavailable, "\(FeedLayout.firstRoot): missing, so this is not the folder of a feed")
                .about(folder.path)
        }
        let target = try target(place, arguments)
        let deployment = try Deployment(of: folder, root: root, to: target, repairs: arguments.has(.repair))
        let now = try SystemClock.now()
        for fault in deployment.feed.faults(at: now) {
            console.warning("devices refuse \(folder.path): \(fault.text(at: now))")
        }
        let isTrial = arguments.has(.dryRun)
        let outcome = try deployment.run(isTrial: isTrial)
        let word =
            switch (outcome.isNew, outcome.isRepair) {
            case (true, _): isTrial ? "would deploy" : "deployed"
            case (false, true): isTrial ? "would repair" : "repaired"
            case (false, false): "unchanged"
            }
        if let other = outcome.givenUp {
            console.warning(
                "\(target.name): \(isTrial ? "would give" : "gave") up snapshot \(other.snapshot), timestamp \(other.version), of another copy"
            )
        }
        for path in outcome.replaced {
            console.warning("\(target.name): \(path) has other bytes, and \(isTrial ? "would be" : "was") replaced")
        }
        let (snapshot, timestamp) = (
            deployment.feed.state(of: .snapshot).version, deployment.feed.state(of: .timestamp).version
        )
        if console.format == .json {
            try console.json(
                .object(
                    [("schema", .string("patchpack.feed-deploy/1")), ("feed", .string(folder.path.description))]
                        + JSONValue.outcome(nil) + [
                            ("to", .string(target.name)), ("outcome", .string(word.replacing(" ", with: "-"))),
                            ("snapshot", .integer(snapshot)), ("timestamp", .integer(timestamp)),
                            ("replaced", .array(outcome.replaced.map(JSONValue.string))),
                            ("bytes", .integer(outcome.bytes)), ("error", .null),
                        ]))
        } else if !console.isQuiet {
            try console.line(
                .good, word, "  \(folder.path) to \(target.name)  snapshot \(snapshot), timestamp \(timestamp)")
        }
        try checkServed(deployment, givenUp: outcome.givenUp, arguments, console)
        return 0
    }

    private static func target(_ place: String, _ arguments: ParsedArguments) throws(PatchError) -> any DeployTarget {
        let limit = FeedFolder.fileLimit
        if place.hasPrefix("s3://") {
            return try ObjectStoreTarget(place, settings: FeedReading.settings(arguments), limit: limit)
        }
        guard !place.contains("://") || place.hasPrefix("rsync://") else {
            throw PatchError(
                .usage, "--to \(HTTPSource.shown(place)): no such kind of place",
                hint: "give --to FOLDER, s3://…, rsync://… or HOST:FOLDER")
        }
        if RsyncTarget.takes(place) { return try RsyncTarget(place, limit: limit) }
        let path = Path(place)
        guard !FeedFolder(path: arguments.operands[0].path).contains(path) else {
            throw PatchError(
                .usage, "--to \(place): is the feed's own folder, or in it", hint: "name another folder")
        }
        return FolderTarget(path: path, limit: limit)
    }

    /// Looks at the feed from outside.
    private static func checkServed(
        _ deployment: Deployment, givenUp: FeedRepository.Position?, _ arguments: ParsedArguments, _ console: Console
    ) throws(PatchError) {
        guard !arguments.has(.dryRun), let url = try arguments.text(of: .servedAfter) else { return }
        let reply: FeedReply
        do throws(PatchError) {
            reply = try FeedReading.timestamp(from: url, arguments)
        } catch {
            throw PatchError(error.code, "\(HTTPSource.shown(url)): \(error.message)", hint: error.hint)
        }
        guard case .bytes(let bytes, _) = reply.content else {
            throw PatchError(
                .feedUnavailable, "\(HTTPSource.shown(url)): has no \(FeedLayout.timestamp)",
                hint: "is what --to names served at that URL?")
        }
        let served = try deployment.look(at: bytes, servedBy: HTTPSource.shown(url), givenUp: givenUp)
        guard case .earlier(let version) = served else { return }
        let own = deployment.feed.state(of: .timestamp).version
        let age = reply.maxAge.map { "; caches keep it for \($0.seconds) s" } ?? ""
        console.warning("\(HTTPSource.shown(url)): still has timestamp \(version), not \(own)\(age)")
    }
}
