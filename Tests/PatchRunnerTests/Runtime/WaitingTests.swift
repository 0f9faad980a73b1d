import Foundation
import PatchCrypto
@testable import PatchRunner
import Synchronization
import TestSupport
import Testing

/// Calls that wait for a patch that another call is in.
@Suite(.ownThreads) struct WaitingTests {
    private static let through = "patch.replace('T.f', function(original, x) return original(x) + 1000 end)"

    /// Registers `T.f`, whose original stays in the patch until it may leave.
    private func holding(
        _ harness: Harness
    ) throws -> (function: Replaceable<@Sendable (Int) -> Int>, isIn: Rendezvous, mayLeave: DispatchSemaphore) {
        let (isIn, mayLeave) = (Rendezvous(), DispatchSemaphore(value: 0))
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in
            isIn.release()
            mayLeave.wait()
            return x
        }
        return (function, isIn, mayLeave)
    }

    /// Twelve threads queue, and each is in the patch for a tenth of `lockTime`. The last one waits longer than
    /// `lockTime`, and still gets in.
    @Test func waitingCallManyShortCallsBeforeGetsIn() async throws {
        var limits = PatchLimits.oneInstance
        let turn = isSanitized ? 0.5 : 0.05
        limits.lockTime = .seconds(10 * turn)
        let harness = try Harness(limits: limits)
        let (isIn, allWait) = (Rendezvous(), DispatchSemaphore(value: 0))
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in
            if x == 0 {
                isIn.release()
                allWait.wait()
            } else {
                Thread.sleep(forTimeInterval: turn)
            }
            return x
        }
        let lua = try harness.apply(Self.through, replaces: ["T.f"]).script.lua
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask { await onThread { function(0) } }
            await isIn.wait()
            for i in 1...12 { group.addTask { await onThread { function(i) } } }
            while lua.queueLength < 12 { try await Task.sleep(for: .milliseconds(1)) }
            allWait.signal()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.sorted() == (0...12).map { $0 + 1000 })
        #expect(harness.fallbacks.isEmpty)
    }

    /// Threads that call all the time do not block each other. Each goes on until all have made a hundred calls, so if
    /// one were kept out, it would give up.
    @Test func callQueueThreadsCallConstantlyServesEach() async throws {
        let harness = try Harness(limits: .oneInstance.with(\.waitTime, isSanitized ? .seconds(20) : .seconds(5)))
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in
            let end = DispatchTime.now().uptimeNanoseconds + 200_000
            while DispatchTime.now().uptimeNanoseconds < end {}
            return x
        }
        try harness.apply(Self.through, replaces: ["T.f"])
        let calls = (0..<3).map { _ in Counter() }
        await withTaskGroup(of: Void.self) { group in
            for own in calls {
                group.addTask {
                    await onThread {
                        while calls.contains(where: { $0.count < 100 }) {
                            _ = function(1)
                            own.add()
                        }
                    }
                }
            }
        }
        #expect(harness.fallbacks.isEmpty)
    }

    /// An actor that runs on its own queue, which a test can block, like a busy main thread.
    private actor Busy {
        private final class Executor: SerialExecutor {
            let queue = DispatchQueue(label: "busy")

            func enqueue(_ job: consuming ExecutorJob) {
                let job = UnownedJob(job)
                queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
            }
        }

        private let executor = Executor()
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
        nonisolated var queue: DispatchQueue { executor.queue }

        func call(_ function: Replaceable<nonisolated(nonsending) @Sendable (Int) async -> Int>) async -> Int {
            await function(1)
        }
    }

    /// A task has the next turn, and its actor is blocked. Other threads and tasks do not wait for that actor.
    @Test func anActorThatIsBlockedKeepsNobodyOut() async throws {
        let harness = try Harness(limits: .oneInstance.with(\.lockTime, isSanitized ? .seconds(10) : .seconds(2)))
        let (holds, isIn, mayLeave) = try holding(harness)
        let quick = try harness.registry.replaceable("T.q") { (x: Int) -> Int in x }
        let waits = try harness.registry.replaceable("T.w") { (x: Int) async -> Int in x }
        let lua = try harness.apply(
            """
            \(Self.through)
            patch.replace('T.q', function(original, x) return original(x) + 100 end)
            patch.replace('T.w', function(original, x) return original(x) + 10 end)
            """, replaces: ["T.f", "T.q", "T.w"]
        ).script.lua
        async let held = onThread { holds(1) }
        await isIn.wait()
        let busy = Busy()
        async let late = busy.call(waits)
        // It must be in the queue, and its actor must be blocked, before the patch is left.
        while lua.queueLength < 1 { try await Task.sleep(for: .milliseconds(1)) }
        let mayGoOn = DispatchSemaphore(value: 0)
        await withCheckedContinuation { isBlocked in
            busy.queue.async {
                isBlocked.resume()
                mayGoOn.wait()
            }
        }
        mayLeave.signal()
        #expect(await held == 1001)
        #expect(await onThread { (0..<10).map { quick($0) } } == (100..<110).map { $0 })
        let answers = await withTaskGroup(of: Int.self) { group in
            for i in 0..<5 { group.addTask { await waits(i) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.sorted() == (10..<15).map { $0 })
        mayGoOn.signal()
        #expect(await late == 11)
        #expect(harness.fallbacks.isEmpty)
    }

    /// A thread holds a patch until an unrelated task has run. Waiting calls must leave that task a thread.
    @Test
    func tasksThatWaitHoldNoThread() async throws {
        let harness = try Harness(limits: .oneInstance)
        let (holds, isIn, mayLeave) = try holding(harness)
        let waits = try harness.registry.replaceable("T.w") { (x: Int) async -> Int in x }
        let lua = try harness.apply(
            "\(Self.through) patch.replace('T.w', function(original, x) return original(x) + 1 end)",
            replaces: ["T.f", "T.w"]
        ).script.lua
        async let held = onThread { holds(1) }
        await isIn.wait()
        let executor = ThreadPool(threads: 2)
        await withTaskGroup(of: Int.self) { group in
            for i in 0..<40 { group.addTask(executorPreference: executor) { await waits(i) } }
            // If both threads were taken, this task would not run before the others give up after 20 seconds.
            group.addTask(executorPreference: executor) {
                while lua.queueLength < 40 { try? await Task.sleep(for: .milliseconds(1)) }
                mayLeave.signal()
                return -1
            }
            var answers = await group.reduce(into: []) { $0.append($1) }
            answers.sort()
            #expect(answers == [-1] + (1...40))
        }
        #expect(await held == 1001)
        #expect(harness.fallbacks.isEmpty)
    }

    @Test func aTaskGivesUpAsAThreadDoes() async throws {
        let harness = try Harness(limits: .oneInstance.with(\.lockTime, .milliseconds(20)))
        let (holds, isIn, mayLeave) = try holding(harness)
        let waits = try harness.registry.replaceable("T.w") { (x: Int) async -> Int in x }
        try harness.apply("\(Self.through) patch.replace('T.w', function(original, x) return original(x) + 1 end)")
        async let held = onThread { holds(1) }
        await isIn.wait()
        #expect(await waits(7) == 7)
        #expect(harness.fallbacks == [.busy])
        mayLeave.signal()
        #expect(await held == 1001)
        #expect(await waits(7) == 8)
    }

    /// As many calls may wait as the limit allows. The original handles the others, and the breaker does not open.
    @Test(arguments: [50, 1000])
    func waitingCallsAboveLimitOriginalAnswers(_ limit: Int) async throws {
        let harness = try Harness(limits: .oneInstance.with(\.waitingCalls, limit))
        let gate = Mutex<[CheckedContinuation<Void, Never>]>([])
        let arrived = Counter()
        let function = try harness.registry.replaceable("T.f") { (x: Int) async -> Int in
            await withCheckedContinuation { waiting in
                gate.locked { $0.append(waiting) }
                arrived.add()
            }
            return x
        }
        try harness.apply(
            "patch.replace('T.f', function(original, x) for i = 1, 3000 do end return original(x) + 10000 end)")
        let answers = await withTaskGroup(of: Int.self) { group in
            for i in 0..<2 * limit { group.addTask { await function(i) } }
            while arrived.count < 2 * limit { try? await Task.sleep(for: .milliseconds(1)) }
            for waiting in gate.locked({ $0 }) { waiting.resume() }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0 >= 10000 } == limit)
        #expect(answers.count { $0 < 10000 } == limit)
        #expect(harness.failures.isEmpty)
        #expect(harness.fallbacks == Array(repeating: .waiting, count: limit))
        #expect(harness.runner.active.count == 1)
    }

    /// Ten thousand calls at once: each is answered by the patch, or by the original if too many wait, and none fails.
    @Test func tenThousandCallsAtOnce() async throws {
        let harness = try Harness(limits: PatchLimits())
        let function = try harness.registry.replaceable("T.f") { (x: Int) async -> Int in
            await Task.yield()
            return x
        }
        try harness.apply("patch.replace('T.f', function(original, x) return original(x) + 1 end)", replaces: ["T.f"])
        let added = await withTaskGroup(of: Int.self) { group in
            for x in 0..<10_000 { group.addTask { await function(x) - x } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(added.contains(1) && added.allSatisfy { $0 == 0 || $0 == 1 })
        #expect(harness.failures.isEmpty)
    }

    /// If a patch is busy, the patch below it handles the call, not the original.
    @Test func thePatchBelowAnswersForABusyOne() async throws {
        let harness = try Harness(limits: .oneInstance.with(\.lockTime, .milliseconds(5)))
        let function = try harness.registry.replaceable("T.f") { (x: Int, text: String) -> Int in x }
        let scalars = try harness.registry.replaceable("T.s") { (x: Int) -> Int in x }
        let slow = try harness.registry.replaceable("T.a") { (x: Int) async -> Int in x }
        let (hold, isIn, mayLeave) = try harness.holding("T.hold")
        func script(_ more: Int) -> String {
            ["T.f", "T.s", "T.a"].map {
                "patch.replace('\($0)', function(original, ...) return original(...) + \(more) end)"
            }.joined(separator: "\n")
        }
        try harness.apply(script(1), id: "com.example.a", replaces: ["T.f", "T.s", "T.a"])
        try harness.apply(
            script(10) + "\npatch.replace('T.hold', function(original) return original() end)",
            id: "com.example.b", replaces: ["T.f", "T.s", "T.a", "T.hold"])
        async let held = onThread { hold() }
        await isIn.wait()
        #expect(function(100, "") == 101)
        #expect(scalars(100) == 101)
        #expect(await slow(100) == 101)
        mayLeave.signal()
        #expect(await held == 0)
        #expect(function(100, "") == 111)
        #expect(harness.fallbacks == [.busy, .busy, .busy])
    }

    /// An original that calls its own name endlessly causes one event, not one for each call.
    @Test func oneEventTellsOfAllCallsWithoutRoom() throws {
        let harness = try Harness(limits: .oneInstance)
        let own = Mutex<Replaceable<@Sendable (Int) -> Int>?>(nil)
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in
            guard x < 100, let function = own.locked({ $0 }) else { return x }
            var sum = 0
            for _ in 0..<(x == 99 ? 1000 : 1) { sum = function(x + 1) }
            return sum
        }
        own.locked { $0 = function }
        try harness.apply("patch.replace('T.f', function(original, x) return original(x) end)", replaces: ["T.f"])
        #expect(function(1) == 100)
        #expect(harness.fallbacks == [.noRoom])
        #expect(harness.registry.state.first?.patches.first.map { $0.fallbacks > 1000 } == true)
        own.locked { $0 = nil }
    }

    /// An asynchronous call that continues within another call on the same thread has its own fuel, and does not use
    /// the other's.
    @Test func eachCallHasItsOwnFuel() async throws {
        let harness = try Harness(limits: .oneInstance)
        let calls = try CallWithinCall(in: harness.registry)
        let burn = "for i = 1, 600000 do end"
        try harness.apply(
            """
            patch.replace('T.slow', function(original, x) local y = original(x) \(burn) return y + 1000 end)
            patch.replace('T.outer', function(original, x) \(burn) local y = original(x) \(burn) return y + 1000 end)
            """, replaces: ["T.slow", "T.outer"])
        let answer = try await calls.begin(1)
        #expect(calls.outer(1) == 1)
        #expect(await answer.value == 1001)
        #expect(harness.failures.map(\.message) == ["ended: out of fuel"])
    }

    /// The time of a patched call within a host function counts as the script's.
    @Test func nestedCallsAreTimedAsTheScripts() throws {
        struct Pair: Codable, PatchValue {
            var a = 1
            var b = 2
        }
        let harness = try Harness(limits: .oneInstance.with(\.callTime, .milliseconds(200)).with(\.callFuel, .max))
        let pairs = Array(repeating: Pair(), count: 50)
        let inner = try harness.registry.replaceable("T.inner") { () -> [Pair] in pairs }
        _ = try harness.registry.replaceable("T.outer") { () -> Int in inner().count }
        let run = try harness.registry.replaceable("T.run") { (x: Int) -> Int in x }
        try harness.apply(
            """
            local list = {} for i = 1, 50 do list[i] = {a = 1, b = 2} end
            patch.replace('T.inner', function(original) return list end)
            patch.replace('T.run', function() while true do host.call('T.outer') end end)
            """, replaces: ["T.inner", "T.run"])
        let seconds = OverrunTests.processorTime { #expect(run(7) == 7) }
        #expect(!harness.failures.isEmpty)
        #expect(harness.failures.allSatisfy { $0.message == "ended: past its limit of processor time" })
        #expect(seconds < 2, "it took \(seconds) s, and had 0.2")
    }

    /// Runs its action, which calls a patched function, when it is released.
    private final class LastWish: PatchObject {
        let wish: @Sendable () -> Void
        init(_ wish: @escaping @Sendable () -> Void) { self.wish = wish }
        deinit { wish() }
    }

    /// Objects are released with a call that was given up. Their `deinit` may enter the patch while a call leaves it.
    @Test func objectDeinitAtEndOfCallMayCallPatch() async throws {
        let (harness, function) = try Harness.identity(
            limits: .oneInstance.with(\.lockTime, .milliseconds(20)).with(\.failures, .max))
        let wishes = Counter()
        _ = try harness.registry.replaceable("T.wish") { () -> LastWish in
            LastWish {
                for i in 0..<20 { _ = function(i) }
                wishes.add()
            }
        }
        let gate = Mutex<CheckedContinuation<Void, Never>?>(nil)
        let slow = try harness.registry.replaceable("T.slow") { (x: Int) async -> Int in
            await withCheckedContinuation { continuation in gate.locked { $0 = continuation } }
            return x
        }
        let (hold, isIn, mayLeave) = try harness.holding("T.hold")
        try harness.apply(
            """
            patch.replace('T.f', function(original, x) return original(x) + 1 end)
            patch.replace('T.slow', function(original, x) local wish = host.call('T.wish') return original(x) end)
            patch.replace('T.hold', function(original) return original() end)
            """, replaces: ["T.f", "T.slow", "T.hold"])
        for round in 1...10 {
            async let answer = slow(round)
            while gate.locked({ $0 == nil }) { try await Task.sleep(for: .milliseconds(1)) }
            async let held = onThread { hold() }
            await isIn.wait()
            gate.locked { $0.take() }?.resume()
            #expect(await answer == round)  // it could not enter again, and gave up
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 { group.addTask { await onThread { for i in 0..<2000 { _ = function(i) } } } }
                mayLeave.signal()
            }
            #expect(await held == 0)
        }
        #expect(wishes.count == 10)
        #expect(function(1) == 2)
    }

    /// A task that is woken on the thread that leaves the patch does not block the queue.
    @Test
    func wokenTaskBlocksItsThreadHoldsNoQueue() async throws {
        let harness = try Harness(limits: .oneInstance)
        let (holds, isIn, mayLeave) = try holding(harness)
        let mayEnd = DispatchSemaphore(value: 0)
        let other = try harness.registry.replaceable("T.o") { (x: Int) -> Int in x }
        let waits = try harness.registry.replaceable("T.w") { (x: Int) async -> Int in x }
        let lua = try harness.apply(
            """
            patch.replace('T.f', function(original, x) return original(x) + 1000 end)
            patch.replace('T.o', function(original, x) return original(x) + 1000 end)
            -- Without the original it waits once, so only the first thread can wake it.
            patch.replace('T.w', function(original, x) return x + 1000 end)
            """, replaces: ["T.f", "T.o", "T.w"]
        ).script.lua
        async let held = onThread { holds(1) }
        await isIn.wait()
        let executor = AtOnce()
        let task = Task(executorPreference: executor) { () -> Int in
            let answer = await waits(2)
            mayEnd.wait()  // on the thread that woke it
            return answer
        }
        #expect(lua.queueLength == 1)  // the executor has run it until it waits
        async let late = onThread { other(3) }
        while lua.queueLength < 2 { try await Task.sleep(for: .milliseconds(1)) }
        mayLeave.signal()
        #expect(await late == 1003)
        mayEnd.signal()
        #expect(await task.value == 1002)
        #expect(await held == 1001)
    }

    @Test func objectsGoWithTheirOwnCallWhileOthersWait() async throws {
        let harness = try Harness(limits: .oneInstance)
        let gate = Rendezvous()
        let use = try harness.registry.replaceable("T.use") { (_: Basket, waits: Bool) async -> Int in
            if waits { await gate.wait() }
            return 1
        }
        try harness.apply(
            "patch.replace('T.use', function(original, basket, waits) return original(basket, waits) + 1 end)")
        async let waiting = use(Basket(), true)
        await gate.arrival()
        weak var gone: Basket?
        for _ in 0..<10 {
            let basket = Basket()
            gone = basket
            #expect(await use(basket, false) == 2)
        }
        #expect(gone == nil)
        gate.release()
        #expect(await waiting == 2, "\(harness.failures)")
    }

    @Test func aPatchThatIsBusyAfterAWaitIsReported() async throws {
        let harness = try Harness(limits: .oneInstance.with(\.lockTime, .milliseconds(1)))
        let gate = Rendezvous()
        let slow = try harness.registry.replaceable("T.slow") { (x: Int) async -> Int in
            await gate.wait()
            return x
        }
        let inside = try harness.registry.replaceable("T.inside") { [weak harness] (x: Int) -> Int in
            gate.release()
            // Waits until the other call has given up.
            while harness?.events.contains(where: { $0.name == "fell-back" }) == false {
                Thread.sleep(forTimeInterval: 0.001)
            }
            return x
        }
        try harness.apply(
            """
            patch.replace('T.slow', function(original, x) return original(x) + 1000 end)
            patch.replace('T.inside', function(original, x) return original(x) + 1 end)
            """, replaces: ["T.slow", "T.inside"])
        async let answer = slow(1)
        await gate.arrival()
        #expect(await onThread { inside(1) } == 2)
        #expect(await answer == 1)
    }
}
