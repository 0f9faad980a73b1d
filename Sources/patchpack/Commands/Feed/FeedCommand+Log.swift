import PatchCrypto
import PatchFeed
import PatchPublishing
import PatchText

extension FeedCommand {
    @Sendable static func log(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let names = try KeyNames(arguments)
        let most = try arguments.number(of: .last) ?? 20
        let place = FeedAddress(arguments.operands[0].text, arguments)
        let root = try PinnedRoot.fromOptions(arguments)
        let feed = try place.feed(root)
        let id = arguments.operands.count > 1 ? arguments.operands[1].text : nil
        // One extra change, to find out whether there are more.
        var changes = try place.history(root, console).changes(until: feed, of: id, most: most.addingOrMost(1)) {
            console.warning("the changes before that cannot be read: \($0.message)")
        }
        console.status(nil)
        if changes.count > most {
            changes.removeLast()
            if arguments.value(of: .last) == nil { console.note("there are older changes: --last N") }
        }
        for change in changes {
            guard console.format == .text else {
                try console.report(
                    "patchpack.feed-log/1", about: [("feed", place.name)], nil,
                    [
                        ("snapshot", change.snapshot), ("time", change.stamp.time),
                        ("author", change.stamp.author), ("reason", change.stamp.reason),
                        ("changes", change.lines), ("signers", names.json(change.approvals)),
                    ])
                continue
            }
            let by = change.stamp.author.map { "  \($0)" } ?? ""
            let why = change.stamp.reason.map { ": \($0)" } ?? ""
            try console.line(
                .good, change.stamp.time?.description ?? "keys and ends", "  snapshot \(change.snapshot)\(by)\(why)")
            for line in change.lines { try console.line("  \(line)") }
            if let text = names.text(change.approvals) { try console.line(.faint, "  \(text)", "") }
        }
        if changes.isEmpty, let id, feed.entries(of: id).isEmpty { throw .unlisted(id, in: feed) }
        if changes.isEmpty, console.format == .text, !console.isQuiet { try console.line("no changes") }
    }

    @Sendable static func diff(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let root = try PinnedRoot.fromOptions(arguments)
        let old = FeedAddress(arguments.operands[0].text, arguments)
        let new = FeedAddress(arguments.operands[1].text, arguments)
        let names = try KeyNames(arguments)
        let (before, after) = (try old.feed(root), try new.feed(root))
        let lines = after.changes(since: before)
        let approvals = after.approvals(since: before)
        if console.format == .json {
            try console.report(
                "patchpack.feed-changes/1", about: [("feed", new.name)], nil,
                [("changes", lines), ("signers", names.json(approvals))])
        } else {
            for line in lines { try console.line(line) }
            if let text = names.text(approvals) { try console.line(text) }
            if lines.isEmpty, !console.isQuiet { try console.line(.good, "same", "  \(new.name)") }
        }
    }
}
