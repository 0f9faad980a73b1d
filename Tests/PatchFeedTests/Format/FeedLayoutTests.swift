import PatchCrypto
import TestSupport
import Testing

@testable import PatchFeed

@Suite(.ownThreads) struct FeedLayoutTests {
    @Test func filesAreWhereTheFormatSays() {
        #expect(FeedLayout.timestamp == "metadata/timestamp.json")
        #expect(FeedLayout.firstRoot == "metadata/1.root.json" && FeedLayout.root(12) == "metadata/12.root.json")
        #expect(FeedLayout.metadata("rollout", version: 3) == "metadata/3.rollout.json")
        #expect(FeedLayout.metadata("rollout", version: nil) == "metadata/rollout.json")
        #expect(FeedLayout.target("patches/a/x.js", sha256: "00ff") == "targets/patches/a/00ff.x.js")
        #expect(FeedLayout.target("x", sha256: "00ff") == "targets/00ff.x")
        // A slash and a combining accent are one character.
        #expect(FeedLayout.target("a/\u{301}x", sha256: "00ff") == "targets/a/00ff.\u{301}x")
        #expect(FeedLayout.target("/", sha256: "00ff") == "targets/00ff.")
        #expect(FeedLayout.envelope("x-1.js", of: "com.example.shop") == "patches/com.example.shop/x-1.js")
        #expect(FeedLayout.envelopeFolder(of: "com.example.shop") == "targets/patches/com.example.shop")
        #expect(FeedLayout.staged("targets") == "staged/targets.json" && FeedLayout.stagedList == "staged/list.json")
        #expect(
            FeedLayout.next(after: nil) == "metadata/0.next.json" && FeedLayout.next(after: 7) == "metadata/7.next.json"
        )
    }

    @Test func feedLayoutFileNameGivesKindAndVersion() {
        #expect(FeedLayout.isRoot("metadata/2.root.json") && !FeedLayout.isRoot("metadata/2.targets.json"))
        #expect(FeedLayout.snapshotVersion(of: "12.snapshot.json") == 12)
        for name in ["snapshot.json", "12.targets.json", "x.snapshot.json", "99999999999999999999.snapshot.json"] {
            #expect(FeedLayout.snapshotVersion(of: name) == nil, "\(name)")
        }
    }
}
