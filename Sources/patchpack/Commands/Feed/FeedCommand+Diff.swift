import PatchCrypto
import PatchPublishing

extension FeedCommand {
    @Sendable static func diff(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let root = try PinnedRoot.givenRoot(arguments)
        let (old, new) = (FeedState(arguments.operands[0].text), FeedState(arguments.operands[1].text))
        let lines = try new.feed(root, arguments).changes(since: old.feed(root, arguments))
        if console.format == .json {
            try console.json(
                .object(
                    [("schema", .string("patchpack.feed-changes/1")), ("feed", .string(new.name))]
                        + JSONValue.outcome(nil) + [
                            ("changes", .array(lines.map(JSONValue.string))), ("error", .null),
                        ]))
        } else {
            for line in lines { try console.line(line) }
            if lines.isEmpty, !console.isQuiet { try console.line(.good, "same", "  \(new.name)") }
        }
        return 0
    }
}
