import CFloor
import Foundation
import PatchCrypto
import PatchRunner

/// Calls of a function that is not patched, is patched, and is patched through to its original.
///
/// The floor is the same work in C on the Lua API: a hook that counts fuel, a message handler, the function and its original
/// pushed, the result's type checked. `locked` has the lock around it that a state needs which any thread may call.
enum Calls {
    private static let plainScript = "return function(original, price, quantity) return price + quantity end"
    private static let throughScript = "return function(original, price, quantity) return original(price, quantity) end"

    static func run(_ workshop: Workshop) throws {
        let registry = PatchRegistry()
        let original: @Sendable (Double, Int) -> Double = { floor_original($0, Int64($1)) }
        let function = try registry.replaceable("Bench.f", original)
        let point = try registry.point("Bench.p", ((Double, Int) -> Double).self)
        let runner = try workshop.runner(registry)

        Rounds(
            title: "a call, not patched", count: 1_000_000,
            ways: [
                .init(name: "plain code", against: nil) { keep(plain($0)) },
                .init(name: "PatchPoint", against: "plain code") { keep(chain($0, point)) },
                .init(name: "closure", against: nil) { keep(chain($0, original)) },
                .init(name: "Replaceable", against: "closure") { keep(chain($0, function)) },
            ]
        ).run()
        for (title, script) in [
            ("a patched call", plainScript), ("a patched call, through to the original", throughScript),
        ] {
            guard let floor = floor_open(script) else { continue }
            defer { floor_close(floor) }
            let replacement = "(function() \(script) end)()"
            try runner.install(
                try workshop.envelope(
                    "patch.replace('Bench.f', \(replacement)) patch.replace('Bench.p', \(replacement))",
                    replaces: ["Bench.f", "Bench.p"]), trust: workshop.trust, keys: workshop.scriptKey)
            Rounds(
                title: title, count: 300_000,
                ways: [
                    .init(name: "C", against: nil) { keep(floor_calls(floor, 0, Int64($0))) },
                    .init(name: "C, locked", against: "C") { keep(floor_locked_calls(floor, 0, Int64($0))) },
                    .init(name: "Replaceable", against: "C") { keep(chain($0, function)) },
                    .init(name: "Replaceable ", against: "C, locked") { keep(chain($0, function)) },
                    .init(name: "PatchPoint", against: "C, locked") { keep(chain($0, point)) },
                ]
            ).run()
            runner.removeAll()
        }
    }

    /// A million calls that make tables and strings leave the process as large as it was.
    static func checkMemory(_ workshop: Workshop) throws {
        let registry = PatchRegistry()
        let function = try registry.replaceable("Bench.f") { (x: Int, text: String) -> [Int] in [x] }
        let runner = try workshop.runner(registry)
        try runner.install(
            try workshop.envelope(
                "patch.replace('Bench.f', function(o, x, s) local t = o(x, s .. x) t[2] = #s return t end)",
                replaces: ["Bench.f"]), trust: workshop.trust, keys: workshop.scriptKey)
        for i in 0..<50_000 { keep(function(i, "text")) }
        let before = residentKilobytes()
        for i in 0..<1_000_000 { keep(function(i, "text")) }
        print("\nresident memory: \(before) KB before a million patched calls, \(residentKilobytes()) KB after them")
    }

    private static func residentKilobytes() -> Int {
        var usage = rusage()
        getrusage(0, &usage)  // RUSAGE_SELF, whose type is another one on each system
        return Int(usage.ru_maxrss)  // the most that it ever was: it may not grow
    }

    @inline(never) private static func chain(
        _ count: Int, _ function: Replaceable<@Sendable (Double, Int) -> Double>
    ) -> Double {
        var price = 0.0
        for i in 0..<count { price = function(price, i & 7) }
        return price
    }

    @inline(never) private static func chain(_ count: Int, _ function: @Sendable (Double, Int) -> Double) -> Double {
        var price = 0.0
        for i in 0..<count { price = function(price, i & 7) }
        return price
    }

    @inline(never) private static func chain(_ count: Int, _ point: PatchPoint<(Double, Int) -> Double>) -> Double {
        var price = 0.0
        for i in 0..<count { price = point(price, i & 7) { $0 + Double($1) } }
        return price
    }

    @inline(never) private static func plain(_ count: Int) -> Double {
        var price = 0.0
        for i in 0..<count { price += Double(i & 7) }
        return price
    }
}

/// Keeps the optimizer from dropping a result.
@inline(never) func keep<Value>(_ value: Value) {}
