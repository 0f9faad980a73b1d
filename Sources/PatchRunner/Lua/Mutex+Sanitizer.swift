internal import CLuaBridge
package import Synchronization

extension Mutex where Value: ~Copyable {
    /// `withLock`, so that the thread sanitizer sees it: it does not know what a mutex of the standard library waits on, and would
    /// report an app for what this library does under one.
    package borrowing func locked<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        // What tells this mutex from every other, and is not looked at.
        let address = unsafe withUnsafePointer(to: self) { unsafe UnsafeRawPointer($0) }
        return try withLock { (value) throws(Failure) -> sending Result in
            unsafe pp_lock_is_taken(address)
            defer { unsafe pp_lock_is_given_back(address) }
            return try body(&value)
        }
    }
}
