import Foundation
import PatchCrypto
import PatchRunner
import Testing
import TestSupport

/// The library of the sandbox works as Lua's own does.
@Suite(.ownThreads) struct LibraryTests {
    private func run(_ body: String, others: [String: String] = [:], _ change: (inout PatchLimits) -> Void = { _ in })
        throws -> String
    {
        var limits = PatchLimits.patient
        change(&limits)
        let harness = try Harness(limits: limits)
        let function = try harness.registry.replaceable("T.f") { () -> String in "failed" }
        try harness.apply("patch.replace('T.f', function()\n\(body)\nend)", replaces: ["T.f"], others: others)
        let answer = function()
        return harness.failures.first.map { "\($0.line ?? 0): \($0.message)" } ?? answer
    }

    /// The patterns of Lua's manual and test suite, and odd forms. Debian's lua5.4 also runs each of them.
    static let expressions = [
        "('hello world'):find('o w')", "('hello'):find('l')", "('hello'):find('xyz')", "('hello'):find('')",
        "('hello'):find('', 10)", "('hello'):find('', 6)", "('hello'):find('l', -2)", "('a.b'):find('.', 1, true)",
        "('a+b'):find('+', 1, true)", "('alo xyzK'):match('(%w+)K')", "('254 K'):match('(%d*)K')",
        "('alo '):match('(%w*)$')",
        "('alo wo'):match('%s*$')", "('key = value'):match('^(%w+)%s*=%s*(%w+)$')", "('  x'):match('^%s*(.-)%s*$')",
        "('f(a(b)c)d'):match('%b()')", "('THE (quick) fox'):find('%f[%a]%a+%f[%A]')", "('aXb'):match('()X()')",
        "('abcabc'):match('(abc)%1')", "('x\\0y'):match('%z')", "('x]y'):match('[]]')", "('x-y'):match('[a-]')",
        "('x-y'):match('[%-]')",
        "('x^y'):match('[x^]+')", "('abc'):match('[^a-b]')", "('aaa'):match('a-b')", "('aaab'):match('a-b')",
        "('ab'):match('a?b?c?')",
        "('0x1F'):match('%x+', 3)", "('$x$'):find('$x$')", "('a$'):match('a$')", "('a$a'):match('a$a')",
        "('%d'):match('%%d')",
        "('hello world'):gsub('o', '0')", "('hello world'):gsub('(%w+)', '<%1>')", "('hello'):gsub('', '-')",
        "('hello world'):gsub('%w+', '%0 %0', 1)", "('abc'):gsub('%w', {a = '1', c = false})",
        "('abc'):gsub('%w', string.upper)",
        "('$name is $age'):gsub('%$(%w+)', {name = 'Lua', age = 30})", "('abc'):gsub('^a', 'x')",
        "('aaa'):gsub('^a', 'x')",
        "('a b'):gsub('(%w) (%w)', '%2 %1')", "('x'):gsub('x', '%%')", "pcall(string.gsub, 'x', 'x', '%2')",
        "('abc'):gsub('b*', '-')",
        "pcall(string.find, 'a', '[a')", "pcall(string.find, 'a', '%')", "pcall(string.find, 'a', '(a')",
        "pcall(string.find, 'a', 'a)')",
        "pcall(string.gsub, 'a', 'a', '%')", "pcall(string.match, 'a', '%b')", "pcall(string.match, 'a', '%f')",
        "pcall(string.match, 'a', '%1')",
        "pcall(string.rep)", "pcall(string.gsub, 'a', 'a')", "pcall(string.gsub, 'a', 'a', function() return {} end)",
        "string.format('%5.2f|%-5d|%05d|%x|%q|%s|%10s|%c|%%', 3.14159, 42, 42, 255, 'a\\nb', nil, 'right', 65)",
        "string.format('%s %s %s', true, 1.0, 'x')", "pcall(string.format, '%d', 1.5)", "pcall(string.format, '%y', 1)",
        "pcall(string.format, '%s')", "string.rep('ab', 3, ',')", "('abc'):reverse():upper():lower()",
        "('x'):rep(0) .. ('x'):rep(-1)",
        "table.concat({1, 2, 3}, ', ', 2)", "table.concat({}, 'x')", "table.concat({'a', 'b'})",
        "pcall(table.concat, {1, {}, 3})",
        "table.unpack({1, 2, 3}, 2)", "table.unpack({1, 2}, 1, 3)", "select('#', table.unpack({}, 1, 3))",
        "table.remove({1, 2, 3})", "table.remove({1, 2, 3}, 1)", "table.remove({})", "#table.move({1, 2, 3}, 1, 3, 2)",
        "tonumber('0x10')", "tonumber('10', 2)", "tonumber('  12  ')", "tonumber('1e1')", "tonumber('x')",
        "tonumber(nil)", "pcall(tonumber)",
        "tostring(nil)", "tostring(1e15)", "tostring(-0.0)", "tostring(2^53)", "math.type(1)", "math.tointeger(3.0)",
        "7 // 2", "-7 % 3",
        "utf8.len('häß')", "utf8.char(228, 8364)", "utf8.codepoint('ä', 1)", "utf8.offset('aäb', 3)",
        "utf8.len('\\xff')", "#utf8.charpattern",
        "pcall(error, 'x')", "pcall(error)", "select(2, pcall(error, {1}))[1]", "pcall(error, 'x', 0)",
        "select(-1, 1, 2, 3)",
        "rawequal('a', 'a')", "rawlen({1, 2})", "next({})", "type(next)", "#'abc'", "10 .. 20", "'10' + 5",
        "math.max(1, 2.5)",
        "getmetatable(setmetatable({}, {__metatable = 'x'}))",
        "setmetatable({}, {__index = function(t, k) return k end}).y",
        "tostring(setmetatable({}, {__tostring = function() return 'T' end}))",
        "#setmetatable({}, {__len = function() return 7 end})",
        "(setmetatable({}, {__call = function(self, x) return x * 2 end}))(21)", "pcall(setmetatable, 1, {})",
        "(setmetatable({1}, {__eq = function() return true end})) == setmetatable({2}, {})",
        "rawget(setmetatable({}, {__index = {x = 1}}), 'x')",
        "xpcall(error, function(m) return m .. '!' end, 'x')", "xpcall(function(...) return ... end, print, 1, nil, 3)",
        "xpcall(error, function() return 1, 2 end)", "select(2, xpcall(string.rep, tostring))", "pcall(xpcall, print)",
        "getmetatable('').__index == string", "require 'string' == string", "require('utf8') == utf8",
    ]

    @Test func sandboxLibraryExpressionsAnswerAsLua() throws {
        try #require(Tool.exists("/usr/bin/lua5.4"), "lua5.4 is missing: run scripts/deps.sh")
        let print =
            "local function show(...) local t = table.pack(...) for i = 1, t.n do t[i] = tostring(t[i]) end return table.concat(t, '|') end\n"
        let folder = try TestFolder()
        // Messages contain the name of the chunk.
        let all = print + Self.expressions.map { "lines[#lines + 1] = show(\($0))" }.joined(separator: "\n")
        try folder.write("local lines = {}\n" + all + "\nio.write(table.concat(lines, '\\n'))", to: "main.lua")
        let expected = try Tool.run("/usr/bin/lua5.4", ["main.lua"], in: folder.path)
        #expect(expected.status == 0, "\(expected.error)")
        let answer = try run("local lines = {}\n" + all + "\nreturn table.concat(lines, '\\n')")
        let mine = answer.split(separator: "\n", omittingEmptySubsequences: false)
        let luas = expected.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(mine.count == luas.count)
        for (line, (mine, luas)) in zip(mine, luas).enumerated() {
            #expect(mine == luas, "line \(line) of the answers; the expressions have one or two each")
        }
    }

    /// A character has up to six bytes, and is one result.
    @Test(arguments: ["x", "ä", "€", "🙂"]) func codepointsAreCountedAndNotBytes(_ character: String) throws {
        #expect(
            try run(
                """
                local text = ("\(character)"):rep(250)
                assert(select("#", utf8.codepoint(text, 1, -1)) == 250)
                assert(select("#", utf8.codepoint(text .. text, 1, #text)) == 250)
                local isDone, message = pcall(utf8.codepoint, text .. "x", 1, -1)
                assert(not isDone and message:find("too many results: the sandbox allows 250", 1, true))
                for _, length in ipairs({1499, 1500, 1501, 100000}) do
                  assert(not pcall(utf8.codepoint, ("\\x80"):rep(length), 1, -1))
                end
                return "done"
                """) == "done")
    }

    @Test func classesAreCompletedLate() throws {
        #expect(
            try run(
                """
                local M, mt = {}, {}
                setmetatable(M, mt)
                mt.__call = function(_, x) return x + 1 end
                mt.__index = function(_, k) return k end
                assert(M(1) == 2 and M.name == "name" and getmetatable(M) == mt)
                local A = {} A.__index = A
                local a = setmetatable({}, A)
                function A.hello() return "hello" end
                A.__tostring = function() return "late" end
                assert(a.hello() == "hello" and tostring(a) == "table")
                local b = setmetatable({}, A)
                assert(tostring(a) == "late" and tostring(b) == "late")
                assert(not pcall(function() return setmetatable({}, {})() end))
                return "right"
                """) == "right")
    }

    @Test func aRefusedMetatableChangesNoOtherTable() throws {
        #expect(
            try run(
                """
                local A = {__index = {name = "first"}}
                local a = setmetatable({}, A)
                A.__index = {name = "second"}
                A.__call = 1
                local isDone, message = pcall(setmetatable, {}, A)
                assert(not isDone and message:find("'__call' must be a function", 1, true))
                assert(a.name == "first")
                A.__call = nil
                setmetatable({}, A)
                assert(a.name == "second")
                return "right"
                """) == "right")
    }

    @Test func stringsKeepTheirMetatable() throws {
        #expect(
            try run(
                """
                getmetatable("").__index = nil
                getmetatable("").__add = function() return "added" end
                assert(not pcall(setmetatable, "", {}))
                return ("right"):sub(1) .. ("1" + "2")
                """) == "right3")
    }

    @Test func sandboxMissingMetamethodsAreLoggedOnce() throws {
        let harness = try Harness()
        let function = try harness.registry.replaceable("T.run") { () -> Int in 0 }
        try harness.apply(
            """
            local class = setmetatable({}, {__mode = "k", __call = function() return 7 end, __concat = print})
            setmetatable({}, {__mode = "v"})
            patch.replace("T.run", function() return class() end)
            """, replaces: ["T.run"])
        #expect(function() == 7)
        #expect(
            harness.logged.map { $0.prefix { $0 != ":" } } == [
                "the sandbox has no '__concat'", "the sandbox has no '__mode'",
            ])
    }

    @Test func noHandlerOutlivesItsRun() throws {
        let harness = try Harness()
        let function = try harness.registry.replaceable("T.run") { () -> Int in 0 }
        try harness.apply(
            """
            patch.replace("T.run", function()
              local ok, message = xpcall(error, function(m) error(m .. " again") end, "once")
              assert(ok == false and message:find("once again"))
              xpcall(function() while true do end end, function() while true do end end)
              return 1
            end)
            """, replaces: ["T.run"])
        #expect(function() == 0)
        #expect(harness.failures.map(\.code) == [.scriptLimit])
    }

    @Test(arguments: ["5.3", "5.4"])
    func realLibrariesRun(_ version: String) throws {
        let folder = "/usr/share/lua/\(version)"
        try #require(
            FileManager.default.fileExists(atPath: "\(folder)/pl"), "lua-penlight is missing: run scripts/deps.sh")
        var others: [String: String] = [:]
        let pure = [
            "List", "Map", "MultiMap", "OrderedMap", "Set", "class", "compat", "func", "luabalanced", "lexer",
            "operator", "permute",
            "seq", "stringx", "tablex", "text", "types", "url", "utils", "array2d", "comprehension", "data", "template",
            "pretty", "Date",
            "sip", "xml", "import_into", "strict", "stringio",
        ]
        for name in pure {
            others["pl/\(name).lua"] = try String(contentsOfFile: "\(folder)/pl/\(name).lua", encoding: .utf8)
        }
        // Debian has inspect.lua only for Lua 5.3; it is the same file.
        for file in ["/usr/share/lua/5.3/inspect.lua", "\(folder)/dkjson.lua"] {
            others[String(file.split(separator: "/")[4])] = try String(contentsOfFile: file, encoding: .utf8)
        }
        // The replacements in docs/writing-patches.md for functions that the sandbox does not have.
        others["debug.lua"] = "return {getinfo = function() end, traceback = function(text) return text end}"
        let answer = try run(
            """
            package = {config = "/\\n;\\n?\\n!\\n-\\n"}
            io, os, debug = {}, {}, require "debug"
            local inspect, json = require "inspect", require "dkjson"
            assert(inspect({1, 2, a = {b = true}}) == "{ 1, 2,\\n  a = {\\n    b = true\\n  }\\n}")
            local text = json.encode({1, "zwei", {drei = 3.5, vier = json.null}}, {indent = true})
            local value = json.decode('{"a":[1,2,{"b":"\\\\u00e4"}],"c":null,"d":1e3}')
            assert(value.a[3].b == "ä" and value.d == 1000 and json.decode(text)[2] == "zwei")
            assert(select(2, json.decode("[1,")) ~= nil)

            local List, Map, Set, OrderedMap = require "pl.List", require "pl.Map", require "pl.Set", require "pl.OrderedMap"
            assert(tostring(List{3, 1, 2}:sort():map("*", 2)) == "{2,4,6}")
            assert(List{1, 2, 3}:reduce("+") == 6 and #List.range(1, 10):filter(function(x) return x % 2 == 0 end) == 5)
            assert(Set{1, 2} + Set{2, 3} == Set{1, 2, 3} and Map{a = 1}:keys()[1] == "a")
            local ordered = OrderedMap{{z = 1}, {a = 2}}
            assert(ordered:keys()[1] == "z" and ordered.a == 2)
            local class = require "pl.class"
            local Animal = class()
            function Animal:_init(name) self.name = name end
            function Animal:__tostring() return self.name .. ": " .. self:speak() end
            local Dog = class(Animal)
            function Dog:speak() return "bark" end
            assert(tostring(Dog("Fido")) == "Fido: bark" and Dog("x"):is_a(Animal))
            local stringx, tablex, utils = require "pl.stringx", require "pl.tablex", require "pl.utils"
            assert(stringx.title("hello world") == "Hello World" and stringx.split("a,b", ",")[2] == "b")
            assert(tablex.deepcompare(tablex.deepcopy({a = {1}}), {a = {1}}) and tablex.find({5, 6}, 6) == 2)
            assert(utils.split("a b c")[3] == "c")
            assert(require("pl.text").wrap("one two three", 7)[1] == "one two")
            assert(require("pl.url").quote("a b") == "a%20b")
            assert(#require("pl.permute").table({1, 2, 3}) == 6)
            assert(require("pl.operator").add(1, 2) == 3 and require("pl.types").is_empty(""))
            assert(require("pl.array2d").column({{1, 2}, {3, 4}}, 2)[2] == 4)
            assert(require("pl.luabalanced").match_expression("1 + f(2)") == "1 + f(2)")
            local kinds = {}
            for kind in require("pl.lexer").lua("local x = 1") do kinds[#kinds + 1] = kind end
            assert(table.concat(kinds, " ") == "keyword iden = number")
            assert(require("pl.pretty").write({1, 2}, "") == "{1,2}")
            assert(require("pl.seq").sum({1, 2, 3}) == 6)
            local doc = require("pl.xml").new("a"):text("b")
            assert(tostring(doc) == "<a>b</a>")
            require "pl.MultiMap" require "pl.stringio" require "pl.data" require "pl.func"
            return "right"
            """, others: others
        ) {
            $0.callFuel = 20_000_000
            $0.callTime = .seconds(30)
        }
        #expect(answer == "right")
    }
}
