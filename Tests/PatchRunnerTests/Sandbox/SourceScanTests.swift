@testable import PatchRunner
import TestSupport
import Testing

/// Source that is refused before Lua's compiler would process it without a limit.
@Suite(.ownThreads) struct SourceScanTests {
    private static func fault(_ source: String) -> String? {
        SourceScan.fault(in: Array(source.utf8)).map { "\($0.line): \($0.message)" }
    }

    @Test(arguments: [
        (".a", SourceScan.longestChain, "indexings in a row"), (":a", SourceScan.longestChain, "indexings in a row"),
        ("[1]", SourceScan.longestChain, "indexings in a row"), ("(", SourceScan.deepestNesting, "nested brackets"),
        ("{", SourceScan.deepestNesting, "nested brackets"), ("goto a ", SourceScan.mostJumps, "`goto`s"),
    ])
    func sourceScanAtLimitHasNoFault(_ piece: String, most: Int, name: String) {
        let head = "local first = 1\n-- a comment\r\nx"
        #expect(Self.fault("\(head) " + String(repeating: piece, count: most)) == nil)
        #expect(
            Self.fault("\(head) " + String(repeating: piece, count: most + 1) + "\n\n")
                == "3: more than \(most) \(name)")
    }

    /// The same characters in strings and comments, or not in a row, are allowed.
    @Test func sourceScanCharactersInStringsAndCommentsHasNoFault() {
        let many = String(repeating: ".a[({goto ", count: 2_000)
        for source in ["x = '\(many)'", "-- \(many)\nx = 1", "--[[\n\(many)\n]]", "x = [==[\(many)]==]"] {
            #expect(Self.fault(source) == nil, "\(source.prefix(20))")
        }
        #expect(Self.fault(String(repeating: "x = a.b[1]:c() ", count: 2_000)) == nil)
        #expect(Self.fault(String(repeating: "going = gotos ", count: 2_000)) == nil)
    }

    /// Spaces, line ends and comments do not end a row.
    @Test func sourceScanRowOverSeveralLinesIsCounted() {
        let row = String(repeating: ".a -- more\n [\n1] ", count: SourceScan.longestChain)
        #expect(Self.fault("x = y\(row)")?.hasSuffix("more than 200 indexings in a row") == true)
    }
}
