// The system's C library, by one name on every platform, and what the platforms spell differently.

#if canImport(Glibc)
    @_exported import Glibc

    public typealias SpawnActions = posix_spawn_file_actions_t
    public typealias SpawnAttributes = posix_spawnattr_t
    public func makeSpawnActions() -> SpawnActions { unsafe SpawnActions() }
    public func makeSpawnAttributes() -> SpawnAttributes { SpawnAttributes() }
    public let openFilesLimit = Int32(RLIMIT_NOFILE.rawValue)

    /// `syncfs`, which the headers have for `_GNU_SOURCE` only; nil if the library has none.
    public let synchronizeFileSystem: (@convention(c) (Int32) -> Int32)? = {
        guard let function = unsafe dlsym(nil, "syncfs") else { return nil }
        return unsafe unsafeBitCast(function, to: (@convention(c) (Int32) -> Int32).self)
    }()

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
    public let synchronizeFileSystem: (@convention(c) (Int32) -> Int32)? = nil

    extension stat {
        public var modified: timespec { st_mtimespec }
    }
#endif
