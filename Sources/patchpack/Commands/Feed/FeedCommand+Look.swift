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
        if console.format == .text, !console.isQuiet {
            for line in feed.overview(at: now) { try line.print(console) }
            if try place.hasStaged() {
                try console.line(.bad, "a change waits for signatures", ": patchpack feed sign \(place.name) --show")
            }
        }
        var late: [String] = []
        var roles: [(key: String, value: JSONValue)] = []
        for role in FeedRepository.Role.allCases {
            let (version, expires) = feed.state(of: role)
            let (ids, threshold) = feed.keys(of: role)
            let days = now.wholeDays(until: expires)
            if days < limit ?? 0 { late.append(days < 0 ? "\(role) has ended" : "\(role) ends in \(days) days") }
            roles.append(
                (
                    role.rawValue,
                    .object([
                        ("version", .integer(version)), ("days", .integer(days)),
                        ("expires", .string(expires.description)),
                        ("threshold", .integer(threshold)), ("keyIDs", .array(ids.map(JSONValue.string))),
                    ])
                ))
            if console.format == .text, !console.isQuiet {
                let name = role.rawValue + String(repeating: " ", count: 10 - role.rawValue.count)
                try console.line(
                    "\(name)version \(version), \(days < 0 ? "has ended" : "\(days) days left"), \(threshold) of \(FeedKey.short(ids))"
                )
            }
        }
        let error =
            late.isEmpty
            ? feed.published.flatMap { PatchError.published(at: $0, before: now) }
            : PatchError(.feedExpired, late.joined(separator: "; "), hint: "patchpack feed refresh DIR")
        if console.format == .json {
            try console.json(
                .object(
                    [("schema", .string("patchpack.feed-status/1")), ("feed", .string(place.name))]
                        + JSONValue.outcome(error) + [
                            ("app", .string(feed.app)), ("environment", .string(feed.environment)),
                            ("enabled", .bool(feed.list.isEnabled)), ("staged", .bool(try place.hasStaged())),
                            ("published", feed.published.map { .string($0.description) } ?? .null),
                            ("roles", .object(roles)),
                            ("patches", .array(feed.list.entries.map(\.json))), ("error", .error(error)),
                        ]))
        } else if let error {
            console.error(error.about(Path(place.name)))
        }
        return error?.code.exitStatus ?? 0
    }

    @Sendable static func check(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let reading = try FeedReading(arguments)
        let now = try SystemClock.now()
        let (list, targets, bytes, revoked) = try waiting { () async throws(PatchError) in
            var client = try reading.client(at: now)
            let (list, size) = try await reading.list(&client)
            var bytes = size
            var signers: [(name: String, keys: Set<KeyID>)] = []
            var revoked: [String] = []
            for entry in list.entries {
                guard entry.state != .withdrawn else { continue }
                guard let target = try await client.target(entry.path) else {
                    throw PatchError(
                        .feedMismatch, "\(entry.path): listed, but the release keys have not signed it",
                        hint: "the online key has listed it: is that key stolen?")
                }
                let envelope = try await client.contents(of: target, limit: FeedFolder.fileLimit)
                bytes += envelope.count
                if let signatures = try? UnverifiedEnvelope(envelope).signatures {
                    signers.append(("\(entry.id) \(entry.version)", Set(signatures.map(\.keyID))))
                }
            }
            if let target = try await client.target(PatchList.trustPath(for: list.app)) {
                let store = try await client.contents(of: target, limit: PatchList.trustLimit)
                do throws(PatchError) {
                    let refused = try TrustStore(contentsOf: store).keys.filter { $0.refusal(at: now) != nil }
                    let keys = Set(refused.map(\.key.id))
                    revoked = signers.filter { $0.keys.isSubset(of: keys) }.map(\.name)
                } catch {
                    throw error.at(file: target.path)
                }
                bytes += store.count
            }
            return (list, list.entries.count, bytes, revoked)
        }
        let signed = arguments.has(.listed) ? try signedFiles(arguments, reading.root) : []
        let future = PatchError.published(at: list.published, before: now)
        let caching = reading.cachingFaults
        let faults =
            list.faults.map(\.message)
            + revoked.map {
                "\($0) is signed only by keys that the delivered trust store refuses, so devices drop it: resign it, and publish it"
            }
        if console.format == .json {
            try console.json(
                .object(
                    [("schema", .string("patchpack.feed-check/1")), ("feed", .string(reading.place.description))]
                        + JSONValue.outcome(future) + [
                            ("app", .string(list.app)), ("environment", .string(list.environment)),
                            ("patches", .integer(targets)), ("bytes", .integer(bytes)),
                            ("faults", .array(faults.map(JSONValue.string))),
                            ("caching", .array(caching.map(JSONValue.string))),
                            (
                                "signed",
                                .array(
                                    signed.map { .object([("path", .string($0.path)), ("entry", .string($0.words))]) })
                            ), ("error", .error(future)),
                        ]))
        } else {
            for fault in faults { console.warning(fault) }
            for warning in caching { console.warning(warning) }
            for (path, words) in signed { try console.line("\(path)  \(words)") }
            if let future {
                console.error(future.about(reading.place))
            } else if !console.isQuiet {
                try console.line(
                    .good, "ok", "  \(reading.place)  \(targets) patches, \(bytes) bytes of list and envelopes")
            }
        }
        return future?.code.exitStatus ?? 0
    }

    /// The files that the release keys have signed, and what the list says of each.
    private static func signedFiles(
        _ arguments: ParsedArguments, _ root: [UInt8]
    ) throws(PatchError) -> [(path: String, words: String)] {
        let feed = try FeedState(arguments.operands[0].text).feed(root, arguments)
        return feed.targets.map { target in
            let entry = feed.list.entries.first { $0.path == target.path }
            let isTrust = target.path == PatchList.trustPath(for: feed.app)
            return (target.path, isTrust ? "the trust store" : entry?.words ?? "in no entry")
        }
    }

    @Sendable static func preview(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let reading = try FeedReading(arguments)
        let now = try SystemClock.now()
        guard let version = try arguments.appVersion() else {
            throw PatchError(.usage, "no app version", hint: "give --app-version V")
        }
        let list = try waiting { () async throws(PatchError) in
            var client = try reading.client(at: now)
            return try await reading.list(&client).list
        }
        var device = FeedDevice(
            app: list.app, environment: list.environment, appVersion: version,
            engine: try arguments.number(of: .runningEngine) ?? 1,
            installation: try arguments.text(of: .installation) ?? "", user: try arguments.text(of: .previewUser),
            groups: Set(try arguments.texts(of: .deviceGroup)))
        guard let path = arguments.value(of: .units)?.path else {
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

extension PatchError {
    /// An error if a list was signed by a clock that is ahead; nil if not.
    fileprivate static func published(at published: Timestamp, before now: Timestamp) -> PatchError? {
        guard FeedRepository.isAhead(published, of: now) else { return nil }
        return PatchError(
            .clock, "its list says that it was signed at \(published), but this machine's clock says \(now)",
            hint: "if this clock is right, the signer's was wrong: patchpack feed refresh DIR --clock-is-right")
    }
}
