internal import Libc
// An app that has a device needs no other import.
@_exported public import PatchCrypto
@_exported public import PatchFeed
internal import PatchFiles
@_exported public import PatchRunner

/// The patches of an app on one device, over all of its launches.
///
///     let patches = try PatchDevice(
///         app: HostInfo(app: "com.example.shop", version: "2.3.1"), registry: registry, folder: support,
///         feed: .init(root: pinnedRoot, at: HTTPSource("https://patches.example.com")),
///         trust: PatchTrust(trustedKeys, scriptKeys: scriptKey), log: .init(folder: logs))
///     patches.launch()        // before the first screen: judges the last launch, and runs what is held; no network
///     patches.confirm()       // the app works
///     await patches.sync()    // fetches what is new
///
/// Keep a strong reference to it for the life of the process: patches are active only while it exists. All of its members may be
/// called from any thread.
public final class PatchDevice: Sendable {
    /// A feed, and what the app knows of it.
    public struct Feed: Sendable {
        let root: [UInt8]
        let source: any FeedSource
        let built: Timestamp?

        /// Describes a feed.
        ///
        /// - Parameters:
        ///   - root: The feed's `1.root.json`, as the app has it.
        ///   - source: Where the feed is.
        ///   - built: When the app was built. The device's clock cannot be before that.
        public init(root: [UInt8], at source: any FeedSource, built: Timestamp? = nil) {
            self.root = root
            self.source = source
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

    /// The functions that patches replace.
    public let registry: PatchRegistry
    /// The event log; nil if there is none.
    public let log: PatchEventLog?
    package let store: PatchStore
    private let runner: PatchRunner?
    private let updates: PatchSync?
    private let trust: PatchTrust?
    private let tell: @Sendable (PatchEvent) -> Void
    private let listener: EventThrottle<PatchEvent>?

    /// Opens a device's folder. No patch runs before ``launch()``. The app starts, whatever is in the folder.
    ///
    /// If another process has the folder open, this one follows it until that one has ended: it runs the patches that are good there,
    /// and changes nothing.
    ///
    /// - Parameters:
    ///   - app: The program that patches run in.
    ///   - registry: The functions that patches replace. A patch waits for functions that are registered later.
    ///   - folder: The path of the folder that remembers what is held, good and banned. It is made if it is missing. Each app, and
    ///     each environment of it, has its own.
    ///   - feed: Where patches come from.
    ///   - trust: What envelopes are verified with. The feed may deliver further keys, and revoke keys, by a trust store that
    ///     the release key has signed.
    ///   - settings: What the device is, for the feed.
    ///   - limits: The limits of each patch.
    ///   - crashLimits: How often something may fail before a patch is rolled back.
    ///   - log: Where events are logged; nil to log none.
    ///   - isReader: Whether to only read the folder, as an extension of the app does that shares it.
    ///   - clock: Returns the milliseconds since 1970; nil asks the system.
    ///   - progress: Called after each envelope that a sync has downloaded.
    ///   - events: Called for each event, on the thread on which it happens, while a call may wait. It must be quick. Failures, fallbacks
    ///     and other events that are the same but for their messages come at most once a second, and then with their count.
    public convenience init(
        app: HostInfo, registry: PatchRegistry, folder: String, feed: Feed, trust: PatchTrust,
        settings: SyncSettings = SyncSettings(), limits: PatchLimits = PatchLimits(),
        crashLimits: CrashLimits = CrashLimits(), log: Log? = nil, isReader: Bool = false,
        clock: (@Sendable () -> Int)? = nil,
        progress: @escaping @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in },
        events: (@Sendable (PatchEvent) -> Void)? = nil
    ) {
        self.init(
            app: app, registry: registry, folder: folder, feed: feed, trust: trust, settings: settings, limits: limits,
            crashLimits: crashLimits, log: log, isReader: isReader, clock: clock, uptime: .system, progress: progress,
            listener: events.map { EventThrottle(listener: $0) })
    }

    /// Makes a device with a listener that may hear every event, and with an uptime that tests can move.
    ///
    /// - Parameters:
    ///   - registry: The functions that patches replace; nil in a tool, which runs no patch.
    ///   - feed: Where patches come from; nil, and `trust` too, in a tool that never syncs.
    package init(
        app: HostInfo, registry: PatchRegistry?, folder: String, feed: Feed?, trust: PatchTrust?,
        settings: SyncSettings = SyncSettings(), limits: PatchLimits = PatchLimits(),
        crashLimits: CrashLimits = CrashLimits(), log: Log? = nil, isReader: Bool = false,
        clock: (@Sendable () -> Int)? = nil, uptime: Uptime = .system,
        progress: @escaping @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in },
        listener: EventThrottle<PatchEvent>?
    ) {
        let milliseconds = clock ?? { WallClock.milliseconds }
        let time: @Sendable () -> Timestamp? = { Timestamp(secondsSince1970: milliseconds() / 1000) }
        // Who tells of an event before it is known which installation this is, tells the log a little later.
        let early = EventBacklog()
        let tell: @Sendable (PatchEvent) -> Void = { event in
            listener?.tell(event)
            early.record(event)
        }
        let store = PatchStore(
            folder: folder, host: app, isReader: isReader, limits: crashLimits, clock: time, uptime: uptime,
            events: tell)
        self.log = log.map { log in
            var resource = EventResource(
                host: app, installation: settings.installation(or: store.installation),
                environment: settings.environment)
            resource.groups = settings.groups
            return PatchEventLog(folder: log.folder, resource: resource, limits: log.limits, clock: milliseconds)
        }
        early.open(self.log)
        self.registry = registry ?? PatchRegistry()
        self.store = store
        self.tell = tell
        self.listener = listener
        self.trust = trust
        let runner = registry.map { registry in
            PatchRunner(
                registry: registry, host: app, limits: limits, clock: time,
                events: { event in
                    tell(.runner(event))
                    store.observe(event)
                }, checksHost: true, onLine: nil)
        }
        self.runner = runner
        updates =
            if let feed, let trust {
                PatchSync(
                    feed: feed.root, at: feed.source, store: store, runner: runner, trust: trust, settings: settings,
                    built: feed.built, progress: progress)
            } else { nil }
    }

    // MARK: the life of the app

    /// Judges the last launch, and activates the patches that are held. Call it before the first screen. It asks the network for
    /// nothing.
    ///
    /// - Returns: The patches that run now. A second call changes nothing.
    @discardableResult
    public func launch() -> [PatchID] {
        guard let runner, let trust else {
            store.begin()
            return []
        }
        // The store keeps the closure, and is itself kept by what it asks.
        return store.activateHeld(on: runner) { [weak updates, trust] in updates?.trustOfHeld ?? trust }
    }

    /// Notes that the app works. Patches that the launch began with are good from now on.
    ///
    /// Call it when the app has done what it is for: after the first screen, or the first answered request. A crash of a new patch goes
    /// on to count until its watch is over (``CrashLimits/watch``).
    public func confirm() {
        guard isInTime("confirm()", store.hasLaunched) else { return }
        store.confirm()
    }

    /// Syncs with the feed. What is new is activated at once, unless the feed says otherwise.
    ///
    /// Call it after ``confirm()``, and on command, such as a push message. It launches first, if that was forgotten.
    ///
    /// - Returns: What was found and done.
    @discardableResult
    public func sync() async -> SyncReport { await sync(launching: true) }

    /// Syncs.
    ///
    /// - Parameter launching: Whether the device launches first.
    package func sync(launching: Bool) async -> SyncReport {
        if launching { await launched() }
        guard let updates else { return SyncReport(PatchError(.config, "this device has no feed")) }
        return await updates.sync(.now)
    }

    /// Notes that the system may end the app, so that this does not count as a failure. Writes to the log how patches were called.
    public func enterBackground() { leave("enterBackground()") }

    private func leave(_ call: String) {
        log?.recordCalls(of: registry)
        log?.flush()
        listener?.flush()
        guard isInTime(call, store.hasBegun) else { return }
        store.ended()
    }

    /// Notes that the app is used again, and syncs, unless the last sync was a short time ago. What is new is activated at the next
    /// launch.
    ///
    /// - Returns: What was found; nil if it is too early for another sync.
    @discardableResult
    public func enterForeground() async -> SyncReport? {
        await launched()
        store.resumed()
        return await updates?.syncAfterPause()
    }

    /// Notes that the app ends in an orderly way. Patches go on running. Without it, an end soon after the launch counts as a crash.
    public func end() { leave("end()") }

    /// Launches, or waits until another thread has.
    func launched() async {
        launch()
        await store.launched()
    }

    private func isInTime(_ call: String, _ isLaunched: Bool) -> Bool {
        guard !isLaunched else { return true }
        tell(
            .misused(
                PatchError(
                    .config, "\(call) was called before launch() finished and was ignored",
                    hint: "call launch() first")))
        return false
    }

    // MARK: what there is

    /// Why a patch is running or not: each version of it that is known, the highest first.
    ///
    /// - Parameter id: The patch's reverse-DNS name.
    /// - Returns: At least one; its code is `unknown` if no feed has offered the patch.
    public func why(_ id: String) -> [PatchStatus] { store.why(id) }

    /// Every version of every patch that is held, banned, or was left out by the last sync, by id, the highest first.
    public var patches: [PatchStatus] { store.patches }

    /// The patches that run, in the order in which they were activated.
    public var running: [PatchID] { store.hasBegun ? store.running : [] }

    /// The installation's name: ``SyncSettings/installation``, or a random one that the folder keeps. Percentages of installations count
    /// it.
    public var installation: String { settings.installation(or: store.installation) }

    /// Whether this process changes nothing: another one has the folder open, or it cannot be used.
    public var isReadOnly: Bool { store.isReadOnly }

    /// Whether another process writes the folder, and this one runs what is good there. It takes over at the first sync after that one
    /// has ended.
    public var isFollower: Bool { store.isFollower }

    /// The feed's values for the app, such as a switch between two ways to pay. They are kept over launches.
    public var switches: [String: String] { store.state.switches }

    /// A string that the feed wants the app to show; nil for none.
    public var notice: String? { store.state.notice }

    /// The lowest version of the app that still gets patches; nil if all do.
    public var minimumAppVersion: AppVersion? { store.state.minimumAppVersion }

    /// What the device is, for the feed. A change counts from the next sync on.
    public var settings: SyncSettings {
        get { updates?.settings ?? SyncSettings() }
        set {
            updates?.settings = newValue
            log?.resource.groups = newValue.groups
            log?.resource.environment = newValue.environment
            log?.resource.installation = newValue.installation(or: store.installation)
        }
    }

    // MARK: manually

    /// Takes a patch back, and never runs it on this device again.
    ///
    /// - Parameters:
    ///   - id: The patch's reverse-DNS name.
    ///   - version: Its version; nil for all that are held or run.
    ///   - reason: Why, for ``why(_:)``.
    /// - Returns: Whether a version of it was held, or ran.
    /// - Throws: `io` if that cannot be written.
    @discardableResult
    public func ban(_ id: String, version: Int? = nil, reason: String) throws(PatchError) -> Bool {
        try store.ban(id, version: version, reason: reason)
    }

    /// Forgets every patch, ban and note, as if the app had just been installed. Keys that a feed has revoked stay revoked.
    /// Patches that run go on running.
    ///
    /// - Throws: `io` if that cannot be written.
    public func clear() throws(PatchError) { try store.clear() }

    /// Ends as a process does: patches run no more, and another object may open the folder.
    package func close() {
        store.close()
        runner?.deactivateAll()
    }
}
