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

        fileprivate var permissions: UInt32 {
            switch self {
            case .bytes, .later: 0o666
            case .secret: 0o600
            }
        }
    }

    package let path: Path
    package let content: Content
    /// The folder below which no link is followed; nil allows all links.
    fileprivate let base: Path?
    /// Whether servers and copying programs must see by the modification time that a file was replaced. They compare
    /// whole seconds, so the file gets a later second than the one that it replaces.
    fileprivate let hasLaterTime: Bool

    package init(path: Path, content: Content, below base: Path? = nil, hasLaterTime: Bool = false) {
        self.path = path
        self.content = content
        self.base = base
        self.hasLaterTime = hasLaterTime
    }

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
    /// - Throws: `exists` if a file exists and must not be replaced, `io` if writing fails.
    package static func write(
        _ files: [OutputFile], replacing replaces: (Path) -> Bool
    ) throws(PatchError) {
        for file in files { try file.checkPlace(force: replaces(file.path)) }
        var staged: [StagedFile] = []
        var folders = OutputFolders()
        do {
            for group in groups(of: files) {
                for file in files[group] { staged.append(try StagedFile(file, in: folders.folder(of: file))) }
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
            let kept = staged.reversed().compactMap { $0.takeBack() }
            Folder.removeEmpty(folders.made)
            guard let first = kept.first else { throw error }
            throw error.hinting("\(first) has an old file that could not be restored, the first of \(kept.count)")
        }
        for file in staged { file.finish() }
        folders.synchronize()
    }

    /// Writes files independently of each other, so that one that fails does not keep the others back.
    ///
    /// - Returns: The error of each file: `exists` if there is a file that must not be replaced, `io` if writing fails,
    ///   nil if it was written.
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

    /// Overwrites the first bytes of a file, in one step.
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
    fileprivate static func alreadyThere(_ path: Path) -> PatchError {
        PatchError(.exists, "already exists").about(path)
    }
}

private struct OutputFolders {
    private var open: [[Path?]: Descriptor] = [:]
    private(set) var made: [Path] = []

    mutating func folder(of file: OutputFile) throws(PatchError) -> Descriptor {
        let place = [file.path.parent, file.base]
        if let known = open[place] { return known }
        let folder = try Descriptor.folder(file.path.parent, below: file.base, made: &made)
        open[place] = folder
        return folder
    }

    func synchronize() { for folder in open.values { try? folder.synchronize() } }
}

/// An output that is completely written, but not in its place yet.
private struct StagedFile {
    let path: Path
    /// The folder where it is, and where it is put in place.
    let folder: Descriptor
    private let name: Path
    /// The name of the file that has the bytes until then; nil for one without a name, which is gone when the process
    /// ends, however it ends. Some file systems have no nameless files.
    private var stagedName: Path?
    /// The open file; nil once it is in its place.
    private var file: Descriptor?
    /// Another name of the file that was replaced, until all files are in place.
    private var backup: Path?
    /// Whether the output is in its place and replaced no file.
    private var isNew = false

    init(_ output: OutputFile, in folder: Descriptor) throws(PatchError) {
        var content = output.content
        if case .later(let read) = content { content = .bytes(try read()) }
        path = output.path
        name = path.name
        self.folder = folder
        let descriptor: Descriptor
        let replaced = FileInfo(name, following: false, in: folder)
        // The new file is accessible to no more users than the file that it replaces, from the beginning.
        var permissions = content.permissions
        if let replaced, replaced.isRegular { permissions &= replaced.permissions }
        if let nameless = Self.namelessFile(in: folder, permissions) {
            descriptor = nameless
        } else {
            let (name, created) = try Self.withUnusedName(for: path) { name throws(SystemError) in
                try Descriptor(name, [.write, .create], in: folder, permissions: permissions)
            }
            descriptor = created
            stagedName = name
        }
        file = descriptor
        if let replaced, replaced.isRegular {
            if FileInfo(descriptor)?.group != replaced.group, !descriptor.setGroup(replaced.group) {
                // The group is another one, which may do only what everybody may.
                permissions &= ~0o070 | (permissions & 0o007) << 3
            }
            descriptor.setPermissions(permissions)
        }
        do throws(SystemError) {
            try Self.fill(descriptor, content)
            if output.hasLaterTime, let old = replaced?.modified, let new = FileInfo(descriptor)?.modified,
                new.components.seconds <= old.components.seconds
            {
                descriptor.setModified(.seconds(old.components.seconds + 1))
            }
        } catch {
            takeBack()
            throw .system(.io, path, error)
        }
    }

    /// Opens a file without a name; nil if the system or the file system has none, or cannot name it later.
    private static func namelessFile(in folder: Descriptor, _ permissions: UInt32) -> Descriptor? {
        #if os(Linux)
            guard canNameOpenFiles else { return nil }
            return try? Descriptor(Path("."), [.write, .nameless], in: folder, permissions: permissions)
        #else
            return nil
        #endif
    }

    /// Whether ``handle(of:)`` is a name of an open file. This needs `/proc`.
    private static let canNameOpenFiles: Bool = {
        guard let file = try? Descriptor(Path("/"), [.read, .folder]) else { return false }
        return FileInfo(handle(of: file), following: true)?.identity == FileInfo(file)?.identity
    }()

    /// The name by which a nameless file can be linked.
    private static func handle(of file: Descriptor) -> Path { Path("/proc/self/fd/\(file.number)") }

    /// Tries names for a temporary file until one is free.
    private static func withUnusedName<Result>(
        for path: Path, _ create: (Path) throws(SystemError) -> Result
    ) throws(PatchError) -> (name: Path, Result) {
        while true {
            let suffix = String(UInt32.random(in: .min ... .max), radix: 36)
            let name = Path(".patchpack-\(suffix).tmp")
            do throws(SystemError) {
                return (name, try create(name))
            } catch {
                guard error == .exists else { throw .system(.io, path, error) }
            }
        }
    }

    private static func fill(_ file: Descriptor, _ content: OutputFile.Content) throws(SystemError) {
        switch content {
        case .later: break
        case .bytes(let bytes):
            try unsafe bytes.withUnsafeBufferPointer { bytes throws(SystemError) in try unsafe file.write(bytes) }
        case .secret(let bytes):
            try unsafe bytes.withUnsafeBytes { bytes throws(SystemError) in
                try unsafe file.write(bytes.assumingMemoryBound(to: UInt8.self))
            }
        }
    }

    func synchronize() throws(SystemError) { try file?.synchronize() }

    mutating func close() { file = nil }

    /// Closes the file until it is put in its place, under a temporary name if it has none.
    mutating func park() throws(PatchError) {
        stagedName = try temporaryName()
        close()
    }

    /// The name of the staged file, which gets one if it has none.
    private func temporaryName() throws(PatchError) -> Path {
        if let stagedName { return stagedName }
        return try Self.withUnusedName(for: path) { name throws(SystemError) in try link(to: name) }.name
    }

    /// Gives the file its name. If the name was taken in the meantime, that file is replaced only with `force`.
    ///
    /// - Parameter keepsOld: Whether a replaced file is kept until all files are in place.
    mutating func putInPlace(force: Bool, keepsOld: Bool) throws(PatchError) {
        if !force {
            do throws(SystemError) {
                try link(to: name)
                isNew = true
                return
            } catch {
                guard error != .exists else { throw .alreadyThere(path) }
                // The file system has no hard links, so there is only the check that was made before.
                guard stagedName != nil else { throw .system(.io, path, error) }
            }
        }
        let isThere = FileInfo(name, following: false, in: folder) != nil
        guard force || !isThere else { throw .alreadyThere(path) }
        if isThere, keepsOld {
            // If the system allows no second name, the file is renamed temporarily.
            backup = try Self.withUnusedName(for: path) { aside throws(SystemError) in
                do throws(SystemError) {
                    try folder.link(name, to: aside)
                } catch {
                    guard error != .exists else { throw error }
                    try folder.rename(name, to: aside)
                }
            }.name
        }
        let staged = try temporaryName()
        do throws(SystemError) {
            try folder.rename(staged, to: name)
        } catch {
            folder.remove(staged)
            let fault = PatchError.system(.io, path, error)
            throw error == .isInUse ? fault.hinting("if it is a mount point, mount its folder instead") : fault
        }
        isNew = !isThere
    }

    /// Gives the staged file a name that must be free.
    private func link(to name: Path) throws(SystemError) {
        if let stagedName {
            try folder.link(stagedName, to: name)
        } else if let file {
            try folder.link(openFile: Self.handle(of: file), to: name)
        }
    }

    /// Undoes everything: a new file is removed, and a replaced file is restored.
    ///
    /// - Returns: The name under which the replaced file is kept if it cannot be restored.
    @discardableResult
    func takeBack() -> Path? {
        removeStaging()
        guard let backup else {
            if isNew { folder.remove(name) }
            return nil
        }
        guard (try? folder.rename(backup, to: name)) != nil else { return path.parent.appending(backup) }
        // If the output never replaced the old file, both names are of one file, and a rename between them does
        // nothing.
        folder.remove(backup)
        return nil
    }

    /// Removes everything except the output.
    func finish() {
        if let backup { folder.remove(backup) }
        removeStaging()
    }

    private func removeStaging() {
        if let stagedName { folder.remove(stagedName) }
    }
}
