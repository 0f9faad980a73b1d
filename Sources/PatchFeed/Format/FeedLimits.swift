/// The limits on the files that a client of a feed accepts. Each size is applied while a file is read, before anything is parsed.
public struct FeedLimits: Sendable {
    /// The size of a root file, in bytes.
    public var root = 512_000
    /// The size of the timestamp file, in bytes.
    public var timestamp = 16_384
    /// The size of a snapshot file, in bytes.
    public var snapshot = 2_000_000
    /// The size of the file of the targets role or of a delegated role, in bytes.
    public var targets = 5_000_000
    /// How many new root files are read in one update.
    public var rootRotations = 256
    /// How many roles are visited in the search for one target.
    public var roles = 32

    /// The defaults, from the specification's example values and the needs of a feed of 1,000 patches.
    public init() {}
}
