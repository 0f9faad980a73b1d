import PatchFiles
import PatchRunner
import TestSupport
import Testing

@testable import PatchDevice

/// The feed's metadata in a store.
@Suite(.ownThreads) struct MetadataFolderTests {
    /// The process that writes also removes: after a rotation of keys, the files that the old keys have signed must go.
    @Test func onlyTheProcessThatWritesChangesTheFiles() throws {
        let place = try TestFolder()
        let host = try HostInfo(app: "com.example.shop", version: "2.3.1")
        let store = PatchStore(folder: Path(place.at("store")), host: host, clock: { nil })
        let second = PatchStore(folder: Path(place.at("store")), host: host, clock: { nil })
        try #require(!store.isReadOnly && second.isReadOnly)
        let own = MetadataFolder(of: store)
        let other = MetadataFolder(of: second)
        own.write("timestamp.json", [1, 2])
        other.write("timestamp.json", [3])
        try other.keep("timestamp.json", [3])
        try other.remove("timestamp.json")
        #expect(other.read("timestamp.json", limit: 2) == [1, 2] && own.read("timestamp.json", limit: 1) == nil)
        try own.remove("timestamp.json")
        #expect(own.read("timestamp.json", limit: 2) == nil)
        // It may be gone already.
        try own.remove("timestamp.json")
    }
}
