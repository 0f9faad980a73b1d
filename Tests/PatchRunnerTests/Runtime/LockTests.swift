import Dispatch
import PatchCrypto
@testable import PatchRunner
import Synchronization
import TestSupport
import Testing

/// No lock of the runner is held while code of the app runs, or while an object of the app ends: see the locks in
/// docs/design.md.
@Suite(.ownThreads) struct LockTests {
    /// An object whose `deinit` does what the test says.
    private final class Wish: Codable, Sendable {
        static let wish = Mutex<(@Sendable () -> Void)?>(nil)

        let text: String

        deinit { Self.wish.locked { $0 }?() }
    }

    private struct Gift: Codable, Sendable, PatchValue {
        let wish: Wish
    }

    /// The `otherwise` of a version ends when its memory is used for a later one, and so do scripts that nothing refers
    /// to.
    @Test func objectThatEndsWithAVersionMayUseTheRunner() async {
        await #expect(processExitsWith: .success) {
            let harness = try Harness()
            let ended = Counter()
            let gift = try harness.registry.replaceable("T.gift") { () throws -> Gift? in nil }
            let (runner, registry) = (harness.runner, harness.registry)
            Wish.wish.locked {
                $0 = {
                    ended.add()
                    _ = runner.active.count + runner.shadows.count + runner.minimumVersions.count + registry.state.count
                    runner.deactivate("com.example.shop.none")
                    runner.endOtherwise { $0.name == "com.example.shop.none" }
                }
            }
            let source = """
                patch.replace('T.gift', function() return {wish = {text = 'script'}} end, {otherwise = {wish = {text = 'a'}}})
                """
            for version in 1...6 {
                try harness.apply(source, version: version)
                _ = try gift()
            }
            let verified = try Harness.verified(source, version: 7, replaces: ["T.gift"])
            runner.activateOtherwise(of: try runner.load(verified))
            try harness.apply(source, version: 8)
            runner.deactivateAll()
            precondition(ended.count > 8, "\(ended.count)")
            Wish.wish.locked { $0 = nil }  // so that the runner ends, too
        }
    }

    /// Whoever deactivates a patch waits for the calls in it. Calls within those calls must not wait for that.
    @Test func breakerThatOpensWithinACallDoesNotWaitForADeactivation() async throws {
        let patience = Duration.seconds(20)
        let harness = try Harness(limits: .oneInstance.with(\.failures, 1).with(\.lockTime, patience))
        let inner = try harness.registry.replaceable("T.inner") { () -> Int in 7 }
        let (isIn, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let took = Mutex(patience)
        let runner = harness.runner
        let outer = try harness.registry.replaceable("T.outer") { () -> Int in
            isIn.signal()
            mayGoOn.wait()
            let begin = ContinuousClock.now
            let answer = inner() + runner.active.count
            took.locked { $0 = ContinuousClock.now - begin }
            return answer
        }
        try harness.apply("patch.replace('T.inner', function() error('no') end)", id: "com.example.shop.inner")
        try harness.apply(
            "patch.replace('T.outer', function(original) return original() end)", id: "com.example.shop.outer")
        async let answer = onThread { outer() }
        await onThread { isIn.wait() }
        async let isDeactivated = onThread { runner.deactivate("com.example.shop.outer") }
        // By now it waits for the call. If it does not yet, this finds less.
        try await Task.sleep(for: .milliseconds(100))
        mayGoOn.signal()
        #expect(await answer == 8)
        #expect(await isDeactivated)
        #expect(took.locked { $0 } < patience / 4)
        #expect(harness.events.contains { $0.name == "breaker-opened" })
    }
}
