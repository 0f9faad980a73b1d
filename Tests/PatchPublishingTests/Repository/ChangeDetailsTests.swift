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

    private func details(_ change: (inout ChangeDetails) -> Void = { _ in }) -> ChangeDetails {
        var details = FeedFixture.details
        change(&details)
        return details
    }

    @Test func aChangeIsSignedWithWhatIsSaidOfIt() throws {
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

    /// A change that was made and given up, with every possible detail.
    @Test func aChangeThatIsNotWrittenLeavesNoTrace() throws {
        let files = feed.server.files
        let given = details {
            $0.author = "Ada"
            $0.reason = "too slow"
            $0.versionFloor = 500
            $0.locked = [.targets]
            $0.unusedVersions = [.rollout: 900]
        }
        let base = try read()
        var dropped = base
        dropped.edit(in: given) { $0.notice = "dropped" }
        dropped.refresh(Set(FeedRole.allCases), in: given)
        _ = try dropped.setTarget("trust/x.store", to: [1], in: given)
        _ = try dropped.files(signedBy: feed.signers([feed.release, feed.online]), in: given)
        #expect(feed.server.files == files)
        #expect(base.changes(since: try read()).isEmpty && base.changed.isEmpty)

        var next = base
        next.edit(in: FeedFixture.details) { $0.isEnabled = false }
        try feed.server.write(next.files(signedBy: feed.signers([feed.online]), in: FeedFixture.details))
        let read = try read()
        #expect(read.change == ChangeStamp(time: FeedFixture.now, author: nil, reason: nil))
        #expect(read.list.change.author == nil && read.list.change.reason == nil && read.list.notice == nil)
        #expect(read.state(of: .rollout).version == 3 && read.state(of: .snapshot).version == 3)
        #expect(read.state(of: .targets).version == 2 && read.digest(of: "trust/x.store") == nil)
    }

    @Test func versionsGoAboveWhatIsAsked() throws {
        let details = details { $0.versionFloor = 500 }
        var repository = try read()
        repository.refresh(Set(FeedRole.allCases), in: details)
        #expect(repository.state(of: .root).version == 1, "devices read each root")
        for role in FeedRole.allCases where role != .root {
            #expect(repository.state(of: role).version == 501, "\(role)")
        }
    }

    @Test func lockedRolesAreLeftAlone() throws {
        let details = details { ($0.versionFloor, $0.locked) = (500, [.targets, .root]) }
        var repository = try read()
        repository.refresh(Set(FeedRole.allCases), in: details)
        #expect(repository.changed == [.rollout, .snapshot, .timestamp])
    }
}
