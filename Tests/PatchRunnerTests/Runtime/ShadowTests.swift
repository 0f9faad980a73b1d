import Dispatch
import Foundation
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
                if name.isEmpty {
                    throw ScriptError(message: "no name", code: 7, patch: PatchID(id: "app", version: 1))
                }
                return "<\(name)>"
            }
            _ = try harness.registry.replaceable("Mail.send") { [effects] (text: String) -> Int in
                effects.add()
                return text.utf8.count
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
            harness.events.compactMap { if case .compared(let all) = $0.kind { all.comparison.example } else { nil } }
        }
    }

    /// Limits with which each call is compared.
    private static var everything: PatchLimits {
        var limits = PatchLimits.patient
        limits.shadowCallsPerSecond = .max
        return limits
    }

    @Test func shadowThatDiffersIsCountedAndDoesNotAnswer() throws {
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

    @Test func shadowThatSendsIsIncomparableAndHasNoEffect() throws {
        let shop = try Shop()
        try shop.shadow(
            "patch.replace('Cart.total', function(original, p, q) pcall(host.call, 'Mail.send', 'x') return original(p, q) end)"
        )
        #expect(shop.total(2, 3) == 6)
        #expect(shop.effects.count == 1)
        #expect(shop.counts().reasons == ["host.call Mail.send": 1])
    }

    private final class Basket: PatchObject {}

    /// The process would end. No promise of the app's is needed.
    @Test func functionsThatTrapAreNotEntered() throws {
        let shop = try Shop()
        _ = try shop.harness.registry.replaceable("T.traps") { (x: Int) -> Int in fatalError("entered") }
        try shop.harness.registry.expose(Basket.self, as: "Basket") { basket in
            basket.method("traps") { (basket: Basket) -> Int in fatalError("entered") }
            basket.method("waits") { (basket: Basket) async -> Int in fatalError("entered") }
        }
        let size = try shop.harness.registry.replaceable("T.size") { (basket: Basket, way: Int) -> Int in 0 }
        try shop.shadow(
            """
            patch.replace('T.size', function(original, basket, way)
                if way == 1 then pcall(host.call, 'T.traps', -1) end
                if way == 2 then pcall(basket.traps, basket) end
                if way == 3 then basket:waits() end
                return original(basket, way)
            end)
            """, replaces: ["T.size"])
        for way in 0...3 { #expect(size(Basket(), way) == 0) }
        let counts = shop.counts("T.size")
        #expect((counts.agreed, counts.incomparable) == (1, 3))
        #expect(counts.reasons == ["host.call T.traps": 1, "Basket:traps": 1, "Basket:waits": 1])
    }

    /// The live patch sends, logs and fails. It is asked only by the app.
    @Test func functionWithALivePatchIsNotEntered() throws {
        let shop = try Shop()
        let price = try shop.harness.registry.replaceable("T.price") { (x: Int) -> Int in x }
        try shop.harness.apply(
            """
            patch.replace('T.price', function(original, x)
                host.call('Mail.send', 'x')
                log.info('asked')
                if x > 0 then error('x') end
                return original(x) - 7
            end)
            """, id: "com.example.shop.live", replaces: ["T.price"])
        try shop.shadow(
            "patch.replace('Cart.total', function(original, p, q) return host.call('T.price', q) end)")
        for quantity in 1...20 { #expect(shop.total(1, quantity) == Double(quantity)) }
        #expect(shop.counts().reasons == ["host.call T.price": 20])
        #expect(shop.effects.count == 20)
        #expect(shop.harness.logged.isEmpty && shop.harness.failures.isEmpty)
        #expect(shop.harness.registry.state.first { $0.name == "T.price" }?.patches.first?.calls == 0)
        #expect(price(-1) == -8)
    }

    /// A caller never waits for a function that a shadow would call.
    @Test func functionsThatTakeLongAreNotEntered() async throws {
        let shop = try Shop()
        let entered = Counter()
        _ = try shop.harness.registry.replaceable("T.slow") { () -> Int in
            entered.add()
            return 0
        }
        _ = try shop.harness.registry.replaceable("T.slower") { () async -> Int in
            entered.add()
            return 0
        }
        let quote = try shop.harness.registry.replaceable("Quote.fetch") { (x: Int) async -> Int in x }
        try shop.shadow(
            """
            patch.replace('Cart.total', function(o, p, q) for i = 1, 1000 do pcall(host.call, 'T.slow') end return o(p, q) end)
            patch.replace('Quote.fetch', function(o, x) pcall(host.call, 'T.slower') return o(x) end)
            """, replaces: ["Cart.total", "Quote.fetch"])
        #expect(shop.total(2, 3) == 6)
        #expect(await quote(5) == 5)
        #expect(entered.count == 0)
        #expect(shop.counts().reasons == ["host.call T.slow": 1])
        #expect(shop.counts("Quote.fetch").reasons == ["host.call T.slower": 1])
    }

    @Test func callersWhileThePatchIsTakenDoNotWait() async throws {
        let shop = try Shop()
        let quote = try shop.harness.registry.replaceable("Quote.fetch") { (x: Int) async -> Int in x }
        let patch = try shop.shadow(
            """
            patch.replace('Cart.total', function(original, p, q) return original(p, q) end)
            patch.replace('Quote.fetch', function(original, x) return original(x) end)
            """, replaces: ["Cart.total", "Quote.fetch"])
        #expect(await quote(0) == 0)  // until the first run is allowed, there is no other
        let (taken, over) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            patch.script.lua.whileLocked {
                taken.signal()
                over.wait()
            }
        }
        await OwnThreads.run { taken.wait() }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    #expect(await quote(number) == number)
                    #expect(shop.total(1, number) == Double(number))
                }
            }
        }
        over.signal()
        #expect(shop.counts().reasons == ["busy": 400])
        #expect(shop.counts("Quote.fetch").reasons == ["busy": 400])
    }

    /// A type whose own code reads it, and counts that.
    private struct Priced: Codable, PatchValue {
        static let read = Counter()
        var price: Double

        init(price: Double) { self.price = price }
        init(from decoder: any Decoder) throws {
            Self.read.add()
            price = try decoder.container(keyedBy: CodingKeys.self).decode(Double.self, forKey: .price)
        }
    }

    @Test func resultOfATypeOfTheAppIsNotRead() throws {
        let shop = try Shop()
        let cheapest = try shop.harness.registry.replaceable("T.cheapest") { (x: Double) -> Priced in Priced(price: x) }
        try shop.shadow(
            "patch.replace('T.cheapest', function(original, x) if x > 1 then return {price = 'much'} end return {price = x} end)",
            replaces: ["T.cheapest"])
        #expect(cheapest(1).price == 1)
        #expect(cheapest(2).price == 2)
        let counts = shop.counts("T.cheapest")
        #expect((counts.agreed, counts.differed, counts.failed) == (1, 1, 0))
        #expect(Priced.read.count == 0)
    }

    @Test func resultOfAnotherBasicTypeIsAFailure() throws {
        let shop = try Shop()
        try shop.shadow("patch.replace('Cart.total', function(original, p, q) return 'anna' end)")
        #expect(shop.total(2, 3) == 6)
        #expect(shop.counts().failed == 1)
        #expect(shop.examples.first?.failure?.message == "wrong result: expected number, got string")
    }

    @Test func originalWithOtherArgumentsIsIncomparable() throws {
        let shop = try Shop()
        try shop.shadow("patch.replace('Cart.total', function(original, p, q) return original(p, q + 1) end)")
        #expect(shop.total(2, 3) == 6)
        #expect(shop.effects.count == 1)
        #expect(shop.counts().reasons == ["original of Cart.total": 1])
    }

    @Test func shadowOfAThrowingFunctionComparesErrors() throws {
        let shop = try Shop()
        try shop.shadow(
            """
            patch.replace('Cart.label', function(original, name)
                if name == 'bad' then return host.throw('bad', 3) end
                return original(name)
            end)
            """, replaces: ["Cart.label"])
        #expect(throws: ScriptError.self) { try shop.label("") }
        #expect(try shop.label("bad") == "<bad>")
        #expect(try shop.label("pen") == "<pen>")
        let counts = shop.counts("Cart.label")
        #expect((counts.agreed, counts.differed, counts.failed) == (2, 1, 0))
        #expect(shop.examples.first?.answer == "string of 5 bytes")
        #expect(shop.examples.first?.result == "error ScriptError 3")
    }

    // MARK: code of the app that runs for a comparison

    /// A result whose encoding asks the app.
    private struct Asking: Codable, Sendable, PatchValue {
        static let ask = Mutex<(@Sendable () -> Void)?>(nil)

        var price: Double

        init(price: Double) { self.price = price }
        init(from decoder: any Decoder) throws { price = try decoder.singleValueContainer().decode(Double.self) }
        func encode(to encoder: any Encoder) throws {
            Self.ask.locked { $0 }?()
            var container = encoder.singleValueContainer()
            try container.encode(price)
        }
    }

    /// An error whose text asks the app.
    private struct AskingError: Error, CustomStringConvertible {
        var description: String {
            Asking.ask.locked { $0 }?()
            return "no"
        }
    }

    /// Functions that it calls have their originals' answers, also within others, and live patches count nothing.
    @Test func codeOfTheAppInAComparisonEntersNoLivePatch() async throws {
        let shop = try Shop(limits: Self.everything.with(\.failures, 2).with(\.shadowTextBytes, 100))
        let registry = shop.harness.registry
        let live = try registry.replaceable("T.live") { (x: Int) -> Int in x }
        let nested = try registry.replaceable("T.nested") { (x: Int) -> Int in live(x) }
        let price = try registry.replaceable("T.price") { () -> Asking in Asking(price: 5) }
        let later = try registry.replaceable("T.later") { () async -> Asking in Asking(price: 5) }
        let fails = try registry.replaceable("T.fails") { () throws -> Int in throw AskingError() }
        try shop.harness.apply(
            "for _, f in ipairs{'T.live', 'T.nested'} do patch.replace(f, function() error('entered') end) end",
            id: "com.example.shop.live", replaces: ["T.live", "T.nested"])
        let answers = Mutex<[Int]>([])
        Asking.ask.locked {
            $0 = {
                let answer = live(7) + nested(70)
                answers.locked { $0.append(answer) }
            }
        }
        defer { Asking.ask.locked { $0 = nil } }
        try shop.shadow(
            """
            patch.replace('T.price', function(original) return original() end)
            patch.replace('T.later', function(original) return original() end)
            patch.replace('T.fails', function(original) tostring(select(2, pcall(original))) return 1 end)
            """, replaces: ["T.price", "T.later", "T.fails"])
        for _ in 0..<5 {
            #expect(price().price == 5)
            #expect(await later().price == 5)
            #expect((try? fails()) == nil)  // to expect the error would ask for its text
        }
        #expect(shop.counts("T.price").agreed == 5)
        #expect(shop.counts("T.later").agreed == 5)
        #expect(shop.counts("T.fails").differed == 5)
        #expect(answers.locked { $0.count } >= 15)
        #expect(answers.locked { Set($0) } == [77])
        let patches = registry.state.filter { ["T.live", "T.nested"].contains($0.name) }.flatMap(\.patches)
        #expect(patches.map(\.calls) == [0, 0] && patches.map(\.failures) == [0, 0])
        #expect(patches.allSatisfy { !$0.isBreakerOpen && $0.fallbacks == 0 })
        // After the comparison, calls meet the patch.
        #expect(live(1) == 1)
        #expect(registry.state.first { $0.name == "T.live" }?.patches.first?.failures == 1)
    }

    private struct Fault: Error { let number: Int }
    private enum Refusal: Error, Equatable { case number(Int) }

    /// An older version may throw one error of several, of one type.
    @Test(arguments: [false, true]) func errorsOfOneTypeAreComparedByContent(isEquatable: Bool) throws {
        let shop = try Shop(limits: Self.everything.with(\.originalCalls, 2))
        let f = try shop.harness.registry.replaceable("T.f") { (x: Int) throws -> Int in
            throw isEquatable ? Refusal.number(x) : Fault(number: x)
        }
        func source(throwing number: Int) -> String {
            """
            patch.replace('T.f', function(original, x)
              local errors = {}
              for i = 1, 2 do errors[i] = select(2, pcall(original, i)) end
              error(errors[\(number)])
            end)
            """
        }
        try shop.harness.apply(source(throwing: 1), version: 1, replaces: ["T.f"])
        let last = "patch.replace('T.f', function(original, x) return original(2) end)"
        try shop.shadow(last, replaces: ["T.f"])
        #expect(throws: (any Error).self) { try f(0) }
        #expect((shop.counts("T.f").agreed, shop.counts("T.f").differed) == (0, 1))
        shop.harness.runner.deactivateAll()
        let again = try Shop(limits: Self.everything.with(\.originalCalls, 2))
        let g = try again.harness.registry.replaceable("T.f") { (x: Int) throws -> Int in
            throw isEquatable ? Refusal.number(x) : Fault(number: x)
        }
        try again.harness.apply(source(throwing: 2), version: 1, replaces: ["T.f"])
        try again.shadow(last, replaces: ["T.f"])
        #expect(throws: (any Error).self) { try g(0) }
        #expect((again.counts("T.f").agreed, again.counts("T.f").differed) == (1, 0))
    }

    private struct Rate: PatchStruct {
        var short: Float
        var long: Double
        var more: [Float?]
        static let patchFields = PatchFields(
            Rate.init, .field("short", \.short), .field("long", \.long), .field("more", \.more))
    }

    /// 0.1 of a script is the `Float` 0.1 for the app, and another number than the one that scripts see for that.
    @Test func floatIsComparedAsFloat() throws {
        let shop = try Shop()
        let registry = shop.harness.registry
        let plain = try registry.replaceable("T.plain") { (x: Float) -> Float in x }
        let list = try registry.replaceable("T.list") { () -> [String: [Float]] in ["a": [0.1, 0.3]] }
        let rate = try registry.replaceable("T.rate") { () -> Rate in Rate(short: 0.1, long: 0.5, more: [0.1]) }
        let long = try registry.replaceable("T.long") { () -> Rate in
            Rate(short: 0.1, long: Double(Float(0.1)), more: [])
        }
        try shop.shadow(
            """
            patch.replace('T.plain', function(original, x) if x > 1 then return x + 0.1 end return original(0.1) and 0.1 end)
            patch.replace('T.list', function() return {a = {0.1, 0.3}} end)
            patch.replace('T.rate', function() return {short = 0.1, long = 0.5, more = {0.1}} end)
            patch.replace('T.long', function() return {short = 0.1, long = 0.1, more = {}} end)
            """, replaces: ["T.plain", "T.list", "T.rate", "T.long"])
        #expect(plain(0.1) == 0.1)
        #expect(plain(2) == 2)
        _ = (list(), rate(), long())
        #expect((shop.counts("T.plain").agreed, shop.counts("T.plain").differed) == (1, 1))
        #expect(shop.counts("T.list").agreed == 1)
        #expect(shop.counts("T.rate").agreed == 1)
        #expect(shop.counts("T.long").differed == 1)
        #expect(shop.examples.contains { $0.answer.hasPrefix("long: ") }, "\(shop.examples)")
    }

    @Test func shadowBesideAnOlderVersionIsComparedWithIt() throws {
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

    @Test func shadowThatFailsTooOftenIsTakenOffAlone() throws {
        let shop = try Shop()
        try shop.shadow("patch.replace('Cart.total', function(original, p, q) error('no') end)")
        for _ in 0..<20 { #expect(shop.total(2, 3) == 6) }
        #expect(shop.counts().failed == shop.harness.runner.limits.failures)
        #expect(shop.harness.failures.isEmpty)
    }

    @Test func sampleThatIsFullTakesCallsAgainAfterASecond() async throws {
        let clock = ManualUptime()
        var limits = PatchLimits.patient
        limits.shadowCallsPerSecond = 3
        let shop = try Shop(limits: limits, uptime: clock.uptime)
        try shop.shadow("patch.replace('Cart.total', function(original, p, q) return original(p, q) end)")
        for _ in 0..<10 { _ = shop.total(2, 3) }
        #expect(shop.counts().agreed == 3)
        #expect(!shop.total.slot.isPatched)
        // One task fills the sample again, and one reports the counts.
        while clock.sleepers < 2 { await Task.yield() }
        clock.advance(by: .seconds(1))
        while !shop.total.slot.isPatched { await Task.yield() }
        for _ in 0..<10 { _ = shop.total(2, 3) }
        #expect(shop.counts().agreed == 6)
        #expect(shop.effects.count == 20)
    }

    @Test func endedShadowReportsItsLastCounts() throws {
        let shop = try Shop()
        try shop.shadow("patch.replace('Cart.total', function(original, p, q) return original(p, q) end)")
        for _ in 0..<5 { _ = shop.total(2, 3) }
        #expect(!shop.harness.runner.endShadows { $0.name == "com.example.shop.fix" }.isEmpty)
        guard case .compared(let compared) = shop.harness.events.last?.kind, compared.function == "Cart.total"
        else {
            Issue.record("no counts")
            return
        }
        #expect(compared.comparison.agreed == 5)
        #expect(!shop.total.slot.isPatched)
    }

    // MARK: beside other patches

    @Test func shadowAboveAnotherPatchHasItsAnswerAsOriginal() throws {
        let shop = try Shop()
        try shop.harness.apply(
            "patch.replace('Cart.total', function(original, p, q) return original(p, q) * 2 end)",
            id: "com.example.shop.a", replaces: ["Cart.total"])
        try shop.shadow("patch.replace('Cart.total', function(original, p, q) return original(p, q) + 1 end)")
        #expect(shop.total(2, 3) == 12)
        #expect(shop.examples.first?.result == "13.0")
        #expect(shop.effects.count == 1)
    }

    @Test func shadowBelowAnotherPatchIsIncomparable() throws {
        let shop = try Shop()
        try shop.harness.apply(
            "patch.replace('Cart.total', function(original, p, q) return original(p, q) * 2 end)",
            id: "com.example.shop.z", replaces: ["Cart.total"])
        try shop.shadow("patch.replace('Cart.total', function(original, p, q) return original(p, q) + 1 end)")
        #expect(shop.total(2, 3) == 12)
        #expect(shop.counts().reasons == ["a patch above it answers": 1])
    }

    /// The older version and a patch below it: `original` is what that patch answers, and not the app's function.
    @Test func shadowBesideAnOlderVersionAboveAnotherPatchHasItsAnswerAsOriginal() throws {
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
    @Test func originalOfAnOlderVersionWithOtherArgumentsIsNotUsed() throws {
        let shop = try Shop()
        try shop.harness.apply(
            "patch.replace('Cart.total', function(original, p, q) return original(p, q + 1) end)", version: 1,
            replaces: ["Cart.total"])
        try shop.shadow("patch.replace('Cart.total', function(original, p, q) return original(p, q) end)")
        #expect(shop.total(2, 3) == 8)
        #expect(shop.counts().reasons == ["original of Cart.total": 1])
    }

    @Test func shadowOfTheActiveVersionIsRefused() throws {
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

    @Test func exampleOfATableShowsTheWayToTheDifference() throws {
        let shop = try Shop()
        let lines = try shop.harness.registry.replaceable("Cart.lines") { () -> [Line] in
            [Line(name: "pen", price: 1), Line(name: "secret", price: 2)]
        }
        try shop.shadow(
            "patch.replace('Cart.lines', function(original) local all = original() all[2].price = 3 return all end)",
            replaces: ["Cart.lines"])
        _ = lines()
        #expect(shop.examples.first?.answer == "[2].price: 2.0")
        #expect(shop.examples.first?.result == "[2].price: 3")
        #expect(!shop.harness.events.contains { $0.jsonLine.contains("secret") })
    }

    @Test func exampleOfADictionaryShowsNoKey() throws {
        let shop = try Shop()
        let all = try shop.harness.registry.replaceable("Cart.all") { () -> [String: Int] in ["alice": 1] }
        try shop.shadow(
            "patch.replace('Cart.all', function(original) return { alice = 2 } end)", replaces: ["Cart.all"])
        _ = all()
        #expect(shop.examples.first?.answer == "[…]: 1")
        #expect(!shop.harness.events.contains { $0.jsonLine.contains("alice") })
    }

    @Test func exampleOfADictionaryByNumbersShowsNoNumber() throws {
        let shop = try Shop()
        let all = try shop.harness.registry.replaceable("Cart.all") { () -> [Int: Int] in [4_917_012_345: 1] }
        try shop.shadow(
            "patch.replace('Cart.all', function(original) return { [4917012345] = 2 } end)", replaces: ["Cart.all"])
        _ = all()
        #expect(shop.examples.first?.answer == "[…]: 1")
        #expect(!shop.harness.events.contains { $0.jsonLine.contains("4917012345") })
    }

    /// The largest answer is compared with one like it.
    @Test func answerAsLargeAsTheLimitIsCompared() throws {
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
    @Test func errorThatPassesIsTheSame() throws {
        let shop = try Shop()
        let fails = try shop.harness.registry.replaceable("T.fails") { () throws -> Int in throw Numbered() }
        try shop.shadow("patch.replace('T.fails', function(original) return original() end)", replaces: ["T.fails"])
        #expect(throws: Numbered.self) { try fails() }
        #expect(shop.counts("T.fails").agreed == 1)
    }

    @Test func exampleWithAllowedTextShowsItsBeginning() throws {
        var limits = Self.everything
        limits.shadowTextBytes = 4
        let shop = try Shop(limits: limits)
        try shop.shadow(
            "patch.replace('Cart.label', function(original, name) return '<b>' .. name end)", replaces: ["Cart.label"])
        _ = try shop.label("pen")
        #expect(shop.examples.first?.answer == "byte 2: \"<pen\"… of 5 bytes")
        #expect(shop.examples.first?.result == "byte 2: \"<b>p\"… of 6 bytes")
    }

    /// What looks alike on a screen is not the same.
    @Test func exampleWithAllowedTextShowsTheFirstDifference() throws {
        var limits = Self.everything
        limits.shadowTextBytes = 16
        let shop = try Shop(limits: limits)
        let all = try shop.harness.registry.replaceable("T.all") { (way: Int) -> [String: String] in
            switch way {
            case 1: ["long": String(repeating: "x", count: 300) + "a end"]
            case 2: ["caf\u{E9}": "1", "space": "1\u{A0}000"]
            default: ["name": "e\u{301}"]
            }
        }
        try shop.shadow(
            """
            patch.replace('T.all', function(original, way)
                if way == 1 then return {long = ('x'):rep(300) .. 'b end'} end
                if way == 2 then return {['caf\u{E9}'] = '1', space = '1 000'} end
                return {name = '\u{E9}\\xFF'}
            end)
            """, replaces: ["T.all"])
        for way in 1...3 { _ = all(way) }
        let examples = shop.examples.map { "\($0.answer) / \($0.result ?? "")" }
        #expect(
            examples == [
                #"["long"]: byte 301: …"xxxxa end" of 305 bytes / ["long"]: byte 301: …"xxxxb end" of 305 bytes"#,
                #"["space"]: byte 2: "1\u{00A0}000" / ["space"]: byte 2: "1 000""#,
                #"["name"]: byte 1: "e\u{0301}" / ["name"]: byte 1: "\xc3\xa9\xff""#,
            ])
    }

    @Test func numbersAreComparedByValue() throws {
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

    @Test func shadowOfAnAsynchronousFunctionIsCompared() async throws {
        let shop = try Shop()
        let quote = try shop.harness.registry.replaceable("Quote.fetch") {
            [effects = shop.effects] (x: Int) async throws -> Int in
            effects.add()
            await Task.yield()
            if x == 3 { throw ScriptError(message: "three", code: 3, patch: PatchID(id: "app", version: 1)) }
            return x * 2
        }
        try shop.shadow(
            """
            patch.replace('Quote.fetch', function(original, x)
                if x == 1 then host.call('Quote.fetch', 1) end
                if x == 2 then return original(x) + 10 end
                if x == 5 then table.sort({1, 2}, function() return original(x) == 0 end) end
                return original(x)
            end)
            """, replaces: ["Quote.fetch"])
        #expect(try await quote(1) == 2)
        #expect(try await quote(2) == 4)
        await #expect(throws: ScriptError.self) { try await quote(3) }
        #expect(try await quote(4) == 8)
        #expect(try await quote(5) == 10)
        let counts = shop.counts("Quote.fetch")
        #expect((counts.agreed, counts.differed, counts.failed, counts.incomparable) == (2, 1, 1, 1))
        #expect(shop.examples.first?.result == "14")
        // As in a live patch, `original` cannot wait there.
        #expect(shop.examples.last?.failure?.line == 4)
        #expect(shop.effects.count == 5)
    }

    @Test func shadowBesideAnOlderAsynchronousVersionIsComparedWithIt() async throws {
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

    @Test func shadowOfACancelledCallDoesNotRun() async throws {
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

    /// Its outcome is that of the cancellation, and says nothing about the patch.
    @Test func cancelledCallsAreNoDifferences() async throws {
        let shop = try Shop()
        let quote = try shop.harness.registry.replaceable("Quote.fetch") { (x: Int) async throws -> Int in
            while !Task.isCancelled { await Task.yield() }
            throw CancellationError()
        }
        try shop.shadow(
            "patch.replace('Quote.fetch', function(original, x) if not pcall(original, x) then error('x') end return 7 end)",
            replaces: ["Quote.fetch"])
        for number in 0..<10 {
            let call = Task { try await quote(number) }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }
        let counts = shop.counts("Quote.fetch")
        #expect((counts.differed, counts.failed, counts.incomparable) == (0, 0, 10))
        #expect(!shop.harness.events.contains { $0.name == "breaker-opened" })
    }

    @Test func shadowOfAPlaceIsComparedWithItsCode() throws {
        let shop = try Shop()
        let place = try shop.harness.registry.register(PatchPoint<(Int) -> Int>("T.place"))
        try shop.shadow(
            "patch.replace('T.place', function(original, x) return original(x) + 1 end)", replaces: ["T.place"])
        #expect(place(2) { $0 * 10 } == 20)
        #expect((shop.examples.first?.answer, shop.examples.first?.result) == ("20", "21"))
    }

    // MARK: text

    private enum Meal: String, PatchDictionaryKey { case lunch, dinner }

    /// The ways in which a script can end with the text `s` of a call, or with what it has made of it.
    private static let leaks = [
        "error(s)", "error('unknown ' .. s)", "error(s, 2)", "error(s, 0)", "error({customer = s})",
        "error({[s] = {s}})",
        "assert(false, s)", "assert(nil, s)", "error(setmetatable({}, {__tostring = function() return s end}))",
        "error(setmetatable({}, {__tostring = function() error(s) end, [1] = s}))", "return named + 1",
        "return named .. 'x'", "return named < named", "return #named < named", "return named()", "return named.x.y",
        "error(named)", "return ('x'):rep(named)", "return ('x'):rep(s)", "return math.floor(s)",
        "return math.floor(named)",
        "return ('%' .. s):format(1)", "return ('%d'):format(s)", "return s:find('[' .. s)",
        "return s:gsub('.', named)",
        "return utf8.codepoint(s, 99)", "return table.concat({s, {}})", "return select(s)",
        "return setmetatable(s, {})",
        "return setmetatable({}, {__gc = s})", "return ({})[s].x",
        "local t = {[s] = function() error(s) end} local r = t[s]() return r", "local t = {[s] = 1} t[s]()",
        "return ({})[s]()", "return _G[s]()",
        "return _G[s].x",
        "return s.x.y", "return s + 1", "return s < 1", "return -s", "return s & 1", "return s()",
        "for i = s, 2 do end",
        "host.call(s)", "host.call(s .. '\\n')", "host.call(named)", "host.call('Cart.total', s)", "host.throw(s)",
        "host.throw({s})", "require(s)", "patch.replace(s, print)", "waxClass{s}",
        "local ok, e = pcall(error, s) error(e)",
        "local ok, e = pcall(original, {s}) error(e)", "original({s})", "original(s .. s)", "log.error(s)", "print(s)",
        "return s .. s", "return {[s] = s}", "return named", "return {named}", "return print",
        "return ('x'):rep(1 << 30)",
        "return s:rep(1 << 16)", "local function f() return f() .. s end return f()", "while true do end", "return nil",
    ]

    /// What a call is about stays at home, however the script fails.
    @Test(arguments: [true, false]) func textOfACallIsInNoEvent(isInShadow: Bool) throws {
        let canary = "Anna_4711"  // a word, which could be a name in a stack
        var limits = Self.everything
        limits.failures = .max
        limits.logBytesPerMinute = 0
        limits.callFuel = 100_000
        for way in Self.leaks {
            let shop = try Shop(limits: limits)
            let registry = shop.harness.registry
            let text = try registry.replaceable("T.text") { (s: String) -> String in s }
            let meal = try registry.replaceable("T.meal") { (s: String) -> Meal in .lunch }
            let all = try registry.replaceable("T.all") { (s: String) throws -> [String: [String]] in [s: [s]] }
            let names = ["T.text", "T.meal", "T.all"]
            let source = names.map { name in
                "patch.replace('\(name)', function(original, s) local named = setmetatable({}, {__name = s}) do \(way) end return s end)"
            }
            .joined(separator: "\n")
            if isInShadow {
                try shop.shadow(source, replaces: names)
            } else {
                try shop.harness.apply(source, replaces: names)
            }
            _ = (text(canary), meal(canary), try? all(canary))
            shop.harness.runner.flushComparisons()
            let seen =
                shop.harness.events.map { $0.jsonLine + $0.description } + [
                    PatchMetric.openMetrics(registry.metrics), "\(registry.state)",
                ]
            for line in seen { #expect(!line.contains(canary), "\(way): \(line)") }
            guard isInShadow else { continue }
            #expect(names.allSatisfy { shop.counts($0).runs == 1 }, "\(way)")
        }
    }

    /// Without a limit, a live patch's failures have the script's words; and the words that are Lua's or the runner's
    /// remain.
    @Test func messagesHaveTheWordsThatAreAllowed() throws {
        func messages(logBytes: Int, _ source: String) throws -> [String] {
            var limits = PatchLimits.patient
            limits.logBytesPerMinute = logBytes
            let shop = try Shop(limits: limits)
            try shop.harness.apply(
                "patch.replace('Cart.total', function(original, p, q)\n\(source) end)", replaces: ["Cart.total"])
            _ = shop.total(2, 3)
            #expect(shop.harness.failures.map(\.line) == [2])
            return shop.harness.failures.map(\.message)
        }
        #expect(try messages(logBytes: 1000, "error('no ' .. p)") == ["no 2.0"])
        #expect(try messages(logBytes: 0, "error('no ' .. p)") == ["an error of the script"])
        #expect(try messages(logBytes: 0, "return missing.field") == ["attempt to index a nil value"])
        #expect(try messages(logBytes: 0, "error('attempt to call ' .. p)") == ["attempt to call"])
        #expect(try messages(logBytes: 0, "while true do end") == ["ended: out of fuel"])
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

    @Test func instrumentSeesARunInShadow() throws {
        let spans = Spans()
        let harness = try Harness(limits: Self.everything, instrument: spans)
        let twice = try harness.registry.replaceable("T.twice") { (x: Int) -> Int in 2 * x }
        try harness.runner.shadow(
            harness.runner.load(
                Harness.verified("patch.replace('T.twice', function(o, x) return x end)", replaces: ["T.twice"])))
        #expect(twice(4) == 8)
        #expect(spans.seen.all.map(\.isShadow) == [true])
    }

    @Test func metricsAndStateHaveTheCounts() throws {
        let shop = try Shop()
        try shop.shadow("patch.replace('Cart.total', function(original, p, q) return original(p, q) + q - 1 end)")
        for quantity in 1...3 { _ = shop.total(2, quantity) }
        let differed = shop.harness.registry.metrics.first { metric in
            metric.name == "patchpack_shadow_calls"
                && metric.labels.contains { $0.name == "outcome" && $0.value == "differed" }
        }
        #expect(differed?.value == .counter(2))
        let state = shop.harness.registry.state.first { $0.name == "Cart.total" }
        #expect(state?.patches.isEmpty == true)
        #expect(state?.shadows.first?.comparison.agreed == 1)
    }

    @Test func reasonsAreBounded() throws {
        let shop = try Shop()
        for number in 0..<30 { _ = try shop.harness.registry.replaceable("T.f\(number)") { () -> Void in } }
        try shop.shadow(
            "patch.replace('Cart.total', function(original, p, q) host.call('T.f' .. q) return original(p, q) end)")
        for quantity in 0..<30 { _ = shop.total(2, quantity) }
        #expect(shop.counts().reasons.count == 17)
        #expect(shop.counts().reasons["other"] == 14)
    }

    /// A call that is made within a patch is not compared, because another call may wait for the patch.
    @Test func callWithinAPatchIsNotCompared() throws {
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

    /// A call that comes late finds the memory of the version that it wanted in use by a patch in shadow, and must not
    /// enter it.
    @Test func lateCallDoesNotEnterTheShadowThatHasTheMemory() throws {
        let shop = try Shop()
        let first = try shop.harness.apply(
            "patch.replace('Cart.total', function() return 1 end)", version: 1, replaces: ["Cart.total"])
        let layer = try #require(first.script.lua.layers.first)
        shop.harness.runner.deactivateAll()
        let second = try shop.shadow("patch.replace('Cart.total', function() return 2 end)")
        try #require(second.script.lua.layers.first?.address == layer.address)
        let late = AsyncCall.Attempt(shop.total.slot, .layer(layer.reference))
        #expect(late.call.map { $0.stack.leave() } == nil)
        #expect(shop.total(2, 3) == 6)
    }
}
