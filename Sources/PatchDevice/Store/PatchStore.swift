package import PatchCrypto
package import PatchFiles
package import PatchRunner
internal import Synchronization

/// The patches of a device over its launches: a folder that remembers what is held, what proved good and what is banned.
///
/// Before any script runs, the store notes that a launch has begun. If the next launch finds that note open, the launch crashed,
/// hung or was killed. After two of them the patches on trial are taken back, and the last good ones run.
///
/// The app starts with any folder. If it cannot be read or written, only patches run that are known to be good.
package final class PatchStore: Sendable {
    /// The program that patches run in.
    package let host: HostInfo
    package let clock: @Sendable () -> Timestamp?
    package let events: @Sendable (PatchEvent) -> Void
    let limits: CrashLimits
    let uptime: Uptime
    let folder: StoreFolder
    /// Whether this process never writes.
    let onlyReads: Bool
    let memory: Mutex<Memory>

    /// What changes.
    struct Memory {
        var state: StoreState
        /// Why the folder cannot be used; nil if it can, or another process uses it.
        var fault: PatchError?
        /// The process that holds the lock. A fork of it does not.
        var process = ProcessID.current
        /// Why the last write has failed; nil if it has not.
        var writeFault: PatchError?
        /// When faults that last were told last, as uptimes.
        var told: [String: Duration] = [:]
        var isClean = false
        /// Whether another process may have the folder now.
        var isClosed = false
        /// Keeps other processes from writing; nil if another process does that to this one.
        var lock: Descriptor?
        /// Says to the processes that follow this one that it cannot write; nil while it can.
        var muteness: Descriptor?
        /// Whether the feed has taken something away that could not be written yet.
        var owesFeed = false
        /// What was last written to the file of bans.
        var written: StoreState.Bans
        /// Whether the state must be written, whatever has changed: the folder has none, or that of another process.
        var mustWrite = true
        /// What has come to light while the lock was taken.
        var untold: [StoreState.Outcome] = []
        /// Whether this process has begun its launch.
        var hasBegun = false
        /// Whether the app has said that it works, in whatever role.
        var hasConfirmed = false
        /// Whether the app has said that the system may end it.
        var isInBackground = false
        /// The hashes of patches that the launch would have begun with, had the app registered their functions before.
        var due: Set<String> = []
        var launching: Launching?
        var watches = Watches()
        /// Why patches do not run in this launch, by the hashes of their envelopes.
        var hindrances: [String: Hindrance] = [:]
        /// What was activated last of each patch, by id. It may have ended since, and may be held no more.
        var activated: [String: (patch: PatchID, hash: String)] = [:]
        weak var runner: PatchRunner?
        /// The keys that counted when what runs was last verified.
        var trusted: Set<KeyID>?
        var trust: (@Sendable () -> PatchTrust)?

        /// What is held, in a process that may have to look for it many times.
        func patch(_ hash: String) -> PatchID? { state.held.first { $0.hash == hash }?.patch }

        /// The hashes of what runs.
        var running: Set<String> {
            Set((runner?.active ?? []).compactMap { activated[$0.id] }.map(\.hash))
        }
    }

    /// Whether the patches that are held were activated, and who waits for that.
    enum Launching {
        case underway([CheckedContinuation<Void, Never>]), done
    }

    /// Why a patch that is held does not run in this launch.
    package enum Hindrance: Sendable {
        case refused(PatchError)
        case expired(PatchError)
        /// It is not for this version of the app, or needs a higher engine level, or the feed has taken it away and that could not be
        /// written, which the code says.
        case notApplicable(PatchError, PatchStatus.Code)
        /// The app has not registered these functions yet.
        case waiting([String])

        /// Which of them it is.
        var name: String {
            switch self {
            case .refused(let error): "refused \(error.code)"
            case .expired: "expired"
            case .notApplicable(_, let code): code.rawValue
            case .waiting: "waiting"
            }
        }
    }

    /// Opens a store.
    ///
    /// If another process has it open, this one reads it: it runs the patches that are good, and changes nothing.
    ///
    /// - Parameters:
    ///   - folder: The folder's path. It is made if it is missing. Each app has its own.
    ///   - host: The program that patches run in.
    ///   - isReader: Whether to only read, as an extension of the app does, even if no other process has the store open.
    ///   - limits: How often something may fail before the store reacts.
    ///   - clock: Returns the current time.
    ///   - uptime: Measures how long crashes count.
    ///   - events: Called for each event of the store, on the thread on which it happens.
    package init(
        folder: String, host: HostInfo, isReader: Bool = false, limits: CrashLimits = CrashLimits(),
        clock: @escaping @Sendable () -> Timestamp?, uptime: Uptime = .system,
        events: @escaping @Sendable (PatchEvent) -> Void = { _ in }
    ) {
        self.folder = StoreFolder(path: Path(folder))
        self.host = host
        self.limits = limits
        self.clock = clock
        self.uptime = uptime
        self.events = events
        onlyReads = isReader
        // Until the folder is read, the state is that of a new installation.
        let new = StoreState(app: host.app, appVersion: host.version, installation: Self.randomName())
        memory = Mutex(Memory(state: new, written: StoreState.Bans(new)))
        let faults = memory.locked { memory in open(&memory) }
        for fault in faults { tell(fault) }
    }

    /// Takes the lock, if this process may and no other one has it, and reads the folder.
    ///
    /// - Returns: What was wrong with it.
    func open(_ memory: inout Memory) -> [PatchError] {
        var faults: [PatchError] = []
        (memory.lock, memory.muteness) = (nil, nil)
        do throws(PatchError) {
            if !onlyReads {
                try Folder.make(folder.path)
                memory.lock = try Folder.lock(folder.path)
                if memory.lock == nil, folder.isMute {
                    throw PatchError(.io, "the process that has this store open cannot write it").about(folder.path)
                }
            }
        } catch {
            faults.append(error)
        }
        memory.fault = faults.first
        var (state, fault) = folder.readState()
        if let read = state, read.app != host.app {
            fault = PatchError(.config, "the state is of the app \(read.app)").about(folder.path)
            state = nil
        }
        if let fault {
            faults.append(fault)
            if fault.code == .noInput {
                // The file is there, but this time the system could not read it. The next launch may.
                (memory.lock, memory.fault) = (nil, fault)
            } else if memory.lock != nil {
                try? folder.putStateAside()
            }
        }
        memory.mustWrite = state == nil
        if let state { memory.state = state }
        // A ban outlives a state that was lost.
        let bans = folder.readBans()
        for ban in bans.bans { memory.state.add(ban) }
        memory.state.revoke(bans.revoked)
        memory.state.raiseTrust(to: bans.trustNumber)
        memory.written = bans
        return faults
    }

    /// Makes sure that this process writes, if it may: the folder may be another one. A process that found the folder taken tries
    /// again at its launch, and at each sync.
    func becomeWriter(_ memory: inout Memory) -> [PatchError] {
        guard !onlyReads, !memory.isClosed else { return [] }
        if let lock = memory.lock {
            guard FileInfo(lock)?.identity != FileInfo(folder.path, following: true)?.identity else { return [] }
        } else if memory.hasBegun {
            return []
        }
        let (old, hadLock) = (memory.state, memory.lock != nil)
        let faults = open(&memory)
        if memory.lock != nil, hadLock, memory.mustWrite {
            // The folder was deleted. What this process knows counts.
            (memory.state, memory.written) = (old, StoreState.Bans())
        } else if memory.lock != nil, hadLock {
            // The folder was deleted, and another process has begun a new one.
            let bans = memory.state.bans
            for ban in old.bans { memory.state.add(ban) }
            memory.mustWrite = memory.state.bans != bans
        }
        return faults
    }

    deinit { close() }

    /// The app that a folder is the store of.
    ///
    /// - Throws: `no-input` if there is no state, `malformed` or `config` if it cannot be read.
    package static func host(of folder: Path) throws(PatchError) -> HostInfo {
        let (state, fault) = StoreFolder(path: folder).readState()
        if let fault { throw fault }
        guard let state else {
            throw PatchError(.noInput, "not a store: it has no state", hint: "patchpack sync makes one").about(folder)
        }
        return try HostInfo(app: state.app, version: state.appVersion.description)
    }

    /// A random name of this installation, which stays the same. Percentages of installations count it.
    package var installation: String { state.installation }

    /// Whether the app has said that the system may end it.
    package var isInBackground: Bool { memory.locked { $0.isInBackground } }

    /// Whether this process changes nothing: another one has the store open, or the folder cannot be used.
    package var isReadOnly: Bool { memory.locked { $0.lock == nil } }

    /// Why the folder cannot be used; nil if it can, or another process uses it.
    package var fault: PatchError? { memory.locked { $0.fault } }
    /// Why the folder cannot be used, or could not be written the last time; nil if it can.
    private var whyUnwritable: PatchError? { memory.locked { $0.fault ?? $0.writeFault } }
    package var state: StoreState { memory.locked { $0.state } }
    package var path: Path { folder.path }
    package var runner: PatchRunner? { memory.locked { $0.runner } }

    // MARK: what is held

    /// Why a patch is running or not: each version of it that is known, the highest first.
    ///
    /// - Parameter id: The patch's reverse-DNS name.
    /// - Returns: At least one; `unknown` if no feed has offered it.
    package func why(_ id: String) -> [PatchStatus] {
        let known = patches.filter { $0.id == id }
        return known.isEmpty ? [PatchStatus(unknown: id, whyUnwritable)] : known
    }

    /// Every version of every patch that the store knows of, by id, the highest first.
    package var patches: [PatchStatus] {
        let (state, hindrances, runner, hasBegun) = memory.locked {
            ($0.state, $0.hindrances, $0.runner, $0.hasBegun)
        }
        let active = runner?.active.map { (patch: PatchID(id: $0.id, version: $0.version), isOpen: $0.isOpen) }
        return StatusOfAll(
            state: state, running: hasBegun ? active.map { Set($0.map(\.patch)) } : nil,
            open: Set((active ?? []).filter(\.isOpen).map(\.patch)), hindrances: hindrances,
            fault: whyUnwritable, role: onlyReads ? .reader : isFollower ? .follower : nil
        ).statuses
    }

    /// Takes a patch back, and never runs it on this device again.
    ///
    /// - Parameters:
    ///   - id: The patch's reverse-DNS name.
    ///   - version: Its version; nil for all that are held or run.
    ///   - reason: Why, for ``why(_:)``.
    /// - Returns: Whether a version of it was held, or ran.
    /// - Throws: `io` if that cannot be written.
    @discardableResult
    package func ban(_ id: String, version: Int? = nil, reason: String) throws(PatchError) -> Bool {
        let time = clock()
        var meant = state.held.filter { $0.patch.id == id }.map { (patch: $0.patch, hash: $0.hash) }
        // What runs may be held no more.
        let last = memory.locked { memory in
            memory.activated[id].flatMap { memory.running.contains($0.hash) ? $0 : nil }
        }
        if let last, !meant.contains(where: { $0.hash == last.hash }) { meant.append(last) }
        meant.removeAll { version != nil && $0.patch.version != version }
        // The state is written first, so that the ban holds if the app ends in between.
        defer {
            if version == nil || runner?.active.contains(where: { $0.id == id && $0.version == version }) == true {
                runner?.deactivate(id)
            }
        }
        try change { state in
            meant.compactMap { state.ban($0.patch, $0.hash, reason, at: time) }.map { StoreState.Outcome.banned($0) }
        }
        return !meant.isEmpty
    }

    /// Forgets every patch, ban and note, as if the app had just been installed. Keys that a feed has revoked or removed stay so.
    /// Patches that run go on running.
    ///
    /// - Throws: `io` if that cannot be written.
    package func clear() throws(PatchError) {
        let version = host.version
        try change { state in
            state.clear(version)
            return []
        }
    }

    /// Whether a patch's envelope is there, and is the one that was stored.
    package func hasEnvelope(_ hash: String) -> Bool {
        (try? folder.envelope(hash, limit: EnvelopeLimits().envelopeSize)) != nil
    }

    /// Lets another store open the folder, as the end of the process does. This one changes nothing any more.
    package func close() {
        memory.locked { memory in
            if memory.process == ProcessID.current {
                memory.lock?.unlock()
                memory.muteness?.unlock()
            }
            memory.watches.alarm?.task.cancel()
            (memory.lock, memory.muteness, memory.isClosed, memory.watches) = (nil, nil, true, Watches())
        }
    }

    /// Removes what is not the store's from its folder: what interrupted writes have left, and what is in the place of a folder.
    package func clean() {
        memory.locked { memory in
            guard memory.lock != nil, !memory.isClean else { return }
            memory.isClean = true
            folder.clean(keeping: Set(memory.state.held.map(\.hash)))
        }
    }

    /// Stores an envelope, which ``hold(_:)`` makes the store keep.
    ///
    /// - Throws: `io` if it cannot be written.
    package func write(_ envelope: [UInt8], hash: String) throws(PatchError) {
        guard !isReadOnly else { throw notAWriter }
        do throws(PatchError) {
            try folder.write(envelope, hash: hash)
            memory.locked { $0.hindrances[hash] = nil }
        } catch {
            tell(error)
            throw error
        }
    }

    /// Holds patches whose envelopes were written.
    package func hold(_ patches: [(patch: PatchID, hash: String)]) throws(PatchError) {
        let running = memory.locked { $0.running }
        try change { state in
            state.add(patches, running: running)
            return []
        }
    }

    /// Why this process does not write.
    var notAWriter: PatchError {
        fault
            ?? PatchError(
                .io,
                onlyReads ? "this process only reads this store" : "another process, or object, has this store open"
            ).about(folder.path)
    }

    /// Changes the state, and writes it durably before anything else happens.
    ///
    /// - Parameter body: Makes the change, and says what it has brought about.
    /// - Throws: `io` if it cannot be written; the state is then as before.
    package func change(_ body: (inout StoreState) -> [StoreState.Outcome]) throws(PatchError) {
        noticeFork()
        var faults: [PatchError] = []
        let result: Result<[StoreState.Outcome], PatchError>? = memory.locked { memory in
            faults = becomeWriter(&memory)
            guard memory.lock != nil else { return nil }
            var state = memory.state
            let outcomes = passWatches(&state, memory) + body(&state)
            do throws(PatchError) {
                try write(&state, &memory)
            } catch {
                show(error, &memory)
                return .failure(error)
            }
            if state.held != memory.state.held {
                folder.remove(Set(memory.state.held.map(\.hash)).subtracting(state.held.map(\.hash)))
            }
            memory.watches.follow(memory.state.launch, state.launch, until: endOfWatch)
            memory.state = state
            setAlarm(&memory)
            defer { memory.untold = [] }
            return .success(memory.untold + outcomes)
        }
        for fault in faults { tell(fault) }
        switch result {
        case .success(let outcomes): tell(outcomes)
        case .failure(let error):
            tell(error)
            throw error
        case nil: throw notAWriter
        }
    }

    /// Writes what the next launch must find: nothing, a mark, or the whole state.
    private func write(_ state: inout StoreState, _ memory: inout Memory) throws(PatchError) {
        let old = memory.state
        guard memory.mustWrite || memory.writeFault != nil || state.differs(from: old) else { return }
        if !memory.mustWrite, state.differsInMark(from: old) {
            // That a launch begins is known before any script runs, whatever happens then.
            let isWatched = state.launch?.isWatched == true
            guard (try? folder.mark(state, isDurable: isWatched)) == nil else { return }
        }
        // A mark of an older state, such as one before it was cleared, is never taken for one of this.
        state.revision = old.revision &+ 1
        let bans = StoreState.Bans(state)
        try folder.write(state, hasNewBans: bans != memory.written)
        memory.written = bans
        show(nil, &memory)
    }

    func tell(_ outcomes: [StoreState.Outcome]) {
        for outcome in outcomes {
            switch outcome {
            case .trial(let patch): events(.trial(patch))
            case .good(let patch): events(.confirmed(patch))
            case .suspect(let patch):
                let hash = state.held.first { $0.patch == patch }?.hash ?? ""
                // Alone, it is one of an app that never confirmed a launch.
                let isAlone = state.held.first { $0.patch == patch }?.failures ?? 0 > 0
                events(
                    .rolledBack(
                        patch,
                        reason: isAlone ? StoreState.failedLaunches : EventRecord.suspicion, hash: hash))
            case .banned(let ban): events(.rolledBack(ban.patch, reason: ban.reason, hash: ban.hash))
            case .safeMode(let failures): events(.safeMode(failures: failures))
            case .neverConfirmed(let launches): events(.neverConfirmed(launches: launches))
            }
        }
    }

    private static func randomName() -> String {
        String(decoding: Hex.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) }), as: UTF8.self)
    }
}
