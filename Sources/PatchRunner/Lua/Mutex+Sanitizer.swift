internal import CLuaBridge
package import Synchronization

extension Mutex where Value: ~Copyable {
    /// Like `withLock`, but visible to the thread sanitizer. The sanitizer does not see the standard library's mutex,
    /// and would report this library's accesses under it as races in an app.
    package borrowing func locked<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        // Identifies this mutex. It is not read.
        let address = unsafe withUnsafePointer(to: self) { unsafe UnsafeRawPointer($0) }
        return try withLock { (value) throws(Failure) -> sending Result in
            unsafe pp_note_lock(address)
            defer { unsafe pp_note_unlock(address) }
            return try body(&value)
        }
    }
}
