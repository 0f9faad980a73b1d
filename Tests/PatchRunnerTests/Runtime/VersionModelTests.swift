import Foundation
import PatchCrypto
@testable import PatchRunner
import Synchronization
import TestSupport
import Testing

/// Each answer says which version gave it, and is compared with the versions that were meant while the call was made.
@Suite(.ownThreads) struct VersionModelTests {
    /// A bit for each answer: the original's, that of each version, and that of each version's `otherwise`.
    private struct Answers: OptionSet {
        let rawValue: UInt64

        static let original = Answers(of: 0)

        init(rawValue: UInt64) { self.rawValue = rawValue }
        init(of answer: Int) { rawValue = answer < 64 ? 1 << UInt64(answer) : 0 }

        static func code(_ id: Int, _ version: Int) -> Int { 1 + 10 * id + version }
        static func otherwise(_ id: Int, _ version: Int) -> Int { 30 + code(id, version) }
        /// What a version may answer; a version that is closed has only its `otherwise`.
        init(_ id: Int, _ version: Int, isClosed: Bool = false) {
            self = Answers(of: Self.otherwise(id, version))
            if !isClosed { formUnion(Answers(of: Self.code(id, version))) }
        }
    }

    /// The versions that are meant.
    private struct Model {
        var active: [Int?] = [nil, nil], closed: [Int?] = [nil, nil]

        var answers: Answers {
            for id in [1, 0] {
                if let closed = closed[id] { return Answers(id, closed, isClosed: true) }
                if let active = active[id] { return Answers(id, active) }
            }
            return .original
        }
    }

    /// Two patches with three versions each, of one function for threads and one for tasks.
    private final class Bench: Sendable {
        let harness: Harness
        let function: Replaceable<@Sendable () -> Int>
        let waits: Replaceable<nonisolated(nonsending) @Sendable () async -> Int>
        /// What was meant, from the beginning.
        private let meant = Mutex<[Answers]>([.original])
        private let patches: [[VerifiedPatch]]
        let calls = Counter(), wrong = Counter(), byPatches = Counter()

        init(instances: Int) throws {
            harness = try Harness(limits: .patient.with(\.instances, instances))
            function = try harness.registry.replaceable("T.f") { () -> Int in 0 }
            waits = try harness.registry.replaceable("T.waits") { () async -> Int in 0 }
            _ = try harness.registry.replaceable("T.pause") { () async -> Void in await Task.yield() }
            patches = try [0, 1].map { id in
                try (1...4).map { version in
                    // Version 4 is only in shadow.
                    let code = version == 4 ? 99 : Answers.code(id, version)
                    let otherwise = "{otherwise = \(version == 4 ? 99 : Answers.otherwise(id, version))}"
                    let source = """
                        patch.replace('T.f', function() for i = 1, 200 do end return \(code) end, \(otherwise))
                        patch.replace('T.waits', function() host.call('T.pause') return \(code) end, \(otherwise))
                        """
                    return try Harness.verified(
                        source, id: "com.example.p\(id)", version: version, replaces: ["T.f", "T.waits"])
                }
            }
        }

        func load(_ id: Int, _ version: Int) throws -> LoadedPatch { try harness.runner.load(patches[id][version - 1]) }

        /// Makes a change. While it is made, what was meant before and what is meant afterwards may answer.
        func change(to after: Answers, _ body: () throws -> Void) rethrows {
            meant.locked { $0.append($0[$0.count - 1].union(after)) }
            try body()
            meant.locked { $0.append(after) }
        }

        private func check(_ answer: Int, since begun: Int) {
            let allowed = meant.locked { $0[begun...].reduce(into: Answers()) { $0.formUnion($1) } }
            calls.add()
            if answer != 0 { byPatches.add() }
            guard allowed.isDisjoint(with: Answers(of: answer)) else { return }
            wrong.add()
            if wrong.count < 10 {
                Issue.record("\(answer) answered, but \(String(allowed.rawValue, radix: 2)) was meant")
            }
        }

        func call() {
            let begun = meant.locked { $0.count - 1 }
            check(function(), since: begun)
        }

        func callAndWait() async {
            let begun = meant.locked { $0.count - 1 }
            check(await waits(), since: begun)
        }
    }

    /// Versions come, go, are replaced, closed and run in shadow, and versions that are gone make instances late.
    @Test(arguments: [1, 3])
    func versionsChangeOnlyTheMeantOnesAnswer(instances: Int) async throws {
        let (threads, tasks, seconds) = testsMayBeLong ? (8, 100, 20) : (4, 8, 1)
        let time = Duration.seconds(isSanitized ? 3 * seconds : seconds)
        for _ in 0..<2 {
            let bench = try Bench(instances: instances)
            let isOver = Counter()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<threads {
                    group.addTask { await onThread { while isOver.count == 0 { bench.call() } } }
                }
                for _ in 0..<tasks {
                    group.addTask {
                        while isOver.count == 0 {
                            let call = Task { await bench.callAndWait() }
                            if Bool.random() { call.cancel() }
                            await call.value
                        }
                    }
                }
                group.addTask {
                    defer { isOver.add() }
                    try await onThread { Result { try Self.walk(bench, for: time) } }.get()
                }
                try await group.waitForAll()
            }
            #expect(bench.wrong.count == 0)
            #expect(bench.calls.count > 100 && bench.byPatches.count > 20)
            if testsMayBeLong { print("   \(bench.calls.count) calls, \(bench.byPatches.count) answered by patches") }
        }
    }

    private static func walk(_ bench: Bench, for time: Duration) throws {
        var random = SystemRandomNumberGenerator()
        var model = Model()
        var gone: [LoadedPatch] = []
        let runner = bench.harness.runner
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end || bench.calls.count <= 100 || bench.byPatches.count <= 20 {
            let id = Int.random(in: 0...1, using: &random)
            let version = Int.random(in: 1...3, using: &random)
            let name = "com.example.p\(id)"
            runner.lowerMinimumVersion(of: name, to: 1)
            let earlier = (runner.active + runner.closed).filter { $0.name == name }
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:  // an update, a new patch, or one that is rolled back
                let patch = try bench.load(id, version)
                model.active[id] = version
                if let closed = model.closed[id], closed <= version { model.closed[id] = nil }
                try bench.change(to: model.answers) { try runner.activate(patch) }
            case 4, 5:
                model.active[id] = nil
                bench.change(to: model.answers) { runner.deactivate(name) }
            case 6:
                guard let closed = model.closed[id] else { continue }
                model.closed[id] = nil
                bench.change(to: model.answers) { runner.endOtherwise { $0.name == name && $0.version == closed } }
            case 7:
                let patch = try bench.load(id, version)
                model.closed[id] = version
                if let active = model.active[id], active >= version { model.active[id] = nil }
                bench.change(to: model.answers) { runner.activateOtherwise(of: patch) }
            case 8:
                try runner.shadow(bench.load(id, 4))
                if Bool.random(using: &random) { runner.endShadows { $0.name == name } }
            default:
                guard let late = gone.randomElement(using: &random) else { continue }
                Thread.detachNewThread {
                    late.script.makeInstance()
                    LuaState.releaseReserved()
                }
            }
            gone += earlier
            if gone.count > 8 { gone.removeFirst(gone.count - 8) }
            if Bool.random(using: &random) { usleep(UInt32.random(in: 0..<1500, using: &random)) }
        }
    }

    /// The memory of a version that is gone is the next one's. A thread that still wants to make an instance of it
    /// makes none.
    @Test func goneVersionMakesNoInstance() async throws {
        let harness = try Harness(limits: .patient.with(\.instances, 4))
        let (hold, isIn, mayLeave) = try harness.holding("T.hold")
        let quick = try harness.registry.replaceable("T.quick") { () -> Int in 0 }
        func script(_ version: Int) -> String {
            "patch.replace('T.hold', function(o) return o() end) patch.replace('T.quick', function() return \(version) end)"
        }
        let first = try harness.apply(script(1), version: 1, replaces: ["T.hold", "T.quick"])
        let layer = try #require(first.script.lua.layers.first)
        harness.runner.deactivate(first.name)
        let second = try harness.apply(script(2), version: 2, replaces: ["T.hold", "T.quick"])
        try #require(second.script.lua.layers.first?.address == layer.address)
        await onThread {
            first.script.makeInstance()
            LuaState.releaseReserved()
        }
        #expect(second.script.lua.instances == 1)
        async let held = onThread { hold() }
        await isIn.wait()
        for _ in 0..<6 { #expect(await onThread { quick() } == 2) }
        mayLeave.signal()
        _ = await held
    }

    /// A layer that refused a call may belong to the next version by the time that the refusal is looked at.
    @Test func layerOfNextVersionIsAnother() throws {
        let harness = try Harness()
        _ = try harness.registry.replaceable("T.f") { () -> Int in 0 }
        let first = try harness.apply("patch.replace('T.f', function() return 1 end, {otherwise = 11})", version: 1)
        let layer = try #require(first.script.lua.layers.first)
        let slot = try #require(first.script.names.slot("T.f"))
        harness.runner.deactivate(first.name)
        let second = try harness.apply("patch.replace('T.f', function() return 2 end, {otherwise = 12})", version: 2)
        try #require(second.script.lua.layers.first?.address == layer.address)
        #expect(second.script.lua.layers.first != layer)
        slot.countFallback(of: layer, Refusal(nil, by: layer))
        #expect(harness.registry.state.first?.patches.first?.fallbacks == 0)
        let late = LayerPlace.layer(layer.reference)
        guard case .below(let below) = late.withCell({ slot.substitute(for: Refusal(nil, by: layer), $0) }) else {
            Issue.record("the next version does not answer")
            return
        }
        #expect(below == second.script.lua.layers.first?.reference)
    }

    /// A call that comes late for a version whose memory now belongs to one that lies below another patch would pass by
    /// that patch.
    @Test func lateCallDoesNotEnterALayerBelow() throws {
        let harness = try Harness()
        let f = try harness.registry.replaceable("T.f") { () -> Int in 0 }
        func apply(_ id: String, _ version: Int) throws -> LoadedPatch {
            let source = "patch.replace('T.f', function(original) return 10 * \(version) + original() end)"
            return try harness.apply(source, id: id, version: version, replaces: ["T.f"])
        }
        let first = try apply("com.example.a", 1)
        let wanted = try #require(first.script.lua.layers.first?.reference)
        harness.runner.deactivate(first.name)
        _ = try apply("com.example.b", 1)
        let second = try apply("com.example.a", 2)
        let layer = try #require(second.script.lua.layers.first?.reference)
        try #require(layer.address == wanted.address)
        #expect(AsyncCall.Attempt(f.slot, .layer(wanted)).call.map { $0.stack.leave() } == nil)
        #expect(AsyncCall.Attempt(f.slot, .layer(layer)).call.map { $0.stack.leave() } != nil)
        #expect(f() == 30)
    }

    /// Counts are reported while patches in shadow come and go, as when an app goes to the background during a sync.
    @Test func comparisonsAreFlushedShadowEnds() async throws {
        let harness = try Harness()
        let names = (0..<50).map { "T.f\($0)" }
        for name in names { _ = try harness.registry.replaceable(name) { () -> Int in 0 } }
        let patch = try Harness.verified(
            names.map { "patch.replace('\($0)', function() return 1 end)" }.joined(separator: "\n"), replaces: names)
        let isOver = Counter()
        async let flushes = onThread {
            var flushes = 0
            while isOver.count == 0 || flushes == 0 {
                harness.runner.flushComparisons()
                flushes += 1
            }
            return flushes
        }
        for _ in 0..<(testsMayBeLong ? 500 : 50) {
            try harness.runner.shadow(harness.runner.load(patch))
            harness.runner.endShadows { $0.name == patch.manifest.id }
        }
        isOver.add()
        #expect(await flushes > 0)
        #expect(harness.runner.shadows.isEmpty)
    }
}
