import FeedTestSupport
import PatchCrypto
import PatchPublishing
import TestSupport
import Testing

@testable import PatchFeed

/// The three points in which a signer is more lenient than a device, each on its own.
@Suite(.ownThreads) struct ReadingLeniencyTests {
    private let feed: FeedFixture

    init() throws { feed = try FeedFixture(publishing: 1...1) }

    private func trusted(
        at now: Timestamp = FeedFixture.now, _ change: (inout ReadingLeniency) -> Void = { _ in }
    ) throws -> TrustedMetadata {
        var leniency = ReadingLeniency()
        change(&leniency)
        var trusted = try TrustedMetadata(root: feed.pinnedRoot, start: now, leniency: leniency)
        while let bytes = feed.server[FeedLayout.root(trusted.root.version + 1)] { try trusted.update(root: bytes) }
        return trusted
    }

    private func read(_ trusted: inout TrustedMetadata) throws {
        try trusted.update(timestamp: try #require(feed.server[FeedLayout.timestamp]))
        let snapshot = try #require(trusted.listedSnapshot).version
        try trusted.update(snapshot: try #require(feed.server[FeedLayout.snapshot(snapshot)]))
        let targets = try #require(trusted.snapshot).entry(of: "targets").version
        try trusted.update(
            targets: try #require(feed.server[FeedLayout.metadata("targets", version: targets)]), of: .top,
            by: trusted.keys(of: \.targets))
    }

    @Test func trustedMetadataExpiredForSignerIsRead() throws {
        let later = FeedFixture.now.adding(days: 400)
        var device = try trusted(at: later)
        #expect(throws: PatchError(.feedExpired, "")) { try read(&device) }
        var signer = try trusted(at: later) { $0.ignoresEnds = true }
        try read(&signer)
        #expect(signer.targets[.top]?.targets.count == 1)
    }

    /// The new root exists, but the files that its keys sign do not.
    @Test func keysOfEarlierRootsCount() throws {
        let new = try SigningKey.generate(.ed25519)
        let other = try SigningKey.generate(.ed25519)
        var repository = try FeedRepository(trustingItself: { path in feed.server[path] })
        for role in [FeedRole.timestamp, .snapshot] {
            try repository.rotate(
                role, adding: [new.feedKey], removing: repository.keys(of: role).ids, threshold: nil,
                in: FeedFixture.details)
        }
        let keys = try feed.signers(feed.root + [feed.release, feed.online, new, other])
        for file in try repository.files(signedBy: keys, in: FeedFixture.details) where FeedLayout.isRoot(file.path) {
            feed.server[file.path] = try file.bytes
        }
        var device = try trusted()
        #expect(throws: PatchError(.feedSignature, "")) { try read(&device) }
        var signer = try trusted { $0.earlierRoots = 1 }
        try read(&signer)
        #expect(signer.staleTypes == ["timestamp", "snapshot"])
        #expect(signer.root.version == 2 && signer.earlierRoots.map(\.version) == [1])
        // After one more change of keys, the keys of the first root no longer count.
        var again = try FeedRepository(root: feed.pinnedRoot, isInterrupted: true, { path in feed.server[path] })
        try again.rotate(.root, adding: [other.feedKey], removing: [], threshold: nil, in: FeedFixture.details)
        let roots = try again.files(signedBy: keys, in: FeedFixture.details).filter { FeedLayout.isRoot($0.path) }
        try feed.server.write(roots)
        signer = try trusted { $0.earlierRoots = 1 }
        #expect(throws: PatchError(.feedSignature, "")) { try read(&signer) }
        signer = try trusted { $0.earlierRoots = 2 }
        try read(&signer)
        #expect(signer.earlierRoots.map(\.version) == [1, 2])
    }

    @Test func anEarlierSnapshotIsRead() throws {
        try feed.publish(2...2)
        var signer = try trusted { $0.snapshot = 2 }
        try read(&signer)
        #expect(signer.snapshot?.version == 2 && signer.targets[.top]?.targets.count == 1)
        // It must be the requested one.
        signer = try trusted { $0.snapshot = 2 }
        try signer.update(timestamp: try #require(feed.server[FeedLayout.timestamp]))
        #expect(throws: PatchError(.feedMismatch, "")) {
            try signer.update(snapshot: try #require(feed.server[FeedLayout.snapshot(3)]))
        }
    }
}
