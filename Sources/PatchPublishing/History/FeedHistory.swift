package import PatchCrypto
package import PatchFeed

/// The earlier states of a feed, read from its versioned files.
///
/// Each snapshot has the version and the SHA-256 of the one before it. A state that is not in this chain is not the
/// feed's, even if the feed's keys have signed it: another copy of the feed may have made it, or a thief with an old
/// key.
package struct FeedHistory {
    private let file: (String) throws(PatchError) -> [UInt8]?
    private let read: (Int) throws(PatchError) -> FeedRepository

    /// - Parameters:
    ///   - file: Reads a file of the feed; returns nil if there is none.
    ///   - read: Reads the state of the feed at a snapshot.
    package init(
        reading file: @escaping (String) throws(PatchError) -> [UInt8]?,
        _ read: @escaping (Int) throws(PatchError) -> FeedRepository
    ) {
        self.file = file
        self.read = read
    }

    /// The snapshot before another one; nil for the first one of a feed.
    ///
    /// - Throws: `feed-unavailable` if the chain ends, `feed-mismatch` if another file is in its place.
    private func before(_ next: SnapshotMetadata) throws(PatchError) -> SnapshotMetadata? {
        guard let previous = try next.previous() else {
            guard next.version > 1 else { return nil }
            throw PatchError(.feedUnavailable, "snapshot \(next.version) does not name the one before it")
        }
        let name = FeedLayout.snapshot(previous.version)
        guard let bytes = try file(name) else {
            throw PatchError(.feedUnavailable, "\(name): missing, so an earlier state need not be this feed's")
        }
        guard previous.version < next.version, previous.file.sha256 != nil,
            (try? previous.file.check(bytes, of: name)) != nil
        else { throw Self.foreign(name) }
        return try SnapshotMetadata(SignedMetadata(bytes, name: name, type: SnapshotMetadata.type))
    }

    private static func foreign(_ name: String) -> PatchError {
        PatchError(
            .feedMismatch, "\(name): not the snapshot that this feed had",
            hint: "it is of another copy, or somebody put it there: see who else can write to the folder")
    }

    /// The state at a snapshot that was read before.
    ///
    /// - Throws: `feed-mismatch` if another file is in its place now, and the errors of reading it.
    private func state(at snapshot: SnapshotMetadata) throws(PatchError) -> FeedRepository {
        let state = try read(snapshot.version)
        // The file may have been replaced since it was compared.
        guard state.bodies.snapshot.json.encoded() == snapshot.json.encoded() else {
            throw Self.foreign(FeedLayout.snapshot(snapshot.version))
        }
        return state
    }

    /// Walks back through the earlier states, until the body returns false or the first state is reached.
    private func goBack(
        from state: FeedRepository, _ body: (FeedRepository, _ older: FeedRepository) throws(PatchError) -> Bool
    ) throws(PatchError) {
        var state = state
        while let snapshot = try before(state.bodies.snapshot) {
            let older = try self.state(at: snapshot)
            guard try body(state, older) else { return }
            state = older
        }
    }

    /// The newest earlier state whose list was different for devices, and the changes of the list since then.
    ///
    /// - Throws: `config` if there is none, or if it was signed with keys that no longer count; `feed-unavailable` if
    ///   the chain ends before it, `feed-mismatch` if it has another file.
    package func stateBefore(
        _ state: FeedRepository
    ) throws(PatchError) -> (state: FeedRepository, undone: [ChangeStamp]) {
        var found: FeedRepository?
        var undone: [ChangeStamp] = []
        try Self.explaining { () throws(PatchError) in
            try goBack(from: state) { (newer, older) throws(PatchError) in
                if newer.list.json.encoded() != older.list.json.encoded() { undone.append(newer.list.change) }
                if newer.list.isEquivalent(to: older.list) { return true }
                found = older
                return false
            }
        }
        guard let found else { throw PatchError(.config, "there is no earlier change to undo") }
        return (found, undone)
    }

    /// When a state was signed in which an entry is offered as it is now. Before that, no device could have it so.
    ///
    /// A change may have waited for signatures since the time that the entry has.
    ///
    /// - Returns: nil for an entry of an older version of this library, which has no time.
    package func begin(of entry: PatchEntryDraft, until state: FeedRepository) -> Timestamp? {
        guard let since = entry.since else { return nil }
        let json = entry.json.encoded()
        var first = state
        do throws(PatchError) {
            try goBack(from: state) { (_, older) throws(PatchError) in
                let same = older.list.entries.first { $0.patch == entry.patch }
                guard same?.json.encoded() == json else { return false }
                first = older
                return true
            }
        } catch {
            // The oldest state that can be read counts, so that a gap in the history keeps no patch from being paused.
        }
        let signed = first.state(of: .snapshot).expires.adding(days: -FeedRole.snapshot.days)
        return max(since, signed)
    }

    /// The state at a snapshot.
    ///
    /// - Returns: The state, and the reason that the chain does not reach it, so that it need not be this feed's; nil
    ///   if it does.
    /// - Throws: `config` if the feed has no such state, or if it was signed with keys that no longer count,
    ///   `feed-mismatch` if the chain has another file.
    package func state(
        at version: Int, from state: FeedRepository
    ) throws(PatchError) -> (state: FeedRepository, gap: PatchError?) {
        var last = state.bodies.snapshot
        do throws(PatchError) {
            while last.version > version, let older = try before(last) { last = older }
        } catch {
            guard error.code == .feedUnavailable, try file(FeedLayout.snapshot(version)) != nil else { throw error }
            return (try Self.explaining { () throws(PatchError) in try read(version) }, error)
        }
        guard last.version == version else { throw PatchError(.config, "the feed has no snapshot \(version)") }
        return (try Self.explaining { () throws(PatchError) in try self.state(at: last) }, nil)
    }

    /// Explains the refusal of an old state. It need not be a forgery, because its keys may have been replaced since
    /// then.
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

    package struct Change {
        /// The version of the snapshot that the change made.
        package let snapshot: Int
        package let stamp: ChangeStamp
        package let approvals: [FeedRepository.Approval]
        /// The differences, in words.
        package let lines: [String]
    }

    /// The latest changes, newest first.
    ///
    /// - Parameters:
    ///   - id: The patch; nil for all changes.
    ///   - most: How many changes are returned at most.
    ///   - unreadable: Called if the history before the returned changes cannot be read.
    /// - Throws: Why not even one can be read.
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
                if !lines.isEmpty {
                    changes.append(
                        Change(
                            snapshot: newer.state(of: .snapshot).version,
                            // A list may have waited for signatures, so the author, time and reason in the list take
                            // precedence.
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
