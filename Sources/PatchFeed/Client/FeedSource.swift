public import PatchCrypto

/// Where the files of a feed come from: a server, a folder, or a source of the app's own.
///
/// An app on an Apple platform can write one with `URLSession` in a few lines.
public protocol FeedSource: Sendable {
    /// Reads a file.
    ///
    /// Calls may overlap. The task is cancelled when the sync takes too long, and when no caller waits for it any more.
    /// A sync ends only after its source has, so a source should end soon then.
    ///
    /// - Parameter request: Which file, and how much of it. A source that asks another one passes it on, with another
    ///   path if need be.
    /// - Returns: The bytes, or that they are unchanged since the request's tag, or that there is no such file.
    /// - Throws: `feed-limit` if there are more bytes than the limit, `feed-unavailable` if the file cannot be fetched,
    ///   `cancelled` if the task was cancelled.
    func fetch(_ request: FeedRequest) async throws(PatchError) -> FeedReply
}

/// A request for a file of a feed. A version after 1.0 may add members, which a source may ignore.
public struct FeedRequest: Sendable {
    /// The file's path in the feed, with `/` between names, such as `metadata/timestamp.json`. Each name is
    /// percent-encoded, as in a URL.
    public var path: String
    /// The maximum number of bytes. It is applied while reading.
    public var byteLimit: Int
    /// The tag of the bytes that the caller already has; nil to read the file unconditionally.
    public var etag: String?

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - path: The file's path in the feed, each name percent-encoded.
    ///   - byteLimit: The maximum number of bytes.
    ///   - etag: The tag of the bytes that the caller already has; nil to read the file unconditionally.
    public init(_ path: String, byteLimit: Int, etag: String? = nil) {
        self.path = path
        self.byteLimit = byteLimit
        self.etag = etag
    }
}

/// A source's reply to a request. A source that asks another one returns its reply, with other members if need be.
public struct FeedReply: Sendable {
    /// The file. A version after 1.0 may know more kinds of replies.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Content: Sendable {
        /// The file's bytes.
        case bytes([UInt8])
        /// The file still has the given tag.
        case unchanged
        /// There is no such file, or reading it is forbidden (HTTP 404 and 403).
        case missing
    }

    /// The file, or that it is unchanged or missing.
    public var content: Content
    /// A tag that names this state of the file, if the source has one (HTTP `ETag`).
    public var etag: String?
    /// The source's clock, if it has one (HTTP `Date`).
    public var date: Timestamp?
    /// How long a cache may answer in the source's place (HTTP `Cache-Control`); nil if the source does not specify it.
    package var maxAge: Duration?

    /// Makes a reply.
    ///
    /// - Parameters:
    ///   - content: The file.
    ///   - etag: A tag that names this state of the file.
    ///   - date: The source's clock.
    public init(_ content: Content, etag: String? = nil, date: Timestamp? = nil) {
        self.init(content, etag: etag, date: date, maxAge: nil)
    }

    package init(_ content: Content, etag: String? = nil, date: Timestamp? = nil, maxAge: Duration?) {
        self.content = content
        self.etag = etag
        self.date = date
        self.maxAge = maxAge
    }
}
