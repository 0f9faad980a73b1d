import Foundation
import PatchRunner
import PatchTesting

// Functions and values as in docs/runner.md, in a module whose default isolation is the main actor and whose
// asynchronous functions run on their caller's actor, as in a new Xcode project.

struct Item: PatchStruct {
    var name: String
    var price: Double
    var note: String?

    static let patchFields = PatchFields(
        Item.init(name:price:note:), .field("name", \.name), .field("price", \.price), .field("note", \.note))
}

struct Order: Codable, PatchValue {
    var item: Item.Code
    var quantity: Int
}

extension Item {
    enum Code: String, Codable, PatchValue { case pen, ink }
}

nonisolated struct Late { var count: Int }
nonisolated extension Late: PatchStruct {
    static let patchFields = PatchFields(Late.init, .field("count", \.count))
}

nonisolated extension Date: @retroactive PatchValue {}

final class Basket: PatchObject {
    func add(_ item: String) -> Int { item.utf8.count }
}

actor Till: PatchObject {
    private var sum = 0
    func pay(_ amount: Int) -> Int {
        sum += amount
        return sum
    }
}

enum Meal: String, PatchDictionaryKey { case lunch, dinner }

/// A `@Sendable` closure leaves its caller's actor in Swift 6.2: swiftlang/swift#83812.
nonisolated func checkCallersActor() {
    #if compiler(>=6.3)
        MainActor.preconditionIsolated()
    #endif
}

/// On the main actor, like all declarations without another isolation.
final class Shop {
    private var factor = 2.0
    let price: Replaceable<@Sendable (Item, Order) -> Double>
    let late: Replaceable<@Sendable (Late) -> Late>
    let day: Replaceable<@Sendable (Date) -> Date>
    let fill: Replaceable<@Sendable (Basket) -> Int>
    let title: PatchPoint<(String) -> String>
    let fetch: Replaceable<@Sendable (String, Int) async -> String>
    let tries: Replaceable<@Sendable (Int) async throws -> Int>
    let home: Replaceable<@Sendable (Int) async -> Int>
    let away: Replaceable<@Sendable (Int) async -> Int>
    let pay: Replaceable<@Sendable (Till, Int) async -> Int>
    let menu: Replaceable<@Sendable ([Meal: Int]) -> [Meal: Int]>

    init(registry: PatchRegistry) throws {
        price = try registry.replaceable("Shop.price") { item, order in item.price * Double(order.quantity) }
        late = try registry.replaceable("Shop.late") { $0 }
        day = try registry.replaceable("Shop.day") { day in day }
        fill = try registry.replaceable("Shop.fill") { basket in basket.add("x") }
        title = try registry.register(PatchPoint<(String) -> String>("Shop.title"))
        fetch = try registry.replaceable("Shop.fetch") { name, count in
            checkCallersActor()
            await Task.yield()
            checkCallersActor()
            return String(repeating: name, count: count)
        }
        tries = try registry.replaceable("Shop.tries") { count in
            checkCallersActor()
            if count == 0 { throw CancellationError() }
            return count
        }
        home = try registry.replaceable("Shop.home") { @MainActor count in
            MainActor.preconditionIsolated()
            await Task.yield()
            MainActor.preconditionIsolated()
            return count
        }
        away = try registry.replaceable("Shop.away") { @concurrent count in
            // The main actor is free for this.
            await MainActor.run { count }
        }
        pay = try registry.replaceable("Shop.pay") { till, amount in await till.pay(amount) }
        menu = try registry.replaceable("Shop.menu") { menu in menu }
        try registry.expose(Till.self) { till in
            till.method("pay") { (till: Till, amount: Int) async in await till.pay(amount) }
        }
        try registry.expose(Basket.self) { basket in
            basket.method("add") { (basket: Basket, item: String) in basket.add(item) }
        }
    }

    /// A point's original is part of this module, so it is on the main actor.
    func heading() -> String { title("Shop") { name in "\(name) \(factor)" } }
}

func check(_ isRight: Bool, _ what: String) {
    if !isRight { fatalError("wrong: \(what)") }
}

let bench = try PatchTestHost(app: "com.example.shop", version: "2.3.1")
let shop = try Shop(registry: bench.registry)

func calls(arePatched: Bool) {
    let item = Item(name: "pen", price: 2, note: nil)
    check(shop.price(item, Order(item: .pen, quantity: 3)) == (arePatched ? 9 : 6), "price")
    check(shop.late(Late(count: 1)).count == (arePatched ? 2 : 1), "late")
    let day = shop.day(Date(timeIntervalSinceReferenceDate: 1))
    check(day.timeIntervalSinceReferenceDate == (arePatched ? 2 : 1), "day")
    check(shop.fill(Basket()) == (arePatched ? 4 : 1), "fill")
    check(shop.menu([.lunch: 1]) == [.lunch: arePatched ? 2 : 1], "menu")
    check(shop.heading() == (arePatched ? "Shop 2.0!" : "Shop 2.0"), "heading")
}

func asynchronousCalls(arePatched: Bool) async throws {
    // Each call stays on the main actor, patched or not, so nothing else runs there between two calls that do not wait.
    check(await shop.fetch("ab", 2).utf8.count == (arePatched ? 6 : 4), "fetch")
    check(try await shop.tries(1) == (arePatched ? 2 : 1), "tries")
    do {
        _ = try await shop.tries(0)
        check(false, "throws")
    } catch { check(error is CancellationError, "throws") }
    check(await shop.home(1) == (arePatched ? 2 : 1), "home")
    check(await shop.away(1) == (arePatched ? 3 : 1), "away")
    check(await shop.pay(Till(), 1) == (arePatched ? 2 : 1), "pay")
    check(await Task.detached { [pricing] in await pricing.double(2) }.value == (arePatched ? 5 : 4), "an actor's")
}

/// An actor other than the main actor.
actor Pricing {
    private let half: Replaceable<@Sendable (Int) async -> Int>

    init() throws { half = try bench.registry.replaceable("Pricing.half") { $0 / 2 } }

    func double(_ value: Int) async -> Int { await half(value * 4) }
}

let pricing = try Pricing()
calls(arePatched: false)
try await asynchronousCalls(arePatched: false)
try bench.install(
    source: """
        -- @patch com.example.shop.mend
        -- @version 1
        -- @app com.example.shop
        -- @replaces Shop.price Shop.late Shop.day Shop.fill Shop.title
        -- @replaces Shop.fetch Shop.tries Shop.home Shop.away Shop.pay Shop.menu Pricing.half
        patch.replace("Shop.price", function(original, item, order) return original(item, order) + #item.name end)
        patch.replace("Shop.late", function(original, late) return { count = late.count + 1 } end)
        patch.replace("Shop.day", function(original, day) return day + 1 end)
        patch.replace("Shop.fill", function(original, basket) return basket:add("pens") end)
        patch.replace("Shop.title", function(original, name) return original(name) .. "!" end)
        patch.replace("Shop.fetch", function(original, name, count)
            return original(name .. host.call("Shop.tries", 1), count)
        end)
        patch.replace("Shop.tries", function(original, count) return original(count) + 1 end)
        patch.replace("Shop.home", function(original, count) return original(count) + 1 end)
        patch.replace("Shop.away", function(original, count) return original(count) + 2 end)
        patch.replace("Shop.pay", function(original, till, amount) return till:pay(amount) + till:pay(0) end)
        patch.replace("Shop.menu", function(original, menu) return { lunch = menu.lunch + 1 } end)
        patch.replace("Pricing.half", function(original, value) return original(value) + 1 end)
        """)
calls(arePatched: true)
try await asynchronousCalls(arePatched: true)
check(bench.failures.isEmpty, "\(bench.failures)")
print("main actor by default: right")
