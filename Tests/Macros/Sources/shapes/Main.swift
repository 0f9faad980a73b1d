import Foundation
import PatchCrypto
import PatchRunner
import PatchTesting

func check<Value: Equatable>(_ answer: Value, _ expected: Value, _ what: String) {
    guard answer != expected else { return }
    print("wrong: \(what) answers \(answer), not \(expected)")
    World.wrong += 1
}

func fault(_ call: () throws(Trouble) -> Int) -> Trouble? {
    do throws(Trouble) { _ = try call() } catch { return error }
    return nil
}

/// The names in an interface.
struct Interface: Decodable {
    struct Name: Decodable { let name: String }
    struct Function: Decodable { let name: String, parameters: [String]? }
    struct Struct: Decodable { let name: String, fields: [Name] }

    let functions: [Function], structs: [Struct]

    func parameters(of name: String) -> [String]? { functions.first { $0.name == name }?.parameters }
    func fields(of name: String) -> [String]? { structs.first { $0.name == name }?.fields.map(\.name) }
}

@MainActor enum World { nonisolated(unsafe) static var wrong = 0 }

/// Calls the shapes that `main` registers. A patch adds `more` to their results, and 0 if there is none.
@MainActor func callAll(_ more: Int) async {
    let cart = Cart()
    let extra = Double(more)
    check(cart.total(price: 2, quantity: 3), 12 + extra, "total")
    check(cart.total(price: 2), 2 + extra, "total of one")
    cart.noResult(5)
    check(cart.total(price: 1, quantity: 1), 5 + extra, "noResult")
    cart.nothing()
    check(cart.total(price: 1, quantity: 1), 2 + extra, "nothing")
    check(cart.unlabelled(1, 2), 3 + more, "unlabelled")
    check(cart.withDefault(), 3 + more, "withDefault")
    check(try? cart.throwing(1), 1 + more, "throwing")
    check(try? cart.throwing(0), nil, "throwing")
    check(fault { () throws(Trouble) in try cart.typed(0) }, .empty, "typed")
    check(fault { () throws(Trouble) in try cart.typed(7) }, more > 0 ? .patched : nil, "typed")
    check(try? cart.typed(1), 1 + more, "typed")
    check(cart.never(1), 1 + more, "never")
    check(cart.ofStruct(Item(name: "pen", price: 2)), Item(name: "pen", price: 2 + extra), "ofStruct")
    check(cart.ofEnum(.small), more > 0 ? .large : .small, "ofEnum")
    check(cart.ofObject(Basket()), more > 0 ? "basket!" : "basket", "ofObject")
    check(cart.optional(nil), more > 0 ? more : nil, "optional")
    check(cart.collections([1], ["a": 2]), more > 0 ? [1, 2, more] : [1, 2], "collections")
    check(cart.callsHidden(), 1 + more, "hidden")
    check(cart.six(1, b: 1, c: 1, d: 1, e: 1, f: 1), 6 + more, "six")
    check(Cart.ofType(1), 1 + more, "ofType")
    check(Cart.ofClass(1), 1 + more, "ofClass")
    check(cart.default(1), 1 + more, "default")
    check(await cart.later(1), 1 + more, "later")
    check(try? await cart.laterThrowing(1), 1 + more, "laterThrowing")
    check(try? await cart.laterThrowing(0), nil, "laterThrowing")
    for (value, expected) in [(0, Trouble.empty), (7, more > 0 ? .patched : nil)] {
        var fault: Trouble?
        do { _ = try await cart.laterTyped(value) } catch { fault = error }
        check(fault, expected, "laterTyped")
    }
    check(try? await cart.laterTyped(1), 1 + more, "laterTyped")
    await cart.laterNothing(3)
    check(cart.total(price: 1, quantity: 1), 3 + extra, "laterNothing")
    cart.discarded(1)
    check(cart.branches(1), more > 0 ? "one!" : "one", "branches")
    check(cart.inExtension(1), 1 + more, "inExtension")
    if #available(macOS 26, *) { check(cart.available(1), 1 + more, "available") }
    var counter = Counter()
    check(counter.add(2), 2 + more, "add")
    check(counter.count, 2, "count")
    check(counter.read(), 2 + more, "read")
    check(Prices.price(of: "pen"), 3 + extra, "price")
    check(Prices.Nested.deep(1), 1 + more, "deep")
    let warehouse = Warehouse()
    check(await warehouse.left(1), 4 + more, "left")
    check(await warehouse.wait(1), 3 + more, "wait")
    check(warehouse.name("a"), more > 0 ? "a!" : "a", "name")
    let screen = Screen()
    check(screen.title(2), 2 + more, "title")
    check(await screen.load(2), 2 + more, "load")
    check(await Task.detached { await screen.load(2) }.value, 2 + more, "load from a task")
    check(Derived().overridden(1), 2 + 2 * more, "overridden")
    var order = Order(item: Item(name: "pen", price: 2), count: 2, notes: ["a"], default: true)
    order.count = 3
    check(order.changes, 1, "changes")
    let answered = cart.ofOrder(order)
    check(answered.total, 6, "ofOrder")
    check(answered.notes, ["a"], "ofOrder")
    check(answered.changes, more > 0 ? 0 : 1, "what is omitted has its default value after a patched call")
}

@main struct Main {
    @MainActor static func main() async throws {
        await callAll(0)
        var count = 0
        for round in 1...2 {
            let bench = try PatchTestHost(app: "com.example.shop", version: "2.3.1")
            let registry = bench.registry
            try Cart.registerPatches(in: registry)
            try registry.register(Cart.$inExtension)
            if #available(macOS 26, *) { try registry.register(Cart.$available) }
            try Counter.registerPatches(in: registry)
            try Prices.registerPatches(in: registry)
            try Prices.Nested.registerPatches(in: registry)
            try Warehouse.registerPatches(in: registry)
            try Screen.registerPatches(in: registry)
            try Base.registerPatches(in: registry)
            count = registry.state.count
            let app = try HostInfo(app: "com.example.shop", version: "2.3.1")
            let interface = try JSONDecoder().decode(Interface.self, from: Data(registry.interface(of: app).encoded()))
            check(interface.fields(of: "Order"), ["item", "count", "notes", "default"], "fields")
            check(interface.parameters(of: "Cart.total"), ["price", "quantity"], "parameters")
            check(interface.parameters(of: "Cart.default"), ["in"], "parameters")
            await callAll(0)
            do {
                try Cart.registerPatches(in: PatchRegistry())
                check(false, true, "a second registry")
            } catch {}
            try bench.install(source: source(registry, adds: round))
            await callAll(round)
            check(bench.failures.isEmpty, true, "\(bench.failures)")
        }
        // The registries and their patch no longer exist, so the originals answer.
        await callAll(0)
        if World.wrong > 0 { fatalError("\(World.wrong) wrong") }
        print("macros: \(count) functions, patched and not: right")
    }

    /// A patch that adds to the result of each function.
    static func source(_ registry: PatchRegistry, adds more: Int) -> String {
        let names = registry.state.map(\.name)
        return """
            -- @patch com.example.shop.mend
            -- @version 1
            -- @app com.example.shop
            -- @replaces \(names.joined(separator: " "))
            for _, name in ipairs { \(names.map { "\"\($0)\"" }.joined(separator: ", ")) } do
                patch.replace(name, function(original, ...)
                    local answer = original(...)
                    if (name == "Cart.typed" or name == "Cart.laterTyped") and ... == 7 then host.throw("seven") end
                    if name == "Cart.ofEnum" then return "large" end
                    if name == "Cart.optional" then return \(more) end
                    if type(answer) == "number" then return answer + \(more) end
                    if type(answer) == "string" then return answer .. "!" end
                    if name == "Cart.ofStruct" then answer.price = answer.price + \(more) end
                    if name == "Cart.collections" then answer[#answer + 1] = \(more) end
                    return answer
                end)
            end
            """
    }
}
