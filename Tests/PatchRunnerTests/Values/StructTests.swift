import PatchCrypto
import PatchRunner
import TestSupport
import Testing

/// Structs with declared fields.
@Suite(.ownThreads) struct StructTests {
    struct Point: Equatable, Sendable, PatchStruct {
        let x: Double
        var name: String?

        static let patchFields = PatchFields(Point.init, .field("x", \.x), .field("name", \.name))
    }

    struct Shape: Equatable, Sendable, PatchStruct {
        var points: [Point]
        var named: [String: Point]
        var origin: Point
        var flags: Flags
        var count = 0 {
            didSet { observed += 1 }
        }
        var observed = 0
        /// A computed field.
        var doubled: Int { 2 * count }

        struct Flags: Codable, Equatable, Sendable, PatchValue {
            var isOpen: Bool
            var codes: [UInt8]
        }

        init(points: [Point], named: [String: Point], origin: Point, flags: Flags, count: Int) {
            self.points = points
            self.named = named
            self.origin = origin
            self.flags = flags
            self.count = count
        }

        static let patchFields = PatchFields(
            { points, named, origin, flags, count, _ in
                Shape(points: points, named: named, origin: origin, flags: flags, count: count)
            },
            .field("points", \.points), .field("named", \.named), .field("origin", \.origin), .field("flags", \.flags),
            .field("count", \.count), .field("doubled", \.doubled))
    }

    /// A type that is both. The declared fields count.
    struct Both: Codable, Equatable, Sendable, PatchStruct {
        var swiftName: Int

        static let patchFields = PatchFields(Both.init, .field("lua_name", \.swiftName))

        init(_ value: Int) { swiftName = value }
    }

    /// A `Codable` type with a declared field.
    struct Outer: Codable, Equatable, Sendable, PatchValue {
        var both: Both
        var list: [Both]
    }

    private static let shape = Shape(
        points: [Point(x: 1, name: "a"), Point(x: 2, name: nil)], named: ["p": Point(x: 3, name: "käse")],
        origin: Point(x: 0, name: ""), flags: .init(isOpen: true, codes: [0, 255]), count: 7)

    private func answer<Value: PatchStruct & Sendable>(
        _ value: Value, _ body: String, limits: PatchLimits = PatchLimits()
    ) throws -> (Value?, failures: [String]) {
        let harness = try Harness(limits: limits)
        let echo = try harness.registry.replaceable("T.echo") { (x: Value) -> Value? in nil }
        try harness.apply("patch.replace('T.echo', function(original, x) \(body) end)", replaces: ["T.echo"])
        return (echo(value), harness.failures.map(\.message))
    }

    @Test func structsComeBackAsTheyWent() throws {
        #expect(try answer(Self.shape, "return x").0 == Self.shape)
        #expect(try answer(Point(x: .infinity, name: nil), "return {x = x.x}").0 == Point(x: .infinity, name: nil))
        #expect(
            try answer(Self.shape, "x.points[1].x = x.doubled + #x.points x.origin.name = nil return x").0?.points[0].x
                == 16)
        #expect(try answer(Both(3), "assert(x.swiftName == nil) return {lua_name = x.lua_name + 1}").0 == Both(4))
    }

    @Test func patchStructInsideCodableValueComesBack() throws {
        let harness = try Harness()
        let echo = try harness.registry.replaceable("T.echo") { (x: Outer) -> Outer? in nil }
        try harness.apply(
            "patch.replace('T.echo', function(_, x) x.list[2] = {lua_name = x.both.lua_name} return x end)")
        #expect(echo(Outer(both: Both(1), list: [Both(2)])) == Outer(both: Both(1), list: [Both(2), Both(1)]))
        #expect(harness.failures.isEmpty)
    }

    @Test(arguments: [
        ("return {pirce = 9}", "expected Point: missing field x"),
        ("return {x = '9'}", "expected Point: x: expected number, got string"),
        ("return {x = 9, name = 3}", "expected Point: name: expected string, got integer"),
        ("return {x = 9, name = '\\255'}", "expected Point: name: expected string, got a string that is not UTF-8"),
        ("return 'x'", "expected Point, got string"),
        // A metatable is ignored, as in all tables that are read.
        ("return setmetatable({}, {__index = {x = 1}})", "expected Point: missing field x"),
    ])
    func aTableThatDoesNotFitIsExplained(body: String, message: String) throws {
        let (value, failures) = try answer(Point(x: 1, name: nil), body)
        #expect(value == nil)
        #expect(failures == ["wrong result: " + message])
    }

    @Test func anErrorNamesThePlaceInAStruct() throws {
        let (_, failures) = try answer(Self.shape, "x.points[2] = {x = true} return x")
        #expect(
            failures == [
                "wrong result: expected Shape: points: element 2: expected Point: x: expected number, got boolean"
            ])
    }

    @Test func argumentsOfTheOriginalAreChecked() throws {
        let (_, failures) = try answer(Point(x: 1, name: nil), "return original({pirce = 9})")
        #expect(failures == ["argument 1 of T.echo: expected Point: missing field x"])
    }

    @Test func structsAreWithinTheLimits() throws {
        var limits = PatchLimits()
        limits.tableElements = 5
        limits.stringBytes = 10
        let (fits, none) = try answer(Point(x: 1, name: "0123456789"), "return x", limits: limits)
        #expect(fits != nil && none.isEmpty)
        let (long, failures) = try answer(Point(x: 1, name: "0123456789a"), "return x", limits: limits)
        #expect(long == nil)
        #expect(failures == ["a string of 11 bytes; at most 10 are allowed"])
        let (large, many) = try answer(
            Shape(
                points: [], named: [:], origin: Point(x: 0, name: nil), flags: .init(isOpen: true, codes: []), count: 1),
            "return x", limits: limits)
        #expect(large == nil)
        #expect(many == ["wrong result: expected Shape: tables of more than 5 elements"])
        limits.tableDepth = 0
        #expect(try answer(Point(x: 1, name: nil), "return x", limits: limits).failures.count == 1)
    }

    /// The stack has room for all fields of a struct at once.
    @Test func patchStructManyFieldsNestedDeeplyComesBack() throws {
        let (value, failures) = try answer(Wide.deep(levels: 7), "return x")
        #expect(failures.isEmpty)
        #expect(value == Wide.deep(levels: 7))
    }

    struct Wide: Equatable, Sendable, PatchStruct {
        var a, b, c, d, e, f, g, h, i, j, k, l, m, n, o: Int
        var next: [Wide]

        static func deep(levels: Int) -> Wide {
            Wide(
                a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, i: 9, j: 10, k: 11, l: 12, m: 13, n: 14, o: 15,
                next: levels > 0 ? [deep(levels: levels - 1)] : [])
        }

        static let patchFields = PatchFields(
            Wide.init, .field("a", \.a), .field("b", \.b), .field("c", \.c), .field("d", \.d), .field("e", \.e),
            .field("f", \.f), .field("g", \.g), .field("h", \.h), .field("i", \.i), .field("j", \.j), .field("k", \.k),
            .field("l", \.l), .field("m", \.m), .field("n", \.n), .field("o", \.o), .field("next", \.next))
    }

    // MARK: the interface

    @Test func theInterfaceHasTheFields() throws {
        let registry = PatchRegistry()
        _ = try registry.replaceable("T.shapes") { (shapes: [Shape]?) -> [String: Both] in [:] }
        try registry.expose(Counted.self) { $0.method("wide") { (_: Counted, x: Wide) in } }
        let interface = registry.interface(of: try HostInfo(app: "com.example.shop", version: "1"))
        #expect(interface.structs.map(\.name) == ["Both", "Point", "Shape", "Wide"])
        #expect(
            interface.structure("Shape")?.fields.map { "\($0.name): \($0.type)" } == [
                "points: array of Point", "named: table of Point", "origin: Point", "flags: Flags", "count: integer",
                "doubled: integer",
            ])
        #expect(interface.structure("Point")?.fields.map(\.isOptional) == [false, true])
        #expect(interface.json.contains(#"{"name":"Both","fields":[{"name":"lua_name","type":"integer"}]}"#))
    }

    final class Counted: PatchObject {}

    @Test func aSampleShowsTheFieldsOfACodableType() throws {
        struct Line: Codable, PatchValue {
            var item: Both
            var prices: [Double]
            var note: String?
            var inner: Inner
            struct Inner: Codable { var kind: Kind }
            enum Kind: String, Codable { case first }
        }
        let registry = PatchRegistry()
        try registry.describe(sample: Line(item: Both(1), prices: [1], note: nil, inner: .init(kind: .first)))
        let interface = registry.interface(of: try HostInfo(app: "com.example.shop", version: "1"))
        #expect(
            interface.structs.map { "\($0.name) \($0.fields.map { "\($0.name): \($0.type)" })" } == [
                #"Both ["lua_name: integer"]"#, #"Inner ["kind: string"]"#,
                #"Line ["item: Both", "prices: array of number", "note: string or nil", "inner: Inner"]"#,
            ])
        #expect(throws: PatchError(.config, "")) { try registry.describe(sample: Both?.none) }
    }

    /// The interface is made by pushing the values, so a type's own encoding counts.
    @Test func casesAndOtherBasicValuesAreListed() throws {
        enum Size: Int, Codable, PatchValue, CaseIterable {
            case small = 1
            case big = 9
        }
        enum Way: String, CaseIterable, PatchDictionaryKey {
            case walk = "on foot"
            case fly = "by air"
        }
        enum Payment: String, Codable, PatchValue { case cash, card }
        enum Shape: Codable, PatchValue, CaseIterable { case round, square }
        struct Moment: Codable, PatchValue {
            var seconds: Double
            init(seconds: Double) { self.seconds = seconds }
            init(from decoder: any Decoder) throws { seconds = try decoder.singleValueContainer().decode(Double.self) }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(seconds)
            }
        }
        struct Parcel: PatchStruct {
            var size: Size
            static let patchFields = PatchFields(Parcel.init, .field("size", \.size))
        }
        let registry = PatchRegistry()
        _ = try registry.replaceable("T.send") { (parcel: Parcel, ways: [Way: Int]?, meal: [Meal], shape: Shape) in }
        try registry.describe(sample: Payment.cash)
        try registry.describe(sample: Moment(seconds: 1))
        let interface = registry.interface(of: try HostInfo(app: "com.example.shop", version: "1"))
        #expect(
            interface.scalars == [
                .init(name: "Meal", type: "string", cases: [.string("lunch"), .string("dinner")]),
                .init(name: "Moment", type: "number", cases: []),
                .init(name: "Payment", type: "string", cases: []),
                .init(name: "Size", type: "integer", cases: [.integer(1), .integer(9)]),
                .init(name: "Way", type: "string", cases: [.string("on foot"), .string("by air")]),
            ])
        #expect(interface.json.contains(#"{"name":"Size","type":"integer","cases":[1,9]}"#))
    }

    /// An object is valid only in a call, so scripts see no basic value for it.
    @Test func objectsAreNoBasicValues() throws {
        final class Card: PatchObject, Encodable { let id = 1 }
        final class Side: PatchObject, CaseIterable { static let allCases = [Side(), Side()] }
        let registry = PatchRegistry()
        #expect(throws: PatchError(.config, "")) { try registry.describe(sample: Card()) }
        #expect(throws: PatchError(.config, "")) { try registry.describe(sample: [Card()]) }
        _ = try registry.replaceable("T.turn") { (side: Side) in }
        #expect(registry.interface(of: try HostInfo(app: "com.example.shop", version: "1")).scalars.isEmpty)
    }

    /// Two types with the same name are both left out, because neither is right for all functions.
    @Test func typesOfOneNameAreNotListed() throws {
        enum One { enum Size: String, Codable, PatchValue, CaseIterable { case small } }
        enum Two { enum Size: String, Codable, PatchValue, CaseIterable { case large } }
        let registry = PatchRegistry()
        let host = try HostInfo(app: "com.example.shop", version: "1")
        _ = try registry.replaceable("T.one") { (size: One.Size) in }
        #expect(registry.interface(of: host).scalars.map(\.name) == ["Size"])
        _ = try registry.replaceable("T.two") { (size: Two.Size) in }
        _ = try registry.replaceable("T.three") { (size: One.Size) in }
        #expect(registry.interface(of: host).scalars.isEmpty)
    }

    /// The keys of a dictionary and the cases of an enum are not fields, because another value has others.
    @Test func sampleInterfaceDictionaryKeysAndEnumCasesAreNoFields() throws {
        struct Price: Codable { var amount: Double }
        enum Payment: Codable {
            case cash
            case card(number: String)
        }
        struct Order: Codable, PatchValue {
            var prices: [String: Price]
            var payment: Payment
            var other: Payment
        }
        let registry = PatchRegistry()
        try registry.describe(
            sample: Order(prices: ["pen": Price(amount: 1)], payment: .cash, other: .card(number: "1")))
        let interface = registry.interface(of: try HostInfo(app: "com.example.shop", version: "1"))
        #expect(
            interface.structs.map { "\($0.name) \($0.fields.map { "\($0.name): \($0.type)" })" } == [
                #"Order ["prices: table", "payment: table", "other: table"]"#, #"Price ["amount: number"]"#,
            ])
    }

    private func fault<Value: PatchStruct>(_: Value.Type) -> String? {
        let error = #expect(throws: PatchError.self) {
            try PatchRegistry().replaceable("T.f") { (x: [Value]) in }
        }
        #expect(error?.code == .config)
        return error?.message
    }

    /// Each of these would swap values without an error.
    @Test func fieldsAreInTheOrderOfTheInitializer() throws {
        struct Swapped: PatchStruct {
            var first: Int
            var second: Int
            static let patchFields = PatchFields(
                Swapped.init(first:second:), .field("second", \.second), .field("first", \.first))
        }
        // In the order of storage, not in the initializer's.
        struct Other<Value: PatchValue & Sendable>: PatchStruct {
            var first: Value
            var kept: Int
            var second: Value
            init(second: Value, kept: Int, first: Value) {
                self.first = first
                self.kept = kept
                self.second = second
            }
            static var patchFields: PatchFields<Other> {
                PatchFields(
                    Other.init(second:kept:first:), .field("first", \.first), .field("kept", \.kept),
                    .field("second", \.second))
            }
            static var patchTypeName: String { "Other" }
        }
        struct Turned: PatchStruct {
            var a: Bool
            var b: Bool
            var c: Bool {
                didSet {}
            }
            init(_ a: Bool, _ b: Bool, _ c: Bool) {
                self.a = c
                self.b = a
                self.c = b
            }
            static let patchFields = PatchFields(Turned.init, .field("a", \.a), .field("b", \.b), .field("c", \.c))
        }
        #expect(fault(Swapped.self) == "Swapped has in its field second the value that its initializer takes for first")
        #expect(fault(Turned.self) == "Turned has in its field a the value that its initializer takes for c")
        let swapped = "Other has in its field first the value that its initializer takes for second"
        #expect(fault(Other<String>.self) == swapped)
        #expect(fault(Other<Double>.self) == swapped)
        #expect(fault(Other<Float?>.self) == swapped)
        #expect(fault(Other<UInt8>.self) == swapped)
        #expect(fault(Other<Bool>.self) == swapped)
        #expect(fault(Other<[UInt8]>.self) == swapped)
        #expect(fault(Other<[String]?>.self) == swapped)
        #expect(fault(Other<[Int: Bool]>.self) == swapped)
        #expect(fault(Other<Meal>.self) == swapped)
        #expect(fault(Other<Point>.self) == swapped)
        #expect(fault(Other<[Point]>.self) == swapped)
        #expect(fault(Other<Other<Int>>.self) == swapped)
    }

    /// Fields may be stored in any order, be computed from others, and be changed by the initializer.
    @Test func fieldsInTheOrderOfTheInitializerAreTaken() throws {
        struct Turned: Equatable, PatchStruct {
            var first: String
            var second: String
            init(second: String, first: String) {
                self.first = first
                self.second = second
            }
            static let patchFields = PatchFields(
                Turned.init(second:first:), .field("second", \.second), .field("first", \.first))
        }
        struct Trimmed: Equatable, PatchStruct {
            var least: Int
            var most: Int
            var also: Int { least }
            init(_ a: Int, _ b: Int, _: Int) {
                least = min(a, b)
                most = max(a, b)
            }
            static let patchFields = PatchFields(
                Trimmed.init, .field("least", \.least), .field("most", \.most), .field("also", \.also))
        }
        struct Tree: Equatable, PatchStruct, Sendable {
            var name: String
            var parts: [Tree]
            var others: [String: [Tree]]
            static let patchFields = PatchFields(
                Tree.init, .field("name", \.name), .field("parts", \.parts), .field("others", \.others))
        }
        let turned = Turned(second: "b", first: "a")
        #expect(try answer(turned, "x.first = x.first .. x.second return x").0 == Turned(second: "b", first: "ab"))
        #expect(try answer(Trimmed(1, 2, 0), "return x").0 == Trimmed(1, 2, 0))
        let tree = Tree(name: "a", parts: [Tree(name: "b", parts: [], others: [:])], others: [:])
        #expect(try answer(tree, "return x").0 == tree)
    }

    /// No value of the object can be made, so the order of the stored properties counts.
    @Test func fieldsThatCannotBeMadeAreInTheOrderOfTheProperties() throws {
        final class Basket: PatchObject {}
        struct Turned: PatchStruct {
            var first: Int
            var second: Int
            var basket: Basket
            static let patchFields = PatchFields(
                { Turned(first: $1, second: $0, basket: $2) }, .field("second", \.second), .field("first", \.first),
                .field("basket", \.basket))
        }
        #expect(fault(Turned.self) == "Turned declares its field second before first, but stores it after that")
    }

    /// Each of these would be reset without an error.
    @Test func fieldsAreAllStoredProperties() throws {
        struct Tagged: PatchStruct {
            var name: String
            var id = 0
            var price: Double
            static let patchFields = PatchFields(
                { Tagged(name: $0, price: $1) }, .field("name", \.name), .field("price", \.price))
        }
        struct Last: PatchStruct {
            var name: String
            var isNew = true
            static let patchFields = PatchFields({ Last(name: $0) }, .field("name", \.name))
        }
        struct First: PatchStruct {
            var id: UInt8 = 0
            var count: UInt8
            static let patchFields = PatchFields({ First(count: $0) }, .field("count", \.count))
        }
        let reset = "that is not a field, so a patched call would reset it"
        #expect(fault(Tagged.self) == "Tagged has a stored property after name \(reset)")
        #expect(fault(Last.self) == "Last has a stored property after name \(reset)")
        #expect(fault(First.self) == "First has a stored property at its beginning \(reset)")
    }

    @Test func aPropertyMayBeOmitted() throws {
        struct Tagged: Equatable, PatchStruct {
            var id = 7
            var flag: Bool?
            var price: Float
            var isNew = true
            static let patchFields = PatchFields(
                { Tagged(flag: $0, price: $1) }, .field("flag", \.flag), .field("price", \.price)
            ).omitting(\.id).omitting(\.isNew)
        }
        struct Part: PatchStruct {
            var tagged: Tagged
            var half: Float
            static let patchFields = PatchFields(
                { Part(tagged: Tagged(flag: $0, price: $1), half: $2) }, .field("flag", \.tagged.flag),
                .field("price", \.tagged.price), .field("half", \.half)
            ).omitting(\.tagged.id).omitting(\.tagged.isNew)
        }
        let registry = PatchRegistry()
        _ = try registry.replaceable("T.part") { (x: Part) in }
        #expect(try answer(Tagged(id: 8, flag: nil, price: 2), "return x").0 == Tagged(flag: nil, price: 2))
    }

    @Test func fieldsAreCheckedWhenAFunctionIsRegistered() throws {
        struct Twice: PatchStruct {
            var x: Int
            var y: Int
            static let patchFields = PatchFields(Twice.init, .field("x", \.x), .field("x", \.y))
        }
        struct Nameless: PatchStruct {
            var x: Int
            static let patchFields = PatchFields(Nameless.init, .field("", \.x))
        }
        struct Zero: PatchStruct {
            var x: Int
            static let patchFields = PatchFields(Zero.init, .field("a\0", \.x))
        }
        struct Other: PatchStruct {
            var x: Int
            static let patchTypeName = "Point"
            static let patchFields = PatchFields(Other.init, .field("y", \.x))
        }
        struct Around: PatchStruct {
            var twice: Twice
            static let patchFields = PatchFields(Around.init, .field("twice", \.twice))
        }
        let registry = PatchRegistry()
        _ = try registry.replaceable("T.point") { (x: Point) in }
        for name in ["T.e", "T.f"] {
            #expect(throws: PatchError(.config, "")) { try registry.replaceable(name) { (x: Around) in } }
        }
        #expect(throws: PatchError(.config, "")) { try registry.replaceable("T.a") { (x: [Twice]) in } }
        #expect(throws: PatchError(.config, "")) { try registry.replaceable("T.b") { () -> Nameless? in nil } }
        #expect(throws: PatchError(.config, "")) { try registry.replaceable("T.c") { (x: Zero) async in } }
        #expect(throws: PatchError(.config, "")) { try registry.replaceable("T.d") { (x: Other) in } }
        #expect(registry.state.map(\.name) == ["T.point"])
        let interface = registry.interface(of: try HostInfo(app: "com.example.shop", version: "1"))
        #expect(interface.structs.map(\.name) == ["Point"])
    }
}
