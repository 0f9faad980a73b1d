import FeedTestSupport
import PatchCrypto
import TestSupport
import Testing

@testable import PatchPublishing

/// The patches in a feed, and the reasons that devices refuse them.
@Suite(.ownThreads) struct EntryTests {
    private static let id = "com.example.shop.cart-total"
    private let feed: FeedFixture

    init() throws { feed = try FeedFixture(publishing: 1...2) }

    @Test func theHighestVersionIsMeantUnlessOneIsNamed() throws {
        let repository = try feed.repository()
        #expect(try repository.entry(Self.id, version: nil).version == 2)
        #expect(try repository.entry(Self.id, version: 1).version == 1)
        let version = refusal { _ = try repository.entry(Self.id, version: 3) }
        #expect(version?.hint == "it has 1, 2" && version?.code == .usage)
        #expect(
            refusal { _ = try repository.entry("com.example.shop.cart-totel", version: nil) }?.hint
                == "did you mean \(Self.id)?")
        #expect(refusal { _ = try repository.entry("cart-total", version: nil) }?.hint == "did you mean \(Self.id)?")
        let other = refusal { _ = try repository.entry("other", version: nil) }
        #expect(other?.remedy as? PublishingRemedy == .lookAtPatches)
    }

    @Test func endsAndClocksAreFaults() throws {
        let repository = try feed.repository()
        let now = FeedFixture.now
        #expect(repository.faults(at: now).isEmpty)
        let week = repository.state(of: .timestamp).expires
        #expect(repository.faults(at: week).isEmpty)
        #expect(repository.faults(at: week.adding(days: 1)) == [.ended(.timestamp, at: week)])
        let early = try #require(Timestamp(secondsSince1970: now.secondsSince1970 - 300))
        #expect(repository.faults(at: early).isEmpty)
        let earlier = try #require(Timestamp(secondsSince1970: now.secondsSince1970 - 301))
        #expect(repository.faults(at: earlier) == [.signedAhead(now)])
    }
}
