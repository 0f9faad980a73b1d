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
}
