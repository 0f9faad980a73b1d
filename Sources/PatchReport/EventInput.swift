internal import CDecompress
internal import Libc
package import PatchCrypto
package import PatchFiles

/// Reads event logs from files and pipes, uncompressed or compressed with gzip or Zstandard.
@safe package struct EventInput: ~Copyable {
    private static let noZstandard = PatchError(
        .unavailable, "Zstandard cannot be read here", hint: "install libzstd1, or pipe zstd -dc to -")

    /// The reason why Zstandard files cannot be read on this machine; nil if they can.
    package static var missingLibrary: PatchError? {
        var status = DC_OK
        guard let stream = unsafe dc_open(DC_ZSTD, &status) else { return noZstandard }
        unsafe dc_close(stream)
        return nil
    }

    /// The bytes that were read from the file, if it is compressed.
    private let packed: UnsafeMutableRawBufferPointer

    package init() { unsafe packed = .allocate(byteCount: 1 << 17, alignment: 1) }

    deinit { unsafe packed.deallocate() }

    /// Adds a file's events to a report. If this fails, the report has the events before the fault.
    ///
    /// - Parameter path: `-` is standard input.
    /// - Throws: `noInput` if the file cannot be read, `malformed` if its compressed data is damaged or cut off,
    ///   `unavailable` if the library that reads Zstandard is missing.
    package func read(_ path: Path, into report: inout ReportBuilder) throws(PatchError) {
        var source = try unsafe Source.open(path, packed)
        let buffer = unsafe UnsafeMutableRawBufferPointer(rebasing: report.reader.bytes[..<EventReader.longestLine])
        // How many bytes of the buffer belong to a line that is not whole yet, and whether it is too long.
        var (count, isTooLong) = (0, false)
        while true {
            let step = try unsafe source.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
            report.input.bytes += step
            guard step > 0 else {
                if !isTooLong { report.add(line: 0..<count) }
                return
            }
            let read = count + step
            var start = 0
            while let end = unsafe Self.lineEnd(in: buffer[max(start, count)..<read]) {
                if !isTooLong { report.add(line: start..<end) }
                start = end + 1
                isTooLong = false
            }
            unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<read]))
            count = read - start
            if isTooLong { count = 0 }
            if count == buffer.count {
                report.addLineTooLong()
                count = 0
                isTooLong = true
            }
        }
    }

    private static func lineEnd(in bytes: Slice<UnsafeMutableRawBufferPointer>) -> Int? {
        guard unsafe !bytes.isEmpty, let start = unsafe bytes.base.baseAddress,
            let end = unsafe memchr(start + bytes.startIndex, 0x0A, bytes.count)
        else { return nil }
        return unsafe UnsafeRawPointer(end) - UnsafeRawPointer(start)
    }

    /// The uncompressed contents of a file.
    @safe private struct Source: ~Copyable {
        private let path: Path
        private let file: Descriptor
        private let packed: UnsafeMutableRawBufferPointer
        private let stream: OpaquePointer?
        /// The part of `packed` that was read from the file and is still to be used.
        private var rest: Range<Int>
        private var isAtEnd = false
        private var position: Int
        private var unpacked = 0
        /// Event logs are compressed by a factor of 10 to 50, and those of like lines by 300. Data that grows much more
        /// was made to keep the reader busy.
        private static let mostGrowth = (times: 2000, free: 16 << 20)

        static func open(_ path: Path, _ packed: UnsafeMutableRawBufferPointer) throws(PatchError) -> Source {
            let file = try InputFile.open(path).file
            let count = try unsafe read(file, path, packed)
            let format = unsafe dc_format_of(packed.baseAddress?.assumingMemoryBound(to: UInt8.self), count)
            var status = DC_OK
            let stream = unsafe format == DC_PLAIN ? nil : dc_open(format, &status)
            guard unsafe format == DC_PLAIN || stream != nil else {
                throw (status == DC_NO_LIBRARY ? EventInput.noZstandard : noMemory).about(path)
            }
            return unsafe Source(
                path: path, file: file, packed: packed, stream: stream, rest: 0..<count, position: count)
        }

        private static let noMemory = PatchError(.internal, "no memory")

        deinit { if let stream = unsafe stream { unsafe dc_close(stream) } }

        private static func read(
            _ file: Descriptor, _ path: Path, _ buffer: UnsafeMutableRawBufferPointer
        ) throws(PatchError) -> Int {
            try path.calling(.noInput) { () throws(SystemError) in try unsafe file.readSome(into: buffer) }
        }

        /// Writes the next bytes to a buffer. Returns 0 at the end.
        mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(PatchError) -> Int {
            guard let stream = unsafe stream else {
                guard !rest.isEmpty else { return try unsafe Self.read(file, path, buffer) }
                let part = rest.prefix(buffer.count)
                unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: packed[part]))
                rest = part.upperBound..<rest.upperBound
                return part.count
            }
            while true {
                if rest.isEmpty, !isAtEnd {
                    let count = try unsafe Self.read(file, path, packed)
                    position += count
                    rest = 0..<count
                    isAtEnd = count == 0
                }
                if isAtEnd, unsafe dc_is_whole(stream) != 0 { return 0 }
                var (used, written) = (rest.count, buffer.count)
                let status = unsafe dc_read(
                    stream, packed.baseAddress?.assumingMemoryBound(to: UInt8.self).advanced(by: rest.lowerBound),
                    &used,
                    buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), &written)
                rest = rest.lowerBound + used..<rest.upperBound
                guard status != DC_NO_MEMORY else { throw Self.noMemory.about(path) }
                guard status != DC_LARGE_WINDOW else {
                    throw PatchError(
                        .malformed, "the window of the compressed data is larger than 8 MB",
                        hint: "compress it with a smaller window, as zstd does by itself"
                    ).about(path)
                }
                guard status == DC_OK else { throw fault("damaged") }
                unpacked += written
                guard unpacked <= Self.mostGrowth.free + Self.mostGrowth.times * position else {
                    throw fault("more than \(Self.mostGrowth.times) times larger than the file")
                }
                if written > 0 { return written }
                if isAtEnd { throw fault("cut off") }
            }
        }

        private func fault(_ what: String) -> PatchError {
            PatchError(.malformed, "the compressed data is \(what)", hint: "the events before are counted").about(path)
        }
    }
}
