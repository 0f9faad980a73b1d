package import PatchCrypto

/// A file to write. It is written beside its place, flushed, and then put in place, so that no reader sees a partial
/// file.
package struct OutputFile {
    package enum Content {
        case bytes([UInt8])
        /// Bytes that are read or made when they are needed, and not kept, because many files take much memory.
        case later(@Sendable () throws(PatchError) -> [UInt8])
        /// Bytes of a file that only the owner can read.
        case secret(SecretBytes)

        var permissions: UInt32 {
            switch self {
            case .bytes, .later: 0o666
            case .secret: 0o600
            }
        }
    }

    package let path: Path
    package let content: Content
    /// The folder below which no link is followed; nil allows all links.
    private let base: Path?
    /// Whether servers and copying programs must see by the modification time that a file was replaced. They compare
    /// whole seconds, so the file gets a later second than the one that it replaces.
    let hasLaterTime: Bool

    package init(path: Path, content: Content, below base: Path? = nil, hasLaterTime: Bool = false) {
        self.path = path
        self.content = content
        self.base = base
        self.hasLaterTime = hasLaterTime
    }

    /// Writes a file.
    ///
    /// - Parameter force: Whether to replace a file that already exists.
    /// - Throws: `exists` if it exists and must not be replaced, `io` if writing fails.
    package static func write(_ bytes: [UInt8], to path: Path, force: Bool) throws(PatchError) {
        try write([OutputFile(path: path, content: .bytes(bytes))], force: force)
    }

    /// Writes files, all of them or none.
    ///
    /// - Parameter force: Whether to replace files that already exist.
    /// - Throws: `exists` if a file exists and must not be replaced, `io` if writing fails.
    package static func write(_ files: [OutputFile], force: Bool) throws(PatchError) {
        try write(files) { _ in force }
    }

    /// Writes files, all of them or none.
    ///
    /// - Parameter replaces: Whether to replace a file that already exists.
    /// - Throws: `exists` if a file exists and must not be replaced, `io` if writing fails, and what a content that is
    ///   made later throws.
    package static func write(
        _ files: [OutputFile], replacing replaces: (Path) -> Bool
    ) throws(PatchError) {
        for file in files { try file.checkPlace(force: replaces(file.path)) }
        var staged: [StagedFile] = []
        var folders = OutputFolders()
        do {
            for group in groups(of: files) {
                for file in files[group] {
                    let folder = try folders.folder(of: file.path, below: file.base)
                    staged.append(try StagedFile(file, in: folder))
                }
                try flush(Array(staged[group]))
                if files.count > mostStaged { for index in group { try staged[index].park() } }
            }
            // All files are on the disk, and no name has changed yet. A single file needs no backup: either it is in
            // its place, or it is not.
            for index in staged.indices {
                try staged[index].putInPlace(force: replaces(staged[index].path), keepsOld: files.count > 1)
                staged[index].close()
            }
        } catch {
            var kept: [Path] = []
            for file in staged.reversed() {
                if let old = file.takeBack() { kept.append(old) }
            }
            Folder.removeEmpty(folders.made)
            guard let first = kept.first else { throw error }
            throw error.hinting("\(first) has an old file that could not be restored, the first of \(kept.count)")
        }
        for file in staged { file.finish() }
        folders.synchronize()
    }

    /// Writes files independently of each other, so that one that fails does not keep the others back.
    ///
    /// - Parameters:
    ///   - replaces: Whether to replace a file that already exists.
    ///   - report: Is called with the number of files that are done.
    /// - Returns: The error of each file: `exists` if there is a file that must not be replaced, `io` if writing fails,
    ///   what a content that is made later throws; nil if it was written.
    package static func writeEach(
        _ files: [OutputFile], replacing replaces: (Path) -> Bool = { _ in false }, report: (Int) -> Void = { _ in }
    ) -> [PatchError?] {
        var errors = files.map { file -> PatchError? in
            do throws(PatchError) { try file.checkPlace(force: replaces(file.path)) } catch { return error }
            return nil
        }
        for group in groups(of: files) {
            let good = group.filter { errors[$0] == nil }
            // Together they are flushed at once. If one of them fails, each is tried alone.
            if (try? write(good.map { files[$0] }, replacing: replaces)) == nil {
                for index in good {
                    do throws(PatchError) { try write([files[index]], replacing: replaces) } catch {
                        errors[index] = error
                    }
                }
            }
            report(group.upperBound)
        }
        return errors
    }

    /// How many files are open at a time. On some systems, a process may have only 256 open files.
    private static let mostStaged = 200

    /// Above this number of files, the whole file system is flushed once, instead of each file.
    private static let mostFlushes = 8

    private static func groups(of files: [OutputFile]) -> [Range<Int>] {
        stride(from: 0, to: files.count, by: mostStaged).map { $0..<min($0 + mostStaged, files.count) }
    }

    private static func flush(_ files: [StagedFile]) throws(PatchError) {
        // By the number of the device: whether its file system was flushed as a whole.
        var isFlushed: [UInt64: Bool] = [:]
        for file in files {
            do throws(SystemError) {
                if files.count > mostFlushes {
                    let device = FileInfo(file.folder)?.identity.device ?? 0
                    let known = isFlushed[device]
                    let isDone = known ?? file.folder.synchronizeFileSystem()
                    isFlushed[device] = isDone
                    if isDone { continue }
                }
                try file.synchronize()
            } catch {
                throw .system(.io, file.path, error)
            }
        }
    }

    /// Overwrites the first bytes of a file where they are.
    ///
    /// - Parameter isDurable: Whether the bytes are on the disk when this returns.
    /// - Throws: `io` if that fails, or if there is no regular file.
    package static func overwrite(_ path: Path, with bytes: [UInt8], isDurable: Bool) throws(PatchError) {
        try path.calling { () throws(SystemError) in
            let file = try Descriptor(path, [.write, .noFollow, .noWait])
            guard FileInfo(file)?.isRegular == true else { throw SystemError.exists }
            try unsafe bytes.withUnsafeBufferPointer { bytes throws(SystemError) in try unsafe file.write(bytes) }
            if isDurable { try file.synchronize() }
        }
    }

    /// Checks that a file that a user names can be written, before any work is done for it.
    ///
    /// - Throws: `exists` if it exists and must not be replaced, `io` if it has no folder, or is not a regular file.
    package static func checkNamed(_ path: Path, force: Bool) throws(PatchError) {
        try path.checkParent()
        try OutputFile(path: path, content: .bytes([])).checkPlace(force: force)
    }

    /// Checks that the file can be put in its place, before anything is written.
    ///
    /// Only a regular file is ever replaced. A link may be a device's, such as `/dev/stdout`, and others use its
    /// target.
    ///
    /// - Throws: `exists` if there is a file that must not be replaced, `io` if there is something else.
    package func checkPlace(force: Bool) throws(PatchError) {
        guard let info = FileInfo(path, following: false) else { return }
        guard info.isRegular else {
            throw PatchError(
                .io, info.isLink ? "is a symbolic link" : "exists and is not a regular file",
                hint: info.isLink ? "name the file that it leads to" : "name another output"
            ).about(path)
        }
        guard force else { throw .alreadyThere(path) }
    }
}

extension Path {
    /// Checks that the folder of a file that a user names exists. Only a folder that a user names is made.
    ///
    /// - Throws: `io` if it is missing.
    package func checkParent() throws(PatchError) {
        guard parent.isFolder else {
            throw PatchError(.io, "there is no folder \(parent)", hint: "make it first").about(self)
        }
    }
}

extension PatchError {
    static func alreadyThere(_ path: Path) -> PatchError {
        PatchError(.exists, "already exists").about(path)
    }
}
