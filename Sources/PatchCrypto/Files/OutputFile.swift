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
    /// The folder below which no link is followed; nil where any may be.
    private let base: Path?

    package init(path: Path, content: Content, below base: Path? = nil) {
        self.path = path
        self.content = content
        self.base = base
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
            for file in staged.reversed() { file.takeBack() }
            throw error
        }
        for file in staged { file.finish() }
        var folders: [Path: OpenFolder] = [:]
        for file in staged { folders[file.path.parent] = file.folder }
        for folder in folders.values { folder.synchronize() }
    }

    /// The folder that the file goes into, opened.
    fileprivate func openFolder() throws(PatchError) -> OpenFolder { try OpenFolder(path.parent, below: base) }

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
}

extension PatchError {
    fileprivate static func alreadyThere(_ path: Path) -> PatchError {
        PatchError(.exists, "\(path): is there already", hint: "--force replaces it")
    }
}

/// An output that lies whole and flushed on its file system, and is not in its place yet.
private struct StagedFile {
    /// What holds the bytes until then.
    private enum Staging {
        /// An open file without a name, which is gone with the process however that ends.
        case nameless(Int32)
        /// A file beside the place, where the file system has no nameless ones.
        case named(Path)
    }

    let path: Path
    /// Where it lies and goes.
    let folder: OpenFolder
    private let name: Path
    private let staging: Staging
    /// Another name of what was replaced, until all files are in place.
    private var backup: Path?
    /// Whether the output is in its place, which was free.
    private var isNew = false

    init(_ file: OutputFile) throws(PatchError) {
        path = file.path
        name = path.name
        folder = try file.openFolder()
        let descriptor: Int32
        if let nameless = Self.namelessFile(in: folder, file.content.mode) {
            descriptor = nameless
            staging = .nameless(nameless)
        } else {
            var created: Int32 = -1
            let folder = folder
            let name = try Self.unusedName(for: path) { name in
                created = folder.openFile(name, O_WRONLY | O_CREAT | O_EXCL, file.content.mode)
                return created
            }
            descriptor = created
            staging = .named(name)
        }
        // What replaces a file is open to nobody new.
        if let replaced = folder.info(of: name), replaced.isRegular {
            fchmod(descriptor, replaced.permissions & file.content.mode)
        }
        let failure = Self.fill(descriptor, file.content)
        if case .named = staging { close(descriptor) }
        guard failure == 0 else {
            takeBack()
            throw .system(.io, path, failure)
        }
    }

    /// Opens a file without a name; nil where the system or the file system has none, or cannot name it later.
    private static func namelessFile(in folder: OpenFolder, _ mode: mode_t) -> Int32? {
        #if os(Linux)
            let nameless = 0o20200000  // O_TMPFILE, a macro that Swift does not import
            let file = folder.openFile(Path("."), O_WRONLY | Int32(nameless), mode)
            guard file >= 0 else { return nil }
            guard FileInfo(handle(of: file), following: true)?.identity == FileInfo(descriptor: file)?.identity else {
                close(file)
                return nil
            }
            return file
        #else
            return nil
        #endif
    }

    /// The name by which a nameless file can be linked.
    private static func handle(of file: Int32) -> Path { Path("/proc/self/fd/\(file)") }

    /// Tries names for a file that stays for a moment until one is free.
    ///
    /// - Parameters:
    ///   - path: The output, for the error.
    ///   - create: Makes something of that name; negative where it cannot, with the reason in `errno`.
    private static func unusedName(for path: Path, _ create: (Path) -> Int32) throws(PatchError) -> Path {
        while true {
            let suffix = String(UInt32.random(in: .min ... .max), radix: 36)
            let name = Path(".patchpack-\(suffix).tmp")
            if create(name) >= 0 { return name }
            guard errno == EEXIST else { throw .system(.io, path, errno) }
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
            if link(to: name) == 0 {
                isNew = true
                return
            }
            if errno == EEXIST { throw .alreadyThere(path) }
            // A file system without hard links: the check before was the best that can be done.
            guard case .named = staging else { throw .system(.io, path, errno) }
        }
        let isThere = folder.info(of: name) != nil
        if isThere {
            // Where the system allows no second name, the file is put aside for the moment.
            backup = try Self.unusedName(for: path) { aside in
                folder.link(name, to: aside) == 0 ? 0 : errno == EEXIST ? -1 : folder.rename(name, to: aside)
            }
        }
        let staged =
            switch staging {
            case .named(let name): name
            case .nameless: try Self.unusedName(for: path) { link(to: $0) }
            }
        guard folder.rename(staged, to: name) == 0 else {
            let number = errno
            folder.remove(staged)
            throw .system(.io, path, number)
        }
        isNew = !isThere
    }

    /// Gives the bytes a name that must be free.
    private func link(to name: Path) -> Int32 {
        switch staging {
        case .named(let staged): folder.link(staged, to: name)
        case .nameless(let file): folder.link(openFile: Self.handle(of: file), to: name)
        }
    }

    /// Undoes all of it: what was new is removed, and what was replaced comes back.
    func takeBack() {
        if let backup {
            _ = folder.rename(backup, to: name)
        } else if isNew {
            folder.remove(name)
        }
        finish()
    }

    /// Lets go of everything but the output.
    func finish() {
        if let backup { folder.remove(backup) }
        switch staging {
        case .named(let name): folder.remove(name)
        case .nameless(let file): close(file)
        }
    }
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
