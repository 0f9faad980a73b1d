package import PatchCrypto

/// Reads whole files, pipes and standard input.
package enum InputFile {
    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: `-` is standard input.
    ///   - limit: The most bytes that the caller can use. If there are more, one more is read, so that the caller sees
    ///     that the file is too large. Nothing after that is read, so `/dev/zero` ends too.
    ///   - growing: Whether memory for a file without a size is allocated as it is needed; if not, all at once.
    ///   - check: Inspects the open file before it is read.
    /// - Throws: `noInput` if the file is missing, is a folder, or cannot be read, and what `check` throws.
    package static func contents(
        of path: Path, limit: Int, growing: Bool = true, check: (FileInfo) throws(PatchError) -> Void = { _ in }
    ) throws(PatchError) -> [UInt8] {
        let (file, info) = try open(path)
        try check(info)
        let sizeIfUnknown = growing ? 0 : limit
        let expected = info.isRegular && info.size > 0 ? info.size : sizeIfUnknown
        return try path.calling(.noInput) { () throws(SystemError) in
            try contents(of: file, expected: expected, limit: limit)
        }
    }

    /// Reads a file in a folder that others may write, such as a feed or a store.
    ///
    /// A file that is not a regular file is neither read nor waited for.
    ///
    /// - Throws: `noInput` if the file is missing, is something else, or cannot be read, `limit` if it is larger.
    package static func regular(_ path: Path, limit: Int) throws(PatchError) -> [UInt8] {
        let (file, info) = try open(path, [.read, .noWait])
        guard info.isRegular else { throw PatchError(.noInput, "is not a regular file").about(path) }
        let bytes = try path.calling(.noInput) { () throws(SystemError) in
            try contents(of: file, expected: info.size, limit: limit)
        }
        guard bytes.count <= limit else { throw PatchError(.limit, "more than \(limit) bytes").about(path) }
        return bytes
    }

    /// Does what ``regular(_:limit:)`` does; nil if there is nothing of that name.
    ///
    /// - Throws: `io` too, if the system does not tell whether there is.
    package static func regularIfThere(_ path: Path, limit: Int) throws(PatchError) -> [UInt8]? {
        guard try FileInfo.ifThere(path) != nil else { return nil }
        do throws(PatchError) {
            return try regular(path, limit: limit)
        } catch {
            // Another process may have removed it meanwhile.
            guard try FileInfo.ifThere(path) == nil else { throw error }
            return nil
        }
    }

    /// Opens a file to read it in parts.
    ///
    /// - Throws: `noInput` if the file is missing, is a folder, or cannot be opened.
    package static func open(
        _ path: Path, _ options: Descriptor.Options = .read
    ) throws(PatchError) -> (file: Descriptor, info: FileInfo) {
        guard !path.bytes.isEmpty else {
            throw PatchError(.noInput, "a file name is empty", hint: "is the variable that holds it set?")
        }
        let file: Descriptor
        do throws(SystemError) {
            file = try path.isStandardStream ? .standardInput() : Descriptor(path, options)
        } catch {
            guard error == .notFound, FileInfo(path, following: false)?.isLink == true else {
                throw .system(.noInput, path, error)
            }
            throw PatchError(.noInput, "broken symbolic link", hint: "name the file itself").about(path)
        }
        guard let info = FileInfo(file) else { throw .system(.noInput, path, .last) }
        guard !info.isFolder else {
            let files = path.appending(Path("*"))
            throw PatchError(.noInput, "is a folder", hint: "name the files in it, such as \(files)").about(path)
        }
        return (file, info)
    }

    /// Reads a small file, such as a key, and refuses a larger one instead of cutting it short.
    ///
    /// A file without a size, such as a pipe or one in /proc, is read into memory that is allocated at once, so that a
    /// secret leaves no copies.
    ///
    /// - Throws: `noInput` if the file cannot be read, `config` if it is larger, and what `check` throws.
    package static func small(
        _ path: Path, limit: Int = 1 << 20, check: (FileInfo) throws(PatchError) -> Void = { _ in }
    ) throws(PatchError) -> [UInt8] {
        let bytes = try contents(of: path, limit: limit, growing: false, check: check)
        guard bytes.count <= limit else {
            throw PatchError(.config, "larger than the \(limit) bytes allowed for such a file").about(path)
        }
        return bytes
    }

    /// Reads to the end or one byte past the limit.
    ///
    /// - Parameter expected: The size that the system reports. If it is right, memory is allocated once.
    private static func contents(
        of file: Descriptor, expected: Int, limit: Int
    ) throws(SystemError) -> [UInt8] {
        let first = min(expected, limit) + 1
        var bytes = try file.bytes(atMost: first, size: expected < limit ? expected : nil)
        var isFull = bytes.count == first
        while isFull, bytes.count <= limit {
            let size = min(max(64 << 10, bytes.count), limit + 1 - bytes.count)
            let more = try file.bytes(atMost: size)
            bytes += more
            isFull = more.count == size
        }
        return bytes
    }
}

extension Path {
    /// Whether it can be read more than once: it is a regular file, and neither a pipe nor standard input.
    package var canBeReadAgain: Bool { !isStandardStream && FileInfo(self, following: true)?.isRegular == true }

    /// Whether the file exists with exactly these bytes.
    package func holds(_ bytes: [UInt8]) -> Bool {
        (try? InputFile.regularIfThere(self, limit: bytes.count)) == bytes
    }
}
