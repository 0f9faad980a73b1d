import PatchCrypto
import PatchFeed
import PatchPublishing

extension FeedCommand {
    @Sendable static func preview(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let reading = try FeedReading(arguments)
        let now = try SystemClock.now()
        guard let version = try arguments.appVersion() else {
            throw PatchError(.usage, "no app version", hint: "give --app-version V")
        }
        let ids = try PreviewIDs(arguments, console)
        let engine = try arguments.number(of: .runningEngine) ?? 1
        let list = try runBlocking { () async throws(PatchError) in
            var client = try reading.client(at: now)
            return try await client.list(in: reading.place).list
        }
        var device = FeedDevice(
            app: list.app, environment: list.environment, appVersion: version,
            engine: engine,
            installation: try arguments.text(of: .installation) ?? "", user: try arguments.text(of: .previewUser),
            groups: Set(try arguments.texts(of: .deviceGroup)))
        guard let ids else {
            for choice in try list.choices(for: device) { try show(choice, console) }
            return 0
        }
        device.groups = []
        var preview = FeedPreview(of: [list], for: device)
        try ids.count(in: &preview)
        for (outcome, counts) in preview.outcomes {
            guard console.format == .json else {
                try console.line("\(outcome.text)  \(counts[0]) of \(preview.units)")
                continue
            }
            try console.json(
                .object(
                    [("schema", .string("patchpack.feed-preview/1"))] + JSONValue.outcome(nil) + [
                        ("id", .string(outcome.id)), ("version", .integer(outcome.version)),
                        ("code", .string(outcome.code.rawValue)), ("count", .integer(counts[0])),
                        ("units", .integer(preview.units)), ("error", .null),
                    ]))
        }
        return 0
    }

    private static func show(_ choice: PatchChoice, _ console: Console) throws(PatchError) {
        if console.format == .json {
            try console.json(
                .object(
                    [("schema", .string("patchpack.feed-preview/1"))] + JSONValue.outcome(nil) + [
                        ("id", .string(choice.id)), ("version", .integer(choice.version)),
                        ("code", .string(choice.code.rawValue)), ("offered", .bool(choice.isChosen)), ("error", .null),
                    ]))
        } else {
            try console.line(
                choice.isChosen ? .good : .faint, choice.code.rawValue, "  \(choice.id) \(choice.version)")
        }
    }
}
