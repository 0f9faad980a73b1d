import PatchCrypto
import PatchFeed
import PatchFiles
import PatchHTTP
import PatchPublishing
import PatchText

extension Option {
    static let arrival = Option(
        "wait", "how long --verify-served may have an older state, such as 3m, before it is an error", .text("TIME"),
        needs: ["verify-served"])
    static let purgeCommand = Option(
        "purge-command",
        "shell command that empties caches; it gets the paths of the files that they may have as parameters",
        .text("COMMAND"))
    static let purgeTimeout = Option(
        "purge-timeout", "how long the purge command may run (default: 15m)", .text("TIME"), needs: ["purge-command"])
}

extension FeedCommand {
    static let deployOptions: [Option] = [
        .deployTarget, .verifyServed, .arrival, .purgeCommand, .purgeTimeout, .repair, .dryRun, .pinnedRoot,
        .authorities, .insecure,
    ]

    @Sendable static func deploy(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let folder = FeedFolder(path: arguments.operands[0].path)
        guard let place = try arguments.text(of: .deployTarget), !place.isEmpty else {
            throw .usage("no place to deploy to", hint: "give --to FOLDER, s3://…, rsync://… or HOST:FOLDER")
        }
        var pinned = try PinnedRoot.fromOptions(arguments)
        if pinned == nil { pinned = try folder.read(FeedLayout.firstRoot) }
        guard let root = pinned else { throw .noFeed(in: folder.path, lacking: FeedLayout.firstRoot) }
        // Wrong options are reported before anything is uploaded.
        _ = try purgeCommand(arguments)
        _ = try arguments.seconds(of: .purgeTimeout)
        _ = try FeedReading.settings(arguments)
        let target = try target(place, arguments)
        let patience = try arguments.seconds(of: .arrival)
        let served = try FeedReading.Server(.verifyServed, arguments)
        if served == nil, !(target is ObjectStoreTarget) { try FeedReading.refuseSettings(arguments, of: place) }
        let deployment = try Deployment(of: folder, root: root, to: target, repairs: arguments.has(.repair))
        let now = try SystemClock.now()
        for fault in deployment.feed.faults(at: now) {
            console.warning("devices refuse \(folder.path): \(fault.text(at: now))")
        }
        let isTrial = arguments.has(.dryRun)
        let outcome = try deployment.run(isTrial: isTrial, report: console.progress)
        console.status(nil)
        let word =
            switch (outcome.isNew, outcome.isRepair) {
            case (true, _): isTrial ? "would deploy" : "deployed"
            case (false, true): isTrial ? "would repair" : "repaired"
            case (false, false): "unchanged"
            }
        warn(of: outcome, at: target, isTrial: isTrial, console)
        let snapshot = deployment.feed.state(of: .snapshot).version
        let timestamp = deployment.feed.state(of: .timestamp).version
        // The outcome is printed even if the purge fails, and the caches are purged even if nobody reads the outcome.
        // The command may have failed after an earlier deployment, so caches may have an older timestamp even if
        // nothing is new.
        var failure: PatchError?
        do throws(PatchError) {
            if !isTrial { try purge(outcome.cached.isEmpty ? [FeedLayout.timestamp] : outcome.cached, arguments) }
        } catch {
            failure = error
        }
        try console.result(
            .report(
                "patchpack.feed-deploy/1", about: [("feed", folder.path)], nil,
                [
                    ("to", target.name), ("outcome", word.replacing(" ", with: "-")), ("snapshot", snapshot),
                    ("timestamp", timestamp), ("replaced", outcome.replaced), ("restored", outcome.restored),
                    ("bytes", outcome.bytes),
                ]),
            .good, word, "  \(folder.path) to \(target.name)  snapshot \(snapshot), timestamp \(timestamp)")
        if let failure { throw failure }
        guard !isTrial, let served else { return }
        try checkServed(deployment, at: served, givenUp: outcome.givenUp, patience: patience, arguments, console)
    }

    /// Warns of what the deployment has found at the place.
    private static func warn(
        of outcome: Deployment.Outcome, at target: any DeployTarget, isTrial: Bool, _ console: Console
    ) {
        if let other = outcome.givenUp {
            let gives = isTrial ? "would give" : "gave"
            console.warning(
                "\(target.name): \(gives) up snapshot \(other.snapshot), timestamp \(other.version), of another copy")
        }
        let isDone = isTrial ? "would be" : "was"
        for path in outcome.replaced {
            console.warning("\(target.name): \(path) has other bytes, and \(isDone) replaced")
        }
        for path in outcome.restored {
            console.warning("\(target.name): \(path) was missing, and \(isDone) uploaded")
        }
    }

    /// The place that `--to` names.
    ///
    /// - Throws: `usage` if there is no such kind of place, or if it is in the feed's own folder.
    private static func target(_ given: String, _ arguments: ParsedArguments) throws(PatchError) -> any DeployTarget {
        let place = HTTPSource.withLowerScheme(given)
        let limit = FeedFolder.fileLimit
        if place.hasPrefix("s3://") {
            return try ObjectStoreTarget(place, settings: FeedReading.settings(arguments), limit: limit)
        }
        let isMistyped = ["s3:/", "rsync:/", "http:/", "https:/"].contains(where: place.hasPrefix)
        let isURL = isMistyped || place.contains("://")
        guard !isURL || place.hasPrefix("rsync://") else {
            throw .usage(
                "--to \(HTTPSource.shown(place)): no such kind of place",
                hint: "give --to FOLDER, s3://…, rsync://… or HOST:FOLDER")
        }
        if RsyncTarget.takes(place) { return try RsyncTarget(place, limit: limit) }
        let path = Path(place)
        guard !FeedFolder(path: arguments.operands[0].path).contains(path) else {
            throw .usage("--to \(place): is the feed's own folder, or in it", hint: "name another folder")
        }
        return FolderTarget(path: path, limit: limit)
    }

    /// The command that empties caches; nil if none is given.
    ///
    /// - Throws: `usage` if it is blank.
    private static func purgeCommand(_ arguments: ParsedArguments) throws(PatchError) -> String? {
        let command = try arguments.text(of: .purgeCommand)
        guard command?.allSatisfy(\.isWhitespace) != true else { throw .blank("--purge-command") }
        return command
    }

    /// Runs the command that empties caches, if one is given.
    ///
    /// - Parameter paths: The files that caches may have.
    /// - Throws: `io` if it cannot be run, fails, or does not end in time.
    private static func purge(_ paths: [String], _ arguments: ParsedArguments) throws(PatchError) {
        guard let command = try purgeCommand(arguments) else { return }
        let words = (["sh"] + paths).map { Array($0.utf8) }
        // Purging a cache needs the account's credentials. The output goes to standard error, because a process that
        // the command leaves behind would keep a pipe open.
        guard let child = ShellCommand.start("exec >&2\n\(command)", words, keeping: Environment.accountSecrets) else {
            throw PatchError(.io, "--purge-command: cannot be run")
        }
        let limit = try arguments.seconds(of: .purgeTimeout) ?? 15 * 60
        let status = child.wait(atMost: limit)
        guard status == 0 else {
            // The rest of the line may have a password.
            let name = command.split(whereSeparator: \.isWhitespace).first ?? ""
            throw PatchError(
                .io, "--purge-command '\(name) …': \(end(status, limit: limit)), after the feed was deployed",
                hint:
                    "purge \(paths.joined(separator: ", ")) manually; each deployment runs it for \(FeedLayout.timestamp)"
            )
        }
    }

    /// How a command has ended.
    ///
    /// - Parameters:
    ///   - status: Its status, in the form of `wait`; nil if it was ended after the limit.
    ///   - limit: How many seconds it had.
    private static func end(_ status: Int32?, limit: Int) -> String {
        guard let status else { return "had not ended after \(limit.length), and was stopped" }
        let signal = status & 0x7F
        return signal == 0 ? "ended with status \(status >> 8 & 0xFF)" : "ended with signal \(signal)"
    }

    /// Checks the feed as a client sees it.
    ///
    /// - Parameter patience: For how many seconds an older state is accepted; nil to check once, and only warn of one.
    /// - Throws: `feed-unavailable` if nothing is served there, `feed-rollback` if there is still an older state at the
    ///   end, `feed-conflict` if another copy's is served, and the error of a server or of the purge command.
    private static func checkServed(
        _ deployment: Deployment, at server: FeedReading.Server, givenUp: SnapshotPosition?, patience: Int?,
        _ arguments: ParsedArguments, _ console: Console
    ) throws(PatchError) {
        let name = server.name
        let end = ContinuousClock().now + .seconds(patience ?? 0)
        var hasPurged = false
        while true {
            let reply: FeedReply
            do throws(PatchError) {
                reply = try server.timestamp()
            } catch {
                throw PatchError(error.code, "\(name): \(error.message)", hint: error.hint)
            }
            let age = reply.maxAge.map { "; caches keep it for \($0.seconds) s" } ?? ""
            let message: String
            var isMissing = false
            if case .bytes(let bytes) = reply.content {
                guard let version = try deployment.earlierVersion(in: bytes, servedBy: name, givenUp: givenUp) else {
                    return console.status(nil)
                }
                let own = deployment.feed.state(of: .timestamp).version
                message = "\(name): still has timestamp \(version), not \(own)\(age)"
            } else {
                // It was missing before the first deployment, and caches remember that too.
                isMissing = true
                message = "\(name): has no \(FeedLayout.timestamp)\(age)"
            }
            // A cache still serves the state before this deployment.
            if !hasPurged, arguments.has(.purgeCommand) {
                try purge([FeedLayout.timestamp], arguments)
                hasPurged = true
                continue
            }
            let missing = PatchError(.feedUnavailable, message, hint: "is what --to names served at that URL?")
            guard let patience else {
                if isMissing { throw missing }
                return console.warning("\(message); --wait TIME waits for it")
            }
            let now = ContinuousClock().now
            guard now < end else {
                console.status(nil)
                if isMissing { throw missing }
                throw PatchError(.feedRollback, "\(message), after \(patience.length)", remedy: .deployOrPurge)
            }
            console.status(message)
            let pause = min(end - now, .seconds(2))
            try runBlocking { () async throws(PatchError) in try? await Task.sleep(for: pause) }
        }
    }
}
