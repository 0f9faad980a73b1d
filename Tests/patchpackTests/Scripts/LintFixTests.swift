import Foundation
import PatchRunner
import PatchWorkbench
import TestSupport
import Testing

/// `lint --fix` changes only code with a single possible correction.
@Suite(.ownThreads) struct LintFixTests {
    private static let head = """
        -- @patch    com.example.shop.example
        -- @version  1
        -- @app      com.example.shop
        -- @replaces Cart.total

        """

    private let folder = try? TestFolder()

    private func workshop() throws -> TestFolder {
        let folder = try #require(folder)
        try folder.write(LintExample.interface.json, to: "interface.json")
        return folder
    }

    private func lint(_ words: String..., in folder: TestFolder) throws -> Tool {
        try Tool.run(Tool.patchpack, ["lint", "--interface", "interface.json"] + words, in: folder.path)
    }

    private static func replacement(_ name: String, _ parameters: String, _ body: String) -> String {
        head.replacingOccurrences(of: "Cart.total", with: name)
            + "patch.replace(\"\(name)\", function(\(parameters))\n  \(body)\nend)\n"
    }

    private static func total(_ body: String) -> String { replacement("Cart.total", "original, price, quantity", body) }

    /// A mistake, and the result of `--fix`.
    static let fixes: [(wrong: String, right: String)] = [
        (total("return orignal(price, quantity)"), total("return original(price, quantity)")),
        (total("return origPrice(price, qantity)"), total("return origPrice(price, quantity)")),
        (
            total("return original(price, quantity)").replacingOccurrences(of: "\"Cart.total", with: "\"Cart.totl"),
            total("return original(price, quantity)")
        ),
        (
            total("return host.call(\"Cart.taxx\", price)"), total("return host.call(\"Cart.tax\", price)")
        ),
        (total("return math.flor(price)"), total("return math.floor(price)")),
        (
            total("if quantity == null then return 0 end\n  return price"),
            total("if quantity == nil then return 0 end\n  return price")
        ),
        (total("return (unpack({price}))"), total("return (table.unpack({price}))")),
        (
            replacement(
                "Cart.sorted", "original, items", "local all = original(items)\n  log.info(all[1].prise)\n  return all"),
            replacement(
                "Cart.sorted", "original, items", "local all = original(items)\n  log.info(all[1].price)\n  return all")
        ),
        (
            replacement("Cart.find", "original, name", "return {name = name, prise = 1, count = 2}"),
            replacement("Cart.find", "original, name", "return {name = name, price = 1, count = 2}")
        ),
        (
            replacement(
                "Cart.find", "original, name", "return {\n    name = name,\n    prise = 1,\n    count = 2,\n  }"),
            replacement(
                "Cart.find", "original, name", "return {\n    name = name,\n    price = 1,\n    count = 2,\n  }")
        ),
        (
            replacement("Cart.pay", "original, wallet, cents", "return wallet:balanse() > cents"),
            replacement("Cart.pay", "original, wallet, cents", "return wallet:balance() > cents")
        ),
        (
            replacement("Cart.pay", "original, wallet, cents", "return wallet.spend(cents)"),
            replacement("Cart.pay", "original, wallet, cents", "return wallet:spend(cents)")
        ),
        (
            replacement("Cart.meal", "original, hour", "return \"lunsh\""),
            replacement("Cart.meal", "original, hour", "return \"lunch\"")
        ),
        (
            replacement("Cart.total", "price, quantity", "return price * quantity"),
            replacement("Cart.total", "original, price, quantity", "return price * quantity")
        ),
        (
            total("return price") + "patch.replace(\"Cart.tax\", function() return 0 end)\n",
            total("return price").replacingOccurrences(
                of: "@replaces Cart.total", with: "@replaces Cart.total, Cart.tax")
                + "patch.replace(\"Cart.tax\", function() return 0 end)\n"
        ),
        (
            total("return price").replacingOccurrences(of: "-- @rep", with: "-- @expire 2030-01-01T00:00:00Z\n-- @rep"),
            total("return price").replacingOccurrences(of: "-- @rep", with: "-- @expires 2030-01-01T00:00:00Z\n-- @rep")
        ),
        (
            total("local spare = 1 -- patchpack: ignore unused-locl\n  return price"),
            total("local spare = 1 -- patchpack: ignore unused-local\n  return price")
        ),
        (
            total("if !quantity||price!=2&&true then return 0 end\n  return price"),
            total("if not quantity or price~=2 and true then return 0 end\n  return price")
        ),
    ]

    @Test(arguments: fixes.indices)
    func oneAnswerIsWritten(index: Int) throws {
        let folder = try workshop()
        let (wrong, right) = Self.fixes[index]
        try folder.write(wrong, to: "a.lua", mode: 0o640)
        let before = try lint("a.lua", in: folder)
        let run = try lint("a.lua", "--fix", in: folder)
        let text = try String(contentsOfFile: folder.at("a.lua"), encoding: .utf8)
        #expect(text == right, "\(run.text)\(before.text)")
        #expect(run.text.hasPrefix("fixed  a.lua:"))
        let mode = try FileManager.default.attributesOfItem(atPath: folder.at("a.lua"))[.posixPermissions] as? Int
        #expect(mode == 0o640)
        // There is nothing to change the second time.
        let again = try lint("a.lua", "--fix", in: folder)
        #expect(!again.text.contains("fixed") && again.status == run.status)
        #expect(try String(contentsOfFile: folder.at("a.lua"), encoding: .utf8) == right)
    }

    /// Two names are equally near, no name is near, a place is ambiguous, or the change would make things worse.
    static let kept = [
        total("local pride = price\n  local prize = price\n  return pri(pride, prize, quantity)"),
        total("return blue(price, quantity)"),
        total("log.info(\"orignal\")  return orignal(price, quantity) -- orignal"),
        total("local total = original(price, quantity)\n  return price"),
        replacement("Cart.pay", "original, wallet, cents", "return wallet.spend(wallet)"),
        // The original under another name, a `!` after a value, and a name that is too short for a suggestion.
        replacement("Cart.total", "super, price, quantity", "return super * 2"),
        total("local x = price!\n  return x"),
        total("local x = original(price, quantity)\n  return x * k"),
    ]

    /// A wrong change is not made along with a right one: the word on the line that Lua reports is another one.
    @Test func eachChangeRemovesItsOwnProblem() throws {
        let folder = try workshop()
        let wrong = Self.replacement(
            "Cart.find", "original, name",
            "if name == null then return nil end\n  local mine = {prise = 2}\n  local item = original(name)\n"
                + "  item.count = item.prise\n    + mine.prise\n  return item")
        try folder.write(wrong, to: "a.lua")
        _ = try lint("a.lua", "--fix", in: folder)
        let text = try String(contentsOfFile: folder.at("a.lua"), encoding: .utf8)
        #expect(text.contains("name == nil") && text.contains("+ mine.prise"), "\(text)")
    }

    /// Two scripts of the same name could get each other's changes.
    @Test func scriptsOfOneNameStay() throws {
        let folder = try workshop()
        try folder.write(Self.total("require('util')\n  return price"), to: "main/main.lua")
        let script = "local query = 1\nif query == null then query = 2 end\nreturn query\n"
        try folder.write(script, to: "b/util.lua")
        try folder.write("return 1\n", to: "c/util.lua")
        let run = try lint("--bundle", "--fix", "main/main.lua", "b/util.lua", "c/util.lua", in: folder)
        #expect(run.status == 20 && !run.text.contains("fixed"), "\(run.text)\(run.error)")
        #expect(try String(contentsOfFile: folder.at("b/util.lua"), encoding: .utf8) == script)
    }

    /// Each syntax error hides the next one.
    @Test func oneRunFixesManyLines() throws {
        let folder = try workshop()
        let lines = (1...25).map { "if price != \($0) and quantity != \($0) then price = price + 1 end" }
        try folder.write(Self.total(lines.joined(separator: "\n  ") + "\n  return price"), to: "a.lua")
        #expect(try lint("a.lua", "--fix", in: folder).status == 0)
    }

    @Test(arguments: kept)
    func withoutOneAnswerNothingIsWritten(script: String) throws {
        let folder = try workshop()
        try folder.write(script, to: "a.lua")
        let before = try FileManager.default.attributesOfItem(atPath: folder.at("a.lua"))[.systemFileNumber] as? Int
        let run = try lint("a.lua", "--fix", in: folder)
        #expect(!run.text.contains("fixed"))
        #expect(try lint("a.lua", in: folder).text == run.text)
        #expect(try String(contentsOfFile: folder.at("a.lua"), encoding: .utf8) == script)
        #expect(
            try FileManager.default.attributesOfItem(atPath: folder.at("a.lua"))[.systemFileNumber] as? Int == before)
    }

    @Test func otherBytesStay() throws {
        let folder = try workshop()
        let text = Self.total("log.info(\"\u{FEFF}süß \u{1F600}\"); return orignal(price, quantity)")
            .replacingOccurrences(of: "\n", with: "\r\n")
        // Latin-1 in a comment, and no line end at the end.
        let bytes = Array(text.utf8) + [0x2D, 0x2D, 0xE9]
        try folder.write(bytes, to: "a.lua")
        let sarif = try lint("a.lua", "--format", "sarif", in: folder)
        let log = try #require(try JSONSerialization.jsonObject(with: Data(sarif.output)) as? [String: Any])
        let first = try #require((log["runs"] as? [[String: Any]])?.first)
        let results = try #require(first["results"] as? [[String: Any]])
        let fixes = results.compactMap { ($0["fixes"] as? [[String: Any]])?.first }
        let fix = try #require(fixes.first)
        #expect((fix["description"] as? [String: String])?["text"] == "did you mean original?")
        let change = try #require((fix["artifactChanges"] as? [[String: Any]])?.first)
        #expect((change["artifactLocation"] as? [String: String])?["uri"] == "a.lua")
        let replacement = try #require((change["replacements"] as? [[String: Any]])?.first)
        // Columns count code points: a letter, a mark or an emoji is one.
        #expect(
            replacement["deletedRegion"] as? [String: Int]
                == ["startLine": 6, "endLine": 6, "startColumn": 30, "endColumn": 37])
        #expect((replacement["insertedContent"] as? [String: String])?["text"] == "original")
        #expect(try lint("a.lua", "--fix", in: folder).text.contains("fixed  a.lua:6:30:"))
        let fixed = try Data(contentsOf: URL(filePath: folder.at("a.lua")))
        let wanted = text.replacingOccurrences(of: "orignal", with: "original")
        #expect(Array(fixed) == Array(wanted.utf8) + [0x2D, 0x2D, 0xE9])
    }

    @Test func aTrialPrintsWhatWouldChange() throws {
        let folder = try workshop()
        let script = Self.total("return orignal(price, quantity)")
        try folder.write(script, to: "a.lua")
        let run = try lint("a.lua", "--fix", "--dry-run", in: folder)
        #expect(run.status == 0)
        #expect(run.text.contains("--- a.lua\n+++ a.lua\n"))
        #expect(run.text.contains("-  return orignal(price, quantity)\n+  return original(price, quantity)\n"))
        #expect(try String(contentsOfFile: folder.at("a.lua"), encoding: .utf8) == script)
        let objects = try lint("a.lua", "--fix", "--dry-run", "--format", "json", in: folder).objects()
        #expect(objects.count == 1 && objects[0]["schema"] as? String == "patchpack.lint-fix/1")
        #expect(objects[0]["written"] as? Bool == false && objects[0]["text"] as? String == "original")
        #expect(try lint("a.lua", "--dry-run", in: folder).status == 64)
        #expect(try lint("-", "--fix", in: folder).status == 64)
    }

    @Test func linksAreFollowed() throws {
        let folder = try workshop()
        try folder.write(Self.total("return orignal(price, quantity)"), to: "below/a.lua")
        try FileManager.default.createSymbolicLink(atPath: folder.at("b.lua"), withDestinationPath: "below/a.lua")
        #expect(try lint("b.lua", "--fix", in: folder).status == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.at("b.lua")) == "below/a.lua")
        let text = try String(contentsOfFile: folder.at("below/a.lua"), encoding: .utf8)
        #expect(text == Self.total("return original(price, quantity)"))
    }

    /// The wrong examples of `lint --explain` also lint better, or stay unchanged.
    @Test func theExamplesLintNoWorse() throws {
        let folder = try workshop()
        for code in Finding.Code.allCases where code != .tooLarge {
            guard let bytes = code.examples.wrong.files[0].bytes else { continue }
            try folder.write(bytes, to: "a.lua")
            let before = try lint("a.lua", in: folder)
            let run = try lint("a.lua", "--fix", in: folder)
            let after = try lint("a.lua", in: folder)
            #expect(after.lines.count <= before.lines.count && after.status <= before.status, "\(code)")
            let left = Array(try Data(contentsOf: URL(filePath: folder.at("a.lua"))))
            #expect(run.text.contains("fixed  ") || left == bytes, "\(code)")
        }
    }
}
