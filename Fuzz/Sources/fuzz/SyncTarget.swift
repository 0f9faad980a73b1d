internal import Dispatch
internal import Foundation
internal import Synchronization
@testable internal import PatchCrypto
@testable internal import PatchDevice
@testable internal import PatchFeed
@testable internal import PatchRunner

/// A file of a feed, on a device that launches, syncs and launches again. If the second byte is odd, it has already
/// synced once.
func fuzzSync(_ bytes: [UInt8]) throws {
    guard let second = bytes.dropFirst().first else { return }
    let input = bytes.prefix(1) + bytes.dropFirst(2)
    let device = try FuzzDevice()
    defer { device.clear() }
    if second % 2 == 1 { require(device.run(from: FuzzFeed.own).report?.error == nil, "no sync of an honest feed") }
    let feed = FuzzFeed(input)
    let delivered = FuzzFeed.trustStore(in: input)
    for _ in 0..<2 {
        let (report, trust) = device.run(from: feed)
        for result in report?.results ?? [] { require(!result.outcome.sentence.isEmpty, "a code without words") }
        let pinned = Set(FuzzDevice.trust.store.keys.map(\.key.id))
        let added = trust.store.keys.map(\.key.id).filter { !pinned.contains($0) }
        let signers = delivered.flatMap { try? SignedTrustStore($0) }?.signers(among: FuzzDevice.trust.store, at: nil)
        require(added.isEmpty || signers?.isEmpty == false, "keys that no pinned key has signed")
    }
    device.checkLog()
}

/// A device with a folder that outlives its processes.
private final class FuzzDevice {
    static let trust = FuzzKeys.must {
        PatchTrust(try TrustStore(trusting: [FuzzKeys.signing.verifyingKey]), scriptKeys: FuzzKeys.scriptKey)
    }
    private let folder = FuzzFolder.path + "-device"
    private var log: String { folder + "/log" }
    private let host: HostInfo

    init() throws { host = try HostInfo(app: FuzzFeed.app, version: "2.3.1") }

    /// Each line must be an event, whatever the feed contains.
    func checkLog() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: log)) ?? [] {
            let text = (try? Data(contentsOf: URL(filePath: "\(log)/\(name)"))).map(Array.init) ?? []
            for line in text.split(separator: UInt8(ascii: "\n")) {
                require(
                    (try? JSONValue(parsing: Array(line))) != nil,
                    "not an event: \(String(decoding: line, as: UTF8.self))")
            }
        }
    }

    func clear() { try? FileManager.default.removeItem(atPath: folder) }

    /// A process that launches, works, syncs and ends.
    func run(from source: FuzzFeed) -> (report: SyncReport?, trust: PatchTrust) {
        let registry = PatchRegistry()
        let total = try? registry.replaceable("Cart.total") { (price: Double, quantity: Int) -> Double in price }
        var limits = PatchLimits()
        limits.loadFuel = 20_000
        limits.callFuel = 20_000
        let root = FuzzFeed.own.files["metadata/1.root.json"] ?? []
        let device = PatchDevice(
            host: host, registry: registry, folder: folder + "/store",
            feed: .init(root: root, source: source, environment: FuzzFeed.environment),
            trust: Self.trust,
            configuration: .init(
                limits: limits, log: .init(folder: log)
            ).with(
                clock: { Timestamp(nearestTo: FuzzFeed.now.secondsSince1970 + 3600) }))
        device.launch()
        _ = total?(9.5, 2)
        device.confirm()
        let report = Mutex<SyncReport?>(nil)
        let done = DispatchSemaphore(value: 0)
        Task {
            let result = await device.sync()
            report.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        _ = total?(9.5, 2)
        _ = device.patches.map(\.reason)
        let trust = DeliveredTrust(
            pinned: Self.trust, store: device.store, storage: MetadataFolder(of: device.store), root: root,
            environment: FuzzFeed.environment
        ).kept()
        device.end()
        device.close()
        return (report.withLock { $0 }, trust)
    }
}
