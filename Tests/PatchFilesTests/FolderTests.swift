import Foundation
import PatchCrypto
import TestSupport
import Testing

@testable import PatchFiles

@Suite(.ownThreads) struct FolderTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func path(_ name: String) -> Path { Path(folder.at(name)) }

    /// The folder above has what others made.
    @Test func removeAllParentFolderIsRefused() throws {
        try folder.write("x", to: "made/file")
        #expect(throws: PatchError(.io, "")) { try Folder.removeAll(path("made/..")) }
        #expect(folder.exists("made/file"))
    }

    @Test func namesAreInTheOrderOfTheirBytes() throws {
        for name in ["b", "B", "é", "a", ".a"] { try folder.write([], to: "d/\(name)") }
        #expect(try Folder.names(in: path("d")).map(\.description) == [".a", "B", "a", "b", "é"])
        #expect(throws: PatchError(.noInput, "")) { try Folder.names(in: path("none")) }
    }

    @Test func removeEmptyMadeFoldersKeepsOthers() throws {
        try folder.write([], to: "d/kept")
        #expect(try Folder.make(path("d")) == [])
        let made = try Folder.make(path("d/a/b"))
        #expect(made == [path("d/a"), path("d/a/b")])
        #expect(path("d/a/b").isFolder)
        try folder.write([], to: "d/a/new")
        Folder.removeEmpty(made)
        #expect(try folder.contents() == ["d", "d/a", "d/a/new", "d/kept"])
        #expect(throws: PatchError(.io, "")) { try Folder.make(path("d/kept/a")) }
        // Nothing can be created in /proc.
        #expect(throws: PatchError(.io, "")) { try Folder.make(Path("/proc/patchpack/a")) }
    }

    /// No file system has a name this long.
    @Test func foldersAboveOneThatCannotBeMadeAreRemoved() throws {
        let long = String(repeating: "n", count: 300)
        for name in ["new/deep/\(long)", "new/\(long)/deep"] {
            #expect(throws: PatchError(.io, "")) { try Folder.make(path(name)) }
        }
        #expect(try folder.contents() == [])
    }

    @Test func removalOfWhatIsNotThereIsNoError() throws {
        try folder.write([], to: "a")
        for _ in 1...2 { try Folder.remove(path("a")) }
        #expect(!folder.exists("a"))
        try folder.write([], to: "d/b/c")
        #expect(throws: PatchError(.io, "")) { try Folder.remove(path("d")) }
        try folder.write([], to: "kept/a")
        try FileManager.default.createSymbolicLink(atPath: folder.at("d/link"), withDestinationPath: "../kept")
        try Folder.removeAll(path("d"))
        try Folder.removeAll(path("d"))
        #expect(try folder.contents() == ["kept", "kept/a"])
    }

    @Test func aFileIsRenamedOverAnother() throws {
        try folder.write([1], to: "a")
        try folder.write([2], to: "b")
        try Folder.rename(path("a"), to: Path("b"))
        #expect(try folder.contents() == ["b"] && folder.read("b") == [1])
        #expect(throws: PatchError(.io, "")) { try Folder.rename(path("a"), to: Path("b")) }
    }

    /// A file to be replaced first gets a second name, so that it always exists.
    @Test func aFileHasTwoNames() throws {
        try folder.write([1], to: "a")
        try folder.write([2], to: "b")
        let place = try Descriptor(path(""), [.read, .folder])
        try place.link(Path("a"), to: Path("c"))
        let one = FileInfo(path("a"), following: false)?.identity
        #expect(one != nil && FileInfo(path("c"), following: false)?.identity == one)
        #expect(throws: SystemError.exists) { try place.link(Path("a"), to: Path("b")) }
        #expect(throws: SystemError.notFound) { try place.link(Path("none"), to: Path("d")) }
        #expect(try folder.contents() == ["a", "b", "c"] && folder.read("b") == [2])
    }

    @Test func locksAreSharedOnlyIfAllShareThem() throws {
        let exclusive = try Folder.lock(path(""))
        #expect(exclusive != nil)
        #expect(try Folder.lock(path("")) == nil && Folder.lock(path(""), isShared: true) == nil)
        exclusive?.unlock()
        let shared = try Folder.lock(path(""), isShared: true)
        #expect(shared != nil)
        #expect(try Folder.lock(path(""), isShared: true) != nil)
        #expect(try Folder.lock(path("")) == nil)
        withExtendedLifetime(shared) {}
        #expect(throws: PatchError(.io, "")) { try Folder.lock(path("none")) }
    }

    /// Two files in one folder, under two names of it, and one in a folder that does not exist yet.
    @Test func theFoldersOfFilesAreLockedOnce() throws {
        try folder.write([], to: "d/a")
        try FileManager.default.createSymbolicLink(atPath: folder.at("e"), withDestinationPath: "d")
        let isLocked = try Folder.whileLocked(around: [path("d/a"), path("e/b"), path("none/c")]) {
            () throws(PatchError) in try Folder.lock(path("d")) == nil
        }
        #expect(isLocked)
        #expect(try Folder.lock(path("d")) != nil)
    }

    /// The error of a lock names the process that has it.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/locks"))) func theHolderOfALockIsNamed() throws {
        let lock = try #require(try Folder.lock(path(".")))
        let error = #expect(throws: PatchError.self) { try Folder.whileLocked(around: [path("x")]) {} }
        withExtendedLifetime(lock) {}
        #expect(error?.code == .io)
        #expect(error?.message.hasPrefix("process \(getpid()) (") == true, "\(String(describing: error))")
    }
}
