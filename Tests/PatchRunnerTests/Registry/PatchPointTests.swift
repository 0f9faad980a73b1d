import PatchCrypto
import PatchRunner
import TestSupport
import Testing

/// Places that are declared before there is a registry, and asynchronous ones. The macros' code uses both.
@Suite(.ownThreads, .serialized) struct PatchPointTests {
    private static let total = PatchPoint<(Double, Int) -> Double>("P.total", parameters: ["price", "quantity"])
    private static let fetch: PatchPoint<nonisolated(nonsending) (Int) async throws -> Int> = PatchPoint("P.fetch")

    private func total(_ price: Double, _ quantity: Int) -> Double {
        Self.total(price, quantity) { $0 * Double($1) }
    }

    @Test func aPlaceIsRegisteredLater() throws {
        #expect(total(2, 3) == 6)
        for more in 1...2 {
            // The registry of the previous round no longer exists.
            let harness = try Harness()
            try harness.registry.register(Self.total)
            #expect(total(2, 3) == 6)
            try harness.apply(
                "patch.replace('P.total', function(original, price, quantity) return original(price, quantity) + \(more) end)",
                replaces: ["P.total"])
            #expect(total(2, 3) == 6 + Double(more))
            let elsewhere = #expect(throws: PatchError.self) { try PatchRegistry().register(Self.total) }
            #expect(elsewhere?.message == "P.total is registered with another registry, which is still in use")
            let twice = #expect(throws: PatchError.self) { try harness.registry.register(Self.total) }
            #expect(twice?.message == "P.total is already registered")
        }
        #expect(total(2, 3) == 6)
    }

    @Test func placesAreRegisteredAllOrNone() throws {
        let registry = PatchRegistry()
        _ = try registry.replaceable("P.total") { (x: Int) -> Int in x }
        #expect(throws: PatchError.self) { try registry.register(Self.fetch, Self.total) }
        #expect(registry.state.map(\.name) == ["P.total"])
        let other = PatchRegistry()
        try other.register(Self.total)
        #expect(throws: PatchError.self) { try PatchRegistry().register(Self.fetch, Self.total) }
        #expect(throws: PatchError.self) { try PatchRegistry().register(Self.fetch, Self.fetch) }
        // The failed registrations have not taken it.
        try other.register(Self.fetch)
        #expect(other.state.map(\.name) == ["P.fetch", "P.total"])
    }

    @Test func registeredPlacesAreReturnedInTheirOrder() throws {
        let registry = PatchRegistry()
        let (first, second) = try registry.register(
            PatchPoint<(Int) -> Int>("P.second"), PatchPoint<() throws -> Void>("P.first"))
        #expect([first.name, second.name] == ["P.second", "P.first"])
        #expect(first(1) { $0 } == 1)
        #expect(registry.state.map(\.name) == ["P.first", "P.second"])
    }

    @Test func theInterfaceHasTheParametersNames() throws {
        let registry = PatchRegistry()
        try registry.register(Self.total)
        let host = try HostInfo(app: "com.example.shop", version: "1")
        let function = try #require(registry.interface(of: host).function("P.total"))
        #expect(function.signature.parameterNames == ["price", "quantity"])
        #expect(
            registry.interface(of: host).json.contains(
                #"{"name":"P.total","arguments":["number","integer"],"parameters":["price","quantity"],"result":"number""#
            ))
    }

    @Test func anAsynchronousPlaceRunsWhereTheCodeAroundItRuns() async throws {
        let harness = try Harness()
        try harness.registry.register(Self.fetch)
        let other = try harness.registry.replaceable("P.other") { (x: Int) async -> Int in x }
        let counter = Counting()
        #expect(try await counter.next(1) == 1)
        try harness.apply(
            """
            patch.replace("P.fetch", function(original, x) return original(x) * 10 end)
            patch.replace("P.other", function(original, x) return host.call("P.fetch", x) end)
            """, replaces: ["P.fetch", "P.other"])
        #expect(try await counter.next(1) == 20)
        await #expect(throws: Trouble(text: "none")) { try await counter.next(0) }
        #expect(harness.failures.isEmpty)
        #expect(await other(5) == 5)
        #expect(
            harness.failures.map(\.message) == [
                "P.fetch can be called only by the host: its original is code at the host's call site"
            ])
    }

    /// An actor whose state the original of a place uses.
    private actor Counting {
        private var count = 0

        func next(_ step: Int) async throws -> Int {
            try await PatchPointTests.fetch(step) { step in
                if step == 0 { throw Trouble(text: "none") }
                await Task.yield()
                count += step
                return count
            }
        }
    }
}
