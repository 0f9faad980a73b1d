import PatchCrypto
import PatchRunner
import Synchronization
import Testing
import TestSupport

@Suite(.ownThreads) struct PatchRunnerTests {
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

    /// A report would count it as a device that runs nothing.
    @Test func theEndOfARunnerIsNoEvent() throws {
        let registry = PatchRegistry()
        let function = try registry.replaceable("T.f") { (x: Int) -> Int in x }
        let events = Mutex<[String]>([])
        do {
            let runner = PatchRunner(
                registry: registry, host: try HostInfo(app: "com.example.shop", version: "2.3.1"),
                onEvent: { event in events.locked { $0.append(event.name) } })
            let script = "patch.replace('T.f', function(original, x) return x + 1 end)"
            try runner.activate(try runner.load(try Harness.verified(script, version: 1, replaces: ["T.f"])))
            #expect(function(1) == 2)
        }
        #expect(function(1) == 1)
        #expect(events.locked { $0 } == ["loaded", "activated"])
    }
}
