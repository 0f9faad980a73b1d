internal import PatchCrypto
internal import PatchFeed

/// Why a transfer failed.
struct HTTPFault: Error {
    var code: PatchError.Code = .feedUnavailable
    let message: String
    var hint: String?
    /// Whether the same request may succeed a moment later.
    var mayPass = false
}

/// A request for a file.
struct HTTPRequest: Sendable {
    let url: String
    let limit: Int
    let settings: HTTPSettings
    var headers: [String] = []
}

/// A server's response.
struct HTTPResponse: Sendable {
    var status = 0
    var body: [UInt8] = []
    var etag: String?
    var date: Timestamp?
    var maxAge: Duration?
    var isWebPage = false

    /// What the response says of the file.
    func reply(to path: String) throws(HTTPFault) -> FeedReply {
        switch status {
        case 200:
            // A feed has no web pages, so this is the sign-in page of a hotel or the error page of a proxy.
            guard !isWebPage else {
                throw HTTPFault(
                    message: "a web page came instead of the file", hint: "sign in to the network, or check the URL")
            }
            return FeedReply(.bytes(body, etag: etag), date: date, maxAge: maxAge)
        case 304: return FeedReply(.unchanged, date: date, maxAge: maxAge)
        case 403, 404: return FeedReply(.missing, date: date, maxAge: maxAge)
        default:
            throw HTTPFault(message: "the server answered \(status)", mayPass: status == 429 || status >= 500)
        }
    }
}
