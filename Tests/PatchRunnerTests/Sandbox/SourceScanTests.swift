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
        ("x = 1. goto a ", SourceScan.mostJumps, "`goto`s"), ("x = .5. goto a ", SourceScan.mostJumps, "`goto`s"),
        ("break ", SourceScan.mostBreaks, "`break`s in a loop"),
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
        let many = String(repeating: ".a[({goto break do ", count: 2_000)
        for source in ["x = '\(many)'", "-- \(many)\nx = 1", "--[[\n\(many)\n]]", "x = [==[\(many)]==]"] {
            #expect(Self.fault(source) == nil, "\(source.prefix(20))")
        }
        #expect(Self.fault(String(repeating: "x = a.b[1]:c() ", count: 2_000)) == nil)
        #expect(Self.fault(String(repeating: "going = gotos breaks = breaking ", count: 2_000)) == nil)
    }

    /// Many loops may have a few breaks each, at any depth.
    @Test(arguments: [
        "while x do if y then break end end ", "for a in b do break end ", "repeat do break end until x ",
        "while x(function() do end for a in b do break end return 1 end) do break end ",
        "x(function() while x do if y then break elseif z then break else break end end end) ",
    ])
    func sourceScanBreaksOfManyLoopsHasNoFault(loop: String) {
        let loops = String(repeating: loop, count: 700)
        #expect(Self.fault("\(loops) while x do \(loops) end repeat \(loops) until x") == nil)
    }

    /// Inner loops, and what else has an end, do not end the count of a loop around them.
    @Test(arguments: [
        "while x do break end ", "for a in b do break end ", "repeat break until x ", "do end ", "if x then end ",
        "function x() end ",
    ])
    func sourceScanBreaksAroundInnerBlockAreCounted(inner: String) {
        let half = String(repeating: "break ", count: SourceScan.mostBreaks / 2)
        #expect(Self.fault("while x do \(half) \(inner) \(half) end") == nil)
        #expect(Self.fault("while x do \(half) \(inner) \(half) break end")?.hasSuffix("`break`s in a loop") == true)
    }

    /// Lua refuses so many too. The scan does not remember all of them.
    @Test(arguments: ["do ", "if x then ", "while x do ", "repeat ", "function x() "])
    func sourceScanNestedBlocksAreBounded(opening: String) {
        let breaks = "-- " + String(repeating: "break ", count: SourceScan.mostBreaks + 1) + "\n"
        #expect(Self.fault(breaks + String(repeating: opening, count: SourceScan.deepestNesting)) == nil)
        #expect(
            Self.fault(breaks + String(repeating: opening, count: SourceScan.deepestNesting + 1))
                == "2: more than 250 nested blocks")
    }

    /// Spaces, line ends and comments do not end a row.
    @Test func sourceScanRowOverSeveralLinesIsCounted() {
        let row = String(repeating: ".a -- more\n [\n1] ", count: SourceScan.longestChain)
        #expect(Self.fault("x = y\(row)")?.hasSuffix("more than 200 indexings in a row") == true)
    }
}
