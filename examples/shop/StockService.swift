import PatchRunner
import Synchronization

/// Knows how many of each item are in stock. Its objects can be passed to patches.
final class StockService: PatchObject {
    private let counts = Mutex(["pen": 5, "ink": 3, "a lamp with a very long name": 1])

    func count(of item: String) -> Int { counts.withLock { $0[item] ?? 0 } }

    func take(_ count: Int, of item: String) { counts.withLock { $0[item, default: 0] -= count } }
}
