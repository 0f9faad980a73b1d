import FeedTestSupport
import Foundation
import PatchCrypto
@testable import PatchDevice
import PatchFeed
import PatchFiles
import PatchPublishing
import PatchRunner
import PatchTesting
import RandomSupport
import Synchronization
import TestSupport
import Testing

/// Several versions of an app that share a folder: rolling restarts, canaries, and an app that is updated or set back.
@Suite(.ownThreads) struct VersionTests {
    /// Processes with one folder. A process that crashes loses its lock, as a process that is killed.
    private final class Machine {
        struct App {
            let price: Replaceable<@Sendable (Int) -> Int>
            let allows: Replaceable<@Sendable (Int) -> Bool>

            init(_ registry: PatchRegistry) throws {
                price = try registry.replaceable("Shop.price") { (x: Int) -> Int in x }
                allows = try registry.replaceable("Shop.allows") { (x: Int) -> Bool in true }
            }
        }

        struct Process {
            let version: String
            let device: PatchDevice
            let app: App
        }

        let clock = ManualClock()
        static let guardID = "com.example.shop.guard"
        let feed: TestFeed
        let files: TestFolder
        var processes: [Process?] = []
        /// How many lives each version has lost.
        var crashes: [String: Int] = [:]

        init(processes: Int = 1) throws {
            feed = try TestFeed(
                app: "com.example.shop", clock: { [clock] in Timestamp(secondsSince1970: clock.now) })
            files = try TestFolder()
            self.processes = Array(repeating: nil, count: processes)
        }

        deinit { for process in processes { process?.device.close() } }

        var folder: String { files.at("device") }
        func part(_ version: String) -> String { "\(folder)/versions/\(version)" }

        @discardableResult
        func start(_ version: String, at number: Int = 0, isReader: Bool = false) throws -> Process {
            if let old = processes[number] {
                old.device.end()
                old.device.close()
            }
            let registry = PatchRegistry()
            let app = try App(registry)
            let device = PatchDevice(
                host: try HostInfo(app: "com.example.shop", version: version), registry: registry, folder: folder,
                feed: .init(root: feed.root, source: feed), trust: PatchTrust(feed.trust, scriptKeys: feed.scriptKey),
                configuration: .init(isReader: isReader).with(
                    clock: { [clock] in Timestamp(nearestTo: clock.now) }))
            device.launch()
            let process = Process(version: version, device: device, app: app)
            processes[number] = process
            return process
        }

        func crash(_ number: Int = 0) {
            processes[number]?.device.close()
            processes[number] = nil
        }

        /// A launch that works to its end.
        func work(_ version: String) async throws {
            let process = try start(version)
            await process.device.sync()
            process.device.confirm()
            process.device.end()
            crash()
        }

        /// Takes a request, which ends the process if the price is below zero.
        ///
        /// - Returns: Whether the process is alive.
        func request(_ number: Int) -> Bool {
            guard let process = processes[number], process.app.price(1) < 0 else { return true }
            crashes[process.version, default: 0] += 1
            crash(number)
            return false
        }

        /// A patch that refuses what is below 0, in versions of the app that do not do so themselves.
        func publishGuard(_ version: Int = 1, for range: String) throws {
            try feed.publish(
                source: """
                    -- @patch \(Machine.guardID)
                    -- @version \(version)
                    -- @app com.example.shop \(range)
                    -- @replaces Shop.allows
                    patch.replace('Shop.allows', function(original, x)
                        return x >= 0 and original(x)
                    end, {otherwise = false})
                    """)
        }

        func publishPrice(_ version: Int, for range: String = "*", body: String? = nil) throws -> PatchID {
            try feed.publish(
                source: DeviceTests.source(version, body: body).replacing(">=2.0.0", with: range))
        }
    }

    private static let crash = "patch.replace('Shop.price', function() return -1 end)"

    private static func codes(_ device: PatchDevice, _ id: String = DeviceTests.id) -> [String] {
        device.why(id).map { "\($0.version ?? 0) \($0.code)" }
    }

    /// Three workers are restarted forward and back with three versions of the app. A guard is for the oldest one
    /// alone, and then a patch crashes all of them.
    @Test(arguments: 1...20) func rollingRestartsBadPatchCostsTwoWorkersOfEachVersion(seed: Int) async throws {
        var random = SeededRandom(seed)
        let machine = try Machine(processes: 3)
        let versions = ["1.0", "1.1", "1.2"]
        try machine.publishGuard(for: "<1.1")
        for _ in 0..<2 { try await machine.work("1.0") }
        for number in 0..<3 { try machine.start("1.0", at: number) }
        for step in 0..<150 {
            if step == 30 { _ = try machine.publishPrice(8, body: Self.crash) }
            let number = Int.random(in: 0..<3, using: &random)
            // The deployment goes forward or back, worker by worker.
            let version = versions[Int.random(in: 0..<3, using: &random)]
            switch Int.random(in: 0..<5, using: &random) {
            case 0: try machine.start(version, at: number)
            case 1: machine.processes[number]?.device.confirm()
            case 2, 3: await machine.processes[number]?.device.sync()
            default: break
            }
            if !machine.request(number) { try machine.start(version, at: number) }
            for process in machine.processes.compactMap(\.self) {
                let what = "\(process.version) at step \(step)"
                let codes = Self.codes(process.device, Machine.guardID)
                #expect(process.app.allows(-1) == (process.version != "1.0"), "\(what): \(codes)")
                if process.version == "1.0" {
                    #expect([["1 good"], ["1 closed"]].contains(codes), "\(what): \(codes)")
                } else {
                    #expect([["1 app-version"], ["0 unknown"]].contains(codes), "\(what): \(codes)")
                }
            }
        }
        #expect(machine.crashes.values.allSatisfy { $0 <= 2 }, "\(machine.crashes)")
        #expect(!machine.crashes.isEmpty)
        for process in machine.processes.compactMap(\.self) {
            await process.device.sync()
            #expect(Self.codes(process.device).first == "8 banned", "\(process.version)")
        }
        let names = Set(machine.processes.compactMap { $0?.device.store.installation })
        #expect(names.count == 1)
    }

    /// Two versions take turns, so that each launch is that of the other one.
    @Test func badPatchVersionsTakeTurnsIsBanned() async throws {
        let machine = try Machine()
        for version in ["1.0", "1.1"] { try await machine.work(version) }
        _ = try machine.publishPrice(8, body: Self.crash)
        for life in 0..<12 {
            let process = try machine.start(["1.0", "1.1"][life % 2])
            process.device.confirm()
            await process.device.sync()
            if machine.request(0) { process.device.end() }
        }
        // The next launch of the version that crashed twice bans it for both.
        #expect(machine.crashes == ["1.0": 2, "1.1": 2])
        #expect(try Self.codes(machine.start("1.1").device).first == "8 banned")
    }

    /// The update contains the fix itself, so the guard is for older versions.
    @Test func guardNewerVersionStartsAndSyncsStaysInOlderOne() async throws {
        let machine = try Machine(processes: 2)
        try machine.publishGuard(for: "<1.1")
        for _ in 0..<2 { try await machine.work("1.0") }
        let old = try machine.start("1.0")
        let new = try machine.start("1.1", at: 1)
        #expect(old.device.role == .writer && new.device.role == .writer, "each writes its own part")
        for _ in 0..<2 {
            await new.device.sync()
            new.device.confirm()
            await old.device.sync()
            #expect(!old.app.allows(-1) && new.app.allows(-1))
        }
        #expect(Self.codes(old.device, Machine.guardID) == ["1 good"])
        #expect(Self.codes(new.device, Machine.guardID) == ["1 app-version"])
        // The next worker of the old version too, at its launch.
        let next = try machine.start("1.0")
        #expect(!next.app.allows(-1))
    }

    /// A patch for newer versions is fetched while a worker of an older one runs.
    @Test func patchForNewerVersionIsFetchedBesideOlderOne() async throws {
        let machine = try Machine(processes: 2)
        _ = try machine.publishPrice(7, for: ">=1.1")
        let old = try machine.start("1.0")
        let new = try machine.start("1.1", at: 1)
        await old.device.sync()
        await new.device.sync()
        #expect(old.app.price(1) == 1 && new.app.price(1) == 8)
    }

    // MARK: a new part

    /// A version that has not run here begins with what the others hold, without a network.
    @Test func newVersionWithoutNetworkHasGoodPatchesBansAndName() async throws {
        let machine = try Machine()
        try machine.publishGuard(for: "<2")
        _ = try machine.publishPrice(7)
        for _ in 0..<2 { try await machine.work("1.0") }
        _ = try machine.publishPrice(8)
        let old = try machine.start("1.0")
        await old.device.sync()
        try old.device.ban(PatchID(id: DeviceTests.id, version: 8), reason: "for this test")
        let name = old.device.installation
        machine.feed.isOffline = true
        let new = try machine.start("1.1")
        #expect(new.app.price(1) == 8 && !new.app.allows(-1))
        #expect(Self.codes(new.device) == ["8 banned", "7 good"] && new.device.installation == name)
        // Its part needs no other one.
        machine.crash()
        try FileManager.default.removeItem(atPath: machine.part("1.0"))
        let next = try machine.start("1.1")
        #expect(next.app.price(1) == 8 && !next.app.allows(-1))
        #expect(Self.codes(next.device) == ["8 banned", "7 good"] && next.device.installation == name)
    }

    /// An envelope that is damaged in the other version's part does not keep a new version from writing its own part.
    @Test(arguments: StoreFolderTests.Damage.allCases)
    func newVersionEnvelopeOfOtherOneIsDamagedIsFetched(_ damage: StoreFolderTests.Damage) async throws {
        let machine = try Machine()
        _ = try machine.publishPrice(7)
        for _ in 0..<2 { try await machine.work("1.0") }
        let envelopes = "\(machine.part("1.0"))/envelopes"
        let names = try FileManager.default.contentsOfDirectory(atPath: envelopes)
        try #require(names.count == 1)
        try damage.apply(to: "\(envelopes)/\(names[0])")
        let new = try machine.start("1.1")
        #expect(FileManager.default.fileExists(atPath: "\(machine.part("1.1"))/state") && new.app.price(1) == 1)
        let report = await new.device.sync()
        #expect(report.error == nil && new.app.price(1) == 8, "\(report)")
        #expect(Self.codes(new.device) == ["7 good"])
    }

    /// Workers begin at once in a new folder: one that finds it locked has the device's name before there is a state.
    @Test func aWorkerThatFollowsFromItsFirstMomentIsTheSameDevice() throws {
        let machine = try Machine(processes: 2)
        try FileManager.default.createDirectory(atPath: machine.part("1.0"), withIntermediateDirectories: true)
        var lock = try Folder.lock(Path(machine.part("1.0")))
        try #require(lock != nil)
        let follower = try machine.start("1.0", at: 1)
        #expect(follower.device.role == .follower)
        lock = nil
        let writer = try machine.start("1.0")
        #expect(writer.device.role == .writer && writer.device.installation == follower.device.installation)
    }

    /// A newer version of a patch that is not for this app does not displace the one that is, nor does a version that
    /// synced later and holds none.
    @Test func newVersionPatchesOfOtherRangesRunsItsOwn() async throws {
        let machine = try Machine()
        _ = try machine.publishPrice(7, for: "<1.1")
        try machine.publishGuard(for: "<1.1")
        for _ in 0..<2 { try await machine.work("1.0") }
        _ = try machine.publishPrice(8, for: ">=1.1")
        for _ in 0..<2 { try await machine.work("1.1") }
        machine.feed.isOffline = true
        let process = try machine.start("0.9")
        #expect(process.app.price(1) == 8 && !process.app.allows(-1))
        #expect(Self.codes(process.device) == ["8 app-version", "7 good"])
    }

    /// A version that has not run for some time knows what the feed has told the others since.
    @Test(arguments: ["withdrawn", "shadow", "disabled", "minimum"])
    func oldVersionComesBackKnowsNews(what: String) async throws {
        let machine = try Machine()
        let patch = try machine.publishPrice(7)
        for version in ["1.0", "1.0", "1.1"] { try await machine.work(version) }
        switch what {
        case "withdrawn": try machine.feed.withdraw(patch)
        case "shadow": try machine.feed.shadow(patch)
        case "minimum": try machine.feed.changeList { $0.json.set("minimumAppVersion", .string("1.1")) }
        default: try machine.feed.disable()
        }
        try machine.publishGuard(for: "*")
        for _ in 0..<2 { try await machine.work("1.1") }
        machine.feed.isOffline = true
        let process = try machine.start("1.0")
        #expect(process.app.price(1) == 1)
        let hasGuard = what == "withdrawn" || what == "shadow"
        #expect(process.app.allows(-1) == !hasGuard, "the guard is good in the other version")
    }

    /// The other version has synced later, from a cache that still had the list before.
    @Test(arguments: ["withdrawn", "shadow", "disabled"])
    func stoppedPatchOtherVersionSyncsFromOldCacheStaysStopped(what: String) async throws {
        let machine = try Machine()
        let patch = try machine.publishPrice(7)
        for version in ["1.0", "1.0", "1.1", "1.1"] { try await machine.work(version) }
        let old = machine.feed.files
        machine.clock.advance(60)
        switch what {
        case "withdrawn": try machine.feed.withdraw(patch)
        case "shadow": try machine.feed.shadow(patch)
        default: try machine.feed.disable()
        }
        let new = machine.feed.files
        try await machine.work("1.0")
        machine.feed.files = old
        try await machine.work("1.1")
        machine.feed.isOffline = true
        #expect(try machine.start("1.0").app.price(1) == 1)
        // Nor does it accept the old list from now on, and the other version learns of the new one without a network.
        machine.feed.isOffline = false
        let process = try machine.start("1.0")
        await process.device.sync()
        #expect(process.app.price(1) == 1)
        machine.feed.isOffline = true
        #expect(try machine.start("1.1").app.price(1) == 1)
        machine.feed.isOffline = false
        machine.feed.files = new
        try await machine.work("1.1")
        #expect(try machine.start("1.1").app.price(1) == 1)
    }

    /// A list that could not be written, or was lost, is not one that was never seen.
    @Test func withdrawnPatchOwnListIsLostStaysWithdrawn() async throws {
        let machine = try Machine()
        let patch = try machine.publishPrice(7)
        for version in ["1.0", "1.0", "1.1", "1.1"] { try await machine.work(version) }
        machine.clock.advance(60)
        try machine.feed.withdraw(patch)
        try await machine.work("1.1")
        try FileManager.default.removeItem(atPath: "\(machine.folder)/versions/1.1/feed/list.json")
        machine.feed.isOffline = true
        #expect(try machine.start("1.1").app.price(1) == 1)
    }

    /// What a version that comes back is told about its patches is no reason to blame another one for its last launch.
    @Test func oldVersionCrashedWithWithdrawnPatchBlamesNoOther() async throws {
        let machine = try Machine()
        try machine.publishGuard(for: "*")
        for version in ["1.0", "1.0", "1.1"] { try await machine.work(version) }
        let bad = try machine.publishPrice(8)
        let process = try machine.start("1.0")
        await process.device.sync()
        machine.crash()
        try machine.feed.withdraw(bad)
        try await machine.work("1.1")
        for _ in 0..<3 {
            let next = try machine.start("1.0")
            #expect(!next.app.allows(-1))
            #expect(next.device.store.state.held.map(\.failures) == [0])
            next.device.confirm()
        }
    }

    /// An extension of a version that has not run, or a folder that cannot be written.
    @Test func readerOfNewVersionRunsWhatOthersHold() async throws {
        let machine = try Machine()
        _ = try machine.publishPrice(7)
        for _ in 0..<2 { try await machine.work("1.0") }
        let process = try machine.start("1.1", isReader: true)
        #expect(process.app.price(1) == 8)
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(machine.folder)/versions")
        #expect(names == ["1.0"])
    }

    @Test func banInOneVersionEndsThePatchInAll() async throws {
        let machine = try Machine(processes: 2)
        _ = try machine.publishPrice(7)
        for version in ["1.0", "1.0", "1.1", "1.1"] { try await machine.work(version) }
        let old = try machine.start("1.0")
        let new = try machine.start("1.1", at: 1)
        #expect(old.app.price(1) == 8 && new.app.price(1) == 8)
        try new.device.ban(heldVersionsOf: DeviceTests.id, reason: "for this test")
        machine.feed.isOffline = true
        await old.device.sync()
        #expect(old.app.price(1) == 1 && Self.codes(old.device) == ["7 banned"])
    }

    @Test func clearForgetsWhatOtherVersionsKnow() async throws {
        let machine = try Machine()
        _ = try machine.publishPrice(7)
        try await machine.work("1.0")
        let process = try machine.start("1.1")
        try process.device.ban(heldVersionsOf: DeviceTests.id, reason: "for this test")
        try process.device.clear()
        for version in ["1.1", "1.0"] {
            let process = try machine.start(version)
            await process.device.sync()
            #expect(process.app.price(1) == 8, "\(version)")
        }
    }

    // MARK: the end of a part

    /// The part of a version that is gone ends after two weeks, unless a process of that version is alive. Its bans
    /// stay.
    @Test(arguments: [false, true]) func partUnusedForTwoWeeksEnds(isAlive: Bool) async throws {
        let machine = try Machine(processes: 2)
        _ = try machine.publishPrice(7)
        let old = try machine.start("1.0")
        await old.device.sync()
        try old.device.ban(heldVersionsOf: DeviceTests.id, reason: "for this test")
        if !isAlive { machine.crash() }
        func age(days: Int) throws {
            let run = try Tool.shell("find '\(machine.part("1.0"))' -type f -exec touch -d '\(days) days ago' {} +")
            try #require(run.status == 0, "\(run.error)")
        }
        func sync(_ version: String) async throws {
            let process = try machine.start(version, at: 1)
            await process.device.sync()
            #expect(Self.codes(process.device) == ["7 banned"])
        }
        try age(days: 13)
        try await sync("1.1")
        #expect(FileManager.default.fileExists(atPath: machine.part("1.0")))
        try age(days: 15)
        try await sync("1.1")
        #expect(FileManager.default.fileExists(atPath: machine.part("1.0")) == isAlive)
        try await sync("1.2")
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(machine.folder)/versions").sorted()
        #expect(names == (isAlive ? ["1.0"] : []) + ["1.1", "1.2"])
    }

    /// A process may have begun before another version has banned a patch, and sync for the first time only after the
    /// part of that version is too old.
    @Test func banOfAPartThatEndsIsKept() async throws {
        let machine = try Machine(processes: 2)
        _ = try machine.publishPrice(7)
        let process = try machine.start("1.1", at: 1)
        let old = try machine.start("1.0")
        await old.device.sync()
        try old.device.ban(heldVersionsOf: DeviceTests.id, reason: "for this test")
        machine.crash()
        let run = try Tool.shell("find '\(machine.part("1.0"))' -type f -exec touch -d '15 days ago' {} +")
        try #require(run.status == 0, "\(run.error)")
        await process.device.sync()
        #expect(!FileManager.default.fileExists(atPath: machine.part("1.0")))
        #expect(Self.codes(process.device) == ["7 banned"])
    }

    /// Between a look at a part and its lock, another process may remove it, and its version may begin a new one.
    @Test func aLockIsOfTheFolderThatIsInItsPlace() throws {
        let files = try TestFolder()
        let part = StoreFolder(root: Path(files.path), part: Path(files.at("part")))
        try Folder.make(part.path)
        let lock = try #require(try Folder.lock(part.path))
        #expect(part.isInPlace(lock))
        try Folder.rename(part.path, to: Path("old"))
        #expect(!part.isInPlace(lock))
        try Folder.make(part.path)
        #expect(!part.isInPlace(lock))
    }

    // MARK: folders of older versions of this library

    /// Such a folder has one state for all versions.
    @Test(arguments: ["1.0", "1.1"]) func oldFolderIsReadWithoutLoss(version: String) async throws {
        let machine = try Machine()
        _ = try machine.publishPrice(7)
        for _ in 0..<2 { try await machine.work("1.0") }
        _ = try machine.publishPrice(8, body: Self.crash)
        let bad = try machine.start("1.0")
        bad.device.confirm()
        await bad.device.sync()
        let name = bad.device.installation
        machine.crash()
        let run = try Tool.shell("cd '\(machine.folder)' && mv versions/1.0/* . && rm -r versions installation")
        try #require(run.status == 0, "\(run.error)")
        // The launch that crashed counts in its version, and the second one bans the patch.
        let process = try machine.start(version)
        #expect(process.device.installation == name)
        #expect(process.app.price(1) == -1)
        #expect(process.device.store.state.held.map(\.failures) == [version == "1.0" ? 1 : 0, 0])
        machine.crash()
        let next = try machine.start(version)
        #expect(Self.codes(next.device) == (version == "1.0" ? ["8 banned", "7 good"] : ["8 trial", "7 superseded"]))
        // An older version of this library goes on with what it left.
        #expect(FileManager.default.fileExists(atPath: "\(machine.folder)/state"))
        machine.crash()
        let aged = try Tool.shell("find '\(machine.folder)' -maxdepth 1 -type f -exec touch -d '15 days ago' {} +")
        try #require(aged.status == 0, "\(aged.error)")
        try await machine.work(version)
        let left = try FileManager.default.contentsOfDirectory(atPath: machine.folder)
        #expect(left == ["versions"])
    }

    // MARK: bans of other bytes

    /// A ban is of an envelope, and not of all that have its version.
    @Test func banInOneVersionOfOtherBytesEndsNothing() async throws {
        let machine = try Machine(processes: 2)
        let seven = try machine.publishPrice(7)
        for version in ["1.0", "1.0", "1.1", "1.1"] { try await machine.work(version) }
        let old = try machine.start("1.0")
        let new = try machine.start("1.1", at: 1)
        machine.feed.isOffline = true
        let ban = StoreState.Ban(patch: seven, hash: String(repeating: "0", count: 64), reason: "test", time: nil)
        try new.device.store.change { state in
            state.add(ban)
            return []
        }
        await old.device.sync()
        #expect(old.app.price(1) == 8 && old.device.store.state.bans == [ban])
        try new.device.ban(heldVersionsOf: DeviceTests.id, reason: "for this test")
        await old.device.sync()
        #expect(old.app.price(1) == 1)
    }
}
