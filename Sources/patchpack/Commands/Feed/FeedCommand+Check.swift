import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing

extension FeedCommand {
    @Sendable static func check(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let reading = try FeedReading(arguments)
        if let other = arguments.path(of: .sameAs), try FeedFolder(path: other).read(FeedLayout.timestamp) == nil {
            throw .noFeed(in: other, lacking: FeedLayout.timestamp)
        }
        let scriptKeys = try KeyFiles(arguments).scriptKeys()
        let now = try SystemClock.now()
        let check: FeedCheck
        do throws(PatchError) {
            check = try runBlocking {
                console.status("\(reading.source.count) files are read")
            } for: { () async throws(PatchError) in
                var client = try reading.client(at: now)
                return try await FeedCheck(&client, at: now, scriptKeys: scriptKeys, in: reading.place)
            }
        } catch {
            console.status(nil)
            let error = error.about(reading.place)
            guard error.code == .feedUnavailable, error.hint == nil else { throw error }
            throw error.hinting(
                "if it is missing there: patchpack feed deploy DIR --to PLACE uploads it again; if the place is not public (403), open it"
            )
        }
        console.status(nil)
        let list = check.list
        let signed =
            arguments.has(.allFiles)
            ? try FeedAddress(arguments.operands[0].text, arguments).feed(reading.root).signedFiles : []
        var fault = check.ahead
        if fault == nil { fault = try otherState(of: reading, arguments) }
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
                // The other state's fault names the place.
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
}
