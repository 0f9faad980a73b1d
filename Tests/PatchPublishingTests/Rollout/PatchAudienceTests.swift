import FeedTestSupport
import PatchCrypto
import PatchFeed
import TestSupport
import Testing

@testable import PatchPublishing

/// The audience of a patch, and its form in text.
@Suite(.ownThreads) struct PatchAudienceTests {
    private func audience(
        _ basisPoints: Int? = nil, _ unit: Rollout.Unit? = nil, seed: String? = nil, groups: [String] = [],
        users: [String] = [], moment: PatchList.Entry.Moment? = nil, after old: Rollout? = nil
    ) -> PatchAudience {
        PatchAudience(
            basisPoints: basisPoints, unit: unit, seed: seed, groups: groups, users: users, moment: moment, after: old)
    }

    @Test(arguments: [
        ("0", 0), ("5", 500), ("5%", 500), ("0.5%", 50), ("12.25%", 1225), ("0.01%", 1), ("1.5", 150), ("100%", 10_000),
        ("100.00%", 10_000), ("007", 700),
    ])
    func percentagesAreRead(text: String, basisPoints: Int) { #expect(Rollout.basisPoints(text) == basisPoints) }

    @Test(arguments: [
        "", "%", ".5", "5.", "1.234", "100.01%", "101%", "1000", "-1", "+1", "1e1", "５%", "5%%", "1.2.3",
        "99999999999999999999", "0.05",
    ])
    func basisPointsWrongTextIsNil(text: String) { #expect(Rollout.basisPoints(text) == nil) }

    @Test func percentagesAreWrittenAsTheyAreRead() {
        for basisPoints in 0...10_000 { #expect(Rollout.basisPoints(Rollout.percent(basisPoints)) == basisPoints) }
        #expect(Rollout.percent(50) == "0.5%" && Rollout.percent(5) == "0.05%" && Rollout.percent(500) == "5%")
    }

    @Test func namesOfGroupsHaveNoCommaAndNoOuterSpace() {
        for name in ["beta", "eu west", "\u{e9}"] { #expect(PatchAudience.fault(ofGroup: name) == nil, "\(name)") }
        for name in [" beta", "beta ", "beta\u{a0}", "\tbeta", " "] {
            #expect(PatchAudience.fault(ofGroup: name) == .outerSpace, "\(name)")
        }
        for name in ["beta,qa", ","] { #expect(PatchAudience.fault(ofGroup: name) == .comma, "\(name)") }
    }

    @Test func audienceMissingOptionsKeepEntry() throws {
        var entry = PatchEntryDraft(FeedFixture.entry(1))
        let whole = audience(1000, .user, seed: "s", groups: ["qa"], users: ["ada"], moment: .nextLaunch)
        try whole.apply(to: &entry)
        #expect(entry.rollout == Rollout(basisPoints: 1000, unit: .user, seed: "s") && entry.groups == ["qa"])
        #expect(try entry.users == [Rollout.name(of: "ada", patch: entry.id)] && entry.when == .nextLaunch)
        #expect(entry.words == "offered to 10% by user, and group qa, and 1 user, at the next launch")
        let before = entry
        try audience().apply(to: &entry)
        #expect(entry.json.encoded() == before.json.encoded())
        // A wider rollout counts the same units, so that no device drops out.
        try audience(2500, after: entry.rollout).apply(to: &entry)
        #expect(entry.rollout == Rollout(basisPoints: 2500, unit: .user, seed: "s"))
        try audience(2500, .installation, seed: "t", after: entry.rollout).apply(to: &entry)
        #expect(entry.rollout == Rollout(basisPoints: 2500, unit: .installation, seed: "t"))
    }

    @Test func entryBasisPointsOnlyGroupsIsZero() throws {
        var entry = PatchEntryDraft(FeedFixture.entry(1))
        entry.rollout = nil
        entry.groups = []
        #expect(entry.basisPoints == 10_000)
        entry.groups = ["qa"]
        #expect(entry.basisPoints == 0)
        entry.rollout = Rollout(basisPoints: 1)
        #expect(entry.basisPoints == 1)
    }

    @Test func audienceTextEachAudienceNamesItsDevices() {
        #expect(audience().text == "to all")
        #expect(audience(500).text == "to 5% by installation")
        #expect(
            audience(500, .user, groups: ["a", "b"], users: ["x"]).text == "to 5% by user, and groups a, b, and 1 user"
        )
        #expect(audience(groups: ["a"]).text == "to group a")
    }
}
