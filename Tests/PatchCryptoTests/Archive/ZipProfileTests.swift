import TestSupport
import Testing

@testable import PatchCrypto

/// A change to a valid zip that the profile must refuse.
struct ZipFault: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let change: @Sendable (inout ZipBytes) -> Void

    init(_ name: String, _ change: @escaping @Sendable (inout ZipBytes) -> Void) {
        testDescription = name
        self.change = change
    }
}

/// A zip, and the positions of its records.
struct ZipBytes {
    var bytes: [UInt8]
    /// Each member's local header and central header.
    var members: [(local: Int, central: Int)] = []
    var end: Int { bytes.count - 22 }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        func find(_ signature: [UInt8]) -> [Int] {
            bytes.indices.filter { bytes[$0...].starts(with: signature) }
        }
        members = Array(zip(find([0x50, 0x4B, 3, 4]), find([0x50, 0x4B, 1, 2])))
    }

    /// Sets a little-endian field of both of a member's headers.
    mutating func set(_ member: Int, _ field: Int, _ width: Int, to value: Int) {
        write(value, width, at: members[member].local + field)
        write(value, width, at: members[member].central + field + 2)
    }

    mutating func write(_ value: Int, _ width: Int, at place: Int) {
        for byte in 0..<width { bytes[place + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
    }

    /// Renames a member in both headers, to a name of the same length.
    mutating func rename(_ member: Int, _ change: (inout [UInt8]) -> Void) {
        for start in [members[member].local + 30, members[member].central + 46] {
            let length = Int(bytes[members[member].local + 26])
            var name = Array(bytes[start..<start + length])
            change(&name)
            bytes.replaceSubrange(start..<start + length, with: name)
        }
    }

    /// Inserts bytes and corrects the position of the directory in the end record.
    mutating func insert(_ new: [UInt8], at place: Int, moving directory: Bool) {
        bytes.insert(contentsOf: new, at: place)
        if directory { write(members[0].central + new.count, 4, at: end + 16) }
    }
}

@Suite(.ownThreads) struct ZipProfileTests {
    private static let faults = [
        ZipFault("prefix") { $0.insert([0], at: 0, moving: true) },
        ZipFault("prefix with offsets right") { zip in
            zip.insert([0], at: 0, moving: true)
            for member in zip.members { zip.write(member.local + 1, 4, at: member.central + 1 + 42) }
        },
        ZipFault("suffix") { $0.bytes.append(0) },
        ZipFault("gap before the directory") { $0.insert([0], at: $0.members[0].central, moving: true) },
        ZipFault("gap behind the directory") { $0.insert([0], at: $0.end, moving: false) },
        ZipFault("comment") { zip in
            zip.write(1, 2, at: zip.end + 20)
            zip.bytes.append(0x41)
        },
        ZipFault("member comment") { zip in
            zip.write(1, 2, at: zip.members[2].central + 32)
            zip.bytes.insert(0x41, at: zip.end)
            zip.write(zip.end - zip.members[0].central, 4, at: zip.end + 12)
        },
        ZipFault("extra field") { zip in
            zip.write(4, 2, at: zip.members[2].central + 30)
            zip.bytes.insert(contentsOf: [1, 0, 0, 0], at: zip.end)
            zip.write(zip.end - zip.members[0].central, 4, at: zip.end + 12)
        },
        ZipFault("two end records") { $0.bytes += $0.bytes.suffix(22) },
        ZipFault("second disk") { $0.write(1, 2, at: $0.end + 4) },
        ZipFault("directory on a second disk") { $0.write(1, 2, at: $0.end + 6) },
        ZipFault("member on a second disk") { $0.write(1, 2, at: $0.members[0].central + 34) },
        ZipFault("counts that differ") { $0.write(2, 2, at: $0.end + 8) },
        ZipFault("too few in the count") { zip in
            zip.write(2, 2, at: zip.end + 8)
            zip.write(2, 2, at: zip.end + 10)
        },
        ZipFault("too many in the count") { zip in
            zip.write(4, 2, at: zip.end + 8)
            zip.write(4, 2, at: zip.end + 10)
        },
        ZipFault("zip64 count") { zip in
            zip.write(0xFFFF, 2, at: zip.end + 8)
            zip.write(0xFFFF, 2, at: zip.end + 10)
        },
        ZipFault("zip64 offset") { $0.write(0xFFFF_FFFF, 4, at: $0.end + 16) },
        ZipFault("directory size") { $0.write(1, 4, at: $0.end + 12) },
        ZipFault("encrypted") { $0.set(1, 6, 2, to: 1) },
        ZipFault("data descriptor") { $0.set(1, 6, 2, to: 8) },
        ZipFault("UTF-8 flag") { $0.set(1, 6, 2, to: 0x800) },
        ZipFault("version needed 4.5") { $0.set(1, 4, 2, to: 45) },
        ZipFault("version needed 1.1") { $0.set(1, 4, 2, to: 11) },
        ZipFault("bzip2") { $0.set(1, 8, 2, to: 12) },
        ZipFault("method 9") { $0.set(1, 8, 2, to: 9) },
        ZipFault("deflated that is not") { $0.set(1, 8, 2, to: 8) },
        ZipFault("wrong CRC") { $0.set(1, 14, 4, to: 0x1234) },
        ZipFault("size too large") { $0.set(1, 22, 4, to: 33) },
        ZipFault("both sizes too large") { zip in
            zip.set(1, 18, 4, to: 33)
            zip.set(1, 22, 4, to: 33)
        },
        ZipFault("both sizes too small") { zip in
            zip.set(1, 18, 4, to: 31)
            zip.set(1, 22, 4, to: 31)
        },
        ZipFault("size past the end") { zip in
            zip.set(2, 18, 4, to: 1 << 20)
            zip.set(2, 22, 4, to: 1 << 20)
        },
        ZipFault("local name differs") { $0.bytes[$0.members[1].local + 30] ^= 0x20 },
        ZipFault("local CRC differs") { $0.write(1, 4, at: $0.members[1].local + 14) },
        ZipFault("local method differs") { $0.write(8, 2, at: $0.members[1].local + 8) },
        ZipFault("local date differs") { $0.write(0x22, 2, at: $0.members[1].local + 12) },
        ZipFault("local signature") { $0.write(0, 4, at: $0.members[1].local) },
        ZipFault("central signature") { $0.write(0, 4, at: $0.members[1].central) },
        ZipFault("local offset") { $0.write(1, 4, at: $0.members[1].central + 42) },
        ZipFault("overlap: two headers for one member") { zip in
            zip.write(zip.members[0].local, 4, at: zip.members[1].central + 42)
        },
        ZipFault("members in another order") { zip in
            let (first, second) = (zip.members[1].central, zip.members[2].central)
            let swapped = zip.bytes[second..<zip.end] + zip.bytes[first..<second]
            zip.bytes.replaceSubrange(first..<zip.end, with: swapped)
        },
        ZipFault("symbolic link") { $0.write(0o120777 << 16, 4, at: $0.members[1].central + 38) },
        ZipFault("folder by mode") { $0.write(0o040755 << 16, 4, at: $0.members[1].central + 38) },
        ZipFault("folder by DOS attribute") { $0.write(0x10, 4, at: $0.members[1].central + 38) },
        ZipFault("folder by name") { $0.rename(1) { $0[$0.count - 1] = 0x2F } },
        ZipFault("absolute") { $0.rename(1) { $0[0] = 0x2F } },
        ZipFault("traversal") { $0.rename(1) { $0.replaceSubrange(0..<3, with: Array("../".utf8)) } },
        ZipFault("inner traversal") { $0.rename(1) { $0.replaceSubrange(1..<5, with: Array("/../".utf8)) } },
        ZipFault("dot folder") { $0.rename(1) { $0.replaceSubrange(0..<2, with: Array("./".utf8)) } },
        ZipFault("empty folder") { $0.rename(1) { $0.replaceSubrange(1..<3, with: Array("//".utf8)) } },
        ZipFault("backslash") { $0.rename(1) { $0[2] = 0x5C } },
        ZipFault("NUL") { $0.rename(1) { $0[$0.count - 1] = 0 } },
        ZipFault("not ASCII") { $0.rename(1) { $0[2] = 0xE9 } },
        ZipFault("space") { $0.rename(1) { $0[2] = 0x20 } },
        ZipFault("no manifest") { $0.rename(0) { $0[0] = 0x6E } },
        ZipFault("manifest in capitals") { $0.rename(0) { $0[0] = 0x4D } },
        ZipFault("nothing but an end record") { zip in
            zip.bytes = Array("PK".utf8) + [5, 6] + [UInt8](repeating: 0, count: 18)
        },
        ZipFault("shorter than an end record") { $0.bytes = Array($0.bytes.suffix(21)) },
    ]

    /// Reads a zip in the same way as a verification.
    private func read(_ zip: [UInt8], limits: EnvelopeLimits = EnvelopeLimits()) throws -> [[UInt8]] {
        // Bytes around the zip must make no difference.
        let buffer = [1, 2, 3] + zip + [4]
        let directory = try ZipDirectory(in: buffer, at: 3..<3 + zip.count, limits: limits)
        return try Swift.zip(directory.members, ZipArchive.inflated(directory, in: buffer, at: 3..<3 + zip.count)).map {
            $1 ?? Array(buffer[$0.data])
        }
    }

    @Test func zipArchiveWrittenMembersAreReadBack() throws {
        let members = try EnvelopeForge().members()
        #expect(try read(EnvelopeForge().zip()) == members.map(\.bytes))
    }

    /// Every version of libzip writes these bytes: no flags, version 1.0 to read, and version 6.3 on Unix as the maker.
    @Test func zipArchiveOneWrittenMemberHasExactBytes() throws {
        let expected = """
            504b0304 0a00 0000 0000 0000 2100 1d80bc55 03000000 03000000 0100 0000 61 010203
            504b0102 3f03 0a00 0000 0000 0000 2100 1d80bc55 03000000 03000000 0100 0000
            0000 0000 0000 0000a481 00000000 61
            504b0506 0000 0000 0100 0100 2f000000 22000000 0000
            """
        let zip = try ZipArchive.write([(name: "a", bytes: [1, 2, 3])])
        #expect(Hex.encode(zip) == expected.utf8.filter { !" \n".utf8.contains($0) })
    }

    @Test(arguments: faults)
    func zipArchiveProfileViolationIsMalformed(fault: ZipFault) throws {
        var zip = ZipBytes(try EnvelopeForge().zip())
        try #require(zip.members.count == 3)
        let sound = zip.bytes
        fault.change(&zip)
        try #require(zip.bytes != sound)
        #expect(throws: PatchError(.malformed, "")) { try read(zip.bytes) }
    }

    /// A changed bit is refused, unless it is in a field that a reader ignores.
    @Test func noChangedBitChangesAMember() throws {
        let sound = try EnvelopeForge().zip()
        let contents = try read(sound)
        var taken = 0
        for bit in 0..<8 * sound.count {
            var zip = sound
            zip[bit / 8] ^= 1 << UInt8(bit % 8)
            do {
                #expect(try read(zip) == contents, "bit \(bit)")
                taken += 1
            } catch {
                #expect([.malformed, .limit].contains((error as? PatchError)?.code), "bit \(bit)")
            }
        }
        // Only the central header of each of the three members has these fields: the maker of 16 bits, the internal
        // attributes, of which one bit is free, and the external ones, of which five bits say what is no regular file.
        #expect(taken == 3 * (16 + 1 + 32 - 5))
    }

    @Test func everyTruncationIsMalformed() throws {
        let zip = try EnvelopeForge().zip()
        for length in zip.indices {
            #expect(throws: PatchError(.malformed, "")) { try read(Array(zip[..<length])) }
        }
    }

    /// The fields that a reader ignores, or for which it accepts several values.
    @Test func datesPermissionsAndMakersAreTaken() throws {
        let contents = try EnvelopeForge().members().map(\.bytes)
        var zip = ZipBytes(try EnvelopeForge().zip())
        zip.set(1, 10, 4, to: 0x5A21_6000)
        zip.set(1, 6, 2, to: 6)
        zip.set(1, 4, 2, to: 20)
        zip.write(0x0014, 2, at: zip.members[1].central + 4)
        zip.write(1, 2, at: zip.members[1].central + 36)
        zip.write(0o100600 << 16 | 0x20, 4, at: zip.members[1].central + 38)
        zip.write(0, 4, at: zip.members[2].central + 38)
        #expect(try read(zip.bytes) == contents)
    }

    @Test(arguments: ["-X -0", "-X", "-X -9", "-X -1"])
    func zipArchiveWrittenByZipIsRead(options: String) throws {
        let folder = try TestFolder()
        let names = ["manifest.json", "lib/a.lua.md5", "lib/a.lua.aes"]
        let contents = [
            Array(repeating: UInt8(ascii: "x"), count: 1000), Array(0..<32), [UInt8](repeating: 7, count: 5000),
        ]
        for (name, bytes) in zip(names, contents) { try folder.write(bytes, to: name) }
        let run = try Tool.shell("zip -q -D \(options) zip.zip \(names.joined(separator: " "))", in: folder.path)
        try #require(run.status == 0, "\(run.error)")
        #expect(try read(folder.read("zip.zip")) == contents)
    }

    /// unzip and libzip accept bytes after a deflated stream, or a stream without its end. The profile does not.
    @Test func aDeflatedStreamEndsWhereItsHeaderSays() throws {
        let folder = try TestFolder()
        let text = [UInt8](repeating: UInt8(ascii: "x"), count: 1000)
        try folder.write(text, to: "manifest.json")
        try #require(try Tool.shell("zip -q -X zip.zip manifest.json", in: folder.path).status == 0)
        let sound = try folder.read("zip.zip")
        #expect(try read(sound) == [text])
        let header = 30 + "manifest.json".utf8.count
        let stored = Int(sound[18]) | Int(sound[19]) << 8
        for change in [-1, 1, 7] {
            var zip = ZipBytes(sound)
            let place = header + stored
            if change < 0 {
                zip.bytes.removeSubrange(place + change..<place)
            } else {
                zip.bytes.insert(contentsOf: [UInt8](repeating: 0, count: change), at: place)
            }
            zip = ZipBytes(zip.bytes)
            zip.set(0, 18, 4, to: stored + change)
            zip.write(place + change, 4, at: zip.end + 16)
            #expect(throws: PatchError(.malformed, "")) { try read(zip.bytes) }
        }
        for size in [999, 1001, 0] {
            var zip = ZipBytes(sound)
            zip.set(0, 22, 4, to: size)
            #expect(throws: PatchError(.malformed, "")) { try read(zip.bytes) }
        }
    }

    @Test func aBombIsRefusedByItsHeader() throws {
        let folder = try TestFolder()
        try folder.write([UInt8](repeating: 0, count: 20 << 20), to: "a.lua.aes")
        try folder.write("{}", to: "manifest.json")
        try #require(try Tool.shell("zip -q -X -9 zip.zip manifest.json a.lua.aes", in: folder.path).status == 0)
        #expect(throws: PatchError(.limit, "")) { try read(folder.read("zip.zip")) }
    }

    @Test func limitsHoldAtTheirValueAndNotAbove() throws {
        let zip = try EnvelopeForge().zip()
        let sizes = try EnvelopeForge().members().map(\.bytes.count)
        var limits = EnvelopeLimits()
        limits.manifestSize = sizes[0]
        limits.scriptSize = sizes[2] - EnvelopeLimits.sealingOverhead
        limits.envelopeSize = sizes.reduce(0, +)
        limits.scriptCount = 1
        _ = try read(zip, limits: limits)
        for limit in [\EnvelopeLimits.manifestSize, \.scriptSize, \.envelopeSize, \.scriptCount] {
            var lower = limits
            lower[keyPath: limit] -= 1
            #expect(throws: PatchError(.limit, "")) { try read(zip, limits: lower) }
        }
    }

    /// A small member after large ones is not what exceeds a limit.
    @Test func theLimitOnAllMembersIsReportedAsSuch() throws {
        let sizes = try EnvelopeForge().members().map(\.bytes.count)
        let total = sizes.reduce(0, +)
        var limits = EnvelopeLimits()
        limits.envelopeSize = total - 1
        do {
            _ = try read(EnvelopeForge().zip(), limits: limits)
            Issue.record("it is read")
        } catch {
            let message = (error as? PatchError)?.message ?? "\(error)"
            #expect(message.hasSuffix(" have \(total) bytes, more than \(total - 1)"), "\(message)")
        }
    }

    @Test func anEmptyZipHasNoManifest() {
        let zip = Array("PK".utf8) + [5, 6] + [UInt8](repeating: 0, count: 18)
        do {
            _ = try read(zip)
            Issue.record("it is read")
        } catch {
            #expect((error as? PatchError)?.message == "zip: no manifest.json", "\(error)")
        }
    }

    @Test func unzipOpensWhatIsWritten() throws {
        let folder = try TestFolder()
        try folder.write(EnvelopeForge().zip(), to: "zip.zip")
        let run = try Tool.shell("unzip -tq zip.zip && zipinfo -l zip.zip", in: folder.path)
        #expect(run.status == 0)
        let lines = run.lines.filter { $0.contains("main.lua") }
        #expect(lines.count == 2)
        for line in lines {
            #expect(line.hasPrefix("-rw-r--r--  6.3 unx") && line.contains(" stor 80-Jan-01 00:00"), "\(line)")
        }
    }
}
