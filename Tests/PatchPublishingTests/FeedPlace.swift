import FeedTestSupport
import PatchCrypto
import PatchFiles
import TestSupport

@testable import PatchPublishing

/// A feed in folders, and the keys of its roles.
struct FeedPlace: Sendable {
    let disk: TestFolder
    let keys: FeedFixture
    let root: [UInt8]

    /// - Parameter versions: The published versions of a patch.
    init(_ versions: ClosedRange<Int> = 1...1) throws {
        disk = try TestFolder()
        keys = try FeedFixture(publishing: versions)
        root = keys.pinnedRoot
        try copy(to: "feed")
    }

    /// Writes the new feed into a folder.
    func copy(to name: String) throws {
        for (path, bytes) in keys.server.files { try disk.write(bytes, to: "\(name)/\(path)") }
    }

    func folder(_ name: String = "feed") -> FeedFolder { FeedFolder(path: Path(disk.at(name))) }

    func repository(_ name: String = "feed") throws -> FeedRepository {
        try folder(name).repository(root: root)
    }

    /// Changes the feed in a folder.
    func change(
        _ name: String = "feed", with keys: [SigningKey]? = nil, in details: ChangeDetails = FeedFixture.details,
        _ body: (inout FeedRepository) throws -> Void
    ) throws {
        var feed = try repository(name)
        try body(&feed)
        let signers = try self.keys.signers(keys ?? [self.keys.release, self.keys.online])
        try folder(name).write(try feed.files(signedBy: signers, in: details))
    }

    /// Sets a switch, which changes the list.
    func turn(_ word: String, in name: String = "feed") throws {
        try change(name) { $0.edit(in: FeedFixture.details) { $0.setSwitch(word, to: "1") } }
    }
}

/// The error of a body; nil if there is none.
func refusal(_ body: () throws -> Void) -> PatchError? {
    do { try body() } catch { return error as? PatchError }
    return nil
}
