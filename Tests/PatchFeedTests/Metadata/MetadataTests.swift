import Foundation
import FeedTestSupport
import PatchCrypto
import TestSupport
import Testing

@testable import PatchFeed
@testable import PatchPublishing

/// Metadata that are read and written again have the same meaning, in the same order.
@Suite(.ownThreads) struct MetadataTests {
    private struct Written: Decodable {
        let keys: [String: String]
        let files: [String: String]
    }

    /// A feed written by an earlier version.
    private static func written() throws -> Written {
        let file = URL(filePath: "\(Tool.root)/Tests/Vectors/feed-written.json")
        return try JSONDecoder().decode(Written.self, from: Data(contentsOf: file))
    }

    /// The content of a metadata file after reading and writing it.
    ///
    /// - Returns: nil if its content is refused.
    private func again(_ bytes: [UInt8], type: String) -> JSONValue? {
        guard let file = try? SignedMetadata(bytes, name: "file", type: type) else { return nil }
        let body: (any MetadataBody)? =
            switch type {
            case "root": try? RootMetadata(file)
            case "snapshot": try? SnapshotMetadata(file)
            case "timestamp": try? TimestampMetadata(file)
            default: try? TargetsMetadata(file)
            }
        return body?.json
    }

    /// The expected `_type` of the file at a path; nil if it is not metadata.
    private func type(at path: String) -> String? {
        guard path.hasPrefix("metadata/") || path.hasPrefix("staged/"), !path.hasSuffix("list.json") else { return nil }
        let name = path.split(separator: "/")[1].split(separator: ".").dropLast().last.map(String.init)
        return name == "rollout" ? "targets" : name
    }

    @Test func vectorsAreWrittenAsTheyWereRead() throws {
        let file = try Data(contentsOf: URL(filePath: "\(Tool.root)/Tests/Vectors/feed.json"))
        let vectors = try JSONValue(parsing: Array(file))
        var count = 0
        for files in [vectors["base"]] + (vectors["cases"]?.elements ?? []).map({ $0["change"] }) {
            for (path, value) in files?.members ?? [] {
                guard let type = type(at: path), let bytes = value.text.map({ Array($0.utf8) }),
                    let written = again(bytes, type: type)
                else { continue }
                count += 1
                #expect(try written.encoded() == JSONValue(parsing: bytes)["signed"]?.encoded(), "\(path)")
            }
        }
        #expect(count > 25, "\(count)")
    }

    @Test func filesOfAnEarlierVersionAreWrittenAsTheyWereRead() throws {
        var count = 0
        for (path, text) in try Self.written().files {
            guard let type = type(at: path) else { continue }
            count += 1
            let bytes = Array(text.utf8)
            let file = try SignedMetadata(bytes, name: path, type: type)
            #expect(MetadataSignature.file(try #require(again(bytes, type: type)), file.signatures) == bytes, "\(path)")
        }
        #expect(count == 12, "\(count)")
    }

    /// Its owner signs the waiting change, and makes another one.
    @Test func aFeedOfAnEarlierVersionIsWrittenOn() async throws {
        let written = try Self.written()
        let source = MemorySource()
        for (path, text) in written.files { source[path] = Array(text.utf8) }
        let signers = try written.keys.values.map {
            try FeedSigner(SigningKey(pem: SecretBytes(Array($0.utf8)), algorithm: .ed25519))
        }
        let now = try #require(Timestamp("2026-11-25T12:00:00Z"))
        var feed = try FeedRepository(trustingItself: { path in source[path] })
        let before = feed
        #expect(try feed.loadStagedChange { path in source[path] })
        #expect(
            feed.changes(since: before).contains { $0.hasPrefix("targets: targets patches/com.example.shop/") },
            "\(feed.changes(since: before))")
        try source.write(feed.files(signedBy: signers, in: ChangeDetails(at: now)))
        feed = try FeedRepository(trustingItself: { path in source[path] })
        feed.edit(in: ChangeDetails(at: now)) { $0.notice = nil }
        try source.write(feed.files(signedBy: signers, in: ChangeDetails(at: now)))
        let root = try #require(source["metadata/1.root.json"])
        var client = try FeedClient(root: root, source: source, storage: MemoryStorage(), at: now)
        try await client.update()
        let target = try #require(try await client.target(PatchList.path(for: "com.example.shop")))
        let list = try PatchList(decoding: await client.contents(of: target, limit: PatchList.byteLimit))
        #expect(list.entries.map(\.version) == [7, 8])
        #expect(list.notice == nil && list.switches == ["a": "x\"y\\z\nü"])
        #expect(list.entries[0].rollout == Rollout(basisPoints: 2500) && list.entries[0].groups == ["qa"])
    }

    private static let key = """
        {"x":1,"scheme":"ed25519","keyval":{"y":[],"public":"\(String(repeating: "ab", count: 32))"},\
        "keytype":"ed25519"}
        """
    private static let head =
        #""spec_version":"1.0.99","u":{"b":1,"a":[null]},"expires":"2026-11-25T12:00:00Z","version":3"#
    private static let role = #"{"threshold":1,"z":0,"keyids":["k"]}"#
    private static let file = #"{"length":7,"custom":{"b":1,"a":2},"hashes":{"sha3":"00","sha256":"11"}}"#

    /// Unknown members, keys of unknown kinds, and another order.
    @Test(arguments: [
        #"""
        {"keys":{"k":\#(key),"q":{"scheme":"new","keytype":"new","keyval":{}}},\#(head),"_type":"root",\#
        "roles":{"mirrors":\#(role),"targets":\#(role),"snapshot":\#(role),"root":\#(role),"timestamp":\#(role)}}
        """#,
        #"""
        {"consistent_snapshot":false,"keys":{"k":\#(key)},\#(head),"_type":"root",\#
        "roles":{"targets":\#(role),"snapshot":\#(role),"root":\#(role),"timestamp":\#(role)}}
        """#,
        #"{"_type":"timestamp","meta":{"other.json":1,"snapshot.json":{"x":1,"version":9,"length":3}},\#(head)}"#,
        #"""
        {"meta":{"z.json":{"version":2,"x":{}},"a.json":{"hashes":{"sha256":"11"},"version":1}},\#
        "previous":7,"change":[],\#(head),"_type":"snapshot"}
        """#,
        #"""
        {"targets":{"b":\#(file),"a":\#(file)},"delegations":{"x":1,\#
        "roles":[{"terminating":false,"paths":["*"],"x":1,"name":"r","threshold":1,"keyids":["k"]}],\#
        "keys":{"k":\#(key)}},\#(head),"_type":"targets"}
        """#,
        #"{"targets":{},"delegations":{"keys":{},"succinct_roles":{"bit_length":2}},\#(head),"_type":"targets"}"#,
    ])
    func metadataUnknownMembersAreKept(signed: String) throws {
        let value = try JSONValue(parsing: Array(signed.utf8))
        let type = try #require(value["_type"]?.text)
        let written = try #require(again(MetadataSignature.file(value, []), type: type))
        #expect(written.text() == value.text())
    }

    /// A change keeps everything else.
    @Test func targetsMetadataChangedMemberKeepsOthers() throws {
        let text = #"""
            {"targets":{"b":\#(Self.file),"a":\#(Self.file)},"delegations":{"x":1,\#
            "roles":[{"terminating":true,"paths":["*"],"x":1,"name":"r","threshold":1,"keyids":["k"]}],\#
            "keys":{"k":\#(Self.key)}},\#(Self.head),"_type":"targets"}
            """#
        let bytes = MetadataSignature.file(try JSONValue(parsing: Array(text.utf8)), [])
        var targets = try TargetsMetadata(SignedMetadata(bytes, name: "file", type: "targets"))
        let other = try FeedKey(SigningKey.generate(.ed25519).verifyingKey)
        try targets.setKeys(of: "r", to: [other.id], threshold: 1, adding: [(other.id, other.json)])
        targets.targets[ExactString("b")] = nil
        targets.version = 4
        targets.expires = FeedFixture.now
        let head = Self.head.replacing("2026-11-25T12:00:00Z", with: FeedFixture.now.description)
            .replacing(#""version":3"#, with: #""version":4"#)
        let expected = #"""
            {"targets":{"a":\#(Self.file)},"delegations":{"x":1,\#
            "roles":[{"terminating":true,"paths":["*"],"x":1,"name":"r","threshold":1,"keyids":["\#(other.id)"]}],\#
            "keys":{"\#(other.id)":\#(other.json.text())}},\#(head),"_type":"targets"}
            """#
        #expect(targets.json.text() == expected)
    }

    /// Other tools do not support larger whole numbers.
    @Test func versionsEndWhereOtherToolsDo() throws {
        func version(_ text: String) throws -> Int {
            let body = Self.head.replacing(#""version":3"#, with: #""version":\#(text)"#)
            let file = MetadataSignature.file(
                try JSONValue(parsing: Array("{\(body),\"_type\":\"timestamp\"}".utf8)), [])
            return try SignedMetadata(file, name: "file", type: "timestamp").version
        }
        #expect(try version("1") == 1 && version("9007199254740992") == 1 << 53)
        for text in ["0", "-1", "9007199254740993"] {
            #expect(throws: PatchError(.feedMalformed, ""), "\(text)") { try version(text) }
        }
    }

    @Test func fileDescriptionLengthAndHashesCheckBytes() throws {
        func fault(_ json: String, _ bytes: [UInt8]) throws -> PatchError? {
            let file = try FileDescription(JSONObject(JSONValue(parsing: Array(json.utf8)), "file"))
            do throws(PatchError) {
                try file.check(bytes, of: "file")
                return nil
            } catch {
                return error
            }
        }
        #expect(try fault("{}", [1]) == nil)
        #expect(try fault(#"{"length":2}"#, [1, 2]) == nil)
        for (bytes, cause) in [([1], "cut off"), ([1, 2, 3], "a proxy")] as [([UInt8], String)] {
            let error = try #require(try fault(#"{"length":2}"#, bytes))
            #expect(error.code == .feedMismatch && error.hint?.contains(cause) == true)
        }
        let digest = try MessageDigest.sha256.text(of: [1, 2])
        for (json, isSound) in [
            (#"{"hashes":{"sha256":"\#(digest)"}}"#, true), (#"{"hashes":{"sha256":"00"}}"#, false),
            (#"{"hashes":{"sha3":"00"}}"#, false), (#"{"hashes":{"sha3":"00","sha256":"\#(digest)"}}"#, true),
        ] {
            #expect(try fault(json, [1, 2])?.code == (isSound ? nil : .feedMismatch), "\(json)")
        }
    }

    /// It distinguishes feeds that are made in the same second with the same keys.
    @Test func theRootOfANewFeedHasItsName() throws {
        let root = try RootMetadata(SignedMetadata(FeedFixture().pinnedRoot, name: "root", type: "root"))
        let made = RootMetadata(
            named: "abc", keys: root.keys, root: root.root, targets: root.targets, online: root.timestamp,
            expires: root.expires)
        #expect(made.json["feed"]?.text == "abc" && root.json["feed"]?.text?.count == 32)
    }
}
