internal import Libc
package import PatchCrypto
internal import PatchText

/// The errno of a system call that failed.
package struct SystemError: Error, Equatable {
    let number: Int32

    /// The reason why the last call of this thread failed.
    package static var last: SystemError { SystemError(number: errno) }

    package static let brokenPipe = SystemError(number: EPIPE)
    static let exists = SystemError(number: EEXIST)
    /// The error of a call that does not wait, if there is nothing to read, no place to write, or another lock.
    static let wouldBlock = SystemError(number: EAGAIN)
    static let interrupted = SystemError(number: EINTR)
    /// The file or folder is in use, as a mount point is.
    static let busy = SystemError(number: EBUSY)
    static let notFound = SystemError(number: ENOENT)
    /// The errors of asking about a path at which nothing is.
    static let absenceErrors = [SystemError(number: ENOENT), SystemError(number: ENOTDIR)]
    /// The errors of opening a link if no link may be followed.
    static let linkErrors = [SystemError(number: ELOOP), SystemError(number: ENOTDIR)]
    /// The errors of a process or a system without descriptors or memory.
    static let shortageErrors = [EMFILE, ENFILE, ENOMEM].map(SystemError.init(number:))
    /// The errors of flushing if the file system cannot do it.
    static let noFlushErrors = [SystemError(number: EINVAL), SystemError(number: EROFS)]

    /// The system's message, with a lower-case first letter.
    var message: String {
        guard let text = unsafe strerror(number) else { return "error \(number)" }
        return unsafe String(cString: text).asContinued
    }

    fileprivate static func check(_ result: Int32) throws(SystemError) {
        guard result >= 0 else { throw .last }
    }
}

/// An open file or folder. It is closed when its last reference is gone.
package final class Descriptor: Sendable {
    package struct Options: OptionSet {
        package let rawValue: Int32

        package init(rawValue: Int32) { self.rawValue = rawValue }

        package static let read = Options(rawValue: O_RDONLY)
        static let write = Options(rawValue: O_WRONLY)
        /// Creates a file, whose name must be free.
        static let create = Options(rawValue: O_CREAT | O_EXCL)
        /// Creates a file if its name is free. Each write goes to the end.
        package static let append = Options(rawValue: O_RDWR | O_CREAT | O_APPEND)
        static let folder = Options(rawValue: O_DIRECTORY)
        package static let noFollow = Options(rawValue: O_NOFOLLOW)
        /// Does not wait until a pipe has a writer.
        static let noWait = Options(rawValue: O_NONBLOCK)
        #if os(Linux)
            /// Creates a file without a name in a folder: O_TMPFILE, a macro that Swift does not import.
            static let nameless = Options(rawValue: 0o20000000 | O_DIRECTORY)
        #endif
    }

    package let number: Int32

    /// Takes ownership of an open descriptor, which belongs to nothing else.
    package init(owning number: Int32) { self.number = number }

    deinit { close(number) }

    /// Opens a file or a folder. Commands that this process starts do not inherit it.
    ///
    /// - Parameters:
    ///   - folder: Where a relative path begins; nil is the current folder.
    ///   - permissions: The permission bits of a new file, before the process's mask.
    package convenience init(
        _ path: Path, _ options: Options, in folder: Descriptor? = nil, permissions: UInt32 = 0
    ) throws(SystemError) {
        let flags = options.rawValue | O_CLOEXEC
        let number = Self.withNumber(of: folder) { folder in
            unsafe path.withCString { unsafe openat(folder, $0, flags, mode_t(truncatingIfNeeded: permissions)) }
        }
        try SystemError.check(number)
        self.init(owning: number)
    }

    /// Calls `body` with the number of a folder, or of the current folder. The folder stays open until `body` returns.
    fileprivate static func withNumber<Result>(of folder: Descriptor?, _ body: (Int32) -> Result) -> Result {
        withExtendedLifetime(folder) { body(folder?.number ?? AT_FDCWD) }
    }

    /// A descriptor of its own for standard input, which stays open if this one is closed.
    static func standardInput() throws(SystemError) -> Descriptor {
        let number = fcntl(0, F_DUPFD_CLOEXEC, 3)
        try SystemError.check(number)
        return Descriptor(owning: number)
    }

    /// Reads until it has `limit` bytes, or the file ends.
    ///
    /// - Parameter size: The size that the system reports. If a read ends there, the file is not read again to find its
    ///   end.
    package func bytes(atMost limit: Int, size: Int? = nil) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            while count < limit, failure == nil {
                let rest = unsafe UnsafeMutableBufferPointer(rebasing: buffer[count...])
                let step = unsafe read(number, rest.baseAddress, rest.count)
                if step < 0, Self.waitToRepeat(after: .last, number, for: POLLIN) { continue }
                if step < 0 { failure = .last }
                if step <= 0 { return }
                count += step
                if count == size { return }
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Reads as many bytes as there are now, and at least one. Returns 0 at the end.
    package func readSome(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        while true {
            let count = unsafe Libc.read(number, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard Self.waitToRepeat(after: .last, number, for: POLLIN) else { throw .last }
        }
    }

    /// Waits until there are bytes to read, or the end of them.
    ///
    /// - Returns: False if there is nothing after this many milliseconds, or a signal came before.
    package func hasInput(within milliseconds: Int32) -> Bool { Self.wait(for: POLLIN, of: number, milliseconds) }

    /// Waits until a read or a write no longer blocks, if it has failed because it would.
    ///
    /// Programs that share a standard stream with this one, such as node and ssh, leave it so that it does not block.
    ///
    /// - Returns: Whether to repeat the call that failed: it was interrupted, or it would have blocked.
    private static func waitToRepeat(after error: SystemError, _ number: Int32, for event: Int32) -> Bool {
        if error == .wouldBlock { _ = wait(for: event, of: number, -1) }
        return error == .interrupted || error == .wouldBlock
    }

    /// - Parameter milliseconds: The longest time to wait; -1 for any.
    /// - Returns: False if nothing came in that time, or a signal came.
    private static func wait(for event: Int32, of number: Int32, _ milliseconds: Int32) -> Bool {
        var item = pollfd(fd: number, events: Int16(event), revents: 0)
        return unsafe poll(&item, 1, milliseconds) > 0
    }

    /// Reads the byte at a place in a file; nil if there is none.
    package func byte(at place: Int) -> UInt8? {
        var byte: UInt8 = 0
        guard let place = off_t(exactly: place), unsafe pread(number, &byte, 1, place) == 1 else { return nil }
        return byte
    }

    /// Writes all of the bytes.
    package func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(SystemError) {
        try unsafe Self.write(bytes, to: number)
    }

    /// Writes all of the bytes to a descriptor, such as a standard stream.
    package static func write(_ bytes: UnsafeBufferPointer<UInt8>, to number: Int32) throws(SystemError) {
        var rest = unsafe bytes[...]
        while unsafe !rest.isEmpty {
            let step = unsafe Libc.write(number, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
            if step < 0, waitToRepeat(after: .last, number, for: POLLOUT) { continue }
            guard step >= 0 else { throw .last }
            unsafe rest = rest.dropFirst(step)
        }
    }

    /// Goes back to the first byte, for the next read or write.
    package func rewind() throws(SystemError) {
        guard lseek(number, 0, SEEK_SET) == 0 else { throw .last }
    }

    /// Flushes the file, or a folder's entries, to the disk. It is not an error if the file system cannot do it.
    package func synchronize() throws(SystemError) {
        guard fsync(number) != 0, !SystemError.noFlushErrors.contains(.last) else { return }
        throw .last
    }

    /// Flushes everything on the file system of a folder to the disk.
    ///
    /// - Returns: Whether this was done. If not, each file must be flushed, which shows the error.
    func synchronizeFileSystem() -> Bool { Libc.synchronizeFileSystem(number) }

    /// Sets the time of the last change, as the time since 1970. If that fails, it stays the time of the last write.
    package func setModified(_ time: Duration) {
        let (seconds, rest) = time.components
        let moment = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest / 1_000_000_000))
        _ = unsafe futimens(number, [moment, moment])
    }

    /// Gives the file to another group of the user. Returns whether it has it now.
    func setGroup(_ group: UInt32) -> Bool { fchown(number, uid_t.max, group) == 0 }

    /// Sets the permission bits of a file of this user. Only a file system without such bits refuses it, which is
    /// ignored.
    func setPermissions(_ bits: UInt32) { _ = fchmod(number, mode_t(truncatingIfNeeded: bits)) }

    /// Locks the file against all other descriptors, of this process too.
    ///
    /// - Returns: False if one of them has locked it, or a signal came.
    package func lock(isShared: Bool = false) throws(SystemError) -> Bool {
        guard flock(number, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 else { return true }
        let error = SystemError.last
        guard error == .wouldBlock || error == .interrupted else { throw error }
        return false
    }

    /// Ends the lock. Closing alone does not do so while a process that was just forked has the file open too.
    package func unlock() { flock(number, LOCK_UN) }
}

/// This process, as the system knows it.
package enum ThisProcess {
    /// Its number, which a fork of it does not share.
    package static var id: Int32 { getpid() }
    /// Its effective user.
    package static var user: UInt32 { geteuid() }
}

extension Descriptor {
    private static func call(
        _ from: Path, _ to: Path, _ body: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32
    ) throws(SystemError) {
        try SystemError.check(unsafe from.withCString { from in unsafe to.withCString { unsafe body(from, $0) } })
    }

    /// Gives a file in this folder another name in it, in place of a file that has it.
    func rename(_ from: Path, to: Path) throws(SystemError) {
        try unsafe Self.call(from, to) { unsafe renameat(number, $0, number, $1) }
    }

    /// Gives a file in this folder a second name in it, which must be free.
    func link(_ from: Path, to: Path) throws(SystemError) {
        try unsafe Self.call(from, to) { unsafe linkat(number, $0, number, $1, 0) }
    }

    /// Gives a name in this folder to a file that has none, through the link to it among the process's open files.
    func link(openFile from: Path, to: Path) throws(SystemError) {
        try unsafe Self.call(from, to) { unsafe linkat(AT_FDCWD, $0, number, $1, AT_SYMLINK_FOLLOW) }
    }

    /// Removes a file in this folder, if that is possible.
    func remove(_ name: Path) { try? Self.remove(name, in: self) }

    /// Removes a file, or an empty folder.
    static func remove(_ path: Path, isFolder: Bool = false, in folder: Descriptor? = nil) throws(SystemError) {
        try SystemError.check(
            withNumber(of: folder) { folder in
                unsafe path.withCString { unsafe unlinkat(folder, $0, isFolder ? AT_REMOVEDIR : 0) }
            })
    }

    /// Makes a folder, and flushes its name, so that files that are flushed in it later are not lost with it. It is no
    /// error if that flush fails: the folder above may be one that the user cannot read.
    ///
    /// - Parameter path: One name, if `folder` is given: only that folder is flushed.
    static func makeFolder(_ path: Path, in folder: Descriptor? = nil) throws(SystemError) {
        try SystemError.check(
            withNumber(of: folder) { folder in unsafe path.withCString { unsafe mkdirat(folder, $0, 0o777) } })
        if let folder {
            try? folder.synchronize()
        } else {
            try? Descriptor(path.parent, [.read, .folder]).synchronize()
        }
    }

    /// The names in a folder without `.` and `..`, in no order.
    func names() throws(SystemError) -> [Path] {
        // The copy belongs to the folder that is read, and is closed with it.
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        try SystemError.check(copy)
        guard let folder = unsafe fdopendir(copy) else {
            let error = SystemError.last
            close(copy)
            throw error
        }
        defer { unsafe closedir(folder) }
        unsafe rewinddir(folder)
        var names: [Path] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(folder) else {
                // The end, or an error: a folder that is read in part must not count as all of it.
                guard errno == 0 else { throw .last }
                return names
            }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            if name != Array(".".utf8), name != Array("..".utf8) { names.append(Path(bytes: name)) }
        }
    }

    /// Makes a file and removes its name, for a command that inherits it.
    package static func namelessFile(in folder: Path) throws(SystemError) -> Descriptor {
        var name = folder.appending(Path("patchpack-XXXXXX")).bytes.map(CChar.init(bitPattern:)) + [0]
        let number = unsafe mkstemp(&name)
        try SystemError.check(number)
        unsafe unlink(name)
        return Descriptor(owning: number)
    }
}

extension FileInfo {
    /// Asks the system about an open file; nil if that fails.
    package init?(_ descriptor: Descriptor) {
        var info = stat()
        let found = withExtendedLifetime(descriptor) { unsafe fstat(descriptor.number, &info) }
        guard found == 0 else { return nil }
        self.init(info)
    }

    /// Asks the system about a path; nil if nothing is there, or the system does not report it.
    ///
    /// - Parameters:
    ///   - following: Whether to follow a symbolic link instead of describing the link itself.
    ///   - folder: Where a relative path begins; nil is the current folder.
    package init?(_ path: Path, following: Bool, in folder: Descriptor? = nil) {
        var info = stat()
        let found = Descriptor.withNumber(of: folder) { folder in
            unsafe path.withCString { unsafe fstatat(folder, $0, &info, following ? 0 : AT_SYMLINK_NOFOLLOW) }
        }
        guard found == 0 else { return nil }
        self.init(info)
    }

    /// Asks the system about a path; nil only if nothing is there.
    ///
    /// - Parameter code: The code of the error.
    /// - Throws: `code` if the system does not report it, as with a failing disk, or in a folder of another user.
    package static func ifThere(
        _ path: Path, following: Bool = true, code: PatchError.Code = .io
    ) throws(PatchError) -> FileInfo? {
        if let info = FileInfo(path, following: following) { return info }
        let error = SystemError.last
        guard SystemError.absenceErrors.contains(error) else { throw .system(code, path, error) }
        return nil
    }

    private init(_ info: stat) {
        let kind = info.st_mode & S_IFMT
        isFolder = kind == S_IFDIR
        isRegular = kind == S_IFREG
        isLink = kind == S_IFLNK
        permissions = UInt32(info.st_mode & 0o7777)
        size = Int(clamping: info.st_size)
        owner = info.st_uid
        group = info.st_gid
        identity = Identity(
            device: UInt64(truncatingIfNeeded: info.st_dev), number: UInt64(truncatingIfNeeded: info.st_ino))
        isRemoved = info.st_nlink == 0
        let seconds = min(max(Int64(info.modified.tv_sec), -1 << 60), 1 << 60)
        modified = .seconds(seconds) + .nanoseconds(Int64(info.modified.tv_nsec))
    }
}

extension Path {
    /// The process's current folder; nil if the system does not report it.
    static var current: Path? {
        guard let folder = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(folder) }
        return unsafe Path(bytes: Array(UnsafeRawBufferPointer(start: folder, count: strlen(folder))))
    }

    /// The path from the root without links; nil if nothing is there, or the system does not report it.
    var withoutLinks: Path? {
        guard let place = unsafe withCString({ unsafe realpath($0, nil) }) else { return nil }
        defer { unsafe free(place) }
        return unsafe Path(bytes: Array(UnsafeRawBufferPointer(start: place, count: strlen(place))))
    }
}

/// Waits for a number of milliseconds.
func sleep(milliseconds: UInt16) { usleep(UInt32(milliseconds) * 1000) }
