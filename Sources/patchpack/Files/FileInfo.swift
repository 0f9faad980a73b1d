#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What the system says of a file.
struct FileInfo {
    private let info: stat

    /// Asks of an open file; nil where the system does not say.
    init?(descriptor: Int32) {
        var info = stat()
        guard unsafe fstat(descriptor, &info) == 0 else { return nil }
        self.info = info
    }

    /// Asks of a place; nil where nothing is there.
    ///
    /// - Parameter following: Whether a symbolic link stands for what it leads to, or for itself.
    init?(_ path: Path, following: Bool) {
        var info = stat()
        let found = unsafe path.withCString { following ? unsafe stat($0, &info) : unsafe lstat($0, &info) }
        guard found == 0 else { return nil }
        self.info = info
    }

    var isFolder: Bool { info.st_mode & S_IFMT == S_IFDIR }
    var isRegular: Bool { info.st_mode & S_IFMT == S_IFREG }
    var isLink: Bool { info.st_mode & S_IFMT == S_IFLNK }
    /// Whether anybody but the owner may read or write it.
    var isOpenToOthers: Bool { info.st_mode & 0o077 != 0 }
    var size: Int { Int(clamping: info.st_size) }

    /// Whether two names lead to one file.
    func isSame(as other: FileInfo) -> Bool {
        info.st_dev == other.info.st_dev && info.st_ino == other.info.st_ino
    }
}
