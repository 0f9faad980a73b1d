internal import CDecompress
internal import PatchCrypto
internal import PatchFiles

/// The uncompressed contents of a file.
@safe struct EventSource: ~Copyable {
    private static let noZstandard = PatchError(
        .unavailable, "Zstandard cannot be read here", hint: "install libzstd1, or pipe zstd -dc to -")
    private static let noMemory = PatchError(.internal, "no memory")
    /// The bytes at the beginning of a file that name its format.
    private static let longestMagic = 4
    /// Event logs are compressed by a factor of 10 to 50, and those of like lines by 300. Data that grows much more was
    /// made to keep the reader busy.
    private static let mostGrowth = (times: 2000, free: 16 << 20)

    private let path: Path
    private let file: Descriptor
    private let packed: UnsafeMutableRawBufferPointer
    /// Nil if the file is not compressed.
    private let stream: OpaquePointer?
    /// The part of `packed` that was read from the file and is still to be used.
    private var rest: Range<Int>
    /// Whether all of the file was read.
    private var isAtEnd = false
    /// How many bytes were read from the file, and how many it has grown to, if it is compressed.
    private var position: Int
    private var unpacked = 0
    /// Why no more can be uncompressed, once what came before it was returned.
    private var failure: PatchError?

    /// The reason why Zstandard files cannot be read on this machine; nil if they can.
    static var missingLibrary: PatchError? {
        var status = DC_OK
        guard let stream = unsafe dc_open(DC_ZSTD, &status) else { return noZstandard }
        unsafe dc_close(stream)
        return nil
    }

    /// Opens a file, and finds out from its first bytes whether it is compressed.
    ///
    /// - Parameter packed: Room for the bytes of the file, as long as the source is used.
    /// - Throws: `noInput` if it cannot be read, `unavailable` if the library that reads Zstandard is missing.
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
        var status = DC_OK
        let stream = unsafe format == DC_PLAIN ? nil : dc_open(format, &status)
        guard unsafe format == DC_PLAIN || stream != nil else {
            throw (status == DC_NO_LIBRARY ? noZstandard : noMemory).about(path)
        }
        return unsafe EventSource(
            path: path, file: file, packed: packed, stream: stream, rest: 0..<count, position: count)
    }

    deinit { if let stream = unsafe stream { unsafe dc_close(stream) } }

    private static func read(
        _ file: Descriptor, _ path: Path, _ buffer: UnsafeMutableRawBufferPointer
    ) throws(PatchError) -> Int {
        try path.calling(.noInput) { () throws(SystemError) in try unsafe file.readSome(into: buffer) }
    }

    /// Writes the next bytes to a buffer. Returns 0 at the end.
    ///
    /// - Throws: `noInput` if the file cannot be read, `malformed` if its compressed data is damaged, cut off or grows
    ///   too much, `internal` without memory.
    mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(PatchError) -> Int {
        guard let stream = unsafe stream else { return try unsafe copy(to: buffer) }
        while true {
            if let failure { throw failure }
            if rest.isEmpty, !isAtEnd { try readMore() }
            if isAtEnd, unsafe dc_is_whole(stream) != 0 { return 0 }
            let count = try unsafe unpack(stream, to: buffer)
            if count > 0 { return count }
            if isAtEnd { throw fault("cut off") }
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

    private mutating func readMore() throws(PatchError) {
        let count = try unsafe Self.read(file, path, packed)
        position += count
        rest = 0..<count
        isAtEnd = count == 0
    }

    /// Uncompresses what was read. Returns 0 if that needs more of the file.
    private mutating func unpack(
        _ stream: OpaquePointer, to buffer: UnsafeMutableRawBufferPointer
    ) throws(PatchError) -> Int {
        var used = rest.count
        var written = buffer.count
        let status = unsafe dc_read(
            stream, packed.baseAddress?.assumingMemoryBound(to: UInt8.self).advanced(by: rest.lowerBound), &used,
            buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), &written)
        rest = rest.lowerBound + used..<rest.upperBound
        unpacked += written
        failure = failure(of: status)
        return written
    }

    private func failure(of status: dc_status) -> PatchError? {
        switch status {
        case DC_OK:
            let isTooLarge = unpacked > Self.mostGrowth.free + Self.mostGrowth.times * position
            return isTooLarge ? fault("more than \(Self.mostGrowth.times) times larger than the file") : nil
        case DC_NO_MEMORY: return Self.noMemory.about(path)
        case DC_LARGE_WINDOW:
            return PatchError(
                .malformed, "the window of the compressed data is larger than 8 MB",
                hint: "compress it with a smaller window, as zstd does by itself"
            ).about(path)
        default: return fault("damaged")
        }
    }

    private func fault(_ what: String) -> PatchError {
        PatchError(.malformed, "the compressed data is \(what)", hint: "the events before are counted").about(path)
    }
}
