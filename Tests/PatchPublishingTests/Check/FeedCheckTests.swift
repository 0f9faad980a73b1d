import FeedTestSupport
import PatchCrypto
import PatchFeed
import PatchFiles
import TestSupport
import Testing

@testable import PatchPublishing

/// The faults that devices would find in a feed.
@Suite(.ownThreads) struct FeedCheckTests {
    private let feed: FeedFixture

    init() throws { feed = try FeedFixture(publishing: 1...2) }

    private func check(at now: Timestamp = FeedFixture.now, scriptKey: ScriptKey? = nil) async throws -> FeedCheck {
        try await feed.server.check(root: feed.pinnedRoot, at: now, scriptKey: scriptKey)
    }

    private func fault(scriptKey: ScriptKey? = nil) async -> PatchError? {
        do { _ = try await check(scriptKey: scriptKey) } catch { return error as? PatchError }
        return nil
    }

    /// Applies `change` to the list, even if a feed does not allow the result.
    private func relist(_ change: (inout PatchListDraft) throws -> Void) throws {
        try feed.change { feed in
            var list = feed.list
            try change(&list)
            feed.edit(in: FeedFixture.details) { $0 = list }
        }
    }

    /// The bytes of the list, and of those envelopes and trust stores whose paths are counted.
    private func size(_ isCounted: (String) -> Bool = { _ in true }) throws -> Int {
        let repository = try feed.repository()
        let paths = repository.targets.map { FeedLayout.target($0.path, sha256: $0.sha256) }.filter(isCounted)
        return repository.list.json.encoded().count + 1 + paths.reduce(0) { $0 + (feed.server[$1]?.count ?? 0) }
    }

    @Test func feedCheckSoundFeedCountsBytesForDevices() async throws {
        let found = try await check()
        #expect(try found.bytes == size() && found.list.entries.count == 2 && found.faults.isEmpty)
        // Devices do not read withdrawn envelopes.
        try relist { list in
            list.entries = try list.entries.map { entry in
                var entry = entry
                if entry.version == 1 { try entry.setState(.withdrawn) }
                return entry
            }
        }
        #expect(try await check().bytes == size { $0.contains("-2.js") })
    }

    @Test func feedCheckEntryWithoutSignedTargetIsRefused() async throws {
        try relist { list in
            var entry = PatchEntryDraft(FeedFixture.entry(3))
            entry.path = FeedFixture.path(3)
            list.entries.append(entry)
        }
        let fault = await fault()
        #expect(fault?.code == .feedMismatch && fault?.message.hasPrefix(FeedFixture.path(3)) == true)
    }

    /// Devices compare an envelope with its entry, and take none whose SHA-256 is not signed.
    @Test func feedCheckEnvelopeOfOtherEntryIsRefused() async throws {
        let forge = EnvelopeForge()
        let manifest = try EnvelopeForge.manifest(for: forge.scripts)
        let envelope = try FeedFile.Contents(forge.envelope())
        try feed.change { feed in
            _ = try feed.publish([Publication(envelope, manifest)], in: FeedFixture.details)
        }
        // The other envelopes are none.
        #expect(try await check().faults.isEmpty)
        let unread = " is not compared with the list: "
        #expect(try await check(scriptKey: TestKeys.script).faults.map { $0.contains(unread) } == [true, true])
        #expect(
            try await check(scriptKey: TestKeys.otherScript).faults.map { $0.contains(unread) } == [true, true, true])
        let other: [(String, JSONValue)] = [
            ("id", .string("com.example.shop.other")), ("version", .integer(8)), ("engine", .integer(2)),
            ("appVersions", .string("*")),
        ]
        let sound = try feed.repository().list.entries
        for (member, value) in other {
            try relist { list in
                list.entries = sound.map { entry in
                    guard entry.id == manifest.id else { return entry }
                    var entry = entry
                    entry.json.set(member, value)
                    return entry
                }
            }
            #expect(await fault() == nil, "\(member)")
            let found = await fault(scriptKey: TestKeys.script)
            #expect(found?.code == .feedMismatch && found?.hint?.contains("stolen") == true, "\(member)")
        }
    }

    @Test func feedCheckTargetWithoutSHA256IsRefused() async throws {
        let path = FeedFixture.path(2)
        let hashes = JSONValue.object([("sha512", .string("00"))])
        let target = JSONValue.object([("hashes", hashes), ("length", .integer(10))])
        try feed.change { feed in
            feed.bumpVersion(of: .targets, in: FeedFixture.details)
            feed.bodies.targets.targets[ExactString(path)] = try FeedTarget(path: path, JSONObject(target, path))
        }
        let fault = await fault()
        #expect(fault?.code == .feedMismatch && fault?.message.contains("without a SHA-256") == true)
    }

    @Test func feedCheckEntryListedTwiceIsFault() async throws {
        try relist { $0.entries.append($0.entries[0]) }
        #expect(try await check().faults == feed.list(MemoryStorage()).errors.map(\.message))
        #expect(try await check().faults.count == 1)
    }

    @Test func aPatchOfRevokedKeysIsDropped() async throws {
        let (kept, revoked) = (try SigningKey.generate(.ed25519), try SigningKey.generate(.ed25519))
        let end = FeedFixture.now.adding(days: 1)
        func envelope(_ keys: [SigningKey]) throws -> [UInt8] {
            var forge = EnvelopeForge()
            forge.signingKeys = keys
            return try forge.envelope()
        }
        let store = try TrustStoreFile.with([
            TrustedKey(kept.verifyingKey, name: "kept"),
            TrustedKey(revoked.verifyingKey, name: "old", expires: end),
        ])
        try feed.change { feed in
            _ = try feed.publish(
                [(3, [revoked]), (4, [revoked, kept])].map { version, keys in
                    try Publication(
                        FeedFile.Contents(envelope(keys)), entry: PatchEntryDraft(FeedFixture.entry(version)))
                }, in: FeedFixture.details)
            _ = try feed.setTarget(PatchList.trustPath(for: FeedFixture.app), to: store, in: FeedFixture.details)
        }
        let found = try await check()
        #expect(try found.faults.isEmpty && found.bytes == size())
        let fault =
            "com.example.shop.cart-total 3 is signed only by keys that the delivered trust store refuses, so devices drop it: publish a higher version that a key which stays has signed"
        #expect(try await check(at: end).faults == [fault])
    }

    @Test func aTrustStoreThatNoDeviceReadsIsRefused() async throws {
        let path = PatchList.trustPath(for: FeedFixture.app)
        try feed.change { _ = try $0.setTarget(path, to: Array("no key\n".utf8), in: FeedFixture.details) }
        let fault = await fault()
        #expect(fault?.code == .config && fault?.place?.file == path && fault?.place?.line == 1)
    }

    /// Signs other targets of the rollout role, as a thief of the online key can.
    ///
    /// - Parameter state: The version of the previous snapshot.
    private func forge(_ targets: [ExactString: FeedTarget], after state: Int) throws {
        func file(_ path: String, _ type: String) throws -> SignedMetadata {
            try SignedMetadata(#require(feed.server[path]), name: path, type: type)
        }
        var rollout = try TargetsMetadata(file("metadata/\(state).rollout.json", "targets"))
        var snapshot = try SnapshotMetadata(file("metadata/\(state).snapshot.json", "snapshot"))
        var timestamp = try TimestampMetadata(file("metadata/timestamp.json", "timestamp"))
        let next = state + 1
        rollout.targets = targets
        rollout.version = next
        snapshot.version = next
        timestamp.version += 1
        snapshot.setEntry(of: "rollout", to: MetadataDescription(version: next))
        timestamp.snapshot = MetadataDescription(version: next)
        feed.server["metadata/\(next).rollout.json"] = try feed.online.file(of: rollout.json)
        feed.server["metadata/\(next).snapshot.json"] = try feed.online.file(of: snapshot.json)
        feed.server["metadata/timestamp.json"] = try feed.online.file(of: timestamp.json)
    }

    /// Devices find a list by the name of its app.
    @Test func aListThatNoDeviceFindsIsRefused() async throws {
        let list = try feed.repository().list.json.encoded() + [0x0A]
        let own = try #require(feed.repository().bodies.rollout.targets.values.first)
        let path = PatchList.path(for: "com.example.other")
        let digest = try MessageDigest.sha256.text(of: list)
        feed.server[FeedLayout.target(path, sha256: digest)] = list
        let other = FeedTarget(path: path, length: list.count, sha256: digest)
        try forge([ExactString(path): other], after: 2)
        let foreign = await fault()
        #expect(foreign?.code == .feedMismatch && foreign?.place?.file == "www")
        // Devices find their own beside another target. A list that is not for the app of its name is refused before.
        try forge([ExactString(own.path): own, ExactString(path): other], after: 3)
        let both = await fault()
        #expect(both?.code == .feedMismatch, "\(String(describing: both))")
        #expect(refusal { _ = try feed.repository() }?.code == .feedMalformed)
        try forge([:], after: 4)
        let none = await fault()
        #expect(none?.code == .feedMalformed && none?.place?.file == "www")
    }
}

extension TrustStoreFile {
    fileprivate static func with(_ keys: [TrustedKey]) throws -> [UInt8] {
        var file = TrustStoreFile()
        for key in keys { try file.add(key) }
        return try file.encoded()
    }
}
