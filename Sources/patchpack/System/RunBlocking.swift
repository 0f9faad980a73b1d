import Dispatch
import Libc
import PatchCrypto
import Synchronization

/// Checks that the system makes the threads that asynchronous work needs, which would otherwise wait for them without an end.
///
/// - Throws: `unavailable` if it does not.
func needThreads() throws(PatchError) {
    let (needed, gate) = (3, DispatchSemaphore(value: 0))
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
/// - Throws: The error of the work; `unavailable` if no thread can be made for it.
func runBlocking<Value: Sendable>(
    meanwhile show: () -> Void = {},
    for work: @escaping @Sendable () async throws(PatchError) -> Value
) throws(PatchError) -> Value {
    try needThreads()
    let done = DispatchSemaphore(value: 0)
    let box = Box<Result<Value, PatchError>>()
    Task.detached {
        do throws(PatchError) {
            box.set(.success(try await work()))
        } catch {
            box.set(.failure(error))
        }
        done.signal()
    }
    while done.wait(timeout: .now() + .milliseconds(200)) == .timedOut { show() }
    guard let result = box.value else { throw PatchError(.internal, "no result") }
    return try result.get()
}

private final class Box<Value: Sendable>: Sendable {
    private let result = Mutex<Value?>(nil)

    func set(_ value: Value) { result.withLock { $0 = value } }
    var value: Value? { result.withLock { $0 } }
}
