import FeedTestSupport
import PatchDevice
import PatchPublishing
import Synchronization

/// A process of an app.
@MainActor final class Life {
    let host: Host, version: AppVersion, device: PatchDevice
    private let price: Replaceable<@Sendable (Int) -> Int>, check: Replaceable<@Sendable (Int) -> Int>
    private let link = Link()
    private(set) var isDead = false, isSyncing = false
    private var isConfirmed = false, isInBackground = false
    /// Whether it has ended, or may be killed without a word about it; and whether the disk fails in what it does now.
    private var hasEnded = false, hasFault = false
    /// When it was launched, or synced last; and when its patches were activated at the latest.
    private(set) var synced = 0, activated = 0
    /// The place of the state of the feed that it obeys, or -1 if that is not certain.
    private(set) var known = -1
    private var network = Network(event: Event(verb: .sync))
    /// How often the app has called each version; and how often each has answered, also to this program.
    private var calls: [PatchID: Int] = [:], made: [PatchID: Int] = [:]
    /// The guards that have answered in this process, with the place of the state of the feed that was known then.
    var guards: [PatchID: Int] = [:]
    /// The patches that have run, and those that have failed too often, so that older versions have taken their places.
    var ran: Set<PatchID> = [], replaced: Set<PatchID> = []

    var world: World { host.world }
    var name: String { "\(host.name) \(version)" }
    var notes: Notes { link.notes.withLock { $0 } }
    var list: PatchListDraft? { known < 0 ? nil : world.deployed[known]?.list }
    var part: Host.Part {
        get { host.parts[version] ?? .init() }
        set { host.parts[version] = newValue }
    }

    init(_ host: Host, _ version: String) throws {
        self.host = host
        let info = try HostInfo(app: FeedFixture.app, version: version)
        self.version = info.version
        let registry = PatchRegistry()
        price = try registry.replaceable("Shop.price") { (x: Int) -> Int in x }
        check = try registry.replaceable("Shop.check") { (x: Int) -> Int in x }
        let (clock, link, check) = (host.world.clock, link, check)
        var limits = PatchLimits()
        limits.callFuel = 20_000
        limits.loadTime = .seconds(60)
        limits.callTime = .seconds(60)
        // Nothing of a log is dropped.
        var logs = PatchEventLog.Limits()
        logs.files = .max
        logs.age = .seconds(1 << 40)
        device = PatchDevice(
            host: info, registry: registry, folder: host.folder, feed: .init(root: host.world.root, source: link),
            trust: Keys.trust, settings: SyncSettings(installation: host.name), limits: limits,
            log: .init(folder: host.logs, limits: logs),
            clock: { [host] in (clock.now + host.clockError.load(ordering: .relaxed)) * 1000 },
            uptime: clock.uptime, listener: EventThrottle(milliseconds: 0) { link.hear($0) { check(1) } })
        link.life.withLock { $0 = self }
    }

    /// Ends the process in the middle of what it does, unless it has ended in an orderly way.
    func kill() {
        isDead = true
        if isSyncing { part.isUncertain = true }
        host.forget(self)
        if !exchange(&hasEnded, with: true) {
            let state = device.store.state
            let noted = (state.launch?.patches ?? []) + (state.launch?.late ?? [])
            let all = ran.union(device.active).union(state.stored.filter { noted.contains($0.hash) }.map(\.patch))
            host.deaths += 1
            for patch in all { host.deathsWith[patch, default: 0] += 1 }
        }
        device.store.close()
    }

    /// Ends the process: what it holds is gone, and nothing more is written.
    func drop() {
        DiskFault.arm(.killed)
        kill()
        link.life.withLock { $0 = nil }
        device.close()
        DiskFault.arm(nil)
        for patch in notes.failed.union(notes.failedInShadow) { world.truths[patch]?.failing.insert(host.name) }
        for patch in notes.rolledBack { world.truths[patch]?.rolledBack.insert(host.name) }
    }

    func perform(_ event: Event, hasFault fault: Bool? = nil) async {
        hasFault = fault ?? hasFault
        switch event.verb {
        case .start:
            world.count("launches")
            activated = world.now
            synced = world.now
            device.launch()
            known = host.isUncertain ? -1 : part.known
            guard device.role == .writer else { break }
            known = hasFault || host.isUncertain ? -1 : host.parts.values.map(\.known).max() ?? -1
            part.known = known
        case .stop:
            device.end()
            forgive()
            // What is not written is not known to have ended well, and not reported.
            guard !hasFault else { break }
            hasEnded = true
            for (patch, count) in made { world.truths[patch]?.written += count }
            for patch in notes.failed { world.truths[patch]?.failures.append(world.now) }
        case .crash: crash(nil)
        case .confirm:
            device.confirm()
            isConfirmed = true
        case .background:
            device.enterBackground()
            isInBackground = true
            hasEnded = !hasFault
        case .call:
            for _ in 0..<1 + event.how % 7 where !isDead { call() }
        case .sync, .foreground:
            if event.verb == .foreground { isInBackground = false }
            world.count("syncs")
            network = Network(event: event)
            let running = device.active
            isSyncing = true
            hasEnded = false
            let report = event.verb == .sync ? await device.sync() : await device.enterForeground()
            isSyncing = false
            if host.isService, !isDead { device.store.tryAlone() }
            if device.active != running { activated = world.now }
            synced = world.now
            if !isDead { hasEnded = isInBackground && !hasFault }
            if let report { await judge(report, event) }
        default: break
        }
        device.store.waitForBreakers()
        if let patch = notes.crash { crash(patch, inCall: event.verb == .call) }
    }

    /// Once its patches have worked, their earlier crashes no longer count.
    func forgive() {
        for patch in device.active where isConfirmed { part.crashes[patch] = 0 }
    }

    /// What a host gets in a sync: what a cache remembers, and what the network leaves of it.
    func download(_ path: String) async -> Result<[UInt8]?, PatchError> {
        defer { network.requests += 1 }
        if let next = network.event.inner.first, next.how / 3 % 8 <= network.requests {
            // Another party acts meanwhile.
            DiskFault.arm(nil)
            await world.perform(network.event.inner.removeFirst())
            if isDead { DiskFault.arm(.killed) }
        }
        guard !isDead else { return .failure(Link.hasEnded) }
        // What changes under its name, or may be asked for before it is there, may be an old answer of a cache.
        let isOfCaches = path == FeedLayout.timestamp || FeedLayout.isRoot(path)
        var bytes = world.read(path, age: isOfCaches ? network.age : 0)
        switch network.fault {
        case .none: break
        case .fails: return .failure(PatchError(.feedUnavailable, "\(path): 503"))
        case .cut: bytes = bytes.map { Array($0.prefix($0.count / 2)) }
        case .missing: bytes = nil
        case .killed:
            DiskFault.arm(.killed)
            kill()
        }
        if path == FeedLayout.timestamp { network.served = world.deployed.lastIndex { $0?.timestamp == bytes } ?? -1 }
        return .success(bytes)
    }

    private func judge(_ report: SyncReport, _ event: Event) async {
        world.trace("\(name): \(report.error.map { "\($0)" } ?? "\(report.counts)")")
        world.count("sync \(report.error.map { "\($0.code)" } ?? "done")")
        guard !report.hasFollowed else {
            known = host.isUncertain ? -1 : part.known
            return
        }
        // What it has read is certain once a sync has ended.
        let isCertain = report.error == nil && !isDead && !hasFault && notes.crash == nil
        let isQuiet = network.isHonest && event.inner.isEmpty
        let hasRightClock = host.clockError.load(ordering: .relaxed) == 0
        if let error = report.error, error.code != .io, isQuiet, hasRightClock, !isDead, !hasFault {
            await world.checkRefusal(error, by: name)
        }
        if report.error == nil { part.unsynced = 0 }
        known = isCertain ? max(known, network.served) : -1
        guard device.role == .writer else { return }
        part.isUncertain = !isCertain
        guard isCertain else { return }
        part.known = known
        if event.verb == .sync, isQuiet, host.deaths == 0, !host.hasBrokenDisk { checkArrivals() }
    }

    /// Calls the functions, which may end the process.
    private func call() {
        let called = answers().called
        world.count("calls", 2)
        for patch in called {
            calls[patch, default: 0] += 1
            let fault = world.truths[patch]?.fault
            if fault == .crashes(atCall: calls[patch] ?? 0) || fault == .crashesWithOthers && called.count > 1 {
                return crash(patch)
            }
        }
    }

    /// The versions that answer, and the one that does so with its `otherwise`, without an effect on the app.
    func answers() -> (called: [PatchID], otherwise: PatchID?) {
        let answers = Truth.layers(of: price(1)) + Truth.layers(of: check(1))
        device.store.waitForBreakers()
        let called = answers.filter { !$0.isOtherwise }.map(\.patch)
        for patch in called {
            made[patch, default: 0] += 1
            world.truths[patch]?.calls += 1
        }
        return (called, answers.first(where: \.isOtherwise)?.patch)
    }

    /// Whether no guard has answered since the last time while the device told something.
    func takeOpen() -> Bool { link.notes.withLock { exchange(&$0.wasOpen, with: false) } }

    /// Whether its patches are still watched. A later crash in a call does not count.
    var isWatched: Bool { world.now - activated <= 600 }

    private func crash(_ patch: PatchID?, inCall: Bool = true) {
        guard !exchange(&isDead, with: true) else { return }
        world.count("crashes")
        DiskFault.arm(.killed)
        world.trace("\(name): crash\(patch.map { " by \($0)" } ?? "")")
        part.unsynced += 1
        if let patch, isWatched || !inCall, !isInBackground { checkCrash(by: patch) }
    }
}

/// The network of one sync. Most syncs reach the place itself.
private struct Network {
    enum Fault: CaseIterable { case none, fails, cut, missing, killed }

    var event: Event
    /// The requests until now, and the place of the state that was served.
    var requests = 0, served = -1

    /// How old the files are that caches have.
    var age: Int { [0, 0, 0, 0, 0, 0, 60, 3600, 86_400, 3 * 86_400][event.how % 10] }
    /// What happens at one of the first requests.
    private var faultOfSync: Fault { event.how / 10 % 4 == 0 ? Fault.allCases[event.how / 320 % 5] : .none }
    var fault: Fault { requests == event.how / 40 % 8 ? faultOfSync : .none }
    var isHonest: Bool { age == 0 && faultOfSync == .none }
}

/// What a device asks its process, and what it tells it, on any thread. The process is made after the device.
private final class Link: FeedSource {
    static let hasEnded = PatchError(.feedUnavailable, "the process has ended")
    /// The process, until it ends.
    let life = Mutex<Life?>(nil)
    let notes = Mutex(Notes())

    func fetch(_ request: FeedRequest) async throws(PatchError) -> FeedReply {
        guard let life = life.withLock({ $0 }) else { throw Self.hasEnded }
        guard let bytes = try await life.download(request.path).get() else { return FeedReply(.missing) }
        guard bytes.count <= request.byteLimit else { throw PatchError(.feedLimit, "\(request.path): too long") }
        return FeedReply(.bytes(bytes))
    }

    /// - Parameter check: Calls the guarded function.
    func hear(_ event: PatchEvent, _ check: () -> Int) {
        switch event.kind {
        // The versions that answer change.
        case .runner(.activated), .runner(.deactivated), .withdrawn, .closed, .rolledBack, .confirmed, .synced:
            if check() == 1 { notes.withLock { $0.wasOpen = true } }
        default: break
        }
        notes.withLock { notes in
            switch event.kind {
            case .runner(.logged(let line)):
                // From now on the process does nothing to its folder.
                DiskFault.arm(.killed)
                notes.crash = notes.crash ?? line.patch
            case .runner(.failed(let failed)): notes.failed.insert(failed.call.patch)
            case .runner(.compared(let shadow)) where shadow.comparison.failed > 0:
                notes.failedInShadow.insert(shadow.patch)
            case .rolledBack(let halt), .suspected(let halt), .closed(let halt): notes.rolledBack.insert(halt.patch)
            case .runner(.breakerOpened(let breaker)): notes.opened.insert(breaker.patch)
            case .misused(let error): notes.faults.append("misused: \(error)")
            case .syncFailed(let failed) where failed.error.code == .internal: notes.faults.append("\(failed.error)")
            case .storeFailed(let error) where error.code == .internal: notes.faults.append("\(error)")
            default: break
            }
        }
    }
}

/// What a device has told.
struct Notes {
    /// The patch in whose script the process ends.
    var crash: PatchID?
    /// The events of a misuse or an internal fault.
    var faults: [String] = []
    /// The patches of which a call has failed, also in shadow, and those of which a breaker has opened.
    var failed: Set<PatchID> = [], failedInShadow: Set<PatchID> = [], opened: Set<PatchID> = []
    var rolledBack: Set<PatchID> = []
    var wasOpen = false
}
