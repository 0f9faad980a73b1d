internal import PatchCrypto

/// An output that is completely written, but not in its place yet.
struct StagedFile {
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

    /// Writes an output beside its place.
    ///
    /// - Throws: `io` if that fails, and what a content that is made later throws.
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
                let everybody = permissions & 0o007
                permissions &= ~0o070 | everybody << 3
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
    ///
    /// - Parameter create: Gives the name to a file. If it throws `exists`, the next name is tried.
    /// - Throws: `io` if it throws another error.
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
        case .later: break  // its bytes were read before
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
    ///
    /// - Throws: `io` if it cannot have a name.
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
    /// - Throws: `exists` if there is a file that must not be replaced, `io` if that fails.
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
            throw error == .busy ? fault.hinting("if it is a mount point, mount its folder instead") : fault
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
