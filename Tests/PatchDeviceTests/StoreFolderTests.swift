import Foundation
import PatchCrypto
import PatchDevice
import PatchFeed
import PatchFiles
import PatchRunner
import PatchTesting
import Synchronization
import TestSupport
import Testing

/// A store whose files were damaged, replaced or lost, or are open in another process.
@Suite(.ownThreads) struct StoreFolderTests {
    private let devices = DeviceTests()

    /// A device with a good version 7, and a banned version 8.
    private func device() async throws -> DeviceSimulator<DeviceTests.App> {
        let device = try await devices.deviceWithAGoodPatch()
        try device.feed.publish(source: DeviceTests.source(8))
        try await device.launch(syncing: true)
        for _ in 0..<2 {
            device.crash()
            try await device.launch()
        }
        try #require(device.device?.store.state.bans.map(\.patch.version) == [8])
        try #require(device.app?.price(1) == 8)
        device.confirmAndEnd()
        return device
    }

    private func envelope(_ device: DeviceSimulator<DeviceTests.App>) throws -> String {
        let folder = "\(device.part)/envelopes"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        try #require(names.count == 1)
        return "\(folder)/\(names[0])"
    }

    /// The ways in which a file can be wrong.
    enum Damage: String, CaseIterable {
        case missing, empty, cut, changed, folder, link, loop
        case otherEnvelope = "another envelope"

        func apply(to file: String) throws {
            let manager = FileManager.default
            var bytes = Array(try Data(contentsOf: URL(filePath: file)))
            try manager.removeItem(atPath: file)
            switch self {
            case .missing: return
            case .empty: bytes = []
            case .cut: bytes.removeLast(bytes.count / 2)
            case .changed: bytes[bytes.count / 2] ^= 1
            case .folder: return try manager.createDirectory(atPath: file, withIntermediateDirectories: false)
            case .link: return try manager.createSymbolicLink(atPath: file, withDestinationPath: "/dev/zero")
            case .loop: return try manager.createSymbolicLink(atPath: file, withDestinationPath: file)
            case .otherEnvelope: bytes = Array("an envelope of somebody else".utf8)
            }
            try Data(bytes).write(to: URL(filePath: file))
        }
    }

    /// Missing or damaged bytes are fetched again, and never run.
    @Test(arguments: Damage.allCases)
    func anEnvelopeThatIsNotTheStoredOneIsFetchedAgain(_ damage: Damage) async throws {
        let device = try await device()
        try damage.apply(to: envelope(device))
        try await device.launch()
        #expect(device.app?.price(1) == 1)
        #expect(DeviceTests.codes(device) == ["8 banned", "7 refused"])
        // The fleet is notified once per launch.
        #expect(device.events.count { $0.name == "refused" } == 1, "\(device.events)")
        let report = await device.sync()
        #expect(report.results.map(\.outcome.rawValue) == ["banned", "kept"])
        #expect(device.app?.price(1) == 8)
        #expect(DeviceTests.codes(device) == ["8 banned", "7 good"], "it stays good")
    }

    /// The app starts without patches, unreadable files are set aside, and no ban is forgotten.
    @Test(arguments: Damage.allCases)
    func aStateThatCannotBeReadIsPutAside(_ damage: Damage) async throws {
        let device = try await device()
        try damage.apply(to: "\(device.part)/state")
        try await device.launch()
        #expect(device.app?.price(1) == 1)
        #expect(device.device?.store.state.bans.map(\.patch.version) == [8])
        if damage != .missing {
            #expect(device.events.contains { $0.name == "store-failed" })
            #expect((try? FileManager.default.attributesOfItem(atPath: "\(device.part)/state.unread")) != nil)
        }
        let report = await device.sync()
        #expect(report.results.map(\.outcome.rawValue) == ["banned", "offered"])
        #expect(device.app?.price(1) == 8)
        device.end()
        try await device.launch()
        #expect(device.app?.price(1) == 8)
    }

    @Test(arguments: Damage.allCases)
    func bansOutliveTheirOwnFile(_ damage: Damage) async throws {
        let device = try await device()
        try damage.apply(to: "\(device.part)/bans")
        let report = try await device.launch(syncing: true)
        #expect(report?.results.map(\.outcome.rawValue) == ["banned", "kept"])
        #expect(device.app?.price(1) == 8)
    }

    /// Rewrites the state with a correct digest.
    private func rewrite(_ device: DeviceSimulator<DeviceTests.App>, _ change: (String) -> String) throws {
        let file = URL(filePath: "\(device.part)/state")
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let body = change(String(text.drop { $0 != "\n" }.dropFirst()))
        let run = try Tool.shell("printf %s '\(body)' | openssl dgst -sha256 -r | cut -c1-64")
        try #require(run.status == 0)
        try Data("\(run.text.prefix(64))\n\(body)".utf8).write(to: file)
    }

    /// Every file below a folder, with its contents.
    private func files(_ folder: String) throws -> [String: Data?] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).reduce(into: [:]) { files, name in
            files[name] = try? Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
        }
    }

    /// Two apps with one folder do not destroy each other's patches, whether the other one is running or not.
    @Test(arguments: [false, true], ["2.3.1", "1.0"])
    func theFolderOfAnotherAppIsRefused(isRunning: Bool, version: String) async throws {
        let device = try await device()
        try await device.launch(syncing: true)
        if !isRunning { device.crash() }
        let before = try files(device.path)
        let events = Events()
        let registry = PatchRegistry()
        let app = try DeviceTests.App(registry)
        let feed = try TestFeed(app: "com.example.other", clock: { Timestamp(secondsSince1970: 1_790_000_000) })
        try feed.publish(source: DeviceTests.source(1).replacing("com.example.shop", with: "com.example.other"))
        let other = PatchDevice(
            host: try HostInfo(app: "com.example.other", version: version), registry: registry, folder: device.path,
            feed: .init(root: feed.root, source: feed), trust: PatchTrust(feed.trust, scriptKeys: feed.scriptKey),
            configuration: .init(onEvent: events.add).with(clock: { Timestamp(nearestTo: 1_790_000_000) }))
        other.launch()
        for _ in 0..<2 { #expect(await other.sync().error?.code == .config) }
        other.confirm()
        other.end()
        #expect(app.price(1) == 1 && other.role == .unwritable && other.patches.isEmpty)
        let status = other.why("com.example.other.price")
        #expect(status.map(\.code) == [.unwritable])
        #expect(status[0].reason.contains("the folder is of the app com.example.shop"), "\(status)")
        #expect(events.all.map(\.name).filter { $0 != "launched" } == ["store-failed", "sync-failed"])
        #expect(try files(device.path) == before)
        other.close()
        if isRunning { #expect(device.app?.price(1) == 8) }
        try await device.launch()
        #expect(device.app?.price(1) == 8)
    }

    /// A link in the place of a folder is removed, and what it leads to stays as it is.
    @Test(arguments: ["versions", "versions/2.3.1", "versions/2.3.1/envelopes", "versions/2.3.1/feed"])
    func noLinkLeadsOutOfTheFolder(name: String) async throws {
        let device = try await device()
        let outside = try TestFolder()
        let stored = URL(filePath: try envelope(device)).lastPathComponent
        for file in [
            "thesis.tex", "a.tmp", ".patchpack-a.tmp", "\(String(repeating: "0", count: 64)).js", "trust.json",
        ] {
            try outside.write([1], to: file)
        }
        try outside.write([2], to: stored)
        try FileManager.default.createDirectory(atPath: outside.at("deep"), withIntermediateDirectories: false)
        try outside.write([3], to: "deep/photo.jpg")
        let before = try files(outside.path)
        try FileManager.default.removeItem(atPath: "\(device.path)/\(name)")
        try FileManager.default.createSymbolicLink(
            atPath: "\(device.path)/\(name)", withDestinationPath: outside.path)
        try device.feed.publish(source: DeviceTests.source(9))
        let report = try await device.launch(syncing: true)
        #expect(report?.error == nil && device.app?.price(1) == 10)
        try device.feed.withdraw(PatchID(id: DeviceTests.id, version: 9))
        await device.sync()
        // The ban of version 8 is gone with the folder that the link has replaced.
        #expect(device.app?.price(1) == (["versions", "versions/2.3.1"].contains(name) ? 9 : 8))
        #expect(try files(outside.path) == before)
        let kind = try FileManager.default.attributesOfItem(atPath: "\(device.path)/\(name)")[.type]
        #expect(kind as? FileAttributeType == .typeDirectory)
    }

    /// Names that the store does not use stay, and the rest of interrupted writes goes.
    @Test func storeFolderLeftoverFilesRemovesOnlyItsOwn() async throws {
        let device = try await device()
        let part = "versions/2.3.1/"
        let folders = ["", "versions/", part, part + "envelopes/", part + "feed/"]
        for folder in folders {
            for name in ["notes.tmp", ".patchpack-a.tmp"] {
                try Data([1]).write(to: URL(filePath: "\(device.path)/\(folder)\(name)"))
            }
        }
        let unknown = "versions/2.3.1/envelopes/\(String(repeating: "0", count: 64)).js"
        try Data([1]).write(to: URL(filePath: "\(device.path)/\(unknown)"))
        try await device.launch(syncing: true)
        let names = try files(device.path).keys
        #expect(
            Set(names.filter { $0.hasSuffix("notes.tmp") }) == Set(folders.map { $0 + "notes.tmp" }))
        #expect(!names.contains { $0.hasSuffix(".patchpack-a.tmp") || $0 == unknown })
    }

    /// Only the superuser can make such a folder here.
    @Test(.enabled(if: ThisProcess.user == 0)) func theFolderOfAnotherUserIsRefused() async throws {
        let device = try await device()
        let before = try files(device.path)
        try FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: device.path)
        let report = try await device.launch(syncing: true)
        #expect(report?.error?.code == .config && device.app?.price(1) == 1)
        #expect(device.why(DeviceTests.id).map(\.code) == [.unwritable])
        #expect(try files(device.path) == before)
        try FileManager.default.setAttributes([.ownerAccountID: 0], ofItemAtPath: device.path)
        try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 8)
    }

    /// Such a folder may have a state.
    @Test func aFolderThatCannotBeLookedIntoIsNotOneWithoutState() throws {
        let folder = try TestFolder()
        let loop = folder.at("device")
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        let error = #expect(throws: PatchError(.noInput, "")) { try PatchStore.hosts(of: Path(loop)) }
        #expect(error?.message.contains("symbolic links") == true && error?.remedy == nil, "\(error?.text ?? "")")
        let empty = #expect(throws: PatchError(.noInput, "")) { try PatchStore.hosts(of: Path(folder.path)) }
        #expect(empty?.remedy != nil, "sync makes a state")
    }

    @Test func theStateOfAnotherSchemaIsPutAside() async throws {
        let device = try await device()
        try rewrite(device) { $0.replacing("patchpack.store/1", with: "patchpack.store/2") }
        try await device.launch()
        #expect(device.app?.price(1) == 1)
        #expect(device.device?.store.state.bans.count == 1)
        #expect((try Data(contentsOf: URL(filePath: "\(device.part)/state.unread"))).count > 100)
    }

    /// Values that a later version of this library may write.
    @Test func unknownWordsInTheStateAreNotTrusted() async throws {
        let device = try await device()
        try rewrite(device) {
            $0.replacing(#""stage":"good""#, with: #""stage":"excellent""#).replacing(
                #""revision":"#, with: #""new":[1,{}],"revision":"#)
        }
        try await device.launch()
        #expect(device.app?.price(1) == 8)
        #expect(devices.stages(device) == ["7 trial"])
    }

    @Test func aHashThatLeadsOutOfTheFolderIsIgnored() async throws {
        let device = try await device()
        try rewrite(device) { text in
            text.replacing(/"hash":"[0-9a-f]{64}"/) { _ in #""hash":"../../../../../../../../etc/passwd""# }
        }
        try await device.launch()
        #expect(device.app?.price(1) == 1 && devices.stages(device).isEmpty)
    }

    @Test func aStoreThatCannotBeWrittenRunsOnlyWhatIsGood() async throws {
        let device = try await device()
        try device.feed.publish(source: DeviceTests.source(9))
        try await device.launch(syncing: true)
        device.end()
        let real = device.path
        // Nothing can be created in a folder on a full disk. As root, only a file in its place has that effect.
        try FileManager.default.moveItem(atPath: real, toPath: "\(real)-away")
        defer { try? FileManager.default.removeItem(atPath: "\(real)-away") }
        try Data().write(to: URL(filePath: real))
        let report = try await device.launch(syncing: true)
        #expect(device.app?.price(1) == 1)
        #expect(report?.error != nil)
        #expect(device.why(DeviceTests.id).map(\.code) == [.unwritable])
        // It fails at each sync, and is reported once a day.
        for day in 1...2 {
            for _ in 0..<3 { await device.sync() }
            for name in ["store-failed", "sync-failed"] {
                #expect(device.events.count { $0.name == name } == day, "\(name) on day \(day)")
            }
            device.advance(by: .seconds(1 * 86_400))
        }
        device.crash()
        try FileManager.default.removeItem(atPath: real)
        try FileManager.default.moveItem(atPath: "\(real)-away", toPath: real)
        try await device.launch()
        #expect(device.app?.price(1) == 10)
    }

    @Test func aSecondProcessReadsAndChangesNothing() async throws {
        let device = try await device()
        try device.feed.publish(source: DeviceTests.source(9))
        try await device.launch(syncing: true)
        let before = try Data(contentsOf: URL(filePath: "\(device.part)/state"))
        let host = try HostInfo(app: "com.example.shop", version: "2.3.1")
        let registry = PatchRegistry()
        let app = try DeviceTests.App(registry)
        let second = PatchStore(folder: Path(device.path), host: host, clock: { nil })
        #expect(second.isReadOnly)
        let runner = PatchRunner(
            registry: registry, host: host, limits: PatchLimits(), clock: { Timestamp(nearestTo: 1_793_491_200) },
            onEvent: nil, checksHost: true, onLine: nil)
        let trust = PatchTrust(device.feed.trust, scriptKeys: device.feed.scriptKey)
        second.launch(on: runner) { trust }
        #expect(app.price(1) == 8, "the one on trial is for the first process")
        second.confirm()
        second.enterBackground()
        #expect(throws: PatchError(.io, "")) { try second.clear() }
        #expect(try Data(contentsOf: URL(filePath: "\(device.part)/state")) == before)
        // A lock of a dead process does not count.
        device.crash()
        #expect(!PatchStore(folder: Path(device.path), host: host, clock: { nil }).isReadOnly)
    }

    /// Two processes open the same store again and again. Locks belong to open files, so two threads are enough.
    @Test func twoProcessesShareAStore() async throws {
        let device = try await device()
        let host = try HostInfo(app: "com.example.shop", version: "2.3.1")
        let launches = testsMayBeLong && !isSanitized ? 1_000 : 100
        let path = device.path
        let results = await withTaskGroup(of: (writes: Int, isWhole: Bool, faults: [PatchEvent]).self) { group in
            for _ in 0..<2 {
                group.addTask {
                    let events = Events()
                    var writes = 0
                    var isWhole = true
                    for number in 0..<launches where isWhole {
                        let store = PatchStore(folder: Path(path), host: host, clock: { nil }, events: events.add)
                        store.begin()
                        if !store.isReadOnly { writes += 1 }
                        if !number.isMultiple(of: 3) { store.confirm() }
                        store.enterBackground()
                        isWhole = store.state.held.map(\.patch.version) == [7] && store.state.bans.count == 1
                        await Task.yield()
                    }
                    return (writes, isWhole, events.all)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for result in results {
            #expect(result.isWhole)
            // A reader cannot confirm, which is reported and changes nothing.
            let faults = result.faults.filter { !$0.description.contains("another process") }
            #expect(faults.isEmpty, "\(faults)")
        }
        // How often both find the folder in use depends on the machine.
        #expect(results.reduce(0) { $0 + $1.writes } > 0)
        try await device.launch()
        #expect(device.app?.price(1) == 8)
    }

    private final class Events: Sendable {
        private let events = Mutex<[PatchEvent]>([])

        @Sendable func add(_ event: PatchEvent) { events.locked { $0.append(event) } }
        var all: [PatchEvent] { events.locked { $0 } }
    }

    @Test func clearForgetsEverythingButTheInstallation() async throws {
        let device = try await device()
        try await device.launch(syncing: true)
        let name = device.device?.store.installation
        try device.device?.store.clear()
        device.end()
        let report = try await device.launch(syncing: true)
        #expect(report?.results.map(\.outcome.rawValue) == ["offered", "superseded"])
        #expect(device.app?.price(1) == 9)
        #expect(device.device?.store.installation == name)
    }

    /// Neither the folder nor the state grows with the number of releases.
    @Test func manyReleasesLeaveNothingBehind() async throws {
        let device = try devices.device()
        var sizes: [Int] = []
        let releases = testsMayBeLong && !isSanitized ? 300 : 30
        for version in 1...releases {
            let patch = try device.feed.publish(source: DeviceTests.source(version))
            if version > 1 { try device.feed.prune(PatchID(id: patch.id, version: version - 1)) }
            try await device.work(launches: 1)
            let files = try FileManager.default.subpathsOfDirectory(atPath: device.path)
            sizes.append(
                try files.reduce(0) { size, name in
                    let attributes = try FileManager.default.attributesOfItem(atPath: "\(device.path)/\(name)")
                    return size + (attributes[.size] as? Int ?? 0)
                })
        }
        // In bytes; names and numbers get longer.
        #expect(sizes[sizes.count - 1] < sizes[sizes.count / 2] + 2_000, "\(sizes)")
    }
}
