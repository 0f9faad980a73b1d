import PatchCrypto
import PatchRunner
import Testing

@Suite struct WaxTests {
    @Test func functionsAfterAClassReplaceItsFunctions() throws {
        let harness = try Harness()
        let total = try harness.registry.replaceable("Cart.total") { (price: Double, quantity: Int) -> Double in
            price * Double(quantity)
        }
        let tax = try harness.registry.replaceable("Cart.tax") { (price: Double) -> Double in price * 0.19 }
        let name = try harness.registry.replaceable("Shop:name") { () -> String in "shop" }
        try harness.apply(
            """
            waxClass{"Cart", Object}

            rate = 2
            local seen = 0

            function round(value) return math.floor(value * 100 + 0.5) / 100 end

            function total(self, price, quantity)
              seen = seen + 1
              if quantity < 0 then return 0 end
              return round(self:ORIGtotal(price, quantity) + self:tax(price) * rate + self:helper())
            end

            function helper(self) count = (count or 0) + 1 return count end

            waxClass{"Shop"}
            function name(self) return self:ORIGname() .. "!" end
            """, replaces: ["Cart.total", "Shop:name"])
        #expect(total(10, -1) == 0)
        #expect(total(10, 2) == 24.8, "\(harness.failures)")
        #expect(total(10, 2) == 25.8)
        #expect(tax(100) == 19)
        #expect(name() == "shop!")
    }

    @Test func anObjectOfTheClassIsItsSelf() throws {
        let harness = try Harness()
        try harness.registry.expose(Basket.self) { basket in
            basket.method("add") { (basket: Basket) in basket.names.add() }
        }
        let fill = try harness.registry.replaceable("Basket.fill") { (basket: Basket, count: Int) -> Int in
            for _ in 0..<count { basket.names.add() }
            return basket.names.count
        }
        try harness.apply(
            """
            waxClass{"Basket"}
            function fill(self, count)
              self:add()
              return self:ORIGfill(count * 2)
            end
            """, replaces: ["Basket.fill"])
        #expect(fill(Basket(), 3) == 7, "\(harness.failures)")
    }

    @Test func namesThatTheAppLacksAreNoReplacements() throws {
        let harness = try Harness()
        _ = try harness.registry.replaceable("Cart.total") { (x: Int) -> Int in x }
        let error = #expect(throws: PatchError.self) {
            try harness.apply("waxClass{'Cart'}\nfunction totl(self, x) return x end", replaces: ["Cart.total"])
        }
        #expect(error?.message == "the manifest names Cart.total, which the script does not replace")
    }
}
