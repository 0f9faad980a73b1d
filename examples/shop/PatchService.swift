import PatchCrypto
import PatchFeed
import PatchHTTP
import PatchRunner
import PatchStore
import PatchSync

/// Keeps the app's patches up to date. It is the first service, so that the others are patched before they begin.
struct PatchService: Service {
    private let store: PatchStore
    private let runner: PatchRunner
    private let sync: PatchSync

    /// - Parameters:
    ///   - feed: The feed of the app's environment: an https URL, or a folder.
    ///   - root: The feed's `1.root.json`, which the app has as a resource.
    init(
        registry: PatchRegistry, host: HostInfo, feed: String, root: [UInt8], folder: String, trust: PatchTrust,
        settings: SyncSettings, clock: @escaping @Sendable () -> Timestamp?,
        log: @escaping @Sendable (PatchEvent) -> Void
    ) throws {
        let store = PatchStore(folder: folder, host: host, clock: clock, events: log)
        runner = PatchRunner(registry: registry, host: host, clock: clock) { event in
            log(event)
            store.observe(event)
        }
        let source: any FeedSource = feed.hasPrefix("https://") ? try HTTPSource(feed) : FolderSource(feed)
        sync = PatchSync(feed: root, at: source, store: store, runner: runner, trust: trust, settings: settings)
        self.store = store
    }

    func launched() { sync.runStored() }

    /// The first screen was shown, so the launch is a good one. The network comes after that, and delays nothing.
    func ready() async {
        store.confirm()
        await sync.launch()
    }

    func foregrounded() async { await sync.foregrounded() }

    func ended() { store.ended() }
}
