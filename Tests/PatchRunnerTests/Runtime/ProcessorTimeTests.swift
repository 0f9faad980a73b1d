import Foundation
import PatchCrypto
import PatchRunner
import Synchronization
import TestSupport
import Testing

/// The limits of time are processor time. No test here depends on how busy the machine is.
@Suite(.ownThreads) struct ProcessorTimeTests {
    /// Its encoding, which counts as the script's time, waits without using the processor.
    struct Slow: Codable, PatchValue {
        var seconds: Double

        func encode(to encoder: any Encoder) throws {
            Thread.sleep(forTimeInterval: seconds)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(seconds, forKey: .seconds)
        }
    }

    private func harness(callTime: Duration, failures: Int = 5) throws -> Harness {
        var limits = PatchLimits.patient
        limits.callTime = callTime
        limits.callFuel = .max
        limits.failures = failures
        let harness = try Harness(limits: limits)
        _ = try harness.registry.replaceable("T.wait") { (seconds: Double) -> Slow in Slow(seconds: seconds) }
        _ = try harness.registry.replaceable("T.work") { (seconds: Double) -> Int in
            Self.work(seconds)
            return 0
        }
        return harness
    }

    /// Uses this thread's processor time.
    private static func work(_ seconds: Double) {
        var used = 0.0
        while used < seconds { used += OverrunTests.processorTime { for _ in 0..<1000 { _ = clock() } } }
    }

    private static let isPast = "ended: past its limit of processor time"

    /// Repeats a call that runs without end until it is ended for that reason. On a busy machine it may first have waited too
    /// long.
    private static func untilItHasWorked(_ harness: Harness, _ call: () -> Void) throws {
        for _ in 0..<100 where harness.failures.last?.message != isPast { call() }
        try #require(harness.failures.last?.message == isPast)
    }

    /// Enough instructions for several checks of the clock in a few milliseconds.
    private static let looks = "for i = 1, 5000 do end"

    @Test func waitingIsNotWorking() throws {
        let harness = try harness(callTime: .milliseconds(100))
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in x }
        try harness.apply(
            """
            patch.replace('T.f', function(original, x)
              for i = 1, 3 do \(Self.looks) host.call('T.wait', 0.1) end
              \(Self.looks)
              return x + 1000
            end)
            """, replaces: ["T.f"])
        #expect(function(1) == 1001, "\(harness.failures)")
    }

    @Test func whoWaitsTooLongIsEndedAndNotBlamed() throws {
        let harness = try harness(callTime: .milliseconds(20), failures: 1)
        let stalls = try harness.registry.replaceable("T.stalls") { (x: Int) -> Int in x }
        let works = try harness.registry.replaceable("T.works") { (x: Int) -> Int in x }
        try harness.apply(
            """
            patch.replace('T.stalls', function()
              while true do \(Self.looks) host.call('T.wait', 0.5) end
            end)
            patch.replace('T.works', function(original, x)
              while x == 2 do end
              return x + 1000
            end)
            """, replaces: ["T.stalls", "T.works"])
        #expect(stalls(1) == 1)
        #expect(harness.failures.map(\.message) == ["ended: it waited too long for the processor"])
        #expect(harness.registry.state.flatMap(\.patches).map(\.failures).reduce(0, +) == 1)
        #expect(works(1) == 1001)
        try Self.untilItHasWorked(harness) { #expect(works(2) == 2) }
        #expect(works(1) == 1, "the breaker did not open")
    }

    /// The thread's clock is read before, between and after the functions of the host.
    @Test func theHostsWorkIsNotTheScripts() async throws {
        let harness = try harness(callTime: .milliseconds(100))
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in x }
        let slow = try harness.registry.replaceable("T.slow") { (x: Int) async -> Int in x }
        try harness.apply(
            """
            for _, name in ipairs{'T.f', 'T.slow'} do
              patch.replace(name, function(original, x)
                for i = 1, 3 do \(Self.looks) host.call('T.wait', 0.15) \(Self.looks) host.call('T.work', 0.15) end
                \(Self.looks)
                return x + 1000
              end)
            end
            """, replaces: ["T.f", "T.slow"])
        #expect(function(1) == 1001, "\(harness.failures)")
        #expect(await slow(1) == 1001, "\(harness.failures)")
    }

    /// A loop, and the processor time of a call that runs it once.
    private static func unit() throws -> (loop: String, time: Duration) {
        let loop = "for i = 1, 4000000 do end"
        var limits = PatchLimits.patient
        limits.callFuel = .max
        let harness = try Harness(limits: limits)
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in x }
        try harness.apply("patch.replace('T.f', function(_, x) \(loop) return x + 1 end)", replaces: ["T.f"])
        let times = (0..<5).map { _ in OverrunTests.processorTime { #expect(function(1) == 2) } }
        return (loop, .seconds(times.sorted()[2]))
    }

    @Test func anAsynchronousCallKeepsWhatItHasUsed() async throws {
        let (loop, time) = try Self.unit()
        let harness = try harness(callTime: time * 5)
        let function = try harness.registry.replaceable("T.f") { (x: Int) async -> Int in x }
        _ = try harness.registry.replaceable("T.pause") { () async -> Int in
            try? await Task.sleep(for: .milliseconds(1))
            return 0
        }
        try harness.apply(
            """
            patch.replace('T.f', function(_, x)
              for i = 1, x do \(loop) host.call('T.pause') end
              return x + 1000
            end)
            """, replaces: ["T.f"])
        #expect(await function(2) == 1002, "\(harness.failures)")
        for _ in 0..<100 where harness.failures.last?.message != Self.isPast { #expect(await function(12) == 12) }
        #expect(harness.failures.last?.message == Self.isPast)
    }

    @Test func anAsynchronousCallContinuesOnAThreadThatHasWorked() async throws {
        let harness = try harness(callTime: .milliseconds(100))
        let function = try harness.registry.replaceable("T.f") { (x: Int) async -> Int in
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    Self.work(0.3)
                    continuation.resume()
                }
            }
            return x
        }
        try harness.apply(
            """
            patch.replace('T.f', function(original, x)
              \(Self.looks) host.call('T.wait', 0.1) \(Self.looks)
              original(x)
              host.call('T.wait', 0.2) \(Self.looks)
              return x + 1000
            end)
            """, replaces: ["T.f"])
        let executor = AtOnce()
        let call = Task(executorPreference: executor) { await function(1) }
        #expect(await call.value == 1001, "\(harness.failures)")
    }

    /// An asynchronous call that continues within another call has its own time, and does not use the other's.
    @Test func callsInEachOtherHaveTheirOwnTime() async throws {
        // The sums differ from the limit by a third. If the machine's speed has changed by more than a sixth in the meantime,
        // they are measured again. It may also have changed twice, so the right answers must be in the majority.
        var (rights, wrongs) = (0, [String]())
        for _ in 0..<20 {
            let (loop, time) = try Self.unit()
            let (answers, harness) = try await callsInEachOther(loop, limit: time * 10)
            let again = try Self.unit().time
            guard again < time * 7 / 6, time < again * 7 / 6 else { continue }
            let messages = harness.failures.map(\.message)
            if answers == [1001, 1000, 1001, 7], messages == ["ended: past its limit of processor time"] {
                rights += 1
            } else {
                wrongs.append("\(answers): \(messages)")
            }
            if rights > wrongs.count { return }
        }
        Issue.record("right \(rights) times, wrong: \(wrongs)")
    }

    private func callsInEachOther(_ loop: String, limit: Duration) async throws -> ([Int], Harness) {
        let harness = try harness(callTime: limit)
        let calls = try CallWithinCall(in: harness.registry)
        try harness.apply(
            """
            patch.replace('T.slow', function(original, x)
              for i = 1, x do \(loop) end
              local y = original(x)
              for i = 1, 7 do \(loop) end
              return y + 1000
            end)
            patch.replace('T.outer', function(original, x)
              \(loop) local y = original(x) \(loop)
              return y + 1000
            end)
            """, replaces: ["T.slow", "T.outer"])
        var answers: [Int] = []
        for before in [0, 7] {
            let task = try await calls.begin(before)
            answers += [calls.outer(1), await task.value]
        }
        return (answers, harness)
    }
}
