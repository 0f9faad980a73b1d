import TestSupport
import Testing

@testable import patchpack

@Suite(.ownThreads) struct LineDiffTests {
    /// Sixty-four scripts in which no line is the same take half a minute if each is compared line by line.
    @Test func lineDiff_manyChangedTexts_comparesSomeByLine() {
        func bytes(_ word: String, _ lines: Int) -> [UInt8] {
            (0..<lines).flatMap { Array("\(word) \($0)\n".utf8) } + Array("same\n".utf8) + Array("\(word)\n".utf8)
        }
        var left = LineDiff.mostPairs
        let text = LineDiff.text("a", bytes("old", 100), "b", bytes("new", 100), left: &left)
        #expect(text.contains("\n same\n") && left == LineDiff.mostPairs - 102 * 102)
        left = 10_000
        let replaced = LineDiff.text("a", bytes("old", 100), "b", bytes("new", 100), left: &left)
        #expect(replaced.contains("\n-same\n") && replaced.contains("\n+same\n") && left == 10_000)
    }
}
