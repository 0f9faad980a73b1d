package import PatchCrypto
internal import PatchFeed

/// Why a request has no answer about the file.
package struct HTTPFault: Error {
    package var code: PatchError.Code = .feedUnavailable
    package let message: String
    package var hint: String?
    /// Whether the same request may succeed a moment later.
    package var mayPass = false

    /// The caller's task was cancelled.
    static let cancelled = HTTPFault(code: .cancelled, message: "cancelled")

    private static let hints = [
        401: "it wants a name and a password; a feed is public",
        407: "the proxy wants a name and a password: https_proxy=http://NAME:PASSWORD@HOST:PORT",
        429: "it was asked too often; try again later",
        511: "sign in to the network",
    ]

    /// A status that is no answer about the file.
    static func status(_ status: Int, of peer: String) -> HTTPFault {
        HTTPFault(
            message: "\(peer) answered \(status)", hint: hints[status], mayPass: status == 429 || status >= 500)
    }
}

/// A request for one file of a server.
package struct HTTPRequest: Sendable {
    let url: String
    /// The maximum size of the response, in bytes.
    let limit: Int
    let settings: HTTPSettings
    /// Whole lines, such as `If-None-Match: "a"`.
    package var headers: [String] = []
    /// The bytes to upload as the file; nil to download the file.
    package var upload: [UInt8]?
    /// The account that signs the request, as object stores require (AWS Signature Version 4); nil if it is not signed.
    package var signer: HTTPSigner?

    /// - Parameter limit: The maximum size of the response, in bytes.
    package init(url: String, limit: Int, settings: HTTPSettings) {
        self.url = url
        self.limit = limit
        self.settings = settings
    }

    var isSecure: Bool { url.utf8.starts(with: "https:".utf8) }
}

/// An account of an object store.
package struct HTTPSigner: Sendable {
    let region: String
    let id: String
    let secret: String

    package init(region: String, id: String, secret: String) {
        self.region = region
        self.id = id
        self.secret = secret
    }
}

/// The answer of the last server that a transfer reached.
package struct HTTPResponse: Sendable {
    /// The HTTP status; 0 if its line is malformed.
    package internal(set) var status = 0
    package internal(set) var body: [UInt8] = []
    package internal(set) var etag: String?
    /// The region of a bucket that an object store names.
    package internal(set) var region: String?
    /// The server's clock, as it was when it answered.
    var date: Timestamp?
    /// For how many seconds a cache has had it.
    var age = 0
    /// For how long shared caches may keep it; nil if the server does not say.
    var maxAge: Duration?
    /// Whether the body is HTML.
    var isWebPage = false

    /// The server's clock. A cache repeats the server's `Date`, and adds the time since then as `Age`.
    private var clock: Timestamp? { date.flatMap { Timestamp(secondsSince1970: $0.secondsSince1970 + age) } }

    /// The answer about a file of a feed.
    ///
    /// - Throws: A fault if it is none: a web page, or the status of another error than of a missing file.
    func reply() throws(HTTPFault) -> FeedReply {
        switch status {
        case 200:
            // A feed has no web pages, so this is the sign-in page of a hotel or the error page of a proxy.
            guard !isWebPage else {
                throw HTTPFault(
                    message: "a web page came instead of the file", hint: "sign in to the network, or check the URL")
            }
            return FeedReply(.bytes(body), etag: etag, date: clock, maxAge: maxAge)
        case 304: return FeedReply(.unchanged, date: clock, maxAge: maxAge)
        case 403, 404: return FeedReply(.missing, date: clock, maxAge: maxAge)
        default: throw .status(status, of: "the server")
        }
    }
}
