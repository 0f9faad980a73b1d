public import PatchCrypto
public import PatchFeed

/// What a sync has found and done.
public struct SyncReport: Sendable {
    /// What becomes of a version of a patch on this device.
    public struct Result: Sendable {
        /// The patch's reverse-DNS name.
        public let id: String
        /// The patch's version.
        public let version: Int
        /// What became of it.
        public let code: PatchChoice.Code
        /// Why, if the code alone does not say it.
        public let detail: String?
    }

    /// Why the feed could not be read; nil if it could. What was held before is still held then.
    public internal(set) var error: PatchError?
    /// A result for each version of a patch in the list, and for each one that is held.
    public internal(set) var results: [Result] = []
    /// How many bytes were read from the feed.
    public internal(set) var bytes = 0
    /// How long it took.
    public internal(set) var duration = Duration.zero

    /// How many results there are of each code.
    public var counts: [String: Int] {
        results.reduce(into: [:]) { $0[$1.code.rawValue, default: 0] += 1 }
    }
}
