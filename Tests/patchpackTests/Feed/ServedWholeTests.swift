import Foundation
import PatchCrypto
import PatchDevice
import PatchFeed
import PatchFiles
import PatchPublishing
import Synchronization
import TestSupport
import Testing

@testable import patchpack

/// A feed that is changed repeatedly while devices read it.
@Suite(.ownThreads) struct ServedWholeTests {
    @Test func noDeviceEverSeesHalfAFeed() async throws {
        let work = try FeedReleaseFixture()
        let folder = FeedFolder(path: Path(work.folder.at("feed")))
        let key = try SigningKey(pem: SecretBytes(try work.folder.read("online.pem")))
        let root = try work.folder.read("feed/metadata/1.root.json")
        let now = try #require(Timestamp(secondsSince1970: Int(Date().timeIntervalSince1970)))
        let syncs = testsMayBeLong && !isSanitized ? 2_000 : 100
        let state = State()
        @Sendable func change() throws -> Int {
            defer { state.isDone.store(true, ordering: .relaxed) }
            var count = 0
            // An error below cancels this task.
            while !state.isDone.load(ordering: .relaxed), !Task.isCancelled {
                count += 1
                state.changes.store(count, ordering: .relaxed)
                var feed = try folder.ownRepository()
                feed.edit(in: ChangeDetails(at: now)) { $0.json.set("notice", .string("change \(count)")) }
                try folder.write(feed.files(signedBy: [FeedSigner(key)], in: ChangeDetails(at: now)))
            }
            return count
        }
        async let changes = change()
        var last = 0
        var done = 0
        while !state.isDone.load(ordering: .relaxed), done < syncs || state.changes.load(ordering: .relaxed) < 5 {
            done += 1
            var client = try FeedClient(
                root: root, source: FolderSource(folder.path.description), storage: NoStorage(), at: now)
            try await client.update()
            let target = try #require(try await client.target(PatchList.path(for: "com.example.shop")))
            let list = try PatchList(decoding: await client.contents(of: target, limit: PatchList.byteLimit))
            let notice = list.notice.flatMap { Int($0.dropFirst("change ".count)) } ?? 0
            #expect(notice >= last)
            last = notice
        }
        state.isDone.store(true, ordering: .relaxed)
        #expect(try await changes >= 5)
    }

    private final class State: Sendable {
        /// Whether the changes are to end, or have ended by an error.
        let isDone = Atomic(false)
        let changes = Atomic(0)
    }
}
