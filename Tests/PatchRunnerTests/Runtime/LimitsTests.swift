import Foundation
import PatchCrypto
import PatchRunner
import TestSupport
import Testing

/// Every limit works at its smallest value, below it, and at its largest.
@Suite(.ownThreads) struct LimitsTests {
    static let counts: [any WritableKeyPath<PatchLimits, Int> & Sendable] = [
        \.sourceBytes, \.loadFuel, \.callFuel, \.memory, \.peakMemory, \.instructionsPerCheck, \.originalCalls,
        \.replacements, \.stringBytes, \.tableDepth, \.tableElements, \.logBytesPerMinute, \.failures, \.stackBytes,
        \.callDepth,
        \.waitingCalls,
    ]
    static let times: [any WritableKeyPath<PatchLimits, Duration> & Sendable] = [
        \.loadTime, \.callTime, \.failureWindow, \.lockTime,
    ]

    struct Node: Codable, PatchValue {
        var name: String
        var next: [Node]
    }

    private func use(_ limits: PatchLimits) async throws {
        let harness = try Harness(limits: limits)
        let sync = try harness.registry.replaceable("T.sync") { (x: Int, list: [String]) -> [String] in list }
        let nested = try harness.registry.replaceable("T.nested") { (node: Node) -> Node in node }
        let slow = try harness.registry.replaceable("T.slow") { (x: Int) async -> Int in x }
        do {
            try harness.apply(
                """
                patch.replace('T.sync', function(original, x, list)
                  log.info('called', x)
                  if x > 0 then return host.call('T.sync', x - 1, list) end
                  return original(x, list)
                end)
                patch.replace('T.nested', function(original, node)
                  local t = {name = 'x', next = {}}
                  for i = 1, 300 do t = {name = 'x', next = {t}} end
                  return t
                end)
                patch.replace('T.slow', function(original, x) return original(x) end)
                """, replaces: ["T.sync", "T.nested", "T.slow"])
        } catch let error as PatchError {
            #expect(error.code == .script || error.code == .scriptLimit, "\(error)")
        }
        #expect(sync(3, ["a", "b"]) == ["a", "b"])
        #expect(nested(Node(name: "mine", next: [])).name == "mine")
        #expect(await slow(7) == 7)
        harness.runner.deactivateAll()
        #expect(sync(3, ["a", "b"]) == ["a", "b"])
    }

    @Test(arguments: counts, [Int.min, -1, 0, 1, Int.max - 1, .max])
    func everyCountIsTaken(_ limit: any WritableKeyPath<PatchLimits, Int> & Sendable, _ value: Int) async throws {
        var limits = PatchLimits.patient
        limits.lockTime = .milliseconds(100)
        limits[keyPath: limit] = value
        try await use(limits)
    }

    @Test(
        arguments: times,
        [
            Duration(secondsComponent: .min, attosecondsComponent: 0), .seconds(-1), .zero, .nanoseconds(1),
            Duration(secondsComponent: .max, attosecondsComponent: 0),
        ])
    func everyTimeIsTaken(
        _ limit: any WritableKeyPath<PatchLimits, Duration> & Sendable, _ value: Duration
    ) async throws {
        var limits = PatchLimits.patient
        limits[keyPath: limit] = value
        try await use(limits)
    }

    @Test func allOfThemAtTheirLargest() async throws {
        var limits = PatchLimits()
        for limit in Self.counts where limit != \PatchLimits.stackBytes { limits[keyPath: limit] = .max }
        for limit in Self.times { limits[keyPath: limit] = Duration(secondsComponent: .max, attosecondsComponent: 0) }
        try await use(limits)
    }

    @Test func theHostsTimeIsNotTheScripts() throws {
        var limits = PatchLimits.patient
        limits.callTime = .milliseconds(100)
        let harness = try Harness(limits: limits)
        let inner = try harness.registry.replaceable("T.inner") { (x: Int) -> Int in x }
        let before = try harness.registry.replaceable("T.before") { (x: Int) -> Int in
            Thread.sleep(forTimeInterval: 0.25)
            return inner(x)
        }
        let after = try harness.registry.replaceable("T.after") { (x: Int) -> Int in
            let value = inner(x)
            Thread.sleep(forTimeInterval: 0.25)
            return value
        }
        let loop = "for i = 1, 3000 do end"
        try harness.apply(
            """
            patch.replace('T.inner', function(_, x) \(loop) return x + 100 end)
            for _, name in ipairs{'T.before', 'T.after'} do
              patch.replace(name, function(original, x) \(loop) local v = original(x) \(loop) return v + 1000 end)
            end
            """, replaces: ["T.inner", "T.before", "T.after"])
        #expect(before(1) == 1101, "\(harness.failures)")
        #expect(after(1) == 1101, "\(harness.failures)")
    }

    @Test func anAsynchronousCallLeavesTheOthersTheirFuel() async throws {
        let harness = try Harness()
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in x }
        let waiting = try harness.registry.replaceable("T.waiting") { (x: Int) async -> Int in x }
        try harness.apply(
            """
            patch.replace('T.f', function(_, x)
              if x == 1 then return #('x'):rep(1000000) end
              for i = 1, 20000 do end
              return x + 1000
            end)
            patch.replace('T.waiting', function(_, x) for i = 1, 30000 do kept = {i} end return x + 1000 end)
            """, replaces: ["T.f", "T.waiting"])
        #expect(function(2) == 1002)
        #expect(function(1) == 1_000_000)
        for _ in 0..<3 { #expect(await waiting(2) == 1002) }
        for _ in 0..<3 { #expect(function(2) == 1002, "\(harness.failures)") }
    }

    /// Refuses the n-th allocation of a call, for each allocation of the call.
    @Test func whereverMemoryEndsTheOriginalAnswers() throws {
        let script = """
            patch.replace("T.f", function(original, x, name)
              local t = {}
              for i = 1, 20 do t[i] = name .. i end
              table.sort(t)
              local text = table.concat(t, ","):gsub("%d+", function(d) return "<" .. d .. ">" end)
              local ok = pcall(function() local u = {{}, {}} error({u}) end)
              local v = setmetatable({}, {__index = function(_, k) return k .. "!" end})
              return original(#text + #v.x, ("%s %q"):format(name, name))
            end)
            """
        let harness = try Harness()
        let function = try harness.registry.replaceable("T.f") { (x: Int, name: String) -> String in "\(x) \(name)" }
        var isDone = false
        var refused = 0
        for n in 1...2000 where !isDone {
            let patch = try harness.apply(script, version: n, replaces: ["T.f"])
            patch.refuseAllocation(n)
            let answer = function(7, "name")
            isDone = answer == "172 name \"name\""
            if !isDone {
                refused += 1
                #expect(answer == "7 name")
            }
        }
        #expect(isDone)
        #expect(refused > 50)
        #expect(harness.failures.allSatisfy { $0.code == .scriptLimit })
    }
}
