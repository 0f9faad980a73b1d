import Foundation
import PatchCrypto
import TestSupport
import Testing

@testable import PatchFiles

@Suite(.ownThreads) struct InputFileTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func path(_ name: String) -> Path { Path(folder.at(name)) }

    private func fault(_ body: () throws -> Void) -> PatchError? {
        do { try body() } catch { return error as? PatchError }
        return nil
    }

    @Test func aLimitHoldsAtItsValueAndNotAbove() throws {
        try folder.write(Array(0..<100), to: "a")
        #expect(try InputFile.regular(path("a"), limit: 100) == Array(0..<100))
        #expect(throws: PatchError(.limit, "")) { try InputFile.regular(path("a"), limit: 99) }
        #expect(try InputFile.small(path("a"), limit: 100) == Array(0..<100))
        #expect(throws: PatchError(.config, "")) { try InputFile.small(path("a"), limit: 99) }
        try folder.write([], to: "empty")
        #expect(try InputFile.regular(path("empty"), limit: 0) == [])
        #expect(try InputFile.small(path("empty"), limit: 0) == [])
    }

    @Test func inputsEndAtTheirLimit() throws {
        try folder.write(Array(0..<100), to: "a")
        for limit in [0, 1, 99, 100, 101, 1000] {
            let bytes = try InputFile.contents(of: path("a"), limit: limit)
            #expect(bytes == Array(0..<UInt8(min(100, limit + 1))))
        }
        #expect(try InputFile.contents(of: Path("/dev/zero"), limit: 200_000).count == 200_001)
        #expect(try InputFile.contents(of: Path("/proc/self/status"), limit: 100_000).count > 100)
    }

    /// A process without descriptors cannot read a file, which may be sound.
    @Test func aShortageIsNotTheFilesFault() {
        for (number, isShortage) in [(EMFILE, true), (ENFILE, true), (ENOMEM, true), (ENOENT, false), (EIO, false)] {
            let error = PatchError.system(.noInput, path("a"), SystemError(number: number))
            #expect(error.isCircumstance == isShortage && error.code == .noInput, "\(number)")
            #expect(error.hinting("x").coded(.io).isCircumstance == isShortage)
        }
    }

    /// The size is only a hint: a file of /proc has none, and another file may grow.
    @Test func aFileThatHasNoSizeIsReadToItsEnd() throws {
        let whole = try InputFile.contents(of: Path("/proc/self/environ"), limit: 1 << 20)
        #expect(!whole.isEmpty)
        for limit in [whole.count - 1, whole.count, whole.count + 1] {
            let bytes = try InputFile.contents(of: Path("/proc/self/environ"), limit: limit)
            #expect(bytes == Array(whole.prefix(limit + 1)))
            #expect(try InputFile.contents(of: Path("/proc/self/environ"), limit: limit, growing: false) == bytes)
        }
        let long = [UInt8](repeating: 7, count: 300_000)
        try folder.write(long, to: "long")
        let (file, info) = try InputFile.open(path("long"))
        #expect(info.size == long.count)
        #expect(try file.bytes(atMost: 1000).count == 1000)
        try file.rewind()
        #expect(try file.bytes(atMost: 400_000) == long)
        #expect(file.byte(at: 299_999) == 7 && file.byte(at: 300_000) == nil && file.byte(at: -1) == nil)
    }

    @Test func inputFileNotRegularIsRefused() throws {
        try folder.write([1], to: "d/a")
        #expect(unsafe mkfifo(folder.at("pipe"), 0o600) == 0)
        for name in ["d", "pipe", "none"] {
            #expect(throws: PatchError(.noInput, ""), "\(name)") { try InputFile.regular(path(name), limit: 9) }
        }
        #expect(fault { _ = try InputFile.contents(of: path("d"), limit: 9) }?.message == "is a folder")
        #expect(fault { _ = try InputFile.contents(of: Path(""), limit: 9) }?.message == "a file name is empty")
        try FileManager.default.createSymbolicLink(atPath: folder.at("broken"), withDestinationPath: "none")
        #expect(fault { _ = try InputFile.contents(of: path("broken"), limit: 9) }?.message == "broken symbolic link")
        #expect(
            fault { _ = try InputFile.contents(of: path("none"), limit: 9) }?.message == "no such file or directory")
        try FileManager.default.createSymbolicLink(atPath: folder.at("link"), withDestinationPath: "d/a")
        #expect(try InputFile.regular(path("link"), limit: 9) == [1])
    }

    @Test func aLinkIsBrokenOnlyIfItsTargetIsMissing() throws {
        try folder.write([1], to: "d/a")
        for (name, target) in [("link", "d/a"), ("broken", "none"), ("below", "d/a/b"), ("loop", "loop")] {
            try FileManager.default.createSymbolicLink(atPath: folder.at(name), withDestinationPath: target)
        }
        let target = try #require(path("d/a").withoutLinks)
        #expect(try path("link").resolved() == target)
        #expect(try path("d/a").resolved() == path("d/a"))
        for name in ["broken", "below"] {
            #expect(fault { _ = try path(name).resolved() }?.message == "broken symbolic link", "\(name)")
        }
        let loop = try #require(fault { _ = try path("loop").resolved() })
        #expect(loop == PatchError(.io, "") && loop.message == "too many levels of symbolic links")
    }

    @Test func aFileThatIsMissingIsNoError() throws {
        #expect(try InputFile.regularIfThere(path("none"), limit: 9) == nil)
        try folder.write([1, 2], to: "a")
        #expect(try InputFile.regularIfThere(path("a"), limit: 2) == [1, 2])
        #expect(path("a").holds([1, 2]))
        for other: [UInt8] in [[], [1], [1, 3], [1, 2, 3]] { #expect(!path("a").holds(other)) }
        #expect(!path("none").holds([]))
    }

    @Test func aCheckSeesTheFileThatIsRead() throws {
        try folder.write([1], to: "open", mode: 0o644)
        try folder.write([1], to: "closed", mode: 0o600)
        for (name, isOpen) in [("open", true), ("closed", false)] {
            var seen: FileInfo?
            _ = try InputFile.small(path(name)) { info throws(PatchError) in seen = info }
            #expect(seen?.isOpenToOthers == isOpen && seen?.isRegular == true && seen?.size == 1)
        }
        #expect(throws: PatchError(.policy, "")) {
            try InputFile.small(path("open")) { _ throws(PatchError) in throw PatchError(.policy, "") }
        }
    }
}
