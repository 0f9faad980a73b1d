import Foundation
import PatchCrypto
import PatchRunner
import PatchTesting
import Testing

@testable import shop

/// Shows how an app tests patches against its own closures before they ship.
@Suite struct ShopTests {
    private let bench: PatchBench
    private let shop: Shop
    private let patches = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "patches").path

    init() throws {
        bench = try PatchBench(
            app: "com.example.shop", version: "2.3.1", time: Timestamp("2026-11-20T12:00:00Z"))
        shop = try Shop(registry: bench.registry)
    }

    @Test func aNegativeLineIsWorthNothing() throws {
        #expect(shop.total(9.5, -2) == -19)
        try bench.install(script: "\(patches)/cart-total.lua")
        #expect(shop.total(9.5, -2) == 0)
        #expect(shop.total(9.5, 2) == 19)
        #expect(bench.calls(of: "Cart.total") == 2)
        #expect(bench.logs == ["negative quantity -2"])
        #expect(bench.failures.isEmpty)
    }

    @Test func nothingReservesNothing() throws {
        try bench.install(script: "\(patches)/stock-reserve.lua")
        #expect(!shop.reserve(shop.stock, "ink", 0))
        #expect(shop.reserve(shop.stock, "ink", 2))
        #expect(shop.available(shop.stock, "ink") == 1)
    }

    @Test func theGreetingsPatchHasABugOfItsOwn() throws {
        try bench.install(script: "\(patches)/receipt-greeting.lua")
        #expect(shop.greeting("Ada", "Dr.") == "Dear Dr. Ada")
        #expect(shop.greeting("Ada", nil) == "Dear  Ada")
        #expect(bench.failures.map(\.line) == [10])
    }

    @Test func aPatchOfThisTestsOwn() async throws {
        try bench.install(
            source: """
                -- @patch com.example.shop.free
                -- @version 1
                -- @app com.example.shop
                -- @replaces Payment.charge, Tax.rate
                patch.replace("Payment.charge", function(original, customer, amount)
                  if amount == 0 then return "nothing to pay" end
                  return original(customer, amount)
                end)
                patch.replace("Tax.rate", function(original, country)
                  local ok, rate = pcall(original, country)
                  return ok and rate or 0.21
                end)
                """)
        #expect(try await shop.charge("Ada", 0) == "nothing to pay")
        #expect(try await shop.charge("Ada", 10) == "receipt 1")
        await #expect(throws: ShopError.self) { try await shop.charge("Ada", 1000) }
        #expect(try shop.taxRate("BE") == 0.21)
        #expect(throws: PatchError.self) { try bench.install(source: "-- @patch a.b") }
        #expect(throws: PatchError.self) { try bench.install(script: "\(patches)/missing.lua") }
    }
}
