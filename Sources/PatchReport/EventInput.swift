internal import Libc
package import PatchCrypto
package import PatchFiles

/// Reads event logs from files and pipes, uncompressed or compressed with gzip or Zstandard.
@safe package struct EventInput: ~Copyable {
    /// The reason why Zstandard files cannot be read on this machine; nil if they can.
    package static var missingLibrary: PatchError? { EventSource.missingLibrary }

    /// The bytes that were read from a compressed file, at most 128 KiB, and the first bytes of any other file.
    private let packed: UnsafeMutableRawBufferPointer

    package init() { unsafe packed = .allocate(byteCount: 1 << 17, alignment: 1) }

    deinit { unsafe packed.deallocate() }

    /// Adds a file's events to a report. If this fails, the report has the events before the fault.
    ///
    /// - Parameter path: `-` is standard input.
    /// - Throws: `no-input` if the file cannot be read, `malformed` if its compressed data is damaged, cut off, grows
    ///   too much or needs too large a window, `unavailable` if memory or the library that reads Zstandard is missing.
    package func read(_ path: Path, into report: inout ReportBuilder) throws(PatchError) {
        var source = try unsafe EventSource.open(path, packed)
        let buffer = unsafe report.reader.buffer
        // The bytes at the beginning of the buffer that belong to a line whose end is not read yet.
        var pending = 0
        // Whether the beginning of that line is gone, as the buffer had no room for it.
        var isTooLong = false
        while true {
            let step = try unsafe source.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[pending...]))
            report.input.bytes += step
            guard step > 0 else {
                if !isTooLong { report.add(line: 0..<pending) }
                return
            }
            let count = pending + step
            var start = 0
            while let end = unsafe Self.lineEnd(in: buffer[max(start, pending)..<count]) {
                if !isTooLong { report.add(line: start..<end) }
                start = end + 1
                isTooLong = false
            }
            unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<count]))
            pending = isTooLong ? 0 : count - start
            if pending == buffer.count {
                report.addLineTooLong()
                pending = 0
                isTooLong = true
            }
        }
    }

    /// The place of the first line feed, in the buffer that the bytes are of; nil if there is none.
    private static func lineEnd(in bytes: Slice<UnsafeMutableRawBufferPointer>) -> Int? {
        guard unsafe !bytes.isEmpty, let start = unsafe bytes.base.baseAddress,
            let end = unsafe memchr(start + bytes.startIndex, 0x0A, bytes.count)
        else { return nil }
        return unsafe UnsafeRawPointer(end) - UnsafeRawPointer(start)
    }
}
