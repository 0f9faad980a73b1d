internal import Foundation
@testable internal import PatchCrypto
@testable internal import PatchFeed
@testable internal import PatchPublishing

/// A small feed in memory, one of whose files is the input.
///
/// The roles of the feed sign the path to the file. Metadata without signatures are signed too, as a thief of the key
/// could do.
struct FuzzFeed: FeedSource {
    static let app = "com.example.shop"
    static let environment = "release"
    static let now = FuzzKeys.must { () throws -> Timestamp in
        guard let now = Timestamp("2026-11-20T12:00:00Z") else { throw PatchError(.internal, "") }
        return now
    }
    /// The feed as its owner made it.
    static let own = FuzzKeys.must { try FuzzFeed() }

    /// The file that the input replaces, selected by its first byte.
    private enum Place: CaseIterable {
        case root, targets, rollout, snapshot, timestamp, list, trust, envelope
        case stagedRoot, stagedTargets, stagedRollout, stagedList
    }

    private(set) var files: [String: [UInt8]] = [:]
    /// The signed part of the newest metadata, by role.
    private var bodies: [FeedRole: JSONValue] = [:]

    private init() throws {
        let (offline, online) = (try FeedKey(FuzzKeys.signing.verifyingKey), try FeedKey(FuzzKeys.online.verifyingKey))
        var feed = try FeedRepository(
            app: Self.app, environment: Self.environment, root: [offline], rootThreshold: 1, release: [offline],
            releaseThreshold: 1, online: [online], at: Self.now)
        let envelope = FuzzKeys.file("../accepted/ed25519.js")
        let manifest = try FuzzKeys.verifier.verify(envelope, scriptKeys: FuzzKeys.scriptKey).manifest
        _ = try feed.publish(
            [Publication(FeedFile.Contents(envelope), manifest)], in: ChangeDetails(at: Self.now))
        var keys = TrustStoreFile()
        try keys.add(TrustedKey(FuzzKeys.signing.verifyingKey, name: "release"))
        _ = try feed.setTarget(
            PatchList.trustPath(for: Self.app), to: try Self.signedStore(keys.encoded(), number: 1),
            in: ChangeDetails(at: Self.now))
        for file in try feed.files(signedBy: Self.signers(), in: ChangeDetails(at: Self.now)) {
            files[file.path] = try file.bytes
        }
        for role in FeedRole.allCases {
            let path = "metadata/\(role == .timestamp ? "" : "1.")\(role).json"
            bodies[role] = try JSONValue(parsing: files[path] ?? [])["signed"]
        }
    }

    /// - Parameter input: The number of a place, and the bytes for it.
    init(_ input: ArraySlice<UInt8>) {
        self = Self.own
        guard let first = input.first else { return }
        let content = Array(input.dropFirst())
        switch Self.place(first) {
        case .root: files["metadata/2.root.json"] = Self.file(.root, content)
        case .targets: link([.targets: Self.file(.targets, content)])
        case .rollout: link([.rollout: Self.file(.rollout, content)])
        case .snapshot: link([.snapshot: Self.file(.snapshot, content)])
        case .timestamp: link([.timestamp: Self.file(.timestamp, content)])
        case .list: link(.rollout, target: PatchList.path(for: Self.app), content)
        case .trust: link(.targets, target: PatchList.trustPath(for: Self.app), Self.trustStore(input))
        case .envelope:
            let paths = bodies[.targets]?["targets"]?.members.map(\.key) ?? []
            if let path = paths.first(where: { $0.hasSuffix(".js") }) { link(.targets, target: path, content) }
        case .stagedRoot: files["staged/root.json"] = Self.file(.root, content)
        case .stagedTargets: files["staged/targets.json"] = Self.file(.targets, content)
        case .stagedRollout:
            files["staged/rollout.json"] = Self.file(.rollout, content)
            files["staged/list.json"] = files.first { $0.key.hasPrefix("targets/rollout/") }?.value
        case .stagedList:
            var body = bodies[.rollout] ?? .null
            body.set("version", .integer(2))
            body.set("targets", .object([(PatchList.path(for: Self.app), Self.description(of: content))]))
            files["staged/rollout.json"] = Self.signed(.rollout, body)
            files["staged/list.json"] = content
        }
    }

    private static func place(_ byte: UInt8) -> Place { Place.allCases[Int(byte) % Place.allCases.count] }

    /// The trust store in an input; nil if the input is for another place.
    static func trustStore(in input: ArraySlice<UInt8>) -> [UInt8]? {
        input.first.map(place) == .trust ? trustStore(input) : nil
    }

    /// Signs a store that has no signatures.
    private static func trustStore(_ input: ArraySlice<UInt8>) -> [UInt8] {
        let content = Array(input.dropFirst())
        return (try? signedStore(content, number: 2)) ?? content
    }

    private static func signedStore(_ file: [UInt8], number: Int) throws -> [UInt8] {
        var store = try SignedTrustStore(file)
        guard store.label == nil, store.signerIDs.isEmpty else { return file }
        let label = SignedTrustStore.Label(app: app, environment: environment, number: number)
        try store.sign(with: FuzzKeys.signing, as: label)
        return store.encoded
    }

    static func signers() throws -> [FeedSigner] {
        [try FeedSigner(FuzzKeys.signing), try FeedSigner(FuzzKeys.online)]
    }

    private static func file(_ role: FeedRole, _ content: [UInt8]) -> [UInt8] {
        guard let body = try? JSONValue(parsing: content), body["signatures"] == nil else { return content }
        return signed(role, body)
    }

    private static func signed(_ role: FeedRole, _ body: JSONValue) -> [UInt8] {
        let key = role == .root || role == .targets ? FuzzKeys.signing : FuzzKeys.online
        return FuzzKeys.must {
            MetadataSignature.file(
                body, [.init(keyID: try FeedKey(key.verifyingKey).id, bytes: try key.sign(body.canonical[...]))])
        }
    }

    private static func description(of file: [UInt8]) -> JSONValue {
        FileDescription(length: file.count, sha256: FuzzKeys.must { try MessageDigest.sha256.text(of: file) }).json
    }

    /// Puts a target in its place, and metadata that describe it.
    private mutating func link(_ role: FeedRole, target path: String, _ content: [UInt8]) {
        let digest = FuzzKeys.must { try MessageDigest.sha256.text(of: content) }
        files[FeedLayout.target(path, sha256: digest)] = content
        var body = bodies[role] ?? .null
        body.change("targets") { $0.set(path, Self.description(of: content)) }
        link([role: Self.signed(role, body)])
    }

    /// Puts metadata in their places, along with the metadata that describe them.
    private mutating func link(_ changed: [FeedRole: [UInt8]]) {
        var (snapshot, timestamp) = (bodies[.snapshot] ?? .null, bodies[.timestamp] ?? .null)
        func put(_ role: FeedRole, _ file: [UInt8], in body: inout JSONValue) {
            let version = (try? JSONValue(parsing: file))?["signed"]?["version"]?.number ?? 1
            files["metadata/\(version).\(role).json"] = file
            var entry = Self.description(of: file)
            entry.set("version", .integer(version))
            body.change("meta") { $0.set("\(role).json", entry) }
        }
        for role in [FeedRole.targets, .rollout] {
            if let file = changed[role] { put(role, file, in: &snapshot) }
        }
        put(.snapshot, changed[.snapshot] ?? Self.signed(.snapshot, snapshot), in: &timestamp)
        files["metadata/timestamp.json"] = changed[.timestamp] ?? Self.signed(.timestamp, timestamp)
    }

    func fetch(_ request: FeedRequest) async throws(PatchError) -> FeedReply {
        guard let bytes = files[request.path.removingPercentEncoding ?? request.path] else {
            return FeedReply(.missing)
        }
        guard bytes.count <= request.byteLimit else {
            throw PatchError(.feedLimit, "\(request.path): more than \(request.byteLimit) bytes")
        }
        return FeedReply(.bytes(bytes))
    }
}
