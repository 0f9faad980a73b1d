import FeedTestSupport
import PatchCrypto
import PatchFeed
import TestSupport
import Testing

@testable import PatchPublishing

/// The time for which a server lets caches keep files.
@Suite(.ownThreads) struct CacheWatchTests {
    private static let timestamp = "metadata/timestamp.json"
    private static let root = "metadata/1.root.json"
    private static let missing = "metadata/2.root.json"

    /// The warning about a server that lets caches keep a file for some seconds.
    private func faults(_ path: String, _ seconds: Int?, date: Timestamp? = FeedFixture.now) async throws -> [String] {
        let server = MemorySource(date: date)
        server[Self.timestamp] = [1]
        server[Self.root] = [1]
        let watch = CacheWatch(
            source: FaultySource(source: server) { _, reply in
                FeedReply(reply.content, date: reply.date, maxAge: seconds.map { .seconds($0) })
            })
        _ = try await watch.fetch(.init(path, byteLimit: 10))
        #expect(watch.count == 1)
        return watch.faults
    }

    @Test func aTimestampIsKeptForTenMinutesAtMost() async throws {
        #expect(try await faults(Self.timestamp, 600).isEmpty)
        #expect(try await faults(Self.timestamp, 601) == ["caches keep timestamp.json for 601 s: send max-age=60"])
        #expect(
            try await faults(Self.timestamp, nil) == [
                "timestamp.json has no Cache-Control, so caches guess how long to keep it: send max-age=60"
            ])
    }

    @Test func cacheWatchMissingFileCachedTooLongIsFault() async throws {
        for seconds in [nil, 0, 600] { #expect(try await faults(Self.missing, seconds).isEmpty) }
        #expect(
            try await faults(Self.missing, 601) == [
                "caches remember for 601 s that a file is missing: send max-age=60"
            ])
    }

    @Test func cacheWatchVersionedFileCachedUnderADayIsFault() async throws {
        let fault = "files that never change are not kept by caches: send max-age=31536000, immutable"
        for seconds in [nil, 0, 86_399] { #expect(try await faults(Self.root, seconds) == [fault]) }
        #expect(try await faults(Self.root, 86_400).isEmpty)
    }

    /// The best of several replies does not hide the worst.
    @Test func cacheWatchOneFileOfManyIsFault() async throws {
        let server = MemorySource(date: FeedFixture.now)
        let roots = (1...3).map { "metadata/\($0).root.json" }
        for root in roots { server[root] = [1] }
        let watch = CacheWatch(
            source: FaultySource(source: server) { path, reply in
                let age = path == roots[1] ? Duration.seconds(60) : .seconds(31_536_000)
                return FeedReply(reply.content, date: reply.date, maxAge: age)
            })
        for root in roots { _ = try await watch.fetch(.init(root, byteLimit: 10)) }
        #expect(watch.faults == ["files that never change are not kept by caches: send max-age=31536000, immutable"])
    }

    /// A folder has no caches.
    @Test func onlyAServerIsWatched() async throws {
        for path in [Self.timestamp, Self.root, Self.missing] {
            #expect(try await faults(path, nil, date: nil).isEmpty)
        }
    }
}
