import Dispatch
import PatchCrypto
import Synchronization

/// Works on a command line's files, shows how far it is, and hands over the results in the files' order.
///
/// - Parameters:
///   - items: What is worked on.
///   - jobs: How many at a time.
///   - console: Where the progress is shown.
///   - words: What the last line calls those that went well and those that did not, if there are several.
///   - work: Called from several threads.
///   - show: Called on this thread with each result; gives the result's error.
/// - Returns: The exit status, which is that of the first item that failed.
func inOrder<Item: Sendable, Result: Sendable>(
    _ items: [Item], jobs: Int, on console: Console, words: (good: String, bad: String),
    work: @escaping @Sendable (Item) -> Result, show: (Result) throws(PatchError) -> PatchError?
) throws(PatchError) -> Int32 {
    var failure: PatchError?
    var tally = Tally()
    var done = 0
    console.progress(0, of: items.count)
    try inOrder(items, jobs: jobs, work: work) { (result) throws(PatchError) in
        let error = try show(result)
        failure = failure ?? error
        tally.add(error)
        done += 1
        console.progress(done, of: items.count)
    }
    if items.count != 1 { console.note(tally.text(words.good, words.bad)) }
    return failure?.code.exitStatus ?? 0
}

/// Works on several items at a time and hands over the results in the items' order.
///
/// - Parameters:
///   - items: What is worked on.
///   - jobs: How many at a time.
///   - work: Called from several threads.
///   - deliver: Called on this thread with each result; what it throws ends the work, without a wait for what is under way.
private func inOrder<Item: Sendable, Result: Sendable>(
    _ items: [Item], jobs: Int, work: @escaping @Sendable (Item) -> Result,
    deliver: (Result) throws(PatchError) -> Void
) throws(PatchError) {
    let jobs = min(jobs, items.count)
    guard jobs > 1 else {
        for item in items { try deliver(work(item)) }
        return
    }
    let results = OrderedResults<Result>(count: items.count, window: 2 * jobs)
    for _ in 0..<jobs {
        DispatchQueue.global().async {
            while let index = results.next() { results.put(work(items[index]), at: index) }
        }
    }
    for index in items.indices {
        do {
            try deliver(results.take(index))
        } catch {
            results.stop()
            throw error
        }
    }
}

/// The results that are ready and not yet handed over.
private final class OrderedResults<Result: Sendable>: Sendable {
    private let count: Int
    private let nextIndex = Atomic(0)
    private let ready = Mutex<[Int: Result]>([:])
    private let signals: [DispatchSemaphore]
    /// How far the work may run ahead of what is handed over: a slow first file must not fill the memory.
    private let window: DispatchSemaphore

    init(count: Int, window: Int) {
        self.count = count
        // Raised from 0: a semaphore must not end below the value that it began with.
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

    /// Lets no worker begin another item.
    func stop() { nextIndex.store(count, ordering: .relaxed) }

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

/// How many files to work on at a time.
enum Jobs {
    /// - Parameter defaultsToOne: Whether they work one after the other unless the option says otherwise.
    static func count(_ arguments: ParsedArguments, defaultsToOne: Bool = false) throws(PatchError) -> Int {
        try arguments.number(of: .jobs) ?? (defaultsToOne ? 1 : Resources.processorCount)
    }
}
