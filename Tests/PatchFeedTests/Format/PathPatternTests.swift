import TestSupport
import Testing

@testable import PatchFeed

@Suite(.ownThreads) struct PathPatternTests {
    @Test(arguments: [
        ("*", "a", true), ("*", "", true), ("*", "a/b", false), ("rollout/*.json", "rollout/com.example.json", true),
        ("rollout/*.json", "rollout/a/b.json", false), ("rollout/*.json", "rollout/.json", true),
        ("foo-?.tgz", "foo-1.tgz", true), ("foo-?.tgz", "foo-.tgz", false), ("a*b*c", "axxbyyc", true),
        ("a*b*c", "axxbyy", false), ("[a-c]x", "bx", true), ("[!a-c]x", "bx", false), ("[!a-c]x", "dx", true),
        ("[]a]", "]", true), ("[a", "[a", true), ("[a", "a", false), ("", "", true), ("a", "", false),
        ("**", "abc", true),
        ("[a-]", "-", true), ("[a-]", "b", false), ("[-a]", "-", true), ("[b-a]", "a", false), ("[a-a]", "a", true),
        ("[a-cx-z]", "y", true), ("[a-cx-z]", "d", false), ("[!]a]", "b", true), ("[!]a]", "]", false),
        ("[]", "[]", true),
        ("a/b", "a", false), ("a", "a/b", false), ("a/", "a/", true), ("?", "", false), ("*?", "a", true),
        ("*?", "", false),
        ("a*a", "a", false), ("a*a", "aa", true),
    ])
    func pathPatternWildcardsMatchPaths(pattern: String, path: String, expected: Bool) {
        #expect(PathPattern(pattern).matches(path) == expected)
    }

    /// A longer pattern matches nothing, not even itself.
    @Test(arguments: [4095, 4096, 4097]) func lengthsAreBounded(count: Int) {
        let text = String(repeating: "a", count: count)
        #expect(PathPattern(text).matches(text) == (count <= 4096))
        #expect(PathPattern("*").matches(text) == (count <= 4096))
        #expect(PathPattern(text.dropLast() + "*").matches(String(text.dropLast())) == (count <= 4096))
        #expect(PathPattern(String(repeating: "*", count: count)).matches("a") == (count <= 4096))
    }

    @Test
    func aPatternOfManyStarsEnds() {
        let pattern = PathPattern(String(repeating: "*a", count: 2_000) + "b")
        #expect(!pattern.matches(String(repeating: "a", count: 4_000)))
    }
}
