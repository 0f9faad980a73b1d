import PatchCrypto
import PatchRunner
import Testing
import TestSupport

/// The report of an error that a script raises or throws.
@Suite(.ownThreads) struct ErrorWordsTests {
    private static let values: [(error: String, words: String)] = [
        ("{code = 5}", "an error that is {code = 5}"),
        ("5", "5"), ("2.5", "2.5"), ("'as it is'", "as it is"),
        ("true", "an error that is true"), ("nil", "an error that is nil"),
        ("{}", "an error that is {}"), ("print", "an error that is function"),
        (
            "{3, 'b', {2}, x = 1, ['a b'] = 'c', [-1] = false}",
            #"an error that is {[-1] = false, 3, "b", {2}, ["a b"] = "c", x = 1}"#
        ),
        (#"{t = "q\"\\\n\0\127é"}"#, #"an error that is {t = "q\"\\\n\000\127é"}"#),
        ("(function() local t = {} t.self = t return t end)()", "an error that is {self = <cycle>}"),
        ("{{{{{{}}}}}}", "an error that is {{{{{{…}}}}}}"),
        (
            "(function() local t = {} for i = 1, 1000 do t[i] = i end return t end)()",
            "an error that is {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, …}"
        ),
        ("{('é'):rep(1000)}", "an error that is {\"\(String(repeating: "é", count: 100))…\"}"),
        ("{[('x'):rep(200)] = 1}", "an error that is {\(String(repeating: "x", count: 200)) = 1}"),
        ("{[('x'):rep(5000)] = 1}", "an error that is {[\"\(String(repeating: "x", count: 200))…\"] = 1}"),
        (
            "setmetatable({code = 5}, {__index = function() error('no') end, __pairs = error})",
            "an error that is {code = 5}"
        ),
        ("setmetatable({code = 5}, {__tostring = function(e) return 'code ' .. e.code end})", "code 5"),
        ("setmetatable({}, {__tostring = function() return host.call('T.text') end})", "of the app"),
    ]
    /// Errors whose `__tostring` fails. If one is thrown, that failure is a separate error.
    private static let wordless: [(error: String, words: String)] = [
        ("setmetatable({code = 5}, {__tostring = function(e) error(e) end})", "an error that is {code = 5}"),
        ("setmetatable({code = 5}, {__tostring = function() return {} end})", "an error that is {code = 5}"),
        ("setmetatable({code = 5}, {__tostring = function(e) return tostring(e) end})", "an error that is {code = 5}"),
        (
            "setmetatable({code = 5}, {__tostring = function() return host.call('T.other') end})",
            "an error that is {code = 5}"
        ),
    ]

    private func harness(_ statement: String) throws -> (Harness, (Int) throws -> Int, (Int) async throws -> Int) {
        let harness = try Harness()
        let function = try harness.registry.replaceable("T.f") { (x: Int) throws -> Int in -x }
        let later = try harness.registry.replaceable("T.later") { (x: Int) async throws -> Int in -x }
        _ = try harness.registry.replaceable("T.text") { () -> String in "of the app" }
        _ = try harness.registry.replaceable("T.other") { () throws -> String in throw PatchError(.script, "other") }
        try harness.apply(
            """
            local function body(original, x)

              \(statement)
            end
            patch.replace("T.f", body)
            patch.replace("T.later", body)
            """, replaces: ["T.f", "T.later"])
        return (harness, { try function($0) }, { try await later($0) })
    }

    private static let all = values + wordless

    @Test(arguments: all.indices) func anErrorIsToldByItsWords(_ index: Int) async throws {
        let (value, words) = Self.all[index]
        let (harness, call, later) = try harness("error(\(value), 0)")
        #expect(try call(1) == -1)
        #expect(try await later(1) == -1)
        #expect(harness.failures.map(\.message) == [words, words])
        #expect(harness.failures.map(\.line) == [3, 3])
    }

    @Test(arguments: values.indices) func hostThrowAnyValueHasItsWords(_ index: Int) async throws {
        let (value, words) = Self.values[index]
        let (harness, call, later) = try harness("host.throw(\(value))")
        let error = #expect(throws: ScriptError.self) { try call(1) }
        let other = await #expect(throws: ScriptError.self) { try await later(1) }
        #expect(error?.message == words && other?.message == words)
        #expect(harness.failures.isEmpty)
    }

    @Test func wordsPastALimitEndTheRun() throws {
        let (harness, call, _) = try harness("error(setmetatable({}, {__tostring = function() while true do end end}))")
        #expect(try call(1) == -1)
        #expect(harness.failures.first?.message == "ended: out of fuel")
        let (second, other, _) = try self.harness(
            "local t = {} for i = 1, 20 do t[i] = {} for j = 1, 20 do t[i][j] = ('x'):rep(1000) end end error(t)")
        #expect(try other(1) == -1)
        let message = try #require(second.failures.first?.message)
        #expect(message.utf8.count <= 1000 && message.hasSuffix("…") && message.hasPrefix("an error that is {{\"xxx"))
    }

    /// A replacement that `__tostring` calls fails with lines of its own.
    @Test(arguments: [false, true], [1, 2])
    func errorWordsNestedCallFailsKeepsTheLines(waits: Bool, frames: Int) async throws {
        let harness = try Harness()
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in -x }
        let later = try harness.registry.replaceable("T.later") { (x: Int) async -> Int in -x }
        _ = try harness.registry.replaceable("T.nested") { (x: Int) -> Int in x }
        try harness.apply(
            """
            patch.replace('T.nested', function(original, x)
              local function fail() error('nested') end
              fail()
            end)
            local words = {__tostring = function() host.call('T.nested', 1) return 'outer' end}
            local function body(original, x)
              local function raise() error(setmetatable({}, words)) end
              if x < 2 then error(setmetatable({}, words)) end
              raise()
            end
            patch.replace('T.f', body)
            patch.replace('T.later', body)
            """)
        #expect(await waits ? later(frames) == -frames : function(frames) == -frames)
        #expect(harness.failures.map(\.message) == ["nested", "outer"])
        #expect(harness.failures.map(\.line) == [2, frames < 2 ? 8 : 7])
        #expect(harness.failures.first?.stackTrace?.hasPrefix("main.lua:2: in fail\nmain.lua:3") == true)
        let stack = frames < 2 ? nil : "main.lua:7: in raise\nmain.lua:9"
        #expect(harness.failures.last?.stackTrace == stack)
    }

    @Test func aCodeComesWithAnError() throws {
        let (harness, call, _) = try harness(
            """
            if x == 1 then host.throw("gone", 404) end
              if x == 2 then host.throw("no code") end
              if x == 3 then host.throw("an integer", 2.0 ^ 3) end
              if x == 4 then host.throw("no integer", 4.5) end
              if x == 5 then host.throw("no integer", "404") end
              local ok, failure = pcall(host.call, "T.f", x - 5)
              return failure.code or 0
            """)
        #expect(#expect(throws: ScriptError.self) { try call(1) }?.code == 404)
        #expect(#expect(throws: ScriptError.self) { try call(2) }?.code == nil)
        #expect(#expect(throws: ScriptError.self) { try call(3) }?.code == 8)
        #expect(harness.failures.isEmpty)
        #expect(try call(4) == -4)
        #expect(try call(5) == -5)
        #expect(
            harness.failures.map(\.message) == [
                "bad argument #2 to 'throw' (integer expected, got number)",
                "bad argument #2 to 'throw' (integer expected, got string)",
            ])
        #expect(try call(6) == 404)
        #expect(try call(7) == 0)
    }
}
