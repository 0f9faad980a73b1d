import FeedTestSupport
import PatchCrypto
import PatchFeed
import TestSupport
import Testing

@testable import PatchPublishing

/// Changes of the list and of keys, as people ask for them.
@Suite(.ownThreads) struct FeedEditTests {
    private static let id = "com.example.shop.cart-total"
    private let keys: FeedFixture
    private var feed: FeedRepository
    private let details = FeedFixture.details

    init() throws {
        keys = try FeedFixture()
        try keys.publish(1...3)
        feed = try keys.repository()
    }

    private func remedy(_ body: () throws -> Void) -> PublishingRemedy? { refusal(body)?.remedy as? PublishingRemedy }

    private func entry(_ version: Int) throws -> PatchEntryDraft { try feed.entry(Self.id, version: version) }

    private mutating func set(_ state: PatchList.Entry.State, of version: Int, reason: String? = nil) throws -> Bool {
        let old = try entry(version)
        var new = old
        try new.setState(state)
        return feed.replace(old, unlessSame: new, reason: reason, in: details)
    }

    private func publication(_ version: Int, bytes: String = "envelope", paused: Bool = false)
        -> FeedRepository.Publication
    {
        var entry = PatchEntryDraft(FeedFixture.entry(version))
        if paused { entry.state = .paused }
        return FeedRepository.Publication(
            Array("\(bytes) \(version)".utf8), name: FeedFixture.name(version), entry: entry)
    }

    @Test func theListChangesOnlyIfItSaysSomethingElse() throws {
        var feed = feed
        #expect(try !feed.edit(in: details, unlessSame: { $0.isEnabled = true }) && feed.changed.isEmpty)
        #expect(try feed.edit(in: details, unlessSame: { $0.setSwitch("a", to: "b") }))
        #expect(feed.changed == [.rollout] && feed.list.switches?["a"]?.text == "b")
        #expect(try feed.edit(in: details) { (list) throws(PatchError) in try list.removeSwitch("a") })
        #expect(feed.list.switches?["a"] == nil)
        let before = feed.list.json.encoded()
        #expect(
            remedy {
                _ = try feed.edit(in: details) { (list) throws(PatchError) in
                    list.notice = "lost"
                    try list.removeSwitch("a")
                }
            } == .giveValue)
        #expect(feed.list.json.encoded() == before, "nothing of a change that fails is left")
    }

    @Test mutating func anEntryChangesOnlyForSomethingNew() throws {
        #expect(try set(.paused, of: 3, reason: "hm"))
        #expect(try entry(3).reason == "hm")
        #expect(try !set(.paused, of: 3) && !set(.paused, of: 3, reason: "hm"))
        #expect(try set(.paused, of: 3, reason: "because"))
        #expect(try entry(3).reason == "because")
        // The reason of the change before is none of this one.
        #expect(try set(.active, of: 3))
        #expect(try entry(3).reason == nil)
    }

    /// Pausing would give it back to devices that still have it.
    @Test mutating func whatIsWithdrawnIsNotPaused() throws {
        #expect(try set(.withdrawn, of: 3) && set(.withdrawn, of: 2))
        #expect(remedy { _ = try set(.paused, of: 3) } == .resumeFirst)
        #expect(try set(.active, of: 3) && set(.paused, of: 3))
    }

    @Test mutating func devicesFallBackToTheNextOffer() throws {
        #expect(try feed.fallback(for: entry(3)) == nil, "it is offered")
        _ = try set(.withdrawn, of: 3)
        #expect(try feed.fallback(for: entry(3))?.version == 2)
        _ = try set(.paused, of: 2)
        #expect(try feed.fallback(for: entry(3))?.version == 1)
        _ = try set(.paused, of: 1)
        #expect(try feed.fallback(for: entry(3)) == nil)
    }

    @Test mutating func theNewestVersionsAndWithdrawalsStay() throws {
        _ = try set(.withdrawn, of: 2)
        let gone = try feed.prune([Self.id], keeping: 1, in: details)
        #expect(gone.map(\.version) == [1] && gone.map(\.id) == [Self.id])
        #expect(feed.list.entries.map(\.version) == [2, 3] && feed.digest(of: FeedFixture.path(1)) == nil)
        #expect(try feed.prune([Self.id], keeping: 1, in: details).isEmpty)
        #expect(remedy { _ = try feed.prune(["other"], keeping: 1, in: details) } == .lookAtPatches)
    }

    @Test mutating func oneVersionIsRemovedListedOrNot() throws {
        #expect(try feed.remove(Self.id, version: 2, in: details))
        #expect(feed.list.entries.map(\.version) == [1, 3] && feed.digest(of: FeedFixture.path(2)) == nil)
        #expect(refusal { _ = try feed.remove(Self.id, version: 2, in: details) }?.hint == "it has 1, 3")
        // The release keys have signed it, and no entry lists it.
        feed.edit(in: details) { $0.entries.removeAll { $0.version == 1 } }
        #expect(feed.unlistedTargets == [FeedFixture.path(1)])
        #expect(try !feed.remove(Self.id, version: 1, in: details))
        #expect(feed.unlistedTargets.isEmpty)
    }

    @Test mutating func whatIsListedAlreadyStaysAsItIs() throws {
        let words = { (listing: FeedRepository.Listing) -> String in
            switch listing {
            case .added: "added"
            case .unchanged: "unchanged"
            case .differs(let entry): entry.words
            }
        }
        let first = try feed.publish([publication(3), publication(4)], in: details)
        #expect(first.map(words) == ["unchanged", "added"])
        let paused = try feed.publish([publication(4, paused: true), publication(4)], in: details)
        #expect(paused.map(words) == ["offered to all", "unchanged"])
        #expect(refusal { _ = try feed.publish([publication(3, bytes: "other")], in: details) }?.code == .feedPublished)
        // A version that was pruned keeps its bytes.
        _ = try feed.remove(Self.id, version: 1, in: details)
        let digest = try MessageDigest.sha256.text(of: Array("envelope 1".utf8))
        let files = [FeedFixture.name(1): digest]
        #expect(
            refusal { _ = try feed.publish([publication(1, bytes: "x")], files: files, in: details) }?.code
                == .feedPublished)
        #expect(try feed.publish([publication(1)], files: files, in: details).map(words) == ["added"])
    }

    /// A job that runs each day has the online key only.
    @Test mutating func whatEndsSoonIsRenewedAsFarAsKeysAreThere() throws {
        let online = try FeedKey(keys.online.verifyingKey).id
        var soon = feed
        #expect(
            soon.refresh(with: [online], in: details) == [.renewed(.timestamp, version: 3)], "the others last")
        let late = ChangeDetails(at: FeedFixture.now.adding(days: 300))
        #expect(
            Set(feed.refresh(with: [online], in: late).map { "\($0)" })
                == Set(
                    [
                        FeedRepository.Renewal.endsSoon(.targets, days: 65), .renewed(.rollout, version: 3),
                        .renewed(.snapshot, version: 3), .endsSoon(.root, days: 65), .renewed(.timestamp, version: 3),
                    ].map { "\($0)" }))
        // Two keys must sign, and one is there.
        var two = try keys.repository()
        let new = try FeedKey(SigningKey.generate(.ed25519).verifyingKey)
        try two.rotate(.targets, adding: [new], removing: [], threshold: 2, in: details)
        let release = try FeedKey(keys.release.verifyingKey).id
        var fresh = two
        #expect(!fresh.refresh(with: [release], in: late).contains { "\($0)".hasPrefix("renewed(rollout") })
    }

    /// A list that was signed by a clock that was ahead is signed again.
    @Test func aWrongTimeIsMended() throws {
        let online = try FeedKey(keys.online.verifyingKey).id
        let early = try #require(Timestamp(secondsSince1970: FeedFixture.now.secondsSince1970 - 10))
        var feed = feed
        _ = feed.refresh(with: [online], in: ChangeDetails(at: early))
        #expect(feed.published == early)
        var other = try keys.repository()
        _ = other.refresh(with: [], in: ChangeDetails(at: early))
        #expect(other.published == FeedFixture.now, "its key is not there")
    }

    /// Once the keys of timestamp and snapshot are new, devices forget which versions they have seen.
    @Test func whatDevicesForgetIsKnownFirst() throws {
        var details = details
        details.above = 1 << 40
        try keys.change { $0.edit(in: details) { $0.notice = "far" } }
        var feed = try keys.repository()
        details = FeedFixture.details
        details.free = [.rollout: 3]
        let new = try FeedKey(SigningKey.generate(.ed25519).verifyingKey)
        let online = try FeedKey(keys.online.verifyingKey).id
        let rotated = try feed.rotate(
            [.rollout, .timestamp, .snapshot], adding: [new], removing: [online], threshold: nil, in: details)
        #expect(rotated.map(\.role) == [.timestamp, .snapshot, .rollout])
        #expect(rotated.map(\.keys) == [1, 1, 1] && rotated.map(\.threshold) == [1, 1, 1])
        #expect(feed.state(of: .rollout).version == 3)
    }

    @Test mutating func theOnlyRoleThatWaitsIsMeant() throws {
        feed.edit(in: details) { $0.notice = "x" }
        #expect(try feed.waitingRole() == .rollout)
        _ = try feed.setTarget("trust/x.store", to: [1], in: details)
        #expect(remedy { _ = try feed.waitingRole() } == .giveRole(["rollout", "targets"]))
        try feed.sign(with: keys.signers([keys.online]))
        #expect(try feed.waitingRole() == .targets)
        try feed.sign(with: keys.signers([keys.release]))
        #expect(remedy { _ = try feed.waitingRole() } == .giveRole([]))
    }

    @Test func daysAreWhole() {
        let now = FeedFixture.now
        #expect(now.wholeDays(until: now.adding(days: 7)) == 7)
        #expect(FeedFixture.at("2026-11-01T12:00:01Z").wholeDays(until: now.adding(days: 7)) == 6)
        #expect(FeedFixture.at("2026-11-01T12:00:01Z").wholeDays(until: now) == -1)
    }
}
