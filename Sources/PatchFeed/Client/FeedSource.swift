public import PatchCrypto

/// Where the files of a feed come from: a server, a folder, or a source of the app's own.
///
/// An app on an Apple platform can write one with `URLSession` in a few lines.
public protocol FeedSource: Sendable {
    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The file's path in the feed, with `/` between names, such as `metadata/timestamp.json`. Each name is
    ///     percent-encoded, as in a URL.
    ///   - limit: The maximum number of bytes. It is applied while reading.
    ///   - etag: The tag of the bytes that the caller already has; nil to read the file unconditionally.
    /// - Returns: The bytes, or that they are unchanged since `etag`, or that there is no such file.
    /// - Throws: `feed-limit` if there are more bytes than `limit`, `feed-unavailable` if the file cannot be fetched.
    func fetch(_ path: String, limit: Int, etag: String?) async throws(PatchError) -> FeedReply
}

/// A source's reply for a path.
public struct FeedReply: Sendable {
    /// The file. A version after 1.0 may know more kinds of replies.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Content: Sendable {
        /// The file's bytes, and a tag that names this state of the file, if the source has one.
        case bytes([UInt8], etag: String?)
        /// The file still has the given tag.
        case unchanged
        /// There is no such file, or reading it is forbidden (HTTP 404 and 403).
        case missing
    }

    /// The file, or that it is unchanged or missing.
    public let content: Content
    /// The source's clock, if it has one (HTTP `Date`).
    public let date: Timestamp?
    /// How long a cache may answer in the source's place (HTTP `Cache-Control`); nil if the source does not specify it.
    public let maxAge: Duration?

    /// Makes a reply.
    ///
    /// - Parameters:
    ///   - content: The file.
    ///   - date: The source's clock.
    ///   - maxAge: How long a cache may answer in the source's place.
    public init(_ content: Content, date: Timestamp? = nil, maxAge: Duration? = nil) {
        self.content = content
        self.date = date
        self.maxAge = maxAge
    }
}
