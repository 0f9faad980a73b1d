/// How far a sync is.
public struct SyncProgress: Sendable, Hashable {
    /// How many envelopes the sync is done with: accepted ones, refused ones, and those that could not be fetched.
    public let fetched: Int
    /// How many envelopes the sync fetches. Those that the device holds already are not among them.
    public let total: Int
}
