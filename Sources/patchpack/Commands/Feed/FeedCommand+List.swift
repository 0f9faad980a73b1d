import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing

// The actions that the online key alone can sign: they change the list.
extension FeedCommand {
    @Sendable static func rollout(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        try edit(arguments, console) { (entry) throws(PatchError) in
            let audience = try FeedAudience(arguments, percent: arguments.operands[2].text, after: entry.rollout)
            try audience.apply(to: &entry)
            let state = entry.state ?? .paused
            return state == .active
                ? "offered \(audience.text)" : "still \(state.rawValue); once it is resumed, \(audience.text)"
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
        try change(arguments, console, isUrgent: true, "disabled  all patches") { $0.isEnabled = false }
    }

    @Sendable static func enable(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        try change(arguments, console, "enabled  all patches") { $0.isEnabled = true }
    }

    @Sendable static func setSwitches(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let words = arguments.operands.dropFirst().map(\.text)
        return try change(arguments, console, words.joined(separator: "\n")) { list in
            for word in words {
                let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                list.setSwitch(parts[0], to: parts.count == 2 ? parts[1] : nil)
            }
        }
    }

    /// Changes a patch's state.
    private static func edit(
        _ arguments: ParsedArguments, _ console: Console, to state: PatchList.Entry.State, reason: String? = nil
    ) throws(PatchError) -> Int32 {
        try edit(arguments, console, isUrgent: state != .active) { (entry) throws(PatchError) in
            guard state != .paused || entry.state != .withdrawn else {
                throw PatchError(
                    .usage, "it is withdrawn, and pausing would give it back to devices that still have it",
                    hint: "patchpack feed resume, and then pause")
            }
            entry.state = state
            entry.reason = reason
            return state.rawValue
        }
    }

    /// Changes a patch's entry.
    private static func edit(
        _ arguments: ParsedArguments, _ console: Console, isUrgent: Bool = false,
        _ body: (inout PatchEntryDraft) throws(PatchError) -> String
    ) throws(PatchError) -> Int32 {
        let change = try FeedChange(arguments, console)
        try change.run(isUrgent: isUrgent) { (feed) throws(PatchError) in
            let before = try FeedPreview(of: feed, arguments)
            let old = try feed.entry(arguments.operands[1].text, version: arguments.number(of: .patchVersion))
            var entry = old
            let what = try body(&entry)
            feed.replace(old, with: entry, at: change.now)
            return ["\(what)  \(entry.id) \(entry.version)"] + (try before.difference(to: feed))
        }
        return 0
    }

    /// Changes the list as a whole.
    private static func change(
        _ arguments: ParsedArguments, _ console: Console, isUrgent: Bool = false, _ line: String,
        _ body: (inout PatchListDraft) -> Void
    ) throws(PatchError) -> Int32 {
        let change = try FeedChange(arguments, console)
        try change.run(isUrgent: isUrgent) { (feed) throws(PatchError) in
            feed.edit(at: change.now, body)
            return line.split(separator: "\n").map(String.init)
        }
        return 0
    }
}
