import Foundation
import PatchCrypto
@testable import PatchRunner
import RandomSupport
import Synchronization
import TestSupport
import Testing

/// Stacks of up to four patches that change while calls are in them: one call is compared with a model of its way, and
/// many are made from many threads.
@Suite(.ownThreads) struct StackModelTests {
    /// What a replacement does after it has called `T.step`.
    private enum Kind: CaseIterable {
        /// It answers.
        case guards
        /// It fails, and its `otherwise` answers.
        case guardsFailing
        /// It calls its original, and adds its sign to the answer.
        case passes
        /// It fails, so that what is below it answers.
        case fails
        /// It fails after its original has answered.
        case failsLate

        /// Whether no call gets below it.
        var isGuard: Bool { self == .guards || self == .guardsFailing }

        func code(_ place: Int, _ version: Int, step: String) -> String {
            func call(_ isEntry: Bool) -> String { "host.call('\(step)', \(place), \(version), \(isEntry))" }
            let rest =
                switch self {
                case .guards: "return 'guarded'"
                case .guardsFailing, .fails: "error('no')"
                case .passes: "local answer = original(x) \(call(false)) return answer .. ' \(place)v\(version)'"
                case .failsLate: "original(x) \(call(false)) error('no')"
                }
            return "function(original, x) \(call(true)) \(rest) end" + (isGuard ? ", {otherwise = 'guarded'}" : "")
        }
    }

    private typealias Step = @Sendable (_ place: Int, _ version: Int, _ isEntry: Bool) -> Void

    /// Functions that are a hole, patches on them by their places, and the steps of the patches.
    private final class Bench: Sendable {
        let harness: Harness
        let function: Replaceable<@Sendable (Int) -> String>
        let waits: Replaceable<nonisolated(nonsending) @Sendable (Int) async -> String>

        init(_ limits: PatchLimits, instrument: (any PatchInstrument)? = nil, step: @escaping Step) throws {
            harness = try Harness(limits: limits, instrument: instrument)
            function = try harness.registry.replaceable("T.f") { (x: Int) -> String in "hole" }
            waits = try harness.registry.replaceable("T.waits") { (x: Int) async -> String in "hole" }
            _ = try harness.registry.replaceable("T.step") { (place: Int, version: Int, isEntry: Bool) -> Void in
                step(place, version, isEntry)
            }
            _ = try harness.registry.replaceable("T.pause") { (place: Int, version: Int, isEntry: Bool) async -> Void in
                await Task.yield()
                step(place, version, isEntry)
            }
        }

        func install(_ kind: Kind, _ place: Int, version: Int) {
            let source = """
                patch.replace('T.f', \(kind.code(place, version, step: "T.step")))
                patch.replace('T.waits', \(kind.code(place, version, step: "T.pause")))
                """
            let script = PatchScript(name: "main.lua", bytes: Array(source.utf8))
            #expect(throws: Never.self) {
                let manifest = try Manifest(
                    id: "com.example.p\(place)", version: version, app: "com.example.shop",
                    replaces: ["T.f", "T.waits"], scripts: [.init(name: script.name, byteCount: script.bytes.count)])
                let runner = harness.runner
                try runner.activate(runner.load(VerifiedPatch(unverifiedForTesting: manifest, scripts: [script])))
            }
        }

        /// Opens the breaker of a patch for good: its `otherwise` answers, or what is below it.
        func open(_ place: Int) {
            let script = harness.runner.active.first { $0.name == "com.example.p\(place)" }?.script
            script?.reports.breaker.open()
            for name in ["T.f", "T.waits"] { script?.followBreaker(name) }
        }

        func withdraw(_ place: Int) { harness.runner.deactivate("com.example.p\(place)") }

        func call(waits isAsynchronous: Bool) async -> String { isAsynchronous ? await waits(1) : function(1) }
    }

    private struct Plain: PatchInstrument {
        func run(_ call: PatchedCall, _ body: () throws -> Void) rethrows { try body() }
        nonisolated(nonsending) func run(
            _ call: PatchedCall, _ body: nonisolated(nonsending) () async throws -> Void
        ) async rethrows { try await body() }
    }

    // MARK: the model

    private enum Change: Sendable {
        case install(Int, version: Int)
        case withdraw(Int)
        case open(Int)
    }

    /// A stack, and a call in it.
    private struct Model: Sendable {
        struct Layer: Hashable {
            let place: Int
            let version: Int
        }

        let kinds: [Kind]
        var random: SeededRandom
        var version = 0
        /// The active versions, by their places.
        var active: [Int: Int] = [:]
        /// The active layers whose breaker is open.
        var open: Set<Int> = []
        /// What was below layers that are gone: a place, or -1.
        var below: [Layer: Int] = [:]
        /// The guards that were active since the call began.
        var guards: Set<Int> = []
        /// The layers that the call has entered, and the place that it must enter next; -1 for the original, nil for
        /// none.
        var entered: [Layer] = []
        var next: Int?
        /// Whether a guard answers.
        var isGuarded = false
        var faults: [String] = []

        /// The topmost layer below a place that calls meet.
        func topmost(below place: Int) -> Int {
            active.keys.filter { $0 < place && (kinds[$0].isGuard || !open.contains($0)) }.max() ?? -1
        }

        mutating func begin() {
            guards = Set(active.keys.filter { kinds[$0].isGuard })
            entered = []
            go(to: topmost(below: .max))
        }

        private mutating func go(to place: Int) {
            isGuarded = place >= 0 && kinds[place].isGuard
            next = isGuarded && open.contains(place) ? nil : place
        }

        /// Notes a step, and chooses the changes after it.
        mutating func step(_ layer: Layer, isEntry: Bool) -> [Change] {
            if isEntry {
                if layer.place != next { faults.append("\(layer) was entered, not \(next ?? -2)") }
                if active[layer.place] != layer.version { faults.append("\(layer) is not active") }
                entered.append(layer)
            }
            let changes = (0..<Int.random(in: 0...2, using: &random)).map { _ -> Change in
                let place = Int.random(in: 0..<4, using: &random)
                switch Int.random(in: 0..<7, using: &random) {
                case 0, 1: return withdraw(place)
                case 2: return opens(place)
                default: return install(place)
                }
            }
            if !isEntry {
                next = nil
            } else if !kinds[layer.place].isGuard {
                go(to: after(layer))
            }
            return changes
        }

        /// Where a call goes on that calls its original in a layer, or that fails in it.
        private func after(_ layer: Layer) -> Int {
            // Beside a layer that is gone, no patch comes in between any more.
            guard active[layer.place] != layer.version, let gone = below[layer] else {
                return topmost(below: layer.place)
            }
            return gone < 0 ? -1 : topmost(below: gone + 1)
        }

        mutating func install(_ place: Int) -> Change {
            end(place)
            version += 1
            active[place] = version
            return .install(place, version: version)
        }

        private mutating func withdraw(_ place: Int) -> Change {
            end(place)
            guards.remove(place)
            return .withdraw(place)
        }

        private mutating func opens(_ place: Int) -> Change {
            if active[place] != nil { open.insert(place) }
            return .open(place)
        }

        private mutating func end(_ place: Int) {
            guard let version = active.removeValue(forKey: place) else { return }
            open.remove(place)
            below[Layer(place: place, version: version)] = topmost(below: place)
        }

        /// The answer of the call that has ended.
        var answer: String {
            entered.reversed().filter { kinds[$0.place] == .passes }.reduce(isGuarded ? "guarded" : "hole") {
                "\($0) \($1.place)v\($1.version)"
            }
        }
    }

    /// Patches come, change and go, and breakers open, at every step of a call.
    @Test(arguments: [false, true], [false, true])
    func aCallGoesTheWayOfTheModel(waits: Bool, isInstrumented: Bool) async throws {
        var limits = PatchLimits.oneInstance
        limits.failures = .max
        var (guarded, holes) = (0, 0)
        for seed in 1...(testsMayBeLong && !isSanitized ? 400 : 60) {
            var random = SeededRandom(seed)
            let kinds = (0..<4).map { _ in Kind.allCases.randomElement(using: &random) ?? .passes }
            let places = Array(0..<4).shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random))
            let model = Mutex(Model(kinds: kinds, random: random))
            let bench = Mutex<Bench?>(nil)
            @Sendable func apply(_ changes: [Change]) {
                guard let bench = bench.locked({ $0 }) else { return }
                for change in changes {
                    switch change {
                    case .install(let place, let version): bench.install(kinds[place], place, version: version)
                    case .withdraw(let place): bench.withdraw(place)
                    case .open(let place): bench.open(place)
                    }
                }
            }
            let made = try Bench(limits, instrument: isInstrumented ? Plain() : nil) { place, version, isEntry in
                apply(model.locked { $0.step(.init(place: place, version: version), isEntry: isEntry) })
            }
            bench.locked { $0 = made }
            defer { bench.locked { $0 = nil } }
            for place in places { apply([model.locked { $0.install(place) }]) }
            for _ in 0..<4 {
                model.locked { $0.begin() }
                let answer = await made.call(waits: waits)
                let end = model.locked { $0 }
                #expect(answer == end.answer, "seed \(seed): \(kinds)")
                #expect(end.faults.isEmpty, "seed \(seed): \(kinds)")
                #expect(end.guards.isEmpty || answer.hasPrefix("guarded"), "seed \(seed): \(kinds)")
                if answer.hasPrefix("guarded") { guarded += 1 } else { holes += 1 }
            }
        }
        #expect(guarded > 20 && holes > 20)
    }

    // MARK: many calls

    /// Counts the calls in which a guard was active all the time.
    private final class Watch: Sendable {
        /// Counts the times of a guard, and the times without one: it is odd while there is none.
        private let time = Atomic(1)
        let ofThreads = Counter(), ofTasks = Counter()
        /// Those that met the original all the same.
        let unguarded = Counter()

        // One thread calls these.
        func guardBegins() { time.add(now & 1, ordering: .sequentiallyConsistent) }
        func guardEnds() { time.add(1 - (now & 1), ordering: .sequentiallyConsistent) }

        var now: Int { time.load(ordering: .sequentiallyConsistent) }

        /// Notes the end of a call.
        func ended(_ answer: String, begun: Int, _ counter: Counter) {
            guard begun.isMultiple(of: 2), now == begun else { return }
            counter.add()
            if !answer.hasPrefix("guarded") { unguarded.add() }
        }
    }

    /// Calls from many threads and tasks while patches come, change and go, and breakers open and close: if a guard was
    /// active from the beginning of a call to its end, the call never sees the original's bare answer.
    @Test(arguments: [1, 3], [false, true])
    func guardedCallPatchesChangeNeverMeetsOriginal(instances: Int, isInstrumented: Bool) async throws {
        let (threads, tasks) = testsMayBeLong && !isSanitized ? (16, 1000) : (3, 3)
        for seed in 1...(testsMayBeLong ? 4 : 2) {
            var random = SeededRandom(seed)
            var limits = PatchLimits()
            limits.instances = instances
            limits.failures = 10
            limits.breakerPause = .milliseconds(1)
            // Some calls give up.
            limits.lockTime = .milliseconds(2)
            let bench = try Bench(limits, instrument: isInstrumented ? Plain() : nil) { place, version, _ in
                if (place + version).isMultiple(of: 3) { usleep(300) }
            }
            let guardian = Int.random(in: 0..<4, using: &random)
            let kinds = (0..<4).map { place in
                (place == guardian ? [Kind.guards, .guardsFailing] : [.passes, .fails, .failsLate]).randomElement(
                    using: &random) ?? .passes
            }
            let watch = Watch()
            let isOver = Counter()
            var changes = 0
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<threads {
                    group.addTask {
                        await onThread {
                            while isOver.count == 0 {
                                let begun = watch.now
                                watch.ended(bench.function(1), begun: begun, watch.ofThreads)
                            }
                        }
                    }
                }
                for _ in 0..<tasks {
                    group.addTask {
                        while isOver.count == 0 {
                            let begun = watch.now
                            watch.ended(await bench.waits(1), begun: begun, watch.ofTasks)
                            await Task.yield()  // it may not have waited, and others must get the thread
                        }
                    }
                }
                changes = await onThread { [random] in
                    var (random, version) = (random, 0)
                    let end = ContinuousClock.now + .seconds(isSanitized || testsMayBeLong ? 4 : 0.7)
                    // On a busy machine, a thousand tasks take longer.
                    while ContinuousClock.now < end || watch.ofThreads.count <= 20 || watch.ofTasks.count <= 20 {
                        version += 1
                        let place = Bool.random(using: &random) ? guardian : Int.random(in: 0..<4, using: &random)
                        // A call of many tasks takes long, and must end before the guard does.
                        let updates = place == guardian ? 16 + tasks / 5 : 4
                        if Int.random(in: 0..<updates, using: &random) > 0 {
                            bench.install(kinds[place], place, version: version)
                            if place == guardian { watch.guardBegins() }
                        } else {
                            if place == guardian { watch.guardEnds() }
                            bench.withdraw(place)
                        }
                        usleep(1000)
                    }
                    return version
                }
                isOver.add()
            }
            #expect(watch.unguarded.count == 0, "seed \(seed): \(kinds)")
            #expect(watch.ofThreads.count > 20 && watch.ofTasks.count > 20)
            guard testsMayBeLong else { continue }
            print(
                "   \(watch.ofThreads.count) calls of \(threads) threads and \(watch.ofTasks.count) of \(tasks) tasks"
                    + " while a guard was active, \(changes) changes")
        }
    }
}
