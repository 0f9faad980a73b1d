import Foundation
import PatchCrypto
@testable import PatchRunner
import Synchronization
import TestSupport
import Testing

/// Several patches on one name: their order, and the calls that are in them while one is replaced or withdrawn.
@Suite(.ownThreads) struct StackTests {
    /// `T.f` and `T.waits`, which are a hole: they answer 7. Scripts call `T.stops`, which waits until it may go on,
    /// and the asynchronous `T.pauses`.
    private final class App: Sendable {
        let harness: Harness
        let function: Replaceable<@Sendable (Int) -> Int>
        let waits: Replaceable<nonisolated(nonsending) @Sendable (Int) async -> Int>
        /// Holds a patch that replaces it.
        let holds: Replaceable<@Sendable () -> Int>
        let gate = Gate()

        final class Gate: Sendable {
            private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))
            let arrived = Counter()

            func open() {
                let waiting = state.locked { state in
                    state.isOpen = true
                    return state.waiting
                }
                for continuation in waiting { continuation.resume() }
            }

            func pass() async {
                await withCheckedContinuation { continuation in
                    let isOpen = state.locked { state in
                        if !state.isOpen { state.waiting.append(continuation) }
                        return state.isOpen
                    }
                    arrived.add()
                    if isOpen { continuation.resume() }
                }
            }

            func passBlocking() {
                arrived.add()
                while !state.locked({ $0.isOpen }) { usleep(200) }
            }

            func hasArrived(_ count: Int) async throws {
                while arrived.count < count { try await Task.sleep(for: .milliseconds(1)) }
            }
        }

        init(_ limits: PatchLimits = .patient) throws {
            harness = try Harness(limits: limits)
            let registry = harness.registry
            let gate = gate
            function = try registry.replaceable("T.f") { (x: Int) -> Int in 7 }
            waits = try registry.replaceable("T.waits") { (x: Int) async -> Int in 7 }
            holds = try registry.replaceable("T.holds") { () -> Int in
                gate.passBlocking()
                return 0
            }
            _ = try registry.replaceable("T.stops") { () -> Void in gate.passBlocking() }
            _ = try registry.replaceable("T.pauses") { () async -> Void in await gate.pass() }
        }

        /// Installs a patch on `T.f` and `T.waits`.
        func install(
            _ id: String, _ body: String, version: Int = 1, otherwise: String? = nil, holds: Bool = false
        ) throws {
            let option = otherwise.map { ", {otherwise = \($0)}" } ?? ""
            try harness.apply(
                """
                local function run(original, x) \(body) end
                patch.replace('T.f', run\(option))
                patch.replace('T.waits', run\(option))
                \(holds ? "patch.replace('T.holds', function(original) return original() end)" : "")
                """, id: "com.example.\(id)", version: version,
                replaces: ["T.f", "T.waits"] + (holds ? ["T.holds"] : []))
        }

        /// Installs a patch that closes the hole: it answers -1.
        func guards(_ version: Int = 1, holds: Bool = false) throws {
            try install("guard", "return -1", version: version, otherwise: "-1", holds: holds)
        }

        var order: [[String]] {
            ["T.f", "T.waits"].map { name in
                harness.registry.state.first { $0.name == name }?.patches.reversed().map {
                    "\($0.patch.id.split(separator: ".").last ?? "")\($0.patch.version)"
                } ?? []
            }
        }

        var fallbacks: [String] {
            harness.events.compactMap {
                if case .fellBack(let skipped) = $0.kind { "\(skipped.call.patch.id) \(skipped.reason)" } else { nil }
            }
        }
    }

    /// Makes calls in tasks, or on threads.
    private func calls(_ count: Int, of app: App, waits: Bool) -> Task<[Int], Never> {
        Task {
            await withTaskGroup(of: Int.self) { group in
                for _ in 0..<count {
                    group.addTask { waits ? await app.waits(1) : await onThread { app.function(1) } }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
    }

    // MARK: the order

    @Test func patchStackAnyActivationOrderIsOrderedByID() async throws {
        let ids = ["a", "b", "b-c", "z"]
        for first in ids.indices {
            for second in ids.indices where second != first {
                let rest = ids.indices.filter { $0 != first && $0 != second }
                for order in [[first, second] + rest, [first, second] + rest.reversed()] {
                    let app = try App()
                    for place in order {
                        try app.install(ids[place], "return original(x * 10 + \(place + 1))")
                    }
                    #expect(app.order.allSatisfy { $0 == ["z1", "b-c1", "b1", "a1"] })
                    // A new version does not come to the top.
                    try app.install("a", "return x * 10 + 1", version: 2)
                    #expect(app.order.allSatisfy { $0 == ["z1", "b-c1", "b1", "a2"] })
                    #expect(app.function(0) == 4321)
                    #expect(await app.waits(0) == 4321)
                    app.harness.runner.deactivate("com.example.b-c")
                    #expect(app.function(0) == 421)
                    try app.install("b-c", "return original(x * 10 + 5)", version: 2)
                    #expect(app.function(0) == 4521)
                    #expect(app.harness.failures.isEmpty)
                }
            }
        }
    }

    /// A new version may replace other names: it has the place of the old one where both replace a name.
    @Test func aVersionMayReplaceOtherNames() async throws {
        let app = try App()
        func apply(_ id: String, _ version: Int, _ names: [String]) throws {
            try app.harness.apply(
                names.map { "patch.replace('\($0)', function(original, x) return original(x) + \(version) end)" }
                    .joined(separator: "\n"), id: "com.example.\(id)", version: version, replaces: names)
        }
        try apply("b", 1, ["T.f"])
        try apply("c", 1, ["T.f", "T.waits"])
        try apply("a", 1, ["T.f", "T.waits"])
        try apply("b", 20, ["T.waits"])
        #expect(app.order == [["c1", "a1"], ["c1", "b20", "a1"]])
        #expect(app.function(0) == 9)
        #expect(await app.waits(0) == 29)
        try apply("b", 300, ["T.f", "T.waits"])
        #expect(app.order == [["c1", "b300", "a1"], ["c1", "b300", "a1"]])
    }

    // MARK: a guard is updated while calls are above it

    @Test(arguments: [false, true]) func aGuardIsUpdatedWhileCallsAreInAPatchAboveIt(waits: Bool) async throws {
        let app = try App()
        try app.guards()
        try app.install("top", "host.call('\(waits ? "T.pauses" : "T.stops")') return original(x)")
        let answers = calls(10, of: app, waits: waits)
        try await app.gate.hasArrived(waits ? 10 : 1)
        try app.guards(2)
        app.gate.open()
        #expect(await answers.value == Array(repeating: -1, count: 10))
        #expect(app.fallbacks == [])
    }

    /// The patch above it is healthy, or has failed.
    @Test(arguments: [true, false], [true, false])
    func aGuardIsUpdatedWhileCallsWaitForIt(isHealthy: Bool, waits: Bool) async throws {
        let app = try App(.oneInstance.with(\.failures, .max))
        try app.guards(holds: true)
        try app.install("top", isHealthy ? "return original(x)" : "error('no')")
        let held = Task { await onThread { app.holds() } }
        try await app.gate.hasArrived(1)
        let answers = calls(waits ? 100 : 4, of: app, waits: waits)
        let guardian = try #require(app.harness.runner.active.first { $0.name == "com.example.guard" })
        while guardian.script.lua.queueLength == 0 { try await Task.sleep(for: .milliseconds(1)) }
        // More of them come to wait, where they can.
        try await Task.sleep(for: .milliseconds(20))
        try app.guards(2, holds: true)
        app.gate.open()
        #expect(await held.value == 0)
        #expect(await answers.value == Array(repeating: -1, count: waits ? 100 : 4))
        #expect(app.fallbacks == [])
    }

    /// The guard is not touched. The layers above it are.
    @Test(arguments: [false, true]) func thePatchesAboveAGuardAreUpdated(waits: Bool) async throws {
        let app = try App()
        try app.guards()
        try app.install("middle", "return original(x)")
        try app.install("top", "host.call('\(waits ? "T.pauses" : "T.stops")') return original(x)")
        let answers = calls(10, of: app, waits: waits)
        try await app.gate.hasArrived(waits ? 10 : 1)
        try app.install("top", "return original(x)", version: 2)
        try app.install("middle", "return original(x)", version: 2)
        app.gate.open()
        #expect(await answers.value == Array(repeating: -1, count: 10))
        #expect(app.fallbacks == [])
    }

    /// The memory of a layer is used again for the version after the next one, but never for another patch.
    @Test(arguments: [false, true]) func noOtherPatchComesToTheGuardsPlace(waits: Bool) async throws {
        let app = try App()
        try app.guards()
        try app.install("top", "host.call('\(waits ? "T.pauses" : "T.stops")') return original(x)")
        let answers = calls(1, of: app, waits: waits)
        try await app.gate.hasArrived(1)
        // From now on, the call's way to the guard is no longer kept up to date.
        try app.install("top", "return original(x)", version: 2)
        try app.guards(2)
        try app.install("a", "return original(x)")  // it is below the guard
        app.gate.open()
        #expect(await answers.value == [-1])
    }

    // MARK: calls that wait in a patch

    /// A call that waits goes on in the old version, also if that is withdrawn.
    @Test(arguments: [true, false])
    func suspendedCallPatchReplacedOrRemovedGoesOnInOldVersion(isReplaced: Bool) async throws {
        let app = try App()
        try app.install("top", "host.call('T.pauses') host.call('T.pauses') return -1")
        let answers = calls(10, of: app, waits: true)
        try await app.gate.hasArrived(10)
        let old = try #require(app.harness.runner.active.first)
        if isReplaced {
            try app.install("top", "return -2", version: 2)
            #expect(await app.waits(1) == -2)
        } else {
            app.harness.runner.deactivateAll()
            #expect(await app.waits(1) == 7)
        }
        app.gate.open()
        #expect(await answers.value == Array(repeating: -1, count: 10))
        #expect(app.gate.arrived.count == 20)
        #expect(app.fallbacks == [] && app.harness.failures.isEmpty)
        #expect(old.memory == 0)
        app.harness.runner.deactivateAll()
        #expect(await app.waits(1) == 7)
    }

    /// It fails in the old version: the failure is counted for that version, and the new one's breaker stays closed.
    @Test func suspendedCallFailsInOldVersionItsOtherwiseAnswers() async throws {
        let app = try App(.patient.with(\.failures, 3))
        try app.install("top", "host.call('T.pauses') error('no')", otherwise: "-1")
        let answers = calls(10, of: app, waits: true)
        try await app.gate.hasArrived(10)
        try app.install("top", "return -2", version: 2)
        app.gate.open()
        #expect(await answers.value == Array(repeating: -1, count: 10))
        #expect(app.harness.failures.count == 10)
        #expect(app.harness.runner.active.map(\.isBreakerOpen) == [false])
        #expect(await app.waits(1) == -2)
        var counter = CallCounter()
        let called = counter.next(of: app.harness.registry).map { entry in
            [entry.patch.version, entry.calls.count, entry.calls.failures, entry.calls.fallbacks]
        }
        #expect(called == [[1, 10, 10, 10], [2, 1, 0, 0]])
    }

    /// A call had entered the patch above, and the one below is withdrawn: the original answers, and an event says so.
    @Test func waitingCallPatchBelowRemovedIsCountedAsFallback() async throws {
        let app = try App(.oneInstance.with(\.lockTime, .seconds(10)))
        try app.install("below", "return -1", holds: true)
        try app.install("top", "return original(x)")
        let held = Task { await onThread { app.holds() } }
        try await app.gate.hasArrived(1)
        let below = try #require(app.harness.runner.active.first { $0.name == "com.example.below" })
        // It waits for the held call, up to the limit. The calls begin to wait in the middle of that, so that their own
        // limits come later.
        let runner = app.harness.runner
        let ended = Task { await onThread { runner.deactivate("com.example.below") } }
        try await Task.sleep(for: .seconds(5))
        let answers = calls(10, of: app, waits: true)
        while below.script.lua.queueLength < 10 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(await ended.value)
        app.gate.open()
        #expect(await held.value == 0)
        #expect(await answers.value == Array(repeating: 7, count: 10))
        #expect(app.fallbacks == Array(repeating: "com.example.below deactivated", count: 10))
        var counter = CallCounter()
        let called = counter.next(of: app.harness.registry).map { "\($0.patch.id) \($0.calls.fallbacks)" }
        #expect(called == ["com.example.below 10", "com.example.top 0"])
        // A call that is in no patch yet meets the original, as after any deactivation.
        app.harness.runner.deactivateAll()
        #expect(await app.waits(1) == 7)
        #expect(app.fallbacks.count == 10)
    }

    /// A call is refused, and while it is reported the memory of the patch that refused it is used for its third
    /// version.
    @Test func refusedCallLayerReusedByListenerReadsLayerBelowFirst() async throws {
        var limits = PatchLimits.oneInstance
        limits.waitingCalls = 0
        let registry = PatchRegistry()
        let waits = try registry.replaceable("T.waits") { (_: Int) async -> Int in 7 }
        let reported = Mutex<(@Sendable () -> Void)?>(nil)
        let runner = PatchRunner(
            registry: registry, host: try HostInfo(app: "com.example.shop", version: "2.3.1"), limits: limits,
            onEvent: { event in
                guard case .fellBack = event.kind else { return }
                let body = reported.locked { body in
                    defer { body = nil }
                    return body
                }
                body?()
            })
        @Sendable func load(_ id: String, version: Int, _ option: String = "") throws -> LoadedPatch {
            try runner.load(
                Harness.verified(
                    "patch.replace('T.waits', function(original, x) return original(x) end\(option))", id: id,
                    version: version, replaces: ["T.waits"]))
        }
        try runner.activate(load("com.example.below", version: 1, ", {otherwise = -1}"))
        try runner.activate(load("com.example.top", version: 1))
        let third = Mutex<LoadedPatch?>(nil)
        reported.locked { reported in
            reported = {
                #expect(throws: Never.self) {
                    try runner.activate(load("com.example.top", version: 2))
                    let loaded = try load("com.example.top", version: 3)
                    third.locked { $0 = loaded }
                }
            }
        }
        #expect(await waits(1) == -1)
        #expect(third.locked { $0 != nil })
    }
}
