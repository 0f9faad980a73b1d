import PatchCrypto
@testable import PatchRunner
import Synchronization
import TestSupport
import Testing

@Suite(.ownThreads) struct EventTests {
    @Test func aPatchThatFailsTooOftenIsSkipped() throws {
        let (harness, function) = try Harness.identity()
        try harness.apply("patch.replace('T.f', function() error('no') end)", replaces: ["T.f"])
        for _ in 0..<7 { #expect(function(1) == 1) }
        #expect(
            harness.events.map(\.name) == [
                "loaded", "activated", "failed", "failed", "failed", "failed", "failed", "breaker-opened",
            ])
        #expect(!function.slot.isPatched)
        #expect(harness.runner.active.map(\.isBreakerOpen) == [true])
    }

    @Test func failuresFarApartDoNotAddUp() throws {
        var limits = PatchLimits.patient
        limits.failures = 2
        limits.failureWindow = .seconds(10)
        let time = ManualUptime()
        let (harness, function) = try Harness.identity(limits: limits, uptime: time.uptime)
        try harness.apply("patch.replace('T.f', function() error('no') end)", replaces: ["T.f"])
        for _ in 0..<3 {
            #expect(function(1) == 1)
            time.advance(by: .milliseconds(10_001))
        }
        #expect(harness.failures.count == 3)
        #expect(harness.runner.active.map(\.isBreakerOpen) == [false])
        #expect(function(1) == 1)
        time.advance(by: .seconds(10))
        #expect(function(1) == 1)
        #expect(harness.runner.active.map(\.isBreakerOpen) == [true])
        time.advance(by: limits.breakerPause)  // a task waits for the end of the pause
    }

    @Test func severitiesRiseFromDebugToError() {
        let order: [EventSeverity] = [.debug, .info, .warning, .error]
        #expect(order.reversed().sorted() == order)
    }

    @Test func eventsAreLinesOfJSON() throws {
        let (harness, function) = try Harness.identity()
        try harness.apply(
            "patch.replace('T.f', function(original, x)\n  log.warn('a \"line\"\\n')\n  print('a', 1, nil, {})\n  return x .. ''\nend)",
            replaces: ["T.f"])
        #expect(function(1) == 1)
        _ = try? harness.apply("x", version: 2, replaces: ["T.f"])
        harness.runner.deactivateAll()
        func line(_ severity: Int, _ name: String, _ attributes: String = "", version: Int = 1, body: String = "")
            -> String
        {
            #"{"schema":"patchpack.event/1","severityNumber":\#(severity),"eventName":"\#(name)",\#(body)"#
                + #""attributes":{"patch.id":"com.example.shop.fix","patch.version":\#(version)\#(attributes)}}"#
        }
        #expect(
            harness.events.map(\.jsonLine) == [
                line(9, "loaded", #","patch.replaces":["T.f"]"#),
                line(9, "activated"),
                line(13, "log", body: #""body":"a \"line\"\n","#),
                line(9, "log", body: #""body":"a\t1\tnil\ttable","#),
                line(
                    17, "failed",
                    #","code.function.name":"T.f","error.type":"script","error.message":"wrong result: expected integer, got string","code.file.path":"main.lua","code.line.number":1"#
                ),
                line(
                    13, "refused",
                    #","error.type":"script","error.message":"syntax error near <eof>","error.hint":"fix the script","code.file.path":"main.lua","code.line.number":1"#,
                    version: 2),
                line(9, "deactivated"),
            ])
        #expect(
            harness.events[4].description
                == "com.example.shop.fix 1 failed in T.f: main.lua:1: wrong result: expected integer, got string")
    }

    /// A value of a request in a script's message forges no line of a log, and nothing that a terminal acts on.
    @Test func descriptionIsOneLine() throws {
        let (harness, function) = try Harness.identity()
        let text = "one\nerror forged: admin\u{1B}[31m\u{202E}x\u{2028}"
        let escaped = #"one\nerror forged: admin\u{1B}[31m\u{202E}x\u{2028}"#
        try harness.apply(
            """
            patch.replace('T.f', function(o, x)
              local text = 'one\\nerror forged: admin\\27[31m\\u{202E}x\\u{2028}'
              log.warn(text)
              error(text)
            end)
            """)
        #expect(function(1) == 1)
        #expect(harness.logged == [text])
        #expect(
            harness.events.suffix(2).map(\.description) == [
                "com.example.shop.fix 1 warn: \(escaped)",
                "com.example.shop.fix 1 failed in T.f: main.lua:4: \(escaped)",
            ])
        let log = RunnerEvent(.logged(.init(PatchID(id: "a.b", version: 1), .warning, text)))
        #expect(log.repeated(1).description == "a.b 1 warn: \(escaped) (1 time more)")
        let example = RunnerEvent.Example(answer: text, result: "a\r\nb", failure: nil, place: nil)
        #expect(
            RunnerEvent.Comparison.differed(example).description
                == #"0 agreed, 1 differed: \#(escaped) would be a\r\nb"#)
    }

    @Test func theLogHasALimit() throws {
        var limits = PatchLimits.patient
        limits.logBytesPerMinute = 100
        let time = ManualUptime()
        let (harness, function) = try Harness.identity(limits: limits, uptime: time.uptime)
        try harness.apply("patch.replace('T.f', function(o, x) for i = 1, 50 do print('0123456789') end return x end)")
        #expect(function(1) == 1)
        #expect(harness.logged.count == 10)
        #expect(harness.logged.last == "more than 100 bytes logged in a minute; the rest is dropped")
        time.advance(by: .milliseconds(59_999))
        #expect(function(1) == 1)
        #expect(harness.logged.count == 10)
        time.advance(by: .milliseconds(1))
        #expect(function(1) == 1)
        #expect(harness.logged.count == 20)
    }

    @Test func everyLimitCounts() throws {
        func failure(_ body: String, _ change: (inout PatchLimits) -> Void) throws -> RunnerEvent.Failure? {
            var limits = PatchLimits.patient
            change(&limits)
            let (harness, function) = try Harness.identity(limits: limits)
            try harness.apply("patch.replace('T.f', function(original, x) \(body) return x end)", replaces: ["T.f"])
            #expect(function(1) == 1)
            return harness.failures.first
        }
        #expect(try failure("for i = 1, 5000 do end") { $0.callFuel = 1000 }?.message == "ended: out of fuel")
        #expect(try failure("for i = 1, 5000 do end") { $0.callFuel = 100_000 } == nil)
        // A line pays for each of its parts once.
        let parts = "local parts = {} for i = 1, 100 do parts[i] = ('x'):rep(10000) end print(table.unpack(parts))"
        #expect(try failure(parts) { $0.callFuel = 400_000 } == nil)
        #expect(
            try failure("for i = 1, 1e9 do end") {
                $0.callFuel = .max
                $0.callTime = .milliseconds(50)
            }?.message == "ended: past its limit of processor time")
        #expect(
            try failure("local t = {} for i = 1, 1e5 do t[i] = i end") { $0.memoryBytes = 1 << 20 }?.message
                == "ended: past its memory limit")
        #expect(try failure("local s = ('x'):rep(2e6)") { $0.peakMemoryBytes = 1 << 20 }?.code == .scriptLimit)
        #expect(try failure("original(x) original(x)") { $0.originalCalls = 2 } == nil)
        let most = "the original of 'T.f' may run at most"
        #expect(
            try failure("original(x) original(x) original(x)") { $0.originalCalls = 2 }?.message
                == "\(most) 2 times per call")
        #expect(try failure("original(x)") { $0.originalCalls = 0 }?.message == "\(most) 0 times per call")
        #expect(
            try failure("original(x) original(x)") { _ in }?.message
                == "the original of 'T.f' was already called: it runs once per call")
    }

    @Test func aFaultThatWasCaughtIsNotTheNextOnes() throws {
        let harness = try Harness()
        let big = try harness.registry.replaceable("T.big") { (_: Int) -> UInt64 in .max }
        try harness.apply(
            """
            patch.replace('T.big', function(original, x)
              local ok, message = pcall(original, x)
              assert(not ok and message:find("18446744073709551615 does not fit", 1, true), message)
              if x == 1 then return 5 end
              local _ = nil + 1
            end)
            """, replaces: ["T.big"])
        #expect(big(1) == 5, "\(harness.failures)")
        #expect(big(2) == .max)
        #expect(harness.failures.map(\.line) == [5])
        #expect(harness.failures.map(\.message) == ["attempt to perform arithmetic on a nil value"])
    }

    /// The lines that called the one that failed, as long as there is room.
    @Test(arguments: [
        (
            "local function tax(x) return x.y end\nlocal function total(x) local t = tax(x) return t end\nreturn total(x) + 0",
            "main.lua:2: in tax\nmain.lua:3: in total\nmain.lua:4"
        ),
        (
            "local rates = {} function rates.of(x) return x.y end rates['a\\nb'] = rates.of\nlocal r = rates['a\\nb'](x) return r",
            "main.lua:2\nmain.lua:3"
        ),
        ("local ok, value = pcall(function() return original(x) end)\nreturn x.y", nil),
        ("return x.y", nil), ("return host.call('T.f', x.y)", nil),
        ("local t = {} table.sort({1, 2}, function(a, b) return t.x.y end)", "main.lua:2\nmain.lua:2"),
        (
            "local function down(n) if n == 0 then return x.y end local d = down(n - 1) return d end\nreturn down(40) + 0",
            Array(repeating: "main.lua:2: in down", count: 10).joined(separator: "\n")
        ),
    ])
    func failureInNestedFunctionsHasTheirLines(body: String, stack: String?) throws {
        let (harness, function) = try Harness.identity()
        try harness.apply("patch.replace('T.f', function(original, x)\n\(body)\nend)", replaces: ["T.f"])
        #expect(function(1) == 1)
        #expect(harness.failures.map(\.stackTrace) == [stack])
        let event = try #require(harness.events.first { $0.name == "failed" })
        #expect(event.attributes.contains { $0.name == "exception.stacktrace" } == (stack != nil))
    }

    /// A script with a long name and long names of functions leaves out the calls for which there is no room.
    @Test func failureWithLongNamesIsBounded() async throws {
        let harness = try Harness()
        let function = try harness.registry.replaceable("T.f") { (x: Int) async -> Int in x }
        let names = (0..<9).map { String(repeating: "f", count: 100) + "\($0)" }
        let functions = names.indices.reversed().map { index in
            "local function \(names[index])(x) local r = \(index == 8 ? "x.y" : "\(names[index + 1])(x)") return r end"
        }
        try harness.apply(
            functions.joined(separator: "\n")
                + "\npatch.replace('T.f', function(original, x) local r = \(names[0])(x) return r end)",
            replaces: ["T.f"])
        #expect(await function(1) == 1)
        let stack = try #require(harness.failures.first?.stackTrace)
        #expect(stack.utf8.count < 768)
        #expect(
            stack.split(separator: "\n").map { String($0) } == (1...6).map { "main.lua:\($0): in \(names[9 - $0])" })
    }

    @Test func aPatchForSomebodyElseIsRefusedByName() throws {
        let harness = try Harness()
        let envelope = try Harness.envelope("return 1", replaces: ["T.f"], app: "com.example.other")
        #expect(throws: PatchError.self) {
            try harness.runner.install(envelope, trust: PatchTrust(TestKeys.trust, scriptKeys: TestKeys.script))
        }
        #expect(harness.events.map(\.patch) == [.init(id: "com.example.shop.fix", version: 1)])
    }

    /// The app's function may need more stack than the thread has, outside of calls, too.
    @Test(.enabled(if: !isSanitized, "a sanitizer's frames are larger"))
    func anEventOnAThreadWithLittleStackIsReportedByATask() async throws {
        let registry = PatchRegistry()
        _ = try registry.replaceable("T.f") { (x: Int) -> Int in x }
        let reportedInTask = Mutex<Bool?>(nil)
        let runner = PatchRunner(
            registry: registry, host: try HostInfo(app: "com.example.shop", version: "2.3.1"),
            onEvent: { event in
                guard case .deactivated = event.kind else { return }
                let isInTask = unsafe withUnsafeCurrentTask { task in unsafe task != nil }
                reportedInTask.locked { $0 = isInTask }
            })
        let patch = try runner.load(
            Harness.verified("patch.replace('T.f', function() return 1 end)", replaces: ["T.f"]))
        try runner.activate(patch)
        #expect(onStack(ofKilobytes: 60) { runner.deactivate(patch) } == true)
        while reportedInTask.locked({ $0 == nil }) { try await Task.sleep(for: .milliseconds(1)) }
        #expect(reportedInTask.locked { $0 } == true)
    }
}
