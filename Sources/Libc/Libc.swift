// The system's C library under one name on every platform, the symbols that the platforms spell differently, and the
// time of day.

#if canImport(Glibc)
    @_exported import Glibc

    public typealias SpawnActions = posix_spawn_file_actions_t
    public typealias SpawnAttributes = posix_spawnattr_t
    public func makeSpawnActions() -> SpawnActions { unsafe SpawnActions() }
    public func makeSpawnAttributes() -> SpawnAttributes { SpawnAttributes() }
    /// The number of open files, as `getrlimit` names what it limits.
    public let openFilesLimit = Int32(RLIMIT_NOFILE.rawValue)

    /// `syncfs` and `fstatfs`, which the headers have for `_GNU_SOURCE` only; nil if the library has none, or if Linux
    /// is older than 5.8, whose `syncfs` reports no errors. The first word that `fstatfs` writes is the type, of
    /// which 32 bits count.
    private let functions:
        (flush: @convention(c) (Int32) -> Int32, type: @convention(c) (Int32, UnsafeMutablePointer<UInt>) -> Int32)? = {
            var system = utsname()
            guard unsafe uname(&system) == 0, let flush = unsafe dlsym(nil, "syncfs"),
                let type = unsafe dlsym(nil, "fstatfs")
            else { return nil }
            let release = unsafe withUnsafeBytes(of: system.release) { unsafe String(decoding: $0, as: UTF8.self) }
            let version = release.split(separator: ".").prefix(2).compactMap { Int($0.prefix { $0.isNumber }) }
            guard version.count == 2, (version[0], version[1]) >= (5, 8) else { return nil }
            return unsafe (
                unsafeBitCast(flush, to: (@convention(c) (Int32) -> Int32).self),
                unsafeBitCast(type, to: (@convention(c) (Int32, UnsafeMutablePointer<UInt>) -> Int32).self)
            )
        }()

    /// The file systems whose `syncfs` is as good as an `fsync` of each file: ext4, XFS, Btrfs, F2FS and tmpfs. Others,
    /// such as FUSE and overlays, may return before the bytes are on a disk, or without an error.
    private let flushedAsOne: Set<UInt> = [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x0102_1994]

    /// Flushes the file system of an open file to the disk.
    ///
    /// - Returns: Whether it was flushed. If not, each file must be.
    public func synchronizeFileSystem(_ file: Int32) -> Bool {
        guard let functions = unsafe functions else { return false }
        // More words than any `statfs` of Linux has.
        return unsafe withUnsafeTemporaryAllocation(of: UInt.self, capacity: 64) { words in
            guard let start = words.baseAddress, unsafe functions.type(file, start) == 0,
                unsafe flushedAsOne.contains(start.pointee & 0xFFFF_FFFF)
            else { return false }
            return unsafe functions.flush(file) == 0
        }
    }

    extension stat {
        public var modified: timespec { st_mtim }
    }
#else
    @_exported import Darwin

    public typealias SpawnActions = posix_spawn_file_actions_t?
    public typealias SpawnAttributes = posix_spawnattr_t?
    public func makeSpawnActions() -> SpawnActions { nil }
    public func makeSpawnAttributes() -> SpawnAttributes { nil }
    public let openFilesLimit = RLIMIT_NOFILE
    public func synchronizeFileSystem(_ file: Int32) -> Bool { false }

    extension stat {
        public var modified: timespec { st_mtimespec }
    }
#endif

/// The time of day of the system.
package enum WallClock {
    /// The milliseconds since 1970.
    package static var milliseconds: Int {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return now.tv_sec * 1000 + now.tv_nsec / 1_000_000
    }
}
