import PatchText
import TestSupport
import Testing

/// Long strings, shortened to their beginnings and ends.
@Suite(.ownThreads) struct ShortenedTests {
    @Test func shortenedTextWithinLimitIsUnchanged() {
        for text in ["", "a", "abcdefghij"] { #expect(text.shortened(to: 10) == text) }
        #expect("abcdefghijk".shortened(to: 10) == "abcde … 1 bytes … ghijk")
    }

    /// A scalar is kept whole or left out.
    @Test func scalarsAreNotCut() {
        #expect("éééééé".shortened(to: 6) == "é … 8 bytes … é")
        #expect("aééééa".shortened(to: 6) == "aé … 4 bytes … éa")
    }
}
