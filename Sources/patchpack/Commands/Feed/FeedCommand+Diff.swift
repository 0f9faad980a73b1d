import PatchCrypto
import PatchPublishing

extension FeedCommand {
    @Sendable static func diff(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let root = try PinnedRoot.fromOptions(arguments)
        let (old, new) = (FeedAddress(arguments.operands[0].text), FeedAddress(arguments.operands[1].text))
        let names = try KeyNames(arguments)
        let (before, after) = (try old.feed(root, arguments), try new.feed(root, arguments))
        let lines = after.changes(since: before)
        let approvals = after.approvals(since: before)
        if console.format == .json {
            try console.json(
                .report(
                    "patchpack.feed-changes/1", about: [("feed", .string(new.name))], nil,
                    [("changes", .strings(lines)), ("signers", names.json(approvals))]))
        } else {
            for line in lines { try console.line(line) }
            if let text = names.text(approvals) { try console.line(text) }
            if lines.isEmpty, !console.isQuiet { try console.line(.good, "same", "  \(new.name)") }
        }
        return 0
    }
}
