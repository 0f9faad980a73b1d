public import PatchCrypto
package import PatchFiles
public import PatchRunner
internal import Synchronization

/// The patches of a device over its launches: a folder that remembers what is held, what proved good and what is banned.
///
///     let store = PatchStore(folder: path, host: host, clock: clock, events: log)
///     let runner = PatchRunner(registry: registry, host: host, clock: clock, events: { store.observe($0); log($0) })
///     store.launch(on: runner, trust: trust)
///     …
///     store.confirm()  // after the first screen
///
/// Before any script runs, the store notes that a launch has begun. If the next launch finds that note and the app never
/// called ``confirm()`` or ``ended()``, the launch crashed, hung or was killed. After two of them the patches on trial are
/// taken back, and the last good ones run.
///
/// The app starts with any folder. If it cannot be read or written, only patches run that are known to be good.
public final class PatchStore: Sendable {
    /// The program that patches run in.
    public let host: HostInfo
    package let clock: @Sendable () -> Timestamp?
    package let events: @Sendable (PatchEvent) -> Void
    private let limits: StoreLimits
    private let folder: StoreFolder
    private let memory: Mutex<Memory>
    /// Why the folder cannot be used; nil if it can, or another process uses it.
    package let fault: PatchError?
    private struct Memory {
        var state: StoreState
        /// Keeps other processes from writing; nil if another process does that to this one.
        var lock: Descriptor?
        /// What was last written to the file of bans.
        var written: StoreState.Bans
        /// Whether this process has begun its launch.
        var hasBegun = false
        /// Why patches could not run in this launch, by the hashes of their envelopes.
        var faults: [String: PatchError] = [:]
        weak var runner: PatchRunner?
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
    ///   - events: Called for each event of the store, on the thread on which it happens.
    public init(
        folder: String, host: HostInfo, isReader: Bool = false, limits: StoreLimits = StoreLimits(),
        clock: @escaping @Sendable () -> Timestamp?,
        events: @escaping @Sendable (PatchEvent) -> Void = { _ in }
    ) {
        self.folder = StoreFolder(path: Path(folder))
        self.host = host
        self.limits = limits
        self.clock = clock
        self.events = events
        var faults: [PatchError] = []
        var lock: Descriptor?
        do throws(PatchError) {
            if !isReader {
                try Folder.make(self.folder.path)
                lock = try Folder.lock(self.folder.path)
            }
        } catch {
            faults.append(error)
        }
        var unwritable = faults.first
        var (state, fault) = self.folder.readState()
        if let read = state, read.app != host.app {
            fault = PatchError(.config, "the state is of the app \(read.app)").about(self.folder.path)
            state = nil
        }
        if let fault {
            faults.append(fault)
            if fault.code == .noInput {
                // The file is there, but this time the system could not read it. The next launch may.
                (lock, unwritable) = (nil, fault)
            } else if lock != nil {
                try? self.folder.putStateAside()
            }
        }
        self.fault = unwritable
        var current =
            state
            ?? StoreState(
                app: host.app, appVersion: host.version, installation: Self.randomName())
        // A ban outlives a state that was lost.
        let bans = self.folder.readBans()
        for ban in bans.bans { current.add(ban) }
        current.revoke(bans.revoked)
        if lock != nil { self.folder.clean(keeping: Set(current.held.map(\.hash))) }
        memory = Mutex(Memory(state: current, lock: lock, written: bans))
        for fault in faults { events(.storeFailed(fault)) }
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
    public var installation: String { state.installation }

    /// Whether this process changes nothing: another one has the store open, or the folder cannot be used.
    public var isReadOnly: Bool { memory.locked { $0.lock == nil } }

    package var state: StoreState { memory.locked { $0.state } }
    package var path: Path { folder.path }
    package var runner: PatchRunner? { memory.locked { $0.runner } }

    // MARK: a launch

    /// Begins a launch: judges the last one, and activates the patches that are held. Each envelope is verified again.
    ///
    /// - Parameters:
    ///   - runner: Activates the patches. Give its events to ``observe(_:)``.
    ///   - trust: What envelopes are verified with.
    /// - Returns: The patches that run now.
    @discardableResult
    public func launch(on runner: PatchRunner, trust: PatchTrust) -> [PatchID] {
        begin()
        memory.locked { $0.runner = runner }
        let state = state
        for hash in isReadOnly ? state.goodOnes : state.launch?.patches ?? [] {
            guard !activate(hash, on: runner, trust: trust) else { continue }
            // One that cannot run leaves its place to the good one.
            let id = state.held.first { $0.hash == hash }?.patch.id
            guard let good = state.held.first(where: { $0.patch.id == id && $0.stage == .good && $0.hash != hash })
            else {
                continue
            }
            if !isReadOnly {
                try? change { state in
                    state.takePlace(good.hash)
                    return []
                }
            }
            _ = activate(good.hash, on: runner, trust: trust)
        }
        let running = runner.active.map { PatchID(id: $0.id, version: $0.version) }
        events(.launched(running, isSafe: state.launch?.isSafe ?? false))
        return running
    }

    /// Whether this process has begun its launch.
    package var hasBegun: Bool { memory.locked { $0.hasBegun } }

    /// Judges the last launch, and notes that one begins.
    package func begin() {
        let isFirst = memory.locked { memory in
            defer { memory.hasBegun = true }
            return !memory.hasBegun
        }
        guard isFirst, !isReadOnly else { return }
        let (version, time) = (host.version, clock())
        let old = state
        do throws(PatchError) {
            try change { $0.begin(version, limits: limits, at: time) }
        } catch {
            // A launch that fails cannot be noted, so nothing new is tried.
            var state = old
            let outcomes = state.begin(version, limits: limits, onlyGood: true, at: time)
            memory.locked { $0.state = state }
            tell(outcomes)
        }
    }

    /// Verifies and activates a patch that is held.
    ///
    /// - Returns: Whether it runs.
    package func activate(_ hash: String, on runner: PatchRunner, trust: PatchTrust) -> Bool {
        guard let patch = state.held.first(where: { $0.hash == hash })?.patch else { return false }
        do throws(PatchError) {
            let envelope = try folder.envelope(hash, limit: EnvelopeLimits().envelopeSize)
            runner.lowerFloor(of: patch.id, to: patch.version)
            runner.setEarliestTime(state.floor)
            try runner.install(envelope, trust: trust.store, keys: trust.scriptKeys, threshold: trust.threshold)
            // Another thread may have taken it away while its script was loading.
            let isMeant = memory.locked { memory in
                memory.faults[hash] = nil
                return memory.state.isEnabled && memory.state.held.contains { $0.hash == hash }
            }
            if !isMeant { runner.deactivate(patch.id) }
            return isMeant
        } catch {
            memory.locked { $0.faults[hash] = error }
            guard !isReadOnly else { return false }
            if error.code == .script || error.code == .scriptLimit {
                fail(patch, "its script did not load: \(error.message)")
            }
            try? change { state in
                state.leaveOut(hash)
                return []
            }
            return false
        }
    }

    /// Notes that the app is healthy. Patches that the launch began with are good from now on.
    ///
    /// Call it when the app has done what it is for: after the first screen, or the first answered request.
    public func confirm() { try? change { $0.confirm() } }

    /// Notes that the launch ends in an orderly way, so that it does not count as a failure.
    ///
    /// Call it when the system or the user ends the app, or sends it to the background, before ``confirm()``.
    public func ended() {
        try? change { state in
            state.end()
            return []
        }
    }

    /// Notes that the app is used again after ``ended()``, so that a crash counts again. `PatchSync.foregrounded` does this.
    public func resumed() {
        guard state.launch?.end == .ended else { return }
        try? change { state in
            state.resume()
            return []
        }
    }

    /// Takes an event of the runner. A breaker that opens counts as a failure of its patch.
    public func observe(_ event: PatchEvent) {
        guard case .breakerOpened(let patch, let failures) = event else { return }
        fail(patch, "it was deactivated after \(failures) failures")
    }

    private func fail(_ patch: PatchID, _ reason: String) {
        let time = clock()
        try? change { $0.fail(patch, reason, limits: limits, at: time) }
    }

    // MARK: what is held

    /// Why a patch is running or not.
    ///
    /// - Parameter id: The patch's reverse-DNS name.
    public func why(_ id: String) -> PatchStatus {
        let (state, faults, runner) = memory.locked { ($0.state, $0.faults, $0.runner) }
        return PatchStatus(of: id, in: state, running: Self.versions(runner), faults: faults)
    }

    /// Every patch that the store knows of, by id.
    public var patches: [PatchStatus] {
        let (state, faults, runner) = memory.locked { ($0.state, $0.faults, $0.runner) }
        let running = Self.versions(runner)
        let ids = Set(state.held.map(\.patch.id) + state.bans.map(\.patch.id)).union(state.verdicts.keys)
        return ids.sorted().map { PatchStatus(of: $0, in: state, running: running, faults: faults) }
    }

    private static func versions(_ runner: PatchRunner?) -> [String: Int] {
        Dictionary(runner?.active.map { ($0.id, $0.version) } ?? []) { first, _ in first }
    }

    /// Takes a patch back, and never runs it on this device again.
    ///
    /// - Parameters:
    ///   - id: The patch's reverse-DNS name.
    ///   - version: Its version; nil for all that are held.
    ///   - reason: Why, for ``why(_:)``.
    /// - Returns: Whether a version of it was held.
    /// - Throws: `io` if that cannot be written.
    @discardableResult
    public func ban(_ id: String, version: Int? = nil, reason: String) throws(PatchError) -> Bool {
        let time = clock()
        let meant = state.held.filter { $0.patch.id == id && (version == nil || $0.patch.version == version) }
        let hashes = meant.map(\.hash)
        // The state is written first, so that the ban holds if the app ends in between.
        defer {
            if version == nil || runner?.active.contains(where: { $0.id == id && $0.version == version }) == true {
                runner?.deactivate(id)
            }
        }
        try change { state in
            hashes.compactMap { state.ban($0, reason, at: time) }.map { StoreState.Outcome.banned($0) }
        }
        return !hashes.isEmpty
    }

    /// Forgets every patch, ban and note, as if the app had just been installed. Keys that a feed has revoked stay revoked.
    /// Patches that run go on running.
    ///
    /// - Throws: `io` if that cannot be written.
    public func clear() throws(PatchError) {
        let version = host.version
        try change { state in
            let revoked = state.revoked
            state = StoreState(app: state.app, appVersion: version, installation: state.installation)
            state.revoke(revoked)
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
            memory.lock?.unlock()
            memory.lock = nil
        }
    }

    /// Stores an envelope, and holds it.
    package func add(_ envelope: [UInt8], as patch: PatchID, hash: String) throws(PatchError) {
        try change(writing: { (folder) throws(PatchError) in try folder.write(envelope, hash: hash) }) { state in
            state.add(patch, hash: hash)
            return []
        }
    }

    /// Changes the state, and writes it durably before anything else happens.
    ///
    /// - Parameter body: Makes the change, and says what it has brought about.
    /// - Throws: `io` if it cannot be written; the state is then as before.
    package func change(_ body: (inout StoreState) -> [StoreState.Outcome]) throws(PatchError) {
        try change(writing: { _ in }, body)
    }

    private func change(
        writing write: (StoreFolder) throws(PatchError) -> Void, _ body: (inout StoreState) -> [StoreState.Outcome]
    ) throws(PatchError) {
        let result: Result<[StoreState.Outcome], PatchError> = memory.locked { memory in
            guard memory.lock != nil else {
                return .failure(fault ?? PatchError(.io, "another process has this store open").about(folder.path))
            }
            var state = memory.state
            let outcomes = body(&state)
            do throws(PatchError) {
                try write(folder)
                guard state != memory.state else { return .success(outcomes) }
                try folder.write(state, hasNewBans: StoreState.Bans(state) != memory.written)
            } catch {
                return .failure(error)
            }
            folder.remove(Set(memory.state.held.map(\.hash)).subtracting(state.held.map(\.hash)))
            memory.state = state
            memory.written = StoreState.Bans(state)
            return .success(outcomes)
        }
        switch result {
        case .success(let outcomes): tell(outcomes)
        case .failure(let error):
            events(.storeFailed(error))
            throw error
        }
    }

    private func tell(_ outcomes: [StoreState.Outcome]) {
        for outcome in outcomes {
            switch outcome {
            case .trial(let patch): events(.trial(patch))
            case .good(let patch): events(.confirmed(patch))
            case .suspect(let patch):
                let hash = state.held.first { $0.patch == patch }?.hash ?? ""
                events(.rolledBack(patch, reason: "launches failed while it was on trial with others", hash: hash))
            case .banned(let ban): events(.rolledBack(ban.patch, reason: ban.reason, hash: ban.hash))
            case .safeMode(let failures): events(.safeMode(failures: failures))
            }
        }
    }

    private static func randomName() -> String {
        String(decoding: Hex.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) }), as: UTF8.self)
    }
}

/// What the envelopes of a store are verified with.
public struct PatchTrust: Sendable {
    /// The keys whose signatures count.
    public var store: TrustStore
    /// The keys, one of which must open an envelope.
    public var scriptKeys: any ScriptKeyProvider
    /// How many distinct trusted keys must have signed.
    public var threshold: Int
    /// Whether a feed may deliver further keys. It can always revoke keys.
    ///
    /// A delivered trust store adds keys only if ``threshold`` of the keys in ``store`` have signed it, so the keys of the
    /// feed alone never do.
    public var takesDeliveredKeys = true

    /// Says what envelopes are verified with.
    ///
    /// - Parameters:
    ///   - store: The keys whose signatures count.
    ///   - scriptKeys: The keys, one of which must open an envelope.
    ///   - threshold: How many distinct trusted keys must have signed.
    public init(_ store: TrustStore, scriptKeys: any ScriptKeyProvider, threshold: Int = 1) {
        self.store = store
        self.scriptKeys = scriptKeys
        self.threshold = threshold
    }
}
