import FeedTestSupport
import PatchCrypto
import TestSupport
import Testing

@testable import PatchFeed
@testable import PatchPublishing

/// Changes of keys, and the attacks that they stop.
@Suite(.ownThreads) struct RotationTests {
    private let storage = MemoryStorage()

    @Test(arguments: ["root", "targets", "rollout", "snapshot", "timestamp"])
    func eachRoleIsRotated(name: String) async throws {
        let feed = try FeedFixture(publishing: 1...2)
        _ = try await feed.list(storage)
        let role = try #require(FeedRole(rawValue: name))
        let new = try SigningKey.generate(.ed25519)
        try feed.change(with: feed.root + [feed.release, feed.online, new]) { repository in
            let old = repository.keys(of: role).ids
            try repository.rotate(
                role, adding: [new.feedKey], removing: old, threshold: nil, in: FeedFixture.details)
        }
        // A device that knows the old keys, and a new one.
        for storage in [storage, MemoryStorage()] {
            #expect(try await feed.list(storage).entries.count == 2)
        }
        let keys = feed.root + [feed.release, feed.online]
        let id = new.feedKey.id
        var repository = try FeedRepository(trustingItself: { path in feed.server[path] })
        #expect(repository.keys(of: role).ids == [id])
        // The old key alone can no longer sign anything.
        repository.refresh([role], in: ChangeDetails(at: FeedFixture.now.adding(days: 300)))
        #expect(throws: PatchError(.feedSignature, "")) {
            _ = try repository.files(
                signedBy: feed.signers(keys), in: ChangeDetails(at: FeedFixture.now.adding(days: 300)))
        }
    }

    @Test func aRootNeedsTheOldAndTheNewKeys() async throws {
        let feed = try FeedFixture(rootKeys: 3, rootThreshold: 2)
        let new = try SigningKey.generate(.ed25519)
        func rotate(with keys: [SigningKey]) throws {
            try feed.change(with: keys + [feed.release, feed.online]) { repository in
                let gone = feed.root[0].feedKey.id
                try repository.rotate(
                    .root, adding: [new.feedKey], removing: [gone], threshold: 2, in: FeedFixture.details)
            }
        }
        // With one of the old keys, or one of the new ones, a threshold is missed.
        #expect(throws: PatchError(.feedSignature, "")) { try rotate(with: [feed.root[0], new]) }
        #expect(throws: PatchError(.feedSignature, "")) { try rotate(with: [feed.root[1], new]) }
        #expect(throws: PatchError(.feedSignature, "")) { try rotate(with: Array(feed.root[..<2])) }
        try rotate(with: [feed.root[1], feed.root[2]])
        _ = try await feed.list(storage)
        #expect(storage.all["2.root.json"] != nil)
    }

    /// A thief of the online keys raises the versions to the maximum. New keys fix that.
    @Test func aFastForwardIsRecoveredFrom() async throws {
        let feed = try FeedFixture(publishing: 1...1)
        _ = try await feed.list(storage)
        let sound = feed.server.files

        let most = SignedMetadata.versions.upperBound
        var snapshot = try SnapshotMetadata(
            SignedMetadata(feed.server["metadata/2.snapshot.json"]!, name: "snapshot", type: "snapshot"))
        snapshot.version = most
        snapshot.setEntry(of: "rollout", to: MetadataDescription(version: most))
        feed.server["metadata/\(most).snapshot.json"] = try feed.online.file(of: snapshot.json)
        var timestamp = try TimestampMetadata(
            SignedMetadata(feed.server["metadata/timestamp.json"]!, name: "timestamp", type: "timestamp"))
        timestamp.version = most
        timestamp.snapshot = MetadataDescription(version: most)
        feed.server["metadata/timestamp.json"] = try feed.online.file(of: timestamp.json)
        await #expect(throws: PatchError.self) { try await feed.list(storage) }

        feed.server.files = sound
        await #expect(throws: PatchError(.feedRollback, "")) { try await feed.list(storage) }
        let new = try SigningKey.generate(.ed25519)
        try feed.change(with: feed.root + [feed.release, new]) { repository in
            for role in [FeedRole.timestamp, .snapshot, .rollout] {
                try repository.rotate(
                    role, adding: [new.feedKey], removing: repository.keys(of: role).ids, threshold: nil,
                    in: FeedFixture.details)
            }
        }
        #expect(try await feed.list(storage).entries.count == 1)
    }

    /// A device that a thief of the timestamp's key has shown a time to come.
    @Test func theTimeThatALostKeyHasShownIsForgotten() async throws {
        let feed = try FeedFixture()
        func update(signedBy key: SigningKey) async throws {
            // It ends after the shown time, and the snapshot ends before it.
            var timestamp = try TimestampMetadata(
                SignedMetadata(feed.server["metadata/timestamp.json"]!, name: "timestamp", type: "timestamp"))
            timestamp.expires = FeedFixture.now.adding(days: 900)
            feed.server["metadata/timestamp.json"] = try key.file(of: timestamp.json)
            var client = try FeedClient(
                root: feed.pinnedRoot, source: feed.server, storage: MemoryStorage(), at: FeedFixture.now,
                floor: FeedFixture.now.adding(days: 800))
            try await client.update()
        }
        await #expect(throws: PatchError(.feedExpired, "")) { try await update(signedBy: feed.online) }
        let new = try SigningKey.generate(.ed25519)
        try feed.change(with: feed.root + [feed.release, feed.online, new]) { repository in
            try repository.rotate(
                .timestamp, adding: [new.feedKey], removing: repository.keys(of: .timestamp).ids,
                threshold: nil, in: FeedFixture.details)
        }
        try await update(signedBy: new)
    }

    @Test func anUpdateReadsSomeOfManyNewRoots() async throws {
        let feed = try FeedFixture()
        var root = try JSONValue(parsing: feed.pinnedRoot)["signed"] ?? .null
        for version in 2...300 {
            root.set("version", .integer(version))
            feed.server["metadata/\(version).root.json"] = try feed.root[0].file(of: root)
        }
        var client = try feed.client(storage)
        try await client.update()
        // An update reads 256 of them.
        #expect(storage.all["257.root.json"] != nil && storage.all["258.root.json"] == nil)
        // The next update continues.
        client = try feed.client(storage)
        try await client.update()
        #expect(storage.all["300.root.json"] != nil)
    }

    /// One key under two ids counts once.
    @Test func aKeyCountsOnceTowardsAThreshold() throws {
        let key = try SigningKey.generate(.ed25519)
        let entry = key.feedKey.json
        let keys = try FeedKeys(JSONObject(.object([("a", entry), ("b", entry)]), "keys"))
        let role = try RoleKeys(
            JSONObject(
                .object([("keyids", .array([.string("a"), .string("b")])), ("threshold", .integer(2))]), "role"),
            known: keys)
        let signature = try key.sign(Array("x".utf8)[...])
        let both = [MetadataSignature(keyID: "a", bytes: signature), MetadataSignature(keyID: "b", bytes: signature)]
        #expect(try role.count(both, over: Array("x".utf8)) == 1)
        #expect(try role.count([both[1]], over: Array("x".utf8)) == 1)
        #expect(try role.count(both, over: Array("y".utf8)) == 0)
        #expect(try role.signer(of: signature, over: Array("x".utf8)) == "a")
        #expect(try role.signer(of: signature, over: Array("y".utf8)) == nil)
    }

    /// Every moment of a change of keys is valid: both keys sign, and the new root comes last.
    @Test(arguments: ["targets", "snapshot", "timestamp"])
    func aClientInTheMiddleOfARotation(name: String) async throws {
        let feed = try FeedFixture(publishing: 1...1)
        let role = try #require(FeedRole(rawValue: name))
        let new = try SigningKey.generate(.ed25519)
        var repository = try FeedRepository(trustingItself: { path in feed.server[path] })
        try repository.rotate(
            role, adding: [new.feedKey], removing: repository.keys(of: role).ids, threshold: nil,
            in: FeedFixture.details)
        let keys = try feed.signers(feed.root + [feed.release, feed.online, new])
        for file in try repository.files(signedBy: keys, in: FeedFixture.details) {
            feed.server[file.path] = try file.bytes
            #expect(try await feed.list(storage).entries.count == 1, "after \(file.path)")
            #expect(try await feed.list(MemoryStorage()).entries.count == 1, "after \(file.path)")
        }
        #expect(storage.all["2.root.json"] != nil)
    }

    /// The old key is lost or stolen, so only the new one signs, and the run ends after the new root.
    @Test(arguments: [[FeedRole.targets], [.snapshot, .timestamp]])
    func anInterruptedRotationIsMended(roles: [FeedRole]) async throws {
        let feed = try FeedFixture(publishing: 1...1)
        let new = try SigningKey.generate(.ed25519)
        let kept = roles == [.targets] ? feed.online : feed.release
        var repository = try FeedRepository(trustingItself: { path in feed.server[path] })
        for role in roles {
            try repository.rotate(
                role, adding: [new.feedKey], removing: repository.keys(of: role).ids, threshold: nil,
                in: FeedFixture.details)
        }
        let signers = try feed.signers(feed.root + [kept, new])
        for file in try repository.files(signedBy: signers, in: FeedFixture.details) where !file.replaces {
            feed.server[file.path] = try file.bytes
        }
        await #expect(throws: PatchError(.feedSignature, "")) { try await feed.list(storage) }
        // A signer treats a file signed with the old keys as forged, unless the option is given.
        #expect(throws: PatchError(.feedSignature, "")) {
            try FeedRepository(trustingItself: { path in feed.server[path] })
        }
        var again = try FeedRepository(
            root: feed.pinnedRoot, isInterrupted: true, { path in feed.server[path] })
        again.refresh([.timestamp], in: FeedFixture.details)
        again.resignStaleRoles(in: FeedFixture.details)
        try feed.server.write(again.files(signedBy: signers, in: FeedFixture.details))
        #expect(try await feed.list(storage).entries.count == 1)
    }

    /// Files of an interrupted run are never overwritten.
    @Test func versionsThatExistAreSkipped() async throws {
        let feed = try FeedFixture(publishing: 1...1)
        feed.server["metadata/3.snapshot.json"] = Array("left by a crash".utf8)
        feed.server["metadata/3.rollout.json"] = Array("left by a crash".utf8)
        try feed.publish(2...2)
        #expect(feed.server["metadata/3.snapshot.json"] == Array("left by a crash".utf8))
        #expect(try await feed.list(storage).entries.count == 2)
    }
}
