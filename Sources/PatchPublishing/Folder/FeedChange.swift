package import PatchCrypto
package import PatchFeed
package import PatchFiles

/// A change of a feed's folder: reads, changes, signs and writes the feed.
///
/// The folder is locked only while it is read and while it is written, because a question or a signature may take long, and the kill
/// switch must not wait for it. If another process has changed the folder in between, the change is made again.
package struct FeedChange {
    package let folder: FeedFolder
    private let settings: Settings
    private let signers: [FeedSigner]
    private let pin: PinnedRoot
    private let warn: (Warning) -> Void

    package struct Settings {
        package var details: ChangeDetails
        /// Reads the clock. A change may wait for an answer or a card, and is made again if another one overtakes it, so each
        /// attempt asks for the time again.
        package var clock: () throws(PatchError) -> Timestamp
        /// Whether to accept files that are signed only with the keys from before the last change of keys.
        package var isInterrupted = false
        /// Whether a change may wait for missing signatures.
        package var stages = false
        package var isTrial = false
        /// Whether to trust this machine's clock even if it disagrees with other clocks.
        package var trustsClock = false
        /// The place that the feed is served from, by its name without a password; nil to skip the comparison with it.
        package var served: (name: String, timestamp: () throws(PatchError) -> FeedReply)?
        /// The timestamp file when the work began, before a passphrase or a pipe was waited for; nil if the work begins when the
        /// feed is read.
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
        package var missing: [FeedRepository.Missing] = []
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

    private func details() throws(PatchError) -> ChangeDetails {
        var details = settings.details
        details.now = try settings.clock()
        return details
    }

    package var keyIDs: Set<String> { Set(signers.compactMap(\.keyID)) }

    // MARK: reading

    /// The current feed, read from the root that this signer trusts.
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
    /// - Throws: `config` if no change waits.
    package func staged(on base: FeedRepository) throws(PatchError) -> FeedRepository {
        try waiting(folder.staged(on: base, above: settings.details.versionFloor))
    }

    private func waiting(_ staged: FeedRepository?) throws(PatchError) -> FeedRepository {
        guard let staged else { throw PatchError(.config, "nothing waits for signatures").about(folder.path) }
        return staged
    }

    /// The differences between two states of the feed, including the keys of a delivered trust store.
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
                try write(draft)
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
    ///   - isUrgent: Whether to make the change although another one waits for signatures, if it offers nothing more. The other one
    ///     is then rebased onto it.
    ///   - body: Makes the change. It is called again if another process changes the feed meanwhile.
    package func run(
        isUrgent: Bool, _ body: (inout FeedRepository, inout ChangeDetails) throws(PatchError) -> Void
    ) throws(PatchError) -> Result {
        try untilWritten { (base, staged) throws(PatchError) in
            var (waiting, isUnreadable): (FeedRepository?, Bool) = (nil, false)
            do throws(PatchError) {
                waiting = try staged.get()
            } catch {
                guard isUrgent else {
                    let remedy = PublishingRemedy.dropStaged(in: folder.path.description)
                    throw PatchError(error.code, error.message, remedy: remedy, at: error.place)
                }
                warn(.stagedIsUnreadable(error))
                isUnreadable = true
            }
            guard waiting == nil || isUrgent else {
                throw PatchError(
                    .config, "another change waits for signatures",
                    remedy: .signOrDropStaged(in: folder.path.description)
                ).about(folder.path)
            }
            var (feed, details) = (base, try details())
            if waiting != nil { details.locked = [.targets, .root] }
            try body(&feed, &details)
            if waiting != nil || isUnreadable, let more = feed.list.offersMore(than: base.list) {
                let place = folder.path.description
                throw PatchError(
                    .config, "another change waits for signatures, and \(more)",
                    remedy: isUnreadable ? .dropStaged(in: place) : .signOrDropStaged(in: place)
                ).about(folder.path)
            }
            var draft = try finish(&feed, in: details, since: base, under: waiting, keepsStaged: isUnreadable)
            draft.isConfirmed = details.isConfirmed
            return draft
        }
    }

    /// Resumes a change that waits for signatures.
    ///
    /// - Parameter body: Receives the differences that the change makes, and adds to the change. It is called again if another
    ///   process changes the feed meanwhile.
    package func resume(
        _ body: (inout FeedRepository, [String]) throws(PatchError) -> Void
    ) throws(PatchError) -> Result {
        try untilWritten { (base, staged) throws(PatchError) in
            var feed = try waiting(staged.get())
            try checkClock(feed, by: 300)
            let missing = try feed.missing()
            try body(&feed, changes(of: feed, since: base))
            // The waiting change already has its versions.
            var details = try details()
            details.versionFloor = 0
            return try finish(&feed, in: details, since: base, waiting: missing)
        }
    }

    /// Of more files, those that have a hash in their names are written before the folder is locked.
    private static let fewFiles = 100

    /// The change that waits for signatures, or its error.
    private typealias Staged = Swift.Result<FeedRepository?, PatchError>

    /// Reads the feed, makes a change of it, and writes it, again and again until no other process has changed the feed in between.
    private func untilWritten(
        _ body: (FeedRepository, Staged) throws(PatchError) -> Draft
    ) throws(PatchError) -> Result {
        var began = settings.began
        var first: FeedRepository?
        while true {
            let (state, base, staged) = try whileLocked { () throws(PatchError) in
                let base = try repository()
                let staged = Staged { () throws(PatchError) in
                    try folder.staged(on: base, above: settings.details.versionFloor)
                }
                return (try folder.state(), base, staged)
            }
            if first == nil {
                first = try stateAtBegin(base, state.timestamp)
                began = began ?? state.timestamp
            }
            // Nobody has stopped anything meanwhile if it is the state of the beginning.
            let before = began == state.timestamp ? nil : first
            let doubt = try checkServed(base)
            try checkClock(base, by: 3600)
            var draft: Draft
            do throws(PatchError) {
                draft = try body(base, staged)
            } catch {
                // What the request is about may have been stopped meanwhile.
                guard let before, error.code == .usage, let stop = base.list.stops(since: before.list).first else {
                    throw error
                }
                throw PatchError.stopped(stop.text).about(folder.path)
            }
            if let before, !draft.isConfirmed, let error = draft.result.feed.undoneStop(of: base, since: before) {
                throw error.about(folder.path)
            }
            if let doubt, draft.result.outcome != .unchanged {
                guard draft.result.feed.list.isStop(of: base.list) else { throw doubt }
                warn(.clockDiffers(doubt))
            }
            guard !settings.isTrial else { return draft.result }
            // Thousands of envelopes take seconds, for which no kill switch should wait.
            for index in draft.files.indices where draft.files[index].count > Self.fewFiles {
                try folder.write(draft.files[index].filter(\.isTarget))
                draft.files[index].removeAll(where: \.isTarget)
            }
            let isWritten = try whileLocked { () throws(PatchError) in
                guard try folder.state() == state else { return false }
                try write(draft)
                return true
            }
            guard isWritten else { continue }
            try warnOfWritten(draft)
            return draft.result
        }
    }

    /// The feed when the work began.
    private func stateAtBegin(_ base: FeedRepository, _ timestamp: [UInt8]?) throws(PatchError) -> FeedRepository {
        guard let bytes = settings.began, bytes != timestamp,
            let snapshot = try? TimestampMetadata(
                SignedMetadata(bytes, name: FeedLayout.timestamp, type: TimestampMetadata.type)
            ).snapshot.version
        else { return base }
        // What was there and cannot be read is no state of the feed.
        let root = try pin.root()
        return (try? folder.repository(root: root, snapshot: snapshot)) ?? base
    }

    /// Drops a change that waits for signatures.
    package func discard() throws(PatchError) -> Bool {
        try whileLocked { () throws(PatchError) in
            let hadOne = folder.hasStaged()
            if !settings.isTrial { try folder.discardStaged() }
            return hadOne
        }
    }

    // MARK: checking

    /// - Returns: The error if the server's clock differs from this machine's.
    private func checkServed(_ feed: FeedRepository) throws(PatchError) -> PatchError? {
        guard let served = settings.served else { return nil }
        let reply = try served.timestamp()
        var doubt: PatchError?
        if let date = reply.date { doubt = try self.doubt(date, by: 300, "the server's clock shows \(date)") }
        guard case .bytes(let bytes, _) = reply.content else { return doubt }
        try feed.checkNotOlder(than: bytes)
        let position = try feed.position(of: bytes, called: "the served timestamp.json", root: pin.root(), folder.read)
        // A change with versions above a floor gives the other copy up.
        guard position.isOwn || settings.details.versionFloor > 0 else { throw .otherCopy(served.name, position) }
        return doubt
    }

    /// Refuses to sign at a time long before the feed was last signed, because one of the two clocks was wrong.
    private func checkClock(_ feed: FeedRepository, by seconds: Int) throws(PatchError) {
        guard let published = feed.published, try published > settings.clock() else { return }
        if let doubt = try doubt(published, by: seconds, "the feed was published at \(published)") { throw doubt }
    }

    /// The error if another clock differs by more than some seconds; nil if it does not, or if this machine's clock is trusted.
    private func doubt(_ other: Timestamp, by seconds: Int, _ reason: String) throws(PatchError) -> PatchError? {
        let now = try settings.clock()
        guard !settings.trustsClock, (other.secondsSince1970 - now.secondsSince1970).magnitude > seconds else {
            return nil
        }
        return PatchError(.clock, "\(reason), but this machine's clock shows \(now)", remedy: .setClock)
    }

    private func whileLocked<Value>(_ body: () throws(PatchError) -> Value) throws(PatchError) -> Value {
        // The error of the lock would name a file that no user knows.
        guard FileInfo(folder.path.appending(Path(FeedLayout.timestamp)), following: true) != nil else {
            let error = PatchError.noFeed(FeedLayout.timestamp).about(folder.path)
            if URLPath.isServed(folder.path.description) {
                throw error.hinting("a change is made in the folder of the feed, and then deployed")
            }
            guard folder.path.isFolder else { throw error.hinting("the folder of the feed comes first") }
            let above = folder.path.parent
            guard try FeedFolder(path: above).read(FeedLayout.timestamp) == nil else {
                throw error.hinting("did you mean \(above)?")
            }
            throw error
        }
        return try Folder.whileLocked(around: [folder.path.appending(Path("."))], body)
    }

    // MARK: finishing

    /// A change with its signatures, and the files to write for it.
    private struct Draft {
        var result: Result
        /// The files to write, in order. The last ones are the feed's own.
        var files: [[FeedFile]] = []
        var dropsStaged = false
        /// Whether a person has seen the change of the present state.
        var isConfirmed = false
        /// The new root, if the root has changed or the feed is new.
        var root: FeedFile?
    }

    /// Signs a new or changed feed.
    ///
    /// - Parameters:
    ///   - base: The feed before the change; nil for a new feed.
    ///   - waiting: The signatures that the change was waiting for; nil if it is new.
    ///   - staged: Another change, which waits for signatures.
    ///   - keepsStaged: Whether to keep the change that waits for signatures as it is.
    private func finish(
        _ feed: inout FeedRepository, in details: ChangeDetails, since base: FeedRepository? = nil,
        waiting: [FeedRepository.Missing]? = nil, under staged: FeedRepository? = nil, keepsStaged: Bool = false
    ) throws(PatchError) -> Draft {
        feed.resignStaleRoles(in: details)
        var differing: [String] = []
        if settings.isTrial, let base { differing = try changes(of: feed, since: base) }
        guard !feed.changed.isEmpty else {
            return Draft(result: Result(outcome: .unchanged, feed: feed, changes: differing))
        }
        try feed.sign(with: signers)
        let missing = try feed.missing()
        if !signers.isEmpty, let first = missing.first, missing.map(\.keyIDs) == waiting?.map(\.keyIDs) {
            throw PatchError(
                .feedSignature, "no key here signs the staged change",
                remedy: .giveKeys(of: first.role, ids: first.keyIDs)
            ).about(folder.path)
        }
        guard missing.isEmpty || !(waiting != nil || settings.stages) || staged != nil else {
            return Draft(
                result: Result(outcome: .staged, feed: feed, changes: differing, missing: missing), files: [feed.staged]
            )
        }
        if let first = missing.first {
            throw PatchError(
                .feedSignature,
                "\(first.role.keyName) (role \(first.role)) must sign: \(first.count) more of \(FeedKey.short(first.keyIDs))",
                remedy: .giveKeysOrStage)
        }
        let unfinished = feed
        if let online = try feed.complete(signedBy: signers, in: details) {
            // Who has the online key may sign last, also on another machine. What is signed is kept for them.
            let isNewlySigned = waiting.map { !$0.isEmpty } ?? settings.stages
            guard isNewlySigned, staged == nil else { throw FeedRepository.unsigned(online.role, online.keyIDs) }
            let result = Result(outcome: .staged, feed: unfinished, changes: differing, missing: [online])
            return Draft(result: result, files: [unfinished.staged])
        }
        let files = try feed.files()
        let size = feed.list.json.encoded().count
        if feed.changed.contains(.rollout), size > PatchList.largeBytes { warn(.largeList(size)) }
        var draft = Draft(result: Result(outcome: .written, feed: feed, changes: differing, files: files))
        if var staged, let base {
            // The staged change is written first. If the process ends in between, it still fits the published feed.
            // It is not shown here, so nothing of it is signed here.
            try staged.rebase(from: base, onto: feed, in: details)
            try staged.sign(with: [])
            draft.files = [staged.staged, files]
        } else {
            draft.files = [(base == nil ? folder.attributes : []) + files]
            draft.dropsStaged = !keepsStaged
        }
        if base == nil || feed.changed.contains(.root) { draft.root = files.first { FeedLayout.isRoot($0.path) } }
        return draft
    }

    private func write(_ draft: Draft) throws(PatchError) {
        for files in draft.files { try folder.write(files) }
        if draft.dropsStaged { try folder.discardStaged() }
        if draft.result.outcome == .written { try pin.noteSigned(draft.result.feed.state(of: .timestamp).version) }
    }

    /// Warns of what devices refuse, and saves a new root beside the keys. Nothing is locked, because a pipe may be full.
    private func warnOfWritten(_ draft: Draft) throws(PatchError) {
        guard draft.result.outcome == .written else { return }
        for fault in draft.result.feed.faults(at: now) { warn(.refused(fault)) }
        if let root = draft.root {
            for file in try pin.keep(root.bytes) { warn(.rootNotKept(file)) }
        }
    }
}
