import PatchCrypto
import PatchRunner
import TestSupport
import Testing

struct Money: Codable, Equatable, Sendable, PatchValue {
    var amount: Double
    var currency: String?
}

struct Order: Codable, Equatable, Sendable, PatchValue {
    var id: Int
    var lines: [Line]
    var total: Money
    var notes: [String: String]
    var state: State
    var raw: [UInt8]

    struct Line: Codable, Equatable, Sendable {
        var name: String
        var prices: [Double]
    }
    enum State: String, Codable, Sendable { case open, paid }
}

enum Payment: Codable, Equatable, Sendable, PatchValue {
    case cash
    case card(number: String, limit: Int)
}

enum Meal: String, Codable, CaseIterable, PatchDictionaryKey { case lunch, dinner }
enum Level: Int, PatchDictionaryKey { case low, high }

final class Basket: PatchObject {
    let names: Counter = Counter()
}

@Suite(.ownThreads) struct ValueTests {
    /// Passes a value to a script that returns it.
    private func roundTrip<Value: PatchValue & Equatable & Sendable>(_ value: Value, _ body: String = "return x") throws
        -> Value
    {
        let harness = try Harness()
        let echo = try harness.registry.replaceable("T.echo") { (x: Value) -> Value? in nil }
        try harness.apply("patch.replace('T.echo', function(original, x) \(body) end)", replaces: ["T.echo"])
        let answer = echo(value)
        return try #require(answer, "\(harness.failures)")
    }

    @Test func valuesComeBackAsTheyWent() throws {
        #expect(try roundTrip(true) == true)
        #expect(try roundTrip(-7) == -7)
        #expect(try roundTrip(Int.min) == .min)
        #expect(try roundTrip(Int8.max) == .max)
        #expect(try roundTrip(UInt16.max) == .max)
        #expect(try roundTrip(UInt64(1) << 62) == 1 << 62)
        #expect(try roundTrip(0.1) == 0.1)
        #expect(try roundTrip(Float(0.1)) == 0.1)
        #expect(try roundTrip(-Double.infinity) == -.infinity)
        #expect(try roundTrip("Käse \0 🧀") == "Käse \0 🧀")
        #expect(try roundTrip("") == "")
        #expect(try roundTrip([0, 255, 128] as [UInt8]) == [0, 255, 128])
        #expect(try roundTrip([] as [UInt8]) == [])
        #expect(try roundTrip([1, 2, 3]) == [1, 2, 3])
        #expect(try roundTrip([1.5, -2]) == [1.5, -2])
        #expect(try roundTrip([] as [Double]) == [])
        #expect(try roundTrip(["a", "b"]) == ["a", "b"])
        #expect(try roundTrip([[1], [], [2, 3]]) == [[1], [], [2, 3]])
        #expect(try roundTrip(["a": 1, "b": 2]) == ["a": 1, "b": 2])
        #expect(try roundTrip(["a": ["x"], "b": []]) == ["a": ["x"], "b": []])
        #expect(try roundTrip([7: "a", -1: "b"]) == [7: "a", -1: "b"])
        #expect(try roundTrip([Meal.lunch: 1, .dinner: 2]) == [.lunch: 1, .dinner: 2])
        #expect(try roundTrip([Meal.lunch: Meal.dinner], "return {lunch = x.lunch}") == [.lunch: .dinner])
        #expect(
            try roundTrip([Level.low: [Meal.lunch]], "return {x[0], [0] = {'dinner'}}") == [
                .low: [.dinner], .high: [.lunch],
            ])
    }

    @Test func codableTypesAreTables() throws {
        let order = Order(
            id: 7, lines: [.init(name: "pen", prices: [1, 2.5]), .init(name: "ink", prices: [])],
            total: Money(amount: 3.5, currency: nil), notes: ["gift": "yes"], state: .paid, raw: [1, 0, 255])
        #expect(try roundTrip(order) == order)
        var changed = order
        changed.lines[0].name = "PEN"
        changed.total = Money(amount: 4, currency: "EUR")
        changed.state = .open
        let script = """
            assert(#x.lines == 2 and x.lines[1].prices[2] == 2.5 and x.total.currency == nil and x.raw == '\\1\\0\\255')
            x.lines[1].name = x.lines[1].name:upper()
            x.total = {amount = 4, currency = 'EUR'}
            x.state = 'open'
            return x
            """
        #expect(try roundTrip(order, script) == changed)
        #expect(try roundTrip(Payment.cash) == .cash)
        #expect(try roundTrip(Payment.card(number: "1", limit: 2)) == .card(number: "1", limit: 2))
        #expect(
            try roundTrip(Payment.cash, "return {card = {number = '9', limit = 3}}") == .card(number: "9", limit: 3))
    }

    @Test(arguments: [
        ("return 'ten'", "wrong result: expected integer, got string"),
        ("return '10'", "wrong result: expected integer, got string"),
        ("return 1.5", "wrong result: expected integer, got number"),
        ("return 2^80", "wrong result: expected integer, got number"),
        ("return nil", "wrong result: expected integer, got nil"),
        ("return true", "wrong result: expected integer, got boolean"),
        ("return function() end", "wrong result: expected integer, got function"),
        ("return original('x')", "argument 1 of T.f: expected integer, got string"),
        ("return original(1, 2)", "T.f takes 1 argument, got 2"),
        ("return original()", "argument 1 of T.f: expected integer, got nothing"),
        ("return original({})", "argument 1 of T.f: expected integer, got table"),
        ("return host.call('T.g', 1)", "the host has no function 'T.g'"),
        ("return host.call('T.array', {1, 'x'})", "argument 1 of T.array: element 2: expected integer, got string"),
        ("return host.call('T.map', {a = 1, b = {}})", "argument 1 of T.map: field b: expected number, got table"),
        ("return host.call('T.map', {1})", "argument 1 of T.map: key: expected string, got integer"),
        ("return host.call('T.map', 3)", "argument 1 of T.map: expected table of number, got integer"),
        (
            "return host.call('T.text', '\\255')",
            "argument 1 of T.text: expected string, got a string that is not UTF-8"
        ),
        ("return host.call('T.small', 300)", "argument 1 of T.small: expected integer from -128 to 127, got 300"),
        ("return host.call('T.order', {})", "argument 1 of T.order: expected Money: missing field amount"),
        (
            "return host.call('T.order', {amount = {}})",
            "argument 1 of T.order: expected Money: amount: expected number, got table"
        ),
        ("return host.call('T.order', 'x')", "argument 1 of T.order: expected Money: expected table, got string"),
        (
            "local t = {} for i = 1, 20 do t = {t} end return host.call('T.deep', t)",
            "argument 1 of T.deep: expected Nested: 1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1: tables nested more than 16 deep"
        ),
        (
            "local t = {} for i = 1, 100001 do t[i] = i end return host.call('T.array', t)",
            "argument 1 of T.array: tables of more than 100000 elements"
        ),
    ])
    func scriptValueWrongTypeIsNamed(_ body: String, _ message: String) throws {
        let harness = try Harness()
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in x + 1000 }
        _ = try harness.registry.replaceable("T.array") { (_: [Int]) -> Int in 0 }
        _ = try harness.registry.replaceable("T.map") { (_: [String: Double]) -> Int in 0 }
        _ = try harness.registry.replaceable("T.text") { (_: String) -> Int in 0 }
        _ = try harness.registry.replaceable("T.small") { (_: Int8) -> Int in 0 }
        _ = try harness.registry.replaceable("T.order") { (_: Money) -> Int in 0 }
        _ = try harness.registry.replaceable("T.deep") { (_: Nested) -> Int in 0 }
        try harness.apply("patch.replace('T.f', function(original, x)\n\(body)\nend)", replaces: ["T.f"])
        #expect(function(1) == 1001)
        let failure = try #require(harness.failures.first)
        #expect(failure.message == message)
        #expect(failure.script == "main.lua")
        #expect(failure.line == (message.hasPrefix("wrong result") ? 1 : 2))
        #expect(failure.code == .script)
    }

    @Test func scriptValueWrongResultOfALibraryFunctionHasNoPlace() throws {
        let harness = try Harness()
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in x + 1000 }
        try harness.apply("patch.replace('T.f', tostring)", replaces: ["T.f"])
        #expect(function(1) == 1001)
        let failure = try #require(harness.failures.first)
        #expect(failure.message == "wrong result: expected integer, got string")
        #expect(failure.script == nil && failure.line == nil)
    }

    /// A table in a table, nested without a limit.
    struct Nested: Codable, Sendable, PatchValue {
        var inner: [Nested]
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            inner = []
            while !container.isAtEnd { inner.append(try container.decode(Nested.self)) }
        }
    }

    /// A value of an app whose decoder throws the first time.
    struct Moody: Codable, Sendable, PatchValue {
        static let reads = Counter()
        var amount = 1
        init(from decoder: any Decoder) throws {
            Self.reads.add()
            guard Self.reads.count > 1 else {
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not now"))
            }
        }
    }

    /// The arguments are read again for the message.
    @Test func anArgumentThatFitsOnlyWhenReadAgainIsNotCountedAsTooMany() throws {
        let harness = try Harness()
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in x + 1000 }
        _ = try harness.registry.replaceable("T.moody") { (_: Moody) -> Int in 0 }
        try harness.apply("patch.replace('T.f', function() return host.call('T.moody', {}) end)", replaces: ["T.f"])
        #expect(function(1) == 1001)
        #expect(Moody.reads.count == 2)
        #expect(harness.failures.map(\.message) == ["an argument of T.moody did not fit when it was first read"])
    }

    @Test func aValueThatLuaCannotHoldIsAFailureAndNoCrash() throws {
        let harness = try Harness()
        let big = try harness.registry.replaceable("T.big") { (x: UInt64) -> Int in 1 }
        try harness.apply("patch.replace('T.big', function(original, x) return 2 end)", replaces: ["T.big"])
        #expect(big(UInt64.max) == 1)
        #expect(harness.failures.map(\.message) == ["18446744073709551615 does not fit into a Lua integer"])
        #expect(big(3) == 2)
    }

    /// Lua has two keys where Swift has one. One of the values would be lost, another one in each process.
    @Test(arguments: ["{['caf\\u{E9}'] = 1, ['cafe\\u{301}'] = 2}", "{['\\u{AC00}'] = 1, ['\\u{1100}\\u{1161}'] = 2}"])
    func keysSameInSwiftAreRefused(table: String) throws {
        let harness = try Harness()
        let plain = try harness.registry.replaceable("T.plain") { () -> [String: Int] in [:] }
        let coded = try harness.registry.replaceable("T.coded") { () -> Labels in Labels(counts: [:]) }
        try harness.apply(
            """
            patch.replace('T.plain', function() return \(table) end)
            patch.replace('T.coded', function() return {counts = \(table)} end)
            """)
        #expect(plain() == [:])
        #expect(coded() == Labels(counts: [:]))
        let faults = harness.failures.map(\.message)
        #expect(faults.count == 2)
        #expect(faults.allSatisfy { $0.contains("two keys are the same in Swift: ") }, "\(faults)")
    }

    private struct Labels: Codable, Equatable, Sendable, PatchValue {
        var counts: [String: Int]
    }

    @Test func keysThatAreNoCaseAreRefused() throws {
        let harness = try Harness()
        let meals = try harness.registry.replaceable("T.meals") { (x: [Meal: Int]) -> [Meal: Int] in x }
        let levels = try harness.registry.replaceable("T.levels") { (x: [Int: Double]) -> [Int: Double] in x }
        try harness.apply(
            """
            patch.replace("T.meals", function(original, x) return {supper = 1} end)
            patch.replace("T.levels", function(original, x) return x[1] and {a = 1} or {[5] = "x"} end)
            """, replaces: ["T.meals", "T.levels"])
        #expect(meals([.lunch: 1]) == [.lunch: 1])
        #expect(levels([1: 1]) == [1: 1])
        #expect(levels([:]) == [:])
        #expect(
            harness.failures.map(\.message) == [
                "wrong result: key: expected Meal, got the string supper",
                "wrong result: key: expected integer, got string",
                "wrong result: field 5: expected number, got string",
            ])
        #expect([Meal: Int].patchTypeName == "Meal table of integer")
    }

    /// A type that ends with "or nil" is optional itself.
    @Test func dictionaryOfOptionalsIsNotOptional() {
        #expect([String: Int?].patchTypeName == "table of integer")
        #expect([Meal: Int??].patchTypeName == "Meal table of integer")
        #expect([String: [Int: Double?]?].patchTypeName == "table of integer table of number")
        #expect([String: Int?]?.patchTypeName == "table of integer or nil")
    }

    /// A dictionary of values that are only `Codable` reads all keys.
    @Test(arguments: [
        ("['\\255']", "a string that is not UTF-8"), ("[1.5]", "number"), ("[true]", "boolean"),
    ])
    func aKeyThatIsNoNameIsRefused(_ key: String, _ found: String) throws {
        struct Price: Codable, Equatable { var cents: Int }
        struct List: Codable, PatchValue, Equatable { var prices: [String: Price] }
        let harness = try Harness()
        let list = try harness.registry.replaceable("T.list") { (x: Int) -> List in
            List(prices: ["app": .init(cents: x)])
        }
        try harness.apply(
            """
            patch.replace('T.list', function(original, x)
              local price = {cents = 2, \(key) = 1}
              return {prices = {pen = price, [x == 2 and 'ink' or \(key.dropFirst().dropLast())] = price}, \(key) = 1}
            end)
            """)
        #expect(list(2) == List(prices: ["pen": .init(cents: 2), "ink": .init(cents: 2)]), "\(harness.failures)")
        #expect(list(7) == List(prices: ["app": .init(cents: 7)]))
        #expect(harness.failures.map(\.message) == ["wrong result: expected List: key: expected string, got \(found)"])
    }

    /// A NaN or infinite number is returned only from a call that was given one.
    @Test func scriptNumberNotFiniteIsRefused() throws {
        let harness = try Harness(limits: .patient.with(\.failures, 100))
        let registry = harness.registry
        let scalar = try registry.replaceable("N.scalar") { (x: Double, y: Double) -> Double in 1 }
        let list = try registry.replaceable("N.list") { (x: [Double]) -> [Double] in [1] }
        let optional = try registry.replaceable("N.optional") { (x: Float) -> Float? in 1 }
        let table = try registry.replaceable("N.table") { (x: [String: Double]) -> [String: Double] in ["one": 1] }
        let struct_ = try registry.replaceable("N.money") { (x: Money) -> Money in x }
        let seen = Counter()
        let through = try registry.replaceable("N.through") { (x: Double) -> Double in
            seen.add()
            return x > 5 ? .infinity : 1
        }
        try harness.apply(
            """
            patch.replace("N.scalar", function(original, x, y) return x / y end)
            patch.replace("N.list", function(original, x) return {x[1] / 0, 1} end)
            patch.replace("N.optional", function(original, x) return x / 0 end)
            patch.replace("N.table", function(original, x) return {a = x.a / 0} end)
            patch.replace("N.money", function(original, x) return {amount = x.amount / 0} end)
            patch.replace("N.through", function(original, x) return x < 0 and original(1 / 0) or original(x) end)
            """, replaces: ["N.scalar", "N.list", "N.optional", "N.table", "N.money", "N.through"])
        #expect(scalar(1, 0) == 1 && scalar(0, 0) == 1 && list([1]) == [1] && optional(1) == 1)
        #expect(table(["a": -1]) == ["one": 1] && struct_(Money(amount: 2)) == Money(amount: 2))
        #expect(through(-1) == 1 && seen.count == 1)
        #expect(
            harness.failures.map(\.message) == [
                "wrong result: expected a finite number, got inf",
                "wrong result: expected a finite number, got nan",
                "wrong result: element 1: expected a finite number, got inf",
                "wrong result: expected a finite number, got inf",
                "wrong result: field a: expected a finite number, got -inf",
                "wrong result: expected Money: amount: expected a finite number, got inf",
                "argument 1 of N.through: expected a finite number, got inf",
            ])
        // A script may return a value that it was given.
        #expect(scalar(.infinity, 2) == .infinity && scalar(.nan, 2).isNaN && scalar(2, 4) == 0.5)
        #expect(list([.infinity]) == [.infinity, 1] && optional(.infinity) == .infinity)
        #expect(table(["a": .infinity]) == ["a": .infinity] && struct_(Money(amount: .infinity)).amount == .infinity)
        #expect(through(6) == .infinity)
        #expect(scalar(1, 0) == 1, "another call was given none")
        #expect(harness.failures.count == 8)
    }

    @Test func objectsHaveTheMethodsThatAreExposed() throws {
        let harness = try Harness()
        try harness.registry.expose(Basket.self) { basket in
            basket.method("add") { (basket: Basket, name: String, count: Int) -> Bool in
                for _ in 0..<count { basket.names.add() }
                return name == "pen"
            }
            basket.method("count") { (basket: Basket) in basket.names.count }
            basket.method("fail") { (_: Basket) throws -> Int in throw Trouble(text: "no basket") }
            basket.method("same") { (basket: Basket) in basket }
        }
        let fill = try harness.registry.replaceable("Basket.fill") { (basket: Basket) -> Int in -1 }
        try harness.apply(
            """
            patch.replace("Basket.fill", function(original, basket)
              assert(basket:add("pen", 3) and not basket:add("ink", 1))
              assert(tostring(basket) == "Basket" and basket:same() == basket and type(basket) == "userdata")
              local ok, failure = pcall(basket.fail, basket)
              assert(not ok and failure.message == "no basket" and tostring(failure) == "no basket")
              assert(select(2, pcall(basket.add, basket, 7, 1)):find("argument 1 of Basket:add: expected string, got integer", 1, true))
              assert(select(2, pcall(basket.add, 7)):find("the object of Basket:add: expected Basket, got integer", 1, true))
              assert(basket.missing == nil and not pcall(function() basket.x = 1 end) and getmetatable(basket) == false)
              kept = kept or basket
              return kept:count()
            end)
            """, replaces: ["Basket.fill"])
        let basket = Basket()
        #expect(fill(basket) == 4, "\(harness.failures)")
        #expect(fill(basket) == -1)
        #expect(
            harness.failures.map(\.message) == [
                "the object of Basket:count: Basket is from an earlier call; an object is valid only in the call that it was passed to"
            ])
        #expect(throws: PatchError.self) { try harness.registry.expose(Basket.self) { _ in } }
    }

    @Test func anObjectIsReleasedWithItsCall() throws {
        let harness = try Harness()
        let take = try harness.registry.replaceable("Basket.take") { (_: Basket) in }
        try harness.apply("patch.replace('Basket.take', function(_, basket) kept = basket end)")
        weak var gone: Basket?
        do {
            let basket = Basket()
            gone = basket
            take(basket)
        }
        #expect(harness.failures.isEmpty, "\(harness.failures)")
        #expect(gone == nil)
    }

    @Test func answersThatShareTheirPartsCountThemEachTime() throws {
        let harness = try Harness()
        let strings = try harness.registry.replaceable("T.strings") { (_: Int) -> [String] in [] }
        let tables = try harness.registry.replaceable("T.tables") { (_: Int) -> [String: [String: Int]] in [:] }
        try harness.apply(
            """
            patch.replace('T.strings', function(_, n)
              local s, t = ('x'):rep(1000000), {}
              for i = 1, n do t[i] = s end
              return t
            end)
            patch.replace('T.tables', function(_, n)
              local inner, t = {}, {}
              for k = 1, n do inner['k' .. k] = k end
              for k = 1, n do t['k' .. k] = inner end
              return t
            end)
            """, replaces: ["T.strings", "T.tables"])
        #expect(strings(20).count == 20)
        #expect(strings(2000).isEmpty)
        #expect(tables(300).count == 300)
        #expect(tables(3000).isEmpty)
        #expect(
            harness.failures.map(\.message) == [
                "wrong result: strings of more than 33554432 bytes",
                "wrong result: tables of more than 100000 elements",
            ])
    }

    @Test func aSequenceWithNilIsNotGivenAway() throws {
        let harness = try Harness()
        let echo = try harness.registry.replaceable("T.echo") { (x: [Int?]) -> [Int?] in [] }
        try harness.apply("patch.replace('T.echo', function(_, x) return x end)", replaces: ["T.echo"])
        #expect(echo([1, 2]) == [1, 2])
        #expect(echo([1, nil]) == [])
        #expect(harness.failures.map(\.message) == ["a sequence cannot hold nil"])
    }
}

struct Trouble: Error, Equatable, CustomStringConvertible {
    let text: String
    var description: String { text }
}
