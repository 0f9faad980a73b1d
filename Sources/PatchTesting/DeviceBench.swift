internal import Foundation
public import PatchCrypto
public import PatchDevice
public import PatchRunner
internal import Synchronization

/// A device in a test: an app that is launched again and again, the store that it keeps, a feed, and a clock.
///
///     let bench = try DeviceBench(app: "com.example.shop", version: "2.3.1") { try Shop(registry: $0) }
///     try bench.feed.publish(source)
///     try await bench.launch()   // downloaded, and on trial
///     try await bench.launch()   // the launch before was never confirmed
///     try await bench.launch()   // nor was this one: the patch is taken back
///     #expect(bench.why("com.example.shop.cart-total")?.code == "banned")
///
/// Each launch is a new process as far as the app's objects can tell: it has a new registry, runner and app. The clock stands
/// still until the test moves it.
public final class DeviceBench<App: Sendable>: Sendable {
    /// The feed that the device syncs with.
    public let feed: BenchFeed
    private let name: String
    private let folder: String
    private let limits: StoreLimits
    private let patchLimits: PatchLimits
    private let makeApp: @Sendable (PatchRegistry) throws -> App
    private let clock: BenchClock
    private let state: Mutex<State>

    /// One run of the app.
    private struct Process {
        let app: App
        let store: PatchStore
        let runner: PatchRunner
        let sync: PatchSync
    }

    private struct State {
        var version: String
        var settings = SyncSettings()
        var events: [PatchEvent] = []
        var process: Process?
    }

    /// Makes a device on which the app was never launched.
    ///
    /// - Parameters:
    ///   - app: The app's reverse-DNS name.
    ///   - version: The app's version.
    ///   - time: The time at which it begins.
    ///   - limits: How often something may fail before the store reacts.
    ///   - patchLimits: The limits of each patch.
    ///   - makeApp: Makes the app's objects, and registers its functions. It is called at each launch.
    /// - Throws: `config` if the name or the version is malformed, `io` if there is no temporary folder.
    public init(
        app: String, version: String, time: Timestamp? = nil, limits: StoreLimits = StoreLimits(),
        patchLimits: PatchLimits = PatchLimits(), makeApp: @escaping @Sendable (PatchRegistry) throws -> App
    ) throws(PatchError) {
        _ = try HostInfo(app: app, version: version)
        let clock = BenchClock(time)
        self.clock = clock
        self.limits = limits
        self.patchLimits = patchLimits
        self.makeApp = makeApp
        name = app
        feed = try BenchFeed(app: app) { clock.now }
        folder = FileManager.default.temporaryDirectory.appending(path: "patchpack-device-\(UUID().uuidString)").path
        state = Mutex(State(version: version))
    }

    deinit {
        crash()
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: the app's life

    /// Launches the app: what is held is activated, then the device syncs, and what is new is activated too. An app that was
    /// running before has crashed, unless ``end()`` was called.
    ///
    /// - Parameter syncing: Whether the device syncs.
    /// - Returns: What the sync has found.
    /// - Throws: What making the app throws.
    @discardableResult
    public func launch(syncing: Bool = true) async throws -> SyncReport? {
        crash()
        let (version, settings) = state.locked { ($0.version, $0.settings) }
        let host = try HostInfo(app: name, version: version)
        let registry = PatchRegistry()
        let app = try makeApp(registry)
        let clock = clock
        let log: @Sendable (PatchEvent) -> Void = { [weak self] event in
            self?.state.locked { $0.events.append(event) }
        }
        let store = PatchStore(
            folder: folder, host: host, limits: limits, clock: { clock.now }, events: log)
        let runner = PatchRunner(
            registry: registry, host: host, limits: patchLimits, clock: { clock.now },
            events: { event in
                log(event)
                store.observe(event)
            })
        let trust = PatchTrust(feed.trust, scriptKeys: feed.scriptKey)
        let sync = PatchSync(
            feed: feed.root, at: feed, store: store, runner: runner, trust: trust, settings: settings)
        sync.runStored()
        state.locked { $0.process = Process(app: app, store: store, runner: runner, sync: sync) }
        return syncing ? await sync.launch() : nil
    }

    /// Notes that the app is healthy.
    public func confirm() { process?.store.confirm() }

    /// Ends the app in an orderly way.
    public func end() {
        process?.store.ended()
        crash()
    }

    /// Ends the app without a word, as a crash, a hang or a full memory does.
    public func crash() {
        let process = state.locked { state in
            defer { state.process = nil }
            return state.process
        }
        process?.store.close()
        process?.runner.deactivateAll()
    }

    /// Brings the app back to the foreground.
    @discardableResult
    public func foreground() async -> SyncReport? { await process?.sync.foregrounded() }

    /// Syncs on command.
    @discardableResult
    public func sync() async -> SyncReport? { await process?.sync.now() }

    /// Installs another version of the app. It counts from the next launch on.
    public func update(to version: String) { state.locked { $0.version = version } }

    /// Moves the clock forward.
    public func advance(days: Int = 0, seconds: Int = 0) { clock.advance(days * 86_400 + seconds) }

    /// Sets the clock back, as a user may.
    public func setBack(days: Int) { clock.setBack(days * 86_400) }

    // MARK: looking

    /// The app's objects in this launch; nil if it is not running.
    public var app: App? { process?.app }

    /// The store of this launch; nil if the app is not running.
    public var store: PatchStore? { process?.store }

    /// The patches that run, by id.
    public var running: [PatchID] {
        (process?.runner.active ?? []).map { PatchID(id: $0.id, version: $0.version) }.sorted { $0.id < $1.id }
    }

    /// Why a patch is running or not.
    public func why(_ id: String) -> PatchStatus? { process?.store.why(id) }

    /// What the device is, for the feed.
    public var settings: SyncSettings {
        get { state.locked { $0.settings } }
        set {
            state.locked { state in
                state.settings = newValue
                state.process?.sync.settings = newValue
            }
        }
    }

    /// All events of all launches, in order.
    public var events: [PatchEvent] { state.locked { $0.events } }

    /// The path of the store's folder, for tests of what happens to its files.
    package var path: String { folder }

    private var process: Process? { state.locked { $0.process } }
}

/// A clock that stands still until it is moved.
final class BenchClock: Sendable {
    private let seconds: Mutex<Int>

    /// - Parameter start: The time at which it stands; nil for 2026-09-21T14:13:20Z.
    init(_ start: Timestamp?) { seconds = Mutex(start?.secondsSince1970 ?? 1_790_000_000) }

    /// The time; nil after the year 9999.
    var now: Timestamp? { Timestamp(secondsSince1970: seconds.locked { $0 }) }

    func setBack(_ count: Int) { seconds.locked { $0 -= max(0, min(count, $0)) } }
    func advance(_ count: Int) { seconds.locked { $0 += max(0, min(count, 1 << 40)) } }
}
