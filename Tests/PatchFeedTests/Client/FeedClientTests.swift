import FeedTestSupport
import PatchCrypto
import Synchronization
import TestSupport
import Testing

@testable import PatchFeed
import PatchPublishing

/// The workflow of the specification, and each attack that it names (section 1.5.2).
@Suite(.ownThreads) struct FeedClientTests {
    private let feed: FeedFixture
    private let storage = MemoryStorage()

    init() throws { feed = try FeedFixture(publishing: 1...3) }

    @Test func aFirstUpdateReadsEachFileOnce() async throws {
        _ = feed.server.takeRequests()
        let list = try await feed.list(storage)
        #expect(list.entries.map(\.version) == [1, 2, 3])
        let requests = feed.server.takeRequests()
        #expect(
            requests.dropLast() == [
                "metadata/2.root.json", "metadata/timestamp.json", "metadata/2.snapshot.json",
                "metadata/2.targets.json",
                "metadata/2.rollout.json",
            ])
        #expect(requests.last?.hasPrefix("targets/rollout/") == true)
    }

    /// It works even if nothing can be stored.
    @Test func aClientReadsEachFileOnce() async throws {
        struct Nowhere: FeedStorage {
            func read(_ name: String, limit: Int) -> [UInt8]? { nil }
            func write(_ name: String, _ bytes: [UInt8]) throws(PatchError) {}
            func remove(_ name: String) throws(PatchError) {}
        }
        var client = try FeedClient(root: feed.pinnedRoot, source: feed.server, storage: Nowhere(), at: FeedFixture.now)
        try await client.update()
        for version in 1...3 { _ = try await client.target(FeedFixture.path(version)) }
        _ = try await client.listTarget()
        _ = try await client.target(PatchList.path(for: FeedFixture.app))
        let requests = feed.server.takeRequests()
        #expect(Set(requests).count == requests.count, "\(requests)")
    }

    @Test func anUnchangedFeedIsTwoRequests() async throws {
        _ = try await feed.list(storage)
        _ = feed.server.takeRequests()
        var client = try feed.client(storage)
        try await client.update()
        #expect(feed.server.takeRequests() == ["metadata/2.root.json", "metadata/timestamp.json"])
        #expect(feed.server["metadata/timestamp.json"]!.count < 600)
    }

    @Test func aChangedListReadsWhatTheOnlineKeySigns() async throws {
        _ = try await feed.list(storage)
        try feed.change(with: [feed.online]) { $0.edit(in: FeedFixture.details) { $0.isEnabled = false } }
        _ = feed.server.takeRequests()
        #expect(try await !feed.list(storage).isEnabled)
        #expect(
            feed.server.takeRequests().dropLast() == [
                "metadata/2.root.json", "metadata/timestamp.json", "metadata/3.snapshot.json",
                "metadata/3.rollout.json",
            ])
    }

    @Test func envelopesAreChecked() async throws {
        var client = try feed.client(storage)
        try await client.update()
        let target = try #require(try await client.target(FeedFixture.path(2)))
        #expect(try await client.contents(of: target, limit: 100) == Array("envelope 2".utf8))
        await #expect(throws: PatchError(.feedLimit, "")) { try await client.contents(of: target, limit: 5) }
        let path = try URLPath.target(target, isConsistent: true)
        for bytes in [Array("envelope 3".utf8), Array("envelope".utf8), []] {
            feed.server[path] = bytes
            await #expect(throws: PatchError(.feedMismatch, "")) { try await client.contents(of: target, limit: 100) }
        }
        feed.server[path] = nil
        await #expect(throws: PatchError(.feedUnavailable, "")) { try await client.contents(of: target, limit: 100) }
        #expect(try await client.target("patches/other.js") == nil)
    }

    /// Whichever byte changes on the way, and wherever a file is cut, the update fails or has the same result. Each
    /// seventh byte is tried.
    @Test func noChangedByteChangesTheList() async throws {
        let expected = try await feed.list(MemoryStorage()).entries.map(\.path)
        for name in ["timestamp", "2.snapshot", "2.targets", "2.rollout"] {
            let path = "metadata/\(name).json"
            let bytes = feed.server[path]!
            for index in stride(from: 0, to: bytes.count, by: 7) {
                for changed in [bytes[..<index] + [bytes[index] ^ 1] + bytes[(index + 1)...], bytes[..<index]] {
                    feed.server[path] = Array(changed)
                    let storage = MemoryStorage()
                    do {
                        #expect(try await feed.list(storage).entries.map(\.path) == expected)
                    } catch let error as PatchError {
                        #expect(error.code.description.hasPrefix("feed-"), "\(error)")
                    }
                    feed.server[path] = bytes
                    // The next update with a good server works.
                    if index % 49 == 0 { #expect(try await feed.list(storage).entries.map(\.path) == expected) }
                }
            }
        }
    }

    /// Arbitrary software, and key compromise below a threshold.
    @Test func metadataOfOtherKeysAreRefused() async throws {
        let other = try FeedFixture(publishing: 1...3)
        for name in ["timestamp", "2.snapshot", "2.targets", "2.rollout"] {
            let path = "metadata/\(name).json"
            let files = feed.server.files
            feed.server[path] = other.server[path]
            let error = await #expect(throws: PatchError.self) { try await feed.list(storage) }
            #expect([.feedSignature, .feedMismatch].contains(error?.code), "\(name): \(error as Any)")
            feed.server.files = files
        }
        #expect(try await feed.list(storage).entries.count == 3)
    }

    /// The online key cannot add code: an envelope that only it lists is not found.
    @Test func theOnlineKeyAddsNoCode() async throws {
        #expect(throws: PatchError(.feedSignature, "")) { try feed.publish(4...4, with: [feed.online]) }
        // A thief of the online key does not respect the limits of this tool.
        try feed.change(with: [feed.online]) { feed in
            feed.edit(in: FeedFixture.details) { list in
                var entry = FeedFixture.entry(9)
                entry.set("path", .string("rollout/evil.json"))
                list.json.set("patches", .array([entry]))
            }
        }
        let list = try await feed.list(storage)
        var client = try feed.client(storage)
        try await client.update()
        #expect(list.entries.isEmpty && list.errors.count == 1)
        #expect(try await client.target("rollout/evil.json") == nil)
        #expect(try await client.target(FeedFixture.path(9)) == nil)
    }

    @Test func olderMetadataAreRefused() async throws {
        let old = feed.server.files
        try feed.publish(4...4)
        let new = feed.server.files
        #expect(try await feed.list(storage).entries.count == 4)
        feed.server.files = old
        await #expect(throws: PatchError(.feedRollback, "")) { try await feed.list(storage) }
        feed.server.files = new
        #expect(try await feed.list(storage).entries.count == 4)
    }

    /// An old targets file under its old name, offered by a new snapshot: mix and match.
    @Test func filesOfTwoStatesAreNotMixed() async throws {
        let old = feed.server["metadata/2.targets.json"]!
        try feed.publish(4...4)
        let path = "metadata/3.targets.json"
        let new = feed.server[path]
        feed.server[path] = old
        await #expect(throws: PatchError(.feedMismatch, "")) { try await feed.list(storage) }
        feed.server[path] = new
        #expect(try await feed.list(storage).entries.count == 4)
    }

    @Test(arguments: [
        ("2026-11-08T11:59:59Z", nil), ("2026-11-08T12:00:00Z", "timestamp.json"),
        ("2099-01-01T00:00:00Z", "root.json"),
    ])
    func expiredMetadataTakeNothingNew(now: String, file: String?) async throws {
        do {
            #expect(try await feed.list(storage, at: FeedFixture.at(now)).entries.count == 3)
            #expect(file == nil)
        } catch {
            #expect(error as? PatchError == PatchError(.feedExpired, ""))
            #expect((error as? PatchError)?.message.hasPrefix(file ?? "none") == true, "\(error)")
        }
        #expect(try await feed.list(storage).entries.count == 3)
    }

    /// An attacker who withholds updates can only repeat the same timestamp.
    @Test func aTimestampThatIsUnchangedEndsToo() async throws {
        _ = try await feed.list(storage)
        let error = await #expect(throws: PatchError(.feedExpired, "")) {
            try await feed.list(storage, at: FeedFixture.at("2026-11-08T12:00:00Z"))
        }
        #expect(error?.message.hasPrefix("timestamp.json") == true)
    }

    /// A device knows a later time than its clock shows.
    @Test func aRootEndsByTheTimeThatWasSeen() async throws {
        let late = FeedFixture.now.adding(days: 360)
        try feed.change(at: late) { $0.refresh([.targets, .rollout, .snapshot], in: ChangeDetails(at: late)) }
        func update(floor days: Int) async throws {
            var client = try FeedClient(
                root: feed.pinnedRoot, source: feed.server, storage: MemoryStorage(), at: late,
                floor: FeedFixture.now.adding(days: days))
            try await client.update()
        }
        try await update(floor: 364)
        let error = await #expect(throws: PatchError(.feedExpired, "")) { try await update(floor: 366) }
        #expect(error?.message.hasPrefix("root.json") == true)
    }

    /// A list from the future moves a device's clock at most to the last second in which its signed metadata are valid.
    @Test func theShownTimeIsBounded() async throws {
        var client = try feed.client(storage)
        #expect(client.shownTime(FeedFixture.now) == nil)
        try await client.update()
        #expect(client.shownTime(FeedFixture.now) == FeedFixture.now)
        #expect(client.shownTime(FeedFixture.at("2099-01-01T00:00:00Z")) == FeedFixture.at("2026-11-08T11:59:59Z"))
    }

    /// A server with a correct clock distinguishes a wrong clock from a withheld update.
    @Test func aWrongClockIsNamed() async throws {
        let server = MemorySource(feed.server, date: FeedFixture.now)
        await #expect(throws: PatchError(.clock, "")) {
            try await feed.list(storage, from: server, at: FeedFixture.at("2099-01-01T00:00:00Z"))
        }
        // It has also expired by the server's clock, which is wrong in another way.
        let ahead = MemorySource(feed.server, date: FeedFixture.at("2099-01-04T00:00:00Z"))
        await #expect(throws: PatchError(.feedExpired, "")) {
            try await feed.list(storage, from: ahead, at: FeedFixture.at("2099-01-01T00:00:00Z"))
        }
        let late = MemorySource(feed.server, date: FeedFixture.at("2026-12-24T00:00:00Z"))
        await #expect(throws: PatchError(.feedExpired, "")) {
            try await feed.list(storage, from: late, at: FeedFixture.at("2026-12-24T00:00:00Z"))
        }
        // A difference of a day is not a wrong clock, because the time zones may differ.
        let end = FeedFixture.at("2026-11-08T12:00:00Z")
        for (date, code) in [("2026-11-07T12:00:00Z", PatchError.Code.feedExpired), ("2026-11-07T11:59:59Z", .clock)] {
            let server = MemorySource(feed.server, date: FeedFixture.at(date))
            await #expect(throws: PatchError(code, ""), "\(date)") {
                try await feed.list(storage, from: server, at: end)
            }
        }
        // With a clock in 1970 nothing has expired. The caller's floor protects against that.
        #expect(
            try await feed.list(storage, from: server, at: FeedFixture.at("1970-01-01T00:00:00Z")).entries.count == 3)
    }

    /// The cause is told: a formatter has indented it.
    @Test func metadataLongerThanSignedSaysSo() async throws {
        let source = FaultySource(source: feed.server) { path, reply in
            guard path == "metadata/2.snapshot.json", case .bytes(let bytes) = reply.content else { return reply }
            return FeedReply(.bytes(bytes + [0x0A]))
        }
        let error = await #expect(throws: PatchError(.feedLimit, "")) { try await feed.list(storage, from: source) }
        #expect(error?.message.contains("bytes that are signed") == true, "\(String(describing: error))")
    }

    /// Endless data: the limit holds even if the source does not enforce it.
    @Test func endlessFilesAreRefused() async throws {
        for name in ["2.root", "timestamp", "2.snapshot", "2.targets"] {
            let source = FaultySource(source: feed.server) { path, reply in
                path == "metadata/\(name).json"
                    ? FeedReply(.bytes([UInt8](repeating: 0x20, count: 6_000_000))) : reply
            }
            await #expect(throws: PatchError(.feedLimit, "")) { try await feed.list(storage, from: source) }
        }
        #expect(try await feed.list(storage).entries.count == 3)
    }

    /// The source fails at each request in turn, in each way. Afterwards a good source works at once.
    @Test func anUpdateThatFailsAnywhereIsMadeUpFor() async throws {
        let replies: [FeedReply?] = [
            nil, FeedReply(.missing), FeedReply(.unchanged), FeedReply(.bytes([])),
            FeedReply(.bytes(Array("<!DOCTYPE html><title>Sign in</title>".utf8))),
        ]
        for reply in replies {
            for index in 0..<6 {
                let storage = MemoryStorage()
                let counter = Counter()
                let source = FaultySource(source: feed.server) { _, sound throws(PatchError) in
                    guard counter.next() == index else { return sound }
                    guard let reply else { throw PatchError(.feedUnavailable, "the connection died") }
                    return reply
                }
                do {
                    let list = try await feed.list(storage, from: source)
                    #expect(index == 0 && list.entries.count == 3)  // only the next root may be missing
                } catch let error as PatchError {
                    #expect(error.code.description.hasPrefix("feed-"), "\(error)")
                }
                #expect(try await feed.list(storage).entries.count == 3)
            }
        }
    }

    @Test func damagedStorageIsAsGoodAsNone() async throws {
        _ = try await feed.list(storage)
        let sound = storage.all
        try #require(!sound.isEmpty)
        for name in sound.keys {
            for bytes in [[], Array("{".utf8), sound[name]!.dropLast(3) + Array("}}}".utf8)] {
                storage.all = sound
                storage.all[name] = bytes
                #expect(try await feed.list(storage).entries.count == 3)
                #expect(storage.all.keys.sorted() == sound.keys.sorted())
            }
        }
    }

    @Test func aClientIsForOneUpdate() async throws {
        var client = try feed.client(storage)
        try await client.update()
        await #expect(throws: PatchError(.config, "")) { try await client.update() }
    }

    @Test func aTagOfAnotherFileIsNotUsed() async throws {
        _ = try await feed.list(storage)
        let tag = storage.all["timestamp.etag"]
        try feed.publish(4...4)
        _ = try await feed.list(storage)
        storage.all["timestamp.etag"] = tag
        let source = FaultySource(source: feed.server) { path, reply in
            path == "metadata/timestamp.json" ? FeedReply(.unchanged) : reply
        }
        await #expect(throws: PatchError(.feedUnavailable, "")) { try await feed.list(storage, from: source) }
        #expect(try await feed.list(storage).entries.count == 4)
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)

    /// The number of previous calls.
    func next() -> Int {
        count.withLock { count in
            defer { count += 1 }
            return count
        }
    }
}
