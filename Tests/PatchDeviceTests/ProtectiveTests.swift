import PatchCrypto
@testable import PatchDevice
import PatchRunner
import PatchTesting
import TestSupport
import Testing

/// Patches with an `otherwise` are closed where others are rolled back (docs/device.md).
@Suite(.ownThreads) struct ProtectiveTests {
    private struct App: Sendable {
        /// -1 is safe. The original's answer is 1.
        let guarded: Replaceable<@Sendable () -> Int>
        let other: Replaceable<@Sendable () -> Int>

        init(_ registry: PatchRegistry) throws {
            guarded = try registry.replaceable("App.guarded") { 1 }
            other = try registry.replaceable("App.other") { 1 }
        }
    }

    private typealias Bench = DeviceSimulator<App>

    private static let id = "com.example.shop.guard"

    /// Its functions answer with their version, and `App.guarded` otherwise with -1.
    private static func source(_ version: Int, isProtective: Bool = true) -> String {
        """
        -- @patch \(id)
        -- @version \(version)
        -- @app com.example.shop
        -- @replaces App.guarded
        -- @replaces App.other
        patch.replace('App.guarded', function() return \(version * 10) end\(isProtective ? ", {otherwise = -1}" : ""))
        patch.replace('App.other', function() return \(version * 10) end)
        """
    }

    private func bench() throws -> Bench {
        try Bench(app: "com.example.shop", version: "2.3.1") { try App($0) }
    }

    /// A device on which version 1 of the patch runs, and has proved itself.
    private func benchWithAGuard() async throws -> Bench {
        let bench = try bench()
        try bench.feed.publish(source: Self.source(1))
        try await bench.work(launches: 2)
        return bench
    }

    private func codes(_ bench: Bench) -> [String] {
        bench.why(Self.id).map { "\($0.version ?? 0) \($0.code.rawValue)\($0.isActive ? " runs" : "")" }
    }

    /// Crashes the app through code that no patch touches.
    private func attack(_ bench: Bench, _ times: Int, syncing: Bool = true) async throws {
        for _ in 0..<times {
            bench.crash()
            try await bench.launch(syncing: syncing)
        }
    }

    private func close(_ bench: Bench) async throws {
        try bench.feed.publish(source: Self.source(2))
        try await bench.launch(syncing: true)
        try await attack(bench, 2)
        #expect(codes(bench).first == "2 closed")
    }

    @Test(arguments: [false, true]) func aHoleStaysClosedHoweverOftenTheAppCrashes(isConfirmed: Bool) async throws {
        let bench = try bench()
        try await bench.launch(syncing: true)
        if isConfirmed { bench.confirm() }
        try bench.feed.publish(source: Self.source(2))
        await bench.sync()
        var answers: [Int] = []
        for _ in 0..<6 {
            bench.crash()
            try await bench.launch()
            answers.append(bench.app?.guarded() ?? 0)
            await bench.sync()
            answers.append(bench.app?.guarded() ?? 0)
        }
        #expect(answers == [20, 20, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1])
        #expect(codes(bench) == ["2 closed"])
        #expect(bench.active.isEmpty && bench.device?.store.state.bans.isEmpty == true)
        #expect(bench.app?.other() == 1, "it has no `otherwise`")
        #expect(bench.events.filter { $0.name == "closed" }.count == 1)
        #expect(!bench.events.contains { ["rolled-back", "safe-mode"].contains($0.name) })
        // The operator can end it.
        try bench.feed.withdraw(PatchID(id: Self.id, version: 2))
        await bench.sync()
        #expect(bench.app?.guarded() == 1)
        #expect(codes(bench) == ["2 withdrawn"])
    }

    @Test func aBanOrTheSwitchEndsAClosedPatchToo() async throws {
        let bench = try bench()
        try await close(bench)
        try bench.feed.disable()
        await bench.sync()
        #expect(bench.app?.guarded() == 1 && codes(bench) == ["2 disabled"])
        try bench.feed.enable()
        await bench.sync()
        #expect(bench.app?.guarded() == -1 && codes(bench) == ["2 closed"])
        #expect(try bench.device?.ban(heldVersionsOf: Self.id, reason: "for this test") == true)
        #expect(bench.app?.guarded() == 1 && codes(bench) == ["2 banned"])
    }

    @Test func closedPatchOlderGoodVersionAnswersOtherFunctions() async throws {
        let bench = try await benchWithAGuard()
        try await close(bench)
        #expect(bench.app?.guarded() == -1 && bench.app?.other() == 10)
        #expect(codes(bench) == ["2 closed", "1 good runs"])
        #expect(bench.why(Self.id)[0].reason.hasSuffix("; version 1 answers for its other functions"))
        // If the older one is withdrawn, the newer one stays closed, and the other way round.
        try bench.feed.withdraw(PatchID(id: Self.id, version: 1))
        await bench.sync()
        #expect(bench.app?.guarded() == -1 && bench.app?.other() == 1)
        try bench.feed.resume(PatchID(id: Self.id, version: 1))
        try bench.feed.withdraw(PatchID(id: Self.id, version: 2))
        await bench.sync()
        #expect(bench.app?.guarded() == 10 && bench.app?.other() == 10)
    }

    /// A process that never ends tries it too, once it is confirmed and its watch is over.
    @Test func closedPatchRunningServiceIsTriedInSameProcess() async throws {
        let bench = try bench()
        try await close(bench)
        let device = try #require(bench.device)
        let service = Task { await device.run() }
        try await bench.pass { bench.app?.guarded() == 20 }
        #expect(device.store.state.launch?.isWatched == true)
        #expect(codes(bench) == ["2 suspect runs"])
        try await bench.pass { codes(bench) == ["2 good runs"] }
        #expect(bench.app?.other() == 20)
        service.cancel()
        await service.value
        try await bench.launch()
        #expect(bench.app?.guarded() == 20)
    }

    @Test func aClosedPatchEndsWhenItExpires() async throws {
        let bench = try bench()
        try bench.feed.publish(source: "-- @expires 2026-09-24T00:00:00Z\n" + Self.source(2))
        try await bench.launch(syncing: true)
        try await attack(bench, 2)
        #expect(bench.app?.guarded() == -1)
        bench.advance(by: .seconds(4 * 86_400))
        await bench.sync()
        #expect(bench.app?.guarded() == 1 && codes(bench) == ["2 expired"])
    }

    @Test(arguments: [false, true]) func closedPatchHigherVersionIsTriedAtOnce(isProtective: Bool) async throws {
        let bench = try bench()
        try await bench.launch(syncing: true)
        bench.confirm()
        try await close(bench)
        try bench.feed.publish(source: Self.source(3, isProtective: isProtective))
        await bench.sync()
        #expect(bench.app?.guarded() == 30)
        try await attack(bench, 1)
        #expect(bench.app?.guarded() == 30)
        // The closed one answers again if the new one is rolled back.
        try await attack(bench, 1)
        #expect(bench.app?.guarded() == -1)
        #expect(codes(bench).first == (isProtective ? "3 closed" : "3 banned"))
    }

    /// A function without an `otherwise` fails too often. The older version answers it until the next launch, and not
    /// the original.
    @Test func openedBreakerLaterSyncsOlderVersionGoesOnAnswering() async throws {
        let bench = try await benchWithAGuard()
        let source = Self.source(2).replacing("function() return 20 end)", with: "function() error('no') end)")
        try bench.feed.publish(source: source)
        try await bench.launch(syncing: true)
        #expect(bench.app?.guarded() == 20)
        for _ in 0..<5 { #expect(bench.app?.other() == 1) }
        var answers: [Int?] = []
        for _ in 0..<6 {
            answers += [bench.app?.guarded(), bench.app?.other()]
            await bench.sync()
            bench.advance(by: .seconds(60))
        }
        #expect(answers == Array(repeating: [-1, 10], count: 6).flatMap(\.self))
        let reason = bench.why(Self.id)[0].reason
        #expect(reason.hasSuffix("it has failed too often in this launch; version 1 runs in its place"), "\(reason)")
        bench.confirmAndEnd()
        try await bench.launch()
        #expect(bench.app?.guarded() == 20)
    }

    /// In a service that does not restart, the closed one stays below a higher version that is good.
    @Test func closedPatchHigherVersionIsGoodIsNotTried() async throws {
        let bench = try bench()
        try await close(bench)
        try bench.feed.publish(source: Self.source(3))
        await bench.sync()
        for _ in 0..<2 { bench.confirm() }
        for _ in 0..<2 {
            bench.advance(by: .seconds(600))
            bench.device?.store.tryAlone()
            #expect(bench.app?.guarded() == 30 && codes(bench) == ["3 good runs", "2 superseded"])
        }
    }
}
