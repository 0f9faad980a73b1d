#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file to be written: beside its place, flushed, and then put in place, so that nobody sees half of it.
package struct OutputFile {
    /// What is written.
    package enum Content {
        case bytes([UInt8])
        /// Only the owner can read the file.
        case secret(SecretBytes)

        /// The permission bits, before the process's mask.
        fileprivate var mode: mode_t {
            switch self {
            case .bytes: 0o666
            case .secret: 0o600
            }
        }
    }

    package let path: Path
    package let content: Content

    package init(path: Path, content: Content) {
        self.path = path
        self.content = content
    }

    /// Writes files, all of them or none.
    ///
    /// - Parameter force: Whether to replace files that are there already.
    /// - Throws: `exists` where one is there and must not be replaced, `io` where writing fails.
    package static func write(_ files: [OutputFile], force: Bool) throws(PatchError) {
        for file in files { try file.checkPlace(force: force) }
        var staged: [StagedFile] = []
        do {
            for file in files { staged.append(try StagedFile(file)) }
            for index in staged.indices { try staged[index].putInPlace(force: force) }
        } catch {
            for file in staged { file.takeBack() }
            throw error
        }
        for folder in Set(files.map(\.path.parent)) { synchronize(folder) }
    }

    /// Checks that the file can be put in its place, before anything is written.
    package func checkPlace(force: Bool) throws(PatchError) {
        guard let info = FileInfo(path, following: false) else { return }
        guard info.isRegular || info.isLink else {
            throw PatchError(.io, "\(path): is there, and not a file", hint: "name another output")
        }
        guard force else { throw .alreadyThere(path) }
    }

    /// Makes a folder and those above it.
    package static func makeFolder(_ path: Path) throws(PatchError) {
        guard unsafe path.withCString({ unsafe mkdir($0, 0o777) }) != 0, errno != EEXIST else { return }
        guard errno == ENOENT, path.parent != path else { throw .system(.io, path, errno) }
        try makeFolder(path.parent)
        guard unsafe path.withCString({ unsafe mkdir($0, 0o777) }) == 0 || errno == EEXIST else {
            throw .system(.io, path, errno)
        }
    }

    /// Flushes a folder's entries; a file system that cannot do it is not at fault.
    private static func synchronize(_ folder: Path) {
        let file = unsafe folder.withCString { unsafe open($0, O_RDONLY | O_CLOEXEC) }
        guard file >= 0 else { return }
        fsync(file)
        close(file)
    }
}

extension PatchError {
    fileprivate static func alreadyThere(_ path: Path) -> PatchError {
        PatchError(.exists, "\(path): is there already", hint: "--force replaces it")
    }
}

/// An output that lies, whole and flushed, beside its place.
private struct StagedFile {
    let path: Path
    let staged: Path
    /// Whether the output was put in its place, which was free.
    var isNew = false

    init(_ file: OutputFile) throws(PatchError) {
        path = file.path
        try OutputFile.makeFolder(path.parent)
        var candidate = path
        var descriptor: Int32 = -1
        repeat {
            let suffix = String(UInt32.random(in: .min ... .max), radix: 36)
            candidate = path.parent.appending(Path(".patchpack-\(suffix).tmp"))
            descriptor = unsafe candidate.withCString {
                unsafe open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file.content.mode)
            }
        } while descriptor < 0 && errno == EEXIST
        guard descriptor >= 0 else { throw .system(.io, path, errno) }
        staged = candidate
        let failure = Self.fill(descriptor, file.content)
        let closed = close(descriptor)
        guard failure == 0, closed == 0 else {
            let number = failure == 0 ? errno : failure
            removeFile(staged)
            throw .system(.io, path, number)
        }
    }

    /// Writes and flushes; returns an `errno`, or 0.
    private static func fill(_ file: Int32, _ content: OutputFile.Content) -> Int32 {
        let failure =
            switch content {
            case .bytes(let bytes): unsafe bytes.withUnsafeBufferPointer { unsafe writeAll($0, to: file) }
            case .secret(let bytes): unsafe bytes.withUnsafeBytes { unsafe writeAll($0, to: file) }
            }
        if failure != 0 { return failure }
        return fsync(file) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno
    }

    /// Gives the file its name; a name that was taken meanwhile is replaced only by force.
    mutating func putInPlace(force: Bool) throws(PatchError) {
        if !force {
            if hardLink(staged, path) == 0 {
                isNew = true
                removeFile(staged)
                return
            }
            if errno == EEXIST { throw .alreadyThere(path) }
            // A file system without hard links: the check before was the best that can be done.
        }
        let renamed = unsafe staged.withCString { from in unsafe path.withCString { to in unsafe rename(from, to) } }
        guard renamed == 0 else { throw .system(.io, path, errno) }
        isNew = !force
    }

    /// Removes what was written, unless it has replaced something.
    func takeBack() {
        removeFile(staged)
        if isNew { removeFile(path) }
    }
}

private func hardLink(_ from: Path, _ to: Path) -> Int32 {
    unsafe from.withCString { from in unsafe to.withCString { to in unsafe link(from, to) } }
}

private func removeFile(_ path: Path) {
    _ = unsafe path.withCString { unsafe unlink($0) }
}

/// Writes all bytes to a file, pipe or terminal; returns an `errno`, or 0.
package func writeAll(_ bytes: UnsafeBufferPointer<UInt8>, to file: Int32) -> Int32 {
    var done = 0
    while done < bytes.count {
        let step = unsafe write(file, UnsafeBufferPointer(rebasing: bytes[done...]).baseAddress, bytes.count - done)
        if step < 0, errno == EINTR { continue }
        if step < 0 { return errno }
        done += step
    }
    return 0
}
