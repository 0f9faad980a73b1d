import Libc

enum Resources {
    static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    static func allowManyOpenFiles() {
        var limit = rlimit()
        guard unsafe getrlimit(openFilesLimit, &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 1 << 16)
        unsafe setrlimit(openFilesLimit, &limit)
    }
}
