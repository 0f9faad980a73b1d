import Libc
import PatchFiles
import Synchronization

/// A running shell command. A signal that ends this process ends the command too.
final class ShellCommand {
    private let process: pid_t
    /// Whether it has a process group of its own.
    private let hasGroup: Bool
    /// The pipe that its output comes from; nil once it is closed.
    private var output: Descriptor?
    /// Its status, in the form of `wait`; nil if it is not known to have ended.
    private var status: Int32?

    /// Starts a command without the variables that hold secrets; returns nil if that fails.
    ///
    /// - Parameters:
    ///   - words: The values of `$0`, `$1` and so on in the line. They need no quoting.
    ///   - kept: The variables with secrets that the command needs.
    static func start(_ line: String, _ words: [[UInt8]] = [], keeping kept: Set<[UInt8]> = []) -> ShellCommand? {
        endChildrenWithThisProcess()
        // The handler of a signal waits until a new child is noted. It must not run in the thread that it waits for.
        var (mask, before) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&mask)
        for number in Signals.endings { unsafe sigaddset(&mask, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &mask, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        // A thread of Dispatch blocks signals, which the command must not inherit.
        var ofChild = before
        for number in Signals.endings { unsafe sigdelset(&ofChild, number) }
        // No command of another job may inherit this pipe, because it would keep the reader waiting.
        return changes.withLock { _ in
            isStarting.store(true, ordering: .sequentiallyConsistent)
            defer { isStarting.store(false, ordering: .sequentiallyConsistent) }
            guard !isEnding.load(ordering: .sequentiallyConsistent), let child = spawn(line, words, kept, &ofChild)
            else { return nil }
            note(child.hasGroup ? -child.process : child.process, inPlaceOf: 0)
            return child
        }
    }

    private init(process: pid_t, output: Descriptor, hasGroup: Bool) {
        self.process = process
        self.output = output
        self.hasGroup = hasGroup
    }

    /// - Parameter signals: The signals that the command blocks.
    private static func spawn(
        _ line: String, _ words: [[UInt8]], _ kept: Set<[UInt8]>, _ signals: inout sigset_t
    ) -> ShellCommand? {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        ends.forEach { _ = fcntl($0, F_SETFD, FD_CLOEXEC) }
        let output = Descriptor(owning: ends[0])
        var actions = unsafe makeSpawnActions()
        var attributes = makeSpawnAttributes()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        // A command may ask a question on the terminal. To do that, it must stay in the process group of its parent.
        // Without a terminal it gets its own group, so that all of its processes can be ended.
        let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC)
        if terminal >= 0 { close(terminal) }
        let hasGroup = terminal < 0
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        // This process ignores them, and a command would go on writing into a pipe that nobody reads.
        var defaults = sigset_t()
        unsafe sigemptyset(&defaults)
        for number in [SIGPIPE, SIGXFSZ] { unsafe sigaddset(&defaults, number) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (hasGroup ? POSIX_SPAWN_SETPGROUP : 0)
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        var child: pid_t = 0
        let texts = ["sh", "-c", line].map { Array($0.utf8) } + words
        let words = unsafe texts.map { text in
            unsafe (text + [0]).withUnsafeBytes { bytes in
                unsafe bytes.bindMemory(to: CChar.self).baseAddress.flatMap { unsafe strdup($0) }
            }
        }
        defer { unsafe words.forEach { unsafe free($0) } }
        let variables = unsafe Environment.entriesForCommands(keeping: kept).map(Optional.some) + [nil]
        let failure = unsafe posix_spawn(&child, "/bin/sh", &actions, &attributes, words + [nil], variables)
        close(ends[1])
        return failure == 0 ? ShellCommand(process: child, output: output, hasGroup: hasGroup) : nil
    }

    /// Reads the output that the command writes until it ends, up to `limit` bytes.
    ///
    /// A process that the command leaves in the background, such as an agent of a card, may keep the pipe open for
    /// ever. So the end of the command is looked for, too, every 50 milliseconds.
    func output(atMost limit: Int) -> [UInt8] {
        guard let output else { return [] }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: min(limit, 1 << 16))
        while bytes.count < limit {
            let hasEnded = endedStatus(waiting: false) != nil
            guard output.hasInput(within: hasEnded ? 0 : 50) else {
                if hasEnded { break }
                continue
            }
            let count = unsafe part.withUnsafeMutableBytes { (try? unsafe output.readSome(into: $0)) ?? 0 }
            guard count > 0 else { break }
            bytes += part.prefix(min(count, limit - bytes.count))
        }
        return bytes
    }

    /// Closes the command's output, and waits for the command to end. A command that is still writing then ends.
    ///
    /// - Returns: Its status, in the form of `wait`: the signal that ended it in the lowest seven bits, or if they are
    ///   0, its exit status in the second byte.
    func wait() -> Int32 {
        output = nil
        while true {
            if let status = endedStatus(waiting: true) { return status }
        }
    }

    /// Waits for the command to end, and ends it if it takes longer than some seconds.
    ///
    /// - Returns: Its status, in the form of `wait`; nil if it was ended.
    func wait(atMost seconds: Int) -> Int32? {
        output = nil
        defer { Self.forget(process) }
        if let status = status(within: seconds) { return status }
        for number in [SIGTERM, SIGKILL] {
            kill(hasGroup ? -process : process, number)
            if status(within: 5) != nil { break }
        }
        return nil
    }

    /// The status of the command once it has ended; nil if it has not after some seconds.
    private func status(within seconds: Int) -> Int32? {
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            if let status = endedStatus(waiting: false) { return status }
            guard ContinuousClock.now < end else { return nil }
            usleep(10_000)
        }
    }

    /// The status of the command if it has ended; that of a shell that could not run it if no one knows its status.
    private func endedStatus(waiting: Bool) -> Int32? {
        if let status { return status }
        var word: Int32 = 0
        let ended = unsafe waitpid(process, &word, waiting ? 0 : WNOHANG)
        if ended > 0 {
            status = word
        } else if ended < 0, errno != EINTR {
            status = 127 << 8
        }
        // Another process may get its number.
        if status != nil { Self.forget(process) }
        return status
    }

    // MARK: running commands

    /// The running processes, or their groups as negative numbers; 0 is a free place. A signal handler reads it.
    nonisolated(unsafe) private static let running = {
        let places = UnsafeMutablePointer<pid_t>.allocate(capacity: mostRunning)
        unsafe places.initialize(repeating: 0, count: mostRunning)
        return unsafe places
    }()
    /// The most commands that a signal ends. Commands above that number end on their own.
    private static let mostRunning = 64
    private static let changes = Mutex(())
    private static let isHandled = Atomic(false)
    /// Whether a command is being started that is not among the running ones yet.
    private static let isStarting = Atomic(false)
    /// Whether a signal ends this process, so that no command may start.
    private static let isEnding = Atomic(false)

    /// Notes a process or its group in the place of another one, or in a free place, which has 0.
    private static func note(_ number: pid_t, inPlaceOf old: pid_t) {
        let place = (0..<mostRunning).first { unsafe running[$0] == old || (old != 0 && running[$0] == -old) }
        if let place { unsafe running[place] = number }
    }

    private static func forget(_ process: pid_t) { changes.withLock { _ in note(0, inPlaceOf: process) } }

    /// Installs handlers, so that a signal that ends this process ends its commands too.
    private static func endChildrenWithThisProcess() {
        guard !isHandled.exchange(true, ordering: .relaxed) else { return }
        // A caller that ignores it would leave no status to wait for.
        signal(SIGCHLD, SIG_DFL)
        Signals.handle { number in
            // A signal handler must not allocate memory or take a lock.
            ShellCommand.isEnding.store(true, ordering: .sequentiallyConsistent)
            while ShellCommand.isStarting.load(ordering: .sequentiallyConsistent) { usleep(1000) }
            var place = 0
            while place < ShellCommand.mostRunning {
                let child = unsafe ShellCommand.running[place]
                if child != 0 { kill(child, SIGTERM) }
                place += 1
            }
            Signals.end(by: number)
        }
    }
}
