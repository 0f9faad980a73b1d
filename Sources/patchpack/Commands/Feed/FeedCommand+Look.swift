import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing

// The actions that change nothing.
extension FeedCommand {
    @Sendable static func status(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let place = FeedState(arguments.operands[0].text)
        let root = try PinnedRoot.givenRoot(arguments)
        let feed = try place.feed(root, arguments)
        let now = try SystemClock.now()
        let limit = try arguments.number(of: .days, atLeast: 0)
        let id = arguments.operands.count > 1 ? arguments.operands[1].text : nil
        if let id, feed.entries(of: id).isEmpty { throw PatchError.unlisted(id, in: feed).about(Path(place.name)) }
        if console.format == .text, !console.isQuiet {
            for line in feed.overview(at: now, of: id, most: arguments.has(.allPatches) ? .max : 20) {
                try line.print(console)
            }
            if try place.hasStaged() {
                try console.line(.bad, "a change waits for signatures", ": patchpack feed sign \(place.name) --show")
            }
        }
        let roles = feed.roles(at: now)
        if console.format == .text, !console.isQuiet {
            for status in roles {
                let name = status.role.rawValue + String(repeating: " ", count: 10 - status.role.rawValue.count)
                let left = status.days < 0 ? "has ended" : "\(status.days) days left"
                try console.line(
                    "\(name)version \(status.version), \(left), \(status.threshold) of \(FeedKey.short(status.keyIDs))")
            }
        }
        let error = feed.alarm(lasting: limit ?? 0, at: now)
        if console.format == .json {
            try console.json(
                .object(
                    [("schema", .string("patchpack.feed-status/1")), ("feed", .string(place.name))]
                        + JSONValue.outcome(error) + [
                            ("app", .string(feed.app)), ("environment", .string(feed.environment)),
                            ("enabled", .bool(feed.list.isEnabled)), ("staged", .bool(try place.hasStaged())),
                            ("published", feed.published.map { .string($0.description) } ?? .null),
                            ("author", feed.list.author.map(JSONValue.string) ?? .null),
                            ("reason", feed.list.reason.map(JSONValue.string) ?? .null),
                            ("stop", feed.list.stop?.json ?? .null),
                            (
                                "minimumAppVersion",
                                feed.list.minimumAppVersion.map { .string($0.description) } ?? .null
                            ), ("notice", feed.list.notice.map(JSONValue.string) ?? .null),
                            ("switches", feed.list.switches ?? .object([])),
                            ("roles", .object(roles.map { ($0.role.rawValue, $0.json) })),
                            (
                                "patches", .array(feed.list.entries.filter { id == nil || $0.id == id }.map(\.json))
                            ), ("error", .error(error)),
                        ]))
        } else if let error {
            console.error(error.about(Path(place.name)))
        }
        return error?.code.exitStatus ?? 0
    }

    @Sendable static func check(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let reading = try FeedReading(arguments)
        let now = try SystemClock.now()
        let check: FeedCheck
        do throws(PatchError) {
            check = try waiting(meanwhile: { console.status("\(reading.source.count) files are read") }) {
                () async throws(PatchError) in
                var client = try reading.client(at: now)
                return try await FeedCheck(&client, at: now, in: reading.place)
            }
        } catch {
            console.status(nil)
            guard error.code == .feedUnavailable, error.hint == nil else { throw error }
            throw error.hinting(
                "if it is missing there: patchpack feed deploy DIR --to PLACE uploads it again; if the place is not public (403), open it"
            )
        }
        console.status(nil)
        let list = check.list
        let signed =
            arguments.has(.listed)
            ? try FeedState(arguments.operands[0].text).feed(reading.root, arguments).signedFiles : []
        var fault = PatchError.signedAhead(list.published, of: now)
        if fault == nil { fault = try otherState(of: reading, arguments) }
        let caching = reading.source.faults
        if console.format == .json {
            try console.json(
                .object(
                    [("schema", .string("patchpack.feed-check/1")), ("feed", .string(reading.place.description))]
                        + JSONValue.outcome(fault) + [
                            ("app", .string(list.app)), ("environment", .string(list.environment)),
                            ("patches", .integer(list.entries.count)), ("bytes", .integer(check.bytes)),
                            ("faults", .array(check.faults.map(JSONValue.string))),
                            ("caching", .array(caching.map(JSONValue.string))),
                            (
                                "signed",
                                .array(
                                    signed.map { .object([("path", .string($0.path)), ("entry", .string($0.words))]) })
                            ), ("error", .error(fault)),
                        ]))
        } else {
            for fault in check.faults { console.warning(fault) }
            for warning in caching { console.warning(warning) }
            for (path, words) in signed { try console.line("\(path)  \(words)") }
            if let fault {
                console.error(fault.about(reading.place))
            } else if !console.isQuiet {
                try console.line(
                    .good, "ok",
                    "  \(reading.place)  \(list.entries.count) patches, \(check.bytes) bytes of list and envelopes")
            }
        }
        return fault?.code.exitStatus ?? 0
    }

    @Sendable static func preview(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let reading = try FeedReading(arguments)
        let now = try SystemClock.now()
        guard let version = try arguments.appVersion() else {
            throw PatchError(.usage, "no app version", hint: "give --app-version V")
        }
        let list = try waiting { () async throws(PatchError) in
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

extension FeedRepository.Change {
    fileprivate var json: JSONValue {
        .object([
            ("since", time.map { .string($0.description) } ?? .null),
            ("author", author.map(JSONValue.string) ?? .null), ("reason", reason.map(JSONValue.string) ?? .null),
        ])
    }
}

extension FeedRepository.RoleStatus {
    fileprivate var json: JSONValue {
        .object([
            ("version", .integer(version)), ("days", .integer(days)), ("expires", .string(expires.description)),
            ("threshold", .integer(threshold)), ("keyIDs", .array(keyIDs.map(JSONValue.string))),
        ])
    }
}
