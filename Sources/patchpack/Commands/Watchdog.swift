import Dispatch
import Synchronization

/// Acts if a spec's code goes on although its time limit has ended it: in a loop of C, a handler or a finalizer, no hook of Lua's runs.
final class Watchdog: Sendable {
    private let seconds: Int
    private let act: @Sendable () -> Void
    /// Seconds since the code began to run; nil while none runs.
    private let running = Mutex<Int?>(nil)
    nonisolated(unsafe) private let timer: any DispatchSourceTimer

    /// - Parameter act: Called once on another thread, while the code goes on.
    init(after seconds: Int, act: @escaping @Sendable () -> Void) {
        self.seconds = seconds
        self.act = act
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
        if isOverdue { act() }
    }
}
