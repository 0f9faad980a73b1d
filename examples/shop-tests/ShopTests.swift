import Foundation
import PatchDevice
import PatchTesting
import Testing

@testable import shop

/// Shows how an app tests patches against its own closures before they ship.
@Suite struct ShopTests {
    private let host: PatchTestHost
    private let shop: Shop
    private let patches = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "patches").path

    init() throws {
        host = try PatchTestHost(
            app: "com.example.shop", version: "2.3.1", time: Timestamp("2026-11-20T12:00:00Z"))
        shop = try Shop(registry: host.registry)
    }

    @Test func aNegativeLineIsWorthNothing() throws {
        #expect(shop.total(9.5, -2) == -19)
        try host.install(scriptAt: "\(patches)/cart-total.lua")
        #expect(shop.total(9.5, -2) == 0)
        #expect(shop.total(9.5, 2) == 19)
        #expect(host.calls(of: "Cart.total") == 2)
        #expect(host.logs.map(\.text) == ["negative quantity -2"])
        #expect(host.failures.isEmpty)
    }

    /// In shadow, a patch never answers. It would change the negative line, and no other.
    @Test func patchInShadowNegativeLineWouldChangeIt() throws {
        try host.install(scriptAt: "\(patches)/cart-total.lua", inShadow: true)
        #expect(shop.total(9.5, -2) == -19)
        #expect(shop.total(9.5, 2) == 19)
        let comparison = try #require(host.comparison(of: "Cart.total"))
        #expect((comparison.differed, comparison.agreed) == (1, 1))
    }

    @Test func reservePatchZeroQuantityReservesNothing() throws {
        try host.install(scriptAt: "\(patches)/stock-reserve.lua")
        #expect(!shop.reserve(shop.stock, "ink", 0))
        #expect(shop.reserve(shop.stock, "ink", 2))
        #expect(shop.available(shop.stock, "ink") == 1)
    }

    @Test func theGreetingsPatchHasABugOfItsOwn() throws {
        try host.install(scriptAt: "\(patches)/receipt-greeting.lua")
        #expect(shop.greeting("Ada", "Dr.") == "Dear Dr. Ada")
        #expect(shop.greeting("Ada", nil) == "Dear  Ada")
        #expect(host.failures.map(\.failure.line) == [10])
    }

    /// What becomes of a release that crashes the app on its first screen, on a device that is offline meanwhile.
    @Test func aReleaseThatGoesBadIsTakenBack() async throws {
        let device = try DeviceSimulator(app: "com.example.shop", version: "2.3.1") { try Shop(registry: $0) }
        let releases = URL(filePath: patches).deletingLastPathComponent().appending(path: "going-bad").path
        func publish(_ name: String) throws {
            try device.feed.publish(source: try String(contentsOfFile: "\(releases)/\(name).lua", encoding: .utf8))
        }
        try publish("1-lamps-first")
        for _ in 0..<2 {
            try await device.launch(syncing: true)
            device.confirm()
            device.end()
        }
        try publish("2-crash")
        try await device.launch(syncing: true)
        device.confirm()
        device.end()
        device.feed.isOffline = true
        for _ in 0..<2 {
            try await device.launch(syncing: true)
            #expect(device.app?.featured() == 3, "the app would crash: it has three items, from 0")
            device.crash()
        }
        try await device.launch(syncing: true)
        #expect(device.app?.featured() == 2)
        #expect(device.why("com.example.shop.home").map(\.code) == [.banned, .good])
    }

    @Test func aPatchOfThisTestsOwn() async throws {
        try host.install(
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
        #expect(throws: PatchError.self) { try host.install(source: "-- @patch a.b") }
        #expect(throws: PatchError.self) { try host.install(scriptAt: "\(patches)/missing.lua") }
    }
}
