import Foundation
import TestSupport
import Testing

struct TestCommandTests {
    private let workshop: Workshop

    init() throws {
        workshop = try Workshop()
        for folder in ["patches", "specs"] {
            try FileManager.default.copyItem(
                atPath: "\(Tool.root)/examples/\(folder)", toPath: workshop.folder.at(folder))
        }
        let app = URL(filePath: Tool.patchpack).deletingLastPathComponent().appending(path: "shop").path
        try workshop.folder.write(try Tool.run(app, ["--interface"]).output, to: "interface.json")
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

    @Test func envelopesAreVerifiedFirst() throws {
        #expect(try workshop.pack("patches/cart-total.lua", "-o", "cart.js").status == 0)
        let keys = ["--trusted-key", "trusted.pem", "--script-key", "script.key", "--spec", "specs/cart-total.lua"]
        func run(_ file: String) throws -> Int32 {
            try Tool.run(Tool.patchpack, ["test", file] + keys, in: workshop.folder.path).status
        }
        #expect(try run("cart.js") == 0)
        #expect(
            try workshop.shell("cp cart.js changed.js; printf X | dd of=changed.js bs=1 seek=100 conv=notrunc").status
                == 0)
        #expect(try run("changed.js") == 11)
        #expect(try test("cart.js", "--spec", "specs/cart-total.lua").status == 64)
    }

    /// Debian's prove knows the versions to 13, which has all that is written here but for its number.
    @Test func proveReadsTheTAP() throws {
        try workshop.folder.write(
            "#!/bin/sh\n'\(Tool.patchpack)' test patches/$1.lua --spec specs/$1.lua --interface interface.json --format tap | sed '1s/14/13/'\n",
            to: "tap.sh", mode: 0o755)
        let good = try workshop.shell("prove -e '' ./tap.sh :: cart-total")
        #expect(good.status == 0 && good.text.contains("All tests successful"), "\(good.text)\(good.error)")
        let bad = try workshop.shell("prove -e '' ./tap.sh :: receipt-greeting")
        #expect(bad.status != 0 && bad.text.contains("Failed 1/2 subtests"), "\(bad.text)")
    }

    @Test func junitparserReadsTheXML() throws {
        let run = try workshop.shell(
            """
            '\(Tool.patchpack)' test patches/receipt-greeting.lua --spec specs/receipt-greeting.lua --interface interface.json --format junit >r.xml
            /usr/bin/python3 -c '
            import junitparser
            for suite in junitparser.JUnitXml.fromfile("r.xml"):
                print(suite.name, suite.tests, suite.failures, suite.errors, [case.name for case in suite])
            '
            """)
        #expect(run.status == 0, "\(run.error)")
        #expect(
            run.lines == [
                "specs/receipt-greeting.lua 2 1 0 ['Receipt.greeting names the title', 'Receipt.greeting has one space without a title']"
            ])
    }

    @Test func lcovReadsTheCoverage() throws {
        let run = try test("patches/cart-total.lua", "--spec", "specs/cart-total.lua", "--coverage", "cover.info")
        #expect(run.status == 0)
        #expect(run.lines.last == "cart-total.lua: 6 of 6 lines ran")
        let summary = try workshop.shell("lcov --summary cover.info 2>&1")
        #expect(summary.text.contains("lines......: 100.0% (6 of 6 lines)"), "\(summary.text)")
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
        for output in ["patches/cart-total.lua", "specs/cart-total.lua", "interface.json", "-"] {
            #expect(
                try test("patches/cart-total.lua", "--spec", "specs/cart-total.lua", "--coverage", output).status == 64)
        }
        #expect(try test("-", "--spec", "specs/cart-total.lua", "--watch").status == 64)
        #expect(try test("patches/cart-total.lua", "--spec", "missing.lua").status == 66)
    }
}
