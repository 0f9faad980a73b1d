package import PatchCrypto
package import PatchFeed
import PatchFiles
package import PatchPublishing
import Synchronization

/// A feed in memory, made by the repository side, with one key for each role.
package final class FeedFixture: Sendable {
    package static let app = "com.example.shop"
    /// The time of everything in these tests.
    package static let now = at("2026-11-01T12:00:00Z")
    package static let details = ChangeDetails(at: now)

    package static func at(_ text: String) -> Timestamp {
        guard let moment = Timestamp(text) else { fatalError("not a moment: \(text)") }
        return moment
    }

    package let server = MemorySource()
    package let root: [SigningKey]
    package let release: SigningKey
    package let online: SigningKey

    /// - Parameters:
    ///   - rootKeys: The number of root keys.
    ///   - rootThreshold: How many of them must sign.
    ///   - versions: The published versions of a patch.
    package init(rootKeys: Int = 1, rootThreshold: Int = 1, publishing versions: ClosedRange<Int>? = nil) throws {
        root = try (0..<rootKeys).map { _ in try SigningKey.generate(.ed25519) }
        release = try SigningKey.generate(.ed25519)
        online = try SigningKey.generate(.ed25519)
        var feed = try Self.feed(root: root, rootThreshold: rootThreshold, release: [release], online: online)
        try server.write(feed.files(signedBy: signers(root + [release, online]), in: Self.details))
        if let versions { try publish(versions) }
    }

    /// A new feed, with the keys of its roles.
    package static func feed(
        root: [SigningKey], rootThreshold: Int = 1, release: [SigningKey], releaseThreshold: Int = 1,
        online: SigningKey, at now: Timestamp = now
    ) throws(PatchError) -> FeedRepository {
        try FeedRepository(
            app: app, environment: "release", root: root.map(\.feedKey), rootThreshold: rootThreshold,
            release: release.map(\.feedKey), releaseThreshold: releaseThreshold, online: [online.feedKey], at: now)
    }

    package func signers(_ keys: [SigningKey]) throws -> [FeedSigner] { try keys.map { try FeedSigner($0) } }

    package var pinnedRoot: [UInt8] { server["metadata/1.root.json"] ?? [] }

    /// The current feed.
    package func repository() throws -> FeedRepository {
        try FeedRepository(trustingItself: { path in self.server[path] })
    }

    /// Reads the feed, changes it, and writes it back.
    ///
    /// - Parameter keys: The keys that sign; nil for those of the roles `release` and `online`.
    package func change(
        with keys: [SigningKey]? = nil, at now: Timestamp = now, _ body: (inout FeedRepository) throws -> Void
    ) throws {
        var feed = try repository()
        try body(&feed)
        try server.write(feed.files(signedBy: signers(keys ?? [release, online]), in: ChangeDetails(at: now)))
    }

    /// Publishes versions of `com.example.shop.cart-total`. Their envelopes are not real envelopes.
    package func publish(_ versions: ClosedRange<Int>, with keys: [SigningKey]? = nil) throws {
        try change(with: keys) { feed in
            _ = try feed.publish(
                try versions.map { version in
                    try Publication(
                        FeedFile.Contents(Array("envelope \(version)".utf8)),
                        entry: PatchEntryDraft(Self.entry(version)))
                }, in: Self.details)
        }
    }

    package static func name(_ version: Int) -> String { "com.example.shop.cart-total-\(version).js" }
    package static func path(_ version: Int) -> String { "patches/\(app)/\(name(version))" }

    package static func entry(_ version: Int) -> JSONValue {
        .object([
            ("id", .string("com.example.shop.cart-total")), ("version", .integer(version)),
            ("appVersions", .string("*")), ("engine", .integer(1)), ("state", .string("active")),
        ])
    }

    package func client(
        _ storage: MemoryStorage, from source: (any FeedSource)? = nil, at now: Timestamp = now
    ) throws -> FeedClient {
        try FeedClient(root: pinnedRoot, source: source ?? server, storage: storage, at: now)
    }

    /// Updates, and returns the list.
    package func list(
        _ storage: MemoryStorage, from source: (any FeedSource)? = nil, at now: Timestamp = now
    ) async throws -> PatchList {
        var client = try client(storage, from: source, at: now)
        try await client.update()
        guard let target = try await client.target(PatchList.path(for: Self.app)) else {
            throw PatchError(.feedMalformed, "no list")
        }
        return try PatchList(decoding: await client.contents(of: target, limit: PatchList.byteLimit))
    }
}

extension SigningKey {
    /// The key as feeds have it. All keys of these tests are Ed25519 keys.
    package var feedKey: FeedKey {
        do { return try FeedKey(verifyingKey) } catch { fatalError("not a feed's key: \(error)") }
    }

    /// A metadata file with any content, signed by this key.
    package func file(of signed: JSONValue) throws -> [UInt8] {
        let signature = try sign(signed.canonical[...])
        return MetadataSignature.file(signed, [.init(keyID: feedKey.id, bytes: signature)])
    }
}

/// A feed's files in memory, and the requests for them.
package final class MemorySource: FeedSource {
    private let state = Mutex<(files: [String: [UInt8]], requests: [String])>(([:], []))
    /// The time of all its replies; nil if it tells none.
    package let date: Timestamp?

    package init(date: Timestamp? = nil) { self.date = date }

    /// A copy with another time. It has had no requests.
    package init(_ other: MemorySource, date: Timestamp?) {
        self.date = date
        state.withLock { $0.files = other.files }
    }

    package var files: [String: [UInt8]] {
        get { state.withLock { $0.files } }
        set { state.withLock { $0.files = newValue } }
    }

    package subscript(path: String) -> [UInt8]? {
        get { state.withLock { $0.files[path] } }
        set { state.withLock { $0.files[path] = newValue } }
    }

    /// The requests since the last call.
    package func takeRequests() -> [String] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }

    package func write(_ files: [FeedFile]) throws {
        for file in files {
            let bytes = try file.bytes
            precondition(file.replaces || self[file.path] == nil || self[file.path] == bytes, file.path)
            self[file.path] = bytes
        }
    }

    /// What `check` finds in its feed.
    package func check(
        root: [UInt8], at now: Timestamp, scriptKey: ScriptKey? = nil
    ) async throws(PatchError) -> FeedCheck {
        var client = try FeedClient(root: root, source: self, storage: MemoryStorage(), at: now)
        return try await FeedCheck(&client, at: now, scriptKeys: scriptKey, in: Path("www"))
    }

    package func fetch(_ request: FeedRequest) async throws(PatchError) -> FeedReply {
        let bytes = state.withLock { state in
            state.requests.append(request.path)
            return state.files[request.path]
        }
        guard let bytes else { return FeedReply(.missing, date: date) }
        let tag = String(decoding: try MessageDigest.sha256.hexadecimal(of: bytes), as: UTF8.self)
        guard tag != request.etag else { return FeedReply(.unchanged, date: date) }
        guard bytes.count <= request.byteLimit else {
            throw PatchError(.feedLimit, "\(request.path): more than \(request.byteLimit) bytes")
        }
        return FeedReply(.bytes(bytes), etag: tag, date: date)
    }
}

/// A source that changes the replies of another one, or throws instead.
package struct FaultySource: FeedSource {
    private let source: MemorySource
    private let change: @Sendable (String, FeedReply) throws(PatchError) -> FeedReply

    package init(
        source: MemorySource, change: @escaping @Sendable (String, FeedReply) throws(PatchError) -> FeedReply
    ) {
        self.source = source
        self.change = change
    }

    package func fetch(_ request: FeedRequest) async throws(PatchError) -> FeedReply {
        try change(request.path, try await source.fetch(request))
    }
}

/// A device's storage in memory.
package final class MemoryStorage: FeedStorage {
    private let items = Mutex<[String: [UInt8]]>([:])

    package init() {}

    package var all: [String: [UInt8]] {
        get { items.withLock { $0 } }
        set { items.withLock { $0 = newValue } }
    }

    package func read(_ name: String, limit: Int) -> [UInt8]? {
        guard let bytes = all[name], bytes.count <= limit else { return nil }
        return bytes
    }

    package func write(_ name: String, _ bytes: [UInt8]) throws(PatchError) { items.withLock { $0[name] = bytes } }
    package func remove(_ name: String) throws(PatchError) { items.withLock { $0[name] = nil } }
}
