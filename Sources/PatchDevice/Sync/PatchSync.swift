public import PatchCrypto
public import PatchFeed
public import PatchRunner
internal import PatchFiles
internal import Synchronization

/// Brings a store up to date with a feed: it decides what is for this device, downloads and verifies it, and takes away what
/// was withdrawn.
///
///     let sync = PatchSync(feed: pinnedRoot, at: source, store: store, runner: runner, trust: trust)
///     sync.runStored()            // at launch, before the first screen: activates what is held
///     await sync.launch()         // after it: activates what is new at once
///     await sync.foregrounded()   // on return to the foreground: activates at the next launch
///     await sync.now()            // on command, such as a push message: activates at once
///
/// A patch that the list marks `next-launch` waits for the next launch in any case. One sync runs at a time: a call
/// during a sync waits for that one. If the task that began it is cancelled, the sync ends.
public actor PatchSync {
    /// The feed's values for the app, such as a switch between two ways to pay. They are kept over launches.
    public nonisolated var switches: [String: String] { store.state.switches }
    /// A text that the feed wants the app to show; nil for none.
    public nonisolated var notice: String? { store.state.notice }
    /// The lowest version of the app that still gets patches; nil if all do.
    public nonisolated var minimumAppVersion: AppVersion? { store.state.minimumAppVersion }
    /// What the device is. A change counts from the next sync on.
    public nonisolated var settings: SyncSettings {
        get { shared.locked { $0 } }
        set { shared.locked { $0 = newValue } }
    }

    private let root: [UInt8]
    private let source: any FeedSource
    private let store: PatchStore
    private let runner: PatchRunner?
    private let trust: PatchTrust
    private let built: Timestamp?
    private let progress: @Sendable (_ done: Int, _ all: Int) -> Void
    private let shared: Mutex<SyncSettings>
    private var current: (task: Task<SyncReport, Never>, activation: Activation)?
    /// When the last sync was, and when the next one on return to the foreground is due.
    private var pause: (began: Timestamp, ends: Timestamp)?

    /// When patches are activated that a sync has found.
    enum Activation: Sendable {
        case now, nextLaunch
    }

    /// Makes a sync of a feed and a store.
    ///
    /// - Parameters:
    ///   - root: The feed's `1.root.json`, as the app has it.
    ///   - source: Where the feed is.
    ///   - store: Keeps what is downloaded.
    ///   - runner: Activates patches; nil to activate none, as a tool does.
    ///   - trust: What envelopes are verified with. The feed may deliver further keys, and revoke keys, by a trust store that
    ///     the release key has signed.
    ///   - settings: What the device is.
    ///   - built: When the app was built. The device's clock cannot be before that.
    ///   - progress: Called after each envelope that was downloaded.
    public init(
        feed root: [UInt8], at source: any FeedSource, store: PatchStore, runner: PatchRunner?, trust: PatchTrust,
        settings: SyncSettings = SyncSettings(), built: Timestamp? = nil,
        progress: @escaping @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) {
        self.root = root
        self.source = source
        self.store = store
        self.runner = runner
        self.trust = trust
        self.built = built
        self.progress = progress
        shared = Mutex(settings)
    }

    /// Begins a launch of the store, and activates the patches that are held. It asks for nothing.
    ///
    /// - Returns: The patches that run now.
    @discardableResult
    public nonisolated func runStored() -> [PatchID] {
        guard let runner else {
            store.begin()
            return []
        }
        return store.launch(on: runner, trust: DeliveredTrust(pinned: trust, store: store, root: root).kept())
    }

    /// Syncs after a launch. What is new is activated at once.
    @discardableResult
    public func launch() async -> SyncReport { await sync(.now) }

    /// Syncs on return to the foreground, unless the last sync was a short time ago. What is new is activated at the next
    /// launch.
    ///
    /// - Returns: nil if it is too early for another sync.
    @discardableResult
    public func foregrounded() async -> SyncReport? {
        store.resumed()
        // If the clock was set back, the pause is over.
        if let pause, let now = store.clock(), now >= pause.began, now < pause.ends { return nil }
        return await sync(.nextLaunch)
    }

    /// Syncs on command. What is new is activated at once.
    @discardableResult
    public func now() async -> SyncReport { await sync(.now) }

    private func sync(_ activation: Activation) async -> SyncReport {
        if let current {
            let report = await current.task.value
            // What that one has left for the next launch is activated by another one.
            return current.activation == .now || activation == .nextLaunch ? report : await sync(activation)
        }
        if runner != nil, !store.hasBegun { runStored() }
        let task = Task { await self.run(activation) }
        current = (task, activation)
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func run(_ activation: Activation) async -> SyncReport {
        defer { current = nil }
        let clock = ContinuousClock()
        let start = clock.now
        let counting = CountingSource(source, longest: settings.longest)
        var report = SyncReport()
        do throws(PatchError) {
            report.results = try await SyncPass(
                root: root, source: counting, store: store, runner: runner, pinned: trust, settings: settings,
                built: built, progress: progress
            ).run(activation)
        } catch {
            report.error = error
        }
        report.bytes = counting.bytes
        report.duration = clock.now - start
        if let error = report.error {
            store.events(.syncFailed(error))
        } else {
            if let now = store.clock(), let next = settings.nextSync(after: now) { pause = (now, next) }
            store.events(
                .synced(bytes: report.bytes, milliseconds: report.duration.milliseconds, counts: report.counts))
        }
        return report
    }
}
