import Foundation
import PatchCrypto
@testable import PatchRunner
import Synchronization
import TestSupport
import Testing

/// The limits of time are processor time. No test here depends on how busy the machine is.
@Suite(.ownThreads) struct ProcessorTimeTests {
    /// Its encoding, which counts as the script's time, waits, and seems to use the processor or does not.
    struct Slow: Codable, PatchValue {
        var seconds: Double
        var isBusy = false

        func encode(to encoder: any Encoder) throws {
            Thread.sleep(forTimeInterval: seconds)
            if isBusy { LuaState.addProcessorTime(.seconds(seconds)) }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(seconds, forKey: .seconds)
        }
    }

    private func harness(callTime: Duration, failures: Int = 5) throws -> Harness {
        let harness = try Harness(
            limits: .patient.with(\.callTime, callTime).with(\.callFuel, .max).with(\.failures, failures))
        _ = try harness.registry.replaceable("T.wait") { (seconds: Double) -> Slow in Slow(seconds: seconds) }
        _ = try harness.registry.replaceable("T.busy") { (seconds: Double) -> Slow in
            Slow(seconds: seconds, isBusy: true)
        }
        _ = try harness.registry.replaceable("T.work") { (seconds: Double) -> Int in
            LuaState.addProcessorTime(.seconds(seconds))
            return 0
        }
        return harness
    }

    private static let isPast = "ended: past its limit of processor time"

    /// Repeats a call that runs without end until it is ended for that reason. On a busy machine it may first have
    /// waited too long.
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

    @Test func callWaitsTooLongForProcessorEndsWithoutBlame() throws {
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
                for i = 1, 2 do \(Self.looks) host.call('T.wait', 0.15) \(Self.looks) host.call('T.work', 0.15) end
                \(Self.looks)
                return x + 1000
              end)
            end
            """, replaces: ["T.f", "T.slow"])
        #expect(function(1) == 1001, "\(harness.failures)")
        #expect(await slow(1) == 1001, "\(harness.failures)")
    }

    @Test func anAsynchronousCallKeepsWhatItHasUsed() async throws {
        let harness = try harness(callTime: .milliseconds(100))
        let function = try harness.registry.replaceable("T.f") { (x: Int) async -> Int in x }
        _ = try harness.registry.replaceable("T.pause") { () async -> Int in
            try? await Task.sleep(for: .milliseconds(1))
            return 0
        }
        try harness.apply(
            """
            patch.replace('T.f', function(_, x)
              for i = 1, x do \(Self.looks) host.call('T.busy', 0.02) \(Self.looks) host.call('T.pause') end
              return x + 1000
            end)
            """, replaces: ["T.f"])
        #expect(await function(2) == 1002, "\(harness.failures)")
        #expect(await function(12) == 12)
        #expect(harness.failures.map(\.message) == [Self.isPast])
    }

    @Test func anAsynchronousCallContinuesOnAThreadThatHasWorked() async throws {
        let harness = try harness(callTime: .milliseconds(100))
        let function = try harness.registry.replaceable("T.f") { (x: Int) async -> Int in
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    LuaState.addProcessorTime(.seconds(0.3))
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
        let harness = try harness(callTime: .milliseconds(190))
        let calls = try CallWithinCall(in: harness.registry)
        let unit = "\(Self.looks) host.call('T.busy', 0.02) \(Self.looks)"
        // Together, the last nine and the two take longer than one call may.
        try harness.apply(
            """
            patch.replace('T.slow', function(original, x)
              for i = 1, x do \(unit) end
              local y = original(x)
              for i = 1, 9 do \(unit) end
              return y + 1000
            end)
            patch.replace('T.outer', function(original, x)
              \(unit) local y = original(x) \(unit)
              return y + 1000
            end)
            """, replaces: ["T.slow", "T.outer"])
        var answers: [Int] = []
        for before in [0, 7] {
            let task = try await calls.begin(before)
            answers += [calls.outer(1), await task.value]
        }
        #expect(answers == [1001, 1000, 1001, 7])
        #expect(harness.failures.map(\.message) == [Self.isPast])
    }
}
