import Foundation
import PatchRunner
import PatchWorkbench
import TestSupport
import Testing

/// The examples of `lint --explain` are linted, and the documents list all findings.
@Suite(.ownThreads) struct LintExampleTests {
    static func codes(in example: LintExample, _ folder: TestFolder) throws -> [String] {
        for file in example.files {
            if let bytes = file.bytes { try folder.write(bytes, to: file.name) }
        }
        try folder.write(Array(LintExample.interface.json.utf8), to: "interface.json")
        let run = try Tool.run(
            Tool.patchpack,
            ["lint", "--format", "sarif", "--interface", "interface.json"] + (example.isBundle ? ["--bundle"] : [])
                + example.files.map(\.name), in: folder.path)
        let log = try #require(try JSONSerialization.jsonObject(with: Data(run.output)) as? [String: Any])
        let results = (log["runs"] as? [[String: Any]])?.first?["results"] as? [[String: Any]]
        return try #require(results).compactMap { $0["ruleId"] as? String }
    }

    @Test(arguments: Finding.Code.allCases)
    func theWrongExampleHasTheProblemAndTheRightOneHasNone(code: Finding.Code) throws {
        let (wrong, right) = code.examples
        #expect(try Self.codes(in: wrong, TestFolder()).contains(code.rawValue))
        #expect(try Self.codes(in: right, TestFolder()) == [])
    }

    @Test func theDocumentsListEachCode() throws {
        let document = try String(contentsOfFile: "\(Tool.root)/docs/cli.md", encoding: .utf8)
        let list = try #require(document.components(separatedBy: "The findings of `lint`:\n\n").last)
        let rows = list.components(separatedBy: "\n").dropFirst(2).prefix { $0.hasPrefix("|") }
        #expect(
            rows.sorted()
                == Finding.Code.allCases.map { "| `\($0.rawValue)` | \($0.severity) | \($0.meaning) |" }.sorted())
    }

    @Test func explainPrintsTheExamples() throws {
        let folder = try TestFolder()
        func run(_ words: String...) throws -> Tool {
            try Tool.run(Tool.patchpack, ["lint", "--explain"] + words, in: folder.path)
        }
        let one = try run("unknown-field")
        #expect(one.status == 0)
        #expect(
            one.text == """
                unknown-field (error): \(Finding.Code.unknownField.meaning)

                wrong: An Item has a `price`, and no `prise`.
                    patch.replace("Cart.sorted", function(original, items)
                      if #items > 0 then log.info(items[1].prise) end
                      return original(items)
                    end)

                right: The field is one of Item's.
                    patch.replace("Cart.sorted", function(original, items)
                      if #items > 0 then log.info(items[1].price) end
                      return original(items)
                    end)

                the app:
                    Cart.sorted(items: array of Item) throws -> array of Item
                    Item: name is string, price is number, count is integer


                """)
        let all = try run()
        #expect(all.status == 0 && all.lines.count == Finding.Code.allCases.count)
        #expect(all.lines.allSatisfy { $0.utf8.first != 0x20 && $0.contains(": ") })
        let unknown = try run("unkown-field")
        #expect(unknown.status == 64 && unknown.text.isEmpty)
        #expect(
            unknown.error == """
                patchpack: error: unknown code unkown-field
                patchpack: hint: did you mean unknown-field? (patchpack lint --explain lists them)

                """)
        #expect(try run("syntax", "--format", "sarif").status == 64)
        let objects = try run("syntax", "spec", "--format", "json").objects()
        #expect(objects.map { $0["code"] as? String } == ["syntax", "spec"])
        let wrong = try #require(objects[0]["wrong"] as? [String: Any])
        #expect((wrong["text"] as? String)?.contains("if quantity < 0 return") == true)
    }
}
