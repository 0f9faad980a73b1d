import FeedTestSupport
import PatchCrypto
import TestSupport
import Testing

@testable import PatchFeed
@testable import PatchPublishing

/// The details of a change are signed only with that change.
@Suite(.ownThreads) struct ChangeDetailsTests {
    private let feed: FeedFixture

    init() throws { feed = try FeedFixture(publishing: 1...1) }

    private func read() throws -> FeedRepository { try feed.repository() }

    private func details(_ change: (inout ChangeDetails) -> Void) -> ChangeDetails {
        var details = FeedFixture.details
        change(&details)
        return details
    }

    @Test func changeIsSignedWithItsAuthorAndReason() throws {
        let details = details { ($0.author, $0.reason) = ("Ada", "too slow") }
        var repository = try read()
        let entry = repository.list.entries[0]
        var paused = entry
        paused.state = .paused
        repository.replace(entry, with: paused, in: details)
        try feed.server.write(repository.files(signedBy: feed.signers([feed.online]), in: details))
        let change = ChangeStamp(time: FeedFixture.now, author: "Ada", reason: "too slow")
        let next = try read()
        #expect(next.change == change && next.list.change == change)
        #expect(next.list.entries[0].change.author == "Ada" && next.list.entries[0].reason == "too slow")
        #expect(next.list.entries[0].since == FeedFixture.now)
    }

    /// Those of the change before are not kept.
    @Test func aChangeWithoutAuthorOrReasonRecordsNone() throws {
        let first = details { ($0.author, $0.reason) = ("Ada", "too slow") }
        for (stamp, isEnabled) in [(first, false), (FeedFixture.details, true)] {
            var repository = try read()
            repository.edit(in: stamp) { $0.isEnabled = isEnabled }
            try feed.server.write(repository.files(signedBy: feed.signers([feed.online]), in: stamp))
        }
        let next = try read()
        #expect(next.list.isEnabled)
        #expect(next.change == ChangeStamp(time: FeedFixture.now, author: nil, reason: nil))
        #expect(next.list.change == next.change)
    }

    @Test func refreshedVersionsAreAboveTheFloor() throws {
        let details = details { $0.versionFloor = 500 }
        var repository = try read()
        repository.refresh(Set(FeedRole.allCases), in: details)
        #expect(repository.state(of: .root).version == 1, "devices read each root")
        for role in FeedRole.allCases where role != .root {
            #expect(repository.state(of: role).version == 501, "\(role)")
        }
    }

    /// All roles end soon.
    @Test func lockedRolesAreLeftAlone() throws {
        let details = details {
            $0.now = FeedFixture.now.adding(days: FeedRole.root.days)
            $0.locked = [.targets, .root]
        }
        var repository = try read()
        repository.refresh(Set(FeedRole.allCases), in: details)
        #expect(repository.changed == [.rollout, .snapshot, .timestamp])
    }
}
