import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing

extension FeedCommand {
    @Sendable static func showStatus(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        guard arguments.format == "openmetrics" else { return try status(arguments, console) }
        guard arguments.operands.count == 1 else {
            throw .usage("an id with --format openmetrics", hint: "leave the id out")
        }
        let place = FeedAddress(arguments.operands[0].text, arguments)
        let feed = try place.feed(PinnedRoot.fromOptions(arguments))
        let store = try feed.trustStore(place.read)
        let keys =
            try store.map { (bytes) throws(PatchError) in try TrustStore(decoding: bytes, rsaDefault: .rsaSHA1).keys }
            ?? []
        try console.raw(feed.metrics(of: place.name, keys))
        guard let days = try arguments.number(of: .days, atLeast: 0) else { return }
        guard let alarm = try feed.alarm(lasting: days, at: SystemClock.now()) else { return }
        console.error(alarm.about(Path(place.name)))
        console.fail(alarm.code)
    }

    private static func status(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let place = FeedAddress(arguments.operands[0].text, arguments)
        let feed = try place.feed(PinnedRoot.fromOptions(arguments))
        let now = try SystemClock.now()
        let limit = try arguments.number(of: .days, atLeast: 0)
        let id = arguments.operands.count > 1 ? arguments.operands[1].text : nil
        if let id, feed.entries(of: id).isEmpty { throw PatchError.unlisted(id, in: feed).about(Path(place.name)) }
        let roles = feed.roles(at: now)
        let names = try KeyNames(arguments)
        let trustStore = feed.digest(of: PatchList.trustPath(for: feed.app))
        if console.format == .text, !console.isQuiet {
            for line in feed.overview(at: now, of: id, most: arguments.has(.allPatches) ? .max : 20) {
                try line.print(console)
            }
            if place.hasStaged() {
                try console.line(.bad, "a change waits for signatures", ": patchpack feed sign \(place.name) --show")
            }
            for status in roles {
                // The longest name is `timestamp`.
                let name = status.role.rawValue + String(repeating: " ", count: 10 - status.role.rawValue.count)
                let left = status.days < 0 ? "has ended" : "\(status.days) days left"
                let keys = status.keyIDs.map(names.text).joined(separator: ", ")
                try console.line("\(name)version \(status.version), \(left), \(status.threshold) of \(keys)")
            }
            if let trustStore { try console.line("trust store delivered, SHA-256 \(trustStore)") }
        }
        let error = feed.alarm(lasting: limit ?? 0, at: now)
        if console.format == .json {
            try console.report(
                "patchpack.feed-status/1", about: [("feed", place.name)], error,
                [
                    ("app", feed.app), ("environment", feed.environment), ("enabled", feed.list.isEnabled),
                    ("staged", place.hasStaged()), ("published", feed.published), ("author", feed.lastChange.author),
                    ("reason", feed.lastChange.reason), ("stop", feed.list.stop),
                    ("minimumAppVersion", feed.list.minimumAppVersion), ("notice", feed.list.notice),
                    ("switches", feed.list.switches ?? JSONValue([])),
                    ("roles", JSONValue(roles.map { ($0.role.rawValue, $0) })), ("trustStore", trustStore),
                    ("patches", feed.list.entries.filter { id == nil || $0.id == id }),
                ])
        } else if let error {
            console.error(error.about(Path(place.name)))
        }
        console.fail(error?.code)
    }
}

extension PatchEntryDraft: JSONConvertible {}

extension ChangeStamp: JSONConvertible {
    var json: JSONValue { JSONValue([("since", time), ("author", author), ("reason", reason)]) }
}

extension FeedRepository.RoleStatus: JSONConvertible {
    var json: JSONValue {
        JSONValue([
            ("version", version), ("days", days), ("expires", expires), ("threshold", threshold), ("keyIDs", keyIDs),
        ])
    }
}
