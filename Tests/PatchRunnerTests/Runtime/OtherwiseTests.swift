import Foundation
import PatchCrypto
@testable import PatchRunner
import Synchronization
import TestSupport
import Testing

/// The result of a call if a script fails: its `otherwise`.
@Suite(.ownThreads) struct OtherwiseTests {
    private static let names = [
        "T.allows", "T.price", "T.title", "T.maybe", "T.log", "T.create", "T.waits", "T.sends", "T.plain",
    ]

    /// Functions of each kind. Their originals allow everything.
    private final class App: Sendable {
        let harness: Harness
        let allows: Replaceable<@Sendable (String) -> Bool>
        let price: Replaceable<@Sendable (Double, Int) -> Double>
        let title: Replaceable<@Sendable (String) -> String>
        let maybe: Replaceable<@Sendable ([String]) -> [String]?>
        let log: Replaceable<@Sendable () -> Void>
        let create: Replaceable<@Sendable (String) throws -> Int>
        let waits: Replaceable<nonisolated(nonsending) @Sendable (String) async -> Bool>
        let sends: Replaceable<nonisolated(nonsending) @Sendable (String) async throws -> Void>
        let plain: Replaceable<@Sendable (Int) -> Int>
        let logged = Counter()

        init(_ limits: PatchLimits = .patient) throws {
            harness = try Harness(limits: limits)
            let registry = harness.registry
            let logged = logged
            allows = try registry.replaceable("T.allows") { (_: String) -> Bool in true }
            price = try registry.replaceable("T.price") { (price: Double, _: Int) -> Double in price }
            title = try registry.replaceable("T.title") { (title: String) -> String in title }
            maybe = try registry.replaceable("T.maybe") { (names: [String]) -> [String]? in names }
            log = try registry.replaceable("T.log") { () -> Void in logged.add() }
            create = try registry.replaceable("T.create") { (_: String) throws -> Int in 1 }
            waits = try registry.replaceable("T.waits") { (_: String) async -> Bool in true }
            sends = try registry.replaceable("T.sends") { (_: String) async throws -> Void in logged.add() }
            plain = try registry.replaceable("T.plain") { (x: Int) -> Int in x }
        }

        /// Activates a patch whose replacements all run this code.
        @discardableResult
        func patch(_ body: String, version: Int = 1) throws -> LoadedPatch {
            try harness.apply(
                """
                local function run(original, ...) \(body) end
                patch.replace('T.allows', run, {otherwise = false})
                patch.replace('T.price', run, {otherwise = 2})
                patch.replace('T.title', run, {otherwise = "?"})
                patch.replace('T.maybe', run, {otherwise = nil})
                patch.replace('T.log', run, {})
                patch.replace('T.create', run, {otherwise = host.error("try again later", 503)})
                patch.replace('T.waits', run, {otherwise = false})
                patch.replace('T.sends', run, {otherwise = host.error("not now")})
                patch.replace('T.plain', run)
                """, version: version, replaces: OtherwiseTests.names)
        }

        /// Expects each function but `T.plain` to answer with its `otherwise`.
        func expectOtherwise() async {
            #expect(!allows("/../key"))
            #expect(price(9, 1) == 2)
            #expect(title("x") == "?")
            #expect(maybe(["x"]) == nil)
            let before = logged.count
            log()
            var error = #expect(throws: ScriptError.self) { try create("x") }
            #expect(
                error?.message == "try again later" && error?.code == 503 && error?.patch.id == "com.example.shop.fix")
            #expect(await !waits("/../key"))
            error = await #expect(throws: ScriptError.self) { try await sends("x") }
            #expect(error?.message == "not now" && error?.code == nil)
            #expect(logged.count == before)
        }
    }

    @Test(arguments: [
        "error('no')", "return pcall", "while true do end", "original(...); error('no')",
        "local ok = pcall(original, ...); while true do end",
    ])
    func otherwiseScriptFailsAnswers(_ body: String) async throws {
        let app = try App(.patient.with(\.callFuel, 100_000).with(\.failures, .max))
        try app.patch(body)
        #expect(app.log.slot.isPatched && app.waits.slot.isPatched)
        let logged = app.logged.count
        #expect(!app.allows("/../key"))
        #expect(app.price(9, 1) == 2)
        #expect(app.title("x") == "?")
        #expect(app.maybe(["x"]) == nil)
        #expect(throws: ScriptError.self) { try app.create("x") }
        #expect(await !app.waits("/../key"))
        // A function without a result cannot return a wrong one.
        if body == "return pcall" {
            #expect(app.harness.failures.count == 6)
        } else {
            await #expect(throws: ScriptError.self) { try await app.sends("x") }
            #expect(app.harness.failures.count == 7)
        }
        #expect(app.plain(5) == 5)
        if !body.contains("original") { #expect(app.logged.count == logged) }
    }

    /// An error that the script throws for the app is its result.
    @Test func otherwiseScriptAnswersOrThrowsIsUnused() async throws {
        let app = try App()
        try app.patch("host.throw('mine', 7)")
        let error = #expect(throws: ScriptError.self) { try app.create("x") }
        #expect(error?.message == "mine" && error?.code == 7)
        #expect(app.harness.failures.isEmpty)
        let other = try App()
        try other.patch("return original(...)")
        #expect(other.allows("x") && other.maybe(["x"]) == ["x"])
        #expect(await other.waits("x"))
        #expect(other.harness.failures.isEmpty)
    }

    @Test func otherwiseBreakerOpenAnswers() async throws {
        let app = try App(.patient.with(\.failures, 3))
        let patch = try app.patch("error('no')")
        #expect(!patch.isBreakerOpen)
        #expect(app.plain(1) == 1)
        #expect(app.plain(1) == 1)
        #expect(app.title("x") == "?")
        #expect(patch.isBreakerOpen)
        let opened = app.harness.events.compactMap {
            if case .breakerOpened(let breaker) = $0.kind, breaker.failures == 3 {
                [breaker.functions, breaker.otherwise]
            } else {
                nil
            }
        }
        #expect(opened == [[Self.names, Self.names.filter { $0 != "T.plain" }]])
        #expect(!app.harness.events.contains { $0.name == "deactivated" })
        #expect(!app.plain.slot.isPatched && app.plain(1) == 1)
        #expect(app.harness.runner.active.map(\.name) == ["com.example.shop.fix"])
        for _ in 0..<20 { await app.expectOtherwise() }
        // The script no longer runs.
        #expect(app.harness.failures.count == 3)
        let told = app.harness.fallbacks
        #expect(told.count == 160 && Set(told) == [.otherwise])
        let state = app.harness.registry.state.first { $0.name == "T.allows" }?.patches.first
        #expect(state?.isBreakerOpen == true && state?.fallbacks == 20 && state?.calls == 0)
        let metrics = app.harness.registry.metrics
        #expect(metrics.first { $0.name == "patchpack_breaker_open" }?.value == .gauge(1))
        let counted = metrics.first { metric in
            metric.labels.contains { $0.name == "reason" && $0.value == "otherwise" }
                && metric.labels.contains { $0.name == "function" && $0.value == "T.allows" }
        }
        #expect(counted?.value == .counter(20))
        // Its next version runs.
        try app.patch("return original(...)", version: 2)
        #expect(app.allows("x") && app.plain(1) == 1 && app.plain.slot.isPatched)
        app.harness.runner.deactivateAll()
        #expect(app.allows("/../key"))
    }

    /// Threads and tasks that call while the breaker opens get only the patch's results.
    @Test func otherwiseBreakerOpeningAnswersAllCalls() async throws {
        for _ in 0..<20 {
            let app = try App(.patient.with(\.failures, 5))
            try app.patch("if select('#', ...) > 0 and (...) == 'bad' then error('no') end return false")
            let through = Counter()
            await withTaskGroup(of: Void.self) { group in
                for thread in 0..<4 {
                    group.addTask {
                        await onThread {
                            for call in 0..<300 where app.allows(call > 100 && thread == 0 ? "bad" : "x") {
                                through.add()
                            }
                        }
                    }
                    group.addTask { for _ in 0..<100 where await app.waits("x") { through.add() } }
                }
            }
            #expect(through.count == 0)
            #expect(app.harness.runner.active.first?.isBreakerOpen == true)
            #expect(app.harness.failures.count >= 5)
            #expect(Set(app.harness.fallbacks) == [.otherwise])
        }
    }

    @Test func otherwisePatchBusyAnswers() async throws {
        let harness = try Harness(limits: .oneInstance.with(\.lockTime, .milliseconds(20)).with(\.waitingCalls, 0))
        let (isIn, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let allows = try harness.registry.replaceable("T.allows") { (x: Int) -> Bool in
            if x == 1 {
                isIn.signal()
                mayLeave.wait()
            }
            return true
        }
        let waits = try harness.registry.replaceable("T.waits") { (_: Int) async -> Bool in true }
        try harness.apply(
            """
            patch.replace('T.allows', function(original, x) return original(x) end, {otherwise = false})
            patch.replace('T.waits', function(original, x) return original(x) end, {otherwise = false})
            """, replaces: ["T.allows", "T.waits"])
        async let held = onThread { allows(1) }
        await onThread {
            isIn.wait()
            #expect(!allows(2))
        }
        #expect(await !waits(2))
        mayLeave.signal()
        #expect(await held)
        #expect(harness.fallbacks == [.busy, .waiting])
        #expect(allows(3))
    }

    /// The call that is one too deep does not meet the original. The calls around it pass its answer on.
    @Test func otherwiseNestedCallWithoutRoomAnswers() throws {
        let harness = try Harness(limits: .patient.with(\.callDepth, 4))
        let inner = Mutex<(@Sendable (Int) -> Bool)?>(nil)
        let answers = Mutex<[Bool]>([])
        let function = try harness.registry.replaceable("T.f") { (x: Int) -> Bool in
            guard x > 0, let inner = inner.locked({ $0 }) else { return true }
            let answer = inner(x - 1)
            answers.locked { $0.append(answer) }
            return answer
        }
        inner.locked { $0 = { function($0) } }
        try harness.apply("patch.replace('T.f', function(original, x) return original(x) end, {otherwise = false})")
        #expect(function(3))
        answers.locked { $0 = [] }
        #expect(!function(8))
        #expect(answers.locked { $0 } == [false, false, false, false])
        #expect(harness.fallbacks == [.noRoom])
        inner.locked { $0 = nil }
    }

    @Test func otherwisePatchBelowIsNotCalled() throws {
        let (harness, function) = try Harness.identity()
        try harness.apply(
            "patch.replace('T.f', function(original, x) return original(x) + 10 end)", id: "com.example.shop.a")
        try harness.apply(
            """
            patch.replace('T.f', function(original, x)
              if x == 1 then error('no') end
              return original(x) + 100
            end, {otherwise = -1})
            """, id: "com.example.shop.b", replaces: ["T.f"])
        #expect(function(1) == -1)
        #expect(function(2) == 112)
        // The patch above gets it as the result of its original.
        try harness.apply(
            "patch.replace('T.f', function(original, x) return original(x) * 2 end)", id: "com.example.shop.c")
        #expect(function(1) == -2)
        #expect(function(2) == 224)
    }

    /// A call that gives up waiting for a version that was replaced in the meantime asks the next version.
    @Test func waitingCallVersionReplacedNextVersionAnswers() async throws {
        // On a busy machine the call may give up before its version is replaced.
        for lockTime in [0.1, 1, 10] where try await answerAfterTwoVersions(.seconds(lockTime)) == 1002 { return }
        Issue.record("the first version has answered, in each case")
    }

    /// The answer to a call that waits for the first version until there is the second.
    private func answerAfterTwoVersions(_ lockTime: Duration) async throws -> Int {
        let harness = try Harness(limits: .oneInstance.with(\.lockTime, lockTime))
        let (isIn, mayLeave) = (Rendezvous(), DispatchSemaphore(value: 0))
        let answers = try harness.registry.replaceable("T.answers") { (x: Int) -> Int in
            if x == 1 {
                isIn.release()
                mayLeave.wait()
            }
            return x
        }
        func apply(_ version: Int, _ body: String) throws -> LoadedPatch {
            try harness.apply(
                "patch.replace('T.answers', function(original, x) \(body) end, {otherwise = \(version * 100)})",
                version: version, replaces: ["T.answers"])
        }
        let lua = try apply(1, "return original(x)").script.lua
        async let held = onThread { answers(1) }
        await isIn.wait()
        let ended = Counter()
        async let late = onThread {
            defer { ended.add() }
            return answers(2)
        }
        while lua.queueLength < 1, ended.count == 0 { try await Task.sleep(for: .milliseconds(1)) }
        _ = try apply(2, "return x + 1000")
        let answer = await late
        #expect([100, 1002].contains(answer))
        mayLeave.signal()
        #expect(await held == 1)
        #expect(answers(3) == 1003)
        return answer
    }

    /// A call that waits for its original when its patch is replaced.
    @Test func otherwiseSuspendedCallOfReplacedVersionAnswers() async throws {
        let harness = try Harness()
        let (isIn, mayLeave) = (DispatchSemaphore(value: 0), AsyncStream<Void>.makeStream())
        let waits = try harness.registry.replaceable("T.waits") { (_: Int) async -> Bool in
            isIn.signal()
            for await _ in mayLeave.stream { break }
            return true
        }
        try harness.apply(
            "patch.replace('T.waits', function(original, x) return original(x) and x > 9 end, {otherwise = false})")
        let answer = Task { await waits(5) }
        await onThread { isIn.wait() }
        try harness.apply("patch.replace('T.waits', function(original, x) return true end)", version: 2)
        mayLeave.continuation.finish()
        #expect(await !answer.value)
    }

    /// Third arguments of `patch.replace` for a function, and the beginnings of the messages about them.
    private static let refused: [(options: String, function: String, message: String)] = [
        ("{otherwise = 1}", "T.allows", "`otherwise` of T.allows: expected boolean, got integer"),
        ("{otherwise = nil}", "T.allows", "`otherwise` of T.allows: expected boolean, got nil"),
        ("{otherwise = 0/0}", "T.price", "`otherwise` of T.price: expected a finite number, got "),
        ("{otherwise = {1}}", "T.maybe", "`otherwise` of T.maybe: "),
        (
            "{otherwise = host.error('x')}", "T.allows",
            "`otherwise` of T.allows: an error was given, but T.allows cannot throw"
        ),
        (
            "{otherwise = setmetatable({message = 'x'}, {})}", "T.create",
            "`otherwise` of T.create: expected integer, got table"
        ),
        ("{other = 1}", "T.allows", "the third argument of patch.replace has only one member, `otherwise`"),
        ("{otherwise = false, 1}", "T.allows", "the third argument of patch.replace has only one member, `otherwise`"),
        ("false", "T.allows", "bad argument #3 to 'replace' (table expected, got boolean)"),
    ]

    @Test func otherwiseWrongValueIsRefused() throws {
        for (options, function, message) in Self.refused {
            let app = try App()
            let error = try #require(
                throws: PatchError.self,
                performing: {
                    try app.harness.apply("\npatch.replace('\(function)', function() end, \(options))")
                })
            #expect(error.code == .script)
            #expect(error.message.hasPrefix(message), "\(options): \(error.message)")
            #expect(error.place?.line == 2, "\(options)")
        }
    }

    /// If the script changes a table later, its value from loading still counts.
    @Test func otherwiseTableChangedLaterKeepsLoadedValue() throws {
        let app = try App(.patient.with(\.failures, .max))
        try app.harness.apply(
            """
            local names = {"a"}
            patch.replace('T.maybe', function(original, given)
              names[1] = "b"
              error('no')
            end, {otherwise = names})
            """, replaces: ["T.maybe"])
        for _ in 0..<2 { #expect(app.maybe([]) == ["a"]) }
    }

    /// Versions of a patch, of which only the `otherwise` of the closed one is active. The original answers 1, and a
    /// closed version is above an older one, in whichever order they come.
    @Test func onlyTheOtherwiseOfAClosedPatchAnswers() throws {
        let harness = try Harness(limits: .patient)
        let guarded = try harness.registry.replaceable("T.guarded") { () -> Int in 1 }
        let other = try harness.registry.replaceable("T.other") { () -> Int in 1 }
        func load(_ version: Int) throws -> LoadedPatch {
            let body = "function() return \(version * 10) end"
            return try harness.runner.load(
                Harness.verified(
                    "patch.replace('T.guarded', \(body), {otherwise = -\(version)}) patch.replace('T.other', \(body))",
                    version: version, replaces: ["T.guarded", "T.other"]))
        }
        func answers() -> [Int] { [guarded(), other()] }
        let runner = harness.runner
        try runner.activate(load(2))
        #expect(answers() == [20, 20])
        // It takes the place of its own active version.
        runner.activateOtherwise(of: try load(2))
        #expect(answers() == [-2, 1] && runner.active.isEmpty && runner.closed.map(\.version) == [2])
        runner.lowerMinimumVersion(of: "com.example.shop.fix", to: 1)
        try runner.activate(load(1))
        #expect(answers() == [-2, 10])
        // A closed version takes the place of another closed one, and not of a lower active one.
        runner.activateOtherwise(of: try load(3))
        #expect(answers() == [-3, 10] && runner.active.map(\.version) == [1] && runner.closed.map(\.version) == [3])
        for _ in 0..<20 { #expect(answers() == [-3, 10]) }
        // A higher version takes the place of all.
        try runner.activate(load(4))
        #expect(answers() == [40, 40] && runner.closed.isEmpty)
        runner.activateOtherwise(of: try load(5))
        runner.deactivate(PatchID(id: "com.example.shop.fix", version: 4))
        #expect(answers() == [-5, 1])
        runner.deactivate(PatchID(id: "com.example.shop.fix", version: 5))
        #expect(answers() == [1, 1])
    }

    /// A call that was in the patch when it was closed is answered by its `otherwise`.
    @Test func noCallMeetsTheOriginalWhileAPatchIsClosed() async throws {
        let harness = try Harness(limits: .patient)
        let guarded = try harness.registry.replaceable("T.guarded") { () -> Int in 1 }
        func load(_ version: Int) throws -> LoadedPatch {
            try harness.runner.load(
                Harness.verified(
                    "patch.replace('T.guarded', function() return 10 end, {otherwise = -1})", version: version,
                    replaces: ["T.guarded"]))
        }
        let (ends, answered, wrong) = (Counter(), Counter(), Counter())
        try harness.runner.activate(load(1))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    await onThread {
                        while ends.count == 0 {
                            if ![10, -1].contains(guarded()) { wrong.add() }
                            answered.add()
                        }
                    }
                }
            }
            for _ in 0..<30 {
                let before = answered.count
                do {
                    harness.runner.activateOtherwise(of: try load(1))
                    try harness.runner.activate(load(1))
                } catch {
                    wrong.add()
                }
                while answered.count == before { await Task.yield() }
            }
            ends.add()
        }
        #expect(wrong.count == 0)
    }

    /// Other instances load the script again, with the same `otherwise`.
    @Test func otherwiseOtherInstancesAnswers() async throws {
        let harness = try Harness(limits: .patient.with(\.instances, 2))
        let arrived = Counter()
        let meet = try harness.registry.replaceable("T.meet") { (fails: Bool) -> Int in
            arrived.add()
            while arrived.count < 2 { usleep(200) }
            return 0
        }
        let patch = try harness.apply(
            """
            patch.replace('T.meet', function(original, fails)
              original(fails)
              if fails then error('no') end
              return 1
            end, {otherwise = 7})
            """, replaces: ["T.meet"])
        let sum = Counter()
        await onThreads(2) { thread in for _ in 0..<meet(thread == 0) { sum.add() } }
        #expect(sum.count == 8)
        #expect(patch.script.lua.instances == 2)
    }
}
