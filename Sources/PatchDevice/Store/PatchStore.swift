internal import Dispatch
internal import Libc
package import PatchCrypto
package import PatchFiles
package import PatchRunner
internal import PatchText
internal import Synchronization

/// The patches of a device across its launches: a folder that records which patches are held, good and banned.
///
/// Before any script runs, the store notes that a launch has begun. If the next launch finds that note open, the launch
/// crashed, hung or was killed. After two such launches, the patches on trial are rolled back, and the last good ones
/// run.
///
/// The app starts with any folder. If the folder cannot be read or written, only patches that are known to be good run.
///
/// Members that ``PatchDevice`` has, too, are documented there.
package final class PatchStore: Sendable {
    /// The program that patches run in.
    package let host: HostInfo
    package let clock: @Sendable () -> Timestamp?
    package let events: @Sendable (PatchEvent) -> Void
    let limits: CrashLimits
    let uptime: Uptime
    let folder: StoreFolder
    let memory: Mutex<Memory>
    /// What has happened, and no change of the state has noted yet.
    let pending = Mutex<[Pending]>([])
    /// Writes and loads what a call of the app must not wait for.
    let queue = DispatchQueue(label: "patchpack.store", qos: .userInitiated)

    /// The mutable part of the store.
    struct Memory {
        var writer: StoreWriter
        var launch = LaunchInProgress()
        var watches = Watches()
        /// What taking over the lock has done, and is not reported yet, because it is not written.
        var pendingEvents: [StoreState.Event] = []
        /// When lasting faults were last reported, as uptimes.
        var lastReported: [String: Duration] = [:]

        /// The hashes of the patches that have failed in this launch: their scripts did not load, or their breakers
        /// opened. They are not activated again in it.
        var failed: Set<String> {
            // The state is about the launch of the process that writes. A tool, which begins none, tells of that one.
            let isOwn = writer.canWrite || !launch.hasBegun
            return launch.broken.union(isOwn ? writer.state.launch?.broken ?? [] : [])
        }
    }

    /// Opens a store.
    ///
    /// If another process has it open, this one reads it: it runs the patches that are good, and changes nothing.
    ///
    /// - Parameters:
    ///   - isReader: Whether to only read, as an extension of the app does, even if no other process has the store
    ///     open.
    ///   - uptime: Measures how long crashes count.
    package init(
        folder: Path, host: HostInfo, isReader: Bool = false, limits: CrashLimits = CrashLimits(),
        clock: @escaping @Sendable () -> Timestamp?, uptime: Uptime = .system,
        events: @escaping @Sendable (PatchEvent) -> Void = { _ in }
    ) {
        self.folder = StoreFolder(folder, host.version)
        self.host = host
        self.limits = limits
        self.clock = clock
        self.uptime = uptime
        self.events = events
        // Until the folder is read, the state describes a new installation.
        let new = StoreState(app: host.app, appVersion: host.version, installation: Self.randomName())
        memory = Mutex(Memory(writer: StoreWriter(folder: self.folder, onlyReads: isReader, state: new)))
        let faults = memory.locked { $0.writer.open() }
        for fault in faults { emit(fault) }
    }

    deinit { close() }

    /// The app that a folder belongs to: each version of it that has a part of the folder, the one that synced last
    /// first.
    ///
    /// - Throws: `no-input` if there is no state, or the parts cannot be listed; if none can be used, the error of the
    ///   first one that is faulty.
    package static func hosts(of folder: Path) throws(PatchError) -> [HostInfo] {
        try StoreFolder.hosts(in: folder)
    }

    /// A random name of this installation, which stays the same. Rollouts by percentage use it to count installations.
    package var installation: String { state.installation }

    package var role: DeviceRole { memory.locked { $0.writer.role } }
    /// Whether this process does not write the folder, whatever its role instead.
    package var isReadOnly: Bool { role != .writer }

    /// Why the folder cannot be used; nil if it can, or another process uses it.
    package var fault: PatchError? { memory.locked { $0.writer.fault } }
    package var state: StoreState { memory.locked { $0.writer.state } }

    /// Lets another store open the folder, as the end of the process does. This one changes nothing afterwards.
    package func close() {
        memory.locked { memory in
            memory.writer.close()
            memory.watches.alarm?.task.cancel()
            memory.watches = Watches()
        }
    }

    /// Removes files that do not belong to the store from its folder: the remains of interrupted writes, and files in
    /// the place of a folder.
    package func clean() { memory.locked { $0.writer.clean() } }

    // MARK: bans

    /// Rolls back a patch, and never runs it on this device again.
    ///
    /// - Parameters:
    ///   - version: Its version; nil for all versions that are held or running.
    ///   - reason: Why, for ``why(_:)``.
    /// - Returns: Whether a version of the patch was held or running.
    /// - Throws: What ``change(endsInBackground:_:)`` throws. In this process, the ban counts nevertheless.
    @discardableResult
    package func ban(_ id: String, version: Int? = nil, reason: String) throws(PatchError) -> Bool {
        let time = clock()
        var found = state.stored.filter { $0.patch.id == id }.map { (patch: $0.patch, hash: $0.hash) }
        // A running patch may no longer be held.
        let last = memory.locked { memory in
            memory.launch.activated[id].flatMap { memory.launch.running.contains($0.hash) ? $0 : nil }
        }
        if let last, !found.contains(where: { $0.hash == last.hash }) { found.append((last.patch, last.hash)) }
        found.removeAll { version != nil && $0.patch.version != version }
        // The state is written first, so that the ban holds if the app ends in between.
        let written = Result { () throws(PatchError) in
            try change { state in found.flatMap { state.ban($0.patch, $0.hash, reason, at: time) } }
        }
        if case .failure = written {
            // It holds in this process all the same.
            memory.locked { memory in
                for patch in found { memory.launch.setBlockReason(.banned(reason), of: patch.hash) }
            }
        }
        endBanned(id, version)
        try written.get()
        return !found.isEmpty
    }

    /// - Parameter version: nil if all versions are banned, so that none takes the place of another.
    private func endBanned(_ id: String, _ version: Int?) {
        if let version {
            if let runner { end([PatchID(id: id, version: version)], on: runner) }
        } else {
            runner?.deactivate(id)
            runner?.endOtherwise { $0.name == id }
        }
        endShadows()
    }

    package func clear() throws(PatchError) {
        try update { $0.clear() }
        folder.removeOthers(unusedSince: nil)
    }

    // MARK: envelopes

    /// A patch's stored envelope; nil if there is none, or if it is damaged.
    package func envelope(_ hash: String) -> [UInt8]? {
        try? folder.envelope(hash, limit: EnvelopeLimits().envelopeSize)
    }

    /// Writes an envelope. Call ``hold(_:shadows:)`` to make the store keep it.
    ///
    /// - Throws: `io` if it cannot be written; if this process does not write, the reason.
    package func writeEnvelope(_ envelope: [UInt8], hash: String) throws(PatchError) {
        guard !isReadOnly else { throw notAWriter }
        do throws(PatchError) {
            try folder.writeEnvelope(envelope, hash: hash)
            memory.locked { $0.launch.setBlockReason(nil, of: hash) }
        } catch {
            emit(error)
            throw error
        }
    }

    /// Holds patches whose envelopes were written.
    ///
    /// - Parameter shadows: Further patches, which run in shadow only.
    /// - Throws: What ``change(endsInBackground:_:)`` throws.
    package func hold(
        _ patches: [(patch: PatchID, hash: String)], shadows: [(patch: PatchID, hash: String)] = []
    ) throws(PatchError) {
        let running = memory.locked { $0.launch.running }
        try update { state in
            state.add(patches, running: running)
            state.shadow(shadows)
        }
    }

    // MARK: changes of the state

    private var notAWriter: PatchError { memory.locked { $0.writer.refusal } }

    /// Changes the state, and writes it durably before anything else happens. Then the app is told of it.
    ///
    /// - Parameter endsInBackground: Whether the launch also ends if the app is in the background.
    /// - Throws: `io` if it cannot be written, `limit` if it would be too large, `no-input` if an envelope of another
    ///   version of the app cannot be read this time; if this process does not write, the reason. The state is then as
    ///   before, except that the end of its launch is written if there is room for it.
    package func change(
        endsInBackground: Bool = false, _ body: (inout StoreState) -> [StoreState.Event]
    ) throws(PatchError) {
        noticeFork()
        let (faults, written) = memory.locked { memory in
            let faults = memory.writer.takeOver(hasBegun: memory.launch.hasBegun)
            return (
                faults,
                Result { () throws(PatchError) in
                    try write(body, to: &memory, endsInBackground: endsInBackground)
                }
            )
        }
        for fault in faults { emit(fault) }
        switch written {
        case .success(let events?): emit(events)
        case .success(nil): throw notAWriter
        case .failure(let error):
            emit(error)
            throw error
        }
    }

    /// As ``change(endsInBackground:_:)``, for a change that has no events.
    func update(_ body: (inout StoreState) -> Void) throws(PatchError) {
        try change { state in
            body(&state)
            return []
        }
    }

    /// Writes what has happened since the last change: breakers that have opened, scripts that were loaded, and watches
    /// that have ended.
    func writePending() { try? change { _ in [] } }

    /// Changes the state, with what must be noted before the change, and writes it.
    ///
    /// - Returns: What has happened; nil if this process does not write.
    /// - Throws: What `StoreWriter.write` throws.
    private func write(
        _ body: (inout StoreState) -> [StoreState.Event], to memory: inout Memory, endsInBackground: Bool
    ) throws(PatchError) -> [StoreState.Event]? {
        let pending = takePending()
        // One that follows notes none.
        guard memory.writer.canWrite else { return nil }
        let oldLaunch = memory.writer.state.launch
        var state = memory.writer.state
        // What is pending and watches that have ended come before what happens now.
        let events = note(pending, in: &state) + passWatches(&state, memory) + body(&state)
        // Asked only now: another thread may have brought the app back to the foreground.
        if endsInBackground, memory.launch.isInBackground { state.end() }
        do throws(PatchError) {
            try memory.writer.write(state)
        } catch {
            self.pending.locked { $0 = pending + $0 }
            throw error
        }
        memory.watches.follow(oldLaunch, state.launch, until: endOfWatch)
        setAlarm(&memory)
        defer { memory.pendingEvents = [] }
        return memory.pendingEvents + events
    }

    /// 16 random bytes, in hex digits.
    private static func randomName() -> String {
        String(decoding: Hex.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) }), as: UTF8.self)
    }
}
