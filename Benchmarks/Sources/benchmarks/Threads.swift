import Foundation
import Synchronization

/// Threads that wait for work, so that making them is not measured.
final class Threads: Sendable {
    let count: Int
    private let work: [DispatchSemaphore]
    private let done = DispatchSemaphore(value: 0)
    private let body = Mutex<(@Sendable (Int) -> Void)?>(nil)

    /// Makes the threads. They last as long as the process.
    init(_ count: Int) {
        self.count = count
        work = (0..<count).map { _ in DispatchSemaphore(value: 0) }
        for thread in 0..<count {
            Thread.detachNewThread { [self] in
                while true {
                    work[thread].wait()
                    body.withLock { $0 }?(thread)
                    done.signal()
                }
            }
        }
    }

    /// Runs a body on all of them, and waits for all.
    func run(_ body: @escaping @Sendable (Int) -> Void) {
        self.body.withLock { $0 = body }
        for semaphore in work { semaphore.signal() }
        for _ in work { done.wait() }
    }
}
