internal import Libc
// An app that has a device needs no other import.
@_exported public import PatchCrypto
@_exported public import PatchFeed
internal import PatchFiles
@_exported public import PatchRunner

/// The patches of an app on one device, over all of its launches.
///
///     let patches = try PatchDevice(
///         host: HostInfo(app: "com.example.shop", version: "2.3.1"), registry: registry, folder: support,
///         feed: .init(root: pinnedRoot, source: HTTPSource("https://patches.example.com")),
///         trust: PatchTrust(trustedKeys, scriptKeys: scriptKey), configuration: .init(log: .init(folder: logs)))
///     patches.launch()        // before the first screen: judges the last launch and runs the held patches; no network
///     patches.confirm()       // the app works
///     await patches.sync()    // fetches new patches
///
/// Keep a strong reference to it for the life of the process: patches are active only while it exists. All of its
/// members may be called from any thread.
public final class PatchDevice: Sendable {
    /// A feed, and the data about it that the app includes.
    public struct Feed: Sendable {
        let root: [UInt8]
        let source: any FeedSource
        let environment: String
        let built: Timestamp?

        /// Describes a feed.
        ///
        /// - Parameters:
        ///   - root: The feed's `1.root.json`, as included in the app.
        ///   - source: Where the feed is.
        ///   - environment: Which of the app's environments the feed is for. A feed for another one is refused.
        ///   - built: When the app was built. A device clock that shows an earlier time is ignored.
        public init(
            root: [UInt8], source: any FeedSource, environment: String = "release", built: Timestamp? = nil
        ) {
            self.root = root
            self.source = source
            self.environment = environment
            self.built = built
        }
    }

    /// Where events are logged.
    public struct Log: Sendable {
        let folder: String
        let limits: PatchEventLog.Limits

        /// Describes a log.
        ///
        /// - Parameters:
        ///   - folder: The folder's path. The app sends the files in it.
        ///   - limits: How much is kept.
        public init(folder: String, limits: PatchEventLog.Limits = PatchEventLog.Limits()) {
            self.folder = folder
            self.limits = limits
        }
    }

    /// How a device works, beyond what it needs. Each member has a default.
    public struct Configuration: Sendable {
        /// The device's settings for the feed.
        public var settings: SyncSettings
        /// The limits of each patch.
        public var limits: PatchLimits
        /// How often something may fail before a patch is rolled back.
        public var crashLimits: CrashLimits
        /// Where events are logged; nil to log none.
        public var log: Log?
        /// Whether to only read the folder, for an extension of the app that shares it.
        public var isReader: Bool
        /// Called for each event, on the thread on which it happens or on another one, also on several at once. A call
        /// of a patched function may wait for it, so it must be quick. Failures, fallbacks and other events that differ
        /// only in their messages are reported at most once a second, with their count.
        public var onEvent: (@Sendable (PatchEvent) -> Void)?
        /// Called after each envelope that a sync has fetched, or has failed to fetch: on any thread, one call at a
        /// time.
        public var onProgress: (@Sendable (SyncProgress) -> Void)?
        /// Returns the current time, in whole seconds, for tests; nil for the system's clock.
        package var clock: (@Sendable () -> Timestamp)?

        /// Configures a device.
        ///
        /// - Parameters:
        ///   - settings: The device's settings for the feed.
        ///   - limits: The limits of each patch.
        ///   - crashLimits: How often something may fail before the device reacts.
        ///   - log: Where events are logged; nil to log none.
        ///   - isReader: Whether to only read the folder, for an extension of the app that shares it.
        ///   - onEvent: Called for each event, on any thread, also on several at once, so it must be quick.
        ///   - onProgress: Called after each envelope that a sync has fetched, or has failed to fetch: on any thread,
        ///     one call at a time.
        public init(
            settings: SyncSettings = SyncSettings(), limits: PatchLimits = PatchLimits(),
            crashLimits: CrashLimits = CrashLimits(), log: Log? = nil, isReader: Bool = false,
            onEvent: (@Sendable (PatchEvent) -> Void)? = nil, onProgress: (@Sendable (SyncProgress) -> Void)? = nil
        ) {
            self.settings = settings
            self.limits = limits
            self.crashLimits = crashLimits
            self.log = log
            self.isReader = isReader
            self.onEvent = onEvent
            self.onProgress = onProgress
        }

        /// The same with another clock.
        package func with(clock: @escaping @Sendable () -> Timestamp) -> Configuration {
            var changed = self
            changed.clock = clock
            return changed
        }
    }

    /// The functions that patches replace.
    public let registry: PatchRegistry
    /// The event log; nil if there is none.
    public let log: PatchEventLog?
    package let store: PatchStore
    private let runner: PatchRunner?
    let updates: PatchSync?
    private let trust: PatchTrust?
    private let emit: @Sendable (PatchEvent) -> Void
    private let listener: EventThrottle<PatchEvent>?

    /// Opens a device's folder. No patch runs before ``launch()``. The app starts even if the folder is damaged.
    ///
    /// If another process of this version of the app has the folder open, this process follows the other one until that
    /// one has ended. It runs the patches that are good there, and changes nothing.
    ///
    /// - Parameters:
    ///   - host: The program that patches run in.
    ///   - registry: The functions that patches replace. A patch waits for functions that are registered later.
    ///   - folder: The path of the folder that records which patches are held, good and banned. It is created if it is
    ///     missing. Each app, and each environment of the app, needs its own folder; versions of the app share it. A
    ///     relative path is from the working folder of now.
    ///   - feed: Where patches come from.
    ///   - trust: The keys that envelopes are verified with. The feed may deliver more keys, and revoke keys, with a
    ///     trust store that the release key has signed.
    ///   - configuration: Everything else: settings, limits, the log, and the closure that receives events.
    public convenience init(
        host: HostInfo, registry: PatchRegistry, folder: String, feed: Feed, trust: PatchTrust,
        configuration: Configuration = Configuration()
    ) {
        let progress = configuration.onProgress
        var milliseconds: (@Sendable () -> Int)?
        if let clock = configuration.clock { milliseconds = { clock().secondsSince1970 * 1000 } }
        self.init(
            host: host, registry: registry, folder: folder, feed: feed, trust: trust,
            settings: configuration.settings, limits: configuration.limits, crashLimits: configuration.crashLimits,
            log: configuration.log, isReader: configuration.isReader,
            clock: milliseconds, uptime: .system,
            progress: { done, all in progress?(SyncProgress(completed: done, total: all)) },
            listener: configuration.onEvent.map { EventThrottle(listener: $0) })
    }

    /// Makes a device with a listener that can receive every event, and an uptime that tests can advance.
    ///
    /// - Parameters:
    ///   - registry: The functions that patches replace; nil in a tool, which runs no patches.
    ///   - feed: Where patches come from; nil, and `trust` too, in a tool that never syncs.
    ///   - clock: Returns the milliseconds since 1970; nil for the system's clock.
    package init(
        host: HostInfo, registry: PatchRegistry?, folder: String, feed: Feed?, trust: PatchTrust?,
        settings: SyncSettings = SyncSettings(), limits: PatchLimits = PatchLimits(),
        crashLimits: CrashLimits = CrashLimits(), log: Log? = nil, isReader: Bool = false,
        clock: (@Sendable () -> Int)? = nil, uptime: Uptime = .system,
        progress: @escaping @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in },
        listener: EventThrottle<PatchEvent>?
    ) {
        let milliseconds = clock ?? { WallClock.milliseconds }
        let time: @Sendable () -> Timestamp? = { Timestamp(secondsSince1970: milliseconds() / 1000) }
        // Events that happen before the installation's name is known are logged a little later.
        let early = EventBacklog()
        let emit: @Sendable (PatchEvent) -> Void = { event in
            listener?.emit(event)
            early.record(event)
        }
        // An app may change its working folder, as daemons do. A tool does not, and names files as it was given them.
        let path = registry == nil ? Path(folder) : Path(folder).absolute
        let store = PatchStore(
            folder: path, host: host, isReader: isReader, limits: crashLimits, clock: time, uptime: uptime,
            events: emit)
        let eventLog = log.map { log in
            var resource = EventResource(
                host: host, installation: settings.installation(or: store.installation),
                environment: feed?.environment)
            resource.groups = settings.groups
            return PatchEventLog(folder: log.folder, resource: resource, limits: log.limits, milliseconds: milliseconds)
        }
        early.open(eventLog)
        self.log = eventLog
        self.registry = registry ?? PatchRegistry()
        self.store = store
        self.emit = emit
        self.listener = listener
        self.trust = trust
        let runner = registry.map { registry in
            PatchRunner(
                registry: registry, host: host, limits: limits, clock: time, uptime: uptime,
                onEvent: { event in
                    emit(PatchEvent(event))
                    store.observe(event)
                    // The process may be killed, so the last calls of a patch are not left for its end.
                    if case .deactivated = event.kind { eventLog?.recordCalls(of: registry) }
                }, checksHost: true, onLine: nil)
        }
        self.runner = runner
        updates =
            if let feed, let trust {
                PatchSync(
                    feed: feed.root, at: feed.source, for: feed.environment, built: feed.built, store: store,
                    runner: runner, trust: trust, settings: settings, progress: progress)
            } else { nil }
    }

    // MARK: the life of the app

    /// Judges the last launch, and activates the patches that are held. Call it before the first screen. It does not
    /// use the network.
    ///
    /// - Returns: The patches that run now. A second call changes nothing.
    @discardableResult
    public func launch() -> [PatchID] {
        guard let runner, let trust else {
            store.begin()
            return []
        }
        // The store keeps the closure, and `updates` keeps the store.
        return store.launch(on: runner) { [weak updates, trust] in updates?.trustOfHeld ?? trust }
    }

    /// Notes that the app works. Patches that the launch began with are good from now on, unless they have failed in
    /// an earlier launch. A second call makes those good that were activated later.
    ///
    /// Call it when the app has shown that it works: after the first screen, or the first answered request. A crash
    /// still counts against a new patch until the patch's watch is over (``CrashLimits/watchDuration``).
    public func confirm() {
        guard admit("confirm()", ifLaunched: store.hasLaunched) else { return }
        store.confirm()
    }

    /// Syncs with the feed. New patches are activated at once, unless the feed delays them until the next launch.
    ///
    /// Call it after ``confirm()``, and on events such as a push message. It calls ``launch()`` first if the app has
    /// not.
    ///
    /// - Returns: The result for each patch, or why the sync failed.
    @discardableResult
    public func sync() async -> SyncReport { await sync(launching: true) }

    package func sync(launching: Bool) async -> SyncReport {
        if launching { await untilLaunched() }
        guard let updates else { return SyncReport(PatchError(.config, "this device has no feed")) }
        return await updates.sync(.now)
    }

    /// Notes that the system may end the app, so that its end does not count as a failure. Writes the call statistics
    /// of patches to the log, and reports the comparisons of those in shadow.
    public func enterBackground() { leave("enterBackground()") }

    private func leave(_ call: String) {
        recordCalls()
        log?.flush()
        listener?.flush()
        guard admit(call, ifLaunched: store.hasBegun) else { return }
        store.enterBackground()
    }

    /// Writes the call statistics of patches to the log, and reports the comparisons of those in shadow.
    func recordCalls() {
        log?.recordCalls(of: registry)
        runner?.flushComparisons()
    }

    /// Notes that the app is used again, and syncs, unless the last sync was a short time ago. New patches are
    /// activated at the next launch.
    ///
    /// - Returns: The report of the sync; nil if it is too early for another sync.
    @discardableResult
    public func enterForeground() async -> SyncReport? {
        await untilLaunched()
        store.enterForeground()
        return await updates?.syncAfterPause()
    }

    /// Notes that the app ends in an orderly way. Patches keep running. Without this call, an end soon after the launch
    /// counts as a crash.
    ///
    /// Another process that shares the folder may write it from now on. This one does so again after ``sync()`` or
    /// ``enterForeground()``.
    public func end() {
        leave("end()")
        if store.hasBegun { store.release() }
    }

    /// Launches, or waits until another thread has launched.
    func untilLaunched() async {
        launch()
        await store.untilLaunched()
    }

    /// Decides whether a call of the app has an effect, and reports one that comes too early.
    ///
    /// - Parameter isLaunched: Whether the launch is as far as the call needs it to be.
    private func admit(_ call: String, ifLaunched isLaunched: Bool) -> Bool {
        guard !isLaunched else { return true }
        let error = PatchError(
            .config, "\(call) was called before launch() finished and was ignored", hint: "call launch() first")
        emit(PatchEvent(.misused(error)))
        return false
    }

    /// Ends the device as if the process had ended: its patches are deactivated, and another object may open the
    /// folder.
    package func close() {
        store.close()
        runner?.deactivateAll()
    }
}
