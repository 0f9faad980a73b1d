/// A member of the zip as its headers describe it.
struct ZipMember: Sendable {
    let name: String
    let isDeflated: Bool
    /// The CRC-32 of the member's bytes, once they are inflated.
    let crc: UInt32
    /// The member's size in bytes, once it is inflated.
    let size: Int
    /// Where its stored or deflated bytes are in the buffer that holds the zip.
    let data: Range<Int>
}

/// Reads a zip's structure under a strict profile, which refuses everything that an envelope does not need.
///
/// Every byte of the archive is accounted for: the members from the first byte on, without gaps, then the central
/// directory, then an end record of 22 bytes. `ZipArchive` reads the contents of the members.
struct ZipDirectory: Sendable {
    /// The members, in the archive's order.
    let members: [ZipMember]

    /// Reads the structure of a zip.
    ///
    /// - Throws: `malformed` if anything is outside the profile, `limit` if a limit is exceeded.
    init(in buffer: [UInt8], at range: Range<Int>, limits: EnvelopeLimits) throws(PatchError) {
        var reader = ZipReader(bytes: buffer[range])
        let end = try reader.endRecord()
        // The manifest, and a digest and a sealed script for each script. Nothing is added to a limit, which may be any
        // number.
        guard end.memberCount / 2 <= limits.scriptCount else {
            throw PatchError(
                .limit, "zip: \(end.memberCount) members, more than \(limits.scriptCount) scripts need")
        }
        var members: [ZipMember] = []
        var total = 0
        reader.position = end.directory.lowerBound
        for _ in 0..<end.memberCount {
            let member = try reader.member(
                after: members.last?.data.upperBound ?? range.lowerBound, before: end.directory)
            total += member.size
            let isSmallEnough =
                member.name == Self.manifestName
                ? member.size <= limits.manifestSize : member.size - EnvelopeLimits.sealingOverhead <= limits.scriptSize
            guard isSmallEnough else {
                throw PatchError(.limit, "zip: \(member.name) exceeds a size limit with \(member.size) bytes")
            }
            guard total <= limits.envelopeSize else {
                let sum = "the members up to \(member.name) have \(total) bytes"
                throw PatchError(.limit, "zip: \(sum), more than \(limits.envelopeSize)")
            }
            members.append(member)
        }
        guard reader.position == end.directory.upperBound else {
            throw ZipReader.fault("extra data in the central directory")
        }
        guard (members.last?.data.upperBound ?? range.lowerBound) == end.directory.lowerBound else {
            throw ZipReader.fault("data between the members and the central directory")
        }
        guard Set(members.map { $0.name.lowercased() }).count == members.count else {
            throw ZipReader.fault("two members have names that are the same or differ only in case")
        }
        guard members.contains(where: { $0.name == Self.manifestName }) else {
            throw ZipReader.fault("no \(Self.manifestName)")
        }
        self.members = members
    }

    /// The name of the member that lists the others.
    static let manifestName = "manifest.json"
}

/// Reads little-endian fields and headers (PKWARE APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16).
private struct ZipReader {
    /// The attributes of a folder and of a volume's label in DOS.
    private static let folderOrLabel = 0x18
    /// The part of a mode of Unix that has the type of a file (`S_IFMT`), and its value for a regular file (`S_IFREG`).
    private static let typeMask = 0o170000
    private static let regularType = 0o100000

    let bytes: ArraySlice<UInt8>
    var position = 0

    static func fault(_ what: String) -> PatchError { PatchError(.malformed, "zip: \(what)") }

    /// Reads an unsigned number of up to four bytes.
    private mutating func take(_ count: Int) throws(PatchError) -> Int {
        guard position >= bytes.startIndex, position + count <= bytes.endIndex else {
            throw Self.fault("cut short")
        }
        defer { position += count }
        return bytes[position..<position + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Reads a number of some bytes, which must have this value.
    private mutating func expect(_ value: Int, _ count: Int, _ what: String) throws(PatchError) {
        guard try take(count) == value else { throw Self.fault(what) }
    }

    /// Reads the end record, which is the archive's last 22 bytes.
    mutating func endRecord() throws(PatchError) -> (memberCount: Int, directory: Range<Int>) {
        position = bytes.endIndex - 22
        try expect(0x0605_4B50, 4, "no end record in the last 22 bytes")
        try expect(0, 2, "more than one disk")
        try expect(0, 2, "more than one disk")
        let count = try take(2)
        try expect(count, 2, "more than one disk")
        guard count < 0xFFFF else { throw Self.fault("zip64 is not allowed") }
        let size = try take(4)
        let start = bytes.startIndex + (try take(4))
        try expect(0, 2, "a comment is not allowed")
        guard start + size == bytes.endIndex - 22 else {
            throw Self.fault("the central directory is not at the place in the end record")
        }
        return (count, start..<start + size)
    }

    /// Reads the central header at the position, and the local header and the data that it points to.
    ///
    /// - Parameters:
    ///   - start: Where the member must begin.
    ///   - directory: Where the central directory is; the member must end before it.
    mutating func member(after start: Int, before directory: Range<Int>) throws(PatchError) -> ZipMember {
        try expect(0x0201_4B50, 4, "no central header where one is expected")
        _ = try take(2)  // made by: any
        let shared = position  // from here to the length of the extra field, both headers are the same
        let versionNeeded = try take(2)
        guard versionNeeded == 10 || versionNeeded == 20 else {
            throw Self.fault("version needed is neither 1.0 nor 2.0")
        }
        let deflateOptions = 0b110
        guard try take(2) & ~deflateOptions == 0 else {
            throw Self.fault("encryption, a data descriptor or another forbidden flag")
        }
        let method = try take(2)
        guard method == 0 || method == 8 else { throw Self.fault("a member is neither stored nor deflated") }
        let isDeflated = method == 8
        _ = try take(4)  // time and date: any
        let crc = UInt32(try take(4))
        let storedSize = try take(4)
        let size = try take(4)
        let nameLength = try take(2)
        try expect(0, 2, "an extra field is not allowed")
        let sharedEnd = position
        try expect(0, 2, "a comment is not allowed")
        try expect(0, 2, "more than one disk")
        // With other bits, libzip can take a header for a part of a zip64 archive.
        guard try take(2) <= 1 else { throw Self.fault("internal attributes are neither 0 nor 1") }
        let attributes = try take(4)
        let type = attributes >> 16 & Self.typeMask
        let isRegular = (type == 0 || type == Self.regularType) && attributes & Self.folderOrLabel == 0
        guard isRegular else { throw Self.fault("a member is not a regular file") }
        guard bytes.startIndex + (try take(4)) == start else {
            throw Self.fault("data before a member, or members overlap or are out of order")
        }
        guard position + nameLength <= directory.upperBound else { throw Self.fault("cut short") }
        let name = bytes[position..<position + nameLength]
        try Self.check(name: name)
        position += nameLength
        guard isDeflated || storedSize == size else { throw Self.fault("a stored member has two different sizes") }

        var local = self
        local.position = start
        try local.expect(0x0403_4B50, 4, "no local header where the central directory points")
        let nameStart = start + 30
        let dataStart = nameStart + nameLength
        let data = dataStart..<dataStart + storedSize
        guard data.upperBound <= directory.lowerBound else {
            throw Self.fault("a member overlaps the central directory")
        }
        guard bytes[start + 4..<nameStart] == bytes[shared..<sharedEnd], bytes[nameStart..<dataStart] == name else {
            throw Self.fault("a local header differs from the central directory")
        }
        return ZipMember(
            name: String(decoding: name, as: UTF8.self), isDeflated: isDeflated, crc: crc, size: size, data: data)
    }

    private static func check(name: ArraySlice<UInt8>) throws(PatchError) {
        guard NameForm.isMember(name) else {
            throw fault("a member name has characters outside [A-Za-z0-9_./-]")
        }
        let parts = name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) }) else {
            throw fault("a member name is absolute, names a folder, or leads out of its folder")
        }
    }
}
