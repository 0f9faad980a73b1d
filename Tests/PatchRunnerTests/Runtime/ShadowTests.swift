import PatchCrypto
@testable import PatchRunner
import Synchronization
import TestSupport
import Testing

/// Patches in shadow: they are compared with the answers that are given, and never answer.
@Suite(.ownThreads) struct ShadowTests {
    /// A registry whose functions have an effect that is counted, and a runner with a patch in shadow.
    private final class Shop: Sendable {
        let harness: Harness
        let total: Replaceable<@Sendable (Double, Int) -> Double>
        let label: Replaceable<@Sendable (String) throws -> String>
        let effects = Counter()

        init(limits: PatchLimits = everything, uptime: Uptime = .system) throws {
            harness = try Harness(limits: limits, uptime: uptime)
            total = try harness.registry.replaceable("Cart.total") {
                [effects] (price: Double, quantity: Int) -> Double in
                effects.add()
                return price * Double(quantity)
            }
            label = try harness.registry.replaceable("Cart.label") { [effects] (name: String) throws -> String in
                effects.add()
                if name.isEmpty { throw PatchedError(message: "no name", code: 7, patch: "app") }
                return "<\(name)>"
            }
            _ = try harness.registry.replaceable("Mail.send") { [effects] (text: String) -> Int in
                effects.add()
                return text.utf8.count
            }
            _ = try harness.registry.replaceable("Tax.rate", effects: .pure) { (country: String) -> Double in
                country == "DE" ? 0.19 : 0.2
            }
        }

        @discardableResult
        func shadow(_ source: String, version: Int = 2, replaces: [String] = ["Cart.total"]) throws -> LoadedPatch {
            let patch = try harness.runner.load(
                Harness.verified(source, version: version, replaces: replaces))
            try harness.runner.shadow(patch)
            return patch
        }

        /// The counts since the shadow of a function began.
        func counts(_ function: String = "Cart.total") -> RunnerEvent.Comparison {
            harness.registry.names.slot(function)?.shadows.first?.total ?? RunnerEvent.Comparison()
        }

        var examples: [RunnerEvent.Example] {
            harness.events.compactMap { if case .compared(_, _, let all) = $0 { all.example } else { nil } }
        }
    }

    /// Limits with which each call is compared.
    private static var everything: PatchLimits {
        var limits = PatchLimits.patient
        limits.shadowCalls = .max
        return limits
    }

    @Test func shadow_thatDiffers_isCountedAndDoesNotAnswer() throws {
        let shop = try Shop()
        try shop.shadow(
            "patch.replace('Cart.total', function(original, p, q) return original(p, q) + (q > 2 and 1 or 0) end)")
        for quantity in 1...4 { #expect(shop.total(2, quantity) == 2 * Double(quantity)) }
        let counts = shop.counts()
        #expect((counts.agreed, counts.differed, counts.failed, counts.incomparable) == (2, 2, 0, 0))
        #expect(shop.effects.count == 4)
        let example = try #require(shop.examples.first)
        #expect((example.answer, example.result) == ("6.0", "7.0"))
        #expect(example.place?.script == "main.lua" && example.place?.line == 1)
    }

    @Test func shadow_thatSends_isIncomparableAndHasNoEffect() throws {
        let shop = try Shop()
        try shop.shadow(
            "patch.replace('Cart.total', function(original, p, q) pcall(host.call, 'Mail.send', 'x') return original(p, q) end)"
        )
        #expect(shop.total(2, 3) == 6)
        #expect(shop.effects.count == 1)
        #expect(shop.counts().reasons == ["host.call Mail.send": 1])
    }

    @Test func shadow_thatCallsAPureFunction_isCompared() throws {
        let shop = try Shop()
        try shop.shadow(
            "patch.replace('Cart.total', function(original, p, q) return original(p, q) * (1 + host.call('Tax.rate', 'DE')) end)"
        )
        #expect(shop.total(100, 1) == 100)
        #expect(shop.counts().differed == 1)
        #expect(shop.examples.first?.result == "119.0")
    }

    @Test func original_withOtherArguments_isIncomparable() throws {
        let shop = try Shop()
        try shop.shadow("patch.replace('Cart.total', function(original, p, q) return original(p, q + 1) end)")
        #expect(shop.total(2, 3) == 6)
        #expect(shop.effects.count == 1)
        #expect(shop.counts().reasons == ["original of Cart.total": 1])
    }

    @Test func shadow_ofAThrowingFunction_comparesErrors() throws {
        let shop = try Shop()
        try shop.shadow(
            """
            patch.replace('Cart.label', function(original, name)
                if name == 'bad' then return host.throw('bad', 3) end
                return original(name)
            end)
            """, replaces: ["Cart.label"])
        #expect(throws: PatchedError.self) { try shop.label("") }
        #expect(try shop.label("bad") == "<bad>")
        #expect(try shop.label("pen") == "<pen>")
        let counts = shop.counts("Cart.label")
        #expect((counts.agreed, counts.differed, counts.failed) == (2, 1, 0))
        #expect(shop.examples.first?.answer == "string of 5 bytes")
        #expect(shop.examples.first?.result == "error PatchedError 3")
    }

    @Test func shadow_besideAnOlderVersion_isComparedWithIt() throws {
        let shop = try Shop()
        try shop.harness.apply(
            "patch.replace('Cart.total', function(original, p, q) return original(p, q) * 2 end)", version: 1,
            replaces: ["Cart.total"])
        try shop.shadow("patch.replace('Cart.total', function(original, p, q) return original(p, q) * 3 end)")
        #expect(shop.total(2, 3) == 12)
        #expect(shop.effects.count == 1)
        #expect(shop.examples.first?.result == "18.0")
        try shop.harness.apply(
            "patch.replace('Cart.total', function(original, p, q) return original(p, q) * 3 end)", version: 2,
            replaces: ["Cart.total"])
        #expect(shop.harness.runner.shadows.isEmpty)
        #expect(shop.total(2, 3) == 18)
    }

    @Test func shadow_thatFailsTooOften_isTakenOffAlone() throws {
        let shop = try Shop()
        try shop.shadow("patch.replace('Cart.total', function(original, p, q) error('no') end)")
        for _ in 0..<20 { #expect(shop.total(2, 3) == 6) }
        #expect(shop.counts().failed == shop.harness.runner.limits.failures)
        #expect(shop.harness.failures.isEmpty)
    }

    @Test func sample_thatIsFull_takesCallsAgainAfterASecond() async throws {
        let clock = ManualUptime()
        var limits = PatchLimits.patient
        limits.shadowCalls = 3
        let shop = try Shop(limits: limits, uptime: clock.uptime)
        try shop.shadow("patch.replace('Cart.total', function(original, p, q) return original(p, q) end)")
        for _ in 0..<10 { _ = shop.total(2, 3) }
        #expect(shop.counts().agreed == 3)
        #expect(!shop.total.slot.isPatched)
        while clock.sleepers < 2 { await Task.yield() }
        clock.advance(by: .seconds(1))
        while !shop.total.slot.isPatched { await Task.yield() }
        for _ in 0..<10 { _ = shop.total(2, 3) }
        #expect(shop.counts().agreed == 6)
        #expect(shop.effects.count == 20)
    }

    @Test func endedShadow_reportsItsLastCounts() throws {
        let shop = try Shop()
        try shop.shadow("patch.replace('Cart.total', function(original, p, q) return original(p, q) end)")
        for _ in 0..<5 { _ = shop.total(2, 3) }
        #expect(shop.harness.runner.endShadow("com.example.shop.fix"))
        guard case .compared(_, "Cart.total", let counts) = shop.harness.events.last else {
            Issue.record("no counts")
            return
        }
        #expect(counts.agreed == 5)
        #expect(!shop.total.slot.isPatched)
    }

    // MARK: beside other patches

    @Test func shadow_aboveAnotherPatch_hasItsAnswerAsOriginal() throws {
        let shop = try Shop()
        try shop.harness.apply(
            "patch.replace('Cart.total', function(original, p, q) return original(p, q) * 2 end)",
            id: "com.example.shop.a", replaces: ["Cart.total"])
        try shop.shadow("patch.replace('Cart.total', function(original, p, q) return original(p, q) + 1 end)")
        #expect(shop.total(2, 3) == 12)
        #expect(shop.examples.first?.result == "13.0")
        #expect(shop.effects.count == 1)
    }

    @Test func shadow_belowAnotherPatch_isIncomparable() throws {
        let shop = try Shop()
        try shop.harness.apply(
            "patch.replace('Cart.total', function(original, p, q) return original(p, q) * 2 end)",
            id: "com.example.shop.z", replaces: ["Cart.total"])
        try shop.shadow("patch.replace('Cart.total', function(original, p, q) return original(p, q) + 1 end)")
        #expect(shop.total(2, 3) == 12)
        #expect(shop.counts().reasons == ["a patch above it answers": 1])
    }

    /// The older version and a patch below it: `original` is what that patch answers, and not the app's function.
    @Test func shadow_besideAnOlderVersionAboveAnotherPatch_hasItsAnswerAsOriginal() throws {
        let shop = try Shop()
        for (id, factor) in [("com.example.shop.a", 2), ("com.example.shop.fix", 5)] {
            try shop.harness.apply(
                "patch.replace('Cart.total', function(original, p, q) return original(p, q) * \(factor) end)", id: id,
                replaces: ["Cart.total"])
        }
        try shop.shadow("patch.replace('Cart.total', function(original, p, q) return original(p, q) * 7 end)")
        #expect(shop.total(1, 3) == 30)
        #expect(shop.examples.first?.result == "42.0")
        #expect(shop.effects.count == 1)
    }

    /// An older version that calls its original with other arguments says nothing about `original` with these.
    @Test func original_ofAnOlderVersionWithOtherArguments_isNotUsed() throws {
        let shop = try Shop()
        try shop.harness.apply(
            "patch.replace('Cart.total', function(original, p, q) return original(p, q + 1) end)", version: 1,
            replaces: ["Cart.total"])
        try shop.shadow("patch.replace('Cart.total', function(original, p, q) return original(p, q) end)")
        #expect(shop.total(2, 3) == 8)
        #expect(shop.counts().reasons == ["original of Cart.total": 1])
    }

    @Test func shadow_ofTheActiveVersion_isRefused() throws {
        let shop = try Shop()
        let source = "patch.replace('Cart.total', function(original, p, q) return original(p, q) end)"
        try shop.harness.apply(source, version: 2, replaces: ["Cart.total"])
        #expect(throws: PatchError.self) { try shop.shadow(source, version: 2) }
        #expect(shop.harness.runner.shadows.isEmpty)
    }

    // MARK: values

    private struct Line: PatchStruct {
        var name: String
        var price: Double
        static let patchFields = PatchFields(Line.init, .field("name", \.name), .field("price", \.price))
    }

    @Test func example_ofATable_showsTheWayToTheDifference() throws {
        let shop = try Shop()
        let lines = try shop.harness.registry.replaceable("Cart.lines") { () -> [Line] in
            [Line(name: "pen", price: 1), Line(name: "secret", price: 2)]
        }
        try shop.shadow(
            "patch.replace('Cart.lines', function(original) local all = original() all[2].price = 3 return all end)",
            replaces: ["Cart.lines"])
        _ = lines()
        #expect(shop.examples.first?.answer == "[2].price: 2.0")
        #expect(shop.examples.first?.result == "[2].price: 3.0")
        #expect(!shop.harness.events.contains { $0.jsonLine.contains("secret") })
    }

    @Test func example_ofADictionary_showsNoKey() throws {
        let shop = try Shop()
        let all = try shop.harness.registry.replaceable("Cart.all") { () -> [String: Int] in ["alice": 1] }
        try shop.shadow(
            "patch.replace('Cart.all', function(original) return { alice = 2 } end)", replaces: ["Cart.all"])
        _ = all()
        #expect(shop.examples.first?.answer == "[…]: 1")
        #expect(!shop.harness.events.contains { $0.jsonLine.contains("alice") })
    }

    @Test func example_ofADictionaryByNumbers_showsNoNumber() throws {
        let shop = try Shop()
        let all = try shop.harness.registry.replaceable("Cart.all") { () -> [Int: Int] in [4_917_012_345: 1] }
        try shop.shadow(
            "patch.replace('Cart.all', function(original) return { [4917012345] = 2 } end)", replaces: ["Cart.all"])
        _ = all()
        #expect(shop.examples.first?.answer == "[…]: 1")
    }

    /// The largest answer is compared with one like it.
    @Test func answer_asLargeAsTheLimit_isCompared() throws {
        let shop = try Shop()
        let most = shop.harness.runner.limits.tableElements
        let all = try shop.harness.registry.replaceable("T.all") { () -> [Int] in Array(1...most) }
        try shop.shadow("patch.replace('T.all', function(original) return original() end)", replaces: ["T.all"])
        _ = all()
        #expect(shop.counts("T.all").agreed == 1)
    }

    private struct Numbered: Error, CustomStringConvertible {
        static let descriptions = Counter()
        var description: String {
            Self.descriptions.add()
            return "error \(Self.descriptions.count)"
        }
    }

    /// An error that the script lets pass is the one that the call has thrown, whatever it calls itself.
    @Test func error_thatPasses_isTheSame() throws {
        let shop = try Shop()
        let fails = try shop.harness.registry.replaceable("T.fails") { () throws -> Int in throw Numbered() }
        try shop.shadow("patch.replace('T.fails', function(original) return original() end)", replaces: ["T.fails"])
        #expect(throws: Numbered.self) { try fails() }
        #expect(shop.counts("T.fails").agreed == 1)
    }

    @Test func example_withAllowedText_showsItsBeginning() throws {
        var limits = Self.everything
        limits.shadowTextBytes = 4
        let shop = try Shop(limits: limits)
        try shop.shadow(
            "patch.replace('Cart.label', function(original, name) return '<b>' .. name end)", replaces: ["Cart.label"])
        _ = try shop.label("pen")
        #expect(shop.examples.first?.answer == "\"<pen\"… of 5 bytes")
        #expect(shop.examples.first?.result == "\"<b>p\"… of 6 bytes")
    }

    @Test func numbers_areComparedByValue() throws {
        let shop = try Shop()
        let number = try shop.harness.registry.replaceable("T.number") { (x: Double) -> Double in x }
        try shop.shadow(
            """
            patch.replace('T.number', function(original, x)
                if x ~= x then return x end
                return x == 2 and 2 or original(x)
            end)
            """, replaces: ["T.number"])
        for x in [.nan, 2, -0.0, .infinity, 0.1] { _ = number(x) }
        #expect(shop.counts("T.number").agreed == 5)
    }

    // MARK: asynchronous functions and places

    @Test func shadow_ofAnAsynchronousFunction_isCompared() async throws {
        let shop = try Shop()
        let quote = try shop.harness.registry.replaceable("Quote.fetch") {
            [effects = shop.effects] (x: Int) async throws -> Int in
            effects.add()
            await Task.yield()
            if x == 3 { throw PatchedError(message: "three", code: 3, patch: "app") }
            return x * 2
        }
        _ = try shop.harness.registry.replaceable("Quote.rate", effects: .pure) { () async -> Int in
            await Task.yield()
            return 10
        }
        try shop.shadow(
            """
            patch.replace('Quote.fetch', function(original, x)
                if x == 1 then host.call('Quote.fetch', 1) end
                if x == 2 then return original(x) + host.call('Quote.rate') end
                return original(x)
            end)
            """, replaces: ["Quote.fetch"])
        #expect(try await quote(1) == 2)
        #expect(try await quote(2) == 4)
        await #expect(throws: PatchedError.self) { try await quote(3) }
        #expect(try await quote(4) == 8)
        let counts = shop.counts("Quote.fetch")
        #expect((counts.agreed, counts.differed, counts.failed, counts.incomparable) == (2, 1, 0, 1))
        #expect(shop.examples.first?.result == "14")
        #expect(shop.effects.count == 4)
    }

    @Test func shadow_besideAnOlderAsynchronousVersion_isComparedWithIt() async throws {
        let shop = try Shop()
        let quote = try shop.harness.registry.replaceable("Quote.fetch") {
            [effects = shop.effects] (x: Int) async -> Int in
            effects.add()
            await Task.yield()
            return x
        }
        try shop.harness.apply(
            "patch.replace('Quote.fetch', function(original, x) return original(x) * 2 end)", version: 1,
            replaces: ["Quote.fetch"])
        try shop.shadow(
            "patch.replace('Quote.fetch', function(original, x) return original(x) * 3 end)", replaces: ["Quote.fetch"])
        #expect(await quote(5) == 10)
        #expect(shop.examples.first?.result == "15")
        #expect(shop.effects.count == 1)
    }

    @Test func shadow_ofACancelledCall_doesNotRun() async throws {
        let shop = try Shop()
        let quote = try shop.harness.registry.replaceable("Quote.fetch") { (x: Int) async -> Int in
            while !Task.isCancelled { await Task.yield() }
            return x
        }
        try shop.shadow(
            "patch.replace('Quote.fetch', function(original, x) return original(x) end)", replaces: ["Quote.fetch"])
        let call = Task { await quote(1) }
        call.cancel()
        #expect(await call.value == 1)
        #expect(shop.counts("Quote.fetch").reasons == ["cancelled": 1])
    }

    @Test func shadow_ofAPlace_isComparedWithItsCode() throws {
        let shop = try Shop()
        let place = try shop.harness.registry.register(PatchPoint<(Int) -> Int>("T.place"))
        try shop.shadow(
            "patch.replace('T.place', function(original, x) return original(x) + 1 end)", replaces: ["T.place"])
        #expect(place(2) { $0 * 10 } == 20)
        #expect((shop.examples.first?.answer, shop.examples.first?.result) == ("20", "21"))
    }

    // MARK: what is seen

    private struct Spans: PatchInstrument {
        let seen = Seen()

        final class Seen: Sendable {
            private let calls = Mutex<[PatchedCall]>([])
            func add(_ call: PatchedCall) { calls.locked { $0.append(call) } }
            var all: [PatchedCall] { calls.locked { $0 } }
        }

        func run(_ call: PatchedCall, _ body: () throws -> Void) rethrows {
            seen.add(call)
            try body()
        }

        nonisolated(nonsending) func run(
            _ call: PatchedCall, _ body: nonisolated(nonsending) () async throws -> Void
        ) async rethrows {
            seen.add(call)
            try await body()
        }
    }

    @Test func instrument_seesARunInShadow() throws {
        let spans = Spans()
        let harness = try Harness(limits: Self.everything, instrument: spans)
        let twice = try harness.registry.replaceable("T.twice") { (x: Int) -> Int in 2 * x }
        try harness.runner.shadow(
            harness.runner.load(
                Harness.verified("patch.replace('T.twice', function(o, x) return x end)", replaces: ["T.twice"])))
        #expect(twice(4) == 8)
        #expect(spans.seen.all.map(\.isShadow) == [true])
    }

    @Test func metricsAndState_haveTheCounts() throws {
        let shop = try Shop()
        try shop.shadow("patch.replace('Cart.total', function(original, p, q) return original(p, q) + q - 1 end)")
        for quantity in 1...3 { _ = shop.total(2, quantity) }
        let differed = shop.harness.registry.metrics.first { metric in
            metric.name == "patchpack_shadow_calls" && metric.labels.contains { $0 == ("outcome", "differed") }
        }
        #expect(differed?.value == .counter(2))
        let state = shop.harness.registry.state.first { $0.name == "Cart.total" }
        #expect(state?.patches.isEmpty == true)
        #expect(state?.shadows.first?.comparison.agreed == 1)
    }

    @Test func reasons_areBounded() throws {
        let shop = try Shop()
        for number in 0..<30 { _ = try shop.harness.registry.replaceable("T.f\(number)") { () -> Void in } }
        try shop.shadow(
            "patch.replace('Cart.total', function(original, p, q) host.call('T.f' .. q) return original(p, q) end)")
        for quantity in 0..<30 { _ = shop.total(2, quantity) }
        #expect(shop.counts().reasons.count == 17)
        #expect(shop.counts().reasons["other"] == 14)
    }

    /// A call that is made within a patch is not compared, because another call may wait for the patch.
    @Test func callWithinAPatch_isNotCompared() throws {
        let shop = try Shop()
        let outer = try shop.harness.registry.replaceable("T.calls") { () -> Double in 0 }
        try shop.harness.apply(
            "patch.replace('T.calls', function() return host.call('Cart.total', 2, 3) end)", id: "com.example.shop.a",
            replaces: ["T.calls"])
        try shop.shadow("patch.replace('Cart.total', function(original, p, q) return 0 end)")
        #expect(outer() == 6)
        #expect(shop.counts().runs == 0)
        #expect(shop.total(2, 3) == 6)
        #expect(shop.counts().differed == 1)
    }

    /// A call that comes late finds the memory of the version that it wanted in use by a patch in shadow, and must not enter it.
    @Test func lateCall_doesNotEnterTheShadowThatHasTheMemory() throws {
        let shop = try Shop()
        let first = try shop.harness.apply(
            "patch.replace('Cart.total', function() return 1 end)", version: 1, replaces: ["Cart.total"])
        let layer = try #require(first.script.lua.layers.first)
        shop.harness.runner.deactivateAll()
        let second = try shop.shadow("patch.replace('Cart.total', function() return 2 end)")
        try #require(second.script.lua.layers.first?.address == layer.address)
        let late = AsyncCall.Entry(shop.total.slot, .layer(layer.address))
        #expect(late.call.map { $0.stack.leave() } == nil)
        #expect(shop.total(2, 3) == 6)
    }
}
