import Foundation
import PatchCrypto
@testable import PatchRunner
import Synchronization
import TestSupport
import Testing

@Suite(.ownThreads) struct ThreadTests {
    @Test func patchesThatCallEachOtherFromTwoThreads() async throws {
        var limits = PatchLimits.patient
        limits.lockTime = .milliseconds(2)
        let harness = try Harness(limits: limits)
        let left = try harness.registry.replaceable("T.left") { (x: Int) -> Int in x }
        let right = try harness.registry.replaceable("T.right") { (x: Int) -> Int in x }
        func script(_ mine: String, _ other: String) -> String {
            "patch.replace('T.\(mine)', function(original, x) if x == 0 then return 0 end return host.call('T.\(other)', x - 1) + 1 end)"
        }
        try harness.apply(script("left", "right"), id: "com.example.left", replaces: ["T.left"])
        try harness.apply(script("right", "left"), id: "com.example.right", replaces: ["T.right"])
        let wrong = Counter()
        let calls = Counter()
        let end = ContinuousClock.now + .seconds(testsMayBeLong ? 10 : 0.5)
        await onThreads(2) { thread in
            while ContinuousClock.now < end {
                // The sum is the same whether Lua returns the result, or the original does because a call waited too
                // long.
                if (thread == 0 ? left : right)(6) != 6 { wrong.add() }
                calls.add()
            }
        }
        #expect(wrong.count == 0)
        #expect(calls.count > 0)
        #expect(harness.failures.isEmpty)
    }

    /// A thread that waits for the locks of a patch leaves them to the thread that has them.
    @Test func locksOfAPatchTwoThreadsAreGivenBack() async throws {
        var limits = PatchLimits.oneInstance
        limits.lockTime = .seconds(1)
        let harness = try Harness(limits: limits)
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in x }
        let lua = try harness.apply(
            "patch.replace('T.f', function(original, x) return x + 1 end)", replaces: ["T.f"]
        ).script.lua
        let (isIn, begins, mayLeave) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        async let first: Void = OwnThreads.run {
            lua.whileLocked {
                isIn.signal()
                mayLeave.wait()
            }
        }
        await OwnThreads.run { isIn.wait() }
        async let second: Void = OwnThreads.run {
            begins.signal()
            lua.whileLocked {}
        }
        await OwnThreads.run { begins.wait() }
        // By now it waits for the locks. If it does not yet, this finds less.
        try await Task.sleep(for: .milliseconds(20))
        mayLeave.signal()
        _ = await (first, second)
        #expect(function(1) == 2)
    }

    /// The test's action when a call on this thread has found a layer that is no longer on its name.
    private static let upgrade = Mutex<(thread: pthread_t?, body: (@Sendable () -> Void)?)>((nil, nil))

    /// A layer's memory is reused for the patch after the next one. A call that waited for the old patch finds the same
    /// layer, but not the same patch.
    @Test func aLayerThatIsUsedAgainIsCalled() async throws {
        var limits = PatchLimits.oneInstance
        limits.lockTime = .seconds(5)
        let harness = try Harness(limits: limits)
        let (isIn, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in
            if x == 0 {
                isIn.signal()
                mayLeave.wait()
            }
            return x
        }
        @Sendable func apply(_ version: Int) throws {
            try harness.apply(
                "patch.replace('T.f', function(original, x) return original(x) + \(version)000 end)", version: version,
                replaces: ["T.f"])
        }
        try apply(1)
        Self.upgrade.locked { upgrade in
            upgrade.body = { #expect(throws: Never.self) { try apply(3) } }
        }
        LuaState.whenStale {
            let body = ThreadTests.upgrade.locked { upgrade in
                upgrade.thread.map { pthread_equal($0, pthread_self()) != 0 } == true ? upgrade.body.take() : nil
            }
            body?()
        }
        defer { LuaState.whenStale(nil) }
        async let first = onThread { function(0) }
        await onThread { isIn.wait() }
        // It finds version 1, and waits for it.
        async let second = onThread {
            Self.upgrade.locked { $0.thread = pthread_self() }
            return function(7)
        }
        for _ in 0..<5000 where !harness.runner.active.allSatisfy({ $0.script.lua.queueLength > 0 }) {
            try await Task.sleep(for: .milliseconds(1))
        }
        try apply(2)
        mayLeave.signal()
        let answers = await (first, second)
        #expect(answers == (1000, 3007))
        #expect(Self.upgrade.locked { $0.body == nil })
        #expect(!harness.events.contains { if case .fellBack = $0.kind { true } else { false } })
    }

    @Test func activationSeveralReplacementsAreSeenTogether() async throws {
        let harness = try Harness()
        let first = try harness.registry.replaceable("T.a") { () -> Int in 0 }
        let last = try harness.registry.replaceable("T.z") { () -> Int in 0 }
        var version = 0
        for _ in 0..<50 {
            version += 1
            let patch = try harness.runner.load(
                try Harness.verified(
                    "patch.replace('T.a', function() return 1 end) patch.replace('T.z', function() return 1 end)",
                    version: version, replaces: ["T.a", "T.z"]))
            let torn = Counter()
            await withCheckedContinuation { done in
                Thread.detachNewThread {
                    var (one, two) = (0, 0)
                    while one == 0 { (one, two) = (first(), last()) }
                    if two == 0 { torn.add() }
                    done.resume()
                }
                try? harness.runner.activate(patch)
            }
            #expect(torn.count == 0)
            harness.runner.deactivateAll()
        }
    }

    @Test func aPatchCanBeRemovedFromWithinItsCall() throws {
        let harness = try Harness()
        let remove = try harness.registry.replaceable("T.remove") { [weak runner = harness.runner] () -> Bool in
            runner?.deactivate("com.example.shop.fix") == true
        }
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in x }
        try harness.apply(
            """
            patch.replace("T.f", function(original, x)
              assert(host.call("T.remove"))
              local t = {}
              for i = 1, 100 do t[i] = ("x"):rep(i) end
              return original(x) + #t
            end)
            """, replaces: ["T.f"])
        #expect(function(1) == 101, "\(harness.failures)")
        #expect(function(1) == 1)
        #expect(!remove())
    }

    @Test func manyCallsLeaveMemoryWhereItWas() throws {
        let harness = try Harness()
        let function = try harness.registry.replaceable("T.f") { (x: Int, s: String) -> [Int] in [x] }
        let patch = try harness.apply(
            """
            patch.replace("T.f", function(original, x, s)
              local t = original(x, s .. x)
              t[#t + 1] = #s
              return t
            end)
            """, replaces: ["T.f"])
        func run(_ count: Int) { for i in 0..<count where function(i, "text")[1] != 4 { Issue.record("wrong answer") } }
        run(20_000)
        let before = patch.memory
        run(testsMayBeLong ? 1_000_000 : 30_000)
        // The collector lets memory grow to twice the live values before it starts again.
        #expect(patch.memory < 3 * before)
        #expect(harness.failures.isEmpty)
    }

    @Test func callThreadWithLittleStackOriginalAnswers() throws {
        let harness = try Harness()
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in x }
        try harness.apply("patch.replace('T.f', function(o, x) return x + 1 end)", replaces: ["T.f"])
        let answer = onStack(ofKilobytes: 256) { function(1) }
        #if !canImport(Darwin)
            #expect(answer == 1 || isSanitized)  // a sanitizer's locals may not be on the stack
        #endif
        #expect(function(1) == 2)
    }
}

extension LuaState {
    /// Runs a body under the locks of all instances, as a change of the active patches does.
    func whileLocked(_ body: () -> Void) {
        let isLocked = lockInstances()
        body()
        if isLocked { unlockInstances() }
    }
}
