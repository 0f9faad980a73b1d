import CFloor
import Foundation
import PatchCrypto
import PatchFoundation
import PatchRunner

/// Calls of a function that is not patched, is patched, and is patched through to its original.
///
/// The floor is the same work in C on the Lua API: a hook that counts fuel, a message handler, pushing the function and
/// its original, checking the result's type, and the lock that a state for calls from any thread needs.
enum Calls {
    static let plainScript = "return function(original, price, quantity) return price + quantity end"
    static let throughScript = "return function(original, price, quantity) return original(price, quantity) end"

    static func run(_ workshop: ReleaseFixture) throws -> [Row] {
        let registry = PatchRegistry()
        let original: @Sendable (Double, Int) -> Double = { floor_original($0, Int64($1)) }
        let function = try registry.replaceable("Bench.f", original)
        let point = try registry.register(PatchPoint<(Double, Int) -> Double>("Bench.p"))
        let runner = try ReleaseFixture.runner(registry)

        var rows = try Rounds(
            work: "a call, not patched", count: 1_000_000,
            ways: [
                .init("plain code") { keep(plain($0)) },
                .init("PatchPoint", against: "plain code", target: .ratio(1.05)) { keep(chain($0, point)) },
                .init("closure") { keep(chain($0, original)) },
                .init("Replaceable", against: "closure", target: .more(3)) { keep(chain($0, function)) },
            ]
        ).run()
        for (work, script, target) in [
            ("a patched call", plainScript, 1.10), ("a patched call, through to the original", throughScript, 1.35),
        ] {
            rows += try patched(script, on: ["Bench.f", "Bench.p"], runner, workshop) { floor in
                try Rounds(
                    work: work, count: 200_000,
                    ways: [
                        .init("C, without a lock") { keep(floor_calls(floor, 0, Int64($0))) },
                        .init("C") { keep(floor_locked_calls(floor, 0, Int64($0))) },
                        .init("Replaceable", against: "C", target: .ratio(target)) { keep(chain($0, function)) },
                        .init("PatchPoint", against: "C") { keep(chain($0, point)) },
                    ]
                ).run()
            }
        }
        return try rows + values(runner, registry, workshop)
    }

    /// Only calls of one kind, to count their instructions. `floor-KIND` is the same work without patchpack.
    static func only(_ kind: String, _ count: Int) throws {
        let original: @Sendable (Double, Int) -> Double = { floor_original($0, Int64($1)) }
        let waiting: @Sendable (Double, Int) async -> Double = { floor_original($0, Int64($1)) }
        let table = Dictionary(uniqueKeysWithValues: (0..<100).map { ("key \($0)", Double($0)) })
        switch kind {
        case "floor-point": return keep(plain(count))
        case "floor-unpatched", "floor-shadow-full": return keep(chain(count, original))
        case "floor-async", "floor-async-unpatched": return finish { keep(await chain(count, waiting)) }
        case "floor-dictionary":
            for _ in 0..<count { keep(Dictionary(uniqueKeysWithValues: table.map { ($0, $1) })) }
            return
        default: break
        }
        let floors: [String: (script: String, call: (OpaquePointer) -> Void)] = [
            "floor-scalars": (plainScript, { keep(floor_locked_calls($0, 0, Int64(count))) }),
            "floor-through": (throughScript, { keep(floor_locked_calls($0, 0, Int64(count))) }),
            "floor-shadow": (throughScript, { keep(floor_locked_calls($0, 0, Int64(count))) }),
            "floor-fails": (failingScript, { keep(floor_failing_calls($0, 0, Int64(count))) }),
            "floor-string": (identity, { keep(floor_string_calls($0, text, Int64(count))) }),
            "floor-string-swift": (identity, { swiftStrings($0, count) }),
            "floor-strings": (identity, { keep(floor_strings_calls($0, text, 3, Int64(count))) }),
            "floor-struct": (identity, { keep(floor_struct_calls($0, text, 9.5, 3, Int64(count))) }),
            "floor-codable": (identity, { keep(floor_struct_calls($0, text, 9.5, 3, Int64(count))) }),
        ]
        if let (script, call) = floors[kind] {
            guard let floor = floor_open(script) else { throw Failure(message: "no memory") }
            defer { floor_close(floor) }
            return call(floor)
        }
        let registry = PatchRegistry()
        let function = try registry.replaceable("Bench.f", original)
        let point = try registry.register(PatchPoint<(Double, Int) -> Double>("Bench.p"))
        let strings = try registry.replaceable("Bench.string") { (text: String) -> String in text }
        let lists = try registry.replaceable("Bench.strings") { (texts: [String]) -> [String] in texts }
        let declared = try registry.replaceable("Bench.declared") { (item: DeclaredItem) -> DeclaredItem in item }
        let coded = try registry.replaceable("Bench.struct") { (item: Item) -> Item in item }
        let tables = try registry.replaceable("Bench.tables") { (table: [String: Double]) -> [String: Double] in table }
        let asynchronous = try registry.replaceable("Bench.async", waiting)
        // Without a script, nothing is patched.
        let kinds: [String: (name: String, script: String?, call: () -> Void)] = [
            "point": ("Bench.p", nil, { keep(chain(count, point)) }),
            "unpatched": ("Bench.f", nil, { keep(chain(count, function)) }),
            "async-unpatched": ("Bench.async", nil, { finish { keep(await chain(count, asynchronous)) } }),
            "scalars": ("Bench.f", plainScript, { keep(chain(count, function)) }),
            // A patch in shadow, beside which nothing is patched: its sample takes one call in a second, or each call.
            "shadow-full": ("Bench.f", throughScript, { keep(chain(count, function)) }),
            "shadow": ("Bench.f", throughScript, { keep(chain(count, function)) }),
            "through": ("Bench.f", throughScript, { keep(chain(count, function)) }),
            "async": ("Bench.async", throughScript, { finish { keep(await chain(count, asynchronous)) } }),
            "fails": ("Bench.f", failingScript, { keep(chain(count, function)) }),
            "string": ("Bench.string", identity, { for _ in 0..<count { keep(strings(text)) } }),
            "strings": ("Bench.strings", identity, { for _ in 0..<count { keep(lists([text, text, text])) } }),
            "struct": ("Bench.declared", identity, { for _ in 0..<count { keep(declared(DeclaredItem.sample)) } }),
            "codable": ("Bench.struct", identity, { for _ in 0..<count { keep(coded(Item.sample)) } }),
            "dictionary": ("Bench.tables", identity, { for _ in 0..<count { keep(tables(table)) } }),
        ]
        guard let (name, script, call) = kinds[kind] else {
            throw Failure(message: "no kind \(kind): there are \(kinds.keys.sorted().joined(separator: ", "))")
        }
        let isShadow = kind.hasPrefix("shadow")
        var limits = PatchLimits()
        if isShadow { limits.shadowCallsPerSecond = kind == "shadow" ? .max : 1 }
        let runner = try ReleaseFixture.runner(registry, limits: limits)
        if let script {
            let patch = try ReleaseFixture.selfContained(
                "patch.replace('\(name)', (function() \(script) end)())", replaces: [name])
            if isShadow {
                let verified = try EnvelopeVerifier(trustStore: patch.trust, policy: .unchecked)
                    .verify(patch.envelope, scriptKeys: patch.scriptKey)
                try runner.shadow(runner.load(verified))
            } else {
                try runner.install(patch.envelope, trust: PatchTrust(patch.trust, scriptKeys: patch.scriptKey))
            }
        }
        call()
    }

    /// Calls C's floor with a string of Swift, and makes one of the result.
    private static func swiftStrings(_ floor: OpaquePointer, _ count: Int) {
        for _ in 0..<count {
            var (text, length) = (Self.text, 0)
            let result = text.withUTF8 { bytes in
                floor_begin_string(
                    floor, UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self), bytes.count,
                    &length)
            }
            keep(String(decoding: UnsafeRawBufferPointer(start: result, count: length), as: UTF8.self))
            floor_end(floor)
        }
    }

    private static let text = "a name of thirty-two characters."
    private static let identity = "return function(original, value) return value end"
    private static let failingScript = "return function() error('no') end"

    /// Calls with values that are not numbers, and calls that fail.
    private static func values(
        _ runner: PatchRunner, _ registry: PatchRegistry, _ workshop: ReleaseFixture
    ) throws -> [Row] {
        let numbers = (0..<1000).map(Double.init)
        let strings = try registry.replaceable("Bench.string") { (text: String) -> String in text }
        let arrays = try registry.replaceable("Bench.array") { (numbers: [Double]) -> [Double] in numbers }
        let declared = try registry.replaceable("Bench.declared") { (item: DeclaredItem) -> DeclaredItem in item }
        let structs = try registry.replaceable("Bench.struct") { (item: Item) -> Item in item }
        let lists = try registry.replaceable("Bench.strings") { (texts: [String]) -> [String] in texts }
        let bytes = try registry.replaceable("Bench.bytes") { (bytes: [UInt8]) -> [UInt8] in bytes }
        let data = Array(text.utf8)
        let orders = try registry.replaceable("Bench.order") { (order: Order) -> Order in order }
        let declaredOrders = try registry.replaceable("Bench.declaredOrder") {
            (order: DeclaredOrder) -> DeclaredOrder in order
        }
        let items = try registry.replaceable("Bench.items") { (items: [DeclaredItem]) -> [DeclaredItem] in items }
        let tables = try registry.replaceable("Bench.tables") { (table: [String: Double]) -> [String: Double] in table }
        let failing = try registry.replaceable("Bench.fails") { (price: Double, quantity: Int) -> Double in
            floor_original(price, Int64(quantity))
        }
        var rows = try patched(identity, on: ["Bench.string"], runner, workshop) { floor in
            try Rounds(
                work: "a patched call with a string of 32 bytes", count: 50_000,
                ways: [
                    .init("C") { keep(floor_string_calls(floor, text, Int64($0))) },
                    .init("C, with Swift's strings", against: "C") { swiftStrings(floor, $0) },
                    .init("Replaceable", against: "C", target: .ratio(1.8)) { for _ in 0..<$0 { keep(strings(text)) } },
                ]
            ).run()
        }
        let ids = try registry.replaceable("Bench.uuid") { (id: UUID) -> UUID in id }
        let dates = try registry.replaceable("Bench.date") { (date: Date) -> Date in date }
        let (id, idText, date) = (UUID(), UUID().uuidString, Date())
        rows += try patched(identity, on: ["Bench.string", "Bench.uuid", "Bench.date"], runner, workshop) { _ in
            try Rounds(
                work: "a patched call with a UUID or a Date", count: 50_000,
                ways: [
                    .init("a UUID's string") { for _ in 0..<$0 { keep(strings(idText)) } },
                    .init("UUID", against: "a UUID's string", target: .ratio(1.2)) {
                        for _ in 0..<$0 { keep(ids(id)) }
                    },
                    .init("Date", against: "a UUID's string", target: .ratio(1.2)) {
                        for _ in 0..<$0 { keep(dates(date)) }
                    },
                ]
            ).run()
        }
        rows += try patched(identity, on: ["Bench.bytes"], runner, workshop) { floor in
            try Rounds(
                work: "a patched call with 32 bytes, [UInt8]", count: 50_000,
                ways: [
                    .init("C") { keep(floor_string_calls(floor, text, Int64($0))) },
                    .init("Replaceable", against: "C", target: .ratio(1.3)) { for _ in 0..<$0 { keep(bytes(data)) } },
                ]
            ).run()
        }
        rows += try patched(identity, on: ["Bench.order", "Bench.declaredOrder"], runner, workshop) { _ in
            try Rounds(
                work: "a patched call with a model of nine members: dates, a URL, an enum, a list", count: 5_000,
                ways: [
                    .init("fields declared") { for _ in 0..<$0 { keep(declaredOrders(DeclaredOrder.sample)) } },
                    .init("Codable", against: "fields declared") { for _ in 0..<$0 { keep(orders(Order.sample)) } },
                ]
            ).run()
        }
        rows += try patched(identity, on: ["Bench.array"], runner, workshop) { floor in
            try Rounds(
                work: "a patched call with an array of 1,000", count: 500,
                ways: [
                    .init("C") { keep(floor_array_calls(floor, numbers, Int64(numbers.count), Int64($0))) },
                    .init("Replaceable", against: "C") { for _ in 0..<$0 { keep(arrays(numbers)) } },
                ]
            ).run()
        }
        rows += try patched(identity, on: ["Bench.struct", "Bench.declared"], runner, workshop) { floor in
            try Rounds(
                work: "a patched call with a struct of three fields", count: 20_000,
                ways: [
                    .init("C") { keep(floor_struct_calls(floor, text, 9.5, 3, Int64($0))) },
                    .init("fields declared", against: "C", target: .ratio(1.5)) {
                        for _ in 0..<$0 { keep(declared(DeclaredItem.sample)) }
                    },
                    .init("Codable", against: "C") { for _ in 0..<$0 { keep(structs(Item.sample)) } },
                ]
            ).run()
        }
        let (texts, many) = (Array(repeating: text, count: 100), Array(repeating: DeclaredItem.sample, count: 100))
        rows += try patched(identity, on: ["Bench.strings"], runner, workshop) { floor in
            try Rounds(
                work: "a patched call with an array of 100 strings", count: 500,
                ways: [
                    .init("C") { keep(floor_strings_calls(floor, text, Int64(texts.count), Int64($0))) },
                    .init("Replaceable", against: "C", target: .ratio(1.5)) { for _ in 0..<$0 { keep(lists(texts)) } },
                ]
            ).run()
        }
        rows += try patched(identity, on: ["Bench.items"], runner, workshop) { floor in
            try Rounds(
                work: "a patched call with an array of 100 structs of three fields", count: 200,
                ways: [
                    .init("C") { keep(floor_structs_calls(floor, text, Int64(many.count), Int64($0))) },
                    .init("Replaceable", against: "C", target: .ratio(2)) { for _ in 0..<$0 { keep(items(many)) } },
                ]
            ).run()
        }
        let table = Dictionary(uniqueKeysWithValues: (0..<100).map { ("key \($0)", Double($0)) })
        rows += try patched(identity, on: ["Bench.tables"], runner, workshop) { _ in
            try Rounds(
                work: "a patched call with a dictionary of 100 numbers", count: 200,
                ways: [
                    .init("copying the dictionary in Swift") {
                        for _ in 0..<$0 { keep(Dictionary(uniqueKeysWithValues: table.map { ($0, $1) })) }
                    },
                    .init("Replaceable", against: "copying the dictionary in Swift") {
                        for _ in 0..<$0 { keep(tables(table)) }
                    },
                ]
            ).run()
        }
        let original: @Sendable (Double, Int) async -> Double = { floor_original($0, Int64($1)) }
        let asynchronous = try registry.replaceable("Bench.async", original)
        let unpatched = try registry.replaceable("Bench.asyncUnpatched", original)
        let caller = Caller()
        let measured: () throws -> [Row] = {
            try Rounds(
                work: "a call of an asynchronous function", count: 20_000,
                ways: [
                    .init("function") { count in finish { keep(await chain(count, original)) } },
                    .init("not patched", against: "function") { count in
                        finish { keep(await chain(count, asynchronous)) }
                    },
                    .init("function, from an actor") { count in
                        finish { keep(await caller.chain(count, original)) }
                    },
                    .init("not patched, from an actor", against: "function, from an actor") { count in
                        finish { keep(await caller.chain(count, asynchronous)) }
                    },
                ]
            ).run()
        }
        rows += try measured()
        rows += try patched(throughScript, on: ["Bench.async"], runner, workshop) { _ in
            try Rounds(
                work: "a patched call of an asynchronous function, through to the original", count: 5_000,
                ways: [
                    .init("function") { count in finish { keep(await chain(count, original)) } },
                    .init("not patched", against: "function") { count in
                        finish { keep(await chain(count, unpatched)) }
                    },
                    .init("patched", against: "not patched", target: .ratio(14)) { count in
                        finish { keep(await chain(count, asynchronous)) }
                    },
                    .init("patched, from an actor", against: "patched") { count in
                        finish { keep(await caller.chain(count, asynchronous)) }
                    },
                ]
            ).run()
        }
        return try rows
            + patched(failingScript, on: ["Bench.fails"], runner, workshop) { floor in
                try Rounds(
                    work: "a patched call that fails, and falls back", count: 10_000,
                    ways: [
                        .init("C") { keep(floor_failing_calls(floor, 0, Int64($0))) },
                        .init("Replaceable", against: "C", target: .ratio(2)) {
                            for i in 0..<$0 { keep(failing(0, i & 7)) }
                        },
                    ]
                ).run()
            }
    }

    private struct Item: Codable, PatchValue {
        var name: String
        var price: Double
        var quantity: Int

        static let sample = Item(name: text, price: 9.5, quantity: 3)
    }

    private struct DeclaredItem: PatchStruct {
        var name: String
        var price: Double
        var quantity: Int

        static let sample = DeclaredItem(name: text, price: 9.5, quantity: 3)
        static let patchFields = PatchFields(
            DeclaredItem.init(name:price:quantity:), .field("name", \.name), .field("price", \.price),
            .field("quantity", \.quantity))
    }

    private enum Status: String, Codable, PatchDictionaryKey { case new, paid, sent }

    /// A value like the ones in a real app.
    private struct Order: Codable, PatchValue {
        var id = "2026-000417"
        var customer = "Ada Lovelace"
        var placed = Date(timeIntervalSince1970: 1_795_000_000)
        var due: Date? = Date(timeIntervalSince1970: 1_795_600_000)
        var page = "https://shop.example.com/orders/2026-000417"
        var status = Status.paid
        var total = 41.5
        var quantity = 3
        var tags = ["gift", "express"]

        static let sample = Order()
    }

    private struct DeclaredOrder: PatchStruct {
        var id: String
        var customer: String
        var placed: Double
        var due: Double?
        var page: String
        var status: Status
        var total: Double
        var quantity: Int
        var tags: [String]

        static let sample = DeclaredOrder(
            id: "2026-000417", customer: "Ada Lovelace", placed: 1_795_000_000, due: 1_795_600_000,
            page: "https://shop.example.com/orders/2026-000417", status: .paid, total: 41.5, quantity: 3,
            tags: ["gift", "express"])
        static let patchFields = PatchFields(
            DeclaredOrder.init(id:customer:placed:due:page:status:total:quantity:tags:), .field("id", \.id),
            .field("customer", \.customer), .field("placed", \.placed), .field("due", \.due), .field("page", \.page),
            .field("status", \.status), .field("total", \.total), .field("quantity", \.quantity), .field("tags", \.tags)
        )
    }

    /// Measures with some names patched, and the floor's state with the same function.
    private static func patched(
        _ script: String, on names: [String], _ runner: PatchRunner, _ workshop: ReleaseFixture,
        _ measure: (OpaquePointer) throws -> [Row]
    ) throws -> [Row] {
        guard let floor = floor_open(script) else { throw Failure(message: "no memory") }
        defer { floor_close(floor) }
        let source = names.map { "patch.replace('\($0)', (function() \(script) end)())" }.joined(separator: " ")
        try runner.install(
            try workshop.envelope(source, replaces: names),
            trust: PatchTrust(workshop.trust, scriptKeys: workshop.scriptKey))
        defer { runner.deactivateAll() }
        return try measure(floor)
    }

    /// After a million calls that make tables and strings, the process must not be larger.
    static func memory(_ workshop: ReleaseFixture) throws -> [Row] {
        let registry = PatchRegistry()
        let function = try registry.replaceable("Bench.f") { (x: Int, text: String) -> [Int] in [x] }
        let runner = try ReleaseFixture.runner(registry)
        try runner.install(
            try workshop.envelope(
                "patch.replace('Bench.f', function(o, x, s) local t = o(x, s .. x) t[2] = #s return t end)",
                replaces: ["Bench.f"]), trust: PatchTrust(workshop.trust, scriptKeys: workshop.scriptKey))
        for i in 0..<50_000 { keep(function(i, "text")) }
        let before = try Machine.residentKilobytes()
        for i in 0..<1_000_000 { keep(function(i, "text")) }
        let work = "resident memory around a million patched calls"
        return [
            Row(work: work, way: "before", unit: .kilobytes, samples: [before]),
            Row(
                work: work, way: "after", unit: .kilobytes, samples: [try Machine.residentKilobytes()],
                against: "before",
                base: [before], target: .ratio(1.01)),
        ]
    }

    @inline(never) static func chain(
        _ count: Int, _ function: Replaceable<@Sendable (Double, Int) -> Double>
    ) -> Double {
        var price = 0.0
        for i in 0..<count { price = function(price, i & 7) }
        return price
    }

    @inline(never) private static func chain(_ count: Int, _ function: @Sendable (Double, Int) -> Double) -> Double {
        var price = 0.0
        for i in 0..<count { price = function(price, i & 7) }
        return price
    }

    @inline(never) private static func chain(_ count: Int, _ point: PatchPoint<(Double, Int) -> Double>) -> Double {
        var price = 0.0
        for i in 0..<count { price = point(price, i & 7) { $0 + Double($1) } }
        return price
    }

    @inline(never) static func chain(
        _ count: Int, _ function: Replaceable<@Sendable (Double, Int) async -> Double>
    ) async -> Double {
        var price = 0.0
        for i in 0..<count { price = await function(price, i & 7) }
        return price
    }

    @inline(never) fileprivate static func chain(
        _ count: Int, _ function: @Sendable (Double, Int) async -> Double
    ) async -> Double {
        var price = 0.0
        for i in 0..<count { price = await function(price, i & 7) }
        return price
    }

    /// Calls from an actor, such as the main actor. The calls stay on it.
    private actor Caller {
        func chain(_ count: Int, _ function: Replaceable<@Sendable (Double, Int) async -> Double>) async -> Double {
            await Calls.chain(count, function)
        }

        func chain(_ count: Int, _ function: @Sendable (Double, Int) async -> Double) async -> Double {
            await Calls.chain(count, function)
        }
    }

    /// Waits for asynchronous work.
    static func finish(_ work: @escaping @Sendable () async -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task {
            await work()
            done.signal()
        }
        done.wait()
    }

    @inline(never) private static func plain(_ count: Int) -> Double {
        var price = 0.0
        for i in 0..<count { price += Double(i & 7) }
        return price
    }
}
