internal import Foundation
public import PatchCrypto
public import PatchDevice
public import PatchRunner
internal import Synchronization

/// A device for tests: an app that is launched again and again, its folder, a feed, and a clock.
///
///     let simulator = try DeviceSimulator(app: "com.example.shop", version: "2.3.1") { try Shop(registry: $0) }
///     try await simulator.launch()
///     simulator.confirm()            // an app that never confirms bans nothing
///     try simulator.feed.publish(source: source)
///     await simulator.sync()         // downloaded, and on trial
///     simulator.crash()
///     try await simulator.launch()
///     simulator.crash()
///     try await simulator.launch()   // the second crash was noticed: the patch is rolled back
///     #expect(simulator.why("com.example.shop.cart-total").first?.code == .banned)
///
/// For the app's objects, each launch is a new process with a new registry, runner and app. The clock does not run
/// until the test moves it. What only a running app can do ends the test if the app was never launched, or has ended.
public final class DeviceSimulator<App: Sendable>: Sendable {
    /// The feed that the device syncs with.
    public let feed: TestFeed
    private let name: String
    /// The path of the device's folder, for tests of its files.
    package let path: String
    /// The path of the part that the app's version has of it.
    package var part: String { "\(path)/versions/\(state.locked { $0.version })" }
    private let limits: PatchLimits
    private let crashLimits: CrashLimits
    private let makeApp: @Sendable (PatchRegistry) throws -> App
    private let clock: BenchClock
    private let state: Mutex<State>

    private struct State {
        var version: String
        var settings = SyncSettings()
        var events: [PatchEvent] = []
        /// One run of the app.
        var process: (app: App, device: PatchDevice)?
    }

    /// Makes a device on which the app was never launched.
    ///
    /// - Parameters:
    ///   - app: The app's reverse-DNS name.
    ///   - version: The app's version.
    ///   - time: The time at which the clock begins; nil for 2026-09-21T14:13:20Z.
    ///   - limits: The limits of each patch.
    ///   - crashLimits: How often something may fail before the device reacts.
    ///   - makeApp: Makes the app's objects, and registers its functions. It is called at each launch.
    /// - Throws: `config` if the app's name or its version is malformed.
    public init(
        app: String, version: String, time: Timestamp? = nil, limits: PatchLimits = PatchLimits(),
        crashLimits: CrashLimits = CrashLimits(), makeApp: @escaping @Sendable (PatchRegistry) throws -> App
    ) throws(PatchError) {
        _ = try HostInfo(app: app, version: version)
        let clock = BenchClock(time)
        self.clock = clock
        self.limits = limits
        self.crashLimits = crashLimits
        self.makeApp = makeApp
        name = app
        feed = try TestFeed(app: app) { clock.now }
        path = FileManager.default.temporaryDirectory.appending(path: "patchpack-device-\(UUID().uuidString)").path
        state = Mutex(State(version: version))
    }

    deinit {
        close()
        try? FileManager.default.removeItem(atPath: path)
    }

    // MARK: the app's life

    /// Launches the app, and activates the patches in the device's folder.
    ///
    /// If the app was still running, it counts as crashed, unless ``end()`` was called.
    ///
    /// - Parameter syncing: Whether the device syncs at once, as in an app that syncs before it confirms. Most apps
    ///   confirm first: call ``confirm()`` and ``sync()``.
    /// - Returns: The report of the sync; nil without a sync.
    /// - Throws: The errors of making the app.
    @discardableResult
    public func launch(syncing: Bool = false) async throws -> SyncReport? {
        close()
        let (version, settings) = state.locked { ($0.version, $0.settings) }
        let host = try HostInfo(app: name, version: version)
        let registry = PatchRegistry()
        let app = try makeApp(registry)
        let clock = clock
        let log: @Sendable (PatchEvent) -> Void = { [weak self] event in
            self?.state.locked { $0.events.append(event) }
        }
        let device = PatchDevice(
            host: host, registry: registry, folder: path, feed: .init(root: feed.root, source: feed),
            trust: PatchTrust(feed.trust, scriptKeys: feed.scriptKey), settings: settings, limits: limits,
            crashLimits: crashLimits, clock: { clock.milliseconds }, uptime: clock.uptime,
            listener: EventThrottle(milliseconds: 0, listener: log))
        state.locked { $0.process = (app, device) }
        device.launch()
        return syncing ? await device.sync() : nil
    }

    /// Confirms that the app is healthy.
    public func confirm() { runningDevice("confirm()").confirm() }

    /// Ends the app in an orderly way.
    public func end() {
        runningDevice("end()").end()
        close()
    }

    /// Ends the app abruptly, as a crash, a hang or a full memory does.
    public func crash() {
        _ = runningDevice("crash()")
        close()
    }

    /// Ends the app, if it is running.
    private func close() {
        waitForDevice()
        let process = state.locked { state in
            defer { state.process = nil }
            return state.process
        }
        process?.device.close()
    }

    /// Sends the app to the background, where the system may end it.
    public func enterBackground() { runningDevice("enterBackground()").enterBackground() }

    /// Brings the app back to the foreground.
    ///
    /// - Returns: The report of the sync; nil if it is too early for another sync.
    @discardableResult
    public func enterForeground() async -> SyncReport? {
        await runningDevice("enterForeground()").enterForeground()
    }

    /// Syncs on command.
    @discardableResult
    public func sync() async -> SyncReport { await runningDevice("sync()").sync() }

    /// Installs another version of the app. It takes effect at the next launch.
    ///
    /// - Throws: `config` if the version is malformed.
    public func update(to version: String) throws(PatchError) {
        _ = try HostInfo(app: name, version: version)
        state.locked { $0.version = version }
    }

    /// Moves the clock forward. A running app runs for that long, so the watch of its patches may end.
    ///
    /// - Parameter time: How far; a negative time counts as none.
    public func advance(by time: Duration) {
        clock.advance(by: time)
        process?.device.store.endWatches()
    }

    /// Sets the clock back, as a user may. A running app does not notice how long it has run.
    ///
    /// - Parameter time: How far; at most to 1970, and a negative time counts as none.
    public func setClockBack(by time: Duration) { clock.setBack(by: time) }

    // MARK: looking

    /// The app's objects in this launch; nil if it is not running.
    public var app: App? { process?.app }

    /// The device of this launch, as the app has it; nil if the app is not running.
    public var device: PatchDevice? { process?.device }

    /// The patches that run, by id.
    public var active: [PatchID] { (process?.device.active ?? []).sorted { $0.id < $1.id } }

    /// Why a patch is running or not: each known version of it, the highest first. It is empty if the app is not
    /// running.
    public func why(_ id: String) -> [PatchStatus] { process?.device.why(id) ?? [] }

    /// The settings with which the device syncs.
    public var settings: SyncSettings {
        get { state.locked { $0.settings } }
        set {
            state.locked { state in
                state.settings = newValue
                state.process?.device.settings = newValue
            }
        }
    }

    /// All events of all launches, in order.
    public var events: [PatchEvent] {
        waitForDevice()
        return state.locked { $0.events }
    }

    /// The device of the running app. If none runs, the test ends.
    ///
    /// - Parameter call: The call that needs it.
    private func runningDevice(_ call: String) -> PatchDevice {
        guard let device = process?.device else {
            fatalError("DeviceSimulator.\(call): the app is not running; call launch() first")
        }
        return device
    }

    /// The running app, whose device has done what follows from the calls so far.
    private var process: (app: App, device: PatchDevice)? {
        waitForDevice()
        return state.locked { $0.process }
    }

    /// Waits until the device has done what follows from the calls so far.
    private func waitForDevice() {
        let process = state.locked { $0.process }
        process?.device.store.waitForBreakers()
    }
}

/// A clock that runs only when it is moved.
final class BenchClock: Sendable {
    private struct State {
        /// Since 1970.
        var time: Duration
        var uptime = Duration.zero
        /// The waiting tasks and the uptime when each wait ends, by a number.
        var sleepers: [Int: (end: Duration, waiter: CheckedContinuation<Void, Never>)] = [:]
        var number = 0
    }

    private let state: Mutex<State>

    /// - Parameter start: The time at which it begins; nil for 2026-09-21T14:13:20Z.
    init(_ start: Timestamp?) { state = Mutex(State(time: .seconds(start?.secondsSince1970 ?? 1_790_000_000))) }

    /// The time; nil after the year 9999.
    var now: Timestamp? { Timestamp(secondsSince1970: milliseconds / 1000) }
    /// The milliseconds since 1970.
    var milliseconds: Int {
        let time = state.locked { $0.time }.components
        return Int(time.seconds) * 1000 + Int(time.attoseconds / 1_000_000_000_000_000)
    }

    /// Moves the time back, but not the uptime: at most to 1970, and not for a negative duration.
    func setBack(by time: Duration) { state.locked { $0.time -= max(.zero, min(time, $0.time)) } }

    /// Moves the time and the uptime forward, and ends the waits that are over by then.
    func advance(by time: Duration) {
        // More is after the year 9999, and its milliseconds may not be an `Int`.
        let time = max(.zero, min(time, .seconds(1 << 40)))
        let woken = state.locked { state in
            state.time += time
            state.uptime += time
            let due = state.sleepers.filter { $0.value.end <= state.uptime }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.waiter)
        }
        for waiter in woken { waiter.resume() }
    }

    /// The uptime, which is never set back.
    var uptime: Uptime {
        Uptime(now: { self.state.locked { $0.uptime } }, sleep: { end in try await self.sleep(until: end) })
    }

    /// Waits for an uptime.
    ///
    /// - Throws: `CancellationError` if the task is cancelled meanwhile.
    private func sleep(until end: Duration) async throws {
        let number = state.locked { state in
            state.number += 1
            return state.number
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let waits = state.locked { state in
                    guard end > state.uptime, !Task.isCancelled else { return false }
                    state.sleepers[number] = (end, waiter)
                    return true
                }
                if !waits { waiter.resume() }
            }
        } onCancel: {
            state.locked { $0.sleepers.removeValue(forKey: number) }?.waiter.resume()
        }
        try Task.checkCancellation()
    }
}
