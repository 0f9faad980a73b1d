import PatchCrypto
import PatchRunner
import TestSupport
import Testing

@Suite(.ownThreads) struct WaxTests {
    @Test func aScriptCalledWaxRequiresTheLibrary() throws {
        let script = PatchScript(
            name: "wax.lua",
            bytes: Array(
                """
                assert(type(require 'wax') == 'table' and require 'wax.ext')
                patch.replace('T.f', function(original, x) return original(x) + 1000 end)
                """.utf8))
        let manifest = try Manifest(
            id: "com.example.shop.fix", version: 1, app: "com.example.shop", replaces: ["T.f"],
            scripts: [.init(name: script.name, byteCount: script.bytes.count)])
        let envelope = try EnvelopePacker(scriptKey: TestKeys.script, signingKeys: [TestKeys.signing])
            .pack(manifest, [script])
        let (harness, function) = try Harness.identity()
        try harness.runner.activate(
            harness.runner.load(
                EnvelopeVerifier(trustStore: TestKeys.trust, policy: .unchecked)
                    .verify(envelope, scriptKeys: TestKeys.script)))
        #expect(function(1) == 1001)
    }

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

    /// In Wax, `waxClass` applies to its own file, not to all files until the next `waxClass`.
    @Test func aClassBelongsToItsFile() throws {
        let harness = try Harness()
        let first = try harness.registry.replaceable("A.first") { () -> Int in 0 }
        let second = try harness.registry.replaceable("A.second") { () -> Int in 0 }
        let other = try harness.registry.replaceable("B.other") { () -> Int in 0 }
        try harness.apply(
            """
            require "wax"
            waxClass{"A"}
            function first(self) return 1 end
            require "b"
            function second(self) return 2 end
            """, replaces: ["A.first", "A.second", "B.other"],
            others: ["b.lua": "waxClass{'B'} function other(self) return 3 end"])
        #expect(first() == 1 && second() == 2 && other() == 3, "\(harness.failures)")
    }

    @Test(arguments: [
        "waxClass{'Cart'} function Cart:total(x) return self:ORIGtotal(x) + self:more() end function Cart:more() return 1 end",
        "local C = waxClass{'Cart'} function C.total(self, x) return C:ORIGtotal(x) + 1 end",
        "waxClass{'Cart'} Cart.total = function(self, x) local was = Cart.name return self:ORIGtotal(x) + 1 end",
        "waxClass{'Cart'} local app = Cart.total function total(self, x) return self:ORIGtotal(x) + 1 end",
    ])
    func functionsOfTheClassReplaceIt(_ source: String) throws {
        let harness = try Harness()
        let total = try harness.registry.replaceable("Cart.total") { (x: Int) -> Int in x * 10 }
        try harness.apply(source, replaces: ["Cart.total"])
        #expect(total(4) == 41, "\(harness.failures)")
    }

    @Test func namesThatTheAppLacksAreNoReplacements() throws {
        let harness = try Harness()
        _ = try harness.registry.replaceable("Cart.total") { (x: Int) -> Int in x }
        let error = #expect(throws: PatchError.self) {
            try harness.apply("waxClass{'Cart'}\nfunction totl(self, x) return x end", replaces: ["Cart.total"])
        }
        #expect(error?.message == "the manifest lists Cart.total, which the script does not replace")
    }

    /// To C, a name ends at its first zero byte.
    @Test(arguments: [
        "waxClass{'Cart'} Cart['total\\0x'] = function() return 0 end patch.replace('Cart.tax', print)",
        "waxClass{'Cart'} _ENV['total\\0x'] = function() return 0 end patch.replace('Cart.tax', print)",
        "waxClass{'Cart'} assert(Cart['total\\0x'] == nil) patch.replace('Cart.tax', print)",
    ])
    func aNameThatBeginsWithAFunctionsIsAnother(_ source: String) throws {
        let harness = try Harness()
        let total = try harness.registry.replaceable("Cart.total") { (x: Int) -> Int in x * 10 }
        _ = try harness.registry.replaceable("Cart.tax") { (x: Int) -> Int in x }
        try harness.apply(source, replaces: ["Cart.tax"])
        #expect(total(4) == 40)
    }

    @Test(arguments: [
        ("waxClass{'Cart\\0x'} function total(self) return 0 end", "a class name has no zero byte"),
        ("waxClass{('x'):rep(129)} function total(self) return 0 end", "a class name has at most 128 bytes"),
    ])
    func aClassNameHasNoZeroByteAndIsBounded(source: String, message: String) throws {
        let harness = try Harness()
        _ = try harness.registry.replaceable("Cart.total") { (x: Int) -> Int in x }
        let error = #expect(throws: PatchError.self) { try harness.apply(source, replaces: ["Cart.total"]) }
        #expect(error?.message == message)
    }

    @Test func onlyAnObjectOfTheClassIsSelf() throws {
        let harness = try Harness()
        try harness.registry.expose(Basket.self) { _ in }
        let speak = try harness.registry.replaceable("Zoo.speak") { (_: Basket, n: Int) -> String in "original" }
        try harness.apply(
            "waxClass{'Zoo'} function speak(self, basket, n) return type(self) .. tostring(basket) .. n end",
            replaces: ["Zoo.speak"])
        #expect(speak(Basket(), 1) == "tableBasket1", "\(harness.failures)")
    }
}
