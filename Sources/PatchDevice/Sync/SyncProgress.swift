/// How far a sync is.
public struct SyncProgress: Sendable, Hashable {
    /// How many envelopes were downloaded so far.
    public let fetched: Int
    /// How many the sync downloads.
    public let total: Int
}
