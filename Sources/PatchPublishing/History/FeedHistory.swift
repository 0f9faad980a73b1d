package import PatchCrypto
internal import PatchFeed

/// The earlier states of a feed, read from its versioned files.
package struct FeedHistory {
    private let read: (Int) throws(PatchError) -> FeedRepository?

    /// - Parameter read: Reads the state at a snapshot; returns nil if the file of that snapshot is missing.
    package init(_ read: @escaping (Int) throws(PatchError) -> FeedRepository?) { self.read = read }

    /// Walks back through the earlier states, until the body returns false or there are none left.
    ///
    /// If a state does not name the one before it, the next lower number is tried. Numbers may be missing, because versions that
    /// a thief has used are skipped.
    private func goBack(
        from state: FeedRepository, _ body: (FeedRepository, _ older: FeedRepository) throws(PatchError) -> Bool
    ) throws(PatchError) {
        func before(_ state: FeedRepository) -> Int { state.earlierSnapshot ?? state.state(of: .snapshot).version - 1 }
        var (state, number, missing) = (state, before(state), 0)
        while number > 0, missing < 1000 {
            if let older = try read(number) {
                guard try body(state, older) else { return }
                (state, number, missing) = (older, before(older), 0)
            } else {
                (number, missing) = (number - 1, missing + 1)
            }
        }
    }

    /// The newest earlier state whose list was different for devices.
    ///
    /// - Throws: `config` if there is none, or if it was signed with keys that no longer count.
    package func stateBefore(_ state: FeedRepository) throws(PatchError) -> FeedRepository {
        var found: FeedRepository?
        try Self.explaining { () throws(PatchError) in
            try goBack(from: state) { (newer, older) throws(PatchError) in
                if newer.list.isEquivalent(to: older.list) { return true }
                found = older
                return false
            }
        }
        guard let found else { throw PatchError(.config, "there is no earlier change to undo") }
        return found
    }

    /// The state at a snapshot.
    ///
    /// - Throws: `config` if it is not there, or if it was signed with keys that no longer count.
    package func state(at snapshot: Int) throws(PatchError) -> FeedRepository {
        let state = try Self.explaining { () throws(PatchError) in try read(snapshot) }
        guard let state else { throw PatchError(.config, "the feed has no snapshot \(snapshot)") }
        return state
    }

    /// Explains the refusal of an old state. It need not be a forgery, because its keys may have been replaced since then.
    private static func explaining<Value>(_ body: () throws(PatchError) -> Value) throws(PatchError) -> Value {
        do throws(PatchError) {
            return try body()
        } catch {
            guard error.code == .feedSignature else { throw error }
            throw PatchError(
                .config,
                "that state was signed with keys that no longer count, so it cannot be made again (\(error.message))",
                hint: "make the change manually")
        }
    }

    /// A change, with its time, author and reason.
    package struct Change {
        package let snapshot: Int
        package let stamp: FeedRepository.Change
        package let approvals: [FeedRepository.Approval]
        package let lines: [String]
    }

    /// The latest changes, newest first.
    ///
    /// - Parameters:
    ///   - id: The patch; nil for all changes.
    ///   - most: The maximum number of changes.
    ///   - unreadable: Called if the history before the returned changes cannot be read.
    package func changes(
        until state: FeedRepository, of id: String?, most: Int, unreadable: (PatchError) -> Void
    ) throws(PatchError) -> [Change] {
        var changes: [Change] = []
        do throws(PatchError) {
            try goBack(from: state) { (newer, older) throws(PatchError) in
                let isListSigned = newer.list.json.encoded() != older.list.json.encoded()
                var lines = newer.visibleChanges(since: older) + newer.list.reasonChanges(since: older.list)
                if lines.isEmpty, isListSigned { lines = ["the list was signed again"] }
                if let id { lines = lines.filter { $0.contains(" \(id) ") || Self.isEnvelope($0, of: id) } }
                if let before = newer.earlierSnapshot, before > older.state(of: .snapshot).version, !lines.isEmpty {
                    lines.insert("snapshot \(before) is missing, so this may be more than one change", at: 0)
                }
                if !lines.isEmpty {
                    changes.append(
                        Change(
                            snapshot: newer.state(of: .snapshot).version,
                            // A list may have waited for signatures, so the author, time and reason in the list take precedence.
                            stamp: isListSigned ? newer.list.change : newer.change,
                            approvals: newer.approvals(since: older),
                            lines: lines))
                }
                return changes.count < most
            }
        } catch {
            guard !changes.isEmpty else { throw error }
            unreadable(error)
        }
        return changes
    }

    /// Whether a line names an envelope of a patch: `/ID-VERSION.js`. Another id may begin with the id of the patch.
    private static func isEnvelope(_ line: String, of id: String) -> Bool {
        guard let name = line.utf8.split(separator: UInt8(ascii: "/")).last, name.starts(with: "\(id)-".utf8) else {
            return false
        }
        let version = name.dropFirst(id.utf8.count + 1).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return !version.isEmpty && name[version.endIndex...].elementsEqual(".js".utf8)
    }
}

extension FeedRepository {
    /// The keys that have signed a change of a role.
    package struct Approval: Sendable, Equatable {
        package let role: Role
        package let keyIDs: [String]
    }

    /// The signers of each role that differs from another state. The snapshot and the timestamp are left out, because every
    /// change signs them.
    package func approvals(since old: FeedRepository) -> [Approval] {
        [Role.root, .targets, .rollout].compactMap { role in
            guard state(of: role).version != old.state(of: role).version, let ids = approvals[role] else { return nil }
            return Approval(role: role, keyIDs: ids)
        }
    }

    /// The differences from another state of a feed, in words: the signed files, the offered patches and their audience, and the
    /// keys.
    package func visibleChanges(since old: FeedRepository) -> [String] {
        var lines: [String] = []
        // The root file has the keys of all roles except the rollout role.
        for role in Role.allCases where role == .rollout || knowsRoot && old.knowsRoot {
            let (before, after) = (old.keys(of: role), keys(of: role))
            for id in before.ids where !after.ids.contains(id) {
                lines.append("\(role): removes the key \(id.prefix(16))")
            }
            for id in after.ids where !before.ids.contains(id) {
                lines.append("\(role): adds the key \(id.prefix(16))")
            }
            if before.threshold != after.threshold {
                lines.append("\(role): \(after.threshold) keys must sign, no longer \(before.threshold)")
            }
        }
        let (signed, nowSigned) = (Set(old.targets.map(\.path)), Set(targets.map(\.path)))
        // A trust store keeps its name. An envelope of another version has another name.
        let replaced = targets.filter { target in old.digest(of: target.path).map { $0 != target.sha256 } ?? false }
        lines += signed.subtracting(nowSigned).sorted().map { "no longer signed: \($0)" }
        lines += nowSigned.subtracting(signed).sorted().map { "signed: \($0)" }
        lines += replaced.map { "signed with other bytes: \($0.path)" }
        return lines + list.visibleChanges(since: old.list)
    }
}
