import PatchCrypto
import PatchDevice
import PatchFeed
import PatchFiles
import PatchPublishing

extension FeedCommand {
    @Sendable static func preview(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let reading = try FeedReading(arguments)
        let now = try SystemClock.now()
        let version = try arguments.appVersion().needed("no app version", hint: "give --app-version V")
        let engine = try arguments.number(of: .runningEngine) ?? 1
        let installation = try arguments.text(of: .installation) ?? ""
        let user = try arguments.text(of: .previewUser)
        let groups = Set(try arguments.groups(of: .deviceGroup))
        let choices = try reading.place.naming { () throws(PatchError) in
            try runBlocking { () async throws(PatchError) in
                var client = try reading.client(at: now)
                try await client.update()
                let list = try await client.list(in: reading.place).list
                let device = FeedDevice(
                    app: list.app, environment: list.environment, appVersion: version, engine: engine,
                    installation: installation, user: user, groups: groups)
                let refused = try await RefusedKeys(&client, of: list.app, at: now)
                var choices: [(DeviceChoice, refusal: RefusedKeys.Refusal?)] = []
                for choice in try list.choices(for: device) {
                    choices.append((choice, try await refused.refusal(of: choice, from: &client)))
                }
                return choices
            }
        }
        for (choice, refusal) in choices {
            let outcome = refusal?.outcome ?? SyncReport.Outcome(choice.code)
            let style: Console.Style =
                if refusal != nil {
                    .bad
                } else if choice.isChosen {
                    .good
                } else {
                    .faint
                }
            try console.result(
                .report(
                    "patchpack.feed-preview/1", nil,
                    [
                        ("id", choice.id), ("version", choice.version), ("code", outcome.rawValue),
                        ("offered", choice.isChosen && refusal == nil), ("detail", refusal?.sentence),
                    ]),
                always: true, style, outcome.rawValue,
                "  \(choice.id) \(choice.version)" + (refusal.map { "  \($0.sentence)" } ?? ""))
        }
    }
}

extension RefusedKeys.Refusal {
    /// The outcome of the sync of a device that meets it.
    fileprivate var outcome: SyncReport.Outcome {
        switch self {
        case .unsigned: .listMismatch
        case .refused: .refused
        }
    }
}
