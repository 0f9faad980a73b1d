import Foundation
import PatchCrypto
@testable import PatchRunner
import Synchronization
import TestSupport
import Testing

/// What happens after a replacement has failed too often.
@Suite(.ownThreads) struct BreakerTests {
    /// The functions, a patch of which fails while `T.mood` answers `fails`, and throws while it answers `throws`.
    private final class App: Sendable {
        let harness: Harness
        let first: Replaceable<@Sendable (Int) throws -> Int>
        let second: Replaceable<@Sendable (String) -> String>
        let waits: Replaceable<nonisolated(nonsending) @Sendable (Int) async throws -> Int>
        let mood = Mutex("works")
        let calls = Counter()
        /// Called by each run of the script.
        let inRun = Mutex<(@Sendable () -> Void)?>(nil)

        init(
            pause: Duration = .zero, failures: Int = 3, instances: Int = 2, otherwise: Bool = true,
            uptime: Uptime = .system
        ) throws {
            var limits = PatchLimits.patient
            limits.failures = failures
            limits.breakerPause = pause
            limits.instances = instances
            harness = try Harness(limits: limits, uptime: uptime)
            let registry = harness.registry
            first = try registry.replaceable("T.first") { (x: Int) throws -> Int in 7 }
            second = try registry.replaceable("T.second") { (x: String) -> String in "hole" }
            waits = try registry.replaceable("T.waits") { (x: Int) async throws -> Int in 7 }
            _ = try registry.replaceable("T.mood") { [weak self] () -> String in
                self?.calls.add()
                self?.inRun.locked { $0 }?()
                return self?.mood.locked { $0 } ?? ""
            }
            func option(_ value: String) -> String { otherwise ? ", {otherwise = \(value)}" : "" }
            try harness.apply(
                """
                local function run(answer)
                  return function()
                    local mood = host.call('T.mood')
                    if mood == 'fails' then error('no') end
                    if mood == 'throws' then host.throw('mine') end
                    return answer
                  end
                end
                patch.replace('T.first', run(1)\(option("-1")))
                patch.replace('T.second', run('patched')\(option("'otherwise'")))
                patch.replace('T.waits', run(1)\(option("-1")))
                """, replaces: ["T.first", "T.second", "T.waits"])
        }

        func set(_ mood: String) { self.mood.locked { $0 = mood } }

        /// Events about breakers.
        var told: [String] {
            harness.events.compactMap {
                switch $0.kind {
                case .breakerOpened(let breaker):
                    "\(breaker.functions.joined(separator: " ")) after \(breaker.failures), \(breaker.otherwise.count) with otherwise"
                case .breakerClosed(let breaker): "\(breaker.function) again"
                default: nil
                }
            }
        }

        /// Whether the breaker is open on each function.
        var open: [Bool] {
            harness.registry.state.filter { $0.name != "T.mood" }.map { $0.patches.first?.isBreakerOpen == true }
        }
    }

    /// It opens for the function that has failed.
    @Test func breakerOneFunctionFailsOpensForItAlone() async throws {
        let app = try App(pause: .seconds(3600))
        app.set("fails")
        for _ in 0..<3 { #expect(try app.first(0) == -1) }
        app.set("works")
        #expect(app.open == [true, false, false])
        #expect(app.told == ["T.first after 3, 1 with otherwise"])
        #expect(try app.first(0) == -1)
        #expect(app.second("") == "patched")
        #expect(try await app.waits(0) == 1)
        #expect(app.harness.runner.active.map(\.isBreakerOpen) == [true])
        #expect(app.harness.registry.metrics.first { $0.name == "patchpack_breaker_open" }?.value == .gauge(1))
        // Its failures no longer count for the others.
        app.set("fails")
        for _ in 0..<2 { #expect(app.second("") == "otherwise") }
        #expect(app.open == [true, false, false])
        #expect(app.second("") == "otherwise")
        #expect(app.open == [true, true, false])
        #expect(app.told.last == "T.second after 3, 1 with otherwise")
    }

    @Test func breakerSeveralFunctionsFailOpensForAll() async throws {
        let app = try App(pause: .seconds(3600))
        app.set("fails")
        for _ in 0..<2 { #expect(try app.first(0) == -1) }
        #expect(app.second("") == "otherwise")
        app.set("works")
        #expect(app.open == [true, true, true])
        #expect(app.told == ["T.first T.second T.waits after 3, 3 with otherwise"])
        #expect(try app.first(0) == -1)
        #expect(app.second("") == "otherwise")
        #expect(try await app.waits(0) == -1)
        #expect(app.calls.count == 3)
    }

    /// Three tries in a row that succeed close it. An error that the script throws for the app is a success.
    @Test(arguments: [false, true], ["works", "throws"])
    func breakerThreeGoodTriesCloses(waits: Bool, mood: String) async throws {
        let app = try App()
        func call() async -> String {
            do { return try await waits ? "\(app.waits(0))" : "\(app.first(0))" } catch { return "\(error)" }
        }
        let answer = mood == "works" ? "1" : "mine"
        app.set("fails")
        for _ in 0..<5 { #expect(await call() == "-1") }
        for _ in 0..<2 {
            app.set(mood)
            for _ in 0..<2 { #expect(await call() == answer) }
            app.set("fails")
            #expect(await call() == "-1")
        }
        #expect(app.told.count == 1 && app.open.contains(true))
        app.set(mood)
        for _ in 0..<3 { #expect(await call() == answer) }
        #expect(app.told.count == 2 && app.told.last == "\(waits ? "T.waits" : "T.first") again")
        #expect(app.open == [false, false, false])
        #expect(app.harness.runner.active.map(\.isBreakerOpen) == [false])
        // It begins to count again.
        app.set("fails")
        for _ in 0..<2 { #expect(await call() == "-1") }
        #expect(!app.open.contains(true))
        #expect(await call() == "-1")
        #expect(app.open.contains(true))
    }

    /// A function of values that are not scalars.
    @Test func breakerNonScalarFunctionClosesAfterTries() throws {
        let app = try App()
        app.set("fails")
        for _ in 0..<4 { #expect(app.second("") == "otherwise") }
        app.set("works")
        for _ in 0..<3 { #expect(app.second("") == "patched") }
        #expect(app.told.last == "T.second again")
    }

    /// Meanwhile its `otherwise` answers all other calls, also those within the try.
    @Test(arguments: [false, true]) func openBreakerConcurrentCallsOneTries(waits: Bool) async throws {
        let app = try App()
        app.set("fails")
        for _ in 0..<3 { _ = try app.first(0) }
        for _ in 0..<3 { _ = try await app.waits(0) }
        app.set("works")
        let isIn = DispatchSemaphore(value: 0)
        let mayLeave = DispatchSemaphore(value: 0)
        let nested = Mutex<[Int]>([])
        app.inRun.locked {
            $0 = { [weak app] in
                app?.inRun.locked { $0 = nil }
                if let app, let answer = try? app.first(0) { nested.locked { $0.append(answer) } }
                isIn.signal()
                mayLeave.wait()
            }
        }
        // Only a child task runs on the test's own threads. It blocks one of them.
        async let attempt: Int = waits ? app.waits(0) : onThread { (try? app.first(0)) ?? 0 }
        await onThread { isIn.wait() }
        let before = app.calls.count
        for _ in 0..<10 { #expect(try await waits ? app.waits(0) == -1 : app.first(0) == -1) }
        #expect(app.calls.count == before)
        mayLeave.signal()
        #expect(try await attempt == 1)
        #expect(nested.locked { $0 } == [waits ? 1 : -1])
        #expect(try await waits ? app.waits(0) == 1 : app.first(0) == 1)
    }

    /// Without an `otherwise`, calls do not enter the replacement until the pause is over.
    @Test func breakerWithoutOtherwisePausesReplacement() async throws {
        let time = ManualUptime()
        let app = try App(pause: .seconds(60), otherwise: false, uptime: time.uptime)
        /// Ends a pause, which must last this long.
        func endPause(after pause: Duration) async throws {
            while time.sleepers == 0 { try await Task.sleep(for: .milliseconds(1)) }
            time.advance(by: pause - .milliseconds(1))
            #expect(time.sleepers == 1 && !app.first.slot.isPatched)
            time.advance(by: .milliseconds(1))
            while !app.first.slot.isPatched { try await Task.sleep(for: .milliseconds(1)) }
        }
        app.set("fails")
        for _ in 0..<3 { #expect(try app.first(0) == 7) }
        #expect(app.told == ["T.first after 3, 0 with otherwise"])
        #expect(!app.first.slot.isPatched && app.second.slot.isPatched)
        #expect(app.harness.registry.state.first { $0.name == "T.first" }?.patches.first?.isBreakerOpen == true)
        #expect(try app.first(0) == 7)
        #expect(app.calls.count == 3)
        // It is tried again, and pauses for twice as long.
        try await endPause(after: .seconds(60))
        #expect(try app.first(0) == 7)
        #expect(app.calls.count == 4)
        #expect(!app.first.slot.isPatched)
        app.set("works")
        try await endPause(after: .seconds(120))
        for _ in 0..<4 { #expect(try app.first(0) == 1) }
        #expect(app.told.last == "T.first again")
        #expect(app.first.slot.isPatched)
        let state = app.harness.registry.state.first { $0.name == "T.first" }?.patches.first
        #expect(state?.calls == 8 && state?.failures == 4 && state?.isBreakerOpen == false)
        #expect(app.harness.fallbacks.isEmpty)
    }

    /// A pause may be over after its patch.
    @Test func aPauseMayOutlastItsPatch() async throws {
        let time = ManualUptime()
        let app = try App(pause: .seconds(60), otherwise: false, uptime: time.uptime)
        app.set("fails")
        for _ in 0..<3 { #expect(try app.first(0) == 7) }
        while time.sleepers == 0 { try await Task.sleep(for: .milliseconds(1)) }
        app.harness.runner.deactivateAll()
        time.advance(by: .seconds(60))
        // The task that has slept ends by now. If it does not yet, this finds less.
        try await Task.sleep(for: .milliseconds(20))
        #expect(!app.first.slot.isPatched)
        #expect(try app.first(0) == 7)
    }

    /// A try that gets no instance is not counted, and another call may try at once.
    @Test(arguments: [false, true]) func breakerTryWithoutInstanceIsNotCounted(waits: Bool) async throws {
        let harness = try Harness(
            limits: .oneInstance.with(\.failures, 1).with(\.breakerPause, .zero).with(\.lockTime, .milliseconds(10)))
        let (holds, isIn, mayLeave) = try harness.holding("T.holds", answer: 1)
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in 7 }
        let slow = try harness.registry.replaceable("T.w") { (x: Int) async -> Int in 7 }
        let patch = try harness.apply(
            """
            local function run(original, x) if x == 0 then error('no') end return 1 end
            patch.replace('T.f', run, {otherwise = -1})
            patch.replace('T.w', run, {otherwise = -1})
            patch.replace('T.holds', function(original) return original() end)
            """, replaces: ["T.f", "T.w", "T.holds"])
        let call = { (x: Int) async -> Int in waits ? await slow(x) : function(x) }
        #expect(await call(0) == -1)
        #expect(patch.isBreakerOpen)
        async let held = onThread { holds() }
        await isIn.wait()
        for _ in 0..<3 { #expect(await call(1) == -1) }
        mayLeave.signal()
        #expect(await held == 1)
        for success in 1...3 {
            #expect(patch.isBreakerOpen, "\(success)")
            #expect(await call(1) == 1)
        }
        #expect(!patch.isBreakerOpen)
        #expect(harness.fallbacks.count { $0 == .busy } == 3)
    }

    // MARK: the rule

    /// A call that waits for a long time keeps no other from trying: without a failure within a pause, it has
    /// succeeded.
    @Test func aTryThatDoesNotEndLetsOthersTry() throws {
        let time = ManualUptime()
        let breaker = Breaker(
            limits: PatchLimits().with(\.failures, 1), functions: ["a"], uptime: time.uptime, changed: { _, _ in })
        breaker.count("a")
        time.advance(by: .seconds(60))
        var tries = [try #require(breaker.probe("a"))]
        for _ in 2...3 {
            time.advance(by: .seconds(60) - .nanoseconds(1))
            #expect(breaker.probe("a") == nil)
            time.advance(by: .nanoseconds(1))
            tries.append(try #require(breaker.probe("a")))
        }
        // What has counted does not count again.
        tries[0].ended(succeeded: true)
        tries[1].ended(succeeded: nil)
        #expect(breaker.isOpen("a"))
        #expect(breaker.probe("a") == nil)
        // A late failure does.
        tries[1].ended(succeeded: false)
        time.advance(by: .seconds(120))
        for _ in 1...3 {
            #expect(breaker.probe("a") != nil)
            time.advance(by: .seconds(60))
        }
        #expect(breaker.isOpen("a"))
        #expect(breaker.probe("a") == nil)
        #expect(!breaker.isOpen("a"))
    }

    /// So does one whose original is a stream: the others have the patch again after three pauses, and not when it
    /// ends.
    @Test func breakerCallThatWaitsInItsOriginalCloses() async throws {
        let time = ManualUptime()
        let harness = try Harness(limits: .patient.with(\.failures, 1), uptime: time.uptime)
        let (isIn, mayEnd) = (Rendezvous(), Rendezvous())
        let stream = try harness.registry.replaceable("T.stream") { (x: Int) async -> Int in
            if x > 1 {
                isIn.release()
                await mayEnd.wait()
            }
            return 7
        }
        let patch = try harness.apply(
            """
            patch.replace('T.stream', function(original, x)
              if x == 0 then error('no') end
              return original(x) + 1
            end, {otherwise = -1})
            """)
        #expect(await stream(0) == -1)
        var waiting: [Task<Int, Never>] = []
        for _ in 1...3 {
            #expect(await stream(1) == -1)
            time.advance(by: .seconds(60))
            waiting.append(Task { await stream(2) })
            await isIn.wait()
        }
        #expect(patch.isBreakerOpen)
        time.advance(by: .seconds(60))
        #expect(await stream(1) == -1)
        #expect(await stream(1) == 8)
        #expect(!patch.isBreakerOpen)
        // All of them first: the tasks may wait in another order than they began.
        for _ in waiting { mayEnd.release() }
        for task in waiting { #expect(await task.value == 8) }
    }

    @Test func onlyFailuresWithinTheWindowCount() throws {
        let time = ManualUptime()
        let breaker = Breaker(
            limits: PatchLimits().with(\.failures, 3), functions: ["a", "b"], uptime: time.uptime, changed: { _, _ in })
        for (function, pause) in [("b", 30), ("a", 31), ("b", 30), ("a", 1)] {
            breaker.count(function)
            #expect(!breaker.isOpen)
            time.advance(by: .seconds(pause))
        }
        breaker.count("a")
        #expect(breaker.isOpen("a") && breaker.isOpen("b"))
    }

    /// With a high limit, a failure does not look at all others of its minute.
    @Test func recentFailuresManyAreKeptInFewMoments() {
        var failures = RecentFailures()
        for number in 0..<200_000 {
            failures.add(number.isMultiple(of: 2) ? "a" : "b", at: .milliseconds(number), window: .seconds(60))
        }
        #expect(failures.moments.count <= RecentFailures.most + 1)
        #expect((59_900...60_100).contains(failures.count))
        #expect(failures.functions == 2)
    }

    @Test func eachTryThatFailsDoublesThePause() throws {
        let time = ManualUptime()
        let changes = Mutex<[String]>([])
        var limits = PatchLimits()
        limits.failures = 1
        let breaker = Breaker(limits: limits, functions: ["a", "b"], uptime: time.uptime) { breaker, change in
            changes.locked { $0.append("\(change)") }
        }
        breaker.count("a")
        for pause in [60, 120, 240, 480, 960, 1920, 3600, 3600] {
            time.advance(by: .seconds(pause) - .nanoseconds(1))
            #expect(breaker.probe("a") == nil && breaker.probe("b") == nil, "\(pause)")
            time.advance(by: .nanoseconds(1))
            let probe = try #require(breaker.probe("a"), "\(pause)")
            #expect(breaker.probe("a") == nil)
            probe.ended(succeeded: false)
        }
        #expect(breaker.probe("a") == nil)
        time.advance(by: .seconds(3600))
        for success in 1...3 {
            let probe = try #require(breaker.probe("a"))
            #expect(breaker.isOpen("a"), "\(success)")
            // One that is given up changes nothing.
            probe.ended(succeeded: nil)
            try #require(breaker.probe("a")).ended(succeeded: true)
        }
        #expect(!breaker.isOpen)
        #expect(changes.locked { $0.first?.hasPrefix("opened") == true && $0.last?.hasPrefix("closed") == true })
        #expect(changes.locked { $0.count } == 10)
        breaker.open()
        time.advance(by: .seconds(1_000_000_000))
        #expect(breaker.isOpen("a") && breaker.isOpen("b") && breaker.probe("a") == nil)
    }
}
