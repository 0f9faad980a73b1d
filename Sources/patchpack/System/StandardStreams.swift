import Libc
import PatchCrypto
import PatchFiles
import Synchronization

enum StandardOutput {
    static var isTerminal: Bool { Terminal.isTerminal(1) }

    /// Whether its reader has closed the pipe, as `head` does.
    static let isBroken = Atomic(false)
    /// Whether something was written, or was to be.
    static let isUsed = Atomic(false)
    /// The file descriptor that output currently goes to.
    private static let diverted = Atomic(Int32(1))

    /// Writes bytes.
    ///
    /// - Throws: `io` if they cannot be written.
    static func write(_ bytes: [UInt8]) throws(PatchError) {
        let output = diverted.load(ordering: .relaxed)
        isUsed.store(true, ordering: .relaxed)
        do throws(SystemError) {
            try unsafe bytes.withUnsafeBufferPointer { bytes throws(SystemError) in
                try unsafe Descriptor.write(bytes, to: output)
            }
        } catch {
            if error == .brokenPipe { isBroken.store(true, ordering: .relaxed) }
            throw .system(.io, Path("standard output"), error)
        }
    }
}

extension StandardOutput {
    /// Runs work and sends its output to standard error, unless the process can open no more files.
    ///
    /// The output of a spec, or of a program that it starts, is not part of a report. What ``write(_:)`` writes
    /// meanwhile still goes to standard output.
    static func whileDiverted<Result>(_ body: () -> Result) -> Result {
        fflush(nil)
        let output = fcntl(1, F_DUPFD_CLOEXEC, 3)
        guard output >= 0 else { return body() }
        diverted.store(output, ordering: .relaxed)
        defer {
            fflush(nil)
            dup2(output, 1)
            diverted.store(1, ordering: .relaxed)
            close(output)
        }
        dup2(2, 1)
        return body()
    }
}

enum StandardError {
    /// Writes a string. A failure is ignored, because there is nowhere to report it.
    static func write(_ text: String) {
        unsafe Array(text.utf8).withUnsafeBufferPointer { try? unsafe Descriptor.write($0, to: 2) }
    }
}
