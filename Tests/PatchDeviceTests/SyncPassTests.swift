import FeedTestSupport
import PatchCrypto
import PatchFeed
import PatchFiles
import PatchRunner
import TestSupport
import Testing

@testable import PatchDevice
@testable import PatchPublishing

/// A sync with a feed whose patches are listed by a role of their own, as another tool may make it.
@Suite(.ownThreads) struct SyncPassTests {
    private typealias Members = [(key: String, value: JSONValue)]

    private let app = "com.example.shop"
    private let patch = PatchID(id: "com.example.shop.price", version: 8)
    private let key: SigningKey
    private let source = MemorySource()
    private let folder: TestFolder

    init() throws {
        key = try SigningKey.generate(.ed25519)
        folder = try TestFolder()
    }

    private func write(_ type: String, _ name: String, _ members: Members) throws {
        let head: Members = [
            ("_type", .string(type)), ("spec_version", .string("1.0.34")), ("version", .integer(1)),
            ("expires", .string(FeedFixture.now.adding(days: 1).description)),
        ]
        source["metadata/\(name).json"] = try key.file(of: .object(head + members))
    }

    /// Serves a list that has a version of a patch, and switches all patches off. The role of the patches is missing.
    private func serveTheKillSwitch() throws {
        let entry = key.feedKey
        let keys = JSONValue.object([(entry.id, entry.json)])
        let signers: Members = [("keyids", .array([.string(entry.id)])), ("threshold", .integer(1))]
        let version = JSONValue.object([("version", .integer(1))])
        let list = JSONValue.object([
            ("schema", .integer(1)), ("enabled", .bool(false)), ("app", .string(app)),
            ("environment", .string("release")), ("published", .string(FeedFixture.now.description)),
            (
                "patches",
                .array([
                    .object([
                        ("id", .string(patch.id)), ("version", .integer(patch.version)),
                        ("path", .string("patches/\(app)/8.js")), ("appVersions", .string("*")),
                        ("engine", .integer(1)), ("state", .string("active")),
                    ])
                ])
            ),
        ]).encoded()
        let hash = try MessageDigest.sha256.text(of: list)
        source["targets/rollout/\(hash).\(app).json"] = list
        let roles = ["root", "targets", "snapshot", "timestamp"].map { (key: $0, value: JSONValue.object(signers)) }
        try write("root", "1.root", [("consistent_snapshot", .bool(true)), ("keys", keys), ("roles", .object(roles))])
        let target = JSONValue.object([
            ("length", .integer(list.count)), ("hashes", .object([("sha256", .string(hash))])),
        ])
        let delegation = JSONValue.object(
            signers + [
                ("name", .string("patches")), ("terminating", .bool(false)),
                ("paths", .array([.string("patches/*/*")])),
            ])
        try write(
            "targets", "1.targets",
            [
                ("targets", .object([(PatchList.path(for: app), target)])),
                ("delegations", .object([("keys", keys), ("roles", .array([delegation]))])),
            ])
        try write(
            "snapshot", "1.snapshot", [("meta", .object([("targets.json", version), ("patches.json", version)]))])
        try write("timestamp", "timestamp", [("meta", .object([("snapshot.json", version)]))])
    }

    /// Whether a version is banned depends on its hash, and so on a role that has to be fetched.
    @Test func killSwitchRoleOfABannedVersionIsMissingIsObeyed() async throws {
        try serveTheKillSwitch()
        let store = PatchStore(
            folder: Path(folder.at("device")), host: try HostInfo(app: app, version: "2.3.1"),
            clock: { FeedFixture.now })
        store.begin()
        try store.change { [patch] state in
            state.ban(patch, String(repeating: "a", count: 64), "for this test", at: nil)
        }
        let sync = PatchSync(
            feed: source["metadata/1.root.json"] ?? [], at: source, for: "release", built: nil, store: store,
            runner: nil,
            trust: PatchTrust(
                try TrustStore(trusting: [key.verifyingKey]), scriptKeys: try ScriptKey.generate(.aes256GCMSHA256)),
            settings: SyncSettings())
        let report = await sync.sync(.now)
        #expect(
            report.error?.code == .feedUnavailable && report.error?.message.contains("patches.json") == true,
            "\(String(describing: report.error))")
        #expect(!store.state.isEnabled)
    }
}
