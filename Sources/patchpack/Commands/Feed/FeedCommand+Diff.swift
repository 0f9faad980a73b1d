import PatchCrypto
import PatchFiles
import PatchPublishing

extension FeedCommand {
    @Sendable static func diff(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        var root: [UInt8]?
        if let file = FeedPin.given(arguments) { root = try InputFile.small(file) }
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
