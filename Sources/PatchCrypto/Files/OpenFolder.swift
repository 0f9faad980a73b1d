#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A folder that is held open: what is done in it is done there, whatever is put in the place of its name meanwhile.
final class OpenFolder {
    private let descriptor: Int32

    /// Makes a folder and those above it, as far as they are missing, and opens it.
    ///
    /// - Parameter base: No link is followed below this folder, which the path begins with; nil where any may be.
    /// - Throws: `io` where that fails, or a link is there.
    init(_ path: Path, below base: Path?) throws(PatchError) {
        let root = base ?? path
        try OutputFile.makeFolder(root)
        var folder = unsafe root.withCString { unsafe open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard folder >= 0 else { throw .system(.io, root, errno) }
        for component in path.components.dropFirst(root.components.count) {
            let name = Path(bytes: Array(component))
            _ = unsafe name.withCString { unsafe mkdirat(folder, $0, 0o777) }
            let next = unsafe name.withCString { name in
                unsafe openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            }
            let number = errno
            close(folder)
            guard next >= 0 else {
                let isLink = number == ELOOP || number == ENOTDIR
                throw isLink
                    ? PatchError(.io, "\(path): a link is on the way", hint: "remove it, or name another folder")
                    : .system(.io, path, number)
            }
            folder = next
        }
        descriptor = folder
    }

    deinit { close(descriptor) }

    /// What is there under a name; a link is not followed.
    func info(of name: Path) -> FileInfo? { FileInfo(name, in: descriptor) }

    /// Opens a file; negative where it cannot, with the reason in `errno`.
    func openFile(_ name: Path, _ flags: Int32, _ mode: mode_t) -> Int32 {
        unsafe name.withCString { unsafe openat(descriptor, $0, flags | O_CLOEXEC, mode) }
    }

    func rename(_ from: Path, to: Path) -> Int32 {
        unsafe from.withCString { from in
            unsafe to.withCString { to in unsafe renameat(descriptor, from, descriptor, to) }
        }
    }

    func link(_ from: Path, to: Path) -> Int32 {
        unsafe from.withCString { from in
            unsafe to.withCString { to in unsafe linkat(descriptor, from, descriptor, to, 0) }
        }
    }

    /// Gives a name to a file that has none, by the link to it among the process's open files.
    func link(openFile from: Path, to: Path) -> Int32 {
        unsafe from.withCString { from in
            unsafe to.withCString { to in unsafe linkat(AT_FDCWD, from, descriptor, to, AT_SYMLINK_FOLLOW) }
        }
    }

    func remove(_ name: Path) { _ = unsafe name.withCString { unsafe unlinkat(descriptor, $0, 0) } }

    /// Flushes the entries; a file system that cannot do it is not at fault.
    func synchronize() { fsync(descriptor) }
}
