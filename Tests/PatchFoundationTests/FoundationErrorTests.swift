import Foundation
import PatchCrypto
import PatchFoundation
import PatchRunner
import PatchTesting
import TestSupport
import Testing

/// Errors and moments as Foundation sees them.
@Suite(.ownThreads) struct FoundationErrorTests {
    @Test func anErrorHasWordsAndACodeForFoundation() {
        let error: any Error = PatchError(.config, "not a key", hint: "make one", at: .init(file: "script.key"))
        #expect(error.localizedDescription == "script.key: not a key")
        let seen = error as NSError
        #expect(seen.domain == "patchpack" && seen.code == 78)
        #expect(seen.localizedRecoverySuggestion == "make one")
        #expect(seen.userInfo["PatchErrorCode"] as? String == "config")
        #expect((PatchError(.badSignature, "changed") as any Error as NSError).code == 11)
        #expect((PatchError(.init("of-an-app"), "") as any Error as NSError).code == 0)
    }

    @Test func anErrorOfAScriptHasItsMessageAndCode() throws {
        let host = try PatchTestHost(app: "com.example.shop", version: "2.3.1")
        let stock = try host.registry.replaceable("Shop.stock") { (name: String) throws -> Int in 1 }
        try host.install(
            source: """
                -- @patch com.example.shop.sold-out
                -- @version 3
                -- @app com.example.shop
                -- @replaces Shop.stock
                patch.replace("Shop.stock", function() host.throw("sold out", 404) end)
                """)
        let error = #expect(throws: ScriptError.self) { try stock("pen") }
        let seen = error.map { $0 as any Error as NSError }
        #expect(seen?.localizedDescription == "sold out" && seen?.domain == "patchpack.script" && seen?.code == 404)
        #expect(seen?.userInfo["PatchID"] as? String == "com.example.shop.sold-out 3")
    }

    /// Each code has a number of its own, which docs/cli.md lists as an exit status. Only `modified-trust` has the
    /// status of another code.
    @Test func theNumbersAreThoseOfThePage() throws {
        let page = try String(contentsOfFile: "\(Tool.root)/docs/cli.md", encoding: .utf8)
        var listed = Dictionary(
            page.matches(of: /\n\| ([0-9]+) \| ([a-z-]+) \|/).map { (String($0.output.2), Int($0.output.1) ?? 0) },
            uniquingKeysWith: { first, _ in first })
        #expect(listed.removeValue(forKey: "ok") == 0)
        #expect(listed.updateValue(79, forKey: "modified-trust") == 78)
        #expect(PatchError.Code.numbers == listed)
        #expect(Set(listed.values).count == listed.count)
    }

    /// The lists of public declarations name the codes as Swift does.
    @Test func eachPublicCodeHasANumber() throws {
        let folder = URL(filePath: "\(Tool.root)/docs/api")
        var codes: [String] = []
        for page in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let text = try String(contentsOf: page, encoding: .utf8)
            codes += text.matches(of: /PatchError\.Code: static let `?(\w+)`?:/).map { match in
                match.output.1.reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : "\($1)" }
            }
        }
        #expect(codes.count > 20 && codes.contains("cancelled"))
        #expect(codes.filter { PatchError.Code.numbers[$0] == nil } == [])
    }

    @Test func aMomentIsADate() throws {
        let moment = try #require(Timestamp("2026-11-22T11:20:00Z"))
        #expect(Date(moment).timeIntervalSince1970 == Double(moment.secondsSince1970))
        #expect(Timestamp(Date(moment)) == moment && Timestamp(Date(moment).addingTimeInterval(0.9)) == moment)
        for seconds in [-1, 253_402_300_800, .infinity, .nan] {
            #expect(Timestamp(Date(timeIntervalSince1970: seconds)) == nil)
        }
        #expect(abs(Date(Timestamp.now).timeIntervalSinceNow) < 60)
    }
}
