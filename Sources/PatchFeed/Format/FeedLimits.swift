/// The limits on the files that a client of a feed accepts. Each size, in bytes, is applied while a file is read.
package struct FeedLimits: Sendable {
    /// The size of a root file, in bytes.
    package var root = 512_000
    /// The size of the timestamp file, in bytes.
    package var timestamp = 16_384
    /// The size of a snapshot file, in bytes.
    package var snapshot = 2_000_000
    /// The size of the file of the targets role or of a delegated role, in bytes.
    package var targets = 5_000_000
    /// How many new root files are read in one update.
    var rootRotations = 256
    /// How many roles are visited in the search for one target.
    var roles = 32

    /// The defaults, from the specification's example values and the needs of a feed of 1,000 patches.
    package init() {}
}
