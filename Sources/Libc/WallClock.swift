#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
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
