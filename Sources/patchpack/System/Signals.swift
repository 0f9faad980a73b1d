import Libc

/// The signals that end this process.
enum Signals {
    static let endings = [SIGINT, SIGTERM, SIGHUP]

    /// Ends this process as the default action of a signal does. A handler may call it.
    static func end(by number: Int32) {
        // The kernel has no default action for the first process of a container.
        if getpid() == 1 { _exit(128 + number) }
        signal(number, SIG_DFL)
        raise(number)
    }

    /// Lets signals end the first process of a container, as they end any other.
    static func endFirstProcess() {
        guard getpid() == 1 else { return }
        handle { Signals.end(by: $0) }
    }

    /// Sets the handler of the signals. One that the caller of this process ignores, as nohup does, stays ignored.
    static func handle(by handler: @escaping @convention(c) (Int32) -> Void) {
        for number in endings {
            let before = signal(number, handler)
            let wasIgnored = unsafe unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
            if wasIgnored { signal(number, SIG_IGN) }
        }
    }
}
