import Foundation
import PatchCrypto
import TestSupport
import Testing

@testable import PatchRunner
@testable import PatchWorkbench

@Suite(.ownThreads) struct PatchLintTests {
    /// The interface of a small app.
    private func interface() throws -> PatchInterface {
        let registry = PatchRegistry()
        _ = try registry.replaceable("Cart.total") { (a: Double, b: Int) -> Double in a }
        _ = try registry.replaceable("Cart.name") { (a: String?) -> String? in a }
        _ = try registry.replaceable("Cart.clear") { () -> Void in }
        _ = try registry.replaceable("Cart.first") { () -> Item? in nil }
        return registry.interface(of: try HostInfo(app: "com.example.shop", version: "2.3.1"))
    }

    private struct Item: PatchStruct {
        var price: Double
        var name: String?
        static let patchFields = PatchFields(Item.init, .field("price", \.price), .field("name", \.name))
    }

    private func lint(
        _ source: String, replaces: [String] = ["Cart.total"], others: [String: String] = [:], knows: Bool = true
    ) throws -> [Finding] {
        let scripts =
            [PatchScript(name: "main.lua", bytes: Array(source.utf8))]
            + others.sorted { $0.key < $1.key }.map { PatchScript(name: $0.key, bytes: Array($0.value.utf8)) }
        return PatchLint.findings(in: scripts, replaces: replaces, interface: knows ? try interface() : nil)
    }

    private static let good = "patch.replace('Cart.total', function(original, a, b) return original(a, b) end)"

    /// The `otherwise` of a replacement has the type of the function's result, or is an error if the function throws.
    @Test(
        arguments: [
            ("1", nil), ("1.5", nil), ("'x'", "expected number, got string"), ("nil", "expected number, got nil"),
            ("{}", "expected number, got table"),
            ("host.error('later', 503)", "an error was given, but Cart.total cannot throw"),
        ] as [(String, String?)])
    func otherwiseFitsTheResult(_ value: String, _ fault: String?) throws {
        let source =
            "\npatch.replace('Cart.total', function(original, a, b)\nreturn original(a, b)\nend, {otherwise = \(value)})"
        let findings = try lint(source)
        #expect(findings.map(\.message) == (fault.map { ["`otherwise` of Cart.total: \($0)"] } ?? []))
        #expect(findings.allSatisfy { $0.code == .loadError && $0.line == 2 })
        #expect(try lint(source, knows: false).isEmpty)
    }

    @Test func aGoodPatchHasNoFindings() throws {
        #expect(try lint(Self.good).isEmpty)
        #expect(try lint(Self.good, knows: false).isEmpty)
        #expect(try lint("waxClass{'Cart'}\nfunction total(self, a, b) return self:ORIGtotal(a, b) end").isEmpty)
    }

    /// A script that causes a finding, the place of the finding, and a similar script that does not cause it.
    struct Case: Sendable, CustomTestStringConvertible {
        let code: Finding.Code
        let bad: String
        let place: String
        let good: String
        var replaces = ["Cart.total"]
        var testDescription: String { code.rawValue }
    }

    private static func replacing(_ body: String, after load: String = "") -> String {
        "\(load)\npatch.replace('Cart.total', function(original, a, b)\n\(body)\nreturn original(a, b) end)"
    }

    /// Values that a script keeps, and code that only looks similar.
    private static let keeping: [(bad: String, place: String, good: String)] = [
        (
            replacing("count = count + 1", after: "local count = 0"), "3:1",
            replacing("local count = 0 count = count + 1")
        ),
        (replacing("count = a"), "3:1", "count = 1\n" + good),
        (replacing("seen[a] = b", after: "local seen = {}"), "3:1", replacing("local seen = {} seen[a] = b")),
        (
            replacing("seen.of.a = b", after: "local seen = {of = {}}"), "3:1",
            replacing("local c = seen.of.a", after: "local seen = {of = {}}")
        ),
        (replacing("shop.sum = b", after: "shop = {}"), "3:1", replacing("local c = shop.sum", after: "shop = {}")),
        (replacing("local s = seen s[1] = b", after: "local seen = {}"), "3:11", replacing("local s = {} s[1] = b")),
        (replacing("table.insert(seen, a)", after: "local seen = {}"), "3:14", replacing("table.insert({}, a)")),
        (
            replacing("local f = function() n = n + 1 end f()", after: "local n = 0"), "3:22",
            replacing("local n = 0 local f = function() n = n + 1 end f()")
        ),
        (
            "local n = 0\nlocal function add() n = n + 1 end\n" + replacing("add()"), "2:22",
            "local function add(n) n = n + 1 return n end\n" + replacing("add(1)")
        ),
    ]

    static let cases: [Case] =
        keeping.map { Case(code: .keepsState, bad: $0.bad, place: $0.place, good: $0.good) } + [
            Case(code: .syntax, bad: "local x = = 1", place: "1:11", good: "local x = 1\n" + good),
            Case(code: .syntax, bad: "\n  x y", place: "2:5", good: "x = y\ny = x\n" + good),
            Case(code: .syntax, bad: "local s = 'open\n", place: "1:11", good: good),
            Case(
                code: .syntax, bad: "local a\nlocal b = a" + String(repeating: ".b", count: 300), place: "2:413",
                good: "local a = {}\nlocal b = a.b\n" + good),
            Case(
                code: .undefinedGlobal, bad: good + "\nfunction f() return prnt end", place: "2:21",
                good: good + "\nlocal function f() return print end"),
            Case(
                code: .undefinedGlobal, bad: good + "\nlocal function f() return other end", place: "2:27",
                good: good + "\nother = 1\nlocal function f() return other end"),
            Case(
                code: .notInSandbox, bad: good + "\nlocal function f() return os.time() end", place: "2:27",
                good: good + "\nlocal os = {}\nlocal function f() return os.time() end"),
            Case(
                code: .notInSandbox, bad: good + "\nlocal function f() return string.dump(f) end", place: "2:34",
                good: good + "\nlocal function f() return string.rep('x', 2) end"),
            Case(code: .loadError, bad: good + "\n\nlocal x = nil + 1", place: "3:1", good: good + "\nlocal x = 1 + 1"),
            Case(
                code: .loadLimit, bad: good + "\nwhile true do end", place: "2:1", good: good + "\nwhile false do end"),
            Case(code: .replacesNothing, bad: "local x = 1", place: "1:1", good: good, replaces: ["Cart.total"]),
            Case(code: .replacesMissing, bad: good + "\npatch.replace('Cart.clear', print)", place: "2:16", good: good),
            Case(
                code: .replacesUnused, bad: "-- @replaces Cart.total, Cart.clear\n" + good, place: "1:26",
                good: good + "\npatch.replace('Cart.clear', function() end)", replaces: ["Cart.total", "Cart.clear"]),
            Case(
                code: .unknownFunction, bad: good + "\npatch.replace('Cart.totl', function() end)", place: "2:16",
                good: good),
            Case(
                code: .unknownFunction, bad: "-- @replaces Cart.total, Cart.all\n" + good, place: "1:26",
                good: good + "\npatch.replace('Cart.clear', function() end)", replaces: ["Cart.total", "Cart.all"]),
            Case(
                code: .arity, bad: "patch.replace('Cart.total', function(original, a, b, c) return a end)",
                place: "1:16",
                good: "patch.replace('Cart.total', function(original, a, ...) return a end)"),
            Case(
                code: .resultType,
                bad:
                    "patch.replace('Cart.total', function(original, a)\n  if a then return 'ten' end\n  return a\nend)",
                place: "2:13",
                good: "patch.replace('Cart.total', function(original, a)\n  if a then return 10 end\n  return a\nend)"),
            Case(
                code: .resultType, bad: "patch.replace('Cart.total', function() return nil end)", place: "1:40",
                good: "patch.replace('Cart.name', function() return nil end)\n" + good),
            Case(
                code: .unusedLocal, bad: good + "\nlocal x = 1", place: "2:7", good: good + "\nlocal _, y = 1, 2\nz = y"
            ),
            Case(
                code: .unusedLocal, bad: good + "\nlocal function f() return f end\nlocal x\nx = 1", place: "3:7",
                good: good + "\nlocal x\nlocal function f() x = x and 2 end\nf()"),
            Case(
                code: .shadowedLocal, bad: good + "\nlocal a = 1\nfunction f(a) return a end f(a)", place: "3:12",
                good: good + "\nlocal a = 1\nfunction f(b) return b end f(a)"),
            Case(
                code: .operand, bad: good + "\nfunction f() return #5 end", place: "2:21",
                good: good + "\nfunction f() return #'5', 1 .. 2, ('x'):rep(2), '10' + 1, -2 ^ 2 end"),
            Case(
                code: .operand, bad: good + "\nfunction f(x) return 'a' .. (x and nil) .. nil end", place: "2:41",
                good: good + "\nfunction f(x) return 'a' .. (x or '') end"),
            Case(
                code: .operand, bad: "patch.replace('Cart.total', function(original, a, b) return original(#a, b) end)",
                place: "1:70", good: good),
            Case(
                code: .originalArguments,
                bad: "patch.replace('Cart.total', function(original, a) return original(a) end)",
                place: "1:66",
                good: "patch.replace('Cart.total', function(original, ...) return original(...) end)"),
            Case(
                code: .unknownClass, bad: "waxClass{'Crt'}\nfunction total(self) return 1 end\n" + good, place: "1:11",
                good: "waxClass{'Cart'}\nfunction total(self, a, b) return 1 end"),
            Case(
                code: .unknownMethod, bad: "waxClass{'Cart'}\nfunction total(self, a, b) return self:view(a, b) end",
                place: "2:40",
                good:
                    "waxClass{'Cart'}\nfunction view(self) return 1 end\nfunction total(self, a, b) return self:view() end"
            ),
            Case(
                code: .notInSandbox,
                bad: "waxClass{'Cart'}\nfunction total(self, a, b) return self.super:total(a, b) end",
                place: "2:40",
                good: "function string.trim(s) return s end\ntable.x = table.x or string.trim('')\n" + good),
            Case(
                code: .syntax, bad: "#!/usr/bin/lua\n" + good, place: "1:1", good: good),
        ]

    @Test func aSpecIsNoPatch() throws {
        let spec = "local total = 1\ndescribe('Cart', function() it('works', function() prnt(x) end) end)"
        let script = PatchScript(name: "a_spec.lua", bytes: Array(spec.utf8))
        let found = PatchLint.findings(in: [script], replaces: [], interface: nil)
        #expect(found.map(\.code) == [.spec])
        #expect(found.first.map { "\($0.line):\($0.column)" } == "2:1")
        let lines = "describe('Cart')\nfunction describe(x) end\ndescribe('Cart')"
        let own = PatchScript(name: "own.lua", bytes: Array(lines.utf8))
        #expect(!PatchLint.findings(in: [own], replaces: [], interface: nil).map(\.code).contains(.spec))
    }

    @Test func whatIsMeantIsIgnored() throws {
        let bad = Self.good + "\nlocal x = 1"
        #expect(try lint(bad).map(\.code) == [.unusedLocal])
        #expect(try lint(bad + " -- patchpack: ignore unused-local").isEmpty)
        #expect(try lint(Self.good + "\n-- patchpack: ignore arity, unused-local\nlocal x = 1").isEmpty)
        #expect(try lint(bad + " -- patchpack: ignore arity").count == 1)
        #expect(try lint(Self.good + "\nlocal y -- patchpack: ignore unused-local\nlocal x = 1").count == 1)
    }

    @Test func whatMayBeAMetamethodsIsLeftAlone() throws {
        #expect(try lint(Self.good + "\nfunction f(v) return (-v).x, (#v).n, (~v)(), -(v .. 'x') end").isEmpty)
    }

    @Test(arguments: [
        "local v = f(1) + {x = 2}", "local v = {} % f()", "local v = {x = 1} // y", "local v = 2 + f()",
        "local v = -f()",
    ])
    func operatorsMayBeMetamethods(_ line: String) throws {
        let found = try lint(Self.good + "\nfunction f(y) \(line) return v end")
        #expect(!found.contains { $0.code == .operand }, "\(found)")
    }

    @Test func theOriginalOfAMethodIsChecked() throws {
        func codes(_ body: String) throws -> [String] {
            try lint("waxClass{'Cart'}\nfunction total(self, a, b) \(body) return 1 end").map(\.code.rawValue)
        }
        #expect(try codes("self:ORIGtotal(a)") == ["original-arguments"])
        #expect(try codes("self:ORIGtotl(a, b)") == ["unknown-method"])
        #expect(try codes("self.ORIGtotal(a, b)") == ["argument"])
        #expect(try codes("self.ORIGtotal(self, a, b)") == [])
        #expect(try codes("local me = self\nself.ORIGtotal(me, a, b) self.ORIGtotal((self), a, b)") == [])
        #expect(try codes("self.ORIGtotal(table.unpack({self, a, b}))") == [])
        #expect(try codes("self:ORIGtotal(a, b) self:ORIGtotal(a, f())").contains("original-arguments") == false)
        #expect(try codes("if self.extra then self:extra() end").isEmpty)
        #expect(try codes("local o = {m = function(self) return self:n() end} o:m()").isEmpty)
    }

    @Test func aMisspeltCommentIsFound() throws {
        for comment in ["-- patchpack: ignore", "-- patchpack: ignore unused-locl", "--patchpack:ignore nothing"] {
            #expect(try lint(Self.good + "\n" + comment).map(\.code) == [.unknownTag], "\(comment)")
        }
        #expect(try lint(Self.good + "\nlocal x --patchpack:ignore unused-local").isEmpty)
    }

    @Test func onlyCommentsSilence() throws {
        let text =
            "\nx = \"-- patchpack: ignore undefined-global\" y = nope\nz = [[\n-- patchpack: ignore undefined-global\n]] w = nope"
        #expect(try lint(Self.good + text).map(\.code) == [.undefinedGlobal, .undefinedGlobal])
        let error = "patch.replace('Cart.totl', print) -- patchpack: ignore unknown-function"
        #expect(try lint(error).contains { $0.code == .unknownFunction })
        #expect(
            try lint(
                "patch.replace('Cart.total', function(original, a, b) if type(a) == 'table' then a = #a end return original(a, b) end)"
            )
            .isEmpty)
    }

    @Test func aListOfFindingsHasAnEnd() throws {
        let found = try lint(Self.good + "\n" + String(repeating: "do local a end ", count: 4000))
        #expect(found.count == 200)
    }

    @Test func deadScriptsOfABundleAreFound() throws {
        let others = ["a/init.lua": "return require 'a.b'", "a/b.lua": "return {}", "dead.lua": "return 1"]
        #expect(try lint("require('a')\n" + Self.good, others: others).map(\.script) == ["dead.lua"])
        #expect(try lint("local name = 'a' require(name)\n" + Self.good, others: others).isEmpty)
        #expect(try lint("pcall(require, 'dead')\n" + Self.good, others: others).isEmpty)
    }

    @Test func otherEncodingsAreFound() throws {
        let script = Array((Self.good + "\nx = 'Gr").utf8) + [0xFC, 0xDF] + Array("e'".utf8)
        let found = PatchLint.findings(
            in: [PatchScript(name: "main.lua", bytes: script)], replaces: ["Cart.total"], interface: nil)
        #expect(found.map { "\($0.line) \($0.code.rawValue)" } == ["2 encoding"])
    }

    /// An outline can be made from any source, whether it compiles or not, and however deeply it is nested. Its places are in
    /// the source.
    @Test(arguments: [
        String(repeating: "(", count: 150) + "1" + String(repeating: ")", count: 150),
        "x = " + String(repeating: "-", count: 5000),
        "f = function() goto a ::a:: for i = 1, 2 do local t <const>, u <close> = {[1] = 2; 'x', y = 0x1p-4}, nil end end",
        "--[==[ ]] ]==] x = [[a\nb]] local _ = 1 // 2 ~ 3 >> 1 ; return ...", "local function f() end local", "]]", "'",
    ])
    func everySourceHasAnOutline(_ source: String) {
        for end in [source.utf8.count] + (0..<min(source.utf8.count, 200)) {
            let outline = SourceOutline(Array(source.utf8.prefix(end)))
            let places = outline.variables.map(\.place) + outline.operations.map(\.place) + outline.members.map(\.name)
            #expect(places.allSatisfy { 0 <= $0.start && $0.start < $0.end && $0.end <= end }, "\(source.prefix(end))")
        }
    }

    @Test(arguments: cases) func eachFindingHasItsScript(_ test: Case) throws {
        let found = try lint(test.bad, replaces: test.replaces)
        let finding = try #require(found.first { $0.code == test.code }, "\(found)")
        #expect("\(finding.line):\(finding.column)" == test.place)
        #expect(finding.length >= 1 && finding.script == "main.lua" && !finding.message.isEmpty)
        let replaces = test.good.contains("Cart.name") ? ["Cart.total", "Cart.name"] : test.replaces
        let other = try lint(test.good, replaces: replaces.filter { test.good.contains($0) })
        #expect(!other.contains { $0.code == test.code }, "\(other)")
    }

    @Test func hintsNameWhatWasMeant() throws {
        #expect(try lint(Self.good + "\nfunction f() return prnt end")[0].hint == "did you mean print?")
        #expect(
            try lint(Self.good + "\nfunction f() return later() end local function later() return f() end")[0].hint
                == "line 2 has a local later, but it is not visible here")
        #expect(
            try lint(Self.good + "\nfunction f() return string.formt('') end")[0].hint
                == "did you mean string.format?")
        let unknown = try lint("patch.replace('Cart.totl', function() end)")
        #expect(unknown.first { $0.code == .unknownFunction }?.hint == "did you mean Cart.total?")
    }

    @Test func everyScriptOfABundleIsLookedAt() throws {
        let found = try lint(
            "require 'tax'\n" + Self.good, others: ["tax.lua": "local x = 1\nreturn prnt(x)", "unused.lua": "x ="])
        #expect(found.map(\.script) == ["unused.lua"])
        #expect(
            try lint("require 'tax'\n" + Self.good, others: ["tax.lua": "local x = 1\nreturn {prnt, x}"]).map(\.script)
                == [
                    "tax.lua"
                ])
        let failing = try lint("require 'tax'\n" + Self.good, others: ["tax.lua": "\nerror('no')"])
        #expect(failing.map(\.code) == [.loadError])
    }

    @Test func theNamesAreThoseOfTheSandbox() throws {
        let registry = PatchRegistry()
        let list = try registry.replaceable("T.list") { () -> [String: [String]] in [:] }
        let runner = PatchRunner(
            registry: registry, host: try HostInfo(app: "com.example.shop", version: "1"), clock: { nil })
        let source =
            """
            patch.replace("T.list", function()
              local names = {_G = {}}
              for name, value in pairs(_G) do
                names._G[#names._G + 1] = name
                if type(value) == "table" and name ~= "_G" then
                  names[name] = {}
                  for member in pairs(value) do table.insert(names[name], member) end
                end
              end
              return names
            end)
            """
        let script = PatchScript(name: "main.lua", bytes: Array(source.utf8))
        let manifest = try Manifest(
            id: "com.example.shop.fix", version: 1, app: "com.example.shop", replaces: ["T.list"],
            scripts: [.init(name: script.name, size: script.bytes.count)])
        try runner.activate(try runner.load(VerifiedPatch(unverifiedForTesting: manifest, scripts: [script])))
        var names = withExtendedLifetime(runner) { list() }.mapValues(Set.init)
        #expect(names.removeValue(forKey: "_G") == SandboxNames.globals)
        #expect(names == SandboxNames.members)
        #expect(SandboxNames.globals.isDisjoint(with: SandboxNames.missing))
    }

    @Test(arguments: [
        ("return {pirce = 9}", "Cart.first returns Item, but this has no field price"),
        ("return {price = 'x'}", "the field price of Item is number, but this is a string"),
        ("return {price = 9, name = 1}", "the field name of Item is string or nil, but this is an integer"),
        ("local item = {} item.name = 'x' return item", "Cart.first returns Item, but this has no field price"),
        ("if other then return {} end return nil", "Cart.first returns Item, but this has no field price"),
    ])
    func tablesWithoutTheFieldsOfTheirStructAreFound(body: String, message: String) throws {
        let source = "patch.replace('Cart.first', function(original) local other = original() \(body) end)"
        let found = try lint(source, replaces: ["Cart.first"]).filter { $0.code == .resultType }
        #expect(found.map(\.message) == [message])
        #expect(found.first?.hint == (body.contains("pirce") ? "pirce is not a field of Item" : nil))
        #expect(try lint(source, replaces: ["Cart.first"], knows: false).filter { $0.code == .resultType }.isEmpty)
    }

    /// Lint reports nothing about a table that other code may have filled.
    @Test(arguments: [
        "return {price = 9}", "return nil", "return {price = other and 1 or 2}", "local t = {} t.price = 1 return t",
        "local t = {} fill(t) return t", "local t = {} t['price'] = 1 return t",
        "local t = {name = 'x'} if other then t.price = 1 end return t",
        "local t = {} local u = t u.price = 1 return t",
        "local t = {} local f = function() t.price = 1 end f() return t",
        "local t = {} local all = {t} fill(all) return t", "local t = {} global = t return t",
        "local t = {} other.x = t return t",
        "return setmetatable({}, {})", "return {table.unpack(other)}",
        "local t = {} for i = 1, 2 do t.price = i end return t",
        "local k, t = 'price', {} t[k] = 2 return t", "local t = {} t:fill() return t",
        "local t = other or {} t.name = 'x' return t", "local t = other and {} or other t.name = 'x' return t",
        "local t, u = {}, {} t.inner = u fill(t) return u",
    ])
    func tablesThatMayHaveTheFieldsAreNot(body: String) throws {
        let source =
            "local function fill() end patch.replace('Cart.first', function(original) local other = original() \(body) end)"
        #expect(try lint(source, replaces: ["Cart.first"]).filter { $0.code == .resultType }.map(\.message) == [])
    }

    @Test func interfacesAreReadAsTheyAreWritten() throws {
        let interface = try interface()
        #expect(try PatchInterface(json: Array(interface.json.utf8)) == interface)
        #expect(
            interface.json.contains(
                #"{"name":"Cart.total","arguments":["number","integer"],"result":"number","throws":false,"async":false}"#
            ))
        for text in [
            "", "{}", "[]", #"{"schema":"patchpack.interface/2"}"#,
            interface.json.replacingOccurrences(of: "number", with: "\u{0}"),
        ] {
            #expect(throws: PatchError.self) { try PatchInterface(json: Array(text.utf8)) }
        }
    }

    @Test func changesAreNamedWhatBreaksFirst() throws {
        let registry = PatchRegistry()
        _ = try registry.replaceable("Cart.total") { (a: Double) -> Double in a }
        _ = try registry.replaceable("Cart.name") { (a: String?) throws -> String? in a }
        _ = try registry.replaceable("Cart.all") { () -> [Int] in [] }
        let newer = registry.interface(of: try HostInfo(app: "com.example.shop", version: "2.4"))
        let changes = try interface().changes(to: newer)
        #expect(
            changes.map(\.description) == [
                "Cart.clear is gone", "Cart.first is gone",
                "Cart.total was (number, integer) -> number and is now (number) -> number",
                "the struct Item is gone",
                "Cart.name was (string or nil) -> string or nil and is now (string or nil) throws -> string or nil",
                "Cart.all is new: () -> array of integer",
            ])
        #expect(changes.map(\.isBreaking) == [true, true, true, true, false, false])
        #expect(newer.changes(to: newer).isEmpty)
    }

    @Test func scalarsAreReadAndCompared() throws {
        func interface(_ scalars: [PatchInterface.Scalar]) -> PatchInterface {
            PatchInterface(
                app: "com.example.shop", appVersion: "1", functions: [], structs: [], scalars: scalars, classes: [])
        }
        let older = interface([
            .init(name: "Meal", type: "string", cases: [.string("lunch"), .string("din\"ner")]),
            .init(name: "Size", type: "integer", cases: [.integer(-1), .integer(9)]),
            .init(name: "Date", type: "number", cases: []),
        ])
        #expect(try PatchInterface(json: Array(older.json.utf8)) == older)
        let newer = interface([
            .init(name: "Meal", type: "string", cases: [.string("lunch"), .string("brunch")]),
            .init(name: "Size", type: "string", cases: []),
        ])
        #expect(
            older.changes(to: newer).map { "\($0.isBreaking) \($0.description)" } == [
                #"true the case "din\"ner" of Meal is gone"#, "true Size was integer and is now string",
                #"false the case "brunch" of Meal is new"#,
            ])
        #expect(older.stubs.contains(#"---@alias Meal "lunch" | "din\"ner""#))
        #expect(older.stubs.contains("---@alias Size -1 | 9\n") && older.stubs.contains("---@alias Date number\n"))
        for (old, new) in [
            (#""type":"string""#, #""type":"Meal""#), (#""name":"Meal""#, #""name":"Size""#),
            (#""name":"Meal""#, #""name":"string""#), ("-1", "true"), ("-1", "1.5"),
        ] {
            let broken = older.json.replacingOccurrences(of: old, with: new)
            #expect(throws: PatchError(.malformed, "")) { try PatchInterface(json: Array(broken.utf8)) }
        }
    }

    @Test func changesOfFieldsAreNamed() throws {
        func interface(_ fields: [(String, String)]) -> PatchInterface {
            PatchInterface(
                app: "com.example.shop", appVersion: "1", functions: [],
                structs: [.init(name: "Item", fields: fields.map { .init(name: $0, type: $1) })], classes: [])
        }
        let older = interface([("price", "number"), ("name", "string"), ("kept", "integer")])
        let changes = older.changes(
            to: interface([("kept", "integer"), ("price", "integer"), ("size", "number"), ("note", "string or nil")]))
        #expect(
            changes.map { "\($0.isBreaking) \($0.description)" } == [
                "true the field Item.price was number and is now integer", "true the field Item.name is gone",
                "true the field Item.size is new: number", "false the field Item.note is new: string or nil",
            ])
        #expect(older.changes(to: older).isEmpty)
    }

    /// A file of an app that was built with an older version of the library.
    @Test func anInterfaceWithoutStructsIsRead() throws {
        let text = try interface().json.split(separator: "\n", omittingEmptySubsequences: false)
        let structs = try #require(text.firstIndex { $0.contains(#""structs""#) })
        let older = (text[..<structs] + text[(structs + 3)...]).joined(separator: "\n")
        #expect(try PatchInterface(json: Array(older.utf8)).structs.isEmpty)
        for (old, new) in [
            (#""name":"price","type""#, #""name":"name","type""#), (#""type":"number""#, #""type":1"#),
            (#""fields":"#, #""field":"#), (#""name":"price""#, #""name":"""#),
            (#""name":"price""#, #""name":"\u0000""#),
            (#""type":"number""#, #""type":"number\#(String(repeating: " or nil", count: 200))""#),
        ] {
            let broken = try interface().json.replacingOccurrences(of: old, with: new)
            #expect(throws: PatchError(.malformed, "")) { try PatchInterface(json: Array(broken.utf8)) }
        }
    }

    @Test func manyGlobalsAndLongFunctionsAreRead() throws {
        let many = (1...1900).map { "F=function() g\($0)=h\($0) end" }.joined(separator: " ")
        #expect(try lint("-- @instances any\n\(Self.good)\n\(many)").count == 100)
        // With more than 255 constants, Lua indexes globals in another way.
        let constants = (1...300).map { "local _ = 'k\($0)'" }.joined(separator: "\n")
        let wrapped = "do \(constants.replacingOccurrences(of: "local _", with: "_")) end\n"
        let found = try lint(
            wrapped + "function helper() end\nhelper()\n_G.other = 1\nother = other\n" + Self.good
                + "\nF = function() return undef end")
        #expect(found.map(\.message) == ["the global undef is used, but nothing defines it"])
    }

    /// The head declares that the author intends it.
    @Test func whatIsKeptIsTheAuthorsChoice() throws {
        let script = "local count = 0\npatch.replace('Cart.total', function() count = count + 1 return count end)"
        #expect(try lint(script).map(\.code) == [.keepsState])
        for instances in ["1", "any"] { #expect(try lint("-- @instances \(instances)\n" + script).isEmpty) }
    }

    @Test func linesAndColumnsAreLuasAndUnicodes() throws {
        let found = try lint(Self.good + "\r\rlocal function f() local e = '👩‍👧 é' foo() end\r\nlocal x = 1")
        #expect(
            found.map { "\($0.line):\($0.column) \($0.code.rawValue)" }
                == ["3:16 unused-local", "3:26 unused-local", "3:38 undefined-global", "4:7 unused-local"])
    }
}
