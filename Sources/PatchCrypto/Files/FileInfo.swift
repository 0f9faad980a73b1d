#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A folder's entries.
package enum Folder {
    /// The names in a folder, but for `.` and `..`, in the order of their bytes.
    ///
    /// - Throws: `noInput` where it cannot be read.
    package static func names(in path: Path) throws(PatchError) -> [Path] {
        guard let folder = unsafe path.withCString({ unsafe opendir($0) }) else {
            throw .system(.noInput, path, errno)
        }
        defer { unsafe closedir(folder) }
        var names: [Path] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            if name != Array(".".utf8), name != Array("..".utf8) { names.append(Path(bytes: name)) }
        }
        return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    /// Does work that reads a file and writes it again while nobody else does the same in its folder.
    ///
    /// - Parameter path: The file; its folder is locked until `body` returns.
    /// - Throws: `io` where the folder cannot be locked, or another process holds it for ten seconds.
    package static func whileLocked<Result>(
        around path: Path, _ body: () throws(PatchError) -> Result
    ) throws(PatchError) -> Result {
        let folder = unsafe path.parent.withCString { unsafe open($0, O_RDONLY | O_CLOEXEC) }
        guard folder >= 0 else { throw .system(.io, path.parent, errno) }
        defer { close(folder) }
        var tries = 0
        while flock(folder, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw .system(.io, path.parent, errno) }
            tries += 1
            guard tries <= 200 else {
                throw PatchError(
                    .io, "\(path.parent): another process holds this folder", hint: "wait for it, and try again")
            }
            usleep(50_000)
        }
        return try body()
    }
}

/// What the system says of a file.
package struct FileInfo {
    private let info: stat

    /// Asks of an open file; nil where the system does not say.
    package init?(descriptor: Int32) {
        var info = stat()
        guard unsafe fstat(descriptor, &info) == 0 else { return nil }
        self.info = info
    }

    /// Asks of a place; nil where nothing is there.
    ///
    /// - Parameter following: Whether a symbolic link stands for what it leads to, or for itself.
    package init?(_ path: Path, following: Bool) {
        var info = stat()
        let found = unsafe path.withCString { following ? unsafe stat($0, &info) : unsafe lstat($0, &info) }
        guard found == 0 else { return nil }
        self.info = info
    }

    /// Asks of a name in an open folder, without following a link; nil where nothing is there.
    init?(_ name: Path, in folder: Int32) {
        var info = stat()
        let found = unsafe name.withCString { unsafe fstatat(folder, $0, &info, AT_SYMLINK_NOFOLLOW) }
        guard found == 0 else { return nil }
        self.info = info
    }

    package var isFolder: Bool { info.st_mode & S_IFMT == S_IFDIR }
    package var isRegular: Bool { info.st_mode & S_IFMT == S_IFREG }
    package var isLink: Bool { info.st_mode & S_IFMT == S_IFLNK }
    /// Whether anybody but the owner may read or write it.
    package var isOpenToOthers: Bool { info.st_mode & 0o077 != 0 }
    /// The permission bits.
    var permissions: mode_t { info.st_mode & 0o7777 }
    package var size: Int { Int(clamping: info.st_size) }

    /// What two names of one file have in common.
    package struct Identity: Hashable {
        private let device: UInt64
        private let number: UInt64

        fileprivate init(_ info: stat) {
            device = UInt64(truncatingIfNeeded: info.st_dev)
            number = UInt64(truncatingIfNeeded: info.st_ino)
        }
    }

    package var identity: Identity { Identity(info) }
}
