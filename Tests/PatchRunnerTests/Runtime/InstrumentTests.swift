import Foundation
import PatchCrypto
@testable import PatchRunner
import Synchronization
import TestSupport
import Testing

/// The code that runs around calls that reach a patch.
@Suite(.ownThreads) struct InstrumentTests {
    /// Records where calls begin and end. It calls the body as often as requested.
    private final class Spans: PatchInstrument {
        private let lines = Mutex<[String]>([])
        let times: Int

        init(times: Int = 1) { self.times = times }

        private func write(_ line: String) { lines.locked { $0.append(line) } }

        /// The records since the last call.
        func read() -> [String] {
            lines.locked { lines in
                defer { lines = [] }
                return lines
            }
        }

        func run(_ call: PatchedCall, _ body: () throws -> Void) rethrows {
            write("\(call.function) of \(call.patch)")
            do { for _ in 0..<times { try body() } } catch {
                write("\(call.function) threw \(error)")
                throw error
            }
            write("\(call.function) ended")
        }

        nonisolated(nonsending) func run(
            _ call: PatchedCall, _ body: nonisolated(nonsending) () async throws -> Void
        ) async rethrows {
            write("\(call.function) of \(call.patch)")
            do { for _ in 0..<times { try await body() } } catch {
                write("\(call.function) threw \(error)")
                throw error
            }
            write("\(call.function) ended")
        }
    }

    private struct Fault: Error, CustomStringConvertible { let description = "a fault" }
    private static let patch = "com.example.shop.fix 1"

    private func span(_ function: String, _ patch: String = Self.patch) -> [String] {
        ["\(function) of \(patch)", "\(function) ended"]
    }

    @Test func instrumentEachKindOfFunctionHasSpan() async throws {
        let spans = Spans()
        let harness = try Harness(instrument: spans)
        let registry = harness.registry
        let scalar = try registry.replaceable("T.scalar") { (x: Int) -> Int in x }
        let text = try registry.replaceable("T.text") { (x: String) -> String in x }
        let throwing = try registry.replaceable("T.throwing") { (x: Int) throws -> Int in throw Fault() }
        let waiting = try registry.replaceable("T.waiting") { (x: Int) async -> Int in x }
        let failing = try registry.replaceable("T.failing") { (x: Int) async throws -> Int in throw Fault() }
        let place = try registry.register(PatchPoint<(Int) -> Int>("T.place"))
        _ = (scalar(1), text("x"), await waiting(1))
        #expect(spans.read() == [])
        let patch = try harness.apply(
            """
            patch.replace('T.scalar', function(original, x) return original(x) + 10 end)
            patch.replace('T.text', function(original, x) return original(x) .. '!' end)
            patch.replace('T.throwing', function(original, x) return original(x) end)
            patch.replace('T.waiting', function(original, x) return original(x) + 10 end)
            patch.replace('T.failing', function(original, x) return original(x) end)
            patch.replace('T.place', function(original, x) return original(x) + host.call('T.scalar', x) end)
            """, replaces: ["T.scalar", "T.text", "T.throwing", "T.waiting", "T.failing", "T.place"])
        #expect(scalar(1) == 11)
        #expect(spans.read() == span("T.scalar"))
        #expect(text("x") == "x!")
        #expect(spans.read() == span("T.text"))
        #expect(throws: Fault.self) { try throwing(1) }
        #expect(spans.read() == ["T.throwing of \(Self.patch)", "T.throwing threw a fault"])
        #expect(await waiting(1) == 11)
        #expect(spans.read() == span("T.waiting"))
        await #expect(throws: Fault.self) { try await failing(1) }
        #expect(spans.read() == ["T.failing of \(Self.patch)", "T.failing threw a fault"])
        #expect(place(1) { $0 } == 12)
        #expect(spans.read() == [span("T.place")[0]] + span("T.scalar") + [span("T.place")[1]])
        #expect(harness.failures.isEmpty)
        harness.runner.deactivate(patch.name)
        #expect(scalar(1) == 1 && place(1) { $0 } == 1)
        #expect(await waiting(1) == 1)
        #expect(spans.read() == [])
        #expect(!scalar.slot.isPatched)
    }

    /// Patches below the topmost one are not distinguished, and a patch's `otherwise` runs in the same span.
    @Test func aCallIsOneSpan() async throws {
        let spans = Spans()
        let harness = try Harness(instrument: spans)
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in x }
        let waiting = try harness.registry.replaceable("T.waiting") { (x: Int) async -> Int in x }
        let source = """
            for _, name in ipairs{'T.f', 'T.waiting'} do
              patch.replace(name, function(original, x) return original(x) + 10 end)
            end
            """
        let lower = try harness.apply(source, replaces: ["T.f", "T.waiting"])
        let upper = try harness.apply(
            """
            for _, name in ipairs{'T.f', 'T.waiting'} do
              patch.replace(name, function(original, x) if x < 0 then error('no') end return original(x) + 100 end,
                {otherwise = -1})
            end
            """, id: "com.example.shop.other", version: 2, replaces: ["T.f", "T.waiting"])
        let other = "com.example.shop.other 2"
        #expect(function(1) == 111)
        #expect(spans.read() == span("T.f", other))
        #expect(await waiting(1) == 111)
        #expect(spans.read() == span("T.waiting", other))
        #expect(function(-5) == -1)
        #expect(await waiting(-5) == -1)
        #expect(spans.read() == span("T.f", other) + span("T.waiting", other))
        harness.runner.deactivate(lower.name)
        #expect(function(1) == 101)
        #expect(spans.read() == span("T.f", other))
        _ = try harness.apply(source, version: 2, replaces: ["T.f", "T.waiting"])
        harness.runner.deactivate(upper.name)
        #expect(function(1) == 11)
        #expect(spans.read() == span("T.f", "com.example.shop.fix 2"))
    }

    /// Whatever an instrument does, the function runs once.
    @Test(arguments: [0, 1, 3]) func instrumentAnyNumberOfBodyCallsRunsFunctionOnce(times: Int) async throws {
        let harness = try Harness(instrument: Spans(times: times))
        let calls = Counter()
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in
            calls.add()
            return x
        }
        let waiting = try harness.registry.replaceable("T.waiting") { (x: Int) async throws -> Int in
            calls.add()
            throw Fault()
        }
        try harness.apply(
            """
            patch.replace('T.f', function(original, x) return original(x) + 10 end)
            patch.replace('T.waiting', function(original, x) return original(x) end)
            """, replaces: ["T.f", "T.waiting"])
        #expect(function(1) == 11 && calls.count == 1)
        await #expect(throws: Fault.self) { try await waiting(1) }
        #expect(calls.count == 2)
    }

    /// No call reaches the original while one version replaces another.
    @Test func anUpgradeLetsNoCallThrough() async throws {
        let harness = try Harness(instrument: Spans())
        let originals = Counter()
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Int in
            originals.add()
            return x
        }
        let waiting = try harness.registry.replaceable("T.waiting") { (x: Int) async -> Int in
            originals.add()
            return x
        }
        let source = "for _, name in ipairs{'T.f', 'T.waiting'} do patch.replace(name, function() return 7 end) end"
        try harness.apply(source, replaces: ["T.f", "T.waiting"])
        let versions = isSanitized ? 10 : 40
        let (isOver, calls) = (Counter(), Counter())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    while isOver.count == 0 {
                        #expect(function(1) == 7)
                        calls.add()
                    }
                }
                group.addTask { while isOver.count == 0 { #expect(await waiting(1) == 7) } }
            }
            group.addTask {
                for version in 2...versions {
                    let before = calls.count
                    #expect(throws: Never.self) {
                        try harness.apply(source, version: version, replaces: ["T.f", "T.waiting"])
                    }
                    while calls.count == before { await Task.yield() }
                }
                isOver.add()
            }
        }
        #expect(originals.count == 0)
        #expect(harness.registry.state.allSatisfy { $0.patches.map(\.patch.version) == [versions] })
    }
}
