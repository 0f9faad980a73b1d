import Foundation
import PatchCrypto
import PatchFeed
import TestSupport
import Testing

private let python = "\(Tool.root)/.build/tuf/bin/python"

/// python-tuf as the other side, in both directions. `make check-interop` installs it.
@Suite(.ownThreads, .enabled(if: FileManager.default.isExecutableFile(atPath: python)))
struct PythonTUFTests {
    private static let scripts = "\(Tool.root)/Tests/patchpackTests/Interop"

    /// The result of python-tuf's client, in the same metadata folder each time.
    private func client(_ work: FeedReleaseFixture) throws -> String {
        let run = try Tool.run(
            python,
            [
                "\(Self.scripts)/tuf_client.py", work.folder.at("feed"), work.folder.at("python"),
                work.folder.at("feed/metadata/1.root.json"), "com.example.shop",
            ])
        return run.status == 0 ? run.text : run.error
    }

    @Test func pythonTUFFeedOfPatchpackIsRead() throws {
        let work = try FeedReleaseFixture()
        let (seven, eight) = (try work.folder.read("7.js").count, try work.folder.read("8.js").count)
        let id = FeedReleaseFixture.id
        func patches(_ text: String, enabled: Bool = true) -> String {
            "{\"patches\": [\(text)], \"enabled\": \(enabled)}\n"
        }
        #expect(try client(work) == patches("[\"\(id)\", 7, \"active\", \(seven)]"))
        try #require(try work.publish(["8.js"], "--rollout", "5%").status == 0)
        let both = "[\"\(id)\", 7, \"active\", \(seven)], [\"\(id)\", 8, \"active\", \(eight)]"
        #expect(try client(work) == patches(both))
        let keys = ["root.pem", "release.pem", "online.pem", "new.pem", "offline.pem"].flatMap { ["--key", $0] }
        for role in ["timestamp", "snapshot", "rollout", "targets", "root"] {
            let key = ["targets", "root"].contains(role) ? "offline" : "new"
            let run = try work.run(["rotate", "feed", role, "--add", "\(key)-public.pem"] + keys)
            try #require(run.status == 0, "\(run.error)")
            #expect(try client(work) == patches(both), "after rotating \(role)")
        }
        // Two of two root keys.
        try #require(try work.run(["rotate", "feed", "root", "--threshold", "2"] + keys).status == 0)
        #expect(try client(work) == patches(both))
        // Only the online key.
        try #require(try work.run("withdraw", "feed", id).status == 0)
        #expect(try client(work) == patches(both.replacing("8, \"active\"", with: "8, \"withdrawn\"")))
        try #require(try work.run("disable", "feed").status == 0)
        #expect(try client(work) == patches(both.replacing("8, \"active\"", with: "8, \"withdrawn\""), enabled: false))
    }

    @Test func patchpackFeedOfPythonTUFIsRead() throws {
        let work = try FeedReleaseFixture(isEmpty: true)
        let run = try Tool.run(
            python,
            [
                "\(Self.scripts)/tuf_repository.py", work.folder.at("theirs"), work.folder.at("7.js"),
                work.folder.at("8.js"),
            ])
        try #require(run.status == 0, "\(run.error)")
        let check = try work.run(["check", "theirs", "--root", "theirs/metadata/1.root.json"])
        #expect(check.status == 0 && check.text.hasPrefix("ok  theirs  2 patches"), "\(check.error)")
        #expect(try work.codes(of: "theirs") == ["8 offered", "7 superseded"])
        for (name, type) in [
            ("1.root", "root"), ("timestamp", "timestamp"), ("1.snapshot", "snapshot"), ("1.targets", "targets"),
            ("1.rollout", "targets"),
        ] {
            let bytes = try work.folder.read("theirs/metadata/\(name).json")
            let file = try SignedMetadata(bytes, name: name, type: type)
            let body: any MetadataBody =
                switch type {
                case "root": try RootMetadata(file)
                case "snapshot": try SnapshotMetadata(file)
                case "targets": try TargetsMetadata(file)
                default: try TimestampMetadata(file)
                }
            #expect(try body.json.text() == JSONValue(parsing: bytes)["signed"]?.text(), "\(name)")
        }
        let other = try work.run(["check", "theirs", "--root", "feed/metadata/1.root.json"])
        #expect(other.status == 31, "\(other.error)")
    }
}
