internal import CDecompress
internal import PatchCrypto
internal import PatchFiles

/// Uncompresses the bytes of a file. Its errors do not name the file.
@safe private final class Unpacker {
    private static let noZstandard = PatchError(
        .unavailable, "Zstandard cannot be read here", hint: "install libzstd1, or pipe zstd -dc to -")
    private static let noMemory = PatchError(.unavailable, "no memory")
    /// How many times larger data may become. Event logs are compressed by a factor of 10 to 50, and those of like
    /// lines by 300. Data that grows much more was made to keep the reader busy.
    private static let mostGrowth = 2000
    /// How many bytes may be written however few were read.
    private static let freeBytes = 16 << 20

    private let stream: OpaquePointer
    /// How many bytes were written in all.
    private var unpacked = 0
    /// Why no more can be uncompressed, once what came before it was used.
    private(set) var failure: PatchError?

    /// - Throws: `unavailable` if memory or the library that reads Zstandard is missing.
    init(_ format: dc_format) throws(PatchError) {
        var status = DC_OK
        guard let stream = unsafe dc_open(format, &status) else {
            throw status == DC_NO_LIBRARY ? Self.noZstandard : Self.noMemory
        }
        unsafe self.stream = stream
    }

    deinit { unsafe dc_close(stream) }

    /// Whether the file may end here.
    var isWhole: Bool { unsafe dc_is_whole(stream) != 0 }

    /// Uncompresses bytes of a file, and notes a failure.
    ///
    /// - Parameter read: How many bytes were read from the file in all.
    /// - Returns: How many bytes were used and written. If none was written, more of the file is needed.
    func unpack(
        _ input: UnsafeMutableRawBufferPointer, to buffer: UnsafeMutableRawBufferPointer, read: Int
    ) -> (used: Int, written: Int) {
        var used = input.count
        var written = buffer.count
        let status = unsafe dc_read(
            stream, input.baseAddress?.assumingMemoryBound(to: UInt8.self), &used,
            buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), &written)
        unpacked += written
        failure = failure(of: status, read: read)
        return (used, written)
    }

    private func failure(of status: dc_status, read: Int) -> PatchError? {
        switch status {
        case DC_OK:
            guard unpacked > Self.freeBytes + Self.mostGrowth * read else { return nil }
            return Self.fault("more than \(Self.mostGrowth) times larger than what was read of the file")
        case DC_NO_MEMORY: return Self.noMemory
        case DC_LARGE_WINDOW:
            return PatchError(
                .malformed, "the window of the compressed data is larger than 8 MB",
                hint: "compress it with a smaller window, as zstd does by itself")
        default: return Self.fault("damaged")
        }
    }

    static func fault(_ what: String) -> PatchError {
        PatchError(.malformed, "the compressed data is \(what)", hint: "the events before are counted")
    }
}

/// The uncompressed contents of a file.
@safe struct EventSource: ~Copyable {
    /// How many bytes at the beginning of a file name its format, at most.
    private static let longestMagic = 4

    private let path: Path
    private let file: Descriptor
    private let packed: UnsafeMutableRawBufferPointer
    /// nil if the file is not compressed.
    private let unpacker: Unpacker?
    /// The part of `packed` that was read from the file and is still to be used.
    private var rest: Range<Int>
    /// Whether all of the file was read, if it is compressed.
    private var isAtEnd = false
    /// How many bytes were read from the file, if it is compressed.
    private var position: Int

    /// The reason why Zstandard files cannot be read on this machine; nil if they can.
    static var missingLibrary: PatchError? {
        do throws(PatchError) {
            _ = try Unpacker(DC_ZSTD)
            return nil
        } catch {
            return error
        }
    }

    /// Opens a file, and finds out from its first bytes whether it is compressed.
    ///
    /// - Parameter packed: Room for the bytes of the file, as long as the source is used.
    /// - Throws: `no-input` if it cannot be read, `unavailable` if memory or the library that reads Zstandard is
    ///   missing.
    static func open(_ path: Path, _ packed: UnsafeMutableRawBufferPointer) throws(PatchError) -> EventSource {
        let file = try InputFile.open(path).file
        var count = 0
        // A pipe may bring fewer bytes at a time than those that name a format.
        while count < longestMagic {
            let more = try unsafe read(file, path, UnsafeMutableRawBufferPointer(rebasing: packed[count...]))
            if more == 0 { break }
            count += more
        }
        let format = unsafe dc_format_of(packed.baseAddress?.assumingMemoryBound(to: UInt8.self), count)
        var unpacker: Unpacker?
        if format != DC_PLAIN {
            do throws(PatchError) { unpacker = try Unpacker(format) } catch { throw error.about(path) }
        }
        return unsafe EventSource(
            path: path, file: file, packed: packed, unpacker: unpacker, rest: 0..<count, position: count)
    }

    private static func read(
        _ file: Descriptor, _ path: Path, _ buffer: UnsafeMutableRawBufferPointer
    ) throws(PatchError) -> Int {
        try path.calling(.noInput) { () throws(SystemError) in try unsafe file.readSome(into: buffer) }
    }

    /// Writes the next bytes to a buffer. Returns 0 at the end.
    ///
    /// - Throws: `no-input` if the file cannot be read, `malformed` if its compressed data is damaged, cut off, grows
    ///   too much or needs too large a window, `unavailable` without memory.
    mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(PatchError) -> Int {
        guard let unpacker else { return try unsafe copy(to: buffer) }
        while true {
            if let failure = unpacker.failure { throw failure.about(path) }
            if rest.isEmpty, !isAtEnd { try readMore() }
            if isAtEnd, unpacker.isWhole { return 0 }
            let part = unsafe unpacker.unpack(
                UnsafeMutableRawBufferPointer(rebasing: packed[rest]), to: buffer, read: position)
            rest = rest.lowerBound + part.used..<rest.upperBound
            if part.written > 0 { return part.written }
            if isAtEnd, unpacker.failure == nil { throw Unpacker.fault("cut off").about(path) }
        }
    }

    /// Copies bytes of a file that is not compressed.
    private mutating func copy(to buffer: UnsafeMutableRawBufferPointer) throws(PatchError) -> Int {
        // Only the first bytes were read before it was known what they are.
        guard !rest.isEmpty else { return try unsafe Self.read(file, path, buffer) }
        let part = rest.prefix(buffer.count)
        unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: packed[part]))
        rest = part.upperBound..<rest.upperBound
        return part.count
    }

    /// Reads the next bytes of a compressed file, all of whose bytes so far are used.
    private mutating func readMore() throws(PatchError) {
        let count = try unsafe Self.read(file, path, packed)
        position += count
        rest = 0..<count
        isAtEnd = count == 0
    }
}
