import PatchCrypto
import PatchText
import TestSupport
import Testing

@testable import PatchLint
@testable import PatchRunner

/// Lint ends for every script and interface. Without its bounds, each of these would take minutes, or the whole stack
/// or memory.
@Suite(.ownThreads) struct BoundTests {
    private static func function(_ name: String, _ arguments: [String], _ result: String) -> PatchInterface.Function {
        .init(name: name, signature: FunctionType(arguments, result: result))
    }

    private static func structure(_ name: String, _ fields: [(String, String)]) -> PatchInterface.Struct {
        .init(name: name, fields: fields.map { .init(name: $0.0, type: $0.1) })
    }

    private static func interface(
        _ functions: [PatchInterface.Function] = [], _ structs: [PatchInterface.Struct] = [],
        scalars: [PatchInterface.Scalar] = [], classes: [PatchInterface.Class] = []
    ) -> PatchInterface {
        .init(
            app: "com.example.x", appVersion: "1.0", functions: functions, structs: structs, scalars: scalars,
            classes: classes)
    }

    private static func lint(
        _ source: String, _ interface: PatchInterface?, replaces: [String] = ["F.give"],
        budget: LintBudget = LintBudget()
    ) -> [Finding] {
        Linter.findings(
            in: [PatchScript(name: "main.lua", bytes: Array(source.utf8))], replaces: replaces, interface: interface,
            budget: budget)
    }

    private static let give = "patch.replace('F.give', function(o, a) return a end)\n"

    private static func giving(_ body: String) -> String {
        "patch.replace('F.give', function(o, a)\n\(body)\nreturn a end)\n"
    }

    // MARK: structs

    @Test func structsThatReferToThemselvesAreCompared() {
        let same = Self.interface(
            [Self.function("F.give", ["A"], "B")],
            [Self.structure("A", [("next", "A or nil")]), Self.structure("B", [("next", "B or nil")])])
        #expect(Self.lint(Self.give, same).isEmpty)
        let other = Self.interface(
            [Self.function("F.give", ["A"], "B")],
            [
                Self.structure("A", [("next", "C or nil")]), Self.structure("B", [("next", "D or nil")]),
                Self.structure("C", [("up", "A or nil"), ("x", "string")]),
                Self.structure("D", [("up", "B or nil"), ("x", "integer")]),
            ])
        // A value that was found once is found again.
        let found = Self.lint(Self.giving("if a.next then return a end"), other)
        #expect(found.map(\.code) == [.resultType, .resultType])
        #expect(found.allSatisfy { $0.message == "the field x of D is integer, but this is a string" })
    }

    @Test func eachPairOfStructsIsComparedOnce() {
        func structs(_ letter: String) -> [PatchInterface.Struct] {
            (0...25).map { number in
                let type = number < 25 ? "\(letter)\(number + 1)" : "integer"
                return Self.structure("\(letter)\(number)", [("x", type), ("y", type)])
            }
        }
        let budget = LintBudget()
        let before = budget.steps
        let interface = Self.interface([Self.function("F.give", ["A0"], "B0")], structs("A") + structs("B"))
        #expect(Self.lint(Self.give, interface, budget: budget).isEmpty)
        #expect(before - budget.steps < 20_000)
    }

    @Test func structsAreComparedToADepth() {
        func structs(_ letter: String) -> [PatchInterface.Struct] {
            (0...5000).map { Self.structure("\(letter)\($0)", [("x", $0 < 5000 ? "\(letter)\($0 + 1)" : "integer")]) }
        }
        let interface = Self.interface([Self.function("F.give", ["A0"], "B0")], structs("A") + structs("B"))
        #expect(Self.lint(Self.give, interface).isEmpty)
    }

    @Test func structComparisonBudgetSpentIsTooLarge() {
        func structs(_ letter: String) -> [PatchInterface.Struct] {
            (0..<400).map { number in
                Self.structure(
                    "\(letter)\(number)",
                    (1...8).map { ("f\($0)", "\(letter)\((number * (letter == "A" ? 7 : 11) + $0 * 31) % 400)") })
            }
        }
        let interface = Self.interface([Self.function("F.give", ["A0"], "B0")], structs("A") + structs("B"))
        let found = Self.lint(Self.give, interface, budget: LintBudget(steps: 500_000))
        #expect(found.map(\.code) == [.tooLarge])
    }

    /// Each value of `otherwise` names a struct, which is found among all of them.
    @Test func manyValuesOfManyStructsAreRead() {
        let structs = (0..<30_000).map { Self.structure("S\($0)", [("x", "integer or nil")]) }
        let interface = Self.interface([Self.function("F.give", [], "array of S29999")], structs)
        let found = Self.lint(
            """
            local t = {}
            for i = 1, 1000 do t[i] = {} end
            t[1000] = {x = 'text'}
            patch.replace('F.give', function(o) return o() end, {otherwise = t})
            """, interface)
        #expect(found.map(\.code) == [.loadError])
        #expect(
            found.first?.message.hasSuffix("element 1000: expected S29999: x: expected integer, got string") == true,
            "\(found.map(\.message))")
    }

    // MARK: scripts

    /// A script that is followed again, because another one writes a table, has its problems once more.
    @Test func problemsAreFoundInEachRound() {
        let interface = Self.interface([Self.function("F.give", ["A"], "A")], [Self.structure("A", [("x", "integer")])])
        let body = String(repeating: "do local s = math.floor(o) end\n", count: 1100)
        let helper = "local M = {}\nfunction M.note(t) t.x = 'a' end\nreturn M\n"
        let scripts = [("main.lua", "local h = require 'h'\n" + Self.giving(body)), ("h.lua", helper)]
        let found = Linter.findings(
            in: scripts.map { PatchScript(name: $0, bytes: Array($1.utf8)) }, replaces: ["F.give"],
            interface: interface, budget: LintBudget())
        #expect(found.count { $0.code == .argument } >= 100, "\(Set(found.map(\.code)))")
    }

    /// Each round finds one more field that may hold the string, because a function copies it there.
    @Test func writesAreFollowedUntilNoneIsNew() {
        let last = 20
        let interface = Self.interface(
            (0...last).map { Self.function("F.f\($0)", ["A"], "nothing") },
            [Self.structure("A", (0...last).map { ("x\($0)", "integer") })])
        let copies = (1...last).map { "a.x\($0) = a.x\($0 - 1)" }
        let reading = "log.info(a.x\(last):upper())"
        func function(_ number: Int, _ body: String) -> String {
            "patch.replace('F.f\(number)', function(o, a) \(body) end)\n"
        }
        func found(_ source: String, _ replaced: ClosedRange<Int>) -> [Finding.Code] {
            Self.lint(source, interface, replaces: replaced.map { "F.f\($0)" }).map(\.code)
        }
        let functions = copies.enumerated().map { function($0 + 1, $0 + 1 < last ? $1 : "\(reading) \($1)") }.joined()
        #expect(found(function(0, "a.x0 = 'text'") + functions, 0...last).isEmpty)
        #expect(found(function(0, "a.x0 = 5") + functions, 0...last) == [.operand])
        // The same in the rounds of one function.
        let turns = ([reading] + Array(copies.reversed()) + ["a.x0 = 'text'"]).joined(separator: " ")
        #expect(found(function(0, turns), 0...0).isEmpty)
    }

    /// A function of the script is followed for each table that it gets.
    @Test func writesOfCalledFunctionsArePaidFor() {
        let interface = Self.interface([Self.function("F.give", ["integer"], "integer")])
        let tables = (0..<100).map { "local t\($0) = {}\n" }.joined()
        let writes = String(repeating: "if x then t.x = (t.x or 0) + 1 end\n", count: 300)
        let calls = (0..<100).map { "note(t\($0), a)\n" }.joined()
        let source = tables + "local function note(t, x)\n\(writes)end\n" + Self.giving(calls)
        #expect(Self.lint(source, interface).count { $0.code == .keepsState } == 100)
        let found = Self.lint(source, interface, budget: LintBudget(steps: 1_000_000))
        #expect(found.contains { $0.code == .tooLarge })
    }

    /// Local functions that call one another, loops with many ways out, long patterns, and many tests.
    private static let scripts: [String] = {
        let functions = (0..<150).map { (number: Int) -> String in
            let calls = (0..<min(number, 40)).map { "f\($0)(x)" }.joined(separator: " + ")
            return "local function f\(number)(x) return \(calls.isEmpty ? "1" : calls) end\n"
        }
        let exits = String(repeating: "if x then break end\n", count: 900)
        let pattern = String(repeating: "a", count: 30_000)
        let matches = String(repeating: "s = ('x'):match(p)\n", count: 1400)
        let tests = (0..<1500).map { "if n == \($0) then G(\($0)) end\n" }.joined()
        return [
            functions.joined(), "local x = G\nwhile true do\n\(exits)end\n",
            "local s = G\nlocal p = '\(pattern)'\n\(matches)", "local n = G\n\(tests)",
        ]
    }()

    @Test(arguments: scripts)
    func scriptsOfManyPartsAreFollowed(source: String) {
        let budget = LintBudget()
        let interface = Self.interface([Self.function("F.give", ["integer"], "integer")])
        let found = Self.lint(source + Self.give, interface, budget: budget)
        #expect(
            found.allSatisfy { [.undefinedGlobal, .tooLarge, .loadLimit, .loadError].contains($0.code) },
            "\(found.map(\.message))")
        // The last work that is paid for may cost more than what is left.
        #expect(budget.steps > -1_000_000)
    }

    /// A quotient of a parameter, and an element at the counter of a loop, are explained by the code before them.
    @Test(arguments: [
        "\(String(repeating: "print()\n", count: 4000))a = 1\n\(String(repeating: "print(a / 2)\n", count: 1000))",
        "for i = 0, #a do\n\(String(repeating: "x = a[i] ", count: 4000))\nend",
    ])
    func searchesInTheCodeBeforeArePaidFor(body: String) {
        let budget = LintBudget()
        let before = budget.steps
        let interface = Self.interface([Self.function("F.give", ["array of integer"], "nothing")])
        _ = Self.lint(Self.giving(body), interface, budget: budget)
        #expect(before - budget.steps > 10_000_000)
    }

    // MARK: callers

    /// A function that runs while a script is loaded is compared only with the names that it uses.
    @Test func functionsThatNothingCallsAreNotSearched() throws {
        let unused = (0..<800).map { "do local function f\($0)() end local _ = 0 end\n" }.joined()
        let script = try Prototype.compiled(unused + String(repeating: "(function() end)();\n", count: 1400))
        let called = CalledFunctions(
            of: Array(repeating: script, count: 50), definesClasses: false, LintBudget())
        var found = 0
        called.each(in: script) { _ in found += 1 }
        #expect(found == 0)
    }

    /// The steps that lint takes to see that a script calls no replacement itself.
    private static func stepsToFindCallers(_ source: String) throws -> Int {
        let functions = try Prototype.compiled(replacing + source).nested
        let budget = LintBudget()
        let before = budget.steps
        #expect(!OwnCallers(functions, budget).mayCall(functions[1]))
        return before - budget.steps
    }

    private static let replacing = "function total(o, a) return o(a) end patch.replace('F.give', total)\n"

    /// Each read asks whether the local value is called.
    @Test func readsIntoALocalNameAreFollowedOnce() throws {
        let reads = String(repeating: "x=t.a\n", count: 9000)
        #expect(try Self.stepsToFindCallers("local t = {a=1} local x\n" + reads) < 1_000_000)
    }

    /// The call that gets a value is looked for, and then the function that is called.
    @Test func argumentsOfManyCallsArePaidFor() throws {
        let arguments = Array(repeating: "t.a", count: 200).joined(separator: ",")
        let calls = String(repeating: "G(\(arguments))\n", count: 60)
        let steps = try Self.stepsToFindCallers("local t = {a=1}\n" + calls)
        #expect((1_000_000..<10_000_000).contains(steps), "\(steps)")
    }

    @Test func replaceIsFoundOnceUnderALocalName() throws {
        let calls = String(repeating: "add('F',total)\n", count: 3000)
        #expect(try Self.stepsToFindCallers("local add = patch.replace\n" + calls) < 1_000_000)
    }

    // MARK: values

    /// A table is read once, however many tables it is in.
    @Test func theFaultOfADeeplyNestedValueIsFound() {
        var value = ScriptValue.other("function")
        for _ in 0..<60 { value = .table([(key: .string(Array("t".utf8)), value: value)], length: nil) }
        #expect(value.fault(as: InterfaceType("value"), in: nil) == "expected value, got function")
    }

    /// Tables that share their parts: 100 fields each, four levels deep.
    private static let nested: String = {
        func fields(_ value: String) -> String { (0..<99).map { "f\($0)=\(value)" }.joined(separator: ",") }
        return "local a1 = {\(fields("1"))}\n"
            + (2...4).map { "local a\($0) = {\(fields("a\($0 - 1)"))}\n" }.joined() + "local t = {}\n"
    }()

    /// Each call forgets the facts about tables in tables.
    @Test func callsBetweenTablesInTablesArePaidFor() {
        let budget = LintBudget(steps: 2_000_000)
        let fields = (0..<90).map { "f\($0)={}" }.joined(separator: ",")
        let tables = (0..<60).map { "local t\($0) = {\(fields)}\n" }.joined()
        let source = tables + String(repeating: "G()\n", count: 100) + Self.give
        let found = Self.lint(source, Self.interface([Self.function("F.give", ["integer"], "integer")]), budget: budget)
        #expect(found.contains { $0.code == .tooLarge })
    }

    @Test(arguments: ["t.x=a4\n", "if G then t.x=a4 else t.y=a4 end\n"])
    func valuesThatShareTheirPartsAreStored(statement: String) {
        let budget = LintBudget()
        let before = budget.steps
        let source = Self.nested + String(repeating: statement, count: 500) + Self.give
        let found = Self.lint(source, Self.interface([Self.function("F.give", ["integer"], "integer")]), budget: budget)
        #expect(found.allSatisfy { $0.code == .undefinedGlobal })
        #expect(before - budget.steps < 3_000_000)
    }

    @Test func aTableKnowsWhatIsInIt() {
        var inner = ValueFields()
        var isSet = [inner.set("a", to: .integer), inner.set("b", to: .string), inner.set("a", to: .float)]
        #expect((inner.size, inner.depth) == (2, 1))
        let table = ValueType(.table, .fields(inner, isShared: false))
        var outer = ValueFields()
        isSet.append(outer.set("t", to: table))
        #expect((outer.size, outer.depth) == (3, 2))
        isSet.append(outer.set("t", to: .nil))
        #expect((outer.size, outer.depth) == (1, 1))
        for number in 1..<ValueFields.most { isSet.append(outer.set("\(number)", to: .nil)) }
        let isFull = !outer.set("one more", to: .nil)
        // The type of a table is kept even if there is no room for its fields.
        isSet.append(outer.set("t", to: table))
        #expect(isFull && isSet.allSatisfy(\.self) && outer["t"] == .table)
    }

    @Test func manyFieldsOfAStructMayBeWritten() {
        let interface = Self.interface([Self.function("F.give", ["A"], "A")], [Self.structure("A", [("x", "integer")])])
        let writes = (0..<300).map { "a.f\($0) = 1\n" }.joined()
        #expect(Self.lint(Self.giving(writes + "a.x = 'text'"), interface).isEmpty)
        #expect(Self.lint(Self.giving("a.x = 'text'"), interface).map(\.code) == [.resultType])
    }

    // MARK: the budget

    @Test func lintBudgetSpentWarnsTooLarge() {
        let source = "-- patchpack: ignore too-large\nx = nope\n" + Self.giving("local s = math.floor(o)")
        let interface = Self.interface([Self.function("F.give", ["integer"], "integer")])
        #expect(Self.lint(source, interface).map(\.code) == [.undefinedGlobal, .argument])
        let found = Self.lint(source, interface, budget: LintBudget(steps: 100))
        #expect(found.map(\.code) == [.tooLarge, .undefinedGlobal])
        #expect(found[0].severity == .warning && found[0].message.hasPrefix("too large to follow"))
    }

    @Test func manyWarningsHideNoError() {
        let interface = Self.interface([Self.function("F.give", ["integer"], "integer")])
        let source = String(repeating: "-- patchpack: ignore x\n", count: 300) + Self.giving("local _ = math.floor(o)")
        let found = Self.lint(source, interface)
        #expect(found.count { $0.code == .unknownTag } == 200)
        #expect(found.contains { $0.code == .argument })
    }

    @Test func aHintListsSomeOfManyNames() {
        let fields = (0..<20_000).map { ("field\($0)", "integer") }
        let interface = Self.interface([Self.function("F.give", ["A"], "A")], [Self.structure("A", fields)])
        let found = Self.lint(Self.giving("local _ = a.quantity"), interface)
        #expect(found.map(\.code) == [.unknownField])
        #expect(found.allSatisfy { $0.hint?.hasSuffix(", …") == true && ($0.hint?.utf8.count ?? 0) < 500 })
        let wide = Self.interface([Self.function("F.give", Array(repeating: "a", count: 100_000), "integer")])
        let given = Self.lint(Self.giving("local _ = o(1)"), wide)
        #expect(given.contains { $0.code == .originalArguments } && given.allSatisfy { $0.message.utf8.count < 500 })
    }

    @Test func spellingBudgetSpentSuggestsNothing() {
        func name(_ letter: String, _ number: Int) -> String {
            String(repeating: letter, count: 119) + "\(10_000_000 + number)"
        }
        let known = (0..<370).map { "\(name("a", $0)) = 1\n" }.joined()
        let wrong = (0..<100).map { "local _ = \(name("b", $0))\n" }.joined()
        #expect(Self.lint(known + wrong + Self.give, nil).count { $0.code == .undefinedGlobal } == 100)
        var spelling = Spelling(most: 10_000)
        let first = spelling.nearest("totl", among: ["total"])
        for _ in 0..<20 { _ = spelling.nearest(name("b", 1), among: (0..<100).map { name("a", $0) }) }
        let last = spelling.nearest("totl", among: ["total"])
        #expect(first == "total" && last == nil && spelling.left < 0 && spelling.left > -20_000)
    }

    @Test func manyClassesOfWaxAreLookedUp() {
        let functions = (0..<3000).map { Self.function("Cart.f\($0)", [], "nothing") }
        let source =
            String(repeating: "waxClass{'Cart'}\n", count: 1500) + "function m(self)\n"
            + String(repeating: "self:ORIGf0(1)\n", count: 1000) + "end\n"
        let found = Self.lint(source, Self.interface(functions), replaces: ["Cart.f1"])
        #expect(found.count { $0.code == .originalArguments } == 200)
    }

    // MARK: names of locals

    /// Lua finds the same names with its own, slower search.
    @Test func localNamesAreLuas() throws {
        let source = """
            local a, b = 1, 2 do local c = a do local d <const>, e = c end local f end
            for i = 1, 3 do local g = i for k, v in pairs({}) do local h = v end end
            while a do local i = b if i then local j = 1 goto done end ::done:: end
            repeat local k = a local l until k
            local function m(n, o, ...) local p = ... return function() return n, p end end
            """
        let main = try Prototype.compiled(source)
        for function in [main] + main.inner + main.inner.flatMap(\.inner) {
            let names = LocalNames(of: function)
            for index in function.code.indices {
                let active = function.locals.filter { $0.range.contains(index) }.map { function.name($0.number) }
                for register in 0..<20 {
                    let name = register < active.count && !active[register].hasPrefix("(") ? active[register] : nil
                    #expect(names.local(of: register, at: index).map { function.name($0.number) } == name)
                }
            }
        }
    }
}
