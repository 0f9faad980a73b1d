import FeedTestSupport
import PatchCrypto
import TestSupport
import Testing

@testable import PatchFeed
@testable import PatchPublishing

/// Delegations as other tools may make them. The conformance suite has many more.
@Suite(.ownThreads) struct DelegationTests {
    private let key: SigningKey
    private let source = MemorySource()

    init() throws { key = try SigningKey.generate(.ed25519) }

    /// Signs and serves metadata of roles that delegate to each other, each for all paths.
    ///
    /// - Parameter terminating: The roles whose delegations are terminating.
    private func serve(
        _ roles: [(name: String, children: [String], targets: [String])], terminating: Set<String> = []
    ) throws {
        let entry = key.feedKey
        let keyIDs = JSONValue.array([.string(entry.id)])
        let keys = JSONValue.object([(entry.id, entry.json)])
        func role(_ members: [(key: String, value: JSONValue)] = []) -> JSONValue {
            .object([("keyids", keyIDs), ("threshold", .integer(1))] + members)
        }
        func write(_ type: String, _ name: String, _ members: [(key: String, value: JSONValue)]) throws {
            let end = FeedFixture.now.adding(days: 1).description
            source["metadata/\(name).json"] = try key.file(
                of: .object(
                    [
                        ("_type", .string(type)), ("spec_version", .string("1.0.34")), ("version", .integer(1)),
                        ("expires", .string(end)),
                    ] + members))
        }
        let top = ["root", "targets", "snapshot", "timestamp"].map { (key: $0, value: role()) }
        try write("root", "1.root", [("consistent_snapshot", .bool(true)), ("keys", keys), ("roles", .object(top))])
        var meta: [(key: String, value: JSONValue)] = []
        for (name, children, targets) in roles {
            let delegations = children.map { child in
                role([
                    ("name", .string(child)), ("terminating", .bool(terminating.contains(child))),
                    ("paths", .array([.string("*"), .string("*/*")])),
                ])
            }
            let description = JSONValue.object([
                ("length", .integer(1)), ("hashes", .object([("sha256", .string(name))])),
            ])
            try write(
                "targets", "1.\(URLPath.encoded(name))",
                [
                    ("targets", .object(targets.map { ($0, description) })),
                    ("delegations", .object([("keys", keys), ("roles", .array(delegations))])),
                ])
            meta.append(("\(name).json", .object([("version", .integer(1))])))
        }
        try write("snapshot", "1.snapshot", [("meta", .object(meta))])
        try write(
            "timestamp", "timestamp",
            [("meta", .object([("snapshot.json", .object([("version", .integer(1))]))]))])
    }

    private func client() throws -> FeedClient {
        try FeedClient(
            root: source["metadata/1.root.json"] ?? [], source: source, storage: MemoryStorage(), at: FeedFixture.now)
    }

    /// The role that lists a path. The tests put its name in place of the hash.
    private func role(of path: String) async throws -> String? {
        var client = try client()
        try await client.update()
        return try await client.target(path)?.sha256
    }

    @Test func theSearchIsInPreorder() async throws {
        try serve([("targets", ["a", "b"], []), ("a", ["c"], []), ("b", [], ["x"]), ("c", [], ["x"])])
        #expect(try await role(of: "x") == "c")
        try serve([("targets", ["a", "b"], []), ("a", ["c"], []), ("b", [], ["x"]), ("c", [], [])])
        #expect(try await role(of: "x") == "b")
        try serve([("targets", ["a", "b"], []), ("a", [], []), ("b", [], ["x"])], terminating: ["a"])
        #expect(try await role(of: "x") == nil)
        // Nothing is searched after it, in the roles above it either.
        try serve(
            [("targets", ["a", "b"], []), ("a", ["c"], []), ("b", [], ["x"]), ("c", [], [])], terminating: ["c"])
        #expect(try await role(of: "x") == nil)
    }

    @Test func cyclesEnd() async throws {
        try serve([("targets", ["a"], []), ("a", ["b"], []), ("b", ["a", "b"], [])])
        #expect(try await role(of: "x") == nil)
    }

    @Test func deepDelegationsEnd() async throws {
        let names = (0..<100).map { "r\($0)" }
        let roles = names.indices.map { index in
            (
                name: names[index], children: index + 1 < names.count ? [names[index + 1]] : [],
                targets: index == 99 ? ["x"] : []
            )
        }
        try serve([("targets", [names[0]], [])] + roles)
        _ = source.takeRequests()
        #expect(try await role(of: "x") == nil)
        // The top role and 31 others.
        #expect(source.takeRequests().count { $0.hasPrefix("metadata/1.r") } == 31)
    }

    @Test func namesOfRolesAreEncoded() async throws {
        try serve([("targets", ["../a/b?"], []), ("../a/b?", [], ["x"])])
        #expect(try await role(of: "x") == "../a/b?")
        #expect(source.takeRequests().contains("metadata/1...%2Fa%2Fb%3F.json"))
    }

    /// Both are roles of their own, although Swift takes the one name for the other.
    @Test func rolesWithEquivalentNamesAreBothSearched() async throws {
        try serve([("targets", ["\u{E9}", "e\u{301}"], []), ("\u{E9}", [], []), ("e\u{301}", [], ["x"])])
        let role = try await role(of: "x")
        #expect(role?.isByteEqual(to: "e\u{301}") == true)
    }

    /// The list of an app that is not known is found in any role, beside any targets, as a device finds it by its path.
    @Test(arguments: ["top", "list", "deeper"]) func listTargetAnyRoleIsFound(role: String) async throws {
        func targets(_ name: String) -> [String] { name == role ? ["a/b.js", "rollout/com.example.json"] : [] }
        try serve([
            ("targets", ["list", "other"], targets("top")), ("list", ["deeper"], targets("list")),
            ("deeper", [], targets("deeper")), ("other", [], []),
        ])
        let path = "rollout/com.example.json"
        var client = try client()
        try await client.update()
        #expect(try await client.listTarget()?.path == path)
        #expect(try await client.target(path)?.path == path)
    }

    /// A delegated role cannot replace another stored file, whatever its name.
    @Test func storedNamesAreTheirOwn() {
        let names = ["2.root", "Timestamp", "timestamp.etag", "a/b", "A", "a", "ä", String(repeating: "Ä", count: 40)]
        let stored = names.map(URLPath.storageName)
        #expect(Set(stored.map { $0.lowercased() }).count == names.count)
        #expect(stored.allSatisfy { $0.hasPrefix("role-") && $0.utf8.count <= 255 && !$0.contains("/") })
    }

    @Test(arguments: ["root", "timestamp", "snapshot", "targets", "", String(repeating: "r", count: 81)])
    func namesThatCannotBeDelegated(name: String) async throws {
        try serve([("targets", [name], [])])
        await #expect(throws: PatchError(.feedMalformed, "")) { _ = try await role(of: "x") }
    }

    @Test(arguments: ["../x", "/x", "a//x", "./x", "a/../../x", ""])
    func pathsThatLeadOutOfTheFolder(path: String) async throws {
        try serve([("targets", [], [path])])
        var client = try client()
        try await client.update()
        let target = try #require(try await client.target(path))
        await #expect(throws: PatchError(.feedMalformed, "")) { try await client.contents(of: target, limit: 10) }
    }
}
