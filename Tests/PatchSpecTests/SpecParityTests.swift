import PatchCrypto
import TestSupport
import Testing

@testable import PatchLint
@testable import PatchRunner
@testable import PatchSpec

/// A spec accepts and refuses the same values as the app.
@Suite(.ownThreads) struct SpecParityTests {
    enum Meal: String, Codable, CaseIterable, PatchValue, PatchDictionaryKey { case breakfast, lunch }
    enum Level: Int, Codable, CaseIterable, PatchValue {
        case low = 1
        case high
    }
    struct Item: Codable, PatchValue {
        var name: String
        var price: Double
        var count: Int?
        var meal: Meal?
    }

    /// A type that the app declares.
    struct Declared: Sendable, CustomTestStringConvertible {
        let name: String
        /// Registers `App.give`, which returns a value of the type, and `App.take`, which takes one. Returns a function
        /// that calls the first one.
        let register: @Sendable (PatchRegistry) throws -> @Sendable (Int) -> Void
        /// A value in the form of a spec.
        let sample: String
        var testDescription: String { name }

        init<Value: PatchValue & Sendable>(_ sample: String, _ value: Value) {
            name = Value.patchTypeName
            self.sample = sample
            register = { registry in
                try registry.describe(sample: Item(name: "a", price: 1, meal: .lunch))
                let give = try registry.replaceable("App.give") { (_: Int) -> Value in value }
                _ = try registry.replaceable("App.take") { (_: Value) -> Void in }
                return { _ = give($0) }
            }
        }
    }

    static let declared: [Declared] = [
        Declared("true", true), Declared("1", 1), Declared("1.5", 1.5), Declared("'a'", "a"),
        Declared("'a'", [1, 2] as [UInt8]), Declared("{1}", [1]), Declared("{'a'}", ["a"]), Declared("{{1}}", [[1]]),
        Declared("{a = 1}", ["a": 1]), Declared("{[3] = 'a'}", [3: "a"]), Declared("nil", nil as Int?),
        Declared("nil", nil as [String]?), Declared("'lunch'", Meal.lunch), Declared("1", Level.low),
        Declared("{name = 'a', price = 1}", Item(name: "a", price: 1)),
        Declared("{{name = 'a', price = 1}}", [Item(name: "a", price: 1)]),
        Declared("{lunch = 1}", [Meal.lunch: 1]), Declared("nil", nil as Item?),
    ]

    /// A value from a script.
    static let values = [
        "nil", "true", "false", "0", "-1", "1", "2", "2.0", "2.5", "3.0", "1e300", "math.maxinteger",
        "9007199254740993", "1/0",
        "0/0", "''", "'a'", "'1'", "'lunch'", "'lunsh'", "'\\xff'", "'\\u{D800}'", "'\\u{1F600}'", "'a\\0b'", "print",
        "function() end", "{}", "{1}", "{1.0, 2}", "{1.5}", "{'a'}", "{'\\xff'}", "{'a', n = 1}", "table.pack('a')",
        "table.pack(1, 2)", "{1, x = print}", "{1, [print] = 1}", "{1, nil, 3}", "{nil, 2}", "{[2] = 1}",
        "{[0] = 1, 1}",
        "{[1.0] = 1}", "{x = 1}", "{x = 'a'}", "{x = print}", "{[print] = 1}", "{[true] = 1}", "{['\\xff'] = 1}",
        "{[3] = 'a'}", "{[3.5] = 'a'}", "{{1}}", "{{}}", "{{1, n = 1}}", "{{'a'}}", "{lunch = 1}", "{lunsh = 1}",
        "{lunch = 'a'}", "{name = 'a', price = 1}", "{name = 'a', price = 1, other = print}", "{name = 'a'}",
        "{price = 1}", "{name = '\\xff', price = 1}", "{name = 'a', price = '1'}",
        "{name = 'a', price = 1, count = 2.0}",
        "{name = 'a', price = 1, count = 2.5}", "{name = 'a', price = 1, count = false}",
        "{name = 'a', price = 1, meal = 'lunch'}", "{name = 'a', price = 1, meal = 'lunsh'}",
        "{{name = 'a', price = 1}}", "{{name = 'a', price = 1}, n = 1}", "{{name = 'a'}}",
        "setmetatable({}, {__index = {name = 'a', price = 1}})", "setmetatable({1}, {__len = function() return 0 end})",
    ]

    /// Functions that return the values, in Lua.
    private static let table = "local values = {\n" + values.map { "function() return \($0) end,\n" }.joined() + "}\n"

    private static func patch(_ body: String) throws -> VerifiedPatch {
        let source = table + "patch.replace('App.give', function(original, i) \(body) end)"
        let script = PatchScript(name: "main.lua", bytes: Array(source.utf8))
        return VerifiedPatch(
            unverifiedForTesting: try Manifest(
                id: "com.example.fix", version: 1, app: "com.example.shop", instances: 1, replaces: ["App.give"],
                scripts: [.init(name: script.name, byteCount: script.bytes.count)]),
            scripts: [script])
    }

    /// Whether the app's own runner accepts each value from a patch.
    private static func taken(_ declared: Declared, _ patch: VerifiedPatch) throws -> [Bool] {
        let registry = PatchRegistry()
        let call = try declared.register(registry)
        var limits = PatchLimits()
        limits.callTime = .seconds(60)
        limits.failures = .max
        let runner = PatchRunner(
            registry: registry, host: try HostInfo(app: "com.example.shop", version: "1.0"), limits: limits)
        try runner.activate(
            try runner.load(VerifiedPatch(unverifiedForTesting: patch.manifest, scripts: patch.scripts)))
        // Only some of several similar failures are events, but each one is counted.
        var fallbacks = 0
        return values.indices.map { index in
            call(index + 1)
            let before = fallbacks
            fallbacks = registry.state.flatMap(\.patches).reduce(0) { $0 + $1.fallbacks }
            return fallbacks == before
        }
    }

    /// The outcome of each value in a spec.
    ///
    /// - Parameter give: What the spec's `App.give` returns for the number `i` of a value, in Lua.
    private static func tests(_ declared: Declared, _ patch: VerifiedPatch, give: String) throws -> [SpecReport.Test] {
        let registry = PatchRegistry()
        _ = try declared.register(registry)
        let source =
            table + """
                host.define("App.give", function(i) return \(give) end)
                host.define("App.take", function() end)
                for i = 1, #values do it("value " .. i, function() host.call("App.give", i) end) end
                """
        let report = SpecRunner.run(
            PatchScript(name: "spec.lua", bytes: Array(source.utf8)), on: [patch],
            interface: registry.interface(of: try HostInfo(app: "com.example.shop", version: "1.0")))
        try #require(report.error == nil && report.tests.count == values.count)
        return report.tests
    }

    @Test(arguments: declared)
    func aSpecTakesWhatTheAppTakes(declared: Declared) throws {
        for body in ["return values[i]()", "host.call('App.take', values[i]()) return original(i)"] {
            let patch = try Self.patch(body)
            let app = try Self.taken(declared, patch)
            let tests = try Self.tests(declared, patch, give: declared.sample)
            #expect(app.contains(true) && app.contains(false))
            for (value, (app, test)) in zip(Self.values, zip(app, tests)) {
                #expect((test.status == .passed) == app, "\(value) with \(body): \(test.message)")
            }
        }
    }

    /// The same values from the spec's own functions: the app also accepts the values that it can return.
    @Test(arguments: declared)
    func aSpecGivesWhatTheAppCanGive(declared: Declared) throws {
        let app = try Self.taken(declared, try Self.patch("return values[i]()"))
        let tests = try Self.tests(declared, try Self.patch("return original(i)"), give: "values[i]()")
        for (value, (app, test)) in zip(Self.values, zip(app, tests)) {
            // A patch makes no such number, but the app may.
            if value.hasSuffix("/0"), declared.name == "number" { continue }
            #expect((test.status == .passed) == app, "\(value): \(test.message)")
        }
    }

    private func report(_ spec: String, patch: String, _ functions: [PatchInterface.Function]) throws -> SpecReport {
        let script = PatchScript(name: "main.lua", bytes: Array(patch.utf8))
        let manifest = try Manifest(
            id: "com.example.fix", version: 1, app: "com.example.shop", replaces: [functions[0].name],
            scripts: [.init(name: script.name, byteCount: script.bytes.count)])
        return SpecRunner.run(
            PatchScript(name: "spec.lua", bytes: Array(spec.utf8)),
            on: [VerifiedPatch(unverifiedForTesting: manifest, scripts: [script])],
            interface: PatchInterface(
                app: "com.example.shop", appVersion: "1.0", functions: functions, structs: [], classes: []))
    }

    @Test(arguments: [false, true])
    func aReplacementThatCannotWaitCallsNothingThatDoes(isAsynchronous: Bool) throws {
        func function(_ name: String, _ isAsynchronous: Bool) -> PatchInterface.Function {
            .init(
                name: name,
                signature: FunctionType([], result: "integer", throws: true, isAsynchronous: isAsynchronous))
        }
        let report = try report(
            """
            host.define("App.own", function() return host.call("App.slow") end)
            host.define("App.slow", function() return 2 end)
            it("calls", function() assert.equal(2, host.call("App.own")) end)
            it("calls itself", function() assert.equal(2, host.call("App.slow")) end)
            """,
            patch: """
                patch.replace("App.own", function(original)
                  original()
                  return host.call("App.slow")
                end)
                """, [function("App.own", isAsynchronous), function("App.slow", true)])
        #expect(report.tests.map(\.status) == [isAsynchronous ? .passed : .failed, .passed])
        #expect(
            isAsynchronous
                || report.tests[0].message.contains("'App.slow' is asynchronous, but this replacement is not"))
    }

    @Test func theCodeOfAnErrorOfTheAppIsKept() throws {
        let report = try report(
            """
            host.define("App.own", function() host.throw("gone", 404) end)
            it("is seen by the patch", function()
              local ok, failure = pcall(host.call, "App.own")
              assert.same({false, "gone", 404}, {ok, failure.message, failure.code})
              assert.same({"warn: gone 404"}, host.logs())
            end)
            """,
            patch: """
                patch.replace("App.own", function(original)
                  local ok, failure = pcall(original)
                  log.warn(failure.message .. " " .. failure.code)
                  error(failure)
                end)
                """,
            [.init(name: "App.own", signature: FunctionType([], result: "integer", throws: true))])
        #expect(report.tests.map(\.message) == [""])
    }
}
