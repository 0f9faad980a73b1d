internal import Libc
internal import PatchCrypto
internal import PatchFiles

/// The right of one process to write the part of a device's folder that a version of the app has.
///
/// It is a lock of the folder of that part, which ends with the process. A fork of the process shares the lock, and
/// must neither use nor release it.
struct StoreLock {
    private let folder: StoreFolder
    /// Keeps other processes from writing; nil if this process does not write.
    private var lock: Descriptor?
    /// Signals to the processes that follow this one that it cannot write; nil while it can.
    private var writeFailureSignal: Descriptor?
    private var process = ThisProcess.id

    init(of folder: StoreFolder) { self.folder = folder }

    var isHeld: Bool { lock != nil }

    /// Whether the folder that is locked is still in its place.
    var isInPlace: Bool { lock.map(folder.isInPlace) ?? false }

    /// Makes the folder, and takes its lock, unless another process has it.
    ///
    /// - Throws: `io` if the folder cannot be made or locked.
    mutating func take() throws(PatchError) {
        try folder.make()
        lock = try Folder.lock(folder.path)
    }

    /// Forgets the lock, which another process may share.
    mutating func drop() {
        lock = nil
        writeFailureSignal = nil
    }

    /// Lets another process take the lock.
    mutating func release() {
        if process == ThisProcess.id {
            lock?.unlock()
            writeFailureSignal?.unlock()
        }
        drop()
    }

    /// Drops the locks that this process shares with the one that it was forked from.
    ///
    /// - Returns: Whether it was forked since the lock was made.
    mutating func noticeFork() -> Bool {
        guard process != ThisProcess.id else { return false }
        process = ThisProcess.id
        drop()
        return true
    }

    // MARK: a process that cannot write

    mutating func signalWriteFailure() {
        if writeFailureSignal == nil { writeFailureSignal = folder.signalWriteFailure() }
    }

    mutating func endWriteFailureSignal() {
        writeFailureSignal?.unlock()
        writeFailureSignal = nil
    }
}
