import PatchText
import TestSupport
import Testing

/// Suggestions for misspelt words.
@Suite(.ownThreads) struct SpellingTests {
    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "ab", 1),
        ("abc", "xabc", 1), ("abc", "acb", 1), ("ab", "ba", 1), ("kitten", "sitting", 3), ("e\u{301}a", "ea", 1),
        ("abcdef", "ghijkl", 6),
    ])
    func theDistanceOfTwoWords(left: String, right: String, distance: Int) {
        #expect(editDistance(left, right) == distance && editDistance(right, left) == distance)
    }

    @Test func theNearestWordIsMeant() {
        #expect(nearest("cart-totl", among: ["cart-item", "cart-total", "stock"]) == "cart-total")
        #expect(nearest("cart-total", among: ["cart-totals", "cart-total"]) == "cart-total")
        #expect(nearest("pause", among: ["resume", "withdraw"]) == nil)
        // Short words are similar by chance.
        #expect(nearest("abcd", among: ["abxy"]) == nil && nearest("abcd", among: ["abcx"]) == "abcx")
        #expect(nearest("abcde", among: ["abcxy"]) == "abcxy" && nearest("abcde", among: ["abxyz"]) == nil)
        // A third of a long word.
        #expect(nearest("abcdefghi", among: ["abcdefxyz"]) == "abcdefxyz")
        #expect(nearest("abcdefghi", among: ["abcdewxyz"]) == nil)
        // The first of several equally near words.
        #expect(nearest("abcde", among: ["abcdx", "abcdy"]) == "abcdx")
    }

    @Test func spellingLettersBeyondASCIICountOnce() {
        #expect(nearest("größe", among: ["grösse", "größer"]) == "größer")
        #expect(nearest("groesse", among: ["größe"]) == nil)
        #expect(nearest("cafe", among: ["café"]) == "café")
    }

    /// The work on untrusted words is limited.
    @Test func spellingLongOrManyWordsAreBounded() {
        let long = String(repeating: "x", count: 128)
        #expect(nearest(long, among: [long]) == long)
        #expect(nearest(long + "x", among: [long]) == nil && nearest(long, among: [long + "x"]) == nil)
        var spelling = Spelling(most: 100)
        #expect(spelling.nearest("abcde", among: ["abcdx"]) == "abcdx")
        // A word costs four; and for each of its letters and one more, the five places within the greatest distance.
        #expect(spelling.left == 100 - 4 - 6 * 5)
        #expect(spelling.nearest("abcde", among: Array(repeating: "zzzzz", count: 100) + ["abcdx"]) == nil)
        #expect(spelling.left <= 0 && spelling.nearest("abcde", among: ["abcde"]) == nil)
    }
}
