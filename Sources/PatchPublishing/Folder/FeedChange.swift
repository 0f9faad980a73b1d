package import PatchCrypto
package import PatchFeed
package import PatchFiles

/// A change of a feed's folder: reads, changes, signs and writes the feed.
///
/// The folder is locked only while it is read and while it is written, because a question or a signature may take long,
/// and the kill switch must not wait for it. If another process has changed the folder in between, the change is made
/// again.
package struct FeedChange {
    package let folder: FeedFolder
    let settings: Settings
    let signers: [FeedSigner]
    let pin: PinnedRoot
    let warn: (Warning) -> Void

    package struct Settings {
        package var details: ChangeDetails
        /// Reads the clock. A change may wait for an answer or a card, and is made again if another one overtakes it,
        /// so each attempt asks for the time again.
        package var clock: () throws(PatchError) -> Timestamp
        /// Whether to accept files that are signed only with the keys from before the last change of keys.
        package var isInterrupted = false
        /// Whether a change may wait for missing signatures.
        package var stages = false
        /// Whether the change is only shown, and nothing is written.
        package var isTrial = false
        /// Whether to trust this machine's clock even if it disagrees with other clocks.
        package var trustsClock = false
        /// The place that the feed is served from, by its name without a password; nil to skip the comparison with it.
        package var served: (name: String, timestamp: () throws(PatchError) -> FeedReply)?
        /// The timestamp file when the work began, before a passphrase or a pipe was waited for; nil if the work begins
        /// when the feed is read.
        package var began: [UInt8]?

        package init(_ details: ChangeDetails) {
            self.details = details
            clock = { () throws(PatchError) in details.now }
        }
    }

    /// A warning about a change that is made nevertheless.
    package enum Warning {
        /// The change that waits for signatures cannot be read, and stays as it is.
        case stagedIsUnreadable(PatchError)
        /// The list has this many bytes.
        case largeList(Int)
        case refused(FeedFault)
        /// This machine's clock differs from the server's. A stop is made nevertheless.
        case clockDiffers(PatchError)
        /// The new root could not be saved beside a key.
        case rootNotKept(Path)
    }

    package struct Result {
        package enum Outcome {
            case unchanged
            case staged
            /// It was written, or would be if this were not a trial.
            case written
        }

        package let outcome: Outcome
        package let feed: FeedRepository
        /// In a trial, the members that differ.
        package let changes: [String]
        /// The signatures that a staged change waits for.
        package var missing: [FeedRepository.Missing] = []
        /// The feed's files that were written, or would be.
        package var files: [FeedFile] = []
    }

    package init(
        of folder: FeedFolder, _ settings: Settings, signers: [FeedSigner], pin: PinnedRoot,
        warn: @escaping (Warning) -> Void
    ) {
        self.folder = folder
        self.settings = settings
        self.signers = signers
        self.pin = pin
        self.warn = warn
    }

    /// The time on this machine's clock when the work began.
    package var now: Timestamp { settings.details.now }

    /// The details of the change at the time of this attempt.
    private func details() throws(PatchError) -> ChangeDetails {
        var details = settings.details
        details.now = try settings.clock()
        return details
    }

    /// The ids of the keys that sign, as far as they are known.
    package var keyIDs: Set<String> { Set(signers.compactMap(\.keyID)) }

    /// Whether a signer is asked whose key is not known before it has signed.
    package var asksSigner: Bool { signers.contains { $0.keyID == nil } }

    // MARK: reading

    /// The current feed, read from the root that this signer trusts.
    ///
    /// - Throws: `config` or `usage` if there is no such root, `feed-rollback` if the folder is older than what was
    ///   signed last, and the errors of `FeedRepository.init(root:isInterrupted:snapshot:_:)`.
    package func repository() throws(PatchError) -> FeedRepository {
        let feed = try folder.repository(root: pin.root(), isInterrupted: settings.isInterrupted)
        try pin.check(feed.state(of: .timestamp).version, above: settings.details.versionFloor)
        return feed
    }

    /// The earlier states of the feed. They count only if the keys of a trusted root have signed them.
    package func history() throws(PatchError) -> FeedHistory {
        let root = try pin.root()
        return FeedHistory(reading: folder.read) { (number) throws(PatchError) in
            try folder.repository(root: root, snapshot: number)
        }
    }

    /// The feed with the change that waits for signatures.
    ///
    /// - Throws: `config` if no change waits, or the feed has changed since it was staged, and why it cannot be read.
    package func staged(on base: FeedRepository) throws(PatchError) -> FeedRepository {
        try waiting(folder.staged(on: base, above: settings.details.versionFloor))
    }

    private func waiting(_ staged: FeedRepository?) throws(PatchError) -> FeedRepository {
        guard let staged else { throw PatchError(.config, "nothing waits for signatures").about(folder.path) }
        return staged
    }

    /// The differences between two states of the feed, including the keys of a delivered trust store, one line each.
    package func changes(of feed: FeedRepository, since base: FeedRepository) throws(PatchError) -> [String] {
        let (before, after) = (try folder.trustedKeys(of: base), try folder.trustedKeys(of: feed))
        return feed.changes(since: base) + before.filter { !after.contains($0) }.map { "trust store: removes \($0)" }
            + after.filter { !before.contains($0) }.map { "trust store: adds \($0)" }
    }

    // MARK: changing

    /// Makes a feed.
    ///
    /// - Throws: `exists` if the folder already has one.
    package func make(_ feed: FeedRepository) throws(PatchError) -> Result {
        let made = try Folder.make(folder.path)
        do throws(PatchError) {
            var feed = feed
            let draft = try finish(&feed, in: settings.details)
            guard !settings.isTrial else { return draft.result }
            // Another process may make one at the same time.
            try Folder.whileLocked(around: [folder.path.appending(Path("."))]) { () throws(PatchError) in
                guard FileInfo(folder.path.appending(Path(FeedLayout.metadataFolder)), following: true) == nil else {
                    throw PatchError(.exists, "is a feed already", hint: "name another folder").about(folder.path)
                }
                try write(draft.files, of: draft)
            }
            try warnOfWritten(draft)
            return draft.result
        } catch {
            Folder.removeEmpty(made)
            throw error
        }
    }

    /// Changes the feed.
    ///
    /// - Parameters:
    ///   - isUrgent: Whether to make the change although another one waits for signatures, if it offers nothing more.
    ///     The other one is then rebased onto it.
    ///   - body: Makes the change. It is called again if another process changes the feed meanwhile.
    /// - Throws: `config` if another change is in the way, or if somebody has stopped meanwhile what this one offers;
    ///   `clock` if this machine's clock is wrong; `feed-signature` if signatures are missing.
    package func run(
        isUrgent: Bool, _ body: (inout FeedRepository, inout ChangeDetails) throws(PatchError) -> Void
    ) throws(PatchError) -> Result {
        try untilWritten { (base, staged) throws(PatchError) in
            let other = try otherChange(staged, isUrgent: isUrgent)
            var feed = base
            var details = try details()
            if other.feed != nil { details.locked = [.targets, .root] }
            try body(&feed, &details)
            if let remedy = other.remedy(in: folder.path), let more = feed.list.offersMore(than: base.list) {
                throw PatchError(.config, "another change waits for signatures, and \(more)", remedy: remedy)
                    .about(folder.path)
            }
            var draft = try finish(&feed, in: details, since: base, beside: other)
            draft.isConfirmed = details.isConfirmed
            return draft
        }
    }

    /// Another change that waits for signatures, beside which an urgent one is made.
    enum OtherChange {
        case none
        case waiting(FeedRepository)
        /// It stays as it is.
        case unreadable

        /// The feed with it.
        var feed: FeedRepository? {
            if case .waiting(let feed) = self { feed } else { nil }
        }

        var isUnreadable: Bool {
            if case .unreadable = self { true } else { false }
        }

        /// What makes way for a change that may not be made beside it; nil if nothing is in its way.
        func remedy(in folder: Path) -> PublishingRemedy? {
            switch self {
            case .none: nil
            case .waiting: .signOrDropStaged(in: folder.description)
            case .unreadable: .dropStaged(in: folder.description)
            }
        }
    }

    /// The change that already waits for signatures, beside which only an urgent one is made.
    ///
    /// - Throws: `config` if it waits, or why it cannot be read, unless this change is urgent.
    private func otherChange(_ staged: Staged, isUrgent: Bool) throws(PatchError) -> OtherChange {
        switch staged {
        case .success(nil): return .none
        case .success(let waiting?):
            guard isUrgent else {
                throw PatchError(
                    .config, "another change waits for signatures",
                    remedy: .signOrDropStaged(in: folder.path.description)
                ).about(folder.path)
            }
            return .waiting(waiting)
        case .failure(let error):
            guard isUrgent else {
                let remedy = PublishingRemedy.dropStaged(in: folder.path.description)
                throw PatchError(error.code, error.message, remedy: remedy, at: error.place)
            }
            warn(.stagedIsUnreadable(error))
            return .unreadable
        }
    }

    /// Resumes a change that waits for signatures.
    ///
    /// - Parameter body: Receives the differences that the change makes, and adds to the change. It is called again if
    ///   another process changes the feed meanwhile.
    /// - Throws: `config` if no change waits, or if what it offers was stopped again meanwhile.
    package func resume(
        _ body: (inout FeedRepository, [String]) throws(PatchError) -> Void
    ) throws(PatchError) -> Result {
        var first: (base: FeedRepository, feed: FeedRepository)?
        return try untilWritten { (base, staged) throws(PatchError) in
            var feed = try waiting(staged.get())
            try checkClock(feed, by: Timestamp.clockTolerance)
            let missing = try feed.missing()
            if let first {
                let stops = base.list.stops(since: first.base.list)
                let lost = stops.first { $0.isUndone(by: first.feed.list) && !$0.isUndone(by: first.base.list) }
                if let lost { throw PatchError.stopped(lost.text).about(folder.path) }
            }
            first = first ?? (base, feed)
            try body(&feed, changes(of: feed, since: base))
            // The waiting change already has its versions.
            var details = try details()
            details.versionFloor = 0
            return try finish(&feed, in: details, since: base, waiting: missing)
        }
    }

    /// Drops a change that waits for signatures.
    ///
    /// - Returns: Whether there was one.
    package func discard() throws(PatchError) -> Bool {
        try whileLocked { () throws(PatchError) in
            let hadOne = folder.hasStaged()
            if !settings.isTrial { try folder.discardStaged() }
            return hadOne
        }
    }
}
