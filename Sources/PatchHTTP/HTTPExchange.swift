package import PatchCrypto
internal import PatchFeed

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

package struct HTTPRequest: Sendable {
    let url: String
    let limit: Int
    let settings: HTTPSettings
    var isSecure: Bool { url.utf8.starts(with: "https:".utf8) }
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
}

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

package struct HTTPResponse: Sendable {
    package internal(set) var status = 0
    package internal(set) var body: [UInt8] = []
    package internal(set) var etag: String?
    /// The region of a bucket that an object store names.
    package internal(set) var region: String?
    var date: Timestamp?
    /// For how many seconds a cache has had it.
    var age = 0
    var maxAge: Duration?
    var isWebPage = false

    /// The server's clock. A cache repeats the server's `Date`, and adds the time since then as `Age`.
    private var clock: Timestamp? { date.flatMap { Timestamp(secondsSince1970: $0.secondsSince1970 + age) } }

    func reply(to path: String) throws(HTTPFault) -> FeedReply {
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
