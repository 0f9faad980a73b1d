#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Threads for work that must not wait for one: libdispatch tries again without an end, and without a word, if the
/// system makes no thread, as under a limit of processes.
package enum Threads {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs a function on a thread of its own.
    ///
    /// - Returns: Whether the thread was made. If not, the function does not run.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let work = unsafe Unmanaged.passRetained(Work(body))
        #if canImport(Glibc)
            var thread = pthread_t()
        #else
            var thread: pthread_t?
        #endif
        let failure = unsafe pthread_create(
            &thread, nil,
            { context in
                let context: UnsafeMutableRawPointer? = unsafe context
                unsafe Unmanaged<Work>.fromOpaque(context.unsafelyUnwrapped).takeRetainedValue().body()
                return nil
            }, unsafe work.toOpaque())
        guard failure == 0 else {
            unsafe work.release()
            return false
        }
        #if canImport(Glibc)
            pthread_detach(thread)
        #else
            if let thread = unsafe thread { unsafe pthread_detach(thread) }
        #endif
        return true
    }
}
