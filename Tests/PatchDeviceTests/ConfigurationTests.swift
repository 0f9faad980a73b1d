import PatchCrypto
import PatchFiles
import PatchRunner
import PatchTesting
import Synchronization
import TestSupport
import Testing

@testable import PatchDevice

/// What an app gives a device, and what its simulator asks for.
@Suite(.ownThreads) struct ConfigurationTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private static func simulator() throws -> DeviceSimulator<PatchRegistry> {
        try DeviceSimulator(app: "com.example.shop", version: "2.3.1") { registry in registry }
    }

    @Test func aClockInSecondsReachesTheLogAndProgressIsTold() async throws {
        let feed = try Self.simulator().feed
        let time = try #require(Timestamp("2026-09-21T14:13:20Z"))
        let progress = Mutex<[SyncProgress]>([])
        let registry = PatchRegistry()
        _ = try registry.replaceable("Shop.price") { (x: Int) -> Int in x }
        try feed.publish(source: DeviceTests.source(7))
        let device = PatchDevice(
            host: try HostInfo(app: "com.example.shop", version: "2.3.1"), registry: registry,
            folder: folder.at("device"), feed: .init(root: feed.root, source: feed),
            trust: PatchTrust(feed.trust, scriptKeys: feed.scriptKey),
            configuration: .init(
                log: .init(folder: folder.at("events")),
                onProgress: { step in progress.locked { $0.append(step) } }
            ).with(clock: { time }))
        #expect(await device.sync().counts == [.offered: 1])
        device.end()
        #expect(progress.locked { $0 } == [SyncProgress(completed: 1, total: 1)])
        let name = try #require(try Folder.names(in: Path(folder.at("events"))).first)
        let text = String(decoding: try folder.read("events/\(name.description)"), as: UTF8.self)
        #expect(text.contains("\"2026-09-21T14:13:20.000Z\"") && text.contains("\"synced\""))
    }

    @Test func installedFilesAreReadAndNamedInErrors() throws {
        let feed = try Self.simulator().feed
        let key = try #require(feed.trust.keys.first).key
        func write(_ name: String, _ bytes: [UInt8]) throws { try folder.write(bytes, to: "files/\(name)") }
        try write("1.root.json", feed.root)
        try write("trusted.pem", key.pem())
        try unsafe write("script.key", feed.scriptKey.encoded().withUnsafeBytes { unsafe Array($0) })
        let files = try InstalledFiles(in: folder.at("files"))
        #expect(files.root == feed.root && files.trust.store.keys.map(\.key.id) == [key.id])
        #expect(try files.trust.scriptKeys.scriptKey(withID: feed.scriptKey.id)?.id == feed.scriptKey.id)
        for (name, code) in [
            ("1.root.json", PatchError.Code.feedMalformed), ("trusted.pem", .config), ("script.key", .config),
        ] {
            let bytes = try folder.read("files/\(name)")
            try write(name, Array("nothing".utf8))
            let error = #expect(throws: PatchError.self) { try InstalledFiles(in: folder.at("files")) }
            #expect(
                error?.code == code && error?.place?.file?.hasSuffix("/\(name)") == true, "\(name): \(error as Any)")
            try write(name, bytes)
        }
        let missing = #expect(throws: PatchError.self) { try InstalledFiles(in: folder.at("nowhere")) }
        #expect(missing?.code == .noInput && missing?.place?.file?.hasSuffix("/1.root.json") == true)
    }

    /// SHA-1 is no default of the library: the caller names the algorithm of an RSA key.
    @Test func anInstalledRSAKeyNeedsItsAlgorithm() throws {
        let feed = try Self.simulator().feed
        try folder.write(feed.root, to: "files/1.root.json")
        try folder.write(TestKeys.signing.verifyingKey.pem(), to: "files/trusted.pem")
        try folder.write(TestKeys.script.encoded().exposed, to: "files/script.key")
        let error = #expect(throws: PatchError.self) { try InstalledFiles(in: folder.at("files")) }
        #expect(error?.code == .config && error?.place?.file?.hasSuffix("/trusted.pem") == true)
        let files = try InstalledFiles(in: folder.at("files"), algorithm: .rsaSHA256)
        #expect(files.trust.store.keys.map(\.key.algorithm) == [.rsaSHA256])
    }

    /// A call of an app that does not run is a mistake of the test.
    @Test func aSimulatorThatWasNotLaunchedEndsTheTest() async throws {
        // Swift 6.2 can pass nothing to the process of a test.
        await #expect(processExitsWith: .failure) { try ConfigurationTests.simulator().confirm() }
        await #expect(processExitsWith: .failure) { _ = try await ConfigurationTests.simulator().sync() }
        await #expect(processExitsWith: .failure) { try ConfigurationTests.simulator().crash() }
        await #expect(processExitsWith: .failure) { try ConfigurationTests.simulator().end() }
        let device = try Self.simulator()
        #expect(device.active.isEmpty && device.why("com.example.shop.fix").isEmpty && device.app == nil)
        try await device.launch()
        device.confirm()
        device.end()
    }
}
