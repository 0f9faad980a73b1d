/// How far a sync is.
public struct SyncProgress: Sendable, Hashable {
    /// How many envelopes the sync is done with: those that were accepted or refused, or could not be fetched.
    public let completed: Int
    /// How many envelopes the sync fetches. Those that the device holds already are not among them.
    public let total: Int
}
