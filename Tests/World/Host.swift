import FeedTestSupport
import Foundation
import PatchCrypto
import PatchDevice
import PatchFeed
import PatchFiles
import PatchRunner
import Synchronization

/// A machine: a folder that its workers share, and a clock.
@MainActor final class Host {
    let name: String
    let folder: String
    let logs: String
    private var workers: [Life?]
    /// Whether its workers are services, which try patches alone after a sync.
    let isService: Bool
    /// How wrong its clock is, in seconds.
    let clockError = Atomic(0)
    /// What is known of the part that each version of the app has of the folder.
    var parts: [AppVersion: Part] = [:]
    /// How many processes have died, and how many of them each patch may have ended.
    private(set) var deaths = 0
    private(set) var deathsWith: [PatchID: Int] = [:]
    /// The patches that it has banned, and when that was seen first.
    var banned: [PatchID: Int] = [:]
    /// Until when the ages of the folder's files were made right.
    private var passed: Int
    unowned let world: World

    struct Part {
        /// The newest state of the feed that a sync has read, by its timestamp.
        var known: [UInt8] = []
        /// How often each patch has crashed a life since it last proved itself.
        var crashes: [PatchID: Int] = [:]
        /// The patches that have proved themselves at some time, and all that were tried.
        var proven: Set<PatchID> = []
        var tried: Set<PatchID> = []
        /// When each patch that is closed was last tried again, and crashed.
        var retried: [PatchID: Int] = [:]
        /// The patches that crashed while others had not proved themselves, so that the cause was not known at once, or
        /// that have come back.
        var shared: Set<PatchID> = []
        /// How many lives in a row have crashed without a sync.
        var unsynced = 0
        /// Whether a sync has not ended well, so that it may know more than that.
        var isUncertain = false
        /// Whether its disk has ever failed to write.
        var hasBrokenDisk = false
        /// A version of the guard that has proved itself, when that was seen, and the state of the feed that was known
        /// then, by its place.
        var held: PatchID?
        var heldSince = 0, heldFrom = 0
    }

    static let versions = ["1.0", "1.1", "1.2"]

    init(_ number: Int, workers count: Int, _ world: World) {
        name = "host\(number)"
        isService = number == 1
        self.world = world
        folder = "\(world.folder)/\(name)"
        logs = "\(world.folder)/logs/\(name)"
        workers = Array(repeating: nil, count: count)
        passed = world.now
    }

    var lives: [Life] { workers.compactMap(\.self) }

    /// Lets the time pass for the files of the folder, which have the times of this machine.
    func pass() {
        let past = world.now - passed
        passed = world.now
        for part in (try? Folder.names(in: Path("\(folder)/versions"))) ?? [] {
            for name in ["state", "mark", "bans", "synced", "syncing"] {
                let file = Path("\(folder)/versions/\(part)/\(name)")
                guard let info = FileInfo(file, following: false) else { continue }
                (try? Descriptor(file, .read))?.setModified(info.modified - .seconds(past))
            }
        }
        for life in lives { life.pass() }
    }

    /// The part of a version that has not run for two weeks is gone.
    func forgetParts() {
        for version in parts.keys where FileInfo(Path("\(folder)/versions/\(version)"), following: false) == nil {
            parts[version] = nil
        }
    }

    func perform(_ event: Event) async {
        if event.verb == .skew {
            let errors = [0, 0, 0, 0, -3600, 3600, -400 * 86_400, 30 * 86_400]
            let error = errors[event.what % errors.count]
            if error != 0 { world.hasWrongClocks = true }
            return clockError.store(error, ordering: .relaxed)
        }
        let number = event.what % workers.count
        guard event.verb == .start || workers[number] != nil else { return }
        if let life = workers[number], life.isBusy {
            // In the middle of its sync, other threads go on.
            if [.call, .confirm, .background].contains(event.verb) { await life.perform(event) }
            guard [.crash, .start].contains(event.verb) || life.isDead else { return }
            kill(life)
            guard event.verb == .start else { return }
        }
        var fault: Disk.Fault?
        let faults = world.diskFaults
        if event.how / 7 % 12 == 0, !faults.isEmpty { fault = faults[event.how / 84 % faults.count] }
        if event.verb == .start {
            if let old = workers[number] {
                old.hasFault = false
                await old.perform(Event(gap: 0, verb: .stop, who: 0, what: 0, how: 0))
                finish(old, number)
            }
            // A deployment of the app: mostly forward.
            let version = Self.versions[min(2, event.how / 100 % 10 / 4)]
            workers[number] = try? Life(self, version, fault, after: event.how % 40)
        }
        guard let life = workers[number] else { return }
        life.hasFault = fault != nil
        if let fault {
            parts[life.version, default: Part()].isUncertain = true
            if fault != .killed {
                world.hasFaultyDisks = true
                parts[life.version, default: Part()].hasBrokenDisk = true
            }
        }
        Disk.arm(fault, after: event.how % 40)
        await life.perform(event)
        Disk.disarm()
        if fault == .killed { life.isDead = true }
        if life.isDead || event.verb == .stop { finish(life, number) }
    }

    /// Ends a life: what it holds is gone, and nothing more is written.
    private func finish(_ life: Life, _ number: Int) {
        if workers[number] === life { workers[number] = nil }
        life.drop()
    }

    /// Ends all lives. They refer to their host, so nothing of them stays open only if it forgets them.
    func end() {
        for life in lives { life.drop() }
        workers = []
    }

    /// A process has ended, and may have been ended by patches.
    func noteDeath(with patches: Set<PatchID>) {
        deaths += 1
        for patch in patches { deathsWith[patch, default: 0] += 1 }
    }

    /// Kills a life in the middle of what it does.
    func kill(_ life: Life) {
        life.isDead = true
        life.noteEnd()
        life.device.store.close()
        for number in workers.indices where workers[number] === life { workers[number] = nil }
    }
}

/// A process of an app.
@MainActor final class Life {
    struct App {
        let price: Replaceable<@Sendable (Int) -> Int>
        let check: Replaceable<@Sendable (Int) -> Int>

        init(_ registry: PatchRegistry) throws {
            price = try registry.replaceable("Shop.price") { (x: Int) -> Int in x }
            check = try registry.replaceable("Shop.check") { (x: Int) -> Int in x }
        }
    }

    /// What a device has told.
    final class Notes: Sendable {
        struct State {
            /// The patch in whose script the process ends.
            var crash: PatchID?
            /// The events of a misuse or an internal fault.
            var faults: [String] = []
            /// The patches of which a call has failed, also in shadow, and those of which a breaker has opened.
            var failed: Set<PatchID> = []
            var failedInShadow: Set<PatchID> = []
            var opened: Set<PatchID> = []
            var rolledBack: Set<PatchID> = []
            /// What the guarded function has answered while the device told something.
            var checks: Set<Int> = []
        }

        private let state = Mutex(State())
        var now: State { state.withLock { $0 } }

        /// The answers since the last time.
        func takeChecks() -> Set<Int> {
            state.withLock { state in
                defer { state.checks = [] }
                return state.checks
            }
        }

        /// - Parameter check: Calls the guarded function.
        func hear(_ event: PatchEvent, _ check: () -> Int) {
            let answer = event.isBetweenVersions ? check() : nil
            state.withLock { state in
                if let answer { state.checks.insert(answer) }
                switch event.kind {
                case .runner(.logged(let line)):
                    // From now on the process does nothing to its folder.
                    Disk.arm(.killed, after: 0)
                    state.crash = state.crash ?? line.patch
                case .runner(.failed(let failed)): state.failed.insert(failed.call.patch)
                case .runner(.compared(let shadow)) where shadow.comparison.failed > 0:
                    state.failedInShadow.insert(shadow.patch)
                case .rolledBack(let halt), .suspected(let halt), .closed(let halt):
                    state.rolledBack.insert(halt.patch)
                case .runner(.breakerOpened(let breaker)): state.opened.insert(breaker.patch)
                case .misused(let error): state.faults.append("misused: \(error)")
                case .syncFailed(let failed) where failed.error.code == .internal:
                    state.faults.append("\(failed.error)")
                case .storeFailed(let error) where error.code == .internal: state.faults.append("\(error)")
                default: break
                }
            }
        }
    }

    /// The app, whose registry a device patches.
    private let app: App
    /// It refers to this life until that ends.
    private let source = HostSource()
    let host: Host
    let version: AppVersion
    private(set) var device: PatchDevice
    let notes = Notes()
    var isDead = false
    /// Whether the disk fails in what it does now.
    var hasFault = false
    /// When it was launched, or synced last.
    private(set) var synced = 0
    /// Whether it is in the middle of a sync.
    private(set) var isBusy = false
    private(set) var isInBackground = false
    private var isConfirmed = false
    /// Whether it has ended, or may be killed without a word about it.
    private var hasEnded = false
    /// When its patches were activated at the latest.
    private var activated = 0
    /// The state of the feed that it obeys, by its timestamp; empty if that is not certain.
    private(set) var known: [UInt8] = []
    private var network = Network(9)
    private var requests = 0
    private var inner: [Event] = []
    private var served: [UInt8]?
    private var calls: [PatchID: Int] = [:]
    /// The versions of the guard that have answered in this process, and still must if the feed offers them, with the
    /// place of the state of the feed that was known when they did.
    var guards: [PatchID: Int] = [:]
    /// The patches that have run, and those that have failed too often, so that older versions have taken their places.
    var ran: Set<PatchID> = []
    var replaced: Set<PatchID> = []
    /// The calls that were answered by each version.
    private var made: [PatchID: Int] = [:]
    var world: World { host.world }

    init(_ host: Host, _ version: String, _ fault: Disk.Fault?, after calls: Int) throws {
        self.host = host
        let info = try HostInfo(app: FeedFixture.app, version: version)
        self.version = info.version
        let registry = PatchRegistry()
        app = try App(registry)
        let (clock, notes, check) = (host.world.clock, notes, app.check)
        var limits = PatchLimits()
        (limits.loadFuel, limits.callFuel) = (100_000, 20_000)
        (limits.loadTime, limits.callTime) = (.seconds(60), .seconds(60))
        Disk.arm(fault, after: calls)
        defer { Disk.disarm() }
        device = PatchDevice(
            host: info, registry: registry, folder: host.folder,
            feed: .init(root: host.world.root, source: source), trust: PatchTrust(Keys.trust, scriptKeys: Keys.script),
            settings: SyncSettings(installation: host.name), limits: limits,
            log: .init(folder: host.logs, limits: Self.logLimits),
            clock: { [host] in (clock.now + host.clockError.load(ordering: .relaxed)) * 1000 },
            uptime: Uptime(
                now: { .seconds(clock.now - World.Clock.start) },
                sleep: { _ in try await Task.sleep(for: .seconds(1 << 30)) }),
            listener: EventThrottle(milliseconds: 0) { notes.hear($0) { check(1) } })
        source.life.withLock { $0 = self }
    }

    /// Nothing of a log is dropped.
    private static let logLimits = {
        var limits = PatchEventLog.Limits()
        (limits.fileBytes, limits.files) = (256 << 20, .max)
        (limits.fileAge, limits.age) = (.seconds(1 << 40), .seconds(1 << 40))
        return limits
    }()

    /// What a host gets in a sync: what a cache remembers, and what the network leaves of it. The life is made after
    /// its device.
    final class HostSource: FeedSource {
        let life = Mutex<Life?>(nil)

        func fetch(_ request: FeedRequest) async throws(PatchError) -> FeedReply {
            guard let life = life.withLock({ $0 }) else { throw PatchError(.feedUnavailable, "the process has ended") }
            let result = await life.download(request.path)
            guard let bytes = try result.get() else { return FeedReply(.missing) }
            guard bytes.count <= request.byteLimit else { throw PatchError(.feedLimit, "\(request.path): too long") }
            return FeedReply(.bytes(bytes))
        }
    }

    /// Notes that the process ends now, unless it has ended in an orderly way.
    func noteEnd() {
        guard !hasEnded else { return }
        hasEnded = true
        let state = device.store.state
        let noted = (state.launch?.patches ?? []) + (state.launch?.late ?? [])
        let all = ran.union(device.active).union(state.stored.filter { noted.contains($0.hash) }.map(\.patch))
        host.noteDeath(with: all)
    }

    /// Ends the process without a word.
    func drop() {
        isDead = true
        noteEnd()
        source.life.withLock { $0 = nil }
        Disk.arm(.killed, after: 0)
        device.close()
        Disk.disarm()
        let notes = notes.now
        for patch in notes.failed.union(notes.failedInShadow) { world.failing[patch, default: []].insert(host.name) }
        for patch in notes.rolledBack { world.rolledBack[patch, default: []].insert(host.name) }
    }

    func perform(_ event: Event) async {
        switch event.verb {
        case .start:
            world.counts.add("launches")
            activated = world.now
            synced = world.now
            device.launch()
            learn(isLaunch: true)
        case .stop:
            device.end()
            if isConfirmed { forgive() }
            // What is not written is not known to have ended well, and not reported.
            guard !hasFault else { break }
            hasEnded = true
            for (patch, count) in made { world.calls[patch, default: (0, 0)].written += count }
            for patch in notes.now.failed { world.reportedFailures[patch, default: []].append(world.now) }
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
            world.counts.add("syncs")
            network = Network(event.how)
            requests = 0
            inner = event.inner
            served = nil
            let running = device.active
            isBusy = true
            hasEnded = false
            defer { isBusy = false }
            let report = event.verb == .sync ? await device.sync() : await device.enterForeground()
            if host.isService, !isDead { device.store.tryAlone() }
            if device.active != running { activated = world.now }
            synced = world.now
            if !isDead { hasEnded = isInBackground && !hasFault }
            if let report { judge(report, event) }
        default: break
        }
        device.store.waitForBreakers()
        if let patch = notes.now.crash { crash(patch, isWatched: event.verb != .call || isWatched) }
    }

    /// Lets the watch of its patches end.
    func pass() {
        device.store.endWatches()
        if isConfirmed, world.now - activated > 600 { forgive() }
    }

    /// Its patches have worked, so their earlier crashes no longer count.
    private func forgive() {
        for patch in device.active { host.parts[version]?.crashes[patch] = 0 }
    }

    // MARK: the feed

    /// Answers a request of a sync.
    func download(_ path: String) async -> Result<[UInt8]?, PatchError> {
        defer { requests += 1 }
        if let next = inner.first, next.how / 3 % 8 <= requests { await happen(inner.removeFirst()) }
        guard !isDead else { return .failure(PatchError(.feedUnavailable, "the process has ended")) }
        var bytes = world.place.read(path, age: path.isOfCaches ? network.age : 0)
        if requests == network.request {
            switch network.fault {
            case .none: break
            case .fails: return .failure(PatchError(.feedUnavailable, "\(path): 503"))
            case .cut: bytes = bytes.map { Array($0.prefix($0.count / 2)) }
            case .missing: bytes = nil
            case .killed:
                Disk.arm(.killed, after: 0)
                host.kill(self)
            }
        }
        if path == FeedLayout.timestamp { served = bytes }
        return .success(bytes)
    }

    /// Another party acts during a download.
    private func happen(_ event: Event) async {
        Disk.disarm()
        await world.perform(event)
        if isDead { Disk.arm(.killed, after: 0) }
    }

    private func judge(_ report: SyncReport, _ event: Event) {
        world.trace("\(host.name) \(version): \(report.error.map { "\($0)" } ?? "\(report.counts)")")
        world.counts.add("sync \(report.error.map { "\($0.code)" } ?? "done")")
        var part = host.parts[version] ?? .init()
        defer { host.parts[version] = part }
        guard !report.hasFollowed else {
            known = part.isUncertain ? [] : part.known
            return
        }
        // What it has read is certain once a sync has ended.
        let isCertain = report.error == nil && !isDead && !hasFault && notes.now.crash == nil
        if let error = report.error, network.isHonest, event.inner.isEmpty, !isDead, !hasFault, error.code != .io,
            host.clockError.load(ordering: .relaxed) == 0
        {
            world.refused = ("\(host.name) \(version)", error)
        }
        if report.error == nil { part.unsynced = 0 }
        if isCertain, let served, world.isNewer(served, than: known) { known = served }
        if !isCertain { known = [] }
        guard device.role == .writer else { return }
        part.isUncertain = !isCertain
        if isCertain { part.known = known }
        guard isCertain, event.verb == .sync, network.isHonest, event.inner.isEmpty, host.deaths == 0,
            !host.parts.values.contains(where: \.hasBrokenDisk)
        else { return }
        world.checkArrivals(on: self)
    }

    /// It obeys what the folder knows.
    private func learn(isLaunch: Bool) {
        let parts = host.parts.values.map { ($0.known, $0.isUncertain) }
        known = host.parts[version]?.known ?? []
        guard device.role == .writer else { return }
        for (other, _) in parts where world.isNewer(other, than: known) { known = other }
        if parts.contains(where: \.1) || hasFault { known = [] }
        host.parts[version, default: .init()].known = known
    }

    // MARK: calls

    /// Calls the functions, which may end the process.
    private func call() {
        let (layers, check) = answers()
        let answering = layers + [Truth.guardOf(check).function].compactMap(\.self)
        world.counts.add("calls", 2)
        for patch in answering {
            calls[patch, default: 0] += 1
            switch world.truths[patch]?.fault {
            case .crashes(let number)? where calls[patch] == number: return crash(patch, isWatched: isWatched)
            case .crashesWithOthers? where answering.count > 1: return crash(patch, isWatched: isWatched)
            default: break
            }
        }
    }

    /// What the functions return, without an effect on the app.
    func answers() -> (layers: [PatchID], check: Int) {
        let (price, check) = (app.price(1), app.check(1))
        device.store.waitForBreakers()
        let layers = Truth.layers(of: price)
        for patch in layers {
            made[patch, default: 0] += 1
            world.calls[patch, default: (0, 0)].all += 1
        }
        return (layers, check)
    }

    /// Whether its patches are still watched. A later crash does not count.
    private var isWatched: Bool { world.now - activated <= 600 }

    private func crash(_ patch: PatchID?, isWatched: Bool = true) {
        guard !isDead else { return }
        world.counts.add("crashes")
        isDead = true
        Disk.arm(.killed, after: 0)
        world.trace("\(host.name) \(version): crash\(patch.map { " by \($0)" } ?? "")")
        host.parts[version, default: .init()].unsynced += 1
        if let patch, isWatched, !isInBackground { world.crashed(self, by: patch) }
    }

    /// Notes which patches have proved themselves.
    func noteHealth() {
        let state = device.store.state
        var part = host.parts[version] ?? .init()
        for held in state.held {
            if held.stage != .downloaded { part.tried.insert(held.patch) }
            guard held.stage == .good, !held.isUnproven else { continue }
            part.proven.insert(held.patch)
        }
        host.parts[version] = part
    }
}

extension PatchEvent {
    /// Whether it tells that the versions that answer change.
    fileprivate var isBetweenVersions: Bool {
        switch kind {
        case .runner(.activated), .runner(.deactivated), .withdrawn, .closed, .rolledBack, .confirmed, .synced: true
        default: false
        }
    }
}

extension String {
    /// Whether the file changes under its name, or may be asked for before it is there, so that a cache's answer may be
    /// old.
    fileprivate var isOfCaches: Bool { self == FeedLayout.timestamp || FeedLayout.isRoot(self) }
}
