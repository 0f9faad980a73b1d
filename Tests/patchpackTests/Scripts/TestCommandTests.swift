import Foundation
import TestSupport
import Testing

@Suite(.ownThreads) struct TestCommandTests {
    private let workshop: ReleaseFixture

    init() throws {
        workshop = try ReleaseFixture()
        for folder in ["patches", "specs"] {
            try FileManager.default.copyItem(
                atPath: "\(Tool.root)/examples/\(folder)", toPath: workshop.folder.at(folder))
        }
        try workshop.folder.write(try Tool.run(Tool.shop, ["--interface"]).output, to: "interface.json")
    }

    private func test(_ arguments: String...) throws -> Tool {
        try Tool.run(
            Tool.patchpack, ["test"] + arguments + ["--interface", "interface.json"], in: workshop.folder.path)
    }

    @Test(arguments: [
        ("cart-total", 0), ("discount-rounding", 0), ("shipping-weight", 0), ("stock-reserve", 0),
        ("receipt-greeting", 20),
    ])
    func eachExampleHasItsSpec(_ name: String, _ status: Int32) throws {
        let run = try test("patches/\(name).lua", "--spec", "specs/\(name).lua")
        #expect(run.status == status, "\(run.text)\(run.error)")
    }

    @Test func aFailureSaysWhatThePatchDid() throws {
        let run = try test("patches/receipt-greeting.lua", "--spec", "specs/receipt-greeting.lua")
        #expect(
            run.lines == [
                "ok  Receipt.greeting names the title", "failed  Receipt.greeting has one space without a title",
                #"    specs/receipt-greeting.lua:12: expected "Dear Ada", got "Dear  Ada""#, "    stack traceback:",
                "      specs/receipt-greeting.lua:12: in field 'body'",
                "    the patch failed in Receipt.greeting: receipt-greeting.lua:10: attempt to get length of a nil value (local 'title')",
            ])
        #expect(run.error == "1 passed, 1 failed, 0 pending\n")
    }

    /// Services refuse annotations of more than 64 KB, and parsers refuse attributes of more than 10 MB.
    @Test(arguments: ["text", "json", "junit", "tap", "github"]) func aLongValueIsCutWhereItDiffers(format: String)
        throws
    {
        try workshop.folder.write(
            """
            it("long", function() assert.equal(("é"):rep(100000) .. "x" .. ("y"):rep(100000), ("é"):rep(100000) .. "z") end)
            it("table", function() assert.same({("a"):rep(200000)}, {("b"):rep(200000)}) end)
            it("error", function() error(("c"):rep(200000)) end)

            """, to: "long.lua")
        let run = try test("patches/cart-total.lua", "--spec", "long.lua", "--format", format)
        #expect(run.status == 20 && run.output.count < 60_000, "\(run.output.count)")
        #expect(
            run.text.contains("they differ at byte 200001") && run.text.contains("bytes …"), "\(run.text.prefix(3000))")
        #expect(String(validating: run.output, as: UTF8.self) != nil)
    }

    /// What would be cut off may have the test that fails.
    @Test func aSpecThatIsTooLargeIsRefused() throws {
        let spaces = [UInt8](repeating: 32, count: 8 << 20)
        let failing = "it('fails', function() error('no') end)"
        try workshop.folder.write(
            Array("it('passes', function() end)".utf8) + spaces + Array(failing.utf8), to: "large.lua")
        let run = try test("patches/cart-total.lua", "--spec", "large.lua")
        #expect(run.status == 16 && !run.text.contains("ok  passes"), "\(run.text)\(run.error)")
        #expect((run.text + run.error).contains("larger than the 8388608 bytes"), "\(run.text)\(run.error)")
    }

    @Test func aPatchWithoutASpecFailsOnlyIfThatIsAsked() throws {
        try workshop.folder.write(ReleaseFixture.script.replacing("cart-total", with: "bare"), to: "few/bare.lua")
        try #require(try workshop.shell("cp patches/cart-total.lua few").status == 0)
        let lax = try test("few", "--spec", "specs/cart-total.lua")
        #expect(lax.status == 0 && lax.error.contains("warning: few/bare.lua: no spec for com.example.shop.bare"))
        let strict = try test("few", "--spec", "specs/cart-total.lua", "--strict")
        #expect(strict.status == 20 && strict.error.contains("error: few/bare.lua: no spec"), "\(strict.error)")
        #expect(try test("patches/cart-total.lua", "--spec", "specs/cart-total.lua", "--strict").status == 0)
    }

    @Test func envelopesAreVerifiedFirst() throws {
        #expect(try workshop.pack("patches/cart-total.lua", "-o", "cart.js").status == 0)
        let keys = ["--trusted-key", "trusted.pem", "--script-key", "script.key", "--spec", "specs/cart-total.lua"]
        func run(_ file: String) throws -> Int32 {
            try Tool.run(Tool.patchpack, ["test", file] + keys, in: workshop.folder.path).status
        }
        #expect(try run("cart.js") == 0)
        #expect(
            try workshop.shell("cp cart.js changed.js; printf XYZW | dd of=changed.js bs=1 seek=100 conv=notrunc")
                .status
                == 0)
        #expect(try run("changed.js") == 11)
        #expect(try test("cart.js", "--spec", "specs/cart-total.lua").status == 64)
    }

    /// Debian's prove supports TAP only up to version 13, which is enough for this output.
    @Test func proveReadsTheTAP() throws {
        try workshop.folder.write(
            "#!/bin/sh\n\"$TOOL\" test patches/$1.lua --spec specs/$1.lua --interface interface.json --format tap\n",
            to: "tap.sh", mode: 0o755)
        let good = try workshop.shell("prove -e '' ./tap.sh :: cart-total")
        #expect(good.status == 0 && good.text.contains("All tests successful"), "\(good.text)\(good.error)")
        let bad = try workshop.shell("prove -e '' ./tap.sh :: receipt-greeting")
        #expect(bad.status != 0 && bad.text.contains("Failed 1/2 subtests"), "\(bad.text)")
    }

    @Test func elementTreeReadsTheXML() throws {
        let run = try workshop.shell(
            """
            "$TOOL" test patches/receipt-greeting.lua --spec specs/receipt-greeting.lua --interface interface.json --format junit >r.xml
            /usr/bin/python3 -c '
            import xml.etree.ElementTree as tree
            for suite in tree.parse("r.xml").iter("testsuite"):
                print(*map(suite.get, ["name", "tests", "failures", "errors"]), [case.get("name") for case in suite.iter("testcase")])
            '
            """)
        #expect(run.status == 0, "\(run.error)")
        #expect(
            run.lines == [
                "specs/receipt-greeting.lua 2 1 0 ['Receipt.greeting names the title', 'Receipt.greeting has one space without a title']"
            ])
    }

    @Test(.needs("lcov", "/usr/bin/lcov")) func lcovReadsTheCoverage() throws {
        let run = try test("patches/cart-total.lua", "--spec", "specs/cart-total.lua", "--coverage", "cover.info")
        #expect(run.status == 0)
        #expect(run.lines.last == "cart-total.lua: 6 of 6 lines ran")
        let summary = try workshop.shell("lcov --summary cover.info 2>&1")
        // lcov 2 writes more dots than lcov 1.
        #expect(summary.text.contains(/lines\.+: 100\.0% \(6 of 6 lines\)/), "\(summary.text)")
    }

    /// The files have the same names from wherever a path to them begins.
    @Test(arguments: ["patches/cart-total.lua", "specs/../patches/cart-total.lua", "$PWD/patches/cart-total.lua"])
    func coverageNamesFilesFromTheWorkingFolder(patch: String) throws {
        let run = try workshop.shell(
            "patchpack test \(patch) --spec specs/cart-total.lua --interface interface.json --coverage cover && grep SF: cover"
        )
        #expect(run.lines.last == "SF:patches/cart-total.lua", "\(run.text)\(run.error)")
    }

    @Test func shadowListsTheCallsThatWouldEndOtherwise() throws {
        let run = try test("patches/cart-total.lua", "--spec", "specs/cart-total.lua", "--shadow")
        #expect(run.status == 0)
        #expect(run.lines[3] == "in shadow  Cart.total: 5 agreed, 4 differed")
        #expect(run.lines[4] == "    cart-total.lua:8: -19.0 would be 0")
        let objects = try test(
            "patches/cart-total.lua", "--spec", "specs/cart-total.lua", "--shadow", "--format", "json"
        )
        .objects()
        let shadow = try #require(objects.first { $0["schema"] as? String == "patchpack.test-shadow/1" })
        #expect(shadow["differed"] as? Int == 4)
        #expect((shadow["examples"] as? [[String: Any]])?.first?["answer"] as? String == "-19.0")
        // In shadow, a patch calls no function of the app.
        try workshop.folder.write(
            """
            -- @patch com.example.shop.sends
            -- @version 1
            -- @app com.example.shop
            -- @replaces Cart.total
            patch.replace("Cart.total", function(original, price, quantity)
              host.call("Mail.send")
              return original(price, quantity)
            end)
            """, to: "sends.lua")
        try workshop.folder.write(
            """
            {"schema":"patchpack.interface/1","app":"com.example.shop","appVersion":"2.3.1","functions":[
            {"name":"Cart.total","arguments":["number","integer"],"result":"number","throws":false,"async":false},
            {"name":"Mail.send","arguments":[],"result":"nothing","throws":false,"async":false}],
            "structs":[],"scalars":[],"classes":[]}
            """, to: "sends.json")
        try workshop.folder.write(
            """
            it("totals", function()
              host.define("Cart.total", function(price, quantity) return price * quantity end)
              host.define("Mail.send", function() end)
              host.call("Cart.total", 2.0, 3)
            end)
            """, to: "sends-spec.lua")
        let sends = try workshop.shell("patchpack test sends.lua --spec sends-spec.lua --interface sends.json --shadow")
        #expect(sends.lines.contains("    not compared: host.call Mail.send (1)"), "\(sends.text)\(sends.error)")
    }

    /// In shadow, the original answers. What a spec asserts before its tests may need the patch.
    @Test func shadowThatDoesNotLoadFailsNothing() throws {
        try workshop.folder.write(
            """
            host.define("Cart.total", function() return 1.0 end)
            assert(host.call("Cart.total", 2.0, -3) == 0, "not patched")
            it("answers", function() assert(host.call("Cart.total", 2.0, -3) == 0) end)
            """, to: "body-spec.lua")
        let run = try workshop.shell("patchpack test patches/cart-total.lua --spec body-spec.lua --shadow")
        #expect(run.status == 0 && run.error.contains("warning: in shadow, the spec cannot be loaded"), "\(run.error)")
    }

    /// A spec whose function is missing, or must not run, says nothing about what the app would answer.
    @Test func shadowWithoutAnOriginalIsNotCompared() throws {
        let run = try workshop.shell(
            "patchpack test patches/discount-rounding.lua --spec specs/discount-rounding.lua --shadow")
        #expect(run.status == 0, "\(run.text)\(run.error)")
        #expect(run.lines.contains("in shadow  Discount.apply: 0 agreed, 2 could not be compared"), "\(run.text)")
        #expect(run.lines.contains("    not compared: the spec has no original of Discount.apply (1)"), "\(run.text)")
        #expect(run.lines.contains("    not compared: the spec's original failed (1)"), "\(run.text)")
    }

    /// The author sees where texts differ, even if they look alike, and the keys of the tables.
    @Test func shadowShowsTheFirstDifference() throws {
        try workshop.folder.write(
            """
            -- @patch com.example.shop.labels
            -- @version 1
            -- @app com.example.shop
            -- @replaces Cart.label
            patch.replace("Cart.label", function(original, way)
              local label = original(way)
              if way == 1 then label.text = label.text:sub(1, -2) .. "?" end
              if way == 2 then label.text = label.text:gsub("\u{A0}", " ") end
              if way == 3 then label["ein Wort"] = 3 end
              return label
            end)
            """, to: "labels.lua")
        try workshop.folder.write(
            """
            it("labels", function()
              host.define("Cart.label", function(way)
                if way == 1 then return {text = ("x"):rep(300) .. "!"} end
                if way == 2 then return {text = "1\u{A0}000"} end
                return {["ein Wort"] = 2}
              end)
              for way = 1, 3 do host.call("Cart.label", way) end
              host.define("Cart.label", function() return host.throw("sold out") end)
              pcall(host.call, "Cart.label", 4)
            end)
            """, to: "labels-spec.lua")
        let run = try workshop.shell("patchpack test labels.lua --spec labels-spec.lua --shadow")
        #expect(run.lines.contains("in shadow  Cart.label: 1 agreed, 3 differed"), "\(run.text)\(run.error)")
        let x = String(repeating: "x", count: 50)
        for line in [
            #"["text"]: byte 301: …"\#(x)!" of 301 bytes would be ["text"]: byte 301: …"\#(x)?" of 301 bytes"#,
            #"["text"]: byte 2: "1\u{00A0}000" would be ["text"]: byte 2: "1 000""#,
            #"["ein Wort"]: 2 would be ["ein Wort"]: 3"#,
        ] { #expect(run.lines.contains("    labels.lua:5: " + line), "\(run.text)") }
    }

    @Test func everyRunHasItsLine() throws {
        let objects = try test("patches/cart-total.lua", "--spec", "specs/cart-total.lua", "--format", "json").objects()
        #expect(
            objects.map { $0["schema"] as? String } == Array(repeating: "patchpack.test/1", count: 3) + [
                "patchpack.test-run/1"
            ])
        #expect(objects.last?["passed"] as? Int == 3)
        try workshop.folder.write("local x = 1", to: "empty.lua")
        let empty = try test("patches/cart-total.lua", "--spec", "empty.lua", "--format", "json")
        #expect(empty.status == 20)
        #expect(try empty.objects().last?["fault"] as? String == "the spec has no tests")
        #expect(try test("patches/cart-total.lua").status == 64)
        #expect(try test("patches/cart-total.lua", "--spec", "missing.lua").status == 66)
        #expect(try test("missing", "--spec", "missing").error.contains("missing: no such file or directory"))
    }

    @Test func coverageReplacesNoInput() throws {
        try workshop.folder.write("a key", to: "signing.pem")
        for (output, status) in [
            ("patches/cart-total.lua", 64), ("specs/cart-total.lua", 64), ("interface.json", 64), ("signing.pem", 73),
            ("-", 64),
        ] {
            let run = try test("patches/cart-total.lua", "--spec", "specs/cart-total.lua", "--coverage", output)
            #expect(run.status == Int32(status), "\(output): \(run.error)")
        }
        #expect(try workshop.folder.read("signing.pem") == Array("a key".utf8))
    }

    @Test func aRepositoryIsOneRun() throws {
        let run = try test("patches", "--spec", "specs", "--format", "junit")
        #expect(run.status == 20)
        #expect(run.text.components(separatedBy: "<testsuite ").count == 6)
        #expect(
            run.text.components(separatedBy: "<failure").count == 2, "each spec sees its own patch alone: \(run.text)")
        let text = try test(
            "patches/cart-total.lua", "patches/stock-reserve.lua", "--spec", "specs/cart-total.lua",
            "specs/stock-reserve.lua")
        #expect(text.status == 0, "\(text.text)\(text.error)")
        #expect(text.lines.contains("specs/stock-reserve.lua  for com.example.shop.stock-reserve"), "\(text.text)")
        #expect(text.error.hasSuffix(" in 2 specs\n"))
        try workshop.folder.write(
            "-- @patch com.example.shop.cart-total\nit('a', function() assert.same({}, host.failures()) end)",
            to: "specs/more.lua")
        let named = try test("patches", "--spec", "specs/more.lua")
        #expect(
            named.status == 0 && named.error.contains("1 passed, 0 failed")
                && named.error.contains("no spec for com.example.shop.stock-reserve"), "\(named.text)\(named.error)")
    }

    @Test func testsAreChosenByName() throws {
        try workshop.folder.write(
            "describe('a #slow', function() it('one', function() end) it('two #net', function() error('no') end) end) it('three', function() end)",
            to: "t.lua")
        func counts(_ words: String...) throws -> String {
            try Tool.run(
                Tool.patchpack, ["test", "patches/cart-total.lua", "--spec", "t.lua"] + words, in: workshop.folder.path
            ).error
        }
        #expect(try counts().hasPrefix("2 passed, 1 failed"))
        #expect(try counts("--filter", "thr.e").hasPrefix("1 passed, 0 failed"))
        #expect(try counts("--filter", "#net").hasPrefix("0 passed, 1 failed"))
        #expect(try counts("--filter", "none").contains("no test matches the filter --filter none"))
        #expect(try counts("--filter", "%").contains("malformed pattern"))
    }

    @Test func testCommandSpecPrintsGoesToStandardError() throws {
        try workshop.folder.write(
            """
            print("x") io.write("raw\\n") os.execute("echo shell")
            describe("d", function() it("a", function() io.stdout:write("in a test\\n") end) it("b", function() pending("not now") end) end)
            """, to: "noisy.lua")
        for format in ["json", "tap", "junit"] {
            let run = try test("patches/cart-total.lua", "--spec", "noisy.lua", "--format", format)
            #expect(run.status == 0)
            for text in ["x", "raw", "shell", "in a test"] {
                #expect(!run.lines.contains(text) && run.error.contains("\(text)\n"), "\(format): \(run.text)")
            }
            #expect(run.text.contains("not now"), "\(run.text)")
        }
        #expect(try test("patches/cart-total.lua", "--spec", "noisy.lua").text.contains("pending  d b: not now"))
    }

    @Test func aSpecWithoutAnEndEnds() throws {
        try workshop.folder.write(
            """
            it("loops", function() while true do pcall(function() while true do end end) end end)
            it("loops elsewhere", function() coroutine.wrap(function() while true do end end)() end)
            it("loops with a long string", function() local s = ("x"):rep(1000000) while true do end end)
            it("goes on", function() end)
            """, to: "endless.lua")
        let run = try test("patches/cart-total.lua", "--spec", "endless.lua", "--time-limit", "1")
        #expect(run.status == 20 && run.error.contains("1 passed, 3 failed"), "\(run.text)\(run.error)")
        #expect(run.text.contains("endless.lua:1: ran longer than the time limit"), "\(run.text)")
        try workshop.folder.write("while true do end", to: "endless.lua")
        #expect(try test("patches/cart-total.lua", "--spec", "endless.lua", "--time-limit", "1").status == 20)
    }

    /// The search runs for the time limit and five more seconds.
    @Test(.enabled(if: testsMayBeLong)) func testCommandEndlessSearchEndsAtTimeLimit() throws {
        try workshop.folder.write(
            "it('ends', function() end) it('a', function() local s = ('a'):rep(200000) s:find(('.-'):rep(20) .. 'b') end)",
            to: "slow.lua")
        let run = try test("patches/cart-total.lua", "--spec", "slow.lua", "--time-limit", "1")
        #expect(run.status == 20 && run.error.contains("slow.lua: still running after its time limit"), "\(run.error)")
        #expect(run.text.contains("ok  ends"), "\(run.text)")
        // The results of earlier specs are in the report.
        let junit = try test(
            "patches/cart-total.lua", "--spec", "specs/cart-total.lua", "slow.lua", "--time-limit", "1", "--format",
            "junit")
        #expect(junit.status == 20 && junit.text.components(separatedBy: "<testcase").count == 6, "\(junit.text)")
        #expect(junit.text.contains("still running after its time limit"), "\(junit.text)")
    }

    /// If a folder has only one patch, a second spec is for that patch too.
    @Test func noSpecOfAFolderIsDropped() throws {
        let run = try workshop.shell(
            """
            mkdir -p p s && cp patches/cart-total.lua p/ && echo 'return {}' >p/shared.lua
            cp specs/cart-total.lua s/cart_total_spec.lua && echo 'return {answer = 42}' >s/helper.lua
            printf '\\xef\\xbb\\xbf-- a\\n\\n--- @patch com.example.shop.other, com.example.shop.cart-total\\nlocal h = require "helper" it("a", function() assert.equal(42, h.answer) end)' >s/more.lua
            patchpack test p --spec s --interface interface.json; echo 'it("b", function() assert.is_true(false) end)' >s/failing.lua
            patchpack test p --spec s --interface interface.json; echo $?
            """)
        #expect(
            run.error.contains("left out: p/shared.lua") && run.error.contains("left out: s/helper.lua")
                && run.error.contains("4 passed, 0 failed"), "\(run.error)")
        #expect(run.error.contains("4 passed, 1 failed") && run.lines.last == "20", "\(run.text)\(run.error)")
    }

    @Test func aSpecForAnotherPatchSaysSo() throws {
        try workshop.folder.write("-- @patch com.example.none\nit('a', function() end)", to: "other.lua")
        let named = try test("patches/cart-total.lua", "--spec", "other.lua")
        #expect(named.status == 20 && named.error.contains("it is for com.example.none"), "\(named.error)")
        let folder = try test("patches/cart-total.lua", "--spec", "specs")
        #expect(
            folder.status == 0 && folder.error.contains("\n3 passed, 0 failed")
                && folder.error.contains("left out: specs/"), "\(folder.text)\(folder.error)")
        let without = try workshop.run("test", "patches/stock-reserve.lua", "--spec", "specs/stock-reserve.lua")
        #expect(without.text.contains("without the app's interface"), "\(without.text)")
    }

    /// An error from an app's function has only its message, as in the app.
    @Test func errorsOfStubsAreTheApps() throws {
        try workshop.folder.write(
            """
            -- @patch com.example.a
            -- @version 1
            -- @app com.example.shop
            -- @replaces A.b
            patch.replace("A.b", function(original) local ok, e = pcall(original) return e.message end)
            """, to: "p.lua")
        try workshop.folder.write(
            """
            it("a", function()
              host.define("A.b", function() error("declined") end)
              assert.equal("declined", host.call("A.b"))
              host.define("A.b", function() local x = nil; return x.y end)
              assert.matches("s.lua:4: attempt to index", host.call("A.b"))
              local function check() error("refused", 2) end
              host.define("A.b", function() check() return 1 end)
              assert.equal("refused", host.call("A.b"))
            end)
            """, to: "s.lua")
        let run = try workshop.run("test", "p.lua", "--spec", "s.lua")
        #expect(run.status == 0, "\(run.text)")
    }

    /// Runs the same specs in busted. Each test must have the same outcome.
    @Test(.needs("lua-busted", "/usr/bin/busted"), arguments: ["order_spec", "assertions_spec"])
    func bustedSameSpecHasSameOutcomes(_ spec: String) throws {
        try workshop.folder.write(
            String(contentsOfFile: "\(Tool.root)/Tests/PatchSpecTests/busted/\(spec).lua", encoding: .utf8),
            to: "s.lua")
        func outcomes(_ lines: [String]) -> [String] {
            lines.filter { ($0.hasPrefix("ok") || $0.hasPrefix("not ok")) && !$0.contains("# SKIP") }
                .map { line in
                    let words = line.replacing("\\", with: "").split(separator: " - ", maxSplits: 1)
                    return "\(line.hasPrefix("ok") ? "ok" : "not ok") \(words.last ?? "")"
                }
        }
        let busteds = outcomes(try workshop.shell("busted -o TAP s.lua").lines)
        let mine = outcomes(try test("patches/cart-total.lua", "--spec", "s.lua", "--format", "tap").lines)
        #expect(busteds.count > 10 && mine.count == busteds.count)
        // The library for specs also runs them with Debian's Lua alone.
        let alone = try workshop.shell("lua5.4 \"$CHECKOUT/Sources/CLuaSpec/specs.lua\" s.lua 2>/dev/null")
        #expect(outcomes(alone.lines) == mine)
        // If a hook fails, busted names the hook, and patchpack names its test or block.
        for (mine, busteds) in zip(mine, busteds) {
            let hooks = [" setup", " before_each", " is not run"]
            func plain(_ line: String) -> String {
                hooks.reduce(line) { $0.hasSuffix($1) ? String($0.dropLast($1.count)) : $0 }
            }
            #expect(plain(mine) == plain(busteds))
        }
    }
}
