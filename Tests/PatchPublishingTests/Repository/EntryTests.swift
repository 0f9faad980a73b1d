import FeedTestSupport
import PatchCrypto
import PatchFeed
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

    private static let region = JSONValue.object([("permyriad", .integer(500)), ("by", .string("region"))])

    /// Devices of this version leave such an entry out, and only a withdrawal of it counts.
    @Test(arguments: ["rollout", "groups", "users", "when"])
    func anAudienceOfALaterVersionIsUnknown(member: String) throws {
        var list = try feed.repository().list
        let all = try #require(list.entries.first)
        var entry = all
        entry.json.set(member, Self.region)
        list.entries = [entry]
        let read = try PatchList(list.json)
        #expect(read.entries.isEmpty && read.errors.count == 1)
        #expect(entry.words == "offered to unknown devices")
        #expect(all.reachesMore(than: entry) && !entry.reachesMore(than: all) && !entry.reachesMore(than: entry))
        #expect(!entry.isListed(as: all) && !entry.isListed(as: entry))
        entry.state = .shadow
        entry.state = .withdrawn
        #expect(entry.words == "withdrawn from shadow")
    }

    /// That nobody here knows whom it is for keeps no stop waiting, and hides none.
    @Test func aPauseOfAnAudienceOfALaterVersionIsAStop() throws {
        var list = try feed.repository().list
        var entry = try #require(list.entries.first)
        entry.json.set("rollout", Self.region)
        var paused = entry
        try paused.setState(.paused)
        #expect(paused.words == "paused, to unknown devices")
        #expect(entry.reachesMore(than: paused) && !paused.reachesMore(than: entry))
        list.entries = [entry]
        var stopped = list
        stopped.entries = [paused]
        #expect(list.offersMore(than: stopped) != nil && stopped.offersMore(than: list) == nil)
        #expect(stopped.isStop(of: list) && !list.isStop(of: stopped))
    }

    /// Its percentage is written, although an entry without one is for all.
    @Test func aRolloutToAllReplacesOneOfALaterVersion() throws {
        var entry = PatchEntryDraft(FeedFixture.entry(1))
        entry.json.set("rollout", Self.region)
        #expect(entry.basisPoints == 0)
        try PatchAudience(basisPoints: 10_000, unit: nil, seed: nil, groups: [], users: [], moment: nil)
            .apply(to: &entry)
        #expect(entry.state == .active && entry.rollout == Rollout(basisPoints: 10_000))
    }

    @Test func pruneKeepsWhatALaterVersionMayOffer() throws {
        var repository = try feed.repository()
        repository.list.entries = repository.list.entries.map { entry in
            var entry = entry
            if entry.version == 1 { entry.json.set("rollout", Self.region) }
            if entry.version == 2 { entry.rollout = Rollout(basisPoints: 5000) }
            return entry
        }
        let (removed, needed) = try repository.prune([Self.id], keeping: 1, in: FeedFixture.details)
        #expect(removed.isEmpty && needed.map(\.version) == [1])
    }

    /// A device without any of the groups is in none of them.
    @Test(arguments: ["groups", "users"]) func anEmptyListIsForNobody(member: String) throws {
        let all = PatchEntryDraft(FeedFixture.entry(1))
        var entry = all
        entry.json.set(member, .array([]))
        #expect(entry.basisPoints == 0 && entry.words == "offered to no device")
        #expect(all.reachesMore(than: entry) && !entry.reachesMore(than: all))
    }

    /// Devices compare the bytes of groups, and hash those of seeds. The texts are the same to Swift.
    @Test func groupsAndSeedsAreComparedAsDevicesDo() {
        var (composed, decomposed) = (PatchEntryDraft(FeedFixture.entry(1)), PatchEntryDraft(FeedFixture.entry(1)))
        func expectOthers(_ what: Comment) {
            #expect(composed.reachesMore(than: decomposed) && decomposed.reachesMore(than: composed), what)
            #expect(!composed.isListed(as: decomposed), what)
        }
        composed.groups = ["\u{E9}"]
        decomposed.groups = ["e\u{301}"]
        expectOthers("groups")
        composed.groups = []
        decomposed.groups = []
        composed.rollout = Rollout(basisPoints: 500, seed: "\u{E9}")
        decomposed.rollout = Rollout(basisPoints: 500, seed: "e\u{301}")
        expectOthers("seeds")
        composed.rollout = Rollout(basisPoints: 500)
        decomposed.rollout = Rollout(basisPoints: 500, seed: Self.id)
        #expect(!composed.reachesMore(than: decomposed) && !decomposed.reachesMore(than: composed))
        #expect(composed.isListed(as: decomposed), "the id is the seed if there is none")
    }

    @Test func aNoticeOfOtherBytesIsAChange() throws {
        var old = try feed.repository().list
        var new = old
        old.notice = "\u{E9}"
        new.notice = "e\u{301}"
        #expect(!new.isEquivalent(to: old))
    }

    @Test func endsAndClocksAreFaults() throws {
        let repository = try feed.repository()
        let now = FeedFixture.now
        #expect(repository.faults(at: now).isEmpty)
        let week = repository.state(of: .timestamp).expires
        let before = try #require(Timestamp(secondsSince1970: week.secondsSince1970 - 1))
        #expect(repository.faults(at: before).isEmpty)
        // Devices refuse it from this second on.
        #expect(repository.faults(at: week) == [.ended(.timestamp, at: week)])
        let early = try #require(Timestamp(secondsSince1970: now.secondsSince1970 - 300))
        #expect(repository.faults(at: early).isEmpty)
        let earlier = try #require(Timestamp(secondsSince1970: now.secondsSince1970 - 301))
        #expect(repository.faults(at: earlier) == [.signedAhead(now)])
    }
}
