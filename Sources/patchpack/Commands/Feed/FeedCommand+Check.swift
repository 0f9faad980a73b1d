import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing

extension Option {
    static let sameAs = Option(
        "same-as", "fail if an older state than the one in the folder DIR is served", .directory("DIR"))
}

extension FeedCommand {
    @Sendable static func check(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let reading = try FeedReading(arguments)
        if let other = arguments.path(of: .sameAs), try FeedFolder(path: other).read(FeedLayout.timestamp) == nil {
            throw .noFeed(in: other, lacking: FeedLayout.timestamp)
        }
        let check = try readAll(reading, scriptKeys: KeyFiles(arguments).scriptKeys(), console)
        let list = check.list
        var signed: [(path: String, words: String)] = []
        if arguments.has(.allFiles) {
            signed = try FeedAddress(arguments.operands[0].text, arguments).feed(reading.root).signedFiles
        }
        let fault = check.ahead ?? otherState(of: reading, arguments)
        let caching = reading.source.faults
        if console.format == .json {
            let files = signed.map { JSONValue([("path", $0.path), ("entry", $0.words)]) }
            try console.report(
                "patchpack.feed-check/1", about: [("feed", reading.place)], fault,
                [
                    ("app", list.app), ("environment", list.environment), ("patches", list.entries.count),
                    ("bytes", check.bytes), ("faults", check.faults), ("caching", caching), ("signed", files),
                ])
        } else {
            for fault in check.faults { console.warning(fault) }
            for warning in caching { console.warning(warning) }
            for (path, words) in signed { try console.line("\(path)  \(words)") }
            if let fault {
                // The fault of another state names the place in its message.
                console.error(check.ahead == nil ? fault : fault.about(reading.place))
            } else if !console.isQuiet {
                let compared = check.hasCompared ? ", compared with each other" : ""
                try console.line(
                    .good, "ok",
                    "  \(reading.place)  \(list.entries.count) patches, \(check.bytes) bytes of list and envelopes\(compared)"
                )
            }
        }
        console.fail(fault?.code)
    }

    /// Reads what a device may read, and shows the progress.
    ///
    /// - Throws: What `FeedCheck` throws.
    private static func readAll(
        _ reading: FeedReading, scriptKeys: ScriptKeyRing?, _ console: Console
    ) throws(PatchError) -> FeedCheck {
        let now = try SystemClock.now()
        defer { console.status(nil) }
        do throws(PatchError) {
            return try runBlocking {
                console.status("\(reading.source.count) files are read")
            } for: { () async throws(PatchError) in
                var client = try reading.client(at: now)
                return try await FeedCheck(&client, at: now, scriptKeys: scriptKeys, in: reading.place)
            }
        } catch {
            let error = error.about(reading.place)
            guard error.code == .feedUnavailable, error.hint == nil else { throw error }
            throw error.hinting(
                "if it is missing there: patchpack feed deploy DIR --to PLACE uploads it again; if the place is not public (403), open it"
            )
        }
    }

    /// The error if an older state than that of the folder in `--same-as` is served, or one of another copy; nil if
    /// not, or if no folder is named.
    private static func otherState(of reading: FeedReading, _ arguments: ParsedArguments) -> PatchError? {
        guard let other = arguments.path(of: .sameAs) else { return nil }
        do throws(PatchError) {
            let reply = try runBlocking { () async throws(PatchError) in
                try await reading.source.fetch(.init(FeedLayout.timestamp, byteLimit: FeedLimits().timestamp))
            }
            guard case .bytes(let bytes) = reply.content else {
                throw PatchError(.feedUnavailable, "\(reading.place): has no \(FeedLayout.timestamp)")
            }
            try FeedFolder(path: other).check(served: bytes, by: reading.place.description, root: reading.root)
            return nil
        } catch {
            return error
        }
    }
}
