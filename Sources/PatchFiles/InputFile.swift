package import PatchCrypto

/// Reads files, pipes and standard input whole.
package enum InputFile {
    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: `-` is standard input.
    ///   - limit: The most bytes that are of use. One more is read where there are more, so that the reader of the bytes
    ///     sees that the file is too large, and nothing beyond: `/dev/zero` ends too.
    ///   - growing: Whether memory is taken as a file without a size turns out to need it.
    ///   - check: Looks at the open file before it is read.
    /// - Throws: `noInput` where the file is missing, a folder, or cannot be read.
    package static func contents(
        of path: Path, limit: Int, growing: Bool = true, check: (FileInfo) throws(PatchError) -> Void = { _ in }
    ) throws(PatchError) -> [UInt8] {
        let file: Descriptor
        do throws(SystemError) {
            file = try path.isStandardStream ? .standardInput() : Descriptor(path, .read)
        } catch {
            guard error == .notFound, FileInfo(path, following: false)?.isLink == true else {
                throw .system(.noInput, path, error)
            }
            throw PatchError(.noInput, "a link that leads nowhere", hint: "name the file itself").about(path)
        }
        guard let info = FileInfo(file) else { throw .system(.noInput, path, .last) }
        guard !info.isFolder else {
            throw PatchError(.noInput, "is a folder", hint: "name the files in it, such as \(path)/*").about(path)
        }
        try check(info)
        let expected = info.isRegular ? min(info.size, limit) : growing ? 0 : limit
        do throws(SystemError) {
            return try contents(of: file, expected: expected, limit: limit)
        } catch {
            throw .system(.noInput, path, error)
        }
    }

    /// Reads a small file, such as a key, and refuses a larger one: half of it would be another file.
    ///
    /// A file without a size, such as a pipe, is read into memory that is taken once, so that a secret leaves no copies.
    ///
    /// - Parameters:
    ///   - path: `-` is standard input.
    ///   - limit: The most bytes that are allowed.
    ///   - check: Looks at the open file before it is read.
    /// - Throws: `noInput` where it cannot be read, `config` where it is larger.
    package static func small(
        _ path: Path, limit: Int = 1 << 20, check: (FileInfo) throws(PatchError) -> Void = { _ in }
    ) throws(PatchError) -> [UInt8] {
        let bytes = try contents(of: path, limit: limit, growing: false, check: check)
        guard bytes.count <= limit else {
            throw PatchError(.config, "larger than the \(limit) bytes that such a file may have").about(path)
        }
        return bytes
    }

    /// Reads to the end or one byte past the limit.
    ///
    /// - Parameter expected: The size that the system names; where it is right, memory is taken once.
    private static func contents(
        of file: Descriptor, expected: Int, limit: Int
    ) throws(SystemError) -> [UInt8] {
        var bytes = try file.bytes(atMost: min(expected, limit) + 1)
        var isFull = bytes.count == expected + 1
        while isFull, bytes.count <= limit {
            let size = min(max(64 << 10, bytes.count), limit + 1 - bytes.count)
            let more = try file.bytes(atMost: size)
            bytes += more
            isFull = more.count == size
        }
        return bytes
    }
}
