import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing

extension FeedCommand {
    /// `feed status`, in words or as metrics.
    @Sendable static func showStatus(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        guard arguments.format == "openmetrics" else { return try status(arguments, console) }
        let place = FeedState(arguments.operands[0].text)
        let feed = try place.feed(PinnedRoot.givenRoot(arguments), arguments)
        try console.raw(feed.metrics(of: place.name))
        guard let days = try arguments.number(of: .days, atLeast: 0) else { return 0 }
        guard let alarm = feed.alarm(lasting: days, at: try SystemClock.now()) else { return 0 }
        console.error(alarm.about(Path(place.name)))
        return alarm.code.exitStatus
    }

    @Sendable static func log(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let place = FeedState(arguments.operands[0].text)
        let root = try PinnedRoot.givenRoot(arguments)
        let feed = try place.feed(root, arguments)
        let id = arguments.operands.count > 1 ? arguments.operands[1].text : nil
        let most = try arguments.number(of: .last) ?? 20
        // One more, to know whether there is one.
        var changes = try place.history(root, arguments).changes(until: feed, of: id, most: most.addingOrMost(1)) {
            console.warning("the changes before that cannot be read: \($0.message)")
        }
        if changes.count > most {
            changes.removeLast()
            if arguments.value(of: .last) == nil { console.note("there are older changes: --last N") }
        }
        for change in changes {
            guard console.format == .text else {
                try console.json(
                    .object(
                        [("schema", .string("patchpack.feed-log/1")), ("feed", .string(place.name))]
                            + JSONValue.outcome(nil) + [
                                ("snapshot", .integer(change.snapshot)),
                                ("time", change.stamp.time.map { .string($0.description) } ?? .null),
                                ("author", change.stamp.author.map(JSONValue.string) ?? .null),
                                ("reason", change.stamp.reason.map(JSONValue.string) ?? .null),
                                ("changes", .array(change.lines.map(JSONValue.string))), ("error", .null),
                            ]))
                continue
            }
            let by = change.stamp.author.map { "  \($0)" } ?? ""
            let why = change.stamp.reason.map { ": \($0)" } ?? ""
            try console.line(
                .good, change.stamp.time?.description ?? "keys and ends", "  snapshot \(change.snapshot)\(by)\(why)")
            for line in change.lines { try console.line("  \(line)") }
        }
        if changes.isEmpty, let id, feed.entries(of: id).isEmpty { throw .unlisted(id, in: feed) }
        if changes.isEmpty, console.format == .text, !console.isQuiet { try console.line("no changes") }
        return 0
    }
}
