import Foundation
public import Testing

/// Runs each test on separate threads, so that a test may block one with a semaphore, a sleep, or until a program has
/// ended.
///
/// Swift's concurrency has as many threads as the machine has cores. A test that blocks one of two takes half of the
/// machine from all other tests. If it waits for work that needs such a thread, the run hangs.
///
/// A test that takes too long ends the run, and the names of all tests that have begun are printed. The time of each
/// case is written to the file in `PATCHPACK_TEST_TIMES`.
public struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    public var isRecursive: Bool { true }
    let isLong: Bool

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        if !isLong { await Gate.tests.enter() }
        defer { if !isLong { Gate.tests.leave() } }
        let number = Watchdog.shared.begin("\(test.id)")
        defer { Watchdog.shared.end(number) }
        try await withTaskExecutorPreference(ThreadPool.tests) { try await function() }
    }

    /// Runs code that may block its thread on a thread of the tests, such as the check of a trait.
    public static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await Task(executorPreference: ThreadPool.tests) { body() }.value
    }

    /// Ends the process if the calling task would block a thread of Swift's concurrency.
    public static func areRequired() {
        unsafe withUnsafeCurrentTask { task in
            guard let task = unsafe task else { return }
            let isOwn = unsafe task.unownedTaskExecutor != nil
            precondition(isOwn, "this blocks a thread of Swift's concurrency: give the test the trait .ownThreads")
        }
    }
}

extension Trait where Self == OwnThreads {
    /// Runs each test on separate threads. Every suite has it, which `make lint` checks.
    public static var ownThreads: Self { Self(isLong: false) }

    /// The same for tests that take so long that they begin at once, beside all others.
    public static var ownThreadsAtOnce: Self { Self(isLong: true) }
}

/// Limits how many tests run at a time. Its lock is one that the thread sanitizer knows.
private final class Gate: Sendable {
    static let tests = Gate(3 * ProcessInfo.processInfo.activeProcessorCount)

    private let lock = NSLock()
    nonisolated(unsafe) private var free: Int
    nonisolated(unsafe) private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { unsafe free = count }

    func enter() async {
        await withCheckedContinuation { continuation in
            let mayEnter = lock.withLock {
                if unsafe free == 0 {
                    unsafe waiting.append(continuation)
                    return false
                }
                unsafe free -= 1
                return true
            }
            if mayEnter { continuation.resume() }
        }
    }

    func leave() {
        let next: CheckedContinuation<Void, Never>? = lock.withLock {
            guard unsafe waiting.isEmpty else { return unsafe waiting.removeFirst() }
            unsafe free += 1
            return nil
        }
        next?.resume()
    }
}

/// Threads that run jobs. A new one is started if a job finds none free.
public final class ThreadPool: TaskExecutor {
    /// The threads of the tests.
    static let tests = ThreadPool(threads: 64)

    private let limit: Int
    private let condition = NSCondition()
    nonisolated(unsafe) private var jobs: [UnownedJob] = []
    /// The number of the first waiting job. Earlier jobs have been taken.
    nonisolated(unsafe) private var first = 0
    nonisolated(unsafe) private var idle = 0
    nonisolated(unsafe) private var threads = 0

    /// - Parameter limit: The most threads that it starts.
    public init(threads limit: Int) { self.limit = limit }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock {
            unsafe jobs.append(job)
            if unsafe idle < jobs.count - first, unsafe threads < limit {
                unsafe threads += 1
                Thread.detachNewThread { [self] in run() }
            }
            condition.signal()
        }
    }

    private func run() -> Never {
        while true {
            let job = condition.withLock {
                unsafe idle += 1
                while unsafe first == jobs.count { condition.wait() }
                unsafe idle -= 1
                defer {
                    unsafe first += 1
                    if unsafe first == jobs.count {
                        unsafe first = 0
                        unsafe jobs = []
                    }
                }
                return unsafe jobs[first]
            }
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// Ends a run that hangs.
private final class Watchdog: Sendable {
    static let shared = Watchdog()

    /// Long tests take minutes alone, and many run at once beside another step. They have an hour
    /// (scripts/ci/steps.mk).
    private let limit: Duration = .seconds(60 * (testsMayBeLong ? 50 : isSanitized ? 30 : 10))
    private let times: FileHandle? = ProcessInfo.processInfo.environment["PATCHPACK_TEST_TIMES"].flatMap { path in
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        return FileHandle(forWritingAtPath: path)
    }
    private let lock = NSLock()
    nonisolated(unsafe) private var running: [Int: (name: String, start: ContinuousClock.Instant)] = [:]
    nonisolated(unsafe) private var count = 0

    private init() {
        Thread.detachNewThread { [self] in
            while true {
                sleep(5)
                look()
            }
        }
    }

    /// Notes that a test begins. Returns the number with which it ends.
    func begin(_ name: String) -> Int {
        lock.withLock {
            unsafe count += 1
            unsafe running[count] = (name, .now)
            return unsafe count
        }
    }

    func end(_ number: Int) {
        let ended = lock.withLock { unsafe running.removeValue(forKey: number) }
        guard let times, let ended else { return }
        let milliseconds = Int((ContinuousClock.now - ended.start) / .milliseconds(1))
        times.write(Data("\(milliseconds) \(ended.name)\n".utf8))
    }

    /// Ends the process if a test has run for too long.
    private func look() {
        let running = lock.withLock { unsafe Array(self.running.values) }.sorted { $0.start < $1.start }
        guard let first = running.first, ContinuousClock.now - first.start > limit else { return }
        let names = running.map { "  \($0.name), \((ContinuousClock.now - $0.start).components.seconds) s\n" }.joined()
        let text = " error: a test has run for more than \(limit). These have begun and not ended:\n\(names)"
        FileHandle.standardError.write(Data(text.utf8))
        _exit(1)
    }
}
