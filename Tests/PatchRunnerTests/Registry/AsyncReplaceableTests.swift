import PatchCrypto
import PatchRunner
import Synchronization
import TestSupport
import Testing

private actor Account: PatchObject {
    private(set) var seen: [Int] = []
    private var sum = 0
    private let whileWaiting: @Sendable () -> Int

    init(_ whileWaiting: @escaping @Sendable () -> Int) { self.whileWaiting = whileWaiting }

    func add(_ amount: Int) throws -> Int {
        if amount < 0 { throw Trouble(text: "negative") }
        if amount > 1 { seen.append(whileWaiting()) }
        sum += amount
        return sum
    }

    func clear() { sum = 0 }
}

private final class Recursive: Sendable {
    private let body = Mutex<@Sendable (Int) async -> Int>({ $0 })
    func set(_ body: @escaping @Sendable (Int) async -> Int) { self.body.locked { $0 = body } }
    func call(_ x: Int) async -> Int { await body.locked { $0 }(x) }
}

@Suite(.ownThreads) struct AsyncReplaceableTests {
    @Test func theOriginalIsAwaitedWhileOthersUseThePatch() async throws {
        let harness = try Harness()
        let sync = try harness.registry.replaceable("A.sync") { (x: Int) -> Int in x }
        let inner = Rendezvous()
        let slow = try harness.registry.replaceable("A.slow") { (x: Int) async -> Int in
            await inner.wait()
            return x * 2
        }
        try harness.apply(
            """
            patch.replace("A.sync", function(original, x) return original(x) + 100 end)
            patch.replace("A.slow", function(original, x)
              local before = host.call("A.sync", x)
              local ok, doubled = pcall(original, x + 1)
              return before + doubled
            end)
            """, replaces: ["A.sync", "A.slow"])
        async let answer = slow(1)
        await inner.arrival()
        // The lock is free: another call of the same patch returns while the first one waits.
        #expect(sync(1) == 101)
        inner.release()
        #expect(await answer == 101 + 4)
        #expect(harness.failures.isEmpty)
    }

    /// An event that was added to a metatable later waits as one that it had from the start.
    @Test(arguments: ["", "setmetatable(tax, events)"]) func asyncCallInLateEventIsAwaited(setAgain: String)
        async throws
    {
        let harness = try Harness()
        _ = try harness.registry.replaceable("A.rate") { (x: Int) async -> Int in
            await Task.yield()
            return x * 10
        }
        let pay = try harness.registry.replaceable("A.pay") { (x: Int) async -> Int in x }
        try harness.apply(
            """
            local events = {}
            local tax = setmetatable({}, events)
            events.__index = function(_, key) return host.call("A.rate", #key) end
            events.__call = function(_, x) return 1, host.call("A.rate", x) end
            \(setAgain)
            patch.replace("A.pay", function(original, x)
              local one, called = tax(x)
              return one + called + tax.abc
            end)
            """, replaces: ["A.pay"])
        #expect(await pay(5) == 1 + 50 + 30)
        #expect(harness.failures.isEmpty)
    }

    @Test func asyncCallCancelledTellsOriginalOnly() async throws {
        let harness = try Harness()
        let fetch = try harness.registry.replaceable("A.fetch") { (x: Int) async -> Int in
            while !Task.isCancelled { await Task.yield() }
            return x
        }
        try harness.apply(
            """
            patch.replace("A.fetch", function(original, x)
              local sum = original(x)
              for i = 1, 1000 do sum = sum + 1 end
              return sum
            end)
            """, replaces: ["A.fetch"])
        let call = Task { await fetch(1) }
        call.cancel()
        #expect(await call.value == 1001)
        #expect(harness.failures.isEmpty)
    }

    @Test func methodsOfActorsAreAwaited() async throws {
        let harness = try Harness()
        try harness.registry.expose(Account.self) { account in
            account.method("add") { (account: Account, amount: Int) async throws -> Int in try await account.add(amount)
            }
            account.method("clear") { (account: Account) async in await account.clear() }
            account.method("name") { (_: Account) in "an account" }
        }
        let pay = try harness.registry.replaceable("A.pay") { (account: Account, amount: Int) async -> Int in -1 }
        let sync = try harness.registry.replaceable("A.sync") { (account: Account) -> Int in -1 }
        let other = try harness.registry.replaceable("A.other") { (x: Int) -> Int in x }
        try harness.apply(
            """
            patch.replace("A.pay", function(original, account, amount)
              if amount == 0 then return account:clear() or account:add(0) end
              if amount == 1 then return account:add("x") end
              if amount == 2 then return account:add(1, 2) end
              if amount == 3 then local sum = 0; table.sort({2, 1}, function(a, b) account:add(1) return a < b end) end
              local ok, failure = pcall(account.add, account, -1)
              assert(not ok and failure.message == "negative", failure)
              assert(account:name() == "an account")
              return account:add(amount) + account:add(amount)
            end)
            patch.replace("A.sync", function(original, account) return account:add(1) end)
            patch.replace("A.other", function(original, x) return x + 1 end)
            """, replaces: ["A.pay", "A.sync", "A.other"])
        let account = Account { other(1) }
        #expect(await pay(account, 10) == 10 + 20)
        #expect(await account.seen == [2, 2], "the patch is free while a script waits for a method")
        #expect(await pay(account, 0) == 0)
        #expect(await pay(account, 1) == -1)
        #expect(await pay(account, 2) == -1)
        #expect(await pay(account, 3) == -1)
        #expect(sync(account) == -1)
        #expect(
            harness.failures.map(\.message) == [
                "argument 1 of Account:add: expected integer, got string",
                "Account:add takes 1 argument, got 2",
                "an asynchronous function cannot be called inside sort, gsub or a callback",
                "this method is asynchronous, but this replacement is not",
            ])
        let host = try HostInfo(app: "com.example.shop", version: "1")
        let methods = harness.registry.interface(of: host).classes[0].methods
        #expect(
            methods.map(\.signature.description) == [
                "(integer) async -> integer", "() async -> nothing", "() -> string",
            ])
    }

    /// One coroutine is kept for the next call. A call that fails, or that waits in the meantime, has its own.
    @Test func asyncCallsSequentialAndNestedAreAnswered() async throws {
        let harness = try Harness()
        let recursive = Recursive()
        let function = try harness.registry.replaceable("A.f") { (x: Int) async -> Int in
            x > 0 ? await recursive.call(x - 1) : 0
        }
        recursive.set { await function($0) }
        // The original holds `recursive`, which holds the original.
        defer { recursive.set { $0 } }
        try harness.apply(
            """
            patch.replace("A.f", function(original, x)
              if x == 100 then error("x") end
              if x == 101 then while true do end end
              local many = {} for i = 1, x do many[i] = i end
              return original(x) + 1 + select("#", table.unpack(many)) - x
            end)
            """, replaces: ["A.f"])
        for round in 0..<20 {
            #expect(await function(round) == round + 1)
            if round == 5 { #expect(await function(100) == 100, "the original answers, which calls the others") }
            if round == 9 { #expect(await function(101) == 100) }
        }
        async let first = function(7)
        async let second = function(8)
        #expect(await first == 8)
        #expect(await second == 9)
        #expect(harness.failures.count >= 2)
    }

    @Test func asyncReplacementThrowsOrFailsAnswersAsOriginal() async throws {
        let harness = try Harness()
        let calls = Counter()
        let function = try harness.registry.replaceable("A.f") { (x: Int) async throws -> Int in
            calls.add()
            if x < 0 { throw Trouble(text: "negative") }
            return x
        }
        try harness.apply(
            """
            patch.replace("A.f", function(original, x)
              if x == 1 then error("before") end
              local value = original(x)
              if x == 2 then error("after") end
              if x == 3 then return "wrong" end
              if x == 4 then while true do end end
              return value + 10
            end)
            """, replaces: ["A.f"])
        #expect(try await function(7) == 17)
        #expect(try await function(1) == 1)
        #expect(try await function(2) == 2)
        #expect(try await function(3) == 3)
        #expect(try await function(4) == 4)
        #expect(calls.count == 5)
        await #expect(throws: Trouble(text: "negative")) { try await function(-1) }
        #expect(harness.failures.map(\.code) == [.script, .script, .script, .scriptLimit])
    }

    @Test func asyncReplacementHostCallOfAsyncFunctionIsAwaited() async throws {
        let harness = try Harness()
        let function = try harness.registry.replaceable("A.f") { (x: Int) async throws -> Int in x }
        _ = try harness.registry.replaceable("A.g") { (x: Int) async throws -> Int in
            await Task.yield()
            if x == 13 { throw Trouble(text: "thirteen") }
            return x * 3
        }
        let sync = try harness.registry.replaceable("A.s") { (x: Int) -> Int in x }
        try harness.apply("patch.replace('A.f', function(o, x) return o(x) + 1 end)", id: "com.example.a")
        try harness.apply(
            """
            patch.replace('A.f', function(o, x)
              local ok, failure = pcall(host.call, 'A.g', 13)
              assert(not ok and failure.message == 'thirteen')
              return host.call('A.g', o(x))
            end)
            patch.replace('A.s', function(o, x) return host.call('A.g', x) end)
            """, id: "com.example.b", replaces: ["A.f", "A.s"])
        #expect(try await function(1) == 6)
        #expect(sync(2) == 2)
        #expect(harness.failures.map(\.message) == ["'A.g' is asynchronous, but this replacement is not"])
    }

    /// An argument that cannot be passed is named as for any other function.
    @Test func asyncArgumentTooLargeIsNamed() async throws {
        let harness = try Harness()
        let waits = try harness.registry.replaceable("A.f") { (x: String) async -> Int in 7 }
        let other = try harness.registry.replaceable("A.s") { (x: String) -> Int in 7 }
        try harness.apply(
            "for _, name in ipairs{'A.f', 'A.s'} do patch.replace(name, function() return 1 end) end",
            replaces: ["A.f", "A.s"])
        let long = String(repeating: "x", count: 2 << 20)
        #expect(await waits(long) == 7)
        #expect(other(long) == 7)
        let message = try #require(harness.failures.last?.message)
        #expect(message.contains("a string of 2097152 bytes; at most 1048576 are allowed"), "\(message)")
        #expect(harness.failures.map(\.message) == [message, message])
    }

    @Test func aPatchMayGoWhileItsCallWaits() async throws {
        let harness = try Harness()
        let inner = Rendezvous()
        let slow = try harness.registry.replaceable("A.slow") { (x: Int) async -> Int in
            await inner.wait()
            return x * 2
        }
        try harness.apply("patch.replace('A.slow', function(original, x) return original(x) + 1 end)")
        async let answer = slow(5)
        await inner.arrival()
        #expect(harness.runner.deactivate("com.example.shop.fix"))
        inner.release()
        #expect(await answer == 11)  // the call goes on in it
        inner.release()
        #expect(await slow(5) == 10)
    }

    @Test func asyncCallsFiveHundredAtOnceAreAnswered() async throws {
        let harness = try Harness()
        let function = try harness.registry.replaceable("A.f") { (x: Int) async -> Int in
            await Task.yield()
            return x
        }
        try harness.apply("patch.replace('A.f', function(original, x) local y = x return original(x) * 1000 + y end)")
        await withTaskGroup(of: Bool.self) { group in
            for x in 1...500 { group.addTask { await function(x) == x * 1001 } }
            for await isRight in group { #expect(isRight) }
        }
        #expect(harness.failures.isEmpty)
    }

    @Test func aValueThatCannotBeGivenFailsItsOwnCall() async throws {
        let harness = try Harness()
        let big = try harness.registry.replaceable("T.big") { (_: Int) -> UInt64 in .max }
        let waiting = try harness.registry.replaceable("T.waiting") { (x: Int) async -> Int in
            _ = big(1)
            return x
        }
        try harness.apply(
            """
            patch.replace('T.big', function(original, x) return original(x) end)
            patch.replace('T.waiting', function(original, x) return original(x) + 1000 end)
            """, replaces: ["T.big", "T.waiting"])
        #expect(big(1) == .max)
        #expect(harness.failures.count == 1)
        #expect(await waiting(1) == 1001)
        #expect(harness.failures.count == 2)
    }

    @Test func refusedArgumentsAreNoCallOfTheOriginal() async throws {
        let harness = try Harness()
        let function = try harness.registry.replaceable("T.f") { (x: Int) async -> Int in x }
        try harness.apply(
            """
            patch.replace('T.f', function(original, x)
              assert(not pcall(original, 'x'))
              return original(x) + 1
            end)
            """, replaces: ["T.f"])
        #expect(await function(1) == 2, "\(harness.failures)")
    }
}
