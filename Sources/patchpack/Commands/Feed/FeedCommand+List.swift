import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing

// The actions that change only the list, so the online key alone can sign them.
extension FeedCommand {
    @Sendable static func rollout(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        try edit(arguments, console) { (entry) throws(PatchError) in
            let audience = try PatchAudience(arguments, percent: arguments.operands[2].text, after: entry.rollout)
            try audience.apply(to: &entry)
            let live = entry.resumedState == .shadow ? "live " : ""
            entry.leaveShadow()
            let state = entry.state ?? .paused
            return state == .active
                ? "offered \(audience.text)" : "still \(state.rawValue); once it is resumed, \(live)\(audience.text)"
        }
    }

    @Sendable static func pause(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        try edit(arguments, console, isUrgent: true, isStop: true) { (entry) throws(PatchError) in
            try entry.setState(.paused)
            return entry.stateText
        }
    }

    @Sendable static func resume(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        try edit(arguments, console) { (entry) throws(PatchError) in
            try entry.setState(entry.resumedState)
            return entry.state == .shadow ? "resumed in shadow" : "resumed"
        }
    }

    /// Takes a patch off the devices that run it, and lets them run it in shadow.
    @Sendable static func shadow(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        try edit(arguments, console, isUrgent: true, isStop: true) { (entry) throws(PatchError) in
            try PatchAudience(arguments, after: entry.rollout).apply(to: &entry)
            try entry.setState(.shadow)
            return entry.words
        }
    }

    @Sendable static func withdraw(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        try edit(arguments, console, isUrgent: true, isStop: true, withdraws: true) { (entry) throws(PatchError) in
            try entry.setState(.withdrawn)
            return entry.stateText
        }
    }

    @Sendable static func disable(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        try refuseID(arguments, "disable switches all patches off", instead: "pause or withdraw")
        let reason = try arguments.text(of: .changeReason)
        try change(arguments, console, isUrgent: true, ["disabled  all patches"]) { list in
            list.isEnabled = false
            // A new reason takes the place of that of an earlier `disable`, as for a patch that is paused again.
            if let reason, let stop = list.stop, stop.reason != reason { list.stop?.reason = reason }
        }
    }

    @Sendable static func enable(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        try refuseID(arguments, "enable switches all patches on", instead: "resume")
        try change(arguments, console, ["enabled  all patches"]) { $0.isEnabled = true }
    }

    /// Refuses the id of a patch for an action on all patches.
    ///
    /// - Parameter others: The actions on one patch.
    /// - Throws: `usage` if there is an id.
    private static func refuseID(
        _ arguments: ParsedArguments, _ what: String, instead others: String
    ) throws(PatchError) {
        guard arguments.operands.count > 1 else { return }
        throw .usage(
            "\(what), and takes no patch", hint: "for \(arguments.operands[1].text) alone: patchpack feed \(others)")
    }

    @Sendable static func setSwitches(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let words = arguments.operands.dropFirst().map(\.text)
        let lines = words.map { $0.utf8.contains(UInt8(ascii: "=")) ? $0 : "\($0) removed" }
        try change(arguments, console, lines) { (list) throws(PatchError) in
            for word in words {
                let parts = word.utf8.split(
                    separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
                ).map { String(Substring($0)) }
                if parts.count == 2 {
                    guard !parts[1].utf8.allSatisfy(\.isBlank) else { throw .blank("the switch \(parts[0])") }
                    try list.nameSwitch(parts[0], value: parts[1])
                } else {
                    try list.removeSwitch(word)
                }
            }
        }
    }

    @Sendable static func set(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let version = try arguments.text(of: .minimumAppVersion)
        let notice = try arguments.text(of: .notice)
        let lowest = version.flatMap { AppVersion($0) }
        if let version, version != "none", lowest == nil {
            throw .usage(
                "--minimum-app-version \(version): it \(AppVersion.fault(in: version) ?? "is wrong"); expected a version such as 2.3.1, or none"
            )
        }
        guard version != nil || notice != nil else {
            throw .usage("nothing to set", hint: "give --minimum-app-version V or --notice TEXT")
        }
        let lines = [
            version.map { "minimum app version  \($0)" }, notice.map { "notice  \($0.isEmpty ? "none" : $0)" },
        ]
        try change(arguments, console, lines.compactMap(\.self)) { list in
            if version != nil { list.minimumAppVersion = lowest }
            if let notice { list.notice = notice.isEmpty ? nil : notice }
        }
    }

    @Sendable static func undo(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let action = try FeedAction(arguments, console)
        let named = try arguments.number(of: .undoneTo)
        try action.run(isUrgent: true) { (feed, details) throws(PatchError) in
            let base = feed
            let history = try action.change.history()
            let older = try action.folder.path.naming { () throws(PatchError) in
                guard let named else {
                    let (older, undone) = try history.stateBefore(feed)
                    try feed.checkUndo(to: older, undoing: undone, by: details.author)
                    return older
                }
                let (older, gap) = try history.state(at: named, from: feed)
                if let gap { console.warning("this state need not be the feed's: \(gap.message)") }
                return older
            }
            let snapshot = older.state(of: .snapshot).version
            details.reason = "undo, to snapshot \(snapshot)\(details.reason.map { ": \($0)" } ?? "")"
            guard try feed.undo(to: older, in: details) else { return ["already as at snapshot \(snapshot)"] }
            let changes = feed.visibleChanges(since: base)
            guard named != nil else { return changes }
            details.isConfirmed = try askToSign(changes, arguments, console)
            // The answer may have taken hours.
            feed = base
            details.now = try SystemClock.now()
            _ = try feed.undo(to: older, in: details)
            return changes
        }
    }

    /// Changes a patch's entry.
    ///
    /// - Parameters:
    ///   - isStop: Whether it takes the patch from devices, or keeps it from those that do not have it yet.
    ///   - withdraws: Whether the operands may be several ids, and a version that is not listed may be withdrawn.
    ///   - body: Changes the entry, and returns what it then is, such as `paused`.
    /// - Throws: `usage` if the entry does not exist, or if it is not clear which version is meant.
    private static func edit(
        _ arguments: ParsedArguments, _ console: Console, isUrgent: Bool = false, isStop: Bool = false,
        withdraws: Bool = false, _ body: (inout PatchEntryDraft) throws(PatchError) -> String
    ) throws(PatchError) {
        let action = try FeedAction(arguments, console)
        // Only `withdraw` takes several ids. The third operand of the other verbs is not an id.
        let ids = (withdraws ? arguments.operands.dropFirst() : arguments.operands[1...1]).map(\.text)
        let version = try arguments.number(of: .patchVersion)
        let reason = try arguments.text(of: .changeReason)
        try action.run(isUrgent: isUrgent) { (feed, details) throws(PatchError) in
            // Devices may have a version that is not listed now.
            var published: [String: String] = [:]
            if withdraws, version != nil { published = try action.folder.published(for: feed.app) }
            var listed = Dictionary(grouping: feed.list.entries, by: \.id)
            var changed: [String: PatchEntryDraft] = [:]
            var added: [PatchEntryDraft] = []
            var lines: [String] = []
            for id in ids {
                let versions = listed[id] ?? []
                let isListed = versions.contains { $0.version == version }
                if withdraws, !isListed, let version {
                    let withdrawal = feed.withdrawal(of: id, version: version)
                    if published[withdrawal.fileName] != nil {
                        added.append(withdrawal)
                        listed[id] = versions + [withdrawal]
                        lines.append("withdrawn  \(withdrawal.name)")
                        continue
                    }
                }
                let old = try feed.meantEntry(id, version: version, of: versions, isStopped: isStop)
                var entry = old
                let what = try body(&entry)
                let fallback = entry.fallback(among: versions)
                // Without a version, this entry may have been stopped before devices were offered another version.
                if version == nil, entry.isEquivalent(to: old), let fallback, let offered = fallback.offered,
                    let since = old.since, since < offered
                {
                    throw PatchError(
                        .usage,
                        "\(entry.name) is \(what) already, and version \(fallback.version) is \(fallback.words)",
                        remedy: .giveVersion)
                }
                guard let new = old.changed(to: entry, reason: reason) else {
                    lines.append("already \(what)  \(entry.name)")
                    continue
                }
                changed[new.name] = new
                listed[id] = versions.map { $0.version == new.version ? new : $0 }
                lines.append("\(what)  \(entry.name)")
                if let fallback { lines.append("still offered  \(fallback.name)  \(fallback.words)") }
            }
            feed.replace(changed, adding: added, in: details)
            return lines
        }
    }

    /// Changes the list.
    ///
    /// - Parameter lines: What the change does. If the list is the same after it, they are printed with `already`.
    private static func change(
        _ arguments: ParsedArguments, _ console: Console, isUrgent: Bool = false, _ lines: [String],
        _ body: (inout PatchListDraft) throws(PatchError) -> Void
    ) throws(PatchError) {
        let action = try FeedAction(arguments, console)
        try action.run(isUrgent: isUrgent) { (feed, details) throws(PatchError) in
            let before = feed.list.minimumAppVersion
            guard try feed.edit(in: details, unlessSame: body) else { return lines.map { "already \($0)" } }
            if let version = feed.list.minimumAppVersion {
                let isRaised = before.map { $0 < version } ?? true
                if isRaised {
                    console.warning("an app older than \(version) gets no patch any more, and drops those that it has")
                }
            }
            return lines
        }
    }
}
