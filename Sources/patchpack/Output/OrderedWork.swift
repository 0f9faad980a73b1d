import Dispatch
import Libc
import PatchCrypto
import Synchronization

/// Processes the files of a command line, shows the progress, and delivers the results in the order of the files.
///
/// At the end, a line counts the items that succeeded and that failed, unless there is exactly one item.
///
/// - Parameters:
///   - jobs: The most threads that work.
///   - most: How many items a thread gets at a time, at most.
///   - words: The words in the last line for items that succeeded and items that failed.
///   - work: Called from several threads, each time with some of the items. Returns a result for each of them.
///   - show: Called on this thread with each result; returns the result's error.
/// - Throws: What `show` throws, which ends the work.
func inOrder<Item: Sendable, Result: Sendable>(
    _ items: [Item], jobs: Int, atMost most: Int = 16, on console: Console, words: (good: String, bad: String),
    work: @escaping @Sendable ([Item]) -> [Result], show: (Result) throws(PatchError) -> PatchError?
) throws(PatchError) {
    var failed: [(verdict: String, count: Int)] = []
    var done = 0
    console.progress(0, of: items.count)
    try deliverInOrder(items, jobs: jobs, atMost: most, work: work) { (result) throws(PatchError) in
        let error = try show(result)
        console.fail(error?.code)
        if let verdict = error?.code.description {
            let index = failed.firstIndex { $0.verdict == verdict } ?? failed.endIndex
            if index == failed.endIndex { failed.append((verdict, 0)) }
            failed[index].count += 1
        }
        done += 1
        console.progress(done, of: items.count)
    }
    guard items.count != 1 else { return }
    let bad = failed.reduce(0) { $0 + $1.count }
    let kinds = failed.sorted { $0.count > $1.count }.map { "\($0.count) \($0.verdict)" }.joined(separator: ", ")
    console.note("\(done - bad) \(words.good)" + (bad == 0 ? "" : ", \(bad) \(words.bad): \(kinds)"))
}

/// Processes several items at a time and delivers the results in the order of the items.
///
/// - Parameters:
///   - jobs: The most threads that work.
///   - most: How many items a thread gets at a time, at most. It gets several because waking another thread takes as
///     long as verifying a small file.
///   - work: Called from several threads, each time with some of the items. Returns a result for each of them.
///   - deliver: Called on this thread with each result. An error ends the work, without waiting for items in progress.
func deliverInOrder<Item: Sendable, Result: Sendable>(
    _ items: [Item], jobs: Int, atMost most: Int = 16, work: @escaping @Sendable ([Item]) -> [Result],
    deliver: (Result) throws(PatchError) -> Void
) throws(PatchError) {
    let jobs = max(1, min(jobs, items.count))
    // Eight parts for each thread, if there are enough items, so that none waits long for the last one.
    let size = max(1, min(most, items.count / (8 * jobs)))
    let parts = stride(from: 0, to: items.count, by: size).map { Array(items[$0..<min($0 + size, items.count)]) }
    let queue = WorkQueue<[Result]>(count: parts.count, window: 2 * jobs)
    let run: @Sendable () -> Void = {
        while let index = queue.next() {
            queue.put(work(parts[index]), at: index)
        }
    }
    let threads = jobs > 1 ? (0..<jobs).count { _ in Threads.start(run) } : 0
    defer { queue.stop() }
    for index in parts.indices {
        // Without another thread, as under a limit of processes, this one works.
        let results = threads > 0 ? queue.take(index) : work(parts[index])
        for result in results { try deliver(result) }
    }
}

/// The results that are ready but not yet delivered. One thread takes them.
private final class WorkQueue<Result: Sendable>: Sendable {
    private let count: Int
    private let position = Atomic(0)
    private let ready = Mutex<[Int: Result]>([:])
    private let arrived = DispatchSemaphore(value: 0)
    /// Limits how far the work may run ahead of delivery, so that a slow first file does not fill memory.
    private let window = DispatchSemaphore(value: 0)

    init(count: Int, window: Int) {
        self.count = count
        // Raised from 0, because a semaphore's value must not be lower at its end than at its start.
        for _ in 0..<window { self.window.signal() }
    }

    /// Takes the next part, once there is room for its results; nil if there is no part.
    func next() -> Int? {
        window.wait()
        let index = position.wrappingAdd(1, ordering: .relaxed).oldValue
        return index < count ? index : nil
    }

    /// Gives out no more parts.
    func stop() { position.store(count, ordering: .relaxed) }

    /// Adds the results of a part.
    func put(_ result: Result, at index: Int) {
        ready.withLock { $0[index] = result }
        arrived.signal()
    }

    /// Waits for the results of a part, and takes them.
    func take(_ index: Int) -> Result {
        while true {
            if let result = ready.withLock({ $0.removeValue(forKey: index) }) {
                window.signal()
                return result
            }
            arrived.wait()
        }
    }
}
