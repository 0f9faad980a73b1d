#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif
import Synchronization

/// A command of the shell that runs, and that ends with this process.
struct ShellCommand {
    private let process: pid_t
    private let output: Int32

    /// Starts a command; nil if that fails.
    init?(_ line: String) {
        Self.endChildrenWithThisProcess()
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        ends.forEach { _ = fcntl($0, F_SETFD, FD_CLOEXEC) }
        #if canImport(Glibc)
            var actions = unsafe posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #else
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        // A command that a person is asked by has to stay in the terminal's group; any other has a group of its own, so that all of it
        // can be ended.
        let hasGroup = isatty(0) != 1
        if hasGroup { unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP)) }
        var child: pid_t = 0
        let texts = ["sh", "-c", line]
        let words = unsafe texts.map { (text: String) in unsafe strdup(text) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        let failure = unsafe posix_spawn(&child, "/bin/sh", &actions, &attributes, words, environ)
        close(ends[1])
        guard failure == 0 else {
            close(ends[0])
            return nil
        }
        process = child
        output = ends[0]
        Self.note(hasGroup ? -child : child, inPlaceOf: 0)
    }

    /// What it writes, up to so many bytes.
    func output(atMost limit: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            while count < limit {
                let step = unsafe read(
                    output, UnsafeMutableBufferPointer(rebasing: buffer[count...]).baseAddress, limit - count)
                if step < 0, errno == EINTR { continue }
                if step <= 0 { return }
                count += step
            }
        }
    }

    /// Lets go of its output and waits for its end; its status as `wait` has it.
    func wait() -> Int32 {
        close(output)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        Self.note(0, inPlaceOf: process)
        return status
    }

    // MARK: what runs

    /// The processes that run, or their groups as negative numbers; 0 for a free place. A handler of signals reads it.
    private static let running = Places()

    private final class Places: Sendable {
        let first = Atomic(Int32(0)), second = Atomic(Int32(0)), third = Atomic(Int32(0)), fourth = Atomic(Int32(0))
        let isHandled = Atomic(false)
    }

    private static func note(_ number: pid_t, inPlaceOf old: pid_t) {
        func replace(_ place: borrowing Atomic<Int32>) -> Bool {
            for before in old == 0 ? [0] : [old, -old]
            where place.compareExchange(expected: before, desired: number, ordering: .relaxed).exchanged { return true }
            return false
        }
        // Of more than four at a time, the others end by themselves.
        _ = replace(running.first) || replace(running.second) || replace(running.third) || replace(running.fourth)
    }

    /// A signal that ends this process ends its commands too.
    private static func endChildrenWithThisProcess() {
        guard !running.isHandled.exchange(true, ordering: .relaxed) else { return }
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let before = signal(number) { number in
                // Nothing here may take memory.
                ShellCommand.end(ShellCommand.running.first.load(ordering: .relaxed))
                ShellCommand.end(ShellCommand.running.second.load(ordering: .relaxed))
                ShellCommand.end(ShellCommand.running.third.load(ordering: .relaxed))
                ShellCommand.end(ShellCommand.running.fourth.load(ordering: .relaxed))
                signal(number, SIG_DFL)
                raise(number)
            }
            // What the caller has chosen not to hear of, as nohup does, stays so.
            let wasIgnored = unsafe unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
            if wasIgnored { signal(number, SIG_IGN) }
        }
    }

    private static func end(_ child: pid_t) { if child != 0 { kill(child, SIGTERM) } }
}
