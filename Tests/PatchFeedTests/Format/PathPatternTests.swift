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
        ("[a-]", "-", true),
    ])
    func matches(pattern: String, path: String, expected: Bool) {
        #expect(PathPattern(pattern).matches(path) == expected)
    }

    @Test
    func aPatternOfManyStarsEnds() {
        let pattern = PathPattern(String(repeating: "*a", count: 2_000) + "b")
        #expect(!pattern.matches(String(repeating: "a", count: 4_000)))
    }
}
