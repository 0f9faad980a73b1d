import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing

// The actions that the online key alone can sign: they change the list.
extension FeedCommand {
    @Sendable static func rollout(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        try edit(arguments, console) { (entry) throws(PatchError) in
            let audience = try FeedAudience(arguments, percent: arguments.operands[2].text, after: entry["rollout"])
            var members = entry.members.filter { member in
                // What is not said again stays.
                !(member.key == "rollout" || member.key == "groups" && arguments.has(.group)
                    || member.key == "users" && arguments.has(.user)
                    || member.key == "when" && arguments.has(.activation))
            }
            members += try audience.members(for: entry["id"]?.text ?? "")
            entry = .object(members)
            let state = entry["state"]?.text ?? ""
            return state == "active"
                ? "offered \(audience.text)" : "still \(state); once it is resumed, \(audience.text)"
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
        try change(arguments, console, isUrgent: true, "disabled  all patches") { $0.set("enabled", .bool(false)) }
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
        try edit(arguments, console, isUrgent: state != .active) { (entry) throws(PatchError) in
            guard state != .paused || entry["state"]?.text != "withdrawn" else {
                throw PatchError(
                    .usage, "it is withdrawn, and pausing would give it back to devices that still have it",
                    hint: "patchpack feed resume, and then pause")
            }
            entry.set("state", .string(state.rawValue))
            entry.set("reason", reason.map { .string($0) })
            return state.rawValue
        }
    }

    /// Changes a patch's entry.
    private static func edit(
        _ arguments: ParsedArguments, _ console: Console, isUrgent: Bool = false,
        _ body: (inout JSONValue) throws(PatchError) -> String
    ) throws(PatchError) -> Int32 {
        let change = try FeedChange(arguments, console)
        try change.run(isUrgent: isUrgent) { (feed) throws(PatchError) in
            let before = try FeedPreview(of: feed, arguments)
            let old = try feed.entry(arguments.operands[1].text, version: arguments.number(of: .patchVersion))
            var entry = old
            let what = try body(&entry)
            feed.replace(old, with: entry, at: change.now)
            return ["\(what)  \(entry["id"]?.text ?? "") \(entry.version ?? 0)"] + (try before.difference(to: feed))
        }
        return 0
    }

    /// Changes the list as a whole.
    private static func change(
        _ arguments: ParsedArguments, _ console: Console, isUrgent: Bool = false, _ line: String,
        _ body: (inout JSONValue) -> Void
    ) throws(PatchError) -> Int32 {
        let change = try FeedChange(arguments, console)
        try change.run(isUrgent: isUrgent) { (feed) throws(PatchError) in
            feed.edit(at: change.now, body)
            return line.split(separator: "\n").map(String.init)
        }
        return 0
    }
}
