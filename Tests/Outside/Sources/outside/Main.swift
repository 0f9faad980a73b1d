import Foundation
import PatchFoundation
import PatchRunner
import Synchronization

// Every way to keep a replaceable function, and every form of function, called without a patch and with one. The ways
// are in Generated/, which build.py writes.

struct Item: PatchStruct {
    var name: String
    var price: Double

    static let patchFields = PatchFields(Item.init, .field("name", \.name), .field("price", \.price))
}

struct Coded: Codable, PatchValue {
    var name: String
    var price: Double
}

/// Foundation's values as fields.
struct Order: PatchStruct, Equatable {
    var id: UUID
    var page: URL
    var made: Date
    var note: Data
    var total: Decimal

    static let patchFields = PatchFields(
        Order.init, .field("id", \.id), .field("page", \.page), .field("made", \.made), .field("note", \.note),
        .field("total", \.total))

    static let sample = Order(
        id: UUID(), page: URL(filePath: "/a b"), made: Date(timeIntervalSince1970: 1_800_000_000.5),
        note: Data([0, 255]), total: Decimal(1999) / 100)
}

final class Basket: PatchObject {}

struct Trouble: Error, Equatable {
    var text: String
}

// The amount that an argument adds to a result, so that a lost or swapped argument is noticed.
func weight(_ value: Double) -> Double { value }
func weight(_ value: Int) -> Double { Double(value) * 10 }
func weight(_ value: String) -> Double { Double(value.utf8.count) * 1000 }
func weight(_ value: [Double]?) -> Double { (value ?? []).reduce(0, +) * 10_000 }
func weight(_ value: Item) -> Double { value.price * 100_000 }
func weight(_ value: Basket) -> Double { 1_000_000 }

/// The instructions for the originals, and a record of their calls.
enum World {
    static let fails = Atomic(false)
    static let calls = Atomic(0)
    static let wrong = Atomic(0)

    static func work() { calls.add(1, ordering: .relaxed) }
    static func mayFail() throws(Trouble) { if fails.load(ordering: .relaxed) { throw Trouble(text: "told to") } }
    static func check(_ isRight: Bool, _ what: String) {
        guard !isRight else { return }
        wrong.add(1, ordering: .relaxed)
        print("wrong:", what)
    }

    /// Checks that a call calls its original once, and throws the original's error.
    ///
    /// - Parameters:
    ///   - isThrowing: Whether the original may fail. If so, the call is made again, and it fails.
    ///   - call: Makes the call; whether its result is right.
    static func check(_ what: String, throws isThrowing: Bool, _ call: () async throws -> Bool) async {
        for fails in [false, true] where isThrowing || !fails {
            World.fails.store(fails, ordering: .relaxed)
            let before = calls.load(ordering: .relaxed)
            do {
                let isRight = try await call()
                check(isRight && !fails, what)
            } catch {
                check(fails && error as? Trouble == Trouble(text: "told to"), "\(what): \(error)")
            }
            check(calls.load(ordering: .relaxed) == before + 1, "\(what): calls of the original")
        }
        World.fails.store(false, ordering: .relaxed)
    }
}

/// Counts the calls that reach a patch, if the program is run with the argument `instrumented`.
struct Around: PatchInstrument {
    static let asked = CommandLine.arguments.contains("instrumented") ? Around() : nil
    static let calls = Atomic(0)

    func run(_ call: PatchedCall, _ body: () throws -> Void) rethrows {
        Self.calls.add(1, ordering: .relaxed)
        try body()
    }

    nonisolated(nonsending) func run(
        _ call: PatchedCall, _ body: nonisolated(nonsending) () async throws -> Void
    ) async rethrows {
        Self.calls.add(1, ordering: .relaxed)
        try await body()
    }
}

/// Runs a body on a thread with the least stack. It has no room for a script, nor for much else, such as Foundation's
/// `Thread`.
///
/// - Returns: What the body returns; false if there is no such thread.
func onSmallestThread(_ body: @escaping @Sendable () -> Bool) -> Bool {
    let work = SmallestWork(body)
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, Int(PTHREAD_STACK_MIN))
    var thread = pthread_t()
    let context = Unmanaged.passUnretained(work).toOpaque()
    let status = pthread_create(
        &thread, &attributes,
        { context in
            guard let context else { return nil }
            let work = Unmanaged<SmallestWork>.fromOpaque(context).takeUnretainedValue()
            work.isRight.store(work.body(), ordering: .relaxed)
            return nil
        }, context)
    guard status == 0 else { return false }
    pthread_join(thread, nil)
    return work.isRight.load(ordering: .relaxed)
}

final class SmallestWork: Sendable {
    let body: @Sendable () -> Bool
    let isRight = Atomic(false)

    init(_ body: @escaping @Sendable () -> Bool) { self.body = body }
}

@main
struct Main {
    static func main() async throws {
        let functions = Kept.functions
        let registry = Kept.registry
        try registry.expose(Basket.self) { exposeMethods(&$0) }
        let asked = try registry.replaceable("Methods.sum") { (_: Basket) -> Double in 0 }
        let small = try registry.replaceable("Small.add") { (x: Int) -> Int in x }
        let pay = try registry.replaceable("Orders.pay") { (order: Order, _: UUID?) -> Order in order }
        try await callAll(functions)

        var limits = PatchLimits()
        limits.replacements = 10_000
        limits.callTime = .seconds(20)
        limits.loadTime = .seconds(20)
        let runner = PatchRunner(
            registry: registry, host: try HostInfo(app: "com.example.outside", version: "1"), limits: limits,
            onEvent: { if case .failed = $0.kind { World.check(false, "\($0)") } })
        let own = ["Methods.sum", "Orders.pay", "Small.add"]
        let names = registry.state.map(\.name).filter { !own.contains($0) }
        let others = names.map { "patch.replace('\($0)', function(original, ...) return original(...) end)\n" }.joined()
        let script = """
            \(others)
            patch.replace('Methods.sum', function(original, basket) return \(methodCalls) end)
            patch.replace('Small.add', function(original, x) return x + 1 end)
            patch.replace('Orders.pay', function(_, order, id)
                order.id = id:lower()
                order.total = order.total * 3
                return order
            end)
            """
        let signingKey = try SigningKey.generate(.ed25519)
        let scriptKey = try ScriptKey.generate(.aes128CBCMD5)
        let manifest = try Manifest(
            PatchID(id: "com.example.outside.all", version: 1), app: "com.example.outside", replaces: names + own,
            scripts: [.init(name: "main.lua", byteCount: script.utf8.count)])
        let envelope = try EnvelopePacker(scriptKey: scriptKey, signingKeys: [signingKey])
            .pack(manifest, [PatchScript(name: "main.lua", bytes: Array(script.utf8))])
        try runner.install(
            envelope, trust: PatchTrust(TrustStore(trusting: [signingKey.verifyingKey]), scriptKeys: scriptKey))
        World.check(onSmallestThread { small(1) == 1 }, "a thread with as little stack as there can be")
        World.check(small(1) == 2, "the same function on this thread")
        try await callAll(functions)

        World.check(asked(Basket()) == methodSum, "methods")
        var paid = Order.sample
        paid.id = UUID()
        paid.total = Decimal(5997) / 100
        World.check(pay(Order.sample, paid.id) == paid, "Foundation's values")
        for state in registry.state {
            World.check(state.patches.first.map { $0.calls > 0 && $0.failures == 0 } == true, state.name)
        }
        // The call on the smallest thread was instrumented, and did not enter the patch.
        let patched = registry.state.flatMap(\.patches).map { $0.calls + $0.fallbacks }.reduce(0, +)
        let instrumented = Around.calls.load(ordering: .relaxed)
        World.check(instrumented == (Around.asked == nil ? 0 : patched), "\(instrumented) of \(patched) instrumented")
        let wrong = World.wrong.load(ordering: .relaxed)
        let calls = World.calls.load(ordering: .relaxed)
        print("\(calls) calls of \(names.count) functions, \(instrumented) instrumented, \(wrong) wrong")
        if wrong > 0 { throw Trouble(text: "\(wrong) wrong") }
    }
}
