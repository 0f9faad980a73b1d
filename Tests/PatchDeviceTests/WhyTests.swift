import Foundation
import PatchCrypto
@testable import PatchDevice
import PatchFeed
import PatchPublishing
import PatchRunner
import PatchTesting
import TestSupport
import Testing

/// Every reason that a device reports, caused once.
@Suite(.ownThreads) struct WhyTests {
    private typealias Bench = DeviceSimulator<DeviceTests.App>

    private static let id = DeviceTests.id

    /// A device that has synced once, with version 7 in the feed.
    private static func synced(
        _ source: String = DeviceTests.source(7), prepare: (Bench) throws -> Void = { _ in }
    ) async throws -> Bench {
        let bench = try DeviceTests().device()
        try bench.feed.publish(source: source)
        try prepare(bench)
        try await bench.launch(syncing: true)
        return bench
    }

    /// A device on which version 7 is good.
    private static func good() async throws -> Bench { try await DeviceTests().deviceWithAGoodPatch() }

    private typealias Cause = (PatchStatus.Code, @Sendable () async throws -> Bench)

    private static func cause(
        _ code: PatchStatus.Code, _ body: @escaping @Sendable () async throws -> Bench
    ) -> Cause { (code, body) }

    private static let causes: [Cause] = [
        (.unknown, { try await synced(DeviceTests.source(7, id: "com.example.shop.other")) }),
        (.trial, { try await synced() }),
        cause(.good) {
            let bench = try await good()
            try await bench.launch(syncing: true)
            return bench
        },
        cause(.downloaded) {
            let bench = try DeviceTests().device()
            try bench.feed.publish(source: DeviceTests.source(7), nextLaunch: true)
            try await bench.launch(syncing: true)
            return bench
        },
        cause(.suspect) {
            let bench = try await good()
            try bench.feed.publish(source: DeviceTests.source(8))
            try bench.feed.publish(source: DeviceTests.source(3, id: "com.example.shop.other"))
            try await bench.launch(syncing: true)
            bench.crash()
            for _ in 0..<2 {
                try await bench.launch()
                bench.crash()
            }
            try await bench.launch()
            return bench
        },
        cause(.nextLaunch) {
            let bench = try await good()
            try await bench.launch(syncing: true)
            try bench.feed.disable()
            await bench.sync()
            try bench.feed.enable()
            bench.advance(by: .seconds(3600))
            await bench.enterForeground()
            return bench
        },
        (.waiting, { try await synced(DeviceTests.source(7).replacing("Shop.price", with: "Shop.late")) }),
        cause(.superseded) {
            let bench = try await good()
            try await bench.launch(syncing: true)
            try bench.feed.publish(source: DeviceTests.source(8))
            await bench.sync()
            return bench
        },
        cause(.banned) {
            let bench = try await synced()
            try bench.device?.ban(heldVersionsOf: id, reason: "for this test")
            return bench
        },
        cause(.safeMode) {
            let bench = try await good()
            for _ in 0..<3 {
                try await bench.launch()
                bench.crash()
            }
            try await bench.launch()
            return bench
        },
        cause(.neverConfirmed) {
            let bench = try await synced()
            for _ in 0..<4 {
                bench.crash()
                try await bench.launch()
            }
            return bench
        },
        cause(.closed) {
            let body = "patch.replace('Shop.price', function() return 7 end, {otherwise = 0})"
            let bench = try await synced(DeviceTests.source(7, body: body))
            for _ in 0..<2 { try await bench.launch(syncing: true) }
            return bench
        },
        cause(.postponed) {
            var limits = PatchLimits()
            limits.stackBytes = 1 << 30
            let bench = try DeviceTests().device(limits: limits)
            try bench.feed.publish(source: DeviceTests.source(7))
            try await bench.launch(syncing: true)
            return bench
        },
        (.refused, { try await synced(DeviceTests.source(7, body: "error('no')")) }),
        cause(.expired) {
            let bench = try await synced(DeviceTests.source(7, tags: "-- @expires 2026-10-01T00:00:00Z"))
            bench.advance(by: .seconds(30 * 86_400))
            try await bench.launch()
            return bench
        },
        cause(.disabled) {
            let bench = try await synced()
            try bench.feed.disable()
            await bench.sync()
            return bench
        },
        cause(.withdrawn) {
            let bench = try await synced()
            try bench.feed.withdraw(PatchID(id: id, version: 7))
            await bench.sync()
            return bench
        },
        (.shadow, { try await synced { try $0.feed.shadow(PatchID(id: id, version: 7)) } }),
        (.paused, { try await synced { try $0.feed.pause(PatchID(id: id, version: 7)) } }),
        (.rollout, { try await synced { try $0.feed.rollout(PatchID(id: id, version: 7), percent: 0) } }),
        cause(.group) {
            let bench = try DeviceTests().device()
            try bench.feed.publish(source: DeviceTests.source(7), groups: ["qa"])
            try await bench.launch(syncing: true)
            return bench
        },
        (.appVersion, { try await synced(DeviceTests.source(7).replacing(">=2.0.0", with: ">=9.0.0")) }),
        (.engine, { try await synced { try change($0, "engine", .integer(99)) } }),
        (.listMismatch, { try await synced { try change($0, "appVersions", .string(">=1.0.0")) } }),
        (.feedTooNew, { try await synced { try $0.feed.changeList { $0.json.set("schema", .integer(99)) } } }),
        (
            .unavailable,
            { try await synced { bench in bench.feed.files = bench.feed.files.filter { !$0.key.hasSuffix(".js") } } }
        ),
    ]

    /// Changes the list's entry for the first patch.
    private static func change(_ bench: Bench, _ key: String, _ value: JSONValue) throws {
        try bench.feed.changeList { list in
            var entry = list.json["patches"]?.elements[0] ?? .null
            entry.set(key, value)
            list.json.set("patches", .array([entry]))
        }
    }

    @Test(arguments: causes.map(\.0))
    func whyEachCauseGivesItsCode(_ code: PatchStatus.Code) async throws {
        let bench = try #require(try await Self.causes.first { $0.0 == code }?.1())
        let found = bench.why(Self.id)
        #expect(found.contains { $0.code == code }, "\(found)")
        for status in found {
            #expect(status.isActive == (status.patch.map(bench.active.contains) ?? false))
            #expect(status.id == Self.id && (status.patch == nil) == (status.code == .unknown), "\(status)")
            #expect(!status.reason.isEmpty && (status.code != .good || status.isActive), "\(status)")
        }
    }

    /// Processes that only read or follow are in ``LifeTests``, and a folder that cannot be written in ``WorkerTests``.
    @Test func everyCodeIsCausedAndDocumented() throws {
        #expect(Set(Self.causes.map(\.0)).union([.reader, .follower, .unwritable]) == Set(PatchStatus.Code.allCases))
        let page = try String(contentsOfFile: "\(Tool.root)/docs/device.md", encoding: .utf8)
        for code in PatchStatus.Code.allCases {
            #expect(page.contains("| `\(code)` |"), "\(code) is not in the table")
        }
        for code in SyncReport.Outcome.allCases where ![.offered, .kept, .unlisted].contains(code) {
            #expect(PatchStatus.Code(rawValue: code.rawValue) != nil, "a sync may say \(code.rawValue)")
        }
    }

    /// A ban by hand is no rollback after a failure, so the sentence is true of both.
    @Test func whyBannedPatchGivesReasonAndTime() throws {
        let patch = PatchID(id: Self.id, version: 7)
        func reason(_ time: Timestamp?) throws -> String? {
            let version = try #require(AppVersion("1.0"))
            var state = StoreState(app: "com.example.shop", appVersion: version, installation: "i")
            _ = state.ban(patch, String(repeating: "0", count: 64), "manually", at: time)
            let resolver = StatusResolver(
                state: state, running: [], shadows: [], open: [], failed: [], blockReasons: [:], limits: CrashLimits(),
                fault: nil, role: .writer, lastSync: "")
            #expect(resolver.statuses.map(\.code) == [.banned])
            return resolver.statuses.first?.reason
        }
        #expect(try reason(nil) == "it was banned on this device: manually")
        #expect(
            try reason(Timestamp("2026-11-01T12:00:00Z"))
                == "it was banned on this device at 2026-11-01T12:00:00Z: manually")
    }

    /// A breaker that has opened is a failure, too, but does not lead to the same as a launch that has failed.
    @Test func whyFailedPatchForetellsOnlyWhatComes() throws {
        func reason(_ stage: StoreState.Stage, failures: Int, hasConfirmed: Bool) throws -> String? {
            let version = try #require(AppVersion("1.0"))
            var held = StoreState.Held(PatchID(id: Self.id, version: 7), hash: String(repeating: "0", count: 64))
            held.stage = stage
            held.failures = failures
            var state = StoreState(app: "com.example.shop", appVersion: version, installation: "i", held: [held])
            state.hasConfirmed = hasConfirmed
            let resolver = StatusResolver(
                state: state, running: [], shadows: [], open: [], failed: [], blockReasons: [:], limits: CrashLimits(),
                fault: nil, role: .writer, lastSync: "")
            return resolver.statuses.first?.reason
        }
        let isBanned = "launches with it failed; it is banned once a launch without it is confirmed"
        let isTried = "launches failed while it was on trial; it is tried again alone"
        #expect(try reason(.suspect, failures: 2, hasConfirmed: false) == isBanned)
        #expect(try reason(.suspect, failures: 1, hasConfirmed: false) == isTried)
        #expect(try reason(.suspect, failures: 1, hasConfirmed: true) == isTried)
        #expect(
            try reason(.trial, failures: 1, hasConfirmed: true)
                == "it failed, or a launch with it did; it is good once a launch that began with it has worked")
    }
}
