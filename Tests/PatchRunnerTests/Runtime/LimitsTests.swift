import Foundation
import PatchCrypto
import PatchRunner
import TestSupport
import Testing

/// Every limit works at its smallest value, below it, and at its largest.
@Suite(.ownThreads) struct LimitsTests {
    /// A limit, and the outcomes of `use` at most 0, at 1 and at the largest value.
    struct Limit<Value: Comparable>: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let path: any WritableKeyPath<PatchLimits, Value> & Sendable
        private let outcomes: (least: String, one: String, most: String)

        init(
            _ name: String, _ path: any WritableKeyPath<PatchLimits, Value> & Sendable, _ least: String, _ one: String,
            _ most: String
        ) {
            testDescription = name
            self.path = path
            outcomes = (least, one, most)
        }

        init(
            _ name: String, _ path: any WritableKeyPath<PatchLimits, Value> & Sendable, _ small: String, _ most: String
        ) {
            self.init(name, path, small, small, most)
        }

        /// The outcome at a value.
        ///
        /// - Parameter one: The smallest value above 0.
        func outcome(at value: Value, one: Value) -> String {
            if value < one { return outcomes.least }
            return value == one ? outcomes.one : outcomes.most
        }
    }

    /// All of it: four calls within each other, a log of each, a table of 41 levels, an asynchronous call; and two
    /// failures open the breaker.
    private static let all = "\(active), skipped"
    private static let active = "calls 0123, 4 logs, nested, async"
    private static let none = "0 logs, skipped"

    static let counts: [Limit<Int>] = [
        Limit("sourceBytes", \.sourceBytes, "refused", all),
        Limit("loadFuel", \.loadFuel, "refused", all),
        Limit("callFuel", \.callFuel, none, all),
        Limit("memoryBytes", \.memoryBytes, "refused", all),
        Limit("peakMemoryBytes", \.peakMemoryBytes, "refused", all),
        Limit("instructionsPerCheck", \.instructionsPerCheck, all, all),
        Limit("originalCalls", \.originalCalls, "calls 123, 4 logs, nested, skipped", all, all),
        Limit("replacements", \.replacements, "refused", all),
        Limit("stringBytes", \.stringBytes, "calls 0123, 4 logs, async, skipped", all),
        Limit("tableDepth", \.tableDepth, "1 logs, skipped", "calls 0123, 4 logs, async, skipped", all),
        Limit("tableElements", \.tableElements, "4 logs, async, skipped", all),
        Limit("logBytesPerMinute", \.logBytesPerMinute, "calls 0123, 1 logs, nested, async, skipped", all),
        Limit("failures", \.failures, all, active),
        Limit("instances", \.instances, all, all),
        Limit("stackBytes", \.stackBytes, all, "refused"),
        Limit("callDepth", \.callDepth, "calls 3, 1 logs, nested, async, skipped", all),
        Limit("waitingCalls", \.waitingCalls, "calls 0123, 4 logs, nested, skipped", all, all),
    ]
    static let times: [Limit<Duration>] = [
        Limit("loadTime", \.loadTime, "refused", all),
        // The log also says that there is one instance only.
        Limit("callTime", \.callTime, "1 logs, skipped", all),
        Limit("failureWindow", \.failureWindow, active, all),
        Limit("breakerPause", \.breakerPause, all, all),
        Limit("lockTime", \.lockTime, all, all),
        Limit("waitTime", \.waitTime, all, all),
    ]
    static let longest = Duration(secondsComponent: .max, attosecondsComponent: 0)

    struct Node: Codable, PatchValue {
        var name: String
        var next: [Node]
    }

    private static var base: PatchLimits {
        var limits = PatchLimits.patient
        limits.failures = 2
        limits.instances = 2
        limits.tableDepth = 50
        return limits
    }

    /// Applies a patch, calls its functions, and returns which of them the patch answered.
    private func use(_ limits: PatchLimits) async throws -> String {
        let harness = try Harness(limits: limits)
        let calls = try harness.registry.replaceable("T.calls") { (x: Int, list: [Int]) -> [Int] in list }
        let nested = try harness.registry.replaceable("T.nested") { (_: Int) -> Node in Node(name: "app", next: []) }
        let slow = try harness.registry.replaceable("T.slow") { (x: Int) async -> Int in x }
        do {
            try harness.apply(
                """
                local function work() for i = 1, 20000 do end end
                work()
                patch.replace('T.calls', function(original, x, list)
                  work()
                  log.info('called', x)
                  local answer = x > 0 and host.call('T.calls', x - 1, list) or original(x, list)
                  answer[#answer + 1] = x
                  return answer
                end)
                patch.replace('T.nested', function(original, depth)
                  work()
                  local t = {name = 'patch', next = {}}
                  for i = 1, depth do t = {name = 'patch', next = {t}} end
                  return t
                end)
                patch.replace('T.slow', function(original, x)
                  work()
                  return original(x) + 1000
                end)
                """, replaces: ["T.calls", "T.nested", "T.slow"])
        } catch let error as PatchError {
            #expect(error.code == .script || error.code == .scriptLimit, "\(error)")
            #expect(calls(3, []) == [])
            return "refused"
        }
        let layers = calls(3, [])
        var outcome = layers.isEmpty ? [] : ["calls " + layers.map(String.init).joined()]
        outcome.append("\(harness.logged.count) logs")
        if nested(20).name == "patch" { outcome.append("nested") }
        let answer = await slow(7)
        #expect([7, 1007].contains(answer))
        if answer == 1007 { outcome.append("async") }
        // This is deeper than the largest limit.
        for _ in 0..<2 { #expect(nested(300).name == "app") }
        if harness.runner.active.contains(where: \.isBreakerOpen) { outcome.append("skipped") }
        harness.runner.deactivateAll()
        #expect(calls(3, []) == [])
        return outcome.joined(separator: ", ")
    }

    @Test(arguments: counts, [Int.min, -1, 0, 1, Int.max - 1, .max])
    func patchLimitsExtremeCountHasItsOutcome(_ limit: Limit<Int>, _ value: Int) async throws {
        var limits = Self.base
        limits[keyPath: limit.path] = value
        let outcome = try await use(limits)
        #expect(outcome == limit.outcome(at: value, one: 1))
    }

    @Test(
        arguments: times,
        [Duration(secondsComponent: .min, attosecondsComponent: 0), .seconds(-1), .zero, .nanoseconds(1), longest])
    func patchLimitsExtremeTimeHasItsOutcome(_ limit: Limit<Duration>, _ value: Duration) async throws {
        var limits = Self.base
        limits[keyPath: limit.path] = value
        let outcome = try await use(limits)
        #expect(outcome == limit.outcome(at: value, one: .nanoseconds(1)))
    }

    /// Without a time to wait, the original answers a call that finds the patch taken. Otherwise the call waits.
    @Test(
        arguments: times.suffix(2),
        [Duration(secondsComponent: .min, attosecondsComponent: 0), .seconds(-1), .zero, .nanoseconds(1), longest])
    func patchLimitsExtremeWaitingTimeEnds(_ limit: Limit<Duration>, _ value: Duration) async throws {
        var limits = PatchLimits.oneInstance
        limits[keyPath: limit.path] = value
        let harness = try Harness(limits: limits)
        let (isIn, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let holds = try harness.registry.replaceable("T.holds") { (x: Int) -> Int in
            isIn.signal()
            mayLeave.wait()
            return x
        }
        let waits = try harness.registry.replaceable("T.waits") { (x: Int) -> Int in x }
        try harness.apply(
            """
            for _, name in ipairs{'T.holds', 'T.waits'} do
              patch.replace(name, function(original, x) return original(x) + 1000 end)
            end
            """, replaces: ["T.holds", "T.waits"])
        let isLong = value == Self.longest
        async let held = onThread { holds(1) }
        async let late = onThread {
            isIn.wait()
            if isLong { mayLeave.signal() }
            let answer = waits(2)
            if !isLong { mayLeave.signal() }
            return answer
        }
        #expect(await late == (isLong ? 1002 : 2))
        #expect(await held == 1001)
    }

    @Test func patchLimitsAllAtMaximumKeepPatchActive() async throws {
        var limits = PatchLimits()
        for limit in Self.counts where limit.path != \PatchLimits.stackBytes { limits[keyPath: limit.path] = .max }
        for limit in Self.times { limits[keyPath: limit.path] = Self.longest }
        let outcome = try await use(limits)
        #expect(outcome == Self.active)
    }

    @Test func anAsynchronousCallLeavesTheOthersTheirFuel() async throws {
        let (harness, function) = try Harness.identity()
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
    @Test func memoryEachAllocationRefusedOriginalAnswers() throws {
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
        #expect(
            harness.failures.allSatisfy {
                $0.code == .scriptLimit && $0.message == "ended: the machine has no memory left" && $0.isCircumstance
            })
    }

    /// A load that has too little stack is refused, and the same patch loads on another thread.
    @Test func aLoadWithoutStackIsNotThePatchsFault() throws {
        let (harness, function) = try Harness.identity()
        let verified = try Harness.verified("patch.replace('T.f', function() return 1 end)", replaces: ["T.f"])
        let error = onStack(ofKilobytes: 384) { () -> PatchError? in
            #expect(throws: PatchError.self) { try harness.runner.activate(harness.runner.load(verified)) }
        }
        if let error = error ?? nil {
            #expect(error.code == .scriptLimit && error.isCircumstance && error.at(line: 1).isCircumstance)
        } else {
            #expect(isSanitized)  // a sanitizer's locals may not be on the stack
        }
        try harness.runner.activate(harness.runner.load(verified))
        #expect(function(7) == 1)
        let broken = try Harness.verified("while true do end", replaces: ["T.f"])
        let loop = #expect(throws: PatchError.self) { try harness.runner.load(broken) }
        #expect(loop?.code == .scriptLimit && loop?.isCircumstance == false)
    }
}
