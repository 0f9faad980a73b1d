public import PatchCrypto

extension PatchError.Code {
    /// A file of the feed is malformed: it is not JSON, it belongs to another role, or a value has the wrong type.
    public static let feedMalformed = Self("feed-malformed")
    /// Metadata of the feed has too few signatures by the keys of its role.
    public static let feedSignature = Self("feed-signature")
    /// The feed, or a file of it, is older than one that was seen before.
    public static let feedRollback = Self("feed-rollback")
    /// Metadata of the feed has expired, so newer metadata may be withheld.
    public static let feedExpired = Self("feed-expired")
    /// A file does not have the length, the hash or the version that signed metadata give, they do not list it, or it
    /// is for another app.
    public static let feedMismatch = Self("feed-mismatch")
    /// A file is larger than allowed, or there are too many of them.
    public static let feedLimit = Self("feed-limit")
    /// A file of the feed cannot be fetched: the network failed, or the server does not have it.
    public static let feedUnavailable = Self("feed-unavailable")
    /// A version of a patch was published before, with other bytes.
    package static let feedPublished = Self("feed-published")
    /// A version of a patch is already listed, but not as requested.
    package static let feedListed = Self("feed-listed")
    /// Another copy of the feed was deployed.
    package static let feedConflict = Self("feed-conflict")
    /// The caller's task was cancelled, or the sync because the tasks of all callers were.
    public static let cancelled = Self("cancelled")
    /// A clock is wrong or gives no time: that of the device, so that metadata seem expired, or that of a signer.
    public static let clock = Self("clock")
}
