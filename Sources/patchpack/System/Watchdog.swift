import Dispatch
import Libc
import Synchronization

/// Ends the process if a spec's code runs past its time limit.
///
/// Lua's hooks do not run in a C loop, a handler or a finalizer, so nothing else can end it.
final class Watchdog: Sendable {
    private let seconds: Int
    private let lastWords: @Sendable () -> Int32
    /// Seconds since the code began to run; nil while no code runs.
    private let running = Mutex<Int?>(nil)
    nonisolated(unsafe) private let timer: any DispatchSourceTimer

    /// - Parameter lastWords: Called on another thread while the code is still running. Returns the exit status.
    init(after seconds: Int, lastWords: @escaping @Sendable () -> Int32) {
        self.seconds = seconds
        self.lastWords = lastWords
        let timer = DispatchSource.makeTimerSource()
        unsafe self.timer = timer
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler { [weak self] in self?.look() }
        timer.resume()
    }

    func watch(_ runs: Bool) { running.withLock { $0 = runs ? 0 : nil } }

    func end() { unsafe timer.cancel() }

    private func look() {
        let isOverdue = running.withLock { running in
            running = running.map { $0 + 1 }
            return running.map { $0 > seconds } ?? false
        }
        if isOverdue { _exit(lastWords()) }
    }
}
