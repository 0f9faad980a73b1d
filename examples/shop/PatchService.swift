import PatchCrypto
import PatchDevice
import PatchFeed
import PatchHTTP
import PatchRunner

/// Keeps the app's patches up to date. It is the first service, so that the others are patched before they begin.
struct PatchService: Service {
    private let store: PatchStore
    private let runner: PatchRunner
    private let sync: PatchSync
    private let registry: PatchRegistry
    private let events: PatchEventLog?

    /// - Parameters:
    ///   - feed: The feed of the app's environment: an https URL, or a folder.
    ///   - root: The feed's `1.root.json`, which the app has as a resource.
    ///   - eventFolder: Where events are written, for the app to send; nil if they are not.
    init(
        registry: PatchRegistry, host: HostInfo, feed: String, root: [UInt8], folder: String, eventFolder: String?,
        trust: PatchTrust, settings: SyncSettings, clock: @escaping @Sendable () -> Timestamp?,
        log: @escaping @Sendable (PatchEvent) -> Void
    ) throws {
        // The store is made with a listener, and only then says which installation this is.
        let events = eventFolder.map {
            PatchEventLog(
                folder: $0, resource: EventResource(host: host, installation: "", environment: settings.environment))
        }
        let listener: @Sendable (PatchEvent) -> Void = { event in
            log(event)
            events?.record(event)
        }
        let store = PatchStore(folder: folder, host: host, clock: clock, events: listener)
        events?.resource.installation = store.installation
        runner = PatchRunner(registry: registry, host: host, clock: clock) { event in
            listener(event)
            store.observe(event)
        }
        let source: any FeedSource = feed.hasPrefix("https://") ? try HTTPSource(feed) : FolderSource(feed)
        sync = PatchSync(feed: root, at: source, store: store, runner: runner, trust: trust, settings: settings)
        self.store = store
        self.registry = registry
        self.events = events
    }

    func launched() { sync.runStored() }

    /// The first screen was shown, so the launch is a good one. The network comes after that, and delays nothing.
    func ready() async {
        store.confirm()
        await sync.launch()
    }

    /// The moment to write how often patches were called, and what has waited.
    func backgrounded() {
        events?.recordCalls(of: registry)
        events?.flush()
    }

    func foregrounded() async { await sync.foregrounded() }

    func ended() { store.ended() }
}
