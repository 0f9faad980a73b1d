import Dispatch
import PatchCrypto
import Synchronization

/// Runs asynchronous work to its end while the calling thread waits. The tool's verbs are synchronous.
func runBlocking<Value: Sendable>(
    meanwhile show: () -> Void = {},
    for work: @escaping @Sendable () async throws(PatchError) -> Value
) throws(PatchError) -> Value {
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
