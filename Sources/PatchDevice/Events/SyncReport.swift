public import PatchCrypto

/// The results of a sync.
public struct SyncReport: Sendable {
    /// The result for a version of a patch on this device.
    public struct Result: Sendable {
        /// The patch.
        public let patch: PatchID
        /// What was done with it, and why.
        public internal(set) var outcome: Outcome
        /// The particular reason, if the outcome alone does not state it. It is `detail` in JSON.
        package internal(set) var detail: String?
        /// Why the envelope was refused or could not be fetched, if this process has met the error. It is nil for all
        /// other outcomes, and in the report of a process that has followed another one.
        public internal(set) var error: PatchError?
        /// The outcome and the particular reason, in a sentence for people.
        public var reason: String { outcome.explanation(detail) }
    }

    /// Why the sync failed; nil if it succeeded. After a failure, held patches stay held, except those that the sync
    /// had already removed.
    public internal(set) var error: PatchError?
    /// A result for each version of a patch in the list, and for each one that is held. If the sync failed, there are
    /// none, unless only some downloads were not made in time (``SyncSettings/timeLimit``).
    ///
    /// A process that has followed another one has no results ``Outcome/superseded``, and has one for each version
    /// that is banned on the device, also if the list does not name it.
    public internal(set) var results: [Result] = []
    /// Whether this process has followed the one that writes the device's folder: it has not used the network, and
    /// applied the other one's results.
    public internal(set) var hasFollowed = false
    /// How many bytes were read from the feed.
    public internal(set) var bytes = 0
    /// How long it took.
    public internal(set) var duration = Duration.zero

    init(_ error: PatchError? = nil) { self.error = error }

    /// The number of results for each outcome.
    public var counts: [Outcome: Int] {
        results.reduce(into: [:]) { $0[$1.outcome, default: 0] += 1 }
    }
}
