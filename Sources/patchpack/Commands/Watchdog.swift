#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif
import Dispatch
import PatchCrypto
import PatchRunner
import Synchronization

/// Ends the process if a spec's code goes on although its time limit has ended it: in a loop of C, a handler or a finalizer, no
/// hook of Lua's runs.
final class Watchdog: Sendable {
    private let spec: Path
    private let seconds: Int
    /// Seconds since the code began to run; nil while none runs.
    private let running = Mutex<Int?>(nil)
    nonisolated(unsafe) private let timer: any DispatchSourceTimer

    init(_ spec: Path, after seconds: Int) {
        self.spec = spec
        self.seconds = seconds
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
        guard isOverdue else { return }
        let text =
            "patchpack: error: \(escaped(spec.description)): it goes on after its time limit, where nothing of Lua can end it\n"
        _ = unsafe Array(text.utf8).withUnsafeBufferPointer { unsafe writeAll($0, to: 2) }
        _exit(PatchError.Code.script.exitStatus)
    }
}
