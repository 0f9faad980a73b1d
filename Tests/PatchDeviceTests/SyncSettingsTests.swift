import PatchCrypto
import PatchFeed
import PatchRunner
import TestSupport
import Testing

@testable import PatchDevice

/// The time of a device's next sync, its name, the resource of its events, and a feed in a folder.
@Suite(.ownThreads) struct SyncSettingsTests {
    private static let now = Timestamp("2026-11-26T00:00:00Z")

    /// The seconds until the next sync.
    private func wait(_ change: (inout SyncSettings) -> Void) throws -> Int {
        var settings = SyncSettings()
        change(&settings)
        let now = try #require(Self.now)
        return try #require(settings.nextSync(after: now)).secondsSince1970 - now.secondsSince1970
    }

    @Test(arguments: [0, 900, 366 * 86_400, 366 * 86_400 + 1, Int.max])
    func theIntervalIsAtMostAYear(seconds: Int) throws {
        let waited = try wait {
            $0.minimumInterval = .seconds(seconds)
            $0.jitter = 0
        }
        #expect(waited == min(seconds, 366 * 86_400))
    }

    /// Devices that start at the same moment sync at different times.
    @Test(arguments: [(0.2, 1.2), (1.0, 2.0), (7.0, 2.0), (-1.0, 1.0), (Double.infinity, 2.0)])
    func chanceAddsUpToAPart(jitter: Double, most: Double) throws {
        let waits = try (1...200).map { _ in
            try wait {
                $0.minimumInterval = .seconds(10_000)
                $0.jitter = jitter
            }
        }
        #expect(waits.allSatisfy { (10_000...Int(most * 10_000)).contains($0) })
        #expect(Set(waits).count > 50 || most == 1)
    }

    @Test func aNameThatIsEmptyIsNone() {
        #expect(SyncSettings().installation(or: "kept") == "kept")
        #expect(SyncSettings(installation: "").installation(or: "kept") == "kept")
        #expect(SyncSettings(installation: "own").installation(or: "kept") == "own")
    }

    @Test func aResourceHasOnlyWhatIsKnown() throws {
        var resource = EventResource(host: try HostInfo(app: "com.example.shop", version: "2.3.1"), installation: "i")
        #expect(resource.json.members.map(\.key) == ["app.installation.id", "service.name", "service.version"])
        resource.environment = "release"
        resource.groups = ["b", "a"]
        resource.user = "ada"
        resource.system = "Linux"
        resource.systemVersion = "6"
        resource.model = "x"
        #expect(
            resource.json.members.map(\.key) == [
                "app.installation.id", "service.name", "service.version", "deployment.environment.name",
                "device.groups", "user.id", "os.name", "os.version", "device.model.identifier",
            ])
        #expect(resource.json.members[4].value.elements.map(\.text) == ["a", "b"])
    }

    /// The end of a sync is a time that the clock can have, whatever the limit.
    @Test(arguments: [Duration.seconds(-1), .zero, .seconds(60), .seconds(366 * 86_400 + 1), .seconds(Int64.max)])
    func theTimeLimitMayHaveEveryValue(limit: Duration) async throws {
        let folder = try TestFolder()
        try folder.write([1], to: "feed/a")
        let source = BudgetedSource(FolderSource(folder.at("feed")), longest: limit)
        if limit > .zero {
            _ = try await source.fetch(.init("a", byteLimit: 1))
            #expect(source.bytes == 1 && source.failure == nil)
        } else {
            await #expect(throws: PatchError(.feedUnavailable, "")) {
                _ = try await source.fetch(.init("a", byteLimit: 1))
            }
            #expect(source.failure != nil)
        }
    }

    @Test func aFolderIsReadAsAServerWouldServeIt() async throws {
        let folder = try TestFolder()
        try folder.write([1, 2], to: "feed/targets/a b/c%d")
        try folder.write([3], to: "secret")
        let source = FolderSource(folder.at("feed"))
        func bytes(_ path: String, limit: Int = 2) async throws -> [UInt8]? {
            guard case .bytes(let bytes) = try await source.fetch(.init(path, byteLimit: limit)).content else {
                return nil
            }
            return bytes
        }
        #expect(try await bytes("targets/a%20b/c%25d") == [1, 2])
        #expect(try await bytes("targets/a%20b/c%25D") == nil)
        for path in [
            "../secret", "targets/../../secret", "targets/%2e%2e/%2E%2E/secret", "targets/a%2", "targets/a%2gb",
            "targets/none",
            "targets%2Fa%20b", "targets/%ff", "targets/a%20b/.",
        ] {
            #expect(try await bytes(path) == nil, "\(path)")
        }
        await #expect(throws: PatchError(.feedLimit, "")) { try await bytes("targets/a%20b/c%25d", limit: 1) }
        await #expect(throws: PatchError(.feedUnavailable, "")) { try await bytes("targets/a%20b") }
    }
}
