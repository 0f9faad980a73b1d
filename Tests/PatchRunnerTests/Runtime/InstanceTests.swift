import Foundation
import PatchCrypto
@testable import PatchRunner
import Synchronization
import TestSupport
import Testing

/// Calls of one patch from several threads, each in an instance of the patch.
@Suite(.ownThreads) struct InstanceTests {
    private static func limits(_ instances: Int) -> PatchLimits {
        var limits = PatchLimits.patient
        limits.instances = instances
        return limits
    }

    /// Registers `T.meet`, which returns when a given number of threads are in it at once.
    private func meeting(_ count: Int, in harness: Harness) throws -> Replaceable<@Sendable () -> Int> {
        let arrived = Counter()
        return try harness.registry.replaceable("T.meet") { () -> Int in
            arrived.add()
            while arrived.count < count { usleep(200) }
            return 0
        }
    }

    @Test(arguments: [1, 2, 16]) func threadsAreInAPatchAtOnce(_ count: Int) async throws {
        let harness = try Harness(limits: Self.limits(count))
        let meet = try meeting(count, in: harness)
        let patch = try harness.apply("patch.replace('T.meet', function(original) return original() + 1 end)")
        #expect(patch.script.lua.instances == 1)
        let answers = Counter()
        await onThreads(count) { _ in if meet() == 1 { answers.add() } }
        #expect(answers.count == count)
        #expect(patch.script.lua.instances == count)
        #expect(harness.registry.state.first?.patches.first?.calls == count)
        #expect(harness.fallbacks.isEmpty)
    }

    /// How many callers there are at once.
    private static let crowds: [Int] = {
        if isSanitized { return [16, 64] }
        return testsMayBeLong ? [16, 400, 2000, 10_000] : [16, 400]
    }()

    /// No caller bypasses a patch that closes a security hole, however many callers there are.
    @Test(arguments: crowds)
    func thePatchAnswersUnderLoad(_ callers: Int) async throws {
        var limits = PatchLimits()
        // Other tests may keep the processors and the threads of tasks for longer than a call waits by default.
        limits.lockTime = .seconds(60)
        limits.waitTime = .seconds(3600)
        let harness = try Harness(limits: limits)
        let body = { @Sendable (path: String) -> Bool in true }
        let allows = try harness.registry.replaceable("Guard.allows", body)
        let waits = try harness.registry.replaceable("Guard.waits") { (path: String) async -> Bool in true }
        try harness.apply(
            """
            local function check(original, path)
                local sum = 0
                for i = 1, 30000 do sum = sum + i % 7 end
                return sum > 0 and not path:find("..", 1, true)
            end
            patch.replace('Guard.allows', check)
            patch.replace('Guard.waits', check)
            """, replaces: ["Guard.allows", "Guard.waits"])
        let allowed = Counter()
        await onThreads(16) { _ in for _ in 0..<min(callers, 400) / 8 where allows("/../key") { allowed.add() } }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<callers {
                group.addTask { for _ in 0..<(callers < 1000 ? 2 : 1) where await waits("/../key") { allowed.add() } }
            }
        }
        #expect(allowed.count == 0)
        #expect(harness.fallbacks.isEmpty)
        #expect(harness.failures.isEmpty, "\(harness.failures.first?.message ?? "")")
    }

    /// A nested call uses the instance that its thread is in, even if there is another patch between them.
    @Test func nestedCallsStayInTheirInstance() async throws {
        let harness = try Harness(limits: Self.limits(3))
        let outer = try harness.registry.replaceable("T.outer") { (x: Int) -> Int in x }
        _ = try harness.registry.replaceable("T.inner") { (x: Int) -> Int in -1 }
        _ = try harness.registry.replaceable("T.other") { (x: Int) -> Int in -1 }
        try harness.apply(
            """
            local current = 0
            patch.replace('T.outer', function(original, x)
                current = x
                local sum = 0
                for i = 1, 300 do sum = sum + i end
                return host.call('T.other', x)
            end)
            patch.replace('T.inner', function(original, x) return current end)
            """, id: "com.example.a", replaces: ["T.outer", "T.inner"])
        try harness.apply(
            """
            patch.replace('T.other', function(original, x)
                for i = 1, 1000 do end
                return host.call('T.inner', x)
            end)
            """, id: "com.example.b", replaces: ["T.other"])
        let wrong = Counter()
        await onThreads(8) { thread in
            for round in 0..<500 {
                let x = thread * 1000 + round
                if outer(x) != x { wrong.add() }
            }
        }
        #expect(wrong.count == 0)
        #expect(harness.failures.isEmpty)
        #expect(harness.fallbacks.isEmpty)
    }

    @Test func scriptStateSeveralInstancesIsSeparate() async throws {
        for most in [1, 4] {
            let harness = try Harness(limits: Self.limits(most))
            let next = try harness.registry.replaceable("T.next") { () -> Int in 0 }
            let patch = try harness.apply(
                """
                local count = 0
                patch.replace('T.next', function() for i = 1, 2000 do end count = count + 1 return count end)
                """, replaces: ["T.next"])
            let given = Mutex<[Int: Int]>([:])
            await onThreads(6) { _ in
                for _ in 0..<50 {
                    let number = next()
                    given.locked { $0[number, default: 0] += 1 }
                }
            }
            let counts = given.locked { $0 }
            #expect(counts.values.reduce(0, +) == 300)
            #expect(counts.values.allSatisfy { $0 <= most })
            #expect(patch.script.lua.instances <= most)
            #expect(harness.registry.state.first?.patches.first?.calls == 300)
        }
        // Four threads at once are in four instances, each of which counts its own call.
        let harness = try Harness(limits: Self.limits(4))
        let meet = try meeting(4, in: harness)
        try harness.apply(
            """
            local count = 0
            patch.replace('T.meet', function(original) count = count + 1 original() return count end)
            """)
        let counts = Mutex<[Int]>([])
        await onThreads(4) { _ in
            let count = meet()
            counts.locked { $0.append(count) }
        }
        #expect(counts.locked { $0 } == [1, 1, 1, 1])
    }

    /// A script that replaces other names when it loads again has one instance, and one event has the reason.
    @Test func aScriptThatLoadsDifferentlyHasOneInstance() async throws {
        for script in [
            "if not host.has('T.late') then patch.replace('T.more', function() return 1 end) end",
            "if host.has('T.late') then patch.replace('T.late', function() return 1 end) end",
            "if host.has('T.late') then error('not again') end",
        ] {
            let harness = try Harness(limits: Self.limits(2))
            let (hold, isIn, mayLeave) = try harness.holding("T.hold", answer: 1)
            let quick = try harness.registry.replaceable("T.quick") { () -> Int in 0 }
            let more = try harness.registry.replaceable("T.more") { () -> Int in 0 }
            let replacesMore = script.contains("T.more")
            let patch = try harness.apply(
                """
                patch.replace('T.hold', function(original) return original() + 1 end)
                patch.replace('T.quick', function(original) return 1 end)
                \(replacesMore ? "" : "patch.replace('T.more', function() return 1 end)")
                \(script)
                """, replaces: ["T.hold", "T.quick", "T.more"])
            _ = try harness.registry.replaceable("T.late") { () -> Int in 0 }
            async let held: Void = onThreads(1) { _ in #expect(hold() == 2) }
            await isIn.wait()
            async let others: Void = onThreads(2) { _ in
                #expect(quick() == 1)
                #expect(more() == 1)
            }
            while patch.script.lua.queueLength == 0 { try await Task.sleep(for: .milliseconds(1)) }
            mayLeave.signal()
            await held
            await others
            #expect(patch.script.lua.instances == 1)
            #expect(harness.logged.count == 1)
            #expect(
                harness.logged.first?.hasPrefix("calls take turns, because another instance could not be made: ")
                    == true)
            #expect(harness.fallbacks.isEmpty)
        }
    }

    /// The log lines of a loading script are logged once.
    @Test func loadingAgainLogsNothing() async throws {
        let harness = try Harness(limits: Self.limits(3))
        let meet = try meeting(3, in: harness)
        let patch = try harness.apply(
            "log.info('loaded') patch.replace('T.meet', function(original) log.info('called') return original() end)")
        await onThreads(3) { _ in _ = meet() }
        #expect(patch.script.lua.instances == 3)
        #expect(harness.logged.sorted() == ["called", "called", "called", "loaded"])
    }

    /// `peakMemoryBytes` applies to all instances together.
    @Test func memoryIsLimitedOverAllInstances() async throws {
        let harness = try Harness(
            limits: Self.limits(4).with(\.memoryBytes, 8 << 20).with(\.peakMemoryBytes, 8 << 20).with(\.failures, .max))
        let meet = try meeting(4, in: harness)
        let keep = try harness.registry.replaceable("T.keep") { () -> Int in 0 }
        let patch = try harness.apply(
            """
            local kept = {}
            patch.replace('T.meet', function(original) return original() end)
            patch.replace('T.keep', function(original)
                kept[#kept + 1] = ('x'):rep(100000) .. #kept
                return 1
            end)
            """, replaces: ["T.meet", "T.keep"])
        await onThreads(4) { _ in
            _ = meet()
            for _ in 0..<70 { _ = keep() }
        }
        #expect(patch.memory < 12 << 20, "\(patch.memory)")
        for _ in 0..<100 { _ = keep() }
        #expect(harness.failures.contains { $0.message == "ended: past its memory limit" })
        #expect(Set(harness.fallbacks).subtracting([.busy]).isEmpty)
        #expect(patch.memory < 12 << 20, "\(patch.memory)")
    }

    /// There are no more instances than the memory is enough for, each as large as the largest was.
    @Test func instancesAreMadeWhileThereIsMemory() async throws {
        let harness = try Harness(limits: Self.limits(8).with(\.peakMemoryBytes, 8 << 20))
        let function = try harness.registry.replaceable("T.f") { () -> Int in
            usleep(3000)
            return 0
        }
        let patch = try harness.apply(
            """
            local kept = {} for i = 1, 25 do kept[i] = ('x'):rep(100000) .. i end
            patch.replace('T.f', function(original) return original() + 1 end)
            """, replaces: ["T.f"])
        let answers = Counter()
        await onThreads(8) { _ in for _ in 0..<10 where function() == 1 { answers.add() } }
        #expect((2...3).contains(patch.script.lua.instances))
        #expect(answers.count == 80)
        #expect(harness.fallbacks.isEmpty && harness.failures.isEmpty)
    }

    /// Instances that were made while they were small fill a cache each. The last ones are closed, and none is blamed.
    @Test func cachesDoNotEndAPatch() async throws {
        let harness = try Harness(limits: Self.limits(16))
        let meet = try meeting(16, in: harness)
        let originals = Counter()
        let keep = try harness.registry.replaceable("T.keep") { (x: Int) -> Int in
            originals.add()
            return 0
        }
        let patch = try harness.apply(
            """
            local kept = {}
            patch.replace('T.meet', function(original) return original() end)
            patch.replace('T.keep', function(original, x)
                if #kept < 40 then kept[#kept + 1] = ('x'):rep(100000) .. x end
                return 1
            end)
            """, replaces: ["T.meet", "T.keep"])
        await onThreads(16) { thread in
            _ = meet()
            for call in 0..<200 { _ = keep(thread * 1000 + call) }
        }
        #expect(harness.failures.isEmpty && !patch.isBreakerOpen)
        #expect(Set(harness.fallbacks).subtracting([.busy]).isEmpty)
        let kept = harness.events.count {
            if case .fellBack(let fallback) = $0.kind { fallback.call.function == "T.keep" } else { false }
        }
        #expect(kept == originals.count)
        let instances = patch.script.lua.instances
        // Eight full ones fit. If a few are not full yet, there is room for more.
        #expect(instances >= 2 && instances < 16, "\(instances)")
        #expect(patch.memory <= 34 << 20)
        // Each time that one of these is full, too, one is closed. In the end no call needs another answer.
        var before: Int
        var rounds = 0
        repeat {
            before = originals.count
            rounds += 1
            await onThreads(16) { thread in for call in 0..<200 { _ = keep(thread * 1000 + call) } }
        } while originals.count > before && rounds < 16
        #expect(originals.count == before)
    }

    /// What other instances hold cannot be had: the patch is busy, and its `otherwise` answers. The last instance is
    /// closed.
    @Test(arguments: [false, true]) func peakMemoryHeldByOtherInstancesIsBusy(waits: Bool) async throws {
        let harness = try Harness(limits: Self.limits(2).with(\.peakMemoryBytes, 9 << 20).with(\.failures, 1))
        let meet = try meeting(2, in: harness)
        let isIn = Counter()
        let mayLeave = Counter()
        _ = try harness.registry.replaceable("T.stop") { () -> Void in
            isIn.add()
            while mayLeave.count == 0 { usleep(200) }
        }
        let keep = try harness.registry.replaceable("T.keep") { (stops: Bool) -> Int in 7 }
        let slow = try harness.registry.replaceable("T.slow") { (stops: Bool) async -> Int in 7 }
        let patch = try harness.apply(
            """
            local function keep(original, stops)
                local kept = {} for i = 1, 50 do kept[i] = ('x'):rep(100000) .. i end
                if stops then host.call('T.stop') end
                return 1
            end
            patch.replace('T.meet', function(original) return original() end)
            patch.replace('T.keep', keep, {otherwise = -1})
            patch.replace('T.slow', keep, {otherwise = -1})
            """, replaces: ["T.meet", "T.keep", "T.slow"])
        await onThreads(2) { _ in _ = meet() }
        #expect(patch.script.lua.instances == 2)
        async let held = onThread { keep(true) }
        while isIn.count == 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(await waits ? slow(false) == -1 : onThread { keep(false) } == -1)
        #expect(harness.fallbacks == [.busy])
        let reasons = harness.registry.metrics.filter { $0.name == "patchpack_fallbacks" }.compactMap { metric in
            metric.value == .counter(0) ? nil : metric.labels.first { $0.name == "reason" }?.value
        }
        #expect(reasons == ["busy"])
        mayLeave.add()
        #expect(await held == 1)
        #expect(patch.script.lua.instances == 1)
        #expect(await waits ? slow(false) == 1 : keep(false) == 1)
        #expect(harness.failures.isEmpty && !patch.isBreakerOpen, "\(harness.failures)")
    }

    /// Who changes a patch waits for its calls. An instance that closes meanwhile, for want of memory, is given back
    /// too.
    @Test func instanceThatClosesWhileItsLockIsAwaitedIsGivenBack() async throws {
        let harness = try Harness(limits: Self.limits(2).with(\.peakMemoryBytes, 8 << 20))
        let (small, smallIsIn, smallMayLeave) = try harness.holding("T.small", answer: 1)
        let (large, largeIsIn, largeMayLeave) = try harness.holding("T.large", answer: 1)
        let script = """
            patch.replace('T.small', function(original) return original() + 1 end)
            patch.replace('T.large', function(original)
                local answer, kept = original(), {}
                for i = 1, 50 do kept[i] = ('x'):rep(100000) .. i end
                return answer + 1
            end)
            """
        let patch = try harness.apply(script)
        async let first = onThread { small() }
        await smallIsIn.wait()
        async let second = onThread { large() }
        await largeIsIn.wait()
        #expect(patch.script.lua.instances == 2)
        async let change: Void = onThread { harness.runner.deactivate(patch.id) }
        // By now it waits for a lock. If it does not yet, this finds less.
        try await Task.sleep(for: .milliseconds(50))
        smallMayLeave.signal()
        #expect(await first == 2)
        try await Task.sleep(for: .milliseconds(50))
        largeMayLeave.signal()
        #expect(await second == 2)
        await change
        // The next version uses the same memory. Threads that wait for a lock which nobody holds would wait for ever.
        smallMayLeave.signal()
        largeMayLeave.signal()
        try harness.apply(script, version: 2)
        async let again = onThread { small() }
        #expect(await onThread { large() } == 2)
        #expect(await again == 2)
    }

    /// The last instance, for which there is no memory any more, closes when its waiting call has ended.
    @Test func anInstanceIsClosedAfterItsWaitingCall() async throws {
        let harness = try Harness(limits: Self.limits(2).with(\.peakMemoryBytes, 8 << 20))
        let (hold, isIn, mayLeave) = try harness.holding("T.hold", answer: 1)
        let (waits, goesOn) = (Rendezvous(), Rendezvous())
        let slow = try harness.registry.replaceable("T.slow") { () async -> Int in
            waits.release()
            await goesOn.wait()
            return 1
        }
        let patch = try harness.apply(
            """
            patch.replace('T.hold', function(original)
                local answer, kept = original(), {}
                for i = 1, 50 do kept[i] = ('x'):rep(100000) .. i end
                return answer + 1
            end)
            patch.replace('T.slow', function(original) return original() + 1 end)
            """)
        async let held = onThread { hold() }
        await isIn.wait()
        async let waited = slow()
        await waits.wait()
        #expect(patch.script.lua.instances == 2)
        mayLeave.signal()
        #expect(await held == 2)
        goesOn.release()
        #expect(await waited == 2)
        #expect(patch.script.lua.instances == 1)
    }

    /// If all instances fit as they are, and none may get any larger, the last one makes room for the others.
    @Test func peakMemoryCallNeedsMoreClosesOtherInstance() async throws {
        let harness = try Harness(limits: Self.limits(2).with(\.peakMemoryBytes, 8 << 20))
        let meet = try meeting(2, in: harness)
        let use = try harness.registry.replaceable("T.use") { () -> Int in 7 }
        let patch = try harness.apply(
            """
            local kept, more
            patch.replace('T.meet', function(original)
                kept, more = {}, {}
                for i = 1, 32768 do kept[i] = {} end
                for i = 1, 20000 do more[i] = {} end
                return original()
            end)
            patch.replace('T.use', function() return #('x'):rep(500000) end)
            """, replaces: ["T.meet", "T.use"])
        await onThreads(2) { _ in _ = meet() }
        #expect(patch.script.lua.instances == 2)
        #expect(use() == 7)
        #expect(patch.script.lua.instances == 1)
        #expect(use() == 500_000)
        #expect(harness.fallbacks == [.busy] && harness.failures.isEmpty)
    }

    /// A call loads the script at most once, however many others wait. More instances are made by a task.
    @Test func aCallMakesOneInstance() async throws {
        let loads = Mutex<[UInt: Int]>([:])
        let countLoads: @Sendable (String, String, Int) -> Void = { _, _, line in
            let thread = UInt(pthread_self())
            if line == 1 { loads.locked { $0[thread, default: 0] += 1 } }
        }
        let registry = PatchRegistry()
        let runner = PatchRunner(
            registry: registry, host: try HostInfo(app: "com.example.shop", version: "1"), limits: Self.limits(16),
            clock: { nil }, onEvent: nil, checksHost: false, onLine: countLoads)
        let arrived = Counter()
        let mayLeave = Counter()
        let function = try registry.replaceable("T.f") { () -> Int in
            arrived.add()
            while mayLeave.count == 0 { usleep(200) }
            return 0
        }
        let verified = try Harness.verified(
            """
            local sum = 0
            for i = 1, 20000 do sum = sum + i end
            patch.replace('T.f', function(original) return original() + 1 end)
            """, replaces: ["T.f"])
        try runner.activate(try runner.load(verified))
        loads.locked { $0 = [:] }
        let threads = Mutex<Set<UInt>>([])
        async let answers: Void = onThreads(48) { _ in
            threads.locked { _ = $0.insert(UInt(pthread_self())) }
            #expect(function() == 1)
        }
        while arrived.count < 16 { try await Task.sleep(for: .milliseconds(1)) }
        mayLeave.add()
        await answers
        let (made, callers) = (loads.locked { $0 }, threads.locked { $0 })
        #expect(callers.count == 48 && made.values.reduce(0, +) == 15, "\(made)")
        #expect(callers.allSatisfy { made[$0] ?? 0 <= 1 }, "\(made)")
    }

    /// No call waits for a load that takes longer than a call may take.
    @Test func aScriptThatLoadsSlowlyHasOneInstance() async throws {
        let harness = try Harness(limits: Self.limits(4).with(\.callTime, .milliseconds(5)).with(\.loadFuel, .max))
        let function = try harness.registry.replaceable("T.f") { () -> Int in
            usleep(1000)
            return 0
        }
        let patch = try harness.apply(
            """
            local sum = 0 for i = 1, 3000000 do sum = sum + i end
            patch.replace('T.f', function(original) return original() + 1 end)
            """, replaces: ["T.f"])
        let answers = Counter()
        await onThreads(4) { _ in for _ in 0..<20 where function() == 1 { answers.add() } }
        #expect(patch.script.lua.instances == 1 && answers.count == 80)
        #expect(
            harness.logged.count == 1
                && harness.logged[0].hasPrefix("calls take turns, because another instance could not be made: ")
                && harness.logged[0].hasSuffix(" ms to load, which is longer than a call may take"),
            "\(harness.logged)")
    }

    /// Nor if only another load takes so long.
    @Test func anotherLoadIsLimitedAsACallIs() async throws {
        let harness = try Harness(limits: Self.limits(2).with(\.callTime, .milliseconds(30)).with(\.loadFuel, .max))
        let meet = try harness.registry.replaceable("T.f") { () -> Int in
            usleep(20_000)
            return 0
        }
        let patch = try harness.apply(
            """
            if host.has('T.late') then for i = 1, 30000000 do end end
            patch.replace('T.f', function(original) return original() + 1 end)
            """, replaces: ["T.f"])
        _ = try harness.registry.replaceable("T.late") { () -> Int in 0 }
        let answers = Counter()
        // On a busy machine, one thread may have made all of its calls before the other begins.
        var rounds = 0
        while harness.logged.isEmpty && rounds < 50 {
            await onThreads(2) { _ in for _ in 0..<5 where meet() == 1 { answers.add() } }
            rounds += 1
        }
        #expect(patch.script.lua.instances == 1 && answers.count == 10 * rounds)
        #expect(
            harness.logged.count == 1 && harness.logged[0].contains("script-limit: main.lua:1: ended: "),
            "\(harness.logged)")
    }

    /// A patch of two functions: a call of `hold` is in it until `mayLeave` is signalled, and other calls give up soon.
    private struct HeldPatch {
        let harness: Harness
        let patch: LoadedPatch
        let hold: Replaceable<@Sendable () -> Int>
        let quick: Replaceable<@Sendable () -> Int>
        let isIn: Rendezvous
        let mayLeave: DispatchSemaphore

        init() throws {
            harness = try Harness(limits: InstanceTests.limits(2).with(\.lockTime, .milliseconds(2)))
            (hold, isIn, mayLeave) = try harness.holding("T.hold")
            quick = try harness.registry.replaceable("T.quick") { () -> Int in 0 }
            patch = try harness.apply(
                "patch.replace('T.hold', function(o) return o() end) patch.replace('T.quick', function() return 1 end)")
        }
    }

    /// A call near the end of its thread's stack makes no instance, and keeps no other call from making one.
    @Test func aCallWithLittleStackDoesNotEndGrowing() async throws {
        let bench = try HeldPatch()
        let (harness, patch, hold, quick) = (bench.harness, bench.patch, bench.hold, bench.quick)
        async let held = onThread { hold() }
        await bench.isIn.wait()
        for kilobytes in 512..<548 where patch.script.lua.instances == 1 {
            _ = onStack(ofKilobytes: kilobytes) { quick() }
        }
        #expect(await onThread { quick() } == 1)
        #expect(patch.script.lua.instances == 2)
        #expect(harness.logged.isEmpty, "\(harness.logged)")
        bench.mayLeave.signal()
        _ = await held
    }

    /// A call that has made an instance may go on in another patch, and make one there: the first is free then.
    @Test func aCallReservesOneInstance() async throws {
        let bench = try HeldPatch()
        let (harness, first, hold, quick) = (bench.harness, bench.patch, bench.hold, bench.quick)
        _ = try harness.registry.replaceable("T.other") { () -> Int in 0 }
        let second = try harness.apply("patch.replace('T.other', function() return 1 end)", id: "com.example.other")
        await onThread {
            first.script.makeInstance()
            second.script.makeInstance()
            LuaState.releaseReserved()
        }
        #expect(first.script.lua.instances == 2 && second.script.lua.instances == 2)
        async let held = onThread { hold() }
        await bench.isIn.wait()
        #expect(await onThread { quick() } == 1)
        bench.mayLeave.signal()
        _ = await held
    }

    /// The log lines of all instances of a patch share a limit per minute.
    @Test func logsAreLimitedOverAllInstances() async throws {
        let harness = try Harness(limits: Self.limits(8).with(\.logBytesPerMinute, 1000))
        let meet = try meeting(8, in: harness)
        let patch = try harness.apply(
            """
            patch.replace('T.meet', function(original)
                local answer = original()
                for i = 1, 50 do log.info('123456789') end
                return answer
            end)
            """, replaces: ["T.meet"])
        await onThreads(8) { _ in _ = meet() }
        #expect(patch.script.lua.instances == 8)
        #expect(harness.logged.filter { $0 == "123456789" }.count == 100)
        #expect(harness.logged.count == 101)
    }

    /// With more threads than allowed instances, the patch handles each call, and no call waits for ever.
    @Test func manyThreadsShareAPatch() async throws {
        let (harness, function) = try Harness.identity(limits: PatchLimits())
        let patch = try harness.apply(
            "patch.replace('T.f', function(original, x) for i = 1, 500 do end return original(x) + 1000 end)")
        let answers = Counter()
        await onThreads(64) { _ in for call in 0..<200 where function(call) == call + 1000 { answers.add() } }
        #expect(answers.count == 64 * 200)
        #expect(patch.script.lua.instances <= PatchLimits().instances)
        #expect(harness.registry.state.first?.patches.first?.calls == 64 * 200)
        #expect(harness.fallbacks.isEmpty)
    }

    /// Patches are installed and removed while their instances are made and are in use.
    @Test func patchesGoWhileInstancesAreMade() async throws {
        let (harness, function) = try Harness.identity(limits: Self.limits(4))
        let waits = try harness.registry.replaceable("T.w") { (x: Int) async -> Int in
            await Task.yield()
            return x
        }
        let source = """
            patch.replace('T.f', function(original, x) for i = 1, 200 do end return original(x) + 1000 end)
            patch.replace('T.w', function(original, x) return original(x) + 1000 end)
            """
        let verified = try Harness.verified(source, replaces: ["T.f", "T.w"])
        let (isOver, right, wrong) = (Counter(), Counter(), Counter())
        let check = { @Sendable (answer: Int) in [7, 1007].contains(answer) ? right.add() : wrong.add() }
        async let threads: Void = onThreads(6) { _ in
            while isOver.count == 0 { check(function(7)) }
        }
        async let tasks: Void = withTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    while isOver.count == 0 { check(await waits(7)) }
                }
            }
        }
        for _ in 0..<(testsMayBeLong ? 1000 : 40) {
            let before = right.count
            try harness.runner.activate(try harness.runner.load(verified))
            while right.count < before + 12, wrong.count == 0 { try await Task.sleep(for: .milliseconds(1)) }
            if Bool.random() { harness.runner.deactivate("com.example.shop.fix") }
        }
        isOver.add()
        await threads
        await tasks
        harness.runner.deactivateAll()
        #expect(wrong.count == 0)
        #expect(function(7) == 7)
        #expect(harness.failures.isEmpty, "\(harness.failures.first?.message ?? "")")
    }
}
