#if canImport(Glibc)
    import Glibc
#endif
import Foundation
import PatchRunner
import Synchronization
import TestSupport
import Testing

/// Runs jobs at once, as the executors of some apps do.
final class AtOnce: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        unsafe UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    }
}

/// `T.slow`, whose original waits until the original of `T.outer` is called, and then continues within that call and on
/// its thread.
final class CallWithinCall: Sendable {
    private let waiting: Waiting
    private let slow: Replaceable<nonisolated(nonsending) @Sendable (Int) async -> Int>
    let outer: Replaceable<@Sendable (Int) -> Int>

    private final class Waiting: Sendable {
        let continuation = Mutex<CheckedContinuation<Void, Never>?>(nil)
    }

    init(in registry: PatchRegistry) throws {
        let waiting = Waiting()
        self.waiting = waiting
        slow = try registry.replaceable("T.slow") { (x: Int) async -> Int in
            await withCheckedContinuation { continuation in waiting.continuation.locked { $0 = continuation } }
            return x
        }
        outer = try registry.replaceable("T.outer") { (x: Int) -> Int in
            waiting.continuation.locked { $0.take() }?.resume()
            return x
        }
    }

    /// Calls `T.slow`, and returns when it waits.
    func begin(_ x: Int) async throws -> Task<Int, Never> {
        let task = Task(executorPreference: AtOnce()) { [slow] in await slow(x) }
        while waiting.continuation.locked({ $0 == nil }) { try await Task.sleep(for: .milliseconds(1)) }
        return task
    }
}

/// Lets a test hold a function at a certain place.
final class Rendezvous: Sendable {
    private let arrived = AsyncStream<Void>.makeStream()
    private let released = AsyncStream<Void>.makeStream()

    func wait() async {
        arrived.continuation.yield()
        for await _ in released.stream { return }
    }
    func arrival() async { for await _ in arrived.stream { return } }
    func release() { released.continuation.yield() }
}

/// Counts calls from any thread.
final class Counter: Sendable {
    private let value = Atomic(0)
    func add() { value.add(1, ordering: .relaxed) }
    var count: Int { value.load(ordering: .relaxed) }
}

/// Runs a body on a new thread, and returns its result.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { done in
        Thread.detachNewThread { done.resume(returning: body()) }
    }
}

/// Runs a body on new threads, with the number of each, and waits for all of them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    await withTaskGroup(of: Void.self) { group in
        for thread in 0..<count { group.addTask { await onThread { body(thread) } } }
    }
}

private final class ThreadWork {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
}

/// Runs a body on a thread with a stack of exactly this many kilobytes. A `Thread` may get the stack of an earlier
/// thread.
///
/// - Returns: nil only with a sanitizer, whose own memory for a thread may be larger than the stack.
func onStack<Value>(ofKilobytes kilobytes: Int, _ body: @escaping () -> Value) -> Value? {
    var value: Value?
    let size = kilobytes * 1024
    let stack = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 1 << 16)
    defer { unsafe stack.deallocate() }
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    unsafe pthread_attr_init(attributes)
    defer {
        unsafe pthread_attr_destroy(attributes)
        unsafe attributes.deallocate()
    }
    let isSet = unsafe pthread_attr_setstack(attributes, stack, size) == 0
    let work = unsafe Unmanaged.passRetained(ThreadWork { value = body() }).toOpaque()
    var thread = pthread_t()
    let started = unsafe pthread_create(
        &thread, attributes,
        { context in
            if let context = unsafe context {
                unsafe Unmanaged<ThreadWork>.fromOpaque(context).takeRetainedValue().body()
            }
            return nil
        }, work)
    guard started == 0 else {
        unsafe Unmanaged<ThreadWork>.fromOpaque(work).release()
        #expect(isSanitized, "no thread with a stack of \(kilobytes) KiB")
        return nil
    }
    pthread_join(thread, nil)
    #expect(isSet, "the stack has not \(kilobytes) KiB")
    return value
}
