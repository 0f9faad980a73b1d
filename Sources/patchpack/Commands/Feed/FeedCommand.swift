import PatchCrypto

/// `feed`: makes and changes a feed, a folder of static files that tells devices which patches are for them.
enum FeedCommand {}

extension Timestamp {
    /// The whole days until another moment; negative after it.
    func wholeDays(until other: Timestamp) -> Int {
        Int((Double(other.secondsSince1970 - secondsSince1970) / 86_400).rounded(.down))
    }
}
