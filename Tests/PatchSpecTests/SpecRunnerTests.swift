import PatchCrypto
import TestSupport
import Testing

@testable import PatchRunner
@testable import PatchSpec

@Suite(.ownThreads) struct SpecRunnerTests {
    private let patch =
        "patch.replace('Cart.total', function(original, a, b) if b < 0 then return 0 end return original(a, b) end)"

    private func run(
        _ spec: String, patch: String? = nil, replaces: [String] = ["Cart.total"], interface: Bool = false,
        filter: String = "", covers: Bool = false, shadows: Bool = false, instances: Int? = nil
    ) throws -> SpecReport {
        let script = PatchScript(name: "main.lua", bytes: Array((patch ?? self.patch).utf8))
        let manifest = try Manifest(
            id: "com.example.fix", version: 1, app: "com.example.shop", instances: instances, replaces: replaces,
            scripts: [.init(name: script.name, byteCount: script.bytes.count)])
        let registry = PatchRegistry()
        _ = try registry.replaceable("Cart.total") { (a: Double, b: Int) -> Double in a }
        return SpecRunner.run(
            PatchScript(name: "spec.lua", bytes: Array(spec.utf8)),
            on: [VerifiedPatch(unverifiedForTesting: manifest, scripts: [script])],
            interface: interface
                ? registry.interface(of: try HostInfo(app: "com.example.shop", version: "2.3.1")) : nil,
            filter: filter, covers: covers, shadows: shadows)
    }

    private static let define = "host.define('Cart.total', function(a, b) return a * b end)\n"

    @Test func testsPassFailAndWait() throws {
        let report = try run(
            Self.define + """
                describe("total", function()
                  it("passes", function() assert.equal(0, host.call("Cart.total", 1, -1)) end)
                  it("fails", function()
                    assert.equal(1, host.call("Cart.total", 1, -1))
                  end)
                  it("raises", function() error("oops") end)
                  pending("waits")
                end)
                """)
        #expect(report.error == nil)
        #expect(report.replacements == 1)
        #expect(report.tests.map(\.name) == ["total passes", "total fails", "total raises", "total waits"])
        #expect(report.tests.map(\.status) == [.passed, .failed, .failed, .pending])
        #expect(report.tests.map(\.line) == [3, 4, 7, 8])
        #expect(report.tests[1].message.hasPrefix("spec.lua:5: expected 1, got 0"))
        #expect(report.tests[2].message.hasPrefix("spec.lua:7: oops"))
        #expect(!report.isGood)
    }

    /// Neither the stack of the patch nor that of the spec has room for any number of arguments.
    @Test func aCallHasAtMostAHundredArguments() throws {
        let many = (1...100).map(String.init).joined(separator: ", ")
        let report = try run(
            """
            host.define('Cart.total', function(...) return select('#', ...) end)
            it('a', function() host.call('Cart.total', 1) end)
            it('b', function()
              assert.error_matches(function() host.call('Cart.total', 1, \(many)) end, 'takes 100 arguments, got 101')
            end)
            """,
            patch: """
                local function grow(n, original, ...)
                  if n == 0 then return original(...) end
                  return grow(n - 1, original, \(many), ...)
                end
                patch.replace('Cart.total', function(original) return grow(100, original) end)
                """)
        #expect(report.tests.map(\.status) == [.failed, .passed], "\(report.tests.map(\.message))")
        #expect(report.tests[0].message.contains("takes 100 arguments, got 10000"))
    }

    @Test func aSpecThatRemovesItsRunnerFails() throws {
        #expect(try run("it('a', function() end)\nit('b', function() end)").isGood)
        for change in ["_G.__spec = nil", "_G.__spec = 1", "setmetatable(_G, {__index = error}) _G.__spec = nil"] {
            let report = try run("it('a', function() \(change) end)\nit('b', function() end)")
            #expect(!report.isGood, "\(change)")
        }
    }

    @Test func aSpecSeesTheWordsAndTheCodeOfAnError() throws {
        let report = try run(
            """
            host.define('Cart.total', function(a, b)
              if b == 2 then error({price = 5}) end
              host.throw({price = 5})
            end)
            it("is thrown", function()
              local ok, failure = pcall(host.call, "Cart.total", 1, 1)
              assert.same({false, "gone", 404, nil}, {ok, failure.message, failure.code, failure.other})
            end)
            it("is the app's", function()
              for b = 2, 3 do
                local ok, failure = pcall(host.call, "Cart.total", 1, b)
                assert.same({false, "an error that is {price = 5}"}, {ok, failure.message})
                assert.is_nil(failure.code)
              end
            end)
            """,
            patch: """
                patch.replace("Cart.total", function(original, a, b)
                  if b == 1 then host.throw("gone", 404) end
                  return original(a, b)
                end)
                """)
        #expect(report.tests.map(\.message) == ["", ""])
    }

    /// A patch's errors are shown like a spec's errors.
    @Test(arguments: [
        "{}", "{code = 5}", "{1, {2.5, true}, x = print == nil}", #"{[10] = "q\"\\\n", ["a b"] = {}}"#, "{{{{{{1}}}}}}",
    ])
    func aPatchsErrorsLookLikeThoseOfASpec(_ value: String) throws {
        let report = try run(
            Self.define + """
                local words
                it("fails in the patch", function()
                  host.call("Cart.total", 1, 1)
                  words = host.failures()[1].message
                end)
                it("fails in the spec", function() error(\(value)) end)
                it("tells", function() error(words, 0) end)
                """, patch: "patch.replace('Cart.total', function() error(\(value)) end)")
        let messages = report.tests.map { $0.message.split(separator: "\n").first ?? "" }
        #expect(messages.count == 3 && messages[0] == "" && messages[1].hasPrefix("an error that is {"))
        #expect(messages[1] == messages[2])
    }

    @Test func specWithoutRunnableTestIsNotGood() throws {
        #expect(try !run(Self.define).isGood)
        #expect(try run("x =").error?.message == "spec.lua:1: unexpected symbol near <eof>")
        let broken = try run(Self.define + "\ndescribe('a', function() error('b') end) it('c', function() end)")
        #expect(broken.tests.map(\.name) == ["a", "c"] && broken.tests.map(\.status) == [.failed, .passed])
        #expect(broken.tests[0].message.contains("b"))
        let nothing = try run(Self.define + "it('a', function() end)", patch: "local x = 1", replaces: [])
        #expect(nothing.error?.message == "the script replaces nothing")
        #expect(try run("it('a', function() end)", patch: "patch.replace('Cart.total'").error?.code == .script)
    }

    @Test func eachTestHasThePatchAnew() throws {
        let report = try run(
            Self.define + """
                for i = 1, 3 do it("counts " .. i, function() assert.equal(1, host.call("Cart.total", 1, 1)) end) end
                """, patch: "local n = 0 patch.replace('Cart.total', function() n = n + 1 return n end)")
        #expect(report.isGood, "\(report)")
    }

    /// Calls may run in different instances, so a test whose outcome depends on a value kept by a call fails, in both
    /// directions.
    @Test func aTestPassesWithANewInstanceForEachCall() throws {
        let spec =
            Self.define + """
                it("counts", function()
                  assert.equal(1, host.call("Cart.total", 1, 1))
                  assert.equal(2, host.call("Cart.total", 1, 1))
                end)
                it("does not", function()
                  assert.equal(1, host.call("Cart.total", 1, 1))
                end)
                """
        let counts = "local n = 0 patch.replace('Cart.total', function() n = n + 1 return n end)"
        let report = try run(spec, patch: counts)
        #expect(report.tests.map(\.status) == [.failed, .passed])
        let message = report.tests[0].message
        #expect(message.hasPrefix("with one instance of the patch, the test passed\n"), "\(message)")
        #expect(message.contains("with a new instance for each call, it failed: spec.lua:4: expected 2, got 1"))
        #expect(
            message.hasSuffix(
                "add `-- @instances 1` to the head of a patch whose calls must see the state of earlier calls"))
        #expect(try run(spec, patch: counts, instances: 1).isGood)
        // The other direction.
        let forgets = try run(
            Self.define + """
                it("is the first", function()
                  host.call("Cart.total", 1, 1)
                  assert.equal(1, host.call("Cart.total", 1, 1))
                end)
                """, patch: counts)
        #expect(forgets.tests[0].status == .failed)
        #expect(forgets.tests[0].message.contains("it passed"))
    }

    /// A spec's requests are counted over all instances.
    @Test func newInstancesAreOnePatch() throws {
        let patch = """
            log.info("loaded")
            patch.replace('Cart.total', function(original, a, b)
              if a == 0 then error("no") end
              log.warn("runs")
              return original(a, b)
            end)
            """
        let report = try run(
            """
            host.define('Cart.total', function(a, b)
              if b > 1 then return host.call('Cart.total', a, b - 1) end
              return a
            end)
            it("asks", function()
              assert.equal(2, host.call("Cart.total", 2, 3))
              assert.has_error(function() host.call("Cart.total", 0, {}) end)
              assert.equal(0, host.call("Cart.total", 0, 1))
              assert.equal(2, host.fellback("Cart.total"))
              assert.equal(2, #host.failures())
              assert.same({"info: loaded", "warn: runs", "warn: runs", "warn: runs"}, host.logs())
            end)
            it("fails too often", function()
              for i = 1, 6 do host.call("Cart.total", 0, 1) end
              assert.equal(5, #host.failures())
              host.call("Cart.total", 2, 1)
              assert.same({"info: loaded"}, host.logs())
            end)
            it("calls often", function()
              for i = 1, 1500 do assert.equal(2, host.call("Cart.total", 2, 1)) end
            end)
            """, patch: patch)
        #expect(report.isGood, "\(report.tests)")
    }

    @Test func otherwiseAnswersInASpec() throws {
        let report = try run(
            Self.define + """
                it("answers", function()
                  for i = 1, 8 do assert.equal(-1, host.call("Cart.total", 2, 3)) end
                  assert.equal(8, host.fellback("Cart.total"))
                  assert.equal(5, #host.failures())
                  assert.same({}, host.calls("Cart.total"))
                end)
                """, patch: "patch.replace('Cart.total', function() error('no') end, {otherwise = -1})", interface: true
        )
        #expect(report.isGood, "\(report.tests)")
        let wrong = try run(
            Self.define + "it('a', function() end)",
            patch: "patch.replace('Cart.total', function() return 1 end, {otherwise = 'x'})", interface: true)
        #expect(wrong.error?.message == "`otherwise` of Cart.total: expected number, got string")
    }

    @Test func aSpecAsksWhatHappened() throws {
        let report = try run(
            Self.define + """
                it("asks", function()
                  host.call("Cart.total", 2, 3)
                  host.call("Cart.total", 2, -3)
                  assert.same({{2, 3}}, host.calls("Cart.total"))
                  assert.equal(0, host.fellback("Cart.total"))
                  assert.is_true(host.fuel() > 0 and host.fuel() < 20)
                  assert.equal(6, host.call("Cart.total", 2, 3.0))
                  assert.has_error(function() host.call("Cart.total", 2, {}) end)
                  assert.equal(1, host.fellback("Cart.total"))
                  assert.matches("attempt to compare", host.failures()[1].message)
                  assert.equal(1, host.failures()[1].line)
                  assert.has_error(function() host.call("Cart.nothing") end)
                end)
                """)
        #expect(report.isGood, "\(report.tests)")
    }

    @Test func specWithInterfaceHasTypesOfApp() throws {
        let report = try run(
            Self.define + """
                it("refuses wrong arguments", function()
                  assert.error_matches(function() host.call("Cart.total", "x", 1) end, "argument 1 of Cart.total: expected number, got string")
                  assert.error_matches(function() host.call("Cart.total", 1, 2, 3) end, "takes 2 arguments, got 3")
                end)
                it("refuses wrong answers", function()
                  assert.equal(3, host.call("Cart.total", 3, 1))
                  assert.equal("wrong result: expected number, got string", host.failures()[1].message)
                end)
                it("knows what there is", function()
                  assert.has_error(function() host.define("Cart.other", function() end) end)
                end)
                """, patch: "patch.replace('Cart.total', function(original, a, b) original(a, b) return 'x' end)",
            interface: true)
        // The original returns the result if the patch's result does not fit.
        #expect(report.tests.map(\.status) == [.passed, .passed, .passed], "\(report.tests)")
    }

    @Test func specCoverageExecutedLinesAreCounted() throws {
        let report = try run(
            Self.define + "it('a', function() host.call('Cart.total', 1, 1) host.call('Cart.total', 1, 2) end)",
            patch: """
                patch.replace("Cart.total", function(original, a, b)
                  if b < 0 then
                    return 0
                  end
                  return original(a, b)
                end)
                """, covers: true)
        let lines = try #require(report.coverage[SpecReport.key("com.example.fix", "main.lua")])
        #expect(lines[3] == 0)
        #expect(lines[2] == 2 && lines[5] == 2)
        #expect(lines[4] == nil)
    }

    /// The forms in the documentation of busted (https://lunarmodules.github.io/busted), one after the other.
    @Test func bustedsStyleRunsAsItIs() throws {
        let report = try run(
            Self.define + #"""
                describe("Busted unit testing framework", function()
                  local obj1, obj2, log = nil, nil, {}
                  setup(function() log[#log + 1] = "setup" end)
                  teardown(function() log[#log + 1] = "teardown" end)
                  before_each(function() obj1 = { test = "yes" } obj2 = { test = "yes" } end)
                  after_each(function() log[#log + 1] = "after" end)

                  describe("should be awesome", function()
                    it("should be easy to use", function() assert.truthy("Yup.") end)

                    it("should have lots of features", function()
                      assert.are.same({ table = "great"}, { table = "great" })
                      assert.are_not.equal({ table = "great"}, { table = "great"})
                      assert.truthy("this is a string")
                      assert.True(1 == 1)
                      assert.is_true(1 == 1)
                      assert.falsy(nil)
                      assert.has_error(function() error("Wat") end, "Wat")
                    end)

                    it("should provide some shortcuts to common functions", function()
                      assert.are.unique({{ thing = 1 }, { thing = 2 }, { thing = 3 }})
                      assert.is_not_nil(obj1)
                      assert.is.number(1) assert.is_string("x") assert.is_table({}) assert.is_function(print) assert.is_nil(nil)
                      assert.is_not.equal(1, 2) assert.is_not_true(false) assert.are_equal(1, 1) assert.Not.equal(1, 2)
                      assert.is_false(false) assert.is_boolean(true) assert.is.near(1.5, 1.6, 0.2)
                      assert.no.errors(function() end) assert.has_no.errors(function() end) assert.has.errors(function() error() end)
                      assert.error_matches(function() error("some text") end, "so.e")
                      assert(true) assert(1, "message")
                      assert.has_error(function() assert(false, "said") end, "said")
                      assert.has_error(function() assert.is_true(false) end)
                    end)

                    it("checks deep tables", function()
                      assert.same({a = {b = {1, 2}}}, {a = {b = {1, 2}}})
                      assert.not_same({a = 1}, {a = 1, b = 2})
                      assert.is_not.same(obj1, {})
                    end)

                    pending("I should finish this test later")
                    it("cleans up", function()
                      finally(function() log[#log + 1] = "finally" end)
                      assert.equal("setup", log[1])
                    end)
                  end)
                  insulate("an insulated test", function() it("runs", function() assert.is_true(true) end) end)
                end)
                """#)
        #expect(report.error == nil)
        #expect(report.tests.count == 7)
        #expect(
            report.tests.filter { $0.status == .failed }.isEmpty,
            "\(report.tests.filter { $0.status == .failed }.map(\.message))")
    }

    @Test func aSpecCannotPassByAccident() throws {
        func statuses(_ body: String) throws -> [SpecReport.Status] { try run(Self.define + body).tests.map(\.status) }
        #expect(try statuses("it('a', function() os.exit() end) it('b', function() end)") == [.failed, .passed])
        #expect(try statuses("it('a', function() it('inner', function() end) end)") == [.failed])
        #expect(try statuses("it('a')") == [.pending])
        #expect(
            try statuses(
                "local n = 0 after_each(function() error('no') end) after_each(function() n = n + 1 end) it('a', function() end) it('b', function() assert.equal(1, n) error('yes') end)"
            ) == [.failed, .failed])
        #expect(
            try statuses(
                "describe('s', function() setup(function() error('no') end) it('a', function() end) it('b', function() end) end)"
            )
                == [.failed])
        #expect(try statuses("__spec.advance = function() end").isEmpty)
        #expect(try statuses("it('a', function() assert.same(nil) end)") == [.failed])
        #expect(try statuses("before_each(function() pending('no') end) it('a', function() end)") == [.pending])
    }

    /// The tests of a block in another one are known only after the code of both.
    @Test func aFilterLeavesOutTheSetupsOfOtherBlocks() throws {
        let spec =
            Self.define + """
                local calls = {}
                local function note(name) return function() calls[#calls + 1] = name end end
                describe("first", function()
                  setup(note "first")
                  teardown(note "end of first")
                  it("one", function() end)
                end)
                describe("second", function()
                  setup(function() error("no") end)
                  teardown(function() error("no") end)
                  it("two", function() end)
                end)
                describe("third", function()
                  local names
                  setup(function() names = {"three"} end)
                  describe("inner", function()
                    setup(note "inner")
                    for _, name in ipairs(names) do it(name, function() end) end
                  end)
                end)
                it("saw one", function() assert.same({"first", "end of first"}, calls) end)
                """
        for (filter, names) in [("one", ["first one", "saw one"]), ("three", ["third inner three"])] {
            let report = try run(spec, filter: filter)
            #expect(report.tests.map(\.name) == names && report.isGood, "\(report.tests)")
        }
        #expect(try run(spec).tests.contains { $0.name == "second" && $0.status == .failed })
    }

    /// The beginning of an assertion is a value. What was done with it before changes nothing.
    @Test func aKeptAssertionAssertsEachTime() throws {
        let report = try run(
            Self.define + """
                local equal, differ, is, named = assert.are.equal, assert.is_not.equal, assert.is, assert.message("mine").equal
                local list = assert.array({1, nil, 3})
                it("fails the second time", function() equal(1, 1) equal(1, 2) end)
                it("is negated each time", function() differ(1, 2) differ(1, 2) end)
                it("is negated and fails", function() differ(1, 2) differ(1, 1) end)
                it("goes on", function() is.not_equal(1, 2) is.equal(1, 1) is.Not.same({}, {1}) is.same({}, {}) end)
                it("drops the words of one call", function() equal(1, 1, "first") equal(1, 2) end)
                it("keeps its own words", function() named(1, 1, "first") named(1, 2) end)
                it("keeps its list", function() list.has.holes() list.has.no.holes(1) list.has.no.holes() end)
                it("has words after a boolean", function() assert.unique({1, 1}, true, "mine") end)
                """)
        let expected = [
            "expected 1, got 2", "", "not expected 1, got 1", "", "expected 1, got 2", "mine: expected 1, got 2",
            "not expected no hole in {1, 3}, and there is one at 2", "mine: expected no two the same in {1, 1}",
        ]
        for (test, message) in zip(report.tests, expected) {
            #expect(test.status == (message.isEmpty ? .passed : .failed), "\(test)")
            #expect(test.message.contains(message), "\(test)")
        }
        #expect(report.tests.count == expected.count)
    }

    @Test func anAssertionThatPassesMakesNoMessage() throws {
        let report = try run(
            Self.define + """
                it("is quick", function()
                  local format, made = string.format, 0
                  string.format = function(...) made = made + 1 return format(...) end
                  assert.equal("a", "a") assert.not_equal("a", "b") assert.same({"a"}, {"a"}) assert.not_same({"a"}, {"b"})
                  assert.near("1", "1", "0") assert.is_not_true("a") assert.truthy("a") assert.is_string("a")
                  assert.is_not_nil("a") assert.unique({"a", "b"}) assert.contains("a", {"a"}) assert.matches("a", "a")
                  assert.has_error(function() error("a") end, "a") assert.error_matches(function() error("a") end, "a")
                  assert.array({"a"}).has.no.holes() assert.returned_arguments("1", "a")
                  local before = made
                  local _, message = pcall(assert.equal, "a", "b")
                  string.format = format
                  assert.same({0, 2}, {before, made})
                  assert.equal([[expected "a", got "b"]], message)
                end)
                """)
        #expect(report.isGood, "\(report.tests)")
    }

    @Test func theMessageOfAnyTextCanBeMade() throws {
        let report = try run(
            Self.define + #"""
                it("is no text", function() assert.is_table(("\xAA"):rep(1001)) end)
                it("differs", function() assert.equal(("\xAA"):rep(1001), ("\xAA"):rep(1001) .. "a") end)
                """#)
        #expect(report.tests.map(\.status) == [.failed, .failed])
        #expect(report.tests[0].message.contains(#"expected a table, got "" … 1001 bytes … """#), "\(report.tests)")
        #expect(report.tests[1].message.contains("they differ at byte 1002"), "\(report.tests)")
    }

    /// Tables that hold themselves or each other, and tables that are in many places.
    @Test func tablesAreComparedOnce() throws {
        let report = try run(
            Self.define + """
                local function cycle(length)
                  local first = {}
                  local last = first
                  for _ = 2, length do last = {next = last} end
                  first.next = last
                  return first
                end
                local function tree(leaf)
                  for _ = 1, 40 do leaf = {leaf, leaf} end
                  return leaf
                end
                it("are the same", function()
                  assert.same(cycle(1), cycle(2))
                  assert.same(cycle(3), cycle(2))
                  assert.same(tree(1), tree(1))
                end)
                it("differ", function()
                  local other = cycle(2)
                  other.next.x = ("x"):rep(60)
                  assert.same(cycle(1), other)
                end)
                it("differ far inside", function() assert.same({tree(1), x = 1}, {tree(1), x = 2}) end)
                """)
        #expect(report.tests.map(\.status) == [.passed, .failed, .failed], "\(report.tests)")
        #expect(report.tests[1].message.contains(".next.x: expected nothing, got \"xxx"), "\(report.tests)")
        #expect(report.tests[2].message.contains(".x: expected 1, got 2"), "\(report.tests)")
    }

    private static let failing = """
        patch.replace("Cart.total", function(original, a, b)
          if b == 99 then error("no") end
          return original(a, b)
        end)
        """

    /// After a failure the original answers, so that the spec's code goes on.
    @Test(arguments: [
        ("%", "the spec"), ("setup(function() % end)", "the spec"), ("teardown(function() % end)", "the spec"),
        ("describe('a', function() % end)", "a"),
        ("describe('a', function() describe('b', function() setup(function() % end) end) end)", "a b"),
        ("describe('a', function() teardown(function() % end) it('t', function() end) end)", "a"),
        ("describe('a', function() lazy_teardown(function() % end) it('t', function() end) end)", "a"),
    ])
    func aFailureOutsideOfTestsFailsItsBlock(_ place: String, _ name: String) throws {
        func tests(_ code: String) throws -> [SpecReport.Test] {
            let spec = Self.define + place.replacing("%", with: code) + "\nit('good', function() end)"
            let report = try run(spec, patch: Self.failing)
            #expect(report.error == nil)
            return report.tests.filter { $0.name != "a t" }
        }
        let failed = try tests("host.call('Cart.total', 1, 99)")
        #expect(failed.map(\.name).sorted() == ["good", name].sorted(), "\(failed)")
        for test in failed {
            #expect(test.status == (test.name == name ? .failed : .passed), "\(test)")
            #expect(test.message.hasPrefix("the patch failed in Cart.total: main.lua:2: no") == (test.name == name))
        }
        // A spec that asks for failures expects some.
        let asked = try tests("host.call('Cart.total', 1, 99) assert.equal(1, #host.failures())")
        #expect(asked.map(\.name) == ["good"] && asked[0].status == .passed, "\(asked)")
    }

    @Test func theErrorOfABlockHasTheFailuresOfThePatch() throws {
        let code = "host.call('Cart.total', 1, 99) error('oops')"
        let block = try run(
            Self.define + "describe('a', function() setup(function() \(code) end) it('t', function() end) end)",
            patch: Self.failing)
        #expect(block.tests.map(\.name) == ["a"])
        #expect(block.tests[0].message.contains("spec.lua:2: oops"), "\(block.tests)")
        #expect(block.tests[0].message.contains("the patch failed in Cart.total"), "\(block.tests)")
        let whole = try #require(try run(Self.define + code, patch: Self.failing).error?.message)
        #expect(whole.hasPrefix("spec.lua:2: oops") && whole.contains("the patch failed in Cart.total"), "\(whole)")
    }

    /// Nor does a test see what the code of a block has left in the patch.
    @Test func aTestSeesNothingOfTheBlocksAroundIt() throws {
        let spec =
            Self.define + """
                local function call() return host.call("Cart.total", 1, 1) end
                local function fail() for _ = 1, 6 do host.call("Cart.total", 1, 99) end return host.failures() end
                describe("a", function()
                  call()
                  setup(call)
                  teardown(call)
                  teardown(fail)
                  it("has", function() end)
                end)
                describe("b", function()
                  setup(fail)
                  it("has", function()
                    assert.same({}, host.calls("Cart.total"))
                    assert.same({"info: loaded"}, host.logs())
                    assert.equal(0, host.fellback("Cart.total"))
                    assert.equal(1, call())
                  end)
                end)
                """
        let report = try run(
            spec,
            patch: """
                log.info("loaded")
                local count = 0
                patch.replace("Cart.total", function(original, a, b)
                  count = count + 1
                  if b == 99 then error("no") end
                  log.warn("called")
                  original(a, b)
                  return count
                end)
                """)
        #expect(report.tests.map(\.name) == ["a has", "b has"] && report.isGood, "\(report)")
    }

    /// A block that fails in one of the two runs only makes their lists of tests differ.
    @Test(arguments: [("last == 1", true), ("last == 0", false)])
    func aBlockEndsWellWithANewInstanceForEachCall(_ condition: String, _ failsFirst: Bool) throws {
        let report = try run(
            Self.define + """
                describe("a", function()
                  teardown(function() host.call("Cart.total", 1, 1) host.call("Cart.total", 1, 2) end)
                  it("t", function() end)
                end)
                """,
            patch: """
                local last = 0
                patch.replace("Cart.total", function(original, a, b)
                  if b == 2 and \(condition) then error("no") end
                  last = b
                  return b
                end)
                """)
        #expect(report.tests.map(\.name) == (failsFirst ? ["a t", "a"] : ["a t"]))
        let message = try #require(report.error?.message)
        #expect(message.hasPrefix("with a new instance of the patch for each call, the spec has other tests"))
        #expect(message.contains("a failed: the patch failed in Cart.total: main.lua:3: no") == !failsFirst)
    }

    @Test func shadowCountsTheCallsOutsideOfTests() throws {
        let call = "host.call('Cart.total', 1, -1)"
        let report = try run(
            Self.define + """
                \(call)
                describe("a", function()
                  \(call)
                  setup(function() \(call) end)
                  teardown(function() \(call) end)
                  it("t", function() \(call) end)
                end)
                """, shadows: true)
        #expect(report.comparisons["Cart.total"]?.differed == 5, "\(report.comparisons)")
    }

    /// What a test defines ends with it, and what is defined around tests stays.
    @Test func aDefinitionInATestEndsWithIt() throws {
        let report = try run(
            """
            local function define(answer) host.define("Cart.total", function() return answer end) end
            local function gives(answer)
              return function() assert.equal(answer, host.call("Cart.total", 1, 1)) end
            end
            local function has_none()
              assert.error_matches(function() host.call("Cart.total", 1, 1) end, "has no original of Cart.total")
              host.failures()
            end
            it("defines", function() define(1) gives(1)() end)
            it("is without it", has_none)
            it("defines and fails", function() define(1) error("oops") end)
            it("is without that", has_none)
            describe("before each", function()
              before_each(function() define(2) end)
              after_each(function() define(3) end)
              it("has one", gives(2))
              it("has its own again", function() gives(2)() define(1) end)
            end)
            it("is without those", has_none)
            describe("a setup", function()
              setup(function() define(4) end)
              it("defines", function() gives(4)() define(1) end)
              it("has it again", gives(4))
            end)
            describe("a lazy setup", function()
              lazy_setup(function() define(5) end)
              it("defines", function() gives(5)() define(1) end)
              it("has it again", gives(5))
            end)
            """)
        #expect(report.tests.count == 11)
        for test in report.tests { #expect((test.status == .failed) == (test.name == "defines and fails"), "\(test)") }
    }

    @Test func specNumberArgumentsHaveTypesOfApp() throws {
        let report = try run(
            "host.define('Cart.total', function(a, b) return math.type(a) == 'float' and math.type(b) == 'integer' and 1 or 0 end)"
                + " it('a', function() assert.equal(1.0, host.call('Cart.total', 2, 4 / 2)) end)"
                + " it('b', function() assert.equal('float', math.type(host.call('Cart.total', 2, 1))) end)",
            patch:
                "patch.replace('Cart.total', function(o, a, b) assert(math.type(a) == 'float' and math.type(b) == 'integer') return o(a, b) end)",
            interface: true)
        #expect(report.isGood, "\(report.tests)")
    }

    private struct Item: PatchStruct {
        var price: Double
        var name: String?
        static let patchFields = PatchFields(Item.init, .field("price", \.price), .field("name", \.name))
    }

    @Test func theCasesOfEnumsAreChecked() throws {
        enum Mood: String, Codable, PatchValue, CaseIterable { case good, bad }
        let registry = PatchRegistry()
        _ = try registry.replaceable("Cart.mood") { (mood: Mood) -> Mood in mood }
        let script = PatchScript(
            name: "main.lua",
            bytes: Array("patch.replace('Cart.mood', function(original, mood) return mood .. '' end)".utf8))
        let spec = """
            host.define("Cart.mood", function(mood) return mood end)
            it("is right", function() assert.equal("bad", host.call("Cart.mood", "bad")) end)
            it("is no mood", function()
              assert.error_matches(function() host.call("Cart.mood", "god") end, "expected Mood, got the string god")
            end)
            it("is no string", function()
              assert.error_matches(function() host.call("Cart.mood", 5) end, "expected Mood, got integer")
            end)
            """
        let manifest = try Manifest(
            id: "com.example.fix", version: 1, app: "com.example.shop", replaces: ["Cart.mood"],
            scripts: [.init(name: "main.lua", byteCount: script.bytes.count)])
        let report = SpecRunner.run(
            PatchScript(name: "spec.lua", bytes: Array(spec.utf8)),
            on: [VerifiedPatch(unverifiedForTesting: manifest, scripts: [script])],
            interface: registry.interface(of: try HostInfo(app: "com.example.shop", version: "2.3.1")))
        #expect(report.tests.map(\.status) == [.passed, .passed, .passed], "\(report.tests)")
    }

    /// Several patches on a function are called by their ids, whatever their order on the command line.
    @Test func severalPatchesHaveTheirOrder() throws {
        let patches = try ["a", "b", "c"].map { name in
            let text = "patch.replace('Cart.name', function(original, x) return original(x .. '\(name)') end)"
            let script = PatchScript(name: "main.lua", bytes: Array(text.utf8))
            let manifest = try Manifest(
                id: "com.example.\(name)", version: 1, app: "com.example.shop", replaces: ["Cart.name"],
                scripts: [.init(name: "main.lua", byteCount: script.bytes.count)])
            return VerifiedPatch(unverifiedForTesting: manifest, scripts: [script])
        }
        let spec = """
            host.define("Cart.name", function(x) return x end)
            it("is called in order", function()
              for _ = 1, 3 do assert.equal("cba", host.call("Cart.name", "")) end
            end)
            """
        for given in [patches, patches.reversed(), [patches[1], patches[2], patches[0]]] {
            let report = SpecRunner.run(
                PatchScript(name: "spec.lua", bytes: Array(spec.utf8)), on: given, interface: nil)
            #expect(report.tests.map(\.status) == [.passed], "\(report.tests)")
        }
    }

    /// A wrong table fails here with the same message as in the app.
    @Test func theFieldsOfStructsAreChecked() throws {
        let registry = PatchRegistry()
        _ = try registry.replaceable("Cart.first") { (items: [Item]) -> Item? in items.first }
        let script = PatchScript(
            name: "main.lua",
            bytes: Array("patch.replace('Cart.first', function(original, items) return make(original, items) end)".utf8)
        )
        let make = """
            function make(original, items)
              if items[1].name == "wrong" then return {pirce = 9} end
              if items[1].name == "argument" then return original({{price = "9"}}) end
              return {price = 9, name = items[1].name, other = 1}
            end
            """
        let manifest = try Manifest(
            id: "com.example.fix", version: 1, app: "com.example.shop", replaces: ["Cart.first"],
            scripts: [.init(name: "main.lua", byteCount: script.bytes.count)])
        let spec = """
            host.define("Cart.first", function(items) return items[1] end)
            it("is right", function()
              local item = host.call("Cart.first", {{price = 1, name = "x", other = 2}})
              assert.same({price = 9.0, name = "x"}, item)
              assert.equal("float", math.type(item.price))
            end)
            it("is wrong", function()
              host.call("Cart.first", {{price = 1, name = "wrong"}})
              assert.equal("wrong result: expected Item: missing field price", host.failures()[1].message)
            end)
            it("is a wrong argument", function()
              host.call("Cart.first", {{price = 1, name = "argument"}})
              assert.matches("argument 1 of Cart.first: element 1: expected Item: price: expected number, got string", host.failures()[1].message, 1, true)
            end)
            it("refuses a wrong item of its own", function()
              assert.error_matches(function() host.call("Cart.first", {{name = "x"}}) end, "missing field price")
            end)
            """
        let whole = PatchScript(name: "main.lua", bytes: Array(make.utf8) + [0x0A] + script.bytes)
        let report = SpecRunner.run(
            PatchScript(name: "spec.lua", bytes: Array(spec.utf8)),
            on: [VerifiedPatch(unverifiedForTesting: manifest, scripts: [whole])],
            interface: registry.interface(of: try HostInfo(app: "com.example.shop", version: "2.3.1")))
        #expect(report.tests.map(\.status) == [.passed, .passed, .passed, .passed], "\(report.tests)")
    }
}
