import PatchCrypto
import PatchRunner
import Testing
import TestSupport

@Suite struct PatchRunnerTests {
    @Test func aPatchAnswersInPlaceOfTheOriginalAndThroughIt() throws {
        let harness = try Harness()
        let total = try harness.registry.replaceable("Cart.total") { (price: Double, quantity: Int) -> Double in
            price * Double(quantity)
        }
        #expect(total(9.5, -2) == -19)
        try harness.apply(
            """
            patch.replace("Cart.total", function(original, price, quantity)
              if quantity < 0 then return 0 end
              return original(price, quantity) + 1
            end)
            """, replaces: ["Cart.total"])
        #expect(total(9.5, -2) == 0)
        #expect(total(9.5, 2) == 20)
        #expect(harness.runner.deactivate("com.example.shop.fix"))
        #expect(total(9.5, -2) == -19)
        #expect(harness.events.map(\.name) == ["loaded", "activated", "deactivated"])
    }
}
