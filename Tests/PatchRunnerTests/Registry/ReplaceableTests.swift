import PatchCrypto
@testable import PatchRunner
import TestSupport
import Testing

@Suite(.ownThreads) struct ReplaceableTests {
    /// The arguments have different types, so that no two of them can take each other's place.
    @Test func functionsOfNoneToSixArguments() throws {
        let harness = try Harness()
        let registry = harness.registry
        @Sendable func words(_ values: Any...) -> String { values.map { "\($0)" }.joined(separator: " ") }
        let f0 = try registry.replaceable("F.f0") { () -> String in words() }
        let f1 = try registry.replaceable("F.f1") { (a: Int) -> String in words(a) }
        let f2 = try registry.replaceable("F.f2") { (a: Int, b: String) -> String in words(a, b) }
        let f3 = try registry.replaceable("F.f3") { (a: Int, b: String, c: Double) -> String in words(a, b, c) }
        let f4 = try registry.replaceable("F.f4") { (a: Int, b: String, c: Double, d: Bool) -> String in
            words(a, b, c, d)
        }
        let f5 = try registry.replaceable("F.f5") { (a: Int, b: String, c: Double, d: Bool, e: [Int]) -> String in
            words(a, b, c, d, e)
        }
        let f6 = try registry.replaceable("F.f6") {
            (a: Int, b: String, c: Double, d: Bool, e: [Int], f: [String]) -> String in words(a, b, c, d, e, f)
        }
        let nothing = try registry.replaceable("F.nothing") { (_: Int) in }
        try harness.apply(
            """
            for i = 0, 6 do
              patch.replace("F.f" .. i, function(original, ...)
                local words = {}
                for n, x in ipairs({...}) do
                  words[n] = type(x) == "table" and "{" .. table.concat(x, ",") .. "}" or tostring(x)
                end
                return select("#", ...) .. ": " .. table.concat(words, " ") .. " | " .. original(...)
              end)
            end
            patch.replace("F.nothing", function(original, x) log.info(tostring(select("#", original(x)))) end)
            """, replaces: (0...6).map { "F.f\($0)" } + ["F.nothing"])
        #expect(f0() == "0:  | ")
        #expect(f1(1) == "1: 1 | 1")
        #expect(f2(1, "b") == "2: 1 b | 1 b")
        #expect(f3(1, "b", 2.5) == "3: 1 b 2.5 | 1 b 2.5")
        #expect(f4(1, "b", 2.5, true) == "4: 1 b 2.5 true | 1 b 2.5 true")
        #expect(f5(1, "b", 2.5, true, [3, 4]) == "5: 1 b 2.5 true {3,4} | 1 b 2.5 true [3, 4]")
        #expect(
            f6(1, "b", 2.5, true, [3, 4], ["f", "g"])
                == "6: 1 b 2.5 true {3,4} {f,g} | 1 b 2.5 true [3, 4] [\"f\", \"g\"]")
        nothing(1)
        #expect(harness.logged == ["0"])
        #expect(harness.failures.isEmpty)
    }

    @Test func scalarsOfAllKindsPassThroughAScript() throws {
        let harness = try Harness()
        let registry = harness.registry
        let pick = try registry.replaceable("F.pick") { (first: Bool, a: Int64, b: Double, c: Int) -> Double in
            first ? Double(a) + b : Double(c)
        }
        let negate = try registry.replaceable("F.negate") { (value: Bool) -> Bool in !value }
        let answer = try registry.replaceable("F.answer") { () -> Int64 in .min }
        try harness.apply(
            """
            patch.replace("F.pick", function(original, ...) return original(...) end)
            patch.replace("F.negate", function(original, value)
              if value then return original(value) end
              return 1
            end)
            patch.replace("F.answer", function(original)
              assert(not pcall(original, 1))
              return original()
            end)
            """, replaces: ["F.pick", "F.negate", "F.answer"])
        #expect(pick(true, 1 << 53, -0.5, 3) == 9_007_199_254_740_991.5)
        #expect(pick(false, 1, .nan, .max) == Double(Int.max))
        #expect(pick(true, 0, .infinity, 0) == .infinity)
        #expect(answer() == .min)
        #expect(negate(true) == false)
        #expect(harness.failures.isEmpty)
        #expect(negate(false) == true)  // 1 is not a boolean, so the original answers
        #expect(harness.failures.map(\.message) == ["wrong result: expected boolean, got integer"])
    }

    @Test func aPointHasItsOriginalAtItsPlace() throws {
        let harness = try Harness()
        let point = try harness.registry.register(PatchPoint<(Double, Int) -> Double>("Cart.total"))
        let clear = try harness.registry.register(PatchPoint<(Int) throws -> Void>("Cart.clear"))
        let probe = try harness.registry.replaceable("Cart.probe") { () -> Int in 0 }
        func total(_ price: Double, _ quantity: Int) -> Double { point(price, quantity) { $0 * Double($1) } }
        #expect(total(2, 3) == 6)
        try harness.apply(
            """
            patch.replace("Cart.total", function(original, price, quantity) return original(price + 1, quantity) end)
            patch.replace("Cart.clear", function(original, x) if x > 1 then original(x) end end)
            patch.replace("Cart.probe", function() return host.call("Cart.total", 1, 1) end)
            """, replaces: ["Cart.total", "Cart.clear", "Cart.probe"])
        #expect(total(2, 3) == 9)
        #expect(point.slot.isPatched)
        var cleared: [Int] = []
        try clear(1) { cleared.append($0) }
        try clear(2) { cleared.append($0) }
        #expect(cleared == [2])
        #expect(throws: Trouble(text: "not now")) { try clear(3) { _ in throw Trouble(text: "not now") } }
        #expect(probe() == 0)
        #expect(harness.failures.count == 1)
        #expect(harness.failures[0].message.contains("Cart.total can be called only by the host"))
        harness.runner.deactivateAll()
        #expect(total(2, 3) == 6)
    }

    @Test func aNameIsRegisteredOnce() throws {
        let registry = PatchRegistry()
        _ = try registry.replaceable("A.f") { () -> Int in 1 }
        let error = #expect(throws: PatchError.self) { _ = try registry.replaceable("A.f") { () -> Int in 2 } }
        #expect(error?.code == .config)
        #expect(error?.message == "A.f is already registered")
        for name in ["", "1f", "A..f", "A f", "Ä.f", "A.f\n"] {
            #expect(throws: PatchError.self) { _ = try registry.replaceable(name) { () -> Int in 2 } }
        }
    }

    private final class Cart: PatchObject {}
    private final class Bag: PatchObject {}

    @Test func aClassAndItsNameAreExposedOnce() throws {
        let registry = PatchRegistry()
        try registry.expose(Cart.self) { _ in }
        let again = #expect(throws: PatchError(.config, "")) { try registry.expose(Cart.self, as: "Basket") { _ in } }
        #expect(again?.message == "Cart is already exposed as Cart" && again?.hint == "expose each class once")
        let other = #expect(throws: PatchError(.config, "")) { try registry.expose(Bag.self, as: "Cart") { _ in } }
        #expect(other?.message == "another class is already exposed as Cart")
        #expect(other?.hint == "give one of them another name")
        try registry.expose(Bag.self, as: "Basket") { _ in }
        #expect(registry.names.classes.map(\.name) == ["Cart", "Basket"])
    }

    private struct Line: PatchStruct {
        var price: Int
        static let patchFields = PatchFields(Line.init, .field("price", \.price))
    }

    private enum Size: String, Codable, PatchValue, CaseIterable { case small, large }

    /// The interface would have types that no function uses.
    @Test func aRefusedRegistrationDescribesNoTypes() throws {
        let registry = PatchRegistry()
        _ = try registry.replaceable("A.f") { () -> Int in 1 }
        try registry.expose(Cart.self) { _ in }
        #expect(throws: PatchError(.config, "")) {
            _ = try registry.replaceable("A.f") { (line: Line, size: Size) -> Int in line.price }
        }
        #expect(throws: PatchError(.config, "")) {
            try registry.expose(Cart.self, as: "Basket") { $0.method("add") { (_: Cart, line: Line, size: Size) in } }
        }
        #expect(registry.names.structs.isEmpty && registry.names.basicTypes.isEmpty)
        _ = try registry.replaceable("A.g") { (line: Line, size: Size) -> Int in line.price }
        #expect(registry.names.structs.map(\.name) == ["Line"] && registry.names.basicTypes.count == 1)
    }

    @Test func errorsComeOutAsThemselves() throws {
        let harness = try Harness()
        let typed = try harness.registry.replaceable("E.typed") { (x: Int) throws(Trouble) -> Int in
            throw Trouble(text: "typed \(x)")
        }
        let untyped = try harness.registry.replaceable("E.untyped") { (x: Int) throws -> Int in
            throw Trouble(text: "untyped \(x)")
        }
        let other = try harness.registry.replaceable("E.other") { (x: Int) -> Int in x }
        let script = """
            patch.replace("E.typed", function(original, x)
              if x == 1 then return original(x) end
              local ok, failure = pcall(original, x)
              assert(not ok and failure.message == "typed " .. x)
              if x == 2 then error(failure) end
              if x == 3 then return 33 end
              if x == 4 then host.throw("mine") end
              error("of the script")
            end)
            patch.replace("E.untyped", function(original, x)
              if x == 1 then host.throw("sold out: " .. x) end
              return host.call("E.typed", 1)
            end)
            patch.replace("E.other", function(original, x) return host.call("E.untyped", x) end)
            """
        try harness.apply(script, replaces: ["E.typed", "E.untyped", "E.other"])
        #expect(throws: Trouble(text: "typed 1")) { try typed(1) }
        #expect(throws: Trouble(text: "typed 2")) { try typed(2) }
        #expect(try typed(3) == 33)
        #expect(harness.failures.isEmpty)
        #expect(throws: ScriptError.self) { try typed(4) }
        #expect(harness.failures.isEmpty)
        // A script's error is a failure of the patch. The original has run, so its error is the result.
        #expect(throws: Trouble(text: "typed 5")) { try typed(5) }
        #expect(harness.failures.map(\.message) == ["of the script"])
        let error = #expect(throws: ScriptError.self) { try untyped(1) }
        #expect(error?.message == "sold out: 1")
        #expect(throws: Trouble(text: "typed 1")) { try untyped(2) }
        #expect(harness.failures.count == 1)
        // An error that the function cannot throw is also a failure of the patch.
        #expect(other(1) == 1)
        #expect(harness.failures.last?.message == "host.throw in a function that cannot throw: sold out: 1")
    }

    @Test func patchesStandOnEachOtherByTheirIDs() throws {
        let harness = try Harness()
        let function = try harness.registry.replaceable("S.f") { (x: String) -> String in "o\(x)" }
        func patch(_ name: String) throws {
            try harness.apply(
                "patch.replace('S.f', function(original, x) return '\(name)' .. original(x) end)",
                id: "com.example.\(name)", replaces: ["S.f"])
        }
        for name in ["c", "a", "b"] { try patch(name) }
        #expect(function("!") == "cbao!")
        #expect(
            harness.registry.state[0].patches.map(\.patch.id) == ["com.example.a", "com.example.b", "com.example.c"])
        harness.runner.deactivate("com.example.b")
        #expect(function("!") == "cao!")
        try patch("a")
        #expect(function("!") == "cao!")
        harness.runner.deactivate("com.example.a")
        harness.runner.deactivate("com.example.c")
        #expect(function("!") == "o!")
    }

    @Test func aPatchThatFailsLeavesTheOneBelowIt() throws {
        let harness = try Harness()
        let function = try harness.registry.replaceable("S.f") { (x: Int) -> Int in x }
        try harness.apply("patch.replace('S.f', function(o, x) return o(x) + 1 end)", id: "com.example.a")
        try harness.apply("patch.replace('S.f', function(o, x) error('no') end)", id: "com.example.b")
        #expect(function(1) == 2)
        let standing = harness.registry.state[0].patches
        #expect(standing.map(\.calls) == [1, 1])
        #expect(standing.map(\.failures) == [0, 1])
        #expect(standing.map(\.fallbacks) == [0, 1])
        #expect(standing[0].meanTime != nil)
    }

    @Test func registryStateRegisteredFunctionsAreListed() throws {
        let harness = try Harness()
        _ = try harness.registry.replaceable("B.async") { (x: [Int], y: String?) async throws -> [String: Double] in [:]
        }
        _ = try harness.registry.replaceable("A.sync") { (x: [UInt8], y: Money) in }
        let state = harness.registry.state
        #expect(state.map(\.name) == ["A.sync", "B.async"])
        #expect(state[0].type.argumentTypes == ["bytes", "Money"])
        #expect(state[0].type.resultType == "nothing")
        #expect(!state[0].type.isThrowing && !state[0].type.isAsynchronous)
        #expect(state[1].type.argumentTypes == ["array of integer", "string or nil"])
        #expect(state[1].type.resultType == "table of number")
        #expect(state[1].type.isThrowing && state[1].type.isAsynchronous)
    }

    @Test func anErrorOfAnEarlierCallIsNobodys() throws {
        let harness = try Harness()
        let function = try harness.registry.replaceable("T.f") { (x: Int) throws -> Int in
            throw Trouble(text: "trouble \(x)")
        }
        try harness.apply(
            """
            patch.replace('T.f', function(original, x)
              local _, failure = pcall(original, x)
              if kept then error(kept) end
              kept = failure
              error(failure)
            end)
            """, replaces: ["T.f"])
        #expect(throws: Trouble(text: "trouble 1")) { try function(1) }
        // The kept error is only a Lua error by now. The original's own error is the result.
        #expect(throws: Trouble(text: "trouble 2")) { try function(2) }
        #expect(harness.failures.count == 1)
    }

    /// The app's own code may call a function whose replacement has kept the original that runs now.
    @Test func runningOriginalCalledFromWithinRunsOnce() async throws {
        let harness = try Harness()
        let runs = Counter()
        let total = try harness.registry.replaceable("Cart.total") { () -> Int in 100 }
        let pay = try harness.registry.replaceable("Cart.pay") { (x: Int) -> Int in
            runs.add()
            return x + total()
        }
        let label = try harness.registry.replaceable("Cart.label") { (x: String) throws -> String in
            runs.add()
            throw Trouble(text: "\(x) \(total())")
        }
        let send = try harness.registry.replaceable("Cart.send") { (x: Int) async -> Int in
            runs.add()
            return x + total()
        }
        try harness.apply(
            """
            local again
            local function once(original, x)
              assert(not pcall(original, {}), 'refused arguments are no call')
              again = function() return pcall(original, x) end
              local succeeded, answer = pcall(original, x)
              assert(not pcall(original, x))
              if not succeeded then error(answer) end
              return answer
            end
            patch.replace('Cart.pay', once)
            patch.replace('Cart.label', once)
            patch.replace('Cart.send', once)
            patch.replace('Cart.total', function(original)
              local _, message = again()
              log.info(message)
              return original() + 1
            end)
            """)
        #expect(pay(5) == 106)
        #expect(throws: Trouble(text: "pen 101")) { try label("pen") }
        #expect(await send(7) == 108)
        #expect(runs.count == 3)
        #expect(harness.failures.isEmpty, "\(harness.failures)")
        #expect(
            harness.logged == [
                "the original of 'Cart.pay' was already called: it runs once per call",
                "the original of 'Cart.label' was already called: it runs once per call",
                "the original of 'Cart.send' can be called only while its replacement runs",
            ])
    }
}
