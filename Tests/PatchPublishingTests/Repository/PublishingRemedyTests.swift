import FeedTestSupport
import PatchCrypto
import PatchFeed
import TestSupport
import Testing

@testable import PatchPublishing

/// An error carries the signer's remedy as a value, so that each tool can use its own words.
@Suite(.ownThreads) struct PublishingRemedyTests {
    private let feed: FeedFixture

    init() throws { feed = try FeedFixture(publishing: 1...1) }

    /// The remedy of the thrown error.
    private func remedy(_ body: () throws -> Void) -> PublishingRemedy? {
        do {
            try body()
        } catch let error as PatchError {
            #expect(error.hint == nil, "\(error)")
            // It is kept with a place and another code.
            return error.at(file: "feed").coded(.config).remedy as? PublishingRemedy
        } catch {
            Issue.record(error)
        }
        return nil
    }

    @Test func keysAreAskedForByTheirRole() throws {
        var repository = try feed.repository()
        repository.edit(in: FeedFixture.details) { $0.isEnabled = false }
        let id = feed.online.feedKey.id
        #expect(
            remedy { _ = try repository.files(signedBy: feed.signers([feed.release]), in: FeedFixture.details) }
                == .giveKeys(of: .rollout, ids: [id]))
    }

    @Test func tooFewKeysAndForeignKeys() throws {
        var repository = try feed.repository()
        #expect(
            remedy {
                try repository.rotate(.root, adding: [], removing: [], threshold: 2, in: FeedFixture.details)
            } == .addKeys)
        #expect(remedy { _ = try FeedKey(TestKeys.signing.verifyingKey) } == .makeKey)
        #expect(remedy { _ = try FeedKey(pem: []) } == .giveFeedKey)
        repository.edit(in: FeedFixture.details) { $0.isEnabled = false }
        try repository.sign(with: [])
        #expect(remedy { _ = try repository.attach([1], to: .rollout) } == .signPayload)
    }

    @Test func aFolderIsNoFeedOrAnOlderOne() throws {
        #expect(remedy { _ = try FeedRepository(trustingItself: { _ in nil }) } == .makeFeed)
        let new = try SigningKey.generate(.ed25519)
        try feed.change(with: feed.root + [feed.online, new]) { repository in
            try repository.rotate(
                .root, adding: [new.feedKey], removing: [], threshold: nil, in: FeedFixture.details)
        }
        let newest = try #require(feed.server["metadata/2.root.json"])
        feed.server["metadata/2.root.json"] = nil
        #expect(
            remedy { _ = try FeedRepository(root: newest, { path in feed.server[path] }) } == .trustOlderRoot)
    }

    @Test func remedyOutdatedStagedChangeIsRepeatOrSign() throws {
        var staged = try feed.repository()
        staged.edit(in: FeedFixture.details) { $0.notice = "waits" }
        try staged.sign(with: [])
        let waits = staged.staged
        try feed.change { $0.edit(in: FeedFixture.details) { $0.isEnabled = false } }
        for file in waits { feed.server[file.path] = try file.bytes }
        var late = try feed.repository()
        #expect(remedy { _ = try late.loadStagedChange { path in feed.server[path] } } == .repeatStaged)
        var base = try feed.repository()
        base.refresh([.targets], in: ChangeDetails(at: FeedFixture.now.adding(days: 300)))
        #expect(remedy { try staged.rebase(from: late, onto: base, in: FeedFixture.details) } == .signStagedFirst)
    }

    @Test func remedyRemovedVersionOrLargeListIsPublishOrPrune() throws {
        let before = try feed.repository()
        try feed.change { $0.prune(in: FeedFixture.details) { _ in true } }
        var repository = try feed.repository()
        #expect(remedy { _ = try repository.undo(to: before, in: FeedFixture.details) } == .publishAgain)
        repository.edit(in: FeedFixture.details) { $0.notice = String(repeating: "x", count: PatchList.byteLimit) }
        #expect(remedy { try repository.sign(with: feed.signers([feed.online])) } == .prune)
    }
}
