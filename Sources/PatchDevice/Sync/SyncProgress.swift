/// How far a sync is.
public struct SyncProgress: Sendable, Hashable {
    /// How many envelopes the sync is done with: those that were accepted or refused, or could not be fetched.
    public let completed: Int
    /// How many envelopes the sync fetches, or verifies again because their version enters or leaves shadow. A sync
    /// that ends early does not complete them.
    public let total: Int
}
