internal import Libc
internal import PatchCrypto
internal import PatchFiles

/// The state of a store as it is in its folder, and the right to write it.
struct StoreWriter {
    let folder: StoreFolder
    let app: String
    private var lock: StoreLock
    /// Whether this process never writes.
    let onlyReads: Bool
    var state: StoreState
    /// Why the folder cannot be used; nil if it can, or another process uses it.
    private(set) var fault: PatchError?
    /// Why the last write failed; nil if it succeeded.
    private var writeFault: PatchError?
    /// Whether the state must be written, even if nothing has changed: the folder has no state, or another process has
    /// written it.
    var mustWrite = true
    /// Whether the feed has taken patches away, and that could not be written yet.
    var hasUnwrittenWithdrawals = false { didSet { endWriteFailureSignal() } }
    /// Whether the store was closed, so that another process may open the folder.
    private(set) var isClosed = false
    /// Whether this process has let others write, and may write again later.
    private var isReleased = false
    /// The content of the file of bans.
    private var writtenExclusions: StoreState.Exclusions
    /// What other versions of the app have learned since this one synced; nil once this one has written it.
    private var news: StoreFolder.News?
    /// Whether the state has taken that, or is about to.
    private var takesNews = false
    private var isClean = false

    /// - Parameter state: The state of a new installation. It counts until the folder is read, and if the folder has no
    ///   state.
    init(folder: StoreFolder, onlyReads: Bool, state: StoreState) {
        self.folder = folder
        lock = StoreLock(of: folder)
        self.onlyReads = onlyReads
        self.state = state
        app = state.app
        writtenExclusions = StoreState.Exclusions(state)
    }

    var canWrite: Bool { lock.isHeld }

    var role: DeviceRole {
        if onlyReads { return .reader }
        if canWrite { return .writer }
        return fault == nil ? .follower : .unwritable
    }

    /// Why the folder cannot be used, or could not be written the last time; nil if it can.
    var whyUnwritable: PatchError? { fault ?? writeFault }

    /// Why this process does not write.
    var refusal: PatchError { fault ?? PatchError(.io, whyFollowing).about(folder.root) }

    private var whyFollowing: String {
        if onlyReads { return "this process only reads this store" }
        return isReleased
            ? "this process has ended, and opens the store again with the next sync"
            : "another process, or object, has this store open"
    }

    // MARK: opening and closing

    /// Takes the lock, if this process may write and no other one has the lock, and reads the folder.
    ///
    /// - Parameters:
    ///   - isSilent: Whether the process that writes has not synced for some time.
    ///   - old: The state that counts if the folder has none; nil for what other versions of the app know.
    /// - Returns: The faults of the folder.
    mutating func open(isSilent: Bool = false, after old: StoreState? = nil) -> [PatchError] {
        lock.drop()
        isReleased = false
        news = nil
        takesNews = false
        if let refusal = whyNotOurs { return refuse(refusal) }
        var faults = takeLock(isSilent: isSilent)
        fault = faults.first
        let (read, problem) = folder.readState()
        if let read, read.app != app { return refuse(notOurs(app: read.app)) }
        if let problem {
            faults.append(problem)
            putAside(problem)
        }
        // A state that could not be read this time is still there.
        let hasState = read != nil || old != nil || problem?.code == .noInput
        let unreadNews = readNews(isNeeded: canWrite || read == nil)
        if let unreadNews {
            faults.append(unreadNews)
            // A part that began now would lack what the other ones have.
            if !hasState { giveUp(unreadNews) }
        }
        if let known = read ?? old {
            state = known
        } else if !hasState, unreadNews == nil {
            state = newState()
        }
        mergeExclusions()
        mustWrite = read != state
        // A new part is complete before anything else is done with it.
        if takesNews, canWrite {
            do throws(PatchError) { try write(state) } catch { faults.append(error) }
        }
        return faults
    }

    /// Makes room for a new state, if the one in the folder cannot be used.
    private mutating func putAside(_ problem: PatchError) {
        if problem.code == .noInput {
            // The file exists, but the system could not read it this time. The next launch may succeed.
            giveUp(problem)
        } else if canWrite {
            try? folder.putStateAside()
        }
    }

    /// Finds out what other versions of the app have learned.
    ///
    /// - Returns: Why that could not be read this time.
    private mutating func readNews(isNeeded: Bool) -> PatchError? {
        guard isNeeded else { return nil }
        do throws(PatchError) {
            news = try folder.news(of: app)
            return nil
        } catch {
            return error
        }
    }

    /// Adds the bans and revocations in the folder. They survive the loss of the state, and count for all versions of
    /// the app.
    private mutating func mergeExclusions() {
        writtenExclusions = folder.readExclusions()
        for exclusions in [writtenExclusions] + folder.exclusionsOfOthers() { state.merge(exclusions) }
    }

    /// Why the folder is not this app's; nil if it is, or nobody's yet.
    private var whyNotOurs: PatchError? {
        if folder.isForeign(toReader: onlyReads) {
            return PatchError(
                .config, "the folder belongs to another user",
                hint: "give the app a folder that belongs to its own user"
            ).about(folder.root)
        }
        return folder.hasState ? nil : folder.otherApp(than: app).map(notOurs)
    }

    private func notOurs(app other: String) -> PatchError {
        PatchError(.config, "the folder is of the app \(other)", hint: "give each app a folder of its own")
            .about(folder.root)
    }

    /// Nothing in a folder of another user or app counts, and nothing in it is changed.
    private mutating func refuse(_ error: PatchError) -> [PatchError] {
        giveUp(error)
        return [error]
    }

    /// Makes the folder, and takes its lock, if this process may write and no other one has the lock.
    ///
    /// - Returns: The fault of the folder, if there is one.
    private mutating func takeLock(isSilent: Bool) -> [PatchError] {
        guard !onlyReads else { return [] }
        do throws(PatchError) { try lock.take() } catch { return [error] }
        guard !canWrite, isSilent || folder.signalsWriteFailure else { return [] }
        let fault = isSilent ? "does not sync" : "cannot write it"
        return [PatchError(.io, "the process that has this store open \(fault)").about(folder.root)]
    }

    /// The state of a version of the app that has no part yet.
    private mutating func newState() -> StoreState {
        guard let news = takeNews() else {
            var new = state
            // A process that follows has the name before there is a state: its events are the same device's.
            if !onlyReads {
                new.installation = folder.installation(or: new.installation, replacesDamaged: canWrite)
            }
            return new
        }
        var new =
            folder.oldState(of: state.appVersion)
            ?? StoreState(app: app, appVersion: state.appVersion, installation: news.installation)
        new.learn(news)
        return new
    }

    /// What other versions of the app have learned since this one synced, for a state that is written next.
    mutating func takeNews() -> StoreState.News? {
        takesNews = news != nil
        return news?.states
    }

    /// Makes sure that this process writes, if it may. The folder may have been replaced. A process that found the
    /// folder locked tries again at its launch, and at each sync.
    ///
    /// - Parameter hasBegun: Whether this process has begun its launch.
    /// - Returns: The faults of the folder, if it was opened again.
    mutating func takeOver(hasBegun: Bool) -> [PatchError] {
        guard !onlyReads, !isClosed else { return [] }
        guard canWrite else { return hasBegun ? [] : open() }
        return lock.isInPlace ? [] : reopen()
    }

    /// Opens the folder again that was deleted, or replaced, while this process had its lock. The state in memory
    /// counts, unless another process has created a new one.
    private mutating func reopen() -> [PatchError] {
        let old = state
        let isNew = !folder.hasState
        let faults = open(after: old)
        if canWrite, !isNew {
            let bans = state.bans
            for ban in old.bans { state.add(ban) }
            mustWrite = mustWrite || state.bans != bans
        }
        return faults
    }

    /// Writes no more because of a fault, until the folder is opened again.
    mutating func giveUp(_ fault: PatchError) {
        lock.drop()
        self.fault = fault
    }

    /// Lets another process write the folder, until this one opens it again.
    mutating func release() {
        guard canWrite else { return }
        lock.release()
        isReleased = true
    }

    /// - Returns: Whether this process was forked from the one that opened the store, so that it has no lock.
    mutating func noticeFork() -> Bool { lock.noticeFork() }

    mutating func close() {
        lock.release()
        isClosed = true
    }

    // MARK: writing

    /// Removes files that do not belong to the store from its folder, and the parts of versions of the app that no
    /// longer run. A second call does nothing.
    mutating func clean() {
        guard canWrite, !isClean else { return }
        isClean = true
        folder.clean(keeping: Set(state.stored.map(\.hash)))
        // Their bans are in the file of this part.
        guard !mustWrite, writeFault == nil else { return }
        folder.removeOthers(unusedSince: .milliseconds(WallClock.milliseconds) - Self.patience)
    }

    /// How long the part of a version of the app is kept that no longer runs.
    private static let patience = Duration.seconds(14 * 86_400)

    /// Writes a new state, and removes the envelopes that it no longer holds.
    ///
    /// - Throws: `io` if it cannot be written, `limit` if it would be too large, `no-input` if an envelope of another
    ///   version of the app cannot be read this time. The state is then as before, except that the end of its launch is
    ///   written if there is room for it.
    mutating func write(_ new: StoreState) throws(PatchError) {
        var new = new
        do throws(PatchError) {
            try save(&new)
        } catch {
            writeFault = error
            markEnd(new.launch)
            // The processes that follow this one do not see changes that it cannot write, so they ask the feed
            // themselves.
            lock.signalWriteFailure()
            throw error
        }
        if new.stored != state.stored {
            folder.remove(Set(state.stored.map(\.hash)).subtracting(new.stored.map(\.hash)))
        }
        state = new
    }

    /// Writes that the launch has ended, or was confirmed, if there is no room for what has changed with it.
    private mutating func markEnd(_ launch: StoreState.Launch?) {
        guard !mustWrite, let launch, !launch.isWatched, state.launch?.isWatched == true else { return }
        var ended = state
        ended.launch?.isConfirmed = launch.isConfirmed
        ended.end()
        if (try? folder.writeMark(of: ended, isDurable: false)) != nil { state = ended }
    }

    /// Writes as much as the next launch must find: nothing, a mark, or the whole state.
    private mutating func save(_ new: inout StoreState) throws(PatchError) {
        let isSaved = !mustWrite && writeFault == nil && !new.differs(from: state)
        if !isSaved, !saveMark(of: new) { try saveWhole(&new) }
        dropNews()
    }

    /// Writes the mark, if the new state differs from the written one in nothing else.
    ///
    /// - Returns: Whether it was written.
    private func saveMark(of new: StoreState) -> Bool {
        guard !mustWrite, new.differsInMark(from: state) else { return false }
        // The start of a launch must be on the disk before any script runs, even if the power is lost.
        let isDurable = new.launch?.isWatched == true
        return (try? folder.writeMark(of: new, isDurable: isDurable)) != nil
    }

    /// Writes the state, after what it refers to: the envelopes that it takes from other versions, and its bans.
    private mutating func saveWhole(_ new: inout StoreState) throws(PatchError) {
        if takesNews, let news { try folder.copyMissing(new.stored.map(\.hash), from: news) }
        // A mark of an older state, such as one from before a clear, must not match this state.
        new.revision = state.revision &+ 1
        let exclusions = StoreState.Exclusions(new)
        try folder.writeState(new, exclusions == writtenExclusions ? nil : exclusions)
        writtenExclusions = exclusions
        writeFault = nil
        mustWrite = false
        endWriteFailureSignal()
    }

    /// Forgets what other versions of the app have learned, once the written state has it.
    private mutating func dropNews() {
        guard takesNews else { return }
        news = nil
        takesNews = false
    }

    /// Ends the signal once the state is written, without the patches that the feed has taken away.
    private mutating func endWriteFailureSignal() {
        guard writeFault == nil, !hasUnwrittenWithdrawals else { return }
        lock.endWriteFailureSignal()
    }
}
