import Dispatch
import Libc
import PatchCrypto
import Synchronization

/// Checks that the system makes the threads that asynchronous work needs, which would otherwise wait for them without
/// an end.
///
/// - Throws: `unavailable` if it does not.
func needThreads() throws(PatchError) {
    // The work, the queue of a connection and the timer of a pause may need one each.
    let needed = 3
    let gate = DispatchSemaphore(value: 0)
    let made = (0..<needed).count { _ in Threads.start { gate.wait() } }
    for _ in 0..<made { gate.signal() }
    guard made == needed else {
        throw PatchError(
            .unavailable, "no thread can be made",
            hint: "raise the limit of processes: ulimit -u, or the pids limit of the container")
    }
}

/// Runs asynchronous work to its end while the calling thread waits. The tool's verbs are synchronous.
///
/// - Parameter show: Called on this thread about five times a second until the work has ended.
/// - Throws: The error of the work; `unavailable` if no thread can be made for it.
func runBlocking<Value: Sendable>(
    meanwhile show: () -> Void = {},
    for work: @escaping @Sendable () async throws(PatchError) -> Value
) throws(PatchError) -> Value {
    try needThreads()
    let done = DispatchSemaphore(value: 0)
    let box = Shared(Mutex<Result<Value, PatchError>?>(nil))
    Task.detached {
        do throws(PatchError) {
            let value = try await work()
            box.value.withLock { $0 = .success(value) }
        } catch {
            box.value.withLock { $0 = .failure(error) }
        }
        done.signal()
    }
    while done.wait(timeout: .now() + .milliseconds(200)) == .timedOut { show() }
    guard let result = box.value.withLock({ $0 }) else { throw PatchError(.internal, "no result") }
    return try result.get()
}

/// A lock or an atomic value that several closures use.
final class Shared<Value: ~Copyable & Sendable>: Sendable {
    let value: Value

    init(_ value: consuming Value) { self.value = value }
}
