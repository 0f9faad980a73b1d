// The system's C library, by one name on every platform, and what the platforms spell differently.

#if canImport(Glibc)
    @_exported import Glibc

    public typealias SpawnActions = posix_spawn_file_actions_t
    public typealias SpawnAttributes = posix_spawnattr_t
    public func makeSpawnActions() -> SpawnActions { unsafe SpawnActions() }
    public func makeSpawnAttributes() -> SpawnAttributes { SpawnAttributes() }
    public let openFilesLimit = Int32(RLIMIT_NOFILE.rawValue)

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

    extension stat {
        public var modified: timespec { st_mtimespec }
    }
#endif
