import Foundation
import TestSupport
import Testing

@testable import PatchCrypto
@testable import PatchFiles

@Suite(.ownThreads) struct OutputFileTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func file(_ name: String, _ text: String = "new") -> OutputFile {
        OutputFile(path: Path(folder.at(name)), content: .bytes(Array(text.utf8)))
    }

    @Test func allFilesAppearOrNone() throws {
        try folder.write("old", to: "c")
        #expect(throws: PatchError(.exists, "")) {
            try OutputFile.write([file("a"), file("b/d"), file("c")], force: false)
        }
        #expect(try folder.contents() == ["c"])
        // The second file's folder cannot be made, which is noticed after the first file was staged.
        try folder.write("", to: "e/f/g")
        #expect(throws: PatchError(.io, "")) { try OutputFile.write([file("a"), file("c/x")], force: false) }
        #expect(!folder.exists("a"))
        try OutputFile.write([file("a"), file("b/d"), file("c")], force: true)
        #expect(try folder.read("c") == Array("new".utf8))
        #expect(try folder.contents().filter { $0.contains(".tmp") } == [])
    }

    @Test func outputFileLaterFileFailsRestoresReplacedOne() throws {
        try folder.write("old", to: "a")
        // A file with a name that is too long can be staged, but not put in place.
        let long = file(String(repeating: "x", count: 300))
        #expect(throws: PatchError(.io, "")) { try OutputFile.write([file("a"), file("b"), long], force: true) }
        #expect(try folder.contents() == ["a"])
        #expect(try folder.read("a") == Array("old".utf8))
    }

    /// There are more files than may be open at a time, and enough that the whole file system is flushed instead of
    /// each file.
    @Test(arguments: [20, 1100]) func manyFilesAppearOrNone(count: Int) throws {
        let files = (0..<count).map { file("many/\($0)", "\($0)") }
        let long = file(String(repeating: "x", count: 300))
        #expect(throws: PatchError(.io, "")) { try OutputFile.write(files + [long], force: true) }
        #expect(try folder.contents() == [], "those that were in their places are rolled back")
        try OutputFile.write(files, force: false)
        #expect(
            try folder.contents().filter { $0.hasPrefix("many/") }.count == count
                && folder.read("many/19") == Array("19".utf8))
    }

    @Test func writeEachSomeFilesFailWritesOthers() throws {
        try folder.write("old", to: "a/3")
        try folder.write("old", to: "a/4")
        let read = OutputFile(
            path: Path(folder.at("a/7")),
            content: .later { () throws(PatchError) in throw PatchError(.noInput, "gone") })
        let files = (0..<20).map { $0 == 7 ? read : file("a/\($0)") } + [file(String(repeating: "x", count: 300))]
        let errors = OutputFile.writeEach(files) { $0.name.description == "4" }
        #expect(errors[3] == PatchError(.exists, "") && errors[7] == PatchError(.noInput, ""))
        #expect(errors[20] == PatchError(.io, "") && errors.count { $0 != nil } == 3)
        #expect(try folder.read("a/3") == Array("old".utf8) && folder.read("a/4") == Array("new".utf8))
        #expect(try folder.contents().filter { $0.hasPrefix("a/") }.count == 19)
    }

    @Test func outputFileTargetNotRegularIsNotReplaced() throws {
        try folder.write("", to: "d/e")
        #expect(throws: PatchError(.io, "")) { try OutputFile.write([file("d")], force: true) }
        let null = OutputFile(path: Path("/dev/null"), content: .bytes([1]))
        #expect(throws: PatchError(.io, "")) { try OutputFile.write([null], force: true) }
        for target in ["old", "none", "/dev/null"] {
            try folder.write("old", to: "old")
            try FileManager.default.createSymbolicLink(atPath: folder.at("link"), withDestinationPath: target)
            for force in [true, false] {
                #expect(throws: PatchError(.io, "")) { try OutputFile.write([file("link")], force: force) }
                #expect(OutputFile.writeEach([file("link")]) { _ in force } == [PatchError(.io, "")])
            }
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.at("link")) == target)
            #expect(try folder.read("old") == Array("old".utf8) && !folder.exists("none"))
            try FileManager.default.removeItem(atPath: folder.at("link"))
        }
    }

    /// A reader that could not read the old file cannot read the new one either.
    @Test(arguments: [(0o640, 0o644, 0o640), (0o777, 0o644, 0o644), (0o600, 0o600, 0o600)])
    func aNewFileIsOpenToNoMoreUsersThanTheOld(old: Int, most: Int, new: Int) throws {
        try folder.write("old", to: "a", mode: old)
        try OutputFile.write([file("a")], force: true)
        let info = try #require(FileInfo(Path(folder.at("a")), following: false))
        #expect(info.permissions & UInt32(most) == UInt32(new) && info.permissions & 0o111 == 0)
        let secret = OutputFile(path: Path(folder.at("s")), content: .secret(SecretBytes([1])))
        try OutputFile.write([secret], force: false)
        #expect(FileInfo(Path(folder.at("s")), following: false)?.permissions == 0o600)
    }

    /// Servers and copying programs compare times in whole seconds.
    @Test func aFileThatIsReplacedGetsALaterSecond() throws {
        let place = Path(folder.at("a"))
        func write(later: Bool) throws {
            try OutputFile.write([OutputFile(path: place, content: .bytes([1]), hasLaterTime: later)], force: true)
        }
        func seconds() throws -> Int64 { try #require(FileInfo(place, following: false)).modified.components.seconds }
        try write(later: true)
        let future = Date(timeIntervalSince1970: 4_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: future], ofItemAtPath: folder.at("a"))
        try write(later: true)
        #expect(try seconds() == 4_000_000_001)
        try write(later: false)
        #expect(try seconds() < 4_000_000_000)
        let past = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: folder.at("a"))
        try write(later: true)
        #expect(try seconds() > 1_000_000_001)
    }

    /// A file system in memory keeps such times.
    @Test(.enabled(if: Path("/dev/shm").isFolder), arguments: [Int64.min, .max])
    func aFileOfAnExtremeTimeIsReplaced(seconds: Int64) throws {
        let place = Path("/dev/shm/patchpack-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(atPath: place.description) }
        try OutputFile.write([OutputFile(path: place, content: .bytes([0]))], force: false)
        try Descriptor(place, .read).setModified(.seconds(seconds))
        let modified = try #require(FileInfo(place, following: false)).modified.components.seconds
        #expect(modified.magnitude <= 1 << 60)
        try OutputFile.write([OutputFile(path: place, content: .bytes([1]), hasLaterTime: true)], force: true)
        #expect(try InputFile.regular(place, limit: 9) == [1])
    }

    @Test func theFirstBytesAreWrittenOver() throws {
        try folder.write("old text", to: "a")
        for isDurable in [false, true] {
            try OutputFile.overwrite(Path(folder.at("a")), with: Array("new".utf8), isDurable: isDurable)
            #expect(try folder.read("a") == Array("new text".utf8))
        }
        for place in [folder.at("none"), "/dev/null", folder.path] {
            #expect(throws: PatchError(.io, "")) {
                try OutputFile.overwrite(Path(place), with: [1], isDurable: false)
            }
        }
    }

    /// Another process may replace a folder with a link between the check and the writing.
    @Test func noLinkIsFollowedBelowTheBase() throws {
        try folder.write("", to: "victim/kept")
        try folder.write("", to: "out/kept")
        let base = Path(folder.at("out"))
        let output = OutputFile(path: base.appending(Path("lib/x.lua")), content: .bytes([1]), below: base)
        try OutputFile.write([output], force: false)
        #expect(folder.exists("out/lib/x.lua"))
        try FileManager.default.removeItem(atPath: folder.at("out/lib"))
        try FileManager.default.createSymbolicLink(atPath: folder.at("out/lib"), withDestinationPath: "../victim")
        #expect(throws: PatchError(.io, "")) { try OutputFile.write([output], force: true) }
        #expect(try folder.contents().filter { $0.hasPrefix("victim") } == ["victim", "victim/kept"])
        // While the folder is swapped with a link to another place, the file is written to the folder or not at all.
        try FileManager.default.removeItem(atPath: folder.at("out/lib"))
        try folder.write("", to: "out/lib/kept")
        try FileManager.default.createSymbolicLink(atPath: folder.at("link"), withDestinationPath: "victim")
        let swaps = Thread { [folder] in
            for _ in 0..<20_000 {
                unsafe rename(folder.at("out/lib"), folder.at("aside"))
                unsafe rename(folder.at("link"), folder.at("out/lib"))
                unsafe rename(folder.at("out/lib"), folder.at("link"))
                unsafe rename(folder.at("aside"), folder.at("out/lib"))
            }
        }
        swaps.start()
        while !swaps.isFinished { try? OutputFile.write([output], force: true) }
        #expect(!folder.exists("victim/x.lua"))
    }
}
