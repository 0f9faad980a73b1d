import PatchCrypto
import PatchFeed
import PatchFiles

// The actions that the online key alone can sign: they change the list.
extension FeedCommand {
    @Sendable static func rollout(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        try edit(arguments, console) { (entry) throws(PatchError) in
            let audience = try Audience(arguments, percent: arguments.operands[2].text, after: entry["rollout"])
            var members = entry.members.filter { member in
                // What is not said again stays.
                !(member.key == "rollout" || member.key == "groups" && arguments.has(.group)
                    || member.key == "users" && arguments.has(.user)
                    || member.key == "when" && arguments.has(.activation))
            }
            members += try audience.members(for: entry["id"]?.text ?? "")
            entry = .object(members)
            return "offered \(audience.text)"
        }
    }

    @Sendable static func pause(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        try edit(arguments, console, to: .paused)
    }

    @Sendable static func resume(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        try edit(arguments, console, to: .active)
    }

    @Sendable static func withdraw(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        try edit(arguments, console, to: .withdrawn, reason: arguments.text(of: .reason))
    }

    @Sendable static func disable(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        try change(arguments, console, "disabled  all patches") { $0.set("enabled", .bool(false)) }
    }

    @Sendable static func enable(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        try change(arguments, console, "enabled  all patches") { $0.set("enabled", .bool(true)) }
    }

    @Sendable static func setSwitches(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let words = arguments.operands.dropFirst().map(\.text)
        return try change(arguments, console, words.joined(separator: "\n")) { list in
            var switches = list["switches"]?.members ?? []
            for word in words {
                let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                switches.removeAll { $0.key == parts[0] }
                if parts.count == 2 { switches.append((parts[0], .string(parts[1]))) }
            }
            list.set("switches", .object(switches))
        }
    }

    /// Changes a patch's state.
    private static func edit(
        _ arguments: ParsedArguments, _ console: Console, to state: PatchList.Entry.State, reason: String? = nil
    ) throws(PatchError) -> Int32 {
        try edit(arguments, console) { (entry) throws(PatchError) in
            entry.set("state", .string(state.rawValue))
            entry.set("reason", reason.map { .string($0) })
            return state.rawValue
        }
    }

    /// Changes a patch's entry.
    private static func edit(
        _ arguments: ParsedArguments, _ console: Console, _ body: (inout JSONValue) throws(PatchError) -> String
    ) throws(PatchError) -> Int32 {
        let change = try FeedChange(arguments, console)
        try change.run { (feed) throws(PatchError) in
            let before = try Preview(of: feed, arguments)
            var entry = try feed.entry(arguments.operands[1].text, version: arguments.number(of: .patchVersion))
            let path = entry["path"]?.text
            let what = try body(&entry)
            feed.edit(at: change.now) { list in
                let patches = (list["patches"]?.elements ?? []).map { $0["path"]?.text == path ? entry : $0 }
                list.set("patches", .array(patches))
            }
            return ["\(what)  \(entry["id"]?.text ?? "") \(entry.version ?? 0)"] + (try before.difference(to: feed))
        }
        return 0
    }

    /// Changes the list as a whole.
    private static func change(
        _ arguments: ParsedArguments, _ console: Console, _ line: String, _ body: (inout JSONValue) -> Void
    ) throws(PatchError) -> Int32 {
        let change = try FeedChange(arguments, console)
        try change.run { (feed) throws(PatchError) in
            feed.edit(at: change.now, body)
            return line.split(separator: "\n").map(String.init)
        }
        return 0
    }
}

/// What becomes of each of many ids, before and after a change.
struct Preview {
    private let units: [String]
    private let appVersion: AppVersion?
    private var counts: [String: Int] = [:]

    /// Counts nothing if no units are given.
    init(of feed: FeedRepository, _ arguments: ParsedArguments) throws(PatchError) {
        guard let path = arguments.value(of: .units)?.path else {
            units = []
            appVersion = nil
            return
        }
        appVersion = try arguments.value(of: .appVersion, "a version such as 2.3.1") { AppVersion($0) }
        guard appVersion != nil else {
            throw PatchError(.usage, "--units without an app version", hint: "give --app-version V")
        }
        units = try Self.lines(of: path)
        counts = try count(feed)
    }

    /// The lines of a file of ids.
    static func lines(of path: Path) throws(PatchError) -> [String] {
        let bytes = try InputFile.contents(of: path, limit: 1 << 30)
        return bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
            .map { $0.hasSuffix("\r") ? String($0.dropLast()) : $0 }.filter { !$0.isEmpty }
    }

    /// How many devices there are for each patch and code.
    private func count(_ feed: FeedRepository) throws(PatchError) -> [String: Int] {
        guard let appVersion else { return [:] }
        return try Self.count(
            PatchList(decoding: feed.list.encoded()), units,
            FeedDevice(app: feed.app, environment: feed.environment, appVersion: appVersion, installation: ""))
    }

    static func count(_ list: PatchList, _ units: [String], _ device: FeedDevice) throws(PatchError) -> [String: Int] {
        var counts: [String: Int] = [:]
        var device = device
        for unit in units {
            // An id is that of an installation or of a user: whichever the patch counts.
            device.installation = unit
            device.user = unit
            for choice in try list.choices(for: device) {
                counts["\(choice.id) \(choice.version)  \(choice.code.rawValue)", default: 0] += 1
            }
        }
        return counts
    }

    /// A line for each count that the change makes another one.
    func difference(to feed: FeedRepository) throws(PatchError) -> [String] {
        let after = try count(feed)
        return Set(counts.keys).union(after.keys).sorted().compactMap { key in
            let (old, new) = (counts[key] ?? 0, after[key] ?? 0)
            return old == new ? nil : "\(key)  \(old) -> \(new) of \(units.count)"
        }
    }
}
