import Foundation
import PatchCrypto
@testable import PatchDevice
import PatchFeed
import PatchRunner
import PatchTesting
import Synchronization
import TestSupport
import Testing

/// Patches that are offered in shadow, over the launches and syncs of a device.
@Suite(.ownThreads) struct ShadowTests {
    private typealias Bench = DeviceSimulator<DeviceTests.App>

    private static let id = DeviceTests.id
    private static let eight = PatchID(id: id, version: 8)

    /// A device on which version 7 is good, with version 8 in shadow in its feed.
    private func bench(_ source: String = DeviceTests.source(8), nextLaunch: Bool = false) async throws -> Bench {
        let bench = try await DeviceTests().deviceWithAGoodPatch()
        try bench.feed.shadow(try bench.feed.publish(source: source, nextLaunch: nextLaunch))
        return bench
    }

    private func shadows(_ bench: Bench) -> [Int] { bench.device?.store.runner?.shadows.map(\.version) ?? [] }

    private func envelopes(_ bench: Bench) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: bench.part + "/envelopes").count
    }

    /// Another process that shares the folder of a device.
    private func second(_ bench: Bench, isReader: Bool) throws -> (PatchDevice, DeviceTests.App) {
        let registry = PatchRegistry()
        let app = try DeviceTests.App(registry)
        let device = PatchDevice(
            host: try HostInfo(app: "com.example.shop", version: "2.3.1"), registry: registry, folder: bench.path,
            feed: .init(root: bench.feed.root, source: bench.feed),
            trust: PatchTrust(bench.feed.trust, scriptKeys: bench.feed.scriptKey), isReader: isReader,
            clock: { 1_790_000_000_000 }, listener: nil)
        return (device, app)
    }

    /// In shadow, live, in shadow again, and withdrawn. Its envelope is fetched once.
    @Test func shadowLiveAndBackTakesNoSecondDownload() async throws {
        let bench = try await bench()
        let report = try await bench.launch(syncing: true)
        #expect(report?.results.map(\.outcome) == [.shadow, .kept])
        #expect(bench.app?.price(1) == 8 && shadows(bench) == [8])
        #expect(DeviceTests.codes(bench) == ["8 shadow", "7 good"])
        #expect(bench.why(Self.id)[0].reason.hasSuffix("; version 7 answers") && !bench.why(Self.id)[0].isActive)
        bench.confirm()
        bench.end()
        bench.feed.files = bench.feed.files.filter { !$0.key.hasSuffix(".js") }
        bench.feed.isOffline = true
        try await bench.launch(syncing: true)
        #expect(bench.app?.price(1) == 8 && shadows(bench) == [8] && bench.active.map(\.version) == [7])
        bench.feed.isOffline = false
        try bench.feed.rollout(Self.eight, percent: 100)
        #expect(await bench.sync().results.map(\.outcome) == [.offered, .superseded])
        #expect(bench.app?.price(1) == 9 && shadows(bench).isEmpty)
        #expect(DeviceTests.codes(bench) == ["8 trial", "7 superseded"])
        for _ in 0..<2 {
            bench.confirm()
            bench.end()
            try await bench.launch()
        }
        #expect(DeviceTests.codes(bench).first == "8 good")
        try bench.feed.shadow(Self.eight)
        // The older version is no longer on the device, and cannot be fetched.
        #expect(await bench.sync().results.map(\.outcome) == [.shadow, .unavailable])
        #expect(bench.app?.price(1) == 1 && shadows(bench) == [8])
        #expect(bench.device?.store.state.bans.isEmpty == true && DeviceTests.codes(bench).first == "8 shadow")
        try bench.feed.withdraw(Self.eight)
        await bench.sync()
        #expect(shadows(bench).isEmpty && DeviceTests.codes(bench).first == "8 withdrawn")
        #expect(try envelopes(bench) == 0)
    }

    /// It becomes live at the next launch, and does not run in shadow until then.
    @Test func shadowLiveFromNextLaunchWaits() async throws {
        let bench = try await bench(nextLaunch: true)
        try await bench.launch()
        await bench.enterForeground()
        #expect(shadows(bench) == [8], "a shadow does not wait")
        await bench.sync()
        let loads = bench.events.count {
            if case .runner(.loaded(let load)) = $0.kind { load.patch == Self.eight } else { false }
        }
        #expect(shadows(bench) == [8] && loads == 1, "a sync does not begin it again")
        try bench.feed.rollout(Self.eight, percent: 100)
        await bench.sync()
        #expect(shadows(bench).isEmpty && DeviceTests.codes(bench) == ["8 downloaded", "7 good"])
        bench.end()
        try await bench.launch()
        #expect(bench.app?.price(1) == 9)
    }

    /// Its envelope is in the folder already, and is verified again before it answers.
    @Test func shadowLiveAfterItsEndIsReportedAsExpired() async throws {
        let bench = try await bench(DeviceTests.source(8, tags: "-- @expires 2026-09-24T00:00:00Z"))
        try await bench.launch(syncing: true)
        #expect(bench.app?.price(1) == 8 && shadows(bench) == [8])
        bench.confirm()
        bench.advance(by: .seconds(4 * 86_400))
        try bench.feed.rollout(Self.eight, percent: 100)
        for _ in 0..<2 {
            let results = await bench.sync().results
            #expect(results.map(\.outcome) == [.expired, .superseded])
            let reason = try #require(results.first?.reason)
            #expect(reason.hasPrefix("the envelope has expired: the patch expired at 2026-09-24"), "\(reason)")
            #expect(bench.app?.price(1) == 8 && shadows(bench).isEmpty)
            #expect(DeviceTests.codes(bench) == ["8 expired", "7 good"])
        }
    }

    enum End: CaseIterable {
        case paused, withdrawn, outside, unlisted, superseded, banned, revoked, disabled
    }

    @Test(arguments: End.allCases) func shadowNoLongerMeantEnds(_ end: End) async throws {
        let bench = try await bench()
        try await bench.launch(syncing: true)
        try #require(shadows(bench) == [8])
        let code: String
        var price = 8
        var kept = 1
        switch end {
        case .paused:
            try bench.feed.pause(Self.eight)
            code = "8 paused"
        case .withdrawn:
            try bench.feed.withdraw(Self.eight)
            code = "8 withdrawn"
        case .outside:
            try bench.feed.shadow(Self.eight, percent: 0)
            code = "8 rollout"
        case .unlisted:
            try bench.feed.prune(Self.eight)
            code = "7 good"
        case .superseded:
            try bench.feed.publish(source: DeviceTests.source(9))
            code = "9 trial"
            price = 10
            kept = 2
        case .banned:
            try bench.device?.ban(heldVersionsOf: Self.id, reason: "for this test")
            #expect(shadows(bench).isEmpty)
            code = "8 banned"
            price = 1
            kept = 0
        case .revoked:
            try bench.feed.rotateSigningKey()
            code = "8 refused"
            price = 1
            kept = 2
        case .disabled:
            try bench.feed.disable()
            code = "8 disabled"
            price = 1
            kept = 2
        }
        await bench.sync()
        #expect(shadows(bench).isEmpty && bench.app?.price(1) == price)
        #expect(DeviceTests.codes(bench).first == code)
        #expect(try envelopes(bench) == kept)
        guard end == .disabled else { return }
        try bench.feed.enable()
        await bench.sync()
        #expect(shadows(bench) == [8] && bench.app?.price(1) == 8)
    }

    /// A process that ends while the script of a shadow loads is lost twice: in the sync that brings the shadow, and in
    /// the next launch, without a network.
    @Test(arguments: [false, true]) func shadowCrashesInItsLoadIsBannedAfterTwo(inBackground: Bool) async throws {
        let files = try TestFolder()
        let feed = try TestFeed(app: "com.example.shop", clock: { Timestamp(secondsSince1970: 1_790_000_000) })
        try feed.publish(source: DeviceTests.source(7))
        let isCrashing = Mutex(false)
        func start() throws -> (device: PatchDevice, app: DeviceTests.App) {
            let registry = PatchRegistry()
            let app = try DeviceTests.App(registry)
            let made = Mutex<PatchDevice?>(nil)
            let device = PatchDevice(
                host: try HostInfo(app: "com.example.shop", version: "2.3.1"), registry: registry,
                folder: files.at("device"),
                feed: .init(root: feed.root, source: feed), trust: PatchTrust(feed.trust, scriptKeys: feed.scriptKey),
                configuration: PatchDevice.Configuration(
                    onEvent: { event in
                        guard case .runner(.logged) = event.kind else { return }
                        // The process ends here: it writes nothing more.
                        isCrashing.locked { $0 = true }
                        made.locked { $0 }?.store.close()
                    }
                ).with(clock: { Timestamp(nearestTo: 1_790_000_000) }))
            made.locked { $0 = device }
            device.launch()
            return (device, app)
        }
        for _ in 0..<2 {
            let (device, _) = try start()
            await device.sync()
            device.confirm()
            device.end()
            device.close()
        }
        let source = DeviceTests.source(8).replacing("patch.replace", with: "log.info('crash')\npatch.replace")
        try feed.shadow(feed.publish(source: source))
        var crashes = 0
        for _ in 0..<6 {
            isCrashing.locked { $0 = false }
            let (device, app) = try start()
            device.confirm()
            if inBackground { device.enterBackground() }
            if crashes == 0 { await device.sync() }
            if isCrashing.locked({ $0 }) {
                crashes += 1
            } else {
                #expect(app.price(1) == 8)
                device.end()
            }
            device.close()
        }
        let (device, _) = try start()
        let codes = device.why(Self.id).map { "\($0.version ?? 0) \($0.code)" }
        // The system ends an app in the background, so nobody is blamed for that; the next launch is in the foreground.
        #expect(crashes == (inBackground ? 3 : 2) && codes == ["8 banned", "7 good"], "\(crashes) \(codes)")
        device.close()
    }

    /// The same crashes, with and without a shadow beside a patch on trial, leave the same patches. `c` is a launch
    /// after a crash, `e` one after an orderly end, with a sync, and `k` a confirmation.
    @Test func shadowAppCrashesIsNotBlamedAndChangesNoVerdict() async throws {
        func play(_ hasShadow: Bool) async throws -> [StoreState] {
            let bench = try await DeviceTests().deviceWithAGoodPatch()
            try bench.feed.publish(source: DeviceTests.source(8))
            let nine = try bench.feed.publish(source: DeviceTests.source(9))
            if hasShadow { try bench.feed.shadow(nine) } else { try bench.feed.pause(nine) }
            var states: [StoreState] = []
            try await bench.launch(syncing: true)
            for event in "ccckekkccccckeke" {
                if event == "k" { bench.confirm() }
                if event == "e" { bench.end() }
                if event != "k" { try await bench.launch(syncing: event == "e") }
                if hasShadow { #expect(bench.device?.store.state.shadows.map(\.patch.version) == [9]) }
                states.append(try #require(bench.device?.store.state))
            }
            return states
        }
        func summary(_ state: StoreState) -> String {
            "\(state.held.map { "\($0.patch) \($0.stage) \($0.failures)" }) \(state.bans.map(\.patch)) "
                + "\(state.failures) \(state.unconfirmed) \(state.isSafe)"
        }
        #expect(try await play(true).map(summary) == play(false).map(summary))
    }

    /// It is taken off after two launches that crashed after it was called, in every order of calls, also without a
    /// network.
    @Test(arguments: [false, true], [false, true])
    func shadowCalledAndAppCrashesIsBannedAfterTwo(confirmsFirst: Bool, isOffline: Bool) async throws {
        let bench = try await bench()
        try await bench.launch(syncing: true)
        bench.end()
        bench.feed.isOffline = isOffline
        var crashes = 0
        for _ in 0..<6 {
            try await bench.launch()
            for confirms in [confirmsFirst, !confirmsFirst] {
                guard confirms else {
                    #expect(bench.app?.price(1) == 8)
                    continue
                }
                bench.confirm()
                await bench.sync()
            }
            if shadows(bench) == [8] {
                crashes += 1
                bench.crash()
            } else {
                bench.end()
            }
        }
        #expect(crashes == 2)
        try await bench.launch()
        #expect(DeviceTests.codes(bench) == ["8 banned", "7 good"] && bench.app?.price(1) == 8)
        #expect(bench.why(Self.id)[0].reason.contains("called in shadow"))
        #expect(bench.events.count { $0.name == "rolled-back" } == 1)
        #expect(bench.device?.store.state.held.map(\.failures) == [0])
    }

    /// A good launch between two failed ones clears it.
    @Test func shadowCrashAfterGoodLaunchCountsAsFirst() async throws {
        let bench = try await bench()
        for isCrash in [true, false, true, false, true] {
            try await bench.launch(syncing: true)
            bench.confirm()
            #expect(bench.app?.price(1) == 8 && shadows(bench) == [8])
            if isCrash { bench.crash() } else { bench.end() }
        }
        #expect(bench.events.allSatisfy { $0.name != "rolled-back" })
    }

    /// With a patch on trial beside it, the cause is not known: that patch is tried again alone.
    @Test func shadowCrashesBesideTrialOthersAreTriedAlone() async throws {
        let bench = try await bench()
        try bench.feed.publish(source: DeviceTests.source(1, id: "com.example.shop.other"))
        for _ in 0..<2 {
            try await bench.launch(syncing: true)
            _ = bench.app?.price(1)
            bench.crash()
        }
        for code in [PatchStatus.Code.suspect, .suspect, .good] {
            try await bench.launch()
            #expect(bench.why("com.example.shop.other").map(\.code) == [code])
            bench.confirm()
            bench.end()
        }
        #expect(bench.events.count { $0.name == "rolled-back" } == 2, "the shadow, and the suspect for a while")
    }

    @Test func shadowLaunchFailsWhileDisabledStartsWhenEnabled() async throws {
        let bench = try await bench()
        try await bench.launch(syncing: true)
        try bench.feed.disable()
        await bench.sync()
        bench.crash()
        try await bench.launch()
        bench.confirm()
        try bench.feed.enable()
        await bench.sync()
        #expect(shadows(bench) == [8])
    }

    @Test func safeModeShadowDoesNotRun() async throws {
        let bench = try await bench()
        try await bench.launch(syncing: true)
        bench.confirm()
        bench.end()
        for _ in 0..<3 {
            try await bench.launch()
            bench.crash()
        }
        try await bench.launch()
        bench.confirm()
        await bench.sync()
        #expect(shadows(bench).isEmpty && bench.app?.price(1) == 1)
        #expect(DeviceTests.codes(bench) == ["8 safe-mode", "7 safe-mode"])
    }

    /// Its failure is reported once in a launch, however often the device syncs, and bans nothing.
    @Test func shadowScriptDoesNotLoadIsReportedAndNotBanned() async throws {
        let bench = try await bench(DeviceTests.source(8, body: "error('no')"))
        for launch in 1...3 {
            try await bench.launch(syncing: true)
            await bench.sync()
            #expect(bench.app?.price(1) == 8 && shadows(bench).isEmpty)
            #expect(DeviceTests.codes(bench) == ["8 refused", "7 good"])
            #expect(bench.events.count { $0.name == "refused" } == launch)
            bench.end()
        }
    }

    /// The counts of the last minute are not lost when the app leaves the screen or ends.
    @Test func shadowAppLeavesOrEndsReportsItsCounts() async throws {
        // It takes the place of version 7, and answers the same.
        let bench = try await bench(
            DeviceTests.source(8, body: "patch.replace('Shop.price', function(original, x) return original(x) + 7 end)")
        )
        try await bench.launch(syncing: true)
        func agreed() -> [Int] {
            bench.events.compactMap { event in
                guard case .runner(.compared(let compared)) = event.kind,
                    compared.patch == Self.eight, compared.function == "Shop.price"
                else { return nil }
                return compared.comparison.agreed
            }
        }
        #expect(bench.app?.price(1) == 8 && bench.app?.price(2) == 9 && agreed().isEmpty)
        bench.enterBackground()
        #expect(agreed() == [2])
        #expect(bench.app?.price(1) == 8)
        bench.end()
        #expect(agreed() == [2, 1])
    }

    /// It is skipped for a while, and that is no failure of the patch.
    @Test func shadowFailsTooOftenIsNotBanned() async throws {
        let body = "patch.replace('Shop.price', function(original, x) error('no') end)"
        let bench = try await bench(DeviceTests.source(8, body: body))
        for _ in 0..<3 {
            try await bench.launch(syncing: true)
            for _ in 0..<8 { #expect(bench.app?.price(1) == 8) }
            #expect(DeviceTests.codes(bench) == ["8 shadow", "7 good"])
            #expect(bench.why(Self.id)[0].reason.hasPrefix("it has failed too often"))
            bench.confirm()
            bench.end()
        }
        #expect(bench.events.contains { $0.name == "compared" } && !bench.events.contains { $0.name == "rolled-back" })
    }

    /// A shadow waits for functions as a live patch does.
    @Test func shadowFunctionRegisteredLaterStarts() async throws {
        let registries = Mutex<[PatchRegistry]>([])
        let bench = try DeviceSimulator(app: "com.example.shop", version: "2.3.1") { registry in
            registries.locked { $0.append(registry) }
        }
        try bench.feed.shadow(
            try bench.feed.publish(source: DeviceTests.source(8).replacing("Shop.price", with: "Shop.late")))
        for isSynced in [true, false] {
            try await bench.launch(syncing: isSynced)
            #expect(bench.why(Self.id).map(\.code) == [.waiting] && bench.device?.store.runner?.shadows.isEmpty == true)
            let late = try registries.locked { try #require($0.last) }
            let price = try late.replaceable("Shop.late") { (x: Int) -> Int in x }
            #expect(bench.why(Self.id).map(\.code) == [.shadow] && price(1) == 1)
            #expect(bench.device?.store.runner?.shadows.map(\.version) == [8])
            bench.end()
        }
    }

    /// A process that does not write the folder could not note a call, so it runs none, until it is the writer.
    @Test(arguments: [false, true]) func shadowOtherProcessRunsNone(isReader: Bool) async throws {
        let bench = try await bench()
        try await bench.launch(syncing: true)
        bench.confirm()
        let (other, app) = try second(bench, isReader: isReader)
        other.launch()
        #expect(await other.sync().results.map(\.outcome) == [.shadow, .kept])
        #expect(app.price(1) == 8 && other.store.runner?.shadows.isEmpty == true)
        #expect(other.why(Self.id).map(\.code) == [.shadow, .good])
        #expect(other.why(Self.id)[0].reason.hasPrefix("it runs in shadow in the process that writes"))
        bench.end()
        await other.sync()
        #expect(other.store.runner?.shadows.map(\.version) == (isReader ? [] : [8]))
    }

    /// A folder that cannot be written notes no launch, so a shadow that crashes the app would do so each time.
    @Test func shadowFolderUnwritableEndsUntilItIsWritten() async throws {
        let bench = try await bench()
        try await bench.launch(syncing: true)
        let eleven = try bench.feed.publish(source: DeviceTests.source(11, id: "com.example.shop.other"))
        await bench.sync()
        #expect(shadows(bench) == [8] && bench.app?.price(1) == 19)
        let away = bench.path + "-away"
        defer { try? FileManager.default.removeItem(atPath: away) }
        // Nothing can be written below a file, by root either.
        try FileManager.default.moveItem(atPath: bench.path, toPath: away)
        try Data().write(to: URL(filePath: bench.path))
        try bench.feed.shadow(eleven)
        #expect(await bench.sync().error != nil)
        #expect(shadows(bench).isEmpty && bench.app?.price(1) == 8)
        #expect(DeviceTests.codes(bench) == ["8 unwritable", "7 good"])
        #expect(bench.why(eleven.id).map(\.code) == [.unwritable])
        try FileManager.default.removeItem(atPath: bench.path)
        try FileManager.default.moveItem(atPath: away, toPath: bench.path)
        await bench.sync()
        bench.confirm()
        #expect(await bench.sync().error == nil)
        #expect(Set(shadows(bench)) == [11, 8] && bench.app?.price(1) == 8)
    }

    /// While a suspect is tried, nothing else may be the cause of a crash.
    @Test func shadowSuspectIsTriedWaits() async throws {
        let bench = try await bench(DeviceTests.source(8, id: "com.example.shop.shadow"))
        for id in ["com.example.shop.one", "com.example.shop.two"] {
            try bench.feed.publish(source: DeviceTests.source(1, id: id))
        }
        for _ in 0..<2 {
            try await bench.launch(syncing: true)
            bench.crash()
        }
        for expected in [[8], [], [], [8]] {
            try await bench.launch()
            #expect(shadows(bench) == expected)
            bench.confirm()
            bench.end()
        }
        #expect(bench.events.count { $0.name == "rolled-back" } == 2)
    }

    /// The same in a service that tries the suspects in one process.
    @Test func shadowSuspectIsTriedInSameProcessWaits() async throws {
        let bench = try await bench(DeviceTests.source(8, id: "com.example.shop.shadow"))
        for id in ["com.example.shop.one", "com.example.shop.two"] {
            try bench.feed.publish(source: DeviceTests.source(1, id: id))
        }
        for _ in 0..<3 { try await bench.launch(syncing: true) }
        bench.confirm()
        for expected in [2, 3, 3] {
            bench.advance(by: .seconds(600))
            await bench.sync()
            #expect(shadows(bench) == [8])
            bench.device?.store.tryAlone()
            #expect(bench.active.count == expected)
            #expect(shadows(bench) == (bench.why("com.example.shop.two")[0].code == .good ? [8] : []))
        }
    }

    /// A tool shows the recorded stage.
    @Test func shadowFolderOfAToolIsShown() async throws {
        let bench = try await bench()
        let tool = PatchDevice(
            host: try HostInfo(app: "com.example.shop", version: "2.3.1"), registry: nil, folder: bench.path,
            feed: .init(root: bench.feed.root, source: bench.feed),
            trust: PatchTrust(bench.feed.trust, scriptKeys: bench.feed.scriptKey), clock: { 1_790_000_000_000 },
            listener: nil)
        let report = await tool.sync()
        #expect(report.results.map(\.outcome) == [.shadow, .kept])
        #expect(tool.why(Self.id).map(\.code) == [.shadow, .good])
        #expect(tool.why(Self.id)[0].reason == "it runs in shadow: it is compared with the answers, and gives none")
        try bench.feed.rollout(Self.eight, percent: 100)
        #expect(await tool.sync().results.map(\.outcome) == [.offered, .superseded])
        #expect(tool.why(Self.id)[0].code == .downloaded)
        try bench.feed.shadow(Self.eight)
        await tool.sync()
        #expect(tool.store.state.held.map(\.patch.version) == [7] && tool.why(Self.id)[0].code == .shadow)
        try bench.feed.withdraw(Self.eight)
        await tool.sync()
        #expect(tool.store.state.shadows.isEmpty && tool.why(Self.id)[0].code == .withdrawn)
    }
}
