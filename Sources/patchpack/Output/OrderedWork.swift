import Dispatch
import Libc
import PatchCrypto
import Synchronization

/// Processes the files of a command line, shows the progress, and delivers the results in the order of the files.
///
/// - Parameters:
///   - words: The words in the last line for items that succeeded and items that failed.
///   - work: Called from several threads.
///   - show: Called on this thread with each result; returns the result's error.
/// - Returns: The exit status of the first item that failed; 0 if none did.
func inOrder<Item: Sendable, Result: Sendable>(
    _ items: [Item], jobs: Int, on console: Console, words: (good: String, bad: String),
    work: @escaping @Sendable (Item) -> Result, show: (Result) throws(PatchError) -> PatchError?
) throws(PatchError) -> Int32 {
    try inOrder(items, jobs: jobs, atMost: 16, on: console, words: words, workTogether: { $0.map(work) }, show: show)
}

/// The same for items that are processed several at a time by one thread.
///
/// - Parameter most: How many items a thread gets at a time.
func inOrder<Item: Sendable, Result: Sendable>(
    _ items: [Item], jobs: Int, atMost most: Int, on console: Console, words: (good: String, bad: String),
    workTogether: @escaping @Sendable ([Item]) -> [Result], show: (Result) throws(PatchError) -> PatchError?
) throws(PatchError) -> Int32 {
    var failure: PatchError?
    var tally = Tally()
    var done = 0
    console.progress(0, of: items.count)
    try deliverInOrder(items, jobs: jobs, atMost: most, workTogether: workTogether) { (result) throws(PatchError) in
        let error = try show(result)
        failure = failure ?? error
        tally.add(error)
        done += 1
        console.progress(done, of: items.count)
    }
    if items.count != 1 { console.note(tally.text(words.good, words.bad)) }
    return failure?.code.exitStatus ?? 0
}

/// Processes several items at a time and delivers the results in the order of the items.
///
/// - Parameters:
///   - work: Called from several threads.
///   - deliver: Called on this thread with each result. An error ends the work, without waiting for items in progress.
func deliverInOrder<Item: Sendable, Result: Sendable>(
    _ items: [Item], jobs: Int, work: @escaping @Sendable (Item) -> Result,
    deliver: (Result) throws(PatchError) -> Void
) throws(PatchError) {
    try deliverInOrder(items, jobs: jobs, atMost: 16, workTogether: { $0.map(work) }, deliver: deliver)
}

/// The same for items that are processed several at a time by one thread.
///
/// - Parameter most: How many items a thread gets at a time.
private func deliverInOrder<Item: Sendable, Result: Sendable>(
    _ items: [Item], jobs: Int, atMost most: Int, workTogether: @escaping @Sendable ([Item]) -> [Result],
    deliver: (Result) throws(PatchError) -> Void
) throws(PatchError) {
    let jobs = min(jobs, items.count)
    // A thread takes several of many items at a time, because waking another thread takes as long as verifying a small file.
    let size = max(1, min(most, items.count / (8 * max(1, jobs))))
    let parts = stride(from: 0, to: items.count, by: size).map { $0..<min($0 + size, items.count) }
    let results = OrderedResults<[Result]>(count: parts.count, window: 2 * jobs)
    let work: @Sendable () -> Void = {
        while let index = results.next() {
            results.put(results.isStopped ? [] : workTogether(Array(items[parts[index]])), at: index)
        }
    }
    // Without another thread, as under a limit of processes, this one works.
    guard jobs > 1, (0..<jobs).count(where: { _ in Threads.start(work) }) > 0 else {
        for part in parts {
            for result in workTogether(Array(items[part])) { try deliver(result) }
        }
        return
    }
    for index in parts.indices {
        do {
            for result in results.take(index) { try deliver(result) }
        } catch {
            results.stop()
            throw error
        }
    }
}

/// The results that are ready but not yet delivered.
private final class OrderedResults<Result: Sendable>: Sendable {
    private let count: Int
    private let nextIndex = Atomic(0)
    private let stopped = Atomic(false)
    private let ready = Mutex<[Int: Result]>([:])
    private let signals: [DispatchSemaphore]
    /// Limits how far the work may run ahead of delivery, so that a slow first file does not fill memory.
    private let window: DispatchSemaphore

    init(count: Int, window: Int) {
        self.count = count
        // Raised from 0, because a semaphore's value must not be lower at its end than at its start.
        self.window = DispatchSemaphore(value: 0)
        for _ in 0..<window { self.window.signal() }
        signals = (0..<count).map { _ in DispatchSemaphore(value: 0) }
    }

    /// The next item to work on.
    func next() -> Int? {
        window.wait()
        let index = nextIndex.wrappingAdd(1, ordering: .relaxed).oldValue
        return index < count ? index : nil
    }

    /// Keeps the workers from starting another item.
    func stop() {
        stopped.store(true, ordering: .relaxed)
        nextIndex.store(count, ordering: .relaxed)
    }

    /// Whether the results are no longer wanted.
    var isStopped: Bool { stopped.load(ordering: .relaxed) }

    func put(_ result: Result, at index: Int) {
        ready.withLock { $0[index] = result }
        signals[index].signal()
    }

    /// Waits for an item's result.
    func take(_ index: Int) -> Result {
        while true {
            signals[index].wait()
            if let result = ready.withLock({ $0.removeValue(forKey: index) }) {
                window.signal()
                return result
            }
        }
    }
}
