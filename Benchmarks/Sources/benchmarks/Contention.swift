import Foundation
import PatchRunner
import Synchronization

/// Calls of one patch from several threads, and from several tasks. A figure is the time of all calls, divided by their
/// number.
///
/// A patch has an instance (a Lua state) for each processor, and a call runs in each at once. With one instance
/// (`@instances 1`), calls take turns.
enum Contention {
    private static let several = "an instance for each processor"
    private static let one = "one instance"

    static func run(_ workshop: ReleaseFixture) throws -> [Row] {
        try threads(workshop) + waits(workshop) + tasks(workshop) + instances(workshop)
    }

    /// One thread, and two or sixteen that share the calls of one patch, or of two patches.
    private static func threads(_ workshop: ReleaseFixture) throws -> [Row] {
        let registry = PatchRegistry()
        let runner = try ReleaseFixture.runner(registry)
        func patched(_ name: String, instances: Int? = nil) throws -> Replaceable<@Sendable (Double, Int) -> Double> {
            let function = try registry.replaceable(name) { (price: Double, quantity: Int) -> Double in price }
            try install(Calls.plainScript, on: name, instances: instances, runner, workshop)
            return function
        }
        let (first, second) = (try patched("Bench.first"), try patched("Bench.second"))
        let single = try patched("Bench.single", instances: 1)
        // The threads are made before the measurement.
        let (two, sixteen) = (Threads(2), Threads(16))
        typealias Function = Replaceable<@Sendable (Double, Int) -> Double>
        func share(_ count: Int, _ threads: Threads, _ function: Function, _ other: Function? = nil) {
            threads.run { thread in
                keep(Calls.chain(count / threads.count, thread % 2 == 0 ? function : other ?? function))
            }
        }
        let rows = try Rounds(
            work: "patched calls from several threads", count: 1_000_000,
            ways: [
                .init("one thread") { keep(Calls.chain($0, first)) },
                .init("two threads, one patch, \(several)", against: "one thread", target: .ratio(1 / 1.8)) {
                    share($0, two, first)
                },
                .init("two threads, one patch, \(one)", against: "one thread") { share($0, two, single) },
                .init("two threads, two patches", against: "one thread") { share($0, two, first, second) },
                .init("sixteen threads, one patch, \(several)", against: "one thread", target: .ratio(1 / 1.7)) {
                    share($0, sixteen, first)
                },
                .init("sixteen threads, one patch, \(one)", against: "one thread") { share($0, sixteen, single) },
            ]
        ).run()
        try checkAnswers(registry)
        return rows
    }

    /// One task, and two or sixteen that share the calls of one patch of an asynchronous function.
    private static func tasks(_ workshop: ReleaseFixture) throws -> [Row] {
        typealias Function = Replaceable<@Sendable (Double, Int) async -> Double>
        let registry = PatchRegistry()
        let runner = try ReleaseFixture.runner(registry)
        func patched(_ name: String, instances: Int? = nil) throws -> Function {
            let function = try registry.replaceable(name) { (price: Double, quantity: Int) async -> Double in
                price + Double(quantity)
            }
            try install(Calls.throughScript, on: name, instances: instances, runner, workshop)
            return function
        }
        let (function, single) = (try patched("Bench.async"), try patched("Bench.single", instances: 1))
        func share(_ count: Int, _ tasks: Int, _ function: Function) {
            Calls.finish {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<tasks { group.addTask { keep(await Calls.chain(count / tasks, function)) } }
                }
            }
        }
        let rows = try Rounds(
            work: "patched calls of an asynchronous function from several tasks, through to the original",
            count: 50_000,
            ways: [
                .init("one task") { share($0, 1, function) },
                .init("two tasks, one patch, \(several)", against: "one task") { share($0, 2, function) },
                .init("two tasks, one patch, \(one)", against: "one task") { share($0, 2, single) },
                .init("sixteen tasks, one patch, \(several)", against: "one task") { share($0, 16, function) },
                .init("sixteen tasks, one patch, \(one)", against: "one task") { share($0, 16, single) },
            ]
        ).run()
        try checkAnswers(registry)
        return rows
    }

    private static func install(
        _ script: String, on name: String, instances: Int?, _ runner: PatchRunner, _ workshop: ReleaseFixture
    ) throws {
        let envelope = try workshop.envelope(
            "patch.replace('\(name)', (function() \(script) end)())", replaces: [name],
            id: "com.example.\(name.lowercased())", instances: instances)
        try runner.install(envelope, trust: PatchTrust(workshop.trust, scriptKeys: workshop.scriptKey))
    }

    /// Throws `Failure` if the originals have answered more than one call in a thousand. Such calls take another time
    /// than patched calls. On a busy machine some calls give up waiting.
    private static func checkAnswers(_ registry: PatchRegistry) throws {
        func sum(_ name: String) -> Int {
            registry.metrics.filter { $0.name == name }.map { metric in
                if case .counter(let count) = metric.value { count } else { 0 }
            }.reduce(0, +)
        }
        let (calls, fallbacks) = (sum("patchpack_calls"), sum("patchpack_fallbacks"))
        guard fallbacks * 1000 <= calls else {
            throw Failure(message: "the originals have answered \(fallbacks) of \(calls) calls")
        }
    }

    /// The longest call of each round with sixteen threads.
    private static func waits(_ workshop: ReleaseFixture) throws -> [Row] {
        let registry = PatchRegistry()
        let function = try registry.replaceable("Bench.f") { (price: Double, quantity: Int) -> Double in price }
        let runner = try ReleaseFixture.runner(registry)
        try install(Calls.plainScript, on: "Bench.f", instances: nil, runner, workshop)
        let threads = Threads(16)
        let longest = (0..<Rounds.rounds).map { _ in
            let each = Mutex<[Duration]>([])
            threads.run { _ in
                let clock = ContinuousClock()
                var most = Duration.zero
                for quantity in 0..<20_000 { most = max(most, clock.measure { keep(function(9.5, quantity)) }) }
                each.withLock { $0.append(most) }
            }
            return (each.withLock { $0.max() } ?? .zero) / .nanoseconds(1)
        }
        return [
            Row(
                work: "the longest of 320,000 patched calls from sixteen threads", way: "one patch, \(several)",
                unit: .nanoseconds, samples: longest)
        ]
    }

    /// The memory of instances: a patch with one, and with sixteen.
    private static func instances(_ workshop: ReleaseFixture) throws -> [Row] {
        let registry = PatchRegistry()
        let meeting = Mutex((arrived: 0, expected: 1))
        let function = try registry.replaceable("Bench.f") { () -> Int in
            meeting.withLock { $0.arrived += 1 }
            while meeting.withLock({ $0.arrived < $0.expected }) { usleep(100) }
            return 1
        }
        var limits = PatchLimits()
        limits.instances = 16
        let runner = try ReleaseFixture.runner(registry, limits: limits)
        try install("return function(original) return original() end", on: "Bench.f", instances: nil, runner, workshop)
        let threads = Threads(16)
        threads.run { _ in }
        keep(function())
        let one = try Machine.residentKilobytes()
        meeting.withLock { $0 = (0, 16) }
        threads.run { _ in keep(function()) }
        let sixteen = try Machine.residentKilobytes()
        let work = "resident memory of a further instance of a small patch"
        return [Row(work: work, way: "the mean of fifteen", unit: .kilobytes, samples: [(sixteen - one) / 15])]
    }
}
