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
    /// The breakers that have opened, and that no change of the state has noted yet.
    let openings = Mutex<[Opening]>([])
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

        /// The hashes of the patches that have failed in this launch: a script did not load, or an older version took
        /// the place. They are not activated again in it.
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
    /// - Throws: `no-input` if there is no state, `malformed` or `config` if none can be read.
    package static func hosts(of folder: Path) throws(PatchError) -> [HostInfo] {
        try StoreFolder.hosts(in: folder)
    }

    /// A random name of this installation, which stays the same. Rollouts by percentage use it to count installations.
    package var installation: String { state.installation }

    /// Whether the app has reported that the system may end it.
    package var isInBackground: Bool { memory.locked { $0.launch.isInBackground } }

    package var role: DeviceRole { memory.locked { $0.writer.role } }
    /// Whether this process does not write the folder, whatever its role instead.
    package var isReadOnly: Bool { role != .writer }

    /// Why the folder cannot be used; nil if it can, or another process uses it.
    package var fault: PatchError? { memory.locked { $0.writer.fault } }
    package var state: StoreState { memory.locked { $0.writer.state } }
    package var runner: PatchRunner? { memory.locked { $0.launch.runner } }
    var failed: Set<String> { memory.locked { $0.failed } }

    // MARK: held patches

    package func why(_ id: String) -> [PatchStatus] {
        let known = patches.filter { $0.id == id }
        guard known.isEmpty else { return known }
        let (fault, role) = memory.locked { ($0.writer.whyUnwritable, $0.writer.role) }
        return [PatchStatus(unknown: id, fault, role == .follower ? sync(of: folder.lastSync) : nil)]
    }

    /// When the process that this one follows has synced, for ``why(_:)``.
    private func sync(of time: Duration?) -> String {
        guard let time else { return "the process that writes the device's folder has not synced yet" }
        let seconds = max(.zero, .milliseconds(WallClock.milliseconds) - time).components.seconds
        return "the process that writes the device's folder synced \(seconds) s ago"
    }

    package var patches: [PatchStatus] {
        // Not the writer itself, because a copy of it would keep the lock.
        let (state, fault, role, launch, failed) = memory.locked { memory in
            let writer = memory.writer
            return (writer.state, writer.whyUnwritable, writer.role, memory.launch, memory.failed)
        }
        func patches(_ loaded: [LoadedPatch]?) -> Set<PatchID> { Set((loaded ?? []).map(\.id)) }
        let (active, shadows) = (launch.runner?.active, launch.runner?.shadows ?? [])
        return StatusResolver(
            state: state, running: launch.hasBegun && active != nil ? patches(active) : nil, shadows: patches(shadows),
            open: patches(((active ?? []) + shadows).filter(\.isBreakerOpen)), failed: failed,
            blockReasons: launch.blockReasons, fault: fault, role: role,
            lastSync: role == .follower ? sync(of: folder.lastSync) : ""
        ).statuses
    }

    /// Rolls back a patch, and never runs it on this device again.
    ///
    /// - Parameters:
    ///   - version: Its version; nil for all versions that are held or running.
    ///   - reason: Why, for ``why(_:)``.
    /// - Returns: Whether a version of the patch was held or running.
    /// - Throws: `io` if that cannot be written.
    @discardableResult
    package func ban(_ id: String, version: Int? = nil, reason: String) throws(PatchError) -> Bool {
        let time = clock()
        var found = state.stored.filter { $0.patch.id == id }.map { (patch: $0.patch, hash: $0.hash) }
        // A running patch may no longer be held.
        let last = memory.locked { memory in
            memory.launch.activated[id].flatMap { memory.launch.running.contains($0.hash) ? $0 : nil }
        }
        if let last, !found.contains(where: { $0.hash == last.hash }) { found.append(last) }
        found.removeAll { version != nil && $0.patch.version != version }
        // The state is written first, so that the ban holds if the app ends in between.
        defer {
            if let version {
                if let runner { end([PatchID(id: id, version: version)], on: runner) }
            } else {
                runner?.deactivate(id)
                runner?.endOtherwise { $0.name == id }
            }
            endShadows()
        }
        do throws(PatchError) {
            try change { state in found.flatMap { state.ban($0.patch, $0.hash, reason, at: time) } }
        } catch {
            // It holds in this process all the same.
            memory.locked { memory in for patch in found { memory.launch.blockReasons[patch.hash] = .banned(reason) } }
            throw error
        }
        return !found.isEmpty
    }

    /// Forgets every patch, ban and note, as if the app had just been installed. Keys that a feed has revoked or
    /// removed stay so.
    ///
    /// - Throws: `io` if that cannot be written.
    package func clear() throws(PatchError) {
        try update { $0.clear() }
        folder.removeOthers(unusedSince: nil)
    }

    /// Whether a patch's envelope exists, and is the one that was stored.
    package func hasEnvelope(_ hash: String) -> Bool { envelope(hash) != nil }

    /// A patch's stored envelope; nil if there is none, or if it is damaged.
    package func envelope(_ hash: String) -> [UInt8]? {
        try? folder.envelope(hash, limit: EnvelopeLimits().envelopeSize)
    }

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

    /// Stores an envelope. Call ``hold(_:)`` to make the store keep it.
    ///
    /// - Throws: `io` if it cannot be written.
    package func write(_ envelope: [UInt8], hash: String) throws(PatchError) {
        guard !isReadOnly else { throw notAWriter }
        do throws(PatchError) {
            try folder.writeEnvelope(envelope, hash: hash)
            memory.locked { $0.launch.blockReasons[hash] = nil }
        } catch {
            emit(error)
            throw error
        }
    }

    /// Holds patches whose envelopes were written.
    package func hold(
        _ patches: [(patch: PatchID, hash: String)], shadows: [(patch: PatchID, hash: String)] = []
    ) throws(PatchError) {
        let running = memory.locked { $0.launch.running }
        try update { state in
            state.add(patches, running: running)
            state.shadow(shadows)
        }
    }

    private var notAWriter: PatchError { memory.locked { $0.writer.refusal } }

    /// Changes the state, and writes it durably before anything else happens.
    ///
    /// - Throws: `io` if it cannot be written; the state is then as before.
    package func change(_ body: (inout StoreState) -> [StoreState.Event]) throws(PatchError) {
        noticeFork()
        var faults: [PatchError] = []
        let result: Result<[StoreState.Event], PatchError>? = memory.locked { memory in
            faults = memory.writer.takeOver(hasBegun: memory.launch.hasBegun)
            let opened = openings.locked { openings in
                defer { openings = [] }
                return openings
            }
            // One that follows notes none.
            guard memory.writer.canWrite else { return nil }
            let old = memory.writer.state.launch
            var state = memory.writer.state
            let events = noteOpenings(opened, in: &state) + passWatches(&state, memory) + body(&state)
            do throws(PatchError) {
                try memory.writer.write(state)
            } catch {
                openings.locked { $0 = opened + $0 }
                return .failure(error)
            }
            memory.watches.follow(old, state.launch, until: endOfWatch)
            setAlarm(&memory)
            defer { memory.pendingEvents = [] }
            return .success(memory.pendingEvents + events)
        }
        for fault in faults { emit(fault) }
        switch result {
        case .success(let events): emit(events)
        case .failure(let error):
            emit(error)
            throw error
        case nil: throw notAWriter
        }
    }

    /// As ``change(_:)``, for a change that has no events.
    func update(_ body: (inout StoreState) -> Void) throws(PatchError) {
        try change { state in
            body(&state)
            return []
        }
    }

    package func tell(_ kind: PatchEvent.Kind) { events(PatchEvent(kind)) }

    func emit(_ events: [StoreState.Event]) {
        for event in events {
            switch event {
            case .trial(let patch): tell(.beganTrial(patch))
            case .good(let patch): tell(.confirmed(patch))
            case .suspect(let patch):
                let held = state.held.first { $0.patch == patch }
                // Alone, it is one of an app that never confirmed a launch.
                let reason = held?.failures ?? 0 > 0 ? StoreState.failedLaunches : EventRecord.suspicion
                tell(.rolledBack(.init(patch, reason: reason, hash: held?.hash ?? "")))
            case .closed(let patch):
                let hash = state.held.first { $0.patch == patch }?.hash ?? ""
                tell(.closed(.init(patch, reason: StoreState.failedLaunches, hash: hash)))
            case .banned(let ban): tell(.rolledBack(.init(ban.patch, reason: ban.reason, hash: ban.hash)))
            case .safeMode(let failures): tell(.safeMode(.init(failures: failures)))
            case .neverConfirmed(let launches): tell(.neverConfirmed(.init(launches: launches)))
            }
        }
    }

    private static func randomName() -> String {
        String(decoding: Hex.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) }), as: UTF8.self)
    }
}
