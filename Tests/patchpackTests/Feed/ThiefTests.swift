import Foundation
import PatchCrypto
import PatchFiles
import TestSupport
import Testing

@testable import PatchFeed
@testable import PatchPublishing

/// The abilities and limits of a thief of each key: a test for each cell of the table in SECURITY.md.
@Suite(.ownThreads) struct ThiefTests {
    private static let id = FeedReleaseFixture.id
    private static let app = "com.example.shop"
    private static let evil = "com.example.shop.evil"
    private static let owner = ["root.pem", "release.pem", "online.pem", "new.pem"].flatMap { ["--key", $0] }

    private let work: FeedReleaseFixture
    private let now: Timestamp
    private var details: ChangeDetails { ChangeDetails(at: now) }
    /// The thief's own key, which does not belong to any role.
    private let thief: SigningKey

    /// A feed with a patch, and a device that has synced.
    init() throws {
        work = try FeedReleaseFixture()
        now = try #require(Timestamp(secondsSince1970: Int(Date().timeIntervalSince1970)))
        thief = try SigningKey(pem: SecretBytes(try work.folder.read("offline.pem")))
        // The thief's own patch. No key that the app knows has signed its envelope.
        let source = ReleaseFixture.script.replacing(Self.id, with: Self.evil)
        try work.folder.write(source, to: "evil.lua")
        try work.folder.write(try work.folder.read("feed/metadata/1.root.json"), to: "pinned.json")
        let packed = try work.shop.shell(
            """
            patchpack pack --no-lint evil.lua -o evil.js --signing-key offline.pem --script-key script.key -q &&
            patchpack pack --no-lint evil.lua -o signed.js --signing-key signing.pem --script-key script.key -q
            """)
        try #require(packed.status == 0, "\(packed.error)")
        try #require(try sync("old").status == 0)
        try #require(try work.shop.shell("cp -r feed feed.old").status == 0)
        try #require(try work.run("switch", "feed", "checkout=old").status == 0)
    }

    // MARK: helpers

    /// A sync of a device: `old` has synced before, and a new one has only the app's root and key.
    private func sync(_ store: String, _ options: String...) throws -> Tool {
        try Tool.run(
            Tool.patchpack,
            [
                "sync", "feed", "--root", "pinned.json", "--store", store, "--app", Self.app, "--app-version", "2.3.1",
                "--trusted-key", "trusted.pem", "--script-key", "script.key",
            ] + options, in: work.folder.path)
    }

    private func key(_ name: String) throws -> SigningKey {
        try SigningKey(pem: SecretBytes(try work.folder.read("\(name).pem")), rsaDefault: .rsaSHA1)
    }

    private func read(_ path: String) -> [UInt8]? { try? work.folder.read("feed/\(path)") }

    private func write(_ files: [FeedFile]) throws {
        for file in files { try work.folder.write(file.bytes, to: "feed/\(file.path)") }
    }

    /// A root file that names the thief's key next to the true ones, signed by that key alone.
    private func forgedRoot(_ version: Int = 2) throws -> [UInt8] {
        let feedKey = try FeedKey(thief.verifyingKey)
        var root = try JSONValue(parsing: try work.folder.read("pinned.json"))["signed"] ?? .null
        root.set("version", .integer(version))
        root.change("keys") { $0.set(feedKey.id, feedKey.json) }
        root.change("roles") { roles in
            for (name, _) in roles.members {
                roles.change(name) { role in
                    role.set("keyids", .array((role["keyids"]?.elements ?? []) + [.string(feedKey.id)]))
                }
            }
        }
        return try file(of: root, signedBy: thief)
    }

    /// The file of metadata with one signature.
    private func file(of signed: JSONValue, signedBy key: SigningKey) throws -> [UInt8] {
        let signature = try key.sign(signed.canonical[...])
        return MetadataSignature.file(signed, [.init(keyID: try FeedKey(key.verifyingKey).id, bytes: signature)])
    }

    /// Puts the thief's whole feed into the folder: a root, targets, a trust store and a list with the thief's patch.
    private func forgeFeed() throws {
        let root = try forgedRoot()
        try work.folder.write(root, to: "feed/metadata/2.root.json")
        var feed = try FeedRepository(root: root) { (path) throws(PatchError) in read(path) }
        let feedKey = try FeedKey(thief.verifyingKey)
        feed.bumpVersion(of: .targets, in: details)
        feed.bumpVersion(of: .rollout, in: details)
        try feed.bodies.targets.setKeys(
            of: "rollout", to: feed.keys(of: .rollout).ids + [feedKey.id], threshold: 1,
            adding: [(feedKey.id, feedKey.json)])
        try offer("evil.js", in: &feed)
        let store = try TrustStoreFile.with([(thief.verifyingKey, "evil")])
        _ = try feed.setTarget(PatchList.trustPath(for: Self.app), to: store, in: details)
        try write(feed.files(signedBy: [FeedSigner(thief)], in: details))
    }

    /// Adds an envelope to the targets and to the list.
    private func offer(_ name: String, in feed: inout FeedRepository) throws {
        let envelope = try work.folder.read(name)
        let manifest = try Manifest(
            id: Self.evil, version: 7, app: Self.app, appVersions: try #require(VersionRange(">=2.3.0 <2.5.0")),
            engineLevel: 1, replaces: ["Cart.total"], scripts: [.init(name: "main.lua", byteCount: 1)])
        _ = try feed.publish([Publication(FeedFile.Contents(envelope), manifest)], in: details)
    }

    /// Changes the feed with stolen keys, as its own tool would.
    private func change(
        with keys: [SigningKey], at time: Timestamp? = nil, _ body: (inout FeedRepository) throws -> Void
    ) throws {
        var feed = try FeedRepository(trustingItself: { (path) throws(PatchError) in read(path) })
        try body(&feed)
        try write(feed.files(signedBy: keys.map { try FeedSigner($0) }, in: ChangeDetails(at: time ?? now)))
    }

    // MARK: only write access to the folder

    static let verbs: [(name: String, arguments: [String])] = [
        ("publish", ["publish", "feed", "8.js"] + FeedReleaseFixture.envelopes + FeedReleaseFixture.all),
        ("refresh", ["refresh", "feed"]),
        ("rotate", ["rotate", "feed", "timestamp", "--add", "new-public.pem"]),
        ("trust", ["trust", "feed", "trusted.pem"]), ("disable", ["disable", "feed"]),
        ("withdraw", ["withdraw", "feed", id]), ("rollout", ["rollout", "feed", id, "50%"]),
        ("switch", ["switch", "feed", "a=b"]), ("prune", ["prune", "feed", id, "--keep", "1"]),
        ("sign", ["sign", "feed", "--yes"]), ("detach", ["sign", "feed", "--detach", "-o", "payload"]),
        ("promote", ["promote", "other", "feed", id] + FeedReleaseFixture.envelopes + FeedReleaseFixture.all),
    ]

    /// The ways to change a feed's folder without a key.
    enum Forgery: String, CaseIterable {
        case root, firstRoot, timestamp, targets, snapshot, rollout, list, jumpedVersions, oldState
    }

    private func forge(_ forgery: Forgery) throws {
        func spoil(_ name: String) throws {
            try work.folder.write(try #require(read(name)) + [0x0A], to: "feed/\(name)")
        }
        switch forgery {
        case .root: try forgeFeed()
        case .firstRoot: try work.folder.write(try forgedRoot(1), to: "feed/metadata/1.root.json")
        case .timestamp:
            var timestamp = try JSONValue(parsing: try #require(read("metadata/timestamp.json")))
            timestamp.change("signed") { $0.set("version", .integer((1 << 53) - 2)) }
            try work.folder.write(timestamp.encoded(), to: "feed/metadata/timestamp.json")
        case .targets: try spoil("metadata/2.targets.json")
        case .snapshot: try spoil("metadata/3.snapshot.json")
        case .rollout: try spoil("metadata/3.rollout.json")
        case .list:
            for name in try work.folder.contents() where name.hasPrefix("feed/targets/rollout/") {
                try spoil(String(name.dropFirst("feed/".count)))
            }
        case .oldState:
            // All of it is signed: it is an older state of the feed.
            try #require(try work.shop.shell("rm -rf feed && cp -r feed.old feed").status == 0)
        case .jumpedVersions:
            for version in 3...1003 { try work.folder.write("{}", to: "feed/metadata/\(version).snapshot.json") }
        }
    }

    @Test(arguments: Forgery.allCases)
    func folderThiefForgedFeedGetsNothingSigned(_ forgery: Forgery) throws {
        try #require(
            try work.run(FeedReleaseFixture.make("other")).status == 0
                && work.run(
                    ["publish", "other", "8.js"] + FeedReleaseFixture.envelopes + FeedReleaseFixture.all + Self.owner
                ).status == 0)
        let first = try #require(Forgery.allCases.firstIndex(of: forgery))
        // Each verb is tested with an eighth of the forgeries, and with all of them in long tests.
        for (number, (name, arguments)) in Self.verbs.enumerated()
        where testsMayBeLong || (first + number).isMultiple(of: 8) {
            try #require(try work.shop.shell("rm -rf feed.kept && cp -r feed feed.kept").status == 0)
            if name == "sign" || name == "detach" {
                let staged = try work.publish(["8.js"], "--stage", with: FeedReleaseFixture.online)
                try #require(staged.status == 0, "\(staged.error)")
            }
            try forge(forgery)
            let before = try work.folder.contents().filter { $0.hasPrefix("feed/") }
            let run = try work.run(arguments + Self.owner)
            #expect(
                (30...38).contains(run.status) || run.status == 78, "\(name): \(run.status) \(run.text)\(run.error)")
            #expect(
                run.error.contains("is not the feed's") || run.error.contains("no root file to trust")
                    || run.error.contains("an old copy of the feed"),
                "\(name): \(run.error)")
            #expect(try work.folder.contents().filter { $0.hasPrefix("feed/") } == before, "\(name)")
            try #require(try work.shop.shell("rm -rf feed && mv feed.kept feed").status == 0)
        }
        // After the owner restores the folder, everything works.
        #expect(try work.publish(["8.js"]).status == 0)
        #expect(try sync("old").text.contains("offered  \(Self.id) 8"))
    }

    @Test(arguments: Forgery.allCases)
    func folderThiefRestoredFeedStopsNoDevice(_ forgery: Forgery) throws {
        try #require(try work.shop.shell("cp -r feed feed.kept").status == 0)
        try forge(forgery)
        for store in ["old", "new"] {
            let run = try sync(store)
            #expect(!run.text.contains(Self.evil), "\(run.text)")
        }
        try #require(try work.shop.shell("rm -rf feed && mv feed.kept feed").status == 0)
        for store in ["old", "new"] { #expect(try sync(store).status == 0) }
    }

    // MARK: the online key

    @Test func theOnlineKeyAddsNoCodeAndNoKey() throws {
        let online = try key("online")
        try change(with: [online]) { feed in
            feed.edit(in: details) { list in
                var entry = list.json["patches"]!.elements[0]
                entry.set("id", .string(Self.evil))
                entry.set("path", .string("patches/\(Self.app)/evil.js"))
                list.json.set("patches", .array(list.json["patches"]!.elements + [entry]))
            }
        }
        for store in ["old", "new"] {
            let run = try sync(store)
            #expect(run.text.contains("list-mismatch  \(Self.evil)"), "\(run.text)\(run.error)")
        }
        // Neither an envelope nor a trust store can be added without the release key.
        var feed = try FeedRepository(trustingItself: { (path) throws(PatchError) in read(path) })
        try offer("signed.js", in: &feed)
        #expect(throws: PatchError(.feedSignature, "")) { try feed.files(signedBy: [FeedSigner(online)], in: details) }
    }

    /// A list from the year 2099, and versions at their maximum. Once the online roles have other keys, everything
    /// works again at once.
    @Test func theOnlineKeyStopsNoDeviceAfterItWasReplaced() throws {
        let online = try key("online")
        let far = try #require(Timestamp("2099-01-01T00:00:00Z"))
        var feed = try FeedRepository(trustingItself: { (path) throws(PatchError) in read(path) })
        var details = details
        details.versionFloor = (1 << 53) - 10
        feed.edit(in: details) { _ in }
        feed.list.published = far
        try write(feed.files(signedBy: [FeedSigner(online)], in: details))
        #expect(try sync("old").status == 0)
        // The signer, `status` and `check` detect it.
        for action in [["status", "feed"], ["check", "feed"], ["disable", "feed"] + FeedReleaseFixture.online] {
            let run = try work.run(action)
            #expect(run.status == 37 && run.error.contains("2099-01-01"), "\(action): \(run.status) \(run.error)")
        }
        let status = try #require(try work.run(["status", "feed", "--format", "json"]).objects().first)
        let roles = try #require(status["roles"] as? [String: [String: Any]])
        let old = try #require((roles["timestamp"]?["keyIDs"] as? [String])?.first)
        let keys = ["root.pem", "release.pem", "new.pem"].flatMap { ["--key", $0] }
        let rotate = try work.run(
            ["rotate", "feed", "timestamp,snapshot,rollout", "--add", "new-public.pem", "--remove", old] + keys
                + ["--ignore-clock"])
        #expect(rotate.status == 0, "\(rotate.error)")
        let disable = try work.run(["disable", "feed", "--key", "new.pem", "--ignore-clock"])
        #expect(disable.status == 0, "\(disable.error)")
        for store in ["old", "new"] {
            let run = try sync(store)
            #expect(run.status == 0 && run.text.contains("disabled  \(Self.id) 7"), "\(run.text)\(run.error)")
        }
        #expect(try work.run(["check", "feed", "--root", "pinned.json"]).status == 0)
        for _ in 0..<3 { #expect(try work.run(["refresh", "feed", "--key", "new.pem"]).status == 0) }
    }

    /// A clock that was wrong and is right again: the next timestamp refutes the wrong time.
    @Test(.disabled(if: isSanitized), arguments: [8, 60, 200, 700])
    func aWrongClockHealsWithTheNextSignature(days: Int) throws {
        let run = try work.shop.shell(
            """
            for role in root release online; do keys="$keys --key $role.pem"; done
            faketime '+\(days) days' "$TOOL" feed pause feed \(Self.id) $keys
            """)
        try #require(run.status == 0, "\(run.error)")
        #expect(try sync("old").status == 0)
        #expect(try work.run(["check", "feed"]).status == 37)
        let refused = try work.run(["disable", "feed"] + FeedReleaseFixture.online)
        #expect(refused.status == 37 && refused.error.contains("--ignore-clock"), "\(refused.error)")
        let right = try work.run(["disable", "feed", "--ignore-clock"] + FeedReleaseFixture.online)
        #expect(right.status == 0, "\(right.error)")
        for store in ["old", "new"] {
            let run = try sync(store)
            #expect(run.status == 0 && run.text.contains("disabled"), "\(days): \(run.text)\(run.error)")
        }
        #expect(try work.run(["check", "feed"]).status == 0)
    }

    // MARK: the release key, and both

    @Test func theReleaseKeyOffersNothing() throws {
        var feed = try FeedRepository(trustingItself: { (path) throws(PatchError) in read(path) })
        try offer("signed.js", in: &feed)
        let release = try key("release")
        #expect(throws: PatchError(.feedSignature, "")) { try feed.files(signedBy: [FeedSigner(release)], in: details) }
    }

    @Test func bothKeysOfTheFeedRunNoCodeAndAddNoKey() throws {
        let both = [try key("release"), try key("online")]
        let store = try TrustStoreFile.with([(thief.verifyingKey, "evil")])
        try change(with: both) { feed in
            try offer("evil.js", in: &feed)
            _ = try feed.setTarget(PatchList.trustPath(for: Self.app), to: store, in: details)
        }
        for name in ["old", "new"] {
            let run = try sync(name)
            #expect(run.status == 12 && run.text.contains("refused  \(Self.evil)"), "\(run.text)\(run.error)")
        }
        // A store that the thief has signed adds nothing either, nor does a store that is signed for another app.
        var signed = try SignedTrustStore(store)
        for (signer, app, environment) in [
            (thief, Self.app, "release"), (try key("signing"), "com.example.other", "release"),
            (try key("signing"), Self.app, "staging"),
        ] {
            try signed.sign(with: signer, as: .init(app: app, environment: environment, number: 1))
            try change(with: both) { feed in
                _ = try feed.setTarget(PatchList.trustPath(for: Self.app), to: signed.encoded, in: details)
            }
            for name in ["old", "new"] { #expect(try sync(name).text.contains("refused  \(Self.evil)")) }
        }
        // The owner can: the same store, signed with a key that the app has.
        try work.folder.write(store, to: "trust.store")
        let sign = try work.shop.run("trust", "sign", "trust.store", "--app", Self.app, "--signing-key", "signing.pem")
        #expect(sign.status == 0, "\(sign.error)")
        #expect(try work.run(["trust", "feed", "trust.store"] + Self.owner).status == 0)
        for name in ["old", "new"] {
            let run = try sync(name)
            #expect(run.text.contains("offered  \(Self.evil)"), "\(run.text)\(run.error)")
        }
    }

    /// A key that the owner has removed from the trust store stays removed on a device that knows of it. The earlier
    /// store, which anyone can have, adds nothing there.
    @Test func bothKeysOfTheFeedBringNoRemovedKeyBack() throws {
        let both = [try key("release"), try key("online")]
        try work.folder.write(try TrustStoreFile.with([(thief.verifyingKey, "added")]), to: "trust.store")
        func sign() throws -> [UInt8] {
            let run = try work.shop.run(
                "trust", "sign", "trust.store", "--app", Self.app, "--signing-key", "signing.pem")
            try #require(run.status == 0, "\(run.error)")
            return try work.folder.read("trust.store")
        }
        func deliver(_ store: [UInt8]) throws {
            try change(with: both) { feed in
                try offer("evil.js", in: &feed)
                _ = try feed.setTarget(PatchList.trustPath(for: Self.app), to: store, in: details)
            }
        }
        let first = try sign()
        let other = try key("new").verifyingKey
        try work.folder.write(other.pem(), to: "other-key.pem")
        let edit = try work.shop.shell(
            "patchpack trust remove trust.store added && patchpack trust add trust.store other-key.pem --name other")
        try #require(edit.status == 0, "\(edit.error)")
        let second = try sign()
        #expect(String(decoding: second, as: UTF8.self).contains("\n# signed for \(Self.app) release 2\n"))
        for store in [second, first, second] {
            try deliver(store)
            #expect(try sync("old").text.contains("refused  \(Self.evil)"), "the removed key is back")
        }
        // The owner's own tool does not deliver an older store by mistake.
        try work.folder.write(first, to: "first.store")
        let back = try work.run(["trust", "feed", "first.store"] + Self.owner)
        #expect(back.status == 78 && back.error.contains("the number 1"), "\(back.error)")
        let staging = try work.shop.shell(
            "patchpack trust sign trust.store --app \(Self.app) --environment staging --signing-key signing.pem -q")
        try #require(staging.status == 0)
        let wrong = try work.run(["trust", "feed", "trust.store"] + Self.owner)
        #expect(wrong.status == 78 && wrong.error.contains("staging"), "\(wrong.error)")
    }

    @Test func theKeyOfEnvelopesAloneOffersNothing() throws {
        try work.folder.write(try work.folder.read("signed.js"), to: "feed/targets/patches/\(Self.app)/signed.js")
        for store in ["old", "new"] { #expect(try !sync(store).text.contains(Self.evil)) }
    }

    /// A waiting change is never signed by an action that does something else, and additions to it do not count.
    @Test(arguments: [["refresh", "feed"], ["withdraw", "feed", id], ["disable", "feed"]])
    func urgentActionsSignNothingThatWaits(_ action: [String]) throws {
        try work.folder.write(try forgedRoot(), to: "feed/staged/root.json")
        let run = try work.run(action + Self.owner)
        #expect(run.status == 0, "\(run.error)")
        let staged = try SignedMetadata(try #require(read("staged/root.json")), name: "root.json", type: "root")
        let owner = try FeedKey(key("root").verifyingKey).id
        #expect(!staged.signatures.contains { $0.keyID == owner }, "the owner's key has signed what it was not shown")
        #expect(!work.folder.exists("feed/metadata/2.root.json"))
    }

    @Test func stagedChangeAddedSignaturesOrWrongListAreNotSigned() throws {
        try #require(try work.publish(["8.js"], "--stage", with: FeedReleaseFixture.online).status == 0)
        let release = try FeedKey(key("release").verifyingKey).id
        var text = String(decoding: try #require(read("staged/targets.json")), as: UTF8.self)
        let junk = (0..<5000).map { #"{"keyid":"junk\#($0)","sig":"00"},"# }.joined()
        text = text.replacing(#""signatures":["#, with: #""signatures":[\#(junk){"keyid":"\#(release)","sig":"00"}"#)
        try work.folder.write(text, to: "feed/staged/targets.json")
        let sign = try work.run(["sign", "feed", "--yes"] + FeedReleaseFixture.online + FeedReleaseFixture.release)
        #expect(sign.status == 0, "\(sign.error)")
        let targets = try #require(read("metadata/3.targets.json"))
        #expect(targets.count < 5000, "\(targets.count)")
        #expect(try work.run(["check", "feed"]).status == 0)
        // A list that no device can read is not signed either.
        for list in [#"{"published":"x"}"#, "{}", "[]"] {
            try #require(
                try work.run(["switch", "feed", "a=\(list.count)", "--stage", "--root", "pinned.json"]).status == 0)
            try work.folder.write(list, to: "feed/staged/list.json")
            #expect(try work.run(["sign", "feed", "--yes"] + Self.owner).status != 0)
            #expect(try work.run(["sign", "feed", "--discard"]).status == 0)
        }
    }

    /// No key is needed to write a version, so a higher one than the next is not signed: it would leave none to the
    /// owner, and no device or signer would read such a root.
    @Test(arguments: [("root", 3), ("targets", 1001), ("rollout", 1001), ("rollout", 1 << 52), ("targets", 1 << 53)])
    func stagedChangeVersionJumpsIsNotSigned(_ role: String, _ version: Int) throws {
        let change =
            role == "root"
            ? ["rotate", "feed", "root", "--add", "new-public.pem"]
            : ["publish", "feed", "8.js"] + FeedReleaseFixture.envelopes + FeedReleaseFixture.all
        try #require(try work.run(change + ["--stage", "--root", "pinned.json"]).status == 0)
        let path = "feed/staged/\(role).json"
        let honest = try work.folder.read(path)
        var file = try JSONValue(parsing: honest)
        file.change("signed") { $0.set("version", .integer(version)) }
        try work.folder.write(file.encoded(), to: path)
        let sign = try work.run(["sign", "feed", "--yes"] + Self.owner)
        #expect(
            sign.status == 34 && sign.error.contains("is of version \(version), but the next one is"), "\(sign.error)")
        #expect(try work.run(["sign", "feed", "--show"] + Self.owner).status == 34)
        #expect(try work.run(["withdraw", "feed", Self.id] + FeedReleaseFixture.online).status == 0)
        #expect(try work.run(["sign", "feed", "--discard"]).status == 0)
        #expect(try work.run(change + Self.owner).status == 0)
    }

    /// A change that was staged above a version is signed above it, if the signer says so too.
    @Test func stagedChangeAboveAVersionNeedsTheSameFloor() throws {
        let floor = ["--after-version", "300"]
        try #require(try work.publish(["8.js"], "--stage", with: FeedReleaseFixture.online + floor).status == 0)
        let sign = ["sign", "feed", "--yes"] + Self.owner
        let without = try work.run(sign)
        #expect(without.status == 34 && without.error.contains("give that too"), "\(without.error)")
        #expect(try work.run(sign + floor).status == 0)
        #expect(read("metadata/301.targets.json") != nil && read("metadata/301.rollout.json") != nil)
        #expect(try sync("old").status == 0)
    }

    /// Of a staged list, the signer sees everything, and nothing else of the file that describes it is signed.
    @Test func stagedListEveryMemberIsShownOrMadeAnew() throws {
        func staged() throws -> (list: JSONValue, rollout: JSONValue) {
            _ = try work.run(["sign", "feed", "--discard"])
            try #require(try work.run(["switch", "feed", "a=b", "--stage", "--root", "pinned.json"]).status == 0)
            return (
                try JSONValue(parsing: #require(read("staged/list.json"))),
                try JSONValue(parsing: #require(read("staged/rollout.json")))
            )
        }
        let path = PatchList.path(for: Self.app)
        func write(_ bytes: [UInt8], _ rollout: JSONValue, extra: Bool = false) throws {
            var rollout = rollout
            let digest = try MessageDigest.sha256.text(of: bytes)
            rollout.change("signed") { signed in
                signed.change("targets") { targets in
                    targets.change(path) { target in
                        target.set("length", .integer(bytes.count))
                        target.set("hashes", .object([("sha256", .string(digest))]))
                        if extra { target.set("custom", .string("hidden")) }
                    }
                }
            }
            try work.folder.write(bytes, to: "feed/staged/list.json")
            try work.folder.write(rollout.encoded(), to: "feed/staged/rollout.json")
        }
        let sign = ["sign", "feed", "--yes"] + FeedReleaseFixture.online
        // A time that is ahead of this clock is not signed, and each time is shown.
        var (list, rollout) = try staged()
        let ahead = try #require(Timestamp(secondsSince1970: now.secondsSince1970 + 3000))
        list.set("published", .string(ahead.description))
        try write(list.encoded() + [0x0A], rollout)
        let shown = try work.run(["sign", "feed", "--show"] + FeedReleaseFixture.online)
        #expect(shown.text.contains("list: published ") && shown.text.contains(ahead.description), "\(shown.text)")
        let early = try work.run(sign)
        #expect(early.status == 37 && early.error.contains(ahead.description), "\(early.error)")
        // Another form of the same list, and a member beside its hash, are not taken over.
        (list, rollout) = try staged()
        try write([0x20] + list.encoded() + [0x0A], rollout, extra: true)
        let signed = try work.run(sign)
        #expect(signed.status == 0, "\(signed.error)")
        let file = try #require(read("metadata/4.rollout.json"))
        #expect(!String(decoding: file, as: UTF8.self).contains("hidden"))
        #expect(try work.run(["check", "feed"]).status == 0)
        #expect(try sync("old").status == 0)
    }

    @Test func feedSignWithoutConfirmationExits64() throws {
        try #require(try work.publish(["8.js"], "--stage", with: FeedReleaseFixture.online).status == 0)
        for options in [["-q"], ["--format", "json"], []] {
            let run = try work.run(["sign", "feed"] + options + Self.owner)
            #expect(run.status == 64, "\(options): \(run.status)")
        }
    }

    // MARK: one of several root keys

    /// Two of three people must sign a root. One of them stages a change, and a thief adds a key to it.
    @Test func theSecondSignerSeesWhatIsSigned() throws {
        let thresholds = try work.run(
            ["rotate", "feed", "root", "--add", "new-public.pem", "--threshold", "2"] + Self.owner)
        try #require(thresholds.status == 0, "\(thresholds.error)")
        let staged = try work.run(
            ["rotate", "feed", "timestamp", "--add", "offline-public.pem", "--stage", "--key", "root.pem"]
                + FeedReleaseFixture.online)
        try #require(staged.status == 0, "\(staged.error)")
        let feedKey = try FeedKey(key("release").verifyingKey)
        var root = try JSONValue(parsing: try #require(read("staged/root.json")))["signed"] ?? .null
        root.change("roles") { roles in
            roles.change("root") { role in
                role.set("keyids", .array((role["keyids"]?.elements ?? []) + [.string(feedKey.id)]))
                role.set("threshold", .integer(1))
            }
        }
        try work.folder.write(try file(of: root, signedBy: key("root")), to: "feed/staged/root.json")
        for arguments in [["sign", "feed", "--show"], ["sign", "feed"]] {
            let run = try work.run(arguments + ["--key", "new.pem"])
            let shown = run.text + run.error
            #expect(shown.contains("root: roles root keyids \(feedKey.id) adds"), "\(shown)")
            #expect(shown.contains("root: roles root threshold 2 -> 1"), "\(shown)")
            #expect(run.status == (arguments.count == 3 ? 0 : 64), "\(run.status)")
        }
        #expect(!work.folder.exists("feed/metadata/3.root.json"))
        let json = try work.run(["sign", "feed", "--show", "--format", "json", "--key", "new.pem"])
        let changes = try #require(try json.objects().first?["changes"] as? [String])
        #expect(changes.contains { $0.contains(feedKey.id) })
    }

    @Test func aStagedTrustStoreIsShown() throws {
        try work.folder.write(try TrustStoreFile.with([(key("signing").verifyingKey, "first")]), to: "trust.store")
        let staged = try work.run(["trust", "feed", "trust.store", "--stage"] + FeedReleaseFixture.online)
        try #require(staged.status == 0, "\(staged.error)")
        let shown = try work.run(["sign", "feed", "--show"] + FeedReleaseFixture.release)
        #expect(shown.text.contains("trust store: adds key ") && shown.text.contains(" first"), "\(shown.text)")
    }
}

extension TrustStoreFile {
    fileprivate static func with(_ keys: [(VerifyingKey, String)]) throws -> [UInt8] {
        var file = TrustStoreFile()
        for (key, name) in keys { try file.add(TrustedKey(key, name: name)) }
        return try file.encoded()
    }
}
