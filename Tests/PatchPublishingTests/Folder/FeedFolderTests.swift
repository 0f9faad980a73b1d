import FeedTestSupport
import Foundation
import PatchCrypto
import PatchFeed
import TestSupport
import Testing

@testable import PatchPublishing

/// The files of a feed in a folder.
@Suite(.ownThreads) struct FeedFolderTests {
    private let place: FeedPlace

    init() throws { place = try FeedPlace() }

    @Test func aFileWithAVersionIsNeverReplaced() throws {
        let file = FeedFile(path: "metadata/1.targets.json", bytes: [1], replaces: false)
        let before = try place.disk.read("feed/metadata/1.targets.json")
        #expect(refusal { try place.folder().write([file]) }?.code == .exists)
        #expect(try place.disk.read("feed/metadata/1.targets.json") == before)
        // Files of an interrupted run are kept.
        try place.folder().write([FeedFile(path: file.path, bytes: before, replaces: false)])
    }

    /// Nothing is written if one of several files cannot be, because the timestamp would lead to missing files.
    @Test func theTimestampComesAfterWhatItLeadsTo() throws {
        try place.disk.write([0], to: "feed/blocked")
        let files = [
            FeedFile(path: "metadata/9.snapshot.json", bytes: [1], replaces: false),
            FeedFile(path: "blocked/9.targets.json", bytes: [1], replaces: false),
            FeedFile(path: "metadata/timestamp.json", bytes: [2], replaces: true),
        ]
        let before = try place.disk.read("feed/metadata/timestamp.json")
        #expect(throws: PatchError(.io, "")) { try place.folder().write(files) }
        #expect(try place.disk.read("feed/metadata/timestamp.json") == before)
        #expect(!place.disk.exists("feed/metadata/9.snapshot.json"))
    }

    /// Two people have changed the feed, and git has merged their files.
    @Test func aConflictOfGitIsNoBreakIn() throws {
        let file = "feed/metadata/timestamp.json"
        let bytes = try place.disk.read(file)
        try place.disk.write(Array("<<<<<<< HEAD\n".utf8) + bytes, to: file)
        let error = refusal { _ = try place.repository() }
        #expect(error?.code == .feedMalformed && error?.hint?.contains("git checkout --ours") == true)
        try place.disk.write(Array("<<<<<<<".utf8) + bytes, to: file)
        #expect(refusal { _ = try place.repository() }?.hint?.contains("git") == false)
    }

    @Test func sizesAreBounded() throws {
        #expect(refusal { _ = try place.folder().read("metadata/1.targets.json", limit: 10) }?.code == .feedLimit)
        #expect(try place.folder().read("metadata/9.targets.json") == nil)
        let file = try place.disk.write([], to: "feed/metadata/9.targets.json")
        try FileHandle(forWritingTo: URL(filePath: file)).truncate(atOffset: 67_108_865)
        #expect(refusal { _ = try place.folder().read("metadata/9.targets.json") }?.code == .feedLimit)
    }

    @Test func versionsThatHaveNoFileAreFound() throws {
        var free = try place.folder().unusedVersions()
        #expect(free[.rollout] == 3 && free[.root] == 2 && free[.timestamp] == 1)
        try place.disk.write([], to: "feed/metadata/3.rollout.json")
        free = try place.folder().unusedVersions()
        #expect(free[.rollout] == 4)
    }

    /// It includes the pruned versions, so that no version gets other bytes.
    @Test func feedFolderPrunedVersionIsKnownAsPublished() throws {
        let digest = try MessageDigest.sha256.text(of: Array("envelope 1".utf8))
        try place.change { $0.prune(in: FeedFixture.details) { _ in true } }
        #expect(try place.folder().published(for: FeedFixture.app) == [FeedFixture.name(1): digest])
        #expect(try place.folder().published(for: "com.example.other").isEmpty)
    }

    @Test func feedFolderStagedChangeIsLoadedAndDiscarded() throws {
        let folder = place.folder()
        #expect(!folder.hasStaged())
        var feed = try place.repository()
        #expect(try folder.staged(on: feed) == nil)
        feed.edit(in: FeedFixture.details) { $0.notice = "waits" }
        try feed.sign(with: [])
        try folder.write(feed.staged)
        #expect(folder.hasStaged())
        #expect(try folder.staged(on: place.repository())?.list.notice == "waits")
        try folder.discardStaged()
        #expect(!folder.hasStaged() && !place.disk.exists("feed/staged/list.json"))
    }

    @Test func theTrustStoreIsTheOneThatIsSigned() throws {
        let folder = place.folder()
        #expect(try folder.trustedKeys(of: place.repository()).isEmpty)
        var keys = TrustStoreFile()
        try keys.add(TrustedKey(TestKeys.signing.verifyingKey, name: "release"))
        let path = PatchList.trustPath(for: FeedFixture.app)
        var feed = try place.repository()
        _ = try feed.setTarget(path, to: keys.encoded(), in: FeedFixture.details)
        let line = "key \(TestKeys.signing.verifyingKey.id) release"
        #expect(try folder.trustedKeys(of: feed) == [line], "it waits to be written")
        try place.change { _ = try $0.setTarget(path, to: keys.encoded(), in: FeedFixture.details) }
        #expect(try folder.trustedKeys(of: place.repository()) == [line])
        let file = FeedLayout.target(path, sha256: try MessageDigest.sha256.text(of: keys.encoded()))
        try place.disk.write([1], to: "feed/\(file)")
        #expect(refusal { _ = try folder.trustStore(of: place.repository()) }?.code == .feedMismatch)
    }
}
