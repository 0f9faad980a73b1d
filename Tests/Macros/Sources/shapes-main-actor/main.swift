import PatchCrypto
import PatchRunner
import PatchTesting

// The macros in a module whose default isolation is the main actor.

@PatchStruct nonisolated struct Item {
    var name: String
    var price: Double
}

@Patches final class Cart {
    private var factor = 2.0
    @Patchable func total(_ item: Item) -> Double { item.price * factor }
    @Patchable func load(_ value: Int) async throws -> Int {
        MainActor.preconditionIsolated()
        return value
    }
}

let bench = try PatchTestHost(app: "com.example.shop", version: "2.3.1")
try Cart.registerPatches(in: bench.registry)
let cart = Cart()
precondition(cart.total(Item(name: "pen", price: 2)) == 4)
let unpatched = try await cart.load(1)
precondition(unpatched == 1)
try bench.install(
    source: """
        -- @patch com.example.shop.mend
        -- @version 1
        -- @app com.example.shop
        -- @replaces Cart.total Cart.load
        patch.replace("Cart.total", function(original, item) return original(item) + #item.name end)
        patch.replace("Cart.load", function(original, value) return original(value) + 1 end)
        """)
precondition(cart.total(Item(name: "pen", price: 2)) == 7)
let patched = try await cart.load(1)
precondition(patched == 2)
print("macros, main actor by default: right")
