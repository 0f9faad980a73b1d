import Dispatch
import PatchCrypto
@testable import PatchRunner
import Synchronization
import TestSupport
import Testing

/// With a patch in shadow, a program does what it does without it, be there live patches or not: each answer, each
/// error and each effect is the same, and each function runs only when the program, or a live patch, calls it.
@Suite(.ownThreads) struct ShadowPropertyTests {
    private struct Line: PatchStruct, Equatable {
        var name: String
        var price: Double
        static let patchFields = PatchFields(Line.init, .field("name", \.name), .field("price", \.price))
    }

    private final class Cart: PatchObject {
        let lines: [Line]
        private let ended: Counter
        init(_ lines: [Line], of program: Program) {
            self.lines = lines
            ended = program.ended
            program.made.add()
        }
        deinit { ended.add() }
    }

    /// A program. Each function counts its runs, which are its effect, and the carts that are made for it, and end.
    private final class Program: Sendable {
        let runs = Counter(), made = Counter(), ended = Counter()
        /// How often the live patch has called the function that has only an effect.
        let effects = Counter()
        let scalar: Replaceable<@Sendable (Int, Double) -> Double>
        let text: Replaceable<@Sendable (String) throws -> String>
        let lines: Replaceable<@Sendable ([Line]) -> [Line]>
        let object: Replaceable<@Sendable (Cart, Int) -> Cart>
        let nothing: Replaceable<@Sendable (Bool) -> Void>
        /// Calls `scalar`.
        let nested: Replaceable<@Sendable (Int) -> Double>
        let waits: Replaceable<nonisolated(nonsending) @Sendable (Int) async throws -> Int>
        let place = PatchPoint<(Int) -> Int>("P.place")

        init(_ registry: PatchRegistry) throws {
            let run = { @Sendable [runs] in runs.add() }
            scalar = try registry.replaceable("P.scalar") { (x: Int, y: Double) -> Double in
                run()
                return Program.scalar(x, y)
            }
            text = try registry.replaceable("P.text") { (name: String) throws -> String in
                run()
                return try Program.text(name)
            }
            lines = try registry.replaceable("P.lines") { (lines: [Line]) -> [Line] in
                run()
                return lines.reversed()
            }
            object = try registry.replaceable("P.object") { (cart: Cart, index: Int) -> Cart in
                run()
                return cart
            }
            nothing = try registry.replaceable("P.nothing") { (isOn: Bool) -> Void in run() }
            waits = try registry.replaceable("P.waits") { (x: Int) async throws -> Int in
                run()
                await Task.yield()
                return try Program.waits(x)
            }
            nested = try registry.replaceable("P.nested") { [scalar] (x: Int) -> Double in
                run()
                return scalar(x, 0.5)
            }
            _ = try registry.replaceable("P.effect") { [effects] (x: Int) -> Void in effects.add() }
            try registry.expose(Cart.self, as: "Cart") { cart in
                cart.method("size") { (cart: Cart) -> Int in
                    run()
                    return cart.lines.count
                }
                cart.method("add") { (cart: Cart, x: Int) async -> Void in run() }
            }
            try registry.register(place)
        }

        static func scalar(_ x: Int, _ y: Double) -> Double { Double(x % 7) * y }
        static func text(_ name: String) throws -> String {
            if name.utf8.count % 5 == 0 {
                throw ScriptError(message: "five", code: 5, patch: PatchID(id: "app", version: 1))
            }
            return "<\(name)>"
        }
        static func waits(_ x: Int) throws -> Int {
            if x % 11 == 0 { throw CancellationError() }
            return 2 * x
        }
    }

    /// The ways in which a script may behave; `N` is the function, and `…` its arguments.
    private static let behaviours = [
        "return original(...)",
        "local r = original(...) return r",
        "return ...",
        "error('no')",
        "error({})",
        "while true do end",
        "local t = {} for i = 1, 1e9 do t[i] = {i} end",
        "return ('x'):rep(1 << 19)",
        "original(...) return original(...)",
        "pcall(original, ...) return nil",
        "pcall(original) return original(...)",
        "return host.call('N', ...)",
        "pcall(host.call, 'P.nothing', true) return original(...)",
        "pcall(host.call, 'P.effect', 3) return original(...)",
        "pcall(host.call, 'P.nested', 3) return original(...)",
        "pcall(host.call, 'P.waits', 3) return original(...)",
        "local ok, r = pcall(original, ...) if not ok then return host.throw('other', 9) end return r",
        "log.info('x') return original(...)",
        "local a = ... if type(a) == 'userdata' then a:add(1) end return original(...)",
        "local a = ... if type(a) == 'userdata' then a:size() end return original(...)",
        "local a = ... if type(a) == 'table' then a[1] = nil end return original(...)",
        "return host.throw('thrown', 4)",
        "local f f = function() return f() + 1 end return f()",
        "return original(...) + 0.5",
    ]

    private static let names = [
        "P.scalar", "P.text", "P.lines", "P.object", "P.nothing", "P.nested", "P.waits", "P.place",
    ]

    /// A live patch, whose failures and effects would be seen.
    private static let live = """
        patch.replace('P.scalar', function(original, x, y)
            host.call('P.effect', x)
            log.info('live')
            return original(x, y) + 1
        end)
        patch.replace('P.text', function(original, name) return original(name) .. '!' end)
        patch.replace('P.waits', function(original, x) return original(x) + 1 end)
        """

    /// Below the patches in shadow, an older version of them, above them, and none.
    @Test(arguments: ["com.example.shop.a", "com.example.shop.fix", "com.example.shop.z", nil])
    func programWithShadowsDoesWhatItDoesWithout(live: String?) async throws {
        let count = testsMayBeLong && !isSanitized ? 250_000 : 5000
        var limits = PatchLimits.patient
        limits.shadowCallsPerSecond = .max
        limits.callFuel = 4000
        limits.memoryBytes = 1 << 20
        limits.peakMemoryBytes = 64 << 20
        limits.logBytesPerMinute = .max
        let harness = try Harness(limits: limits)
        let program = try Program(harness.registry)
        if let live {
            try harness.apply(Self.live, id: live, replaces: ["P.scalar", "P.text", "P.waits"])
        }
        let added = live == nil ? 0 : 1
        let isOver = Atomic(false)
        let updates = Counter()
        let updater = Task.detached {
            var generator = SystemRandomNumberGenerator()
            while !isOver.load(ordering: .relaxed) {
                let source = Self.names.map { name in
                    let behaviour = Self.behaviours.randomElement(using: &generator) ?? ""
                    return "patch.replace('\(name)', function(original, ...) \(behaviour) end)"
                        .replacing("'N'", with: "'\(name)'")
                }.joined(separator: "\n")
                let patch = try harness.runner.load(Harness.verified(source, version: 2, replaces: Self.names))
                try harness.runner.shadow(patch)
                updates.add()
                if updates.count % 5 == 0 { harness.runner.endShadows { $0.name == patch.name } }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        let (made, scalars, nested) = (Counter(), Counter(), Counter())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var generator = SystemRandomNumberGenerator()
                    while made.count < count || updates.count < 120 {
                        made.add()
                        let x = Int.random(in: 0...1000, using: &generator)
                        if x % 8 == 0 || x % 8 == 7 { scalars.add() }
                        if x % 8 == 7 { nested.add() }
                        let call = Task { try await Self.call(program, x, added) }
                        if Bool.random(using: &generator) { call.cancel() }
                        try await call.value
                    }
                }
            }
            try await group.waitForAll()
        }
        isOver.store(true, ordering: .relaxed)
        try await updater.value
        #expect(program.runs.count == made.count + nested.count)
        #expect(program.effects.count == added * scalars.count)
        #expect(harness.logged.count == added * scalars.count)
        #expect(harness.failures.isEmpty)
        let kinds = harness.events.map(\.kind)
        for case .breakerOpened(let breaker) in kinds { #expect(breaker.patch.version == 2) }
        for case .fellBack(let fallback) in kinds {
            Issue.record("\(fallback.call.patch) in \(fallback.call.function): \(fallback.reason)")
        }
        if live != nil {
            let state = harness.registry.state.first { $0.name == "P.scalar" }
            #expect(state?.patches.map(\.calls) == [scalars.count])
        }
        harness.runner.endShadows { $0.name == "com.example.shop.fix" }
        var all = RunnerEvent.Comparison()
        for case .compared(let compared) in harness.events.map(\.kind) { all.add(compared.comparison) }
        for count in [all.agreed, all.differed, all.failed, all.incomparable] { #expect(count > 10, "\(all)") }
        #expect(program.made.count == program.ended.count)
    }

    /// Calls one function, whose answer must be its own, or that of the live patch.
    ///
    /// - Parameter added: What the live patch adds; 0 if there is none.
    private static func call(_ program: Program, _ x: Int, _ added: Int) async throws {
        let name = String(repeating: "a", count: x % 13)
        let lines = (0..<x % 4).map { Line(name: "\(name)\($0)", price: Double(x)) }
        switch x % 8 {
        case 0: #expect(program.scalar(x, 0.5) == Program.scalar(x, 0.5) + Double(added))
        case 7: #expect(program.nested(x) == Program.scalar(x, 0.5) + Double(added))
        case 1:
            let expected = Result { try Program.text(name) + (added == 0 ? "" : "!") }
            let got = Result { try program.text(name) }
            switch (expected, got) {
            case (.success(let expected), .success(let got)): #expect(expected == got)
            case (.failure, .failure(let error)): #expect((error as? ScriptError)?.code == 5)
            default: Issue.record("another outcome for \(name)")
            }
        case 2: #expect(program.lines(lines) == lines.reversed())
        case 3:
            let cart = Cart(lines, of: program)
            #expect(program.object(cart, x) === cart)
        case 4: program.nothing(x % 2 == 0)
        case 5:
            do {
                let got = try await program.waits(x)
                #expect(try got == Program.waits(x) + added)
            } catch {
                #expect(error is CancellationError)
                #expect(x % 11 == 0)
            }
        default:
            let got = program.place(x) { x in
                program.runs.add()
                return x + 1
            }
            #expect(got == x + 1)
        }
    }
}
