import FeedTestSupport
import PatchCrypto
import PatchFeed
import TestSupport
import Testing

@testable import PatchPublishing

/// The times when a signer has to act.
@Suite(.ownThreads) struct FeedStatusTests {
    private let feed: FeedFixture

    init() throws {
        feed = try FeedFixture(rootKeys: 2, rootThreshold: 2, publishing: 1...2)
    }

    @Test func everyRoleSaysWhoSignsItAndUntilWhen() throws {
        let roles = try feed.repository().roles(at: FeedFixture.now)
        #expect(roles.map(\.role) == [.root, .targets, .rollout, .snapshot, .timestamp])
        #expect(roles.map(\.days) == [365, 365, 30, 30, 7])
        #expect(roles.map(\.threshold) == [2, 1, 1, 1, 1])
        #expect(roles.map(\.version) == [1, 2, 2, 2, 2])
        #expect(roles[0].keyIDs == feed.root.map(\.feedKey.id))
        #expect(roles.allSatisfy { $0.expires == FeedFixture.now.adding(days: $0.days) })
        #expect(try feed.repository().roles(at: FeedFixture.now.adding(days: 8)).map(\.days)[4] == -1)
    }

    @Test func feedStatusRoleEndsSoonIsAlarm() throws {
        let repository = try feed.repository()
        func alarm(_ days: Int, after: Int = 0) -> PatchError? {
            repository.alarm(lasting: days, at: FeedFixture.now.adding(days: after))
        }
        #expect(alarm(7) == nil)
        #expect(alarm(8)?.message == "timestamp ends in 7 days")
        #expect(alarm(0, after: 7) == nil)
        #expect(alarm(0, after: 8)?.message == "timestamp has ended")
        #expect(alarm(1, after: 30)?.message == "rollout ends in 0 days; snapshot ends in 0 days; timestamp has ended")
        let error = try #require(alarm(8))
        #expect(error.code == .feedExpired && error.remedy as? PublishingRemedy == .refresh)
    }

    /// Expired roles are reported first, because they stop all devices.
    @Test func aListOfTheFutureIsAnAlarm() throws {
        let repository = try feed.repository()
        func alarm(_ now: String, lasting days: Int = 0) -> PatchError? {
            repository.alarm(lasting: days, at: FeedFixture.at(now))
        }
        #expect(alarm("2026-11-01T11:55:00Z") == nil)
        let error = try #require(alarm("2026-11-01T11:54:59Z"))
        #expect(error.code == .clock && error.remedy as? PublishingRemedy == .signWithThisClock)
        #expect(alarm("2026-11-01T11:54:59Z", lasting: 8)?.code == .feedExpired)
    }

    /// A feed that was refreshed with a clock that is ahead is valid for longer than its roles are.
    @Test func aRenewalOfTheFutureIsAnAlarm() throws {
        try feed.change { feed in
            for role in [FeedRole.snapshot, .timestamp] {
                feed.bumpVersion(of: role, in: ChangeDetails(at: FeedFixture.now.adding(days: 6)))
            }
        }
        let repository = try feed.repository()
        let error = try #require(repository.alarm(lasting: 0, at: FeedFixture.now))
        #expect(error.code == .clock && error.message.hasPrefix("its snapshot was signed at 2026-11-07"), "\(error)")
        #expect(repository.alarm(lasting: 0, at: FeedFixture.now.adding(days: 6)) == nil)
    }

    @Test func everySignedFileSaysWhereItIsListed() throws {
        try feed.change { feed in
            _ = try feed.setTarget(PatchList.trustPath(for: FeedFixture.app), to: [1], in: FeedFixture.details)
            feed.edit(in: FeedFixture.details) { $0.entries.removeAll { $0.version == 1 } }
        }
        let files = try feed.repository().signedFiles
        #expect(files.map(\.words).sorted() == ["in no entry", "offered to all", "the trust store"])
        #expect(files.first { $0.path == FeedFixture.path(2) }?.words == "offered to all")
        #expect(files.first { $0.path == FeedFixture.path(1) }?.words == "in no entry")
    }
}
