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
        let list = try runBlocking { () async throws(PatchError) in
            var client = try reading.client(at: now)
            return try await client.list(in: reading.place).list
        }
        var device = FeedDevice(
            app: list.app, environment: list.environment, appVersion: version,
            engine: try arguments.number(of: .runningEngine) ?? 1,
            installation: try arguments.text(of: .installation) ?? "", user: try arguments.text(of: .previewUser),
            groups: Set(try arguments.texts(of: .deviceGroup)))
        guard let path = arguments.value(of: .ids)?.path else {
            for choice in try list.choices(for: device) { try show(choice, console) }
            return 0
        }
        device.groups = []
        let units = try FeedPreview.units(of: path)
        let counts = try FeedPreview.count(list, units, device).sorted { $0.key.text < $1.key.text }
        for (outcome, count) in counts {
            guard console.format == .json else {
                try console.line("\(outcome.text)  \(count) of \(units.count)")
                continue
            }
            try console.json(
                .object(
                    [("schema", .string("patchpack.feed-preview/1"))] + JSONValue.outcome(nil) + [
                        ("id", .string(outcome.id)), ("version", .integer(outcome.version)),
                        ("code", .string(outcome.code.rawValue)), ("count", .integer(count)),
                        ("units", .integer(units.count)), ("error", .null),
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
