public import PatchCrypto
public import PatchFeed

/// A feed on a web server, read with libcurl.
///
/// Only https is used, unless the URL itself is http and that is allowed. Redirects are followed three times, those of
/// an https URL never to http. Proxies are taken from the environment (`https_proxy`, `no_proxy`), as libcurl does. A
/// transfer that fails for a temporary reason is tried again, by default twice.
public struct HTTPSource: FeedSource, CustomStringConvertible {
    /// Why libcurl cannot be used on this machine; nil if it can.
    package static var missingLibrary: PatchError? { Connection.missing }

    private let base: String
    private let settings: HTTPSettings
    private let connection: Connection
    /// Waits before a transfer is tried again. Tests wait for nothing.
    package var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// Makes a source.
    ///
    /// - Parameters:
    ///   - url: The URL of the folder that has the feed's `metadata` and `targets`.
    ///   - settings: How to read it.
    /// - Throws: `config` if the URL is not https (or http, if that is allowed), or has a query, a fragment or a space;
    ///   `unavailable` if libcurl is not installed.
    public init(_ url: String, settings: HTTPSettings = HTTPSettings()) throws(PatchError) {
        let url = Self.withLowerScheme(url)
        let isSecure = url.utf8.starts(with: "https://".utf8)
        guard isSecure || url.utf8.starts(with: "http://".utf8) else {
            throw PatchError(.config, "\(Self.shown(url)): not an https URL", hint: "a feed's URL begins with https://")
        }
        guard isSecure || settings.allowsHTTP else {
            throw PatchError(
                .config, "\(Self.shown(url)): http is not allowed",
                hint: "use https, or \(settings.allowsHTTPName) for a server of your own")
        }
        guard !url.utf8.contains(where: { [UInt8(ascii: "?"), UInt8(ascii: "#"), 0x20, 0x0A, 0x0D, 0].contains($0) })
        else {
            throw PatchError(
                .config, "\(Self.shown(url)): a query, a fragment or a space in a feed's URL", hint: "name its folder")
        }
        base = url.utf8.last == UInt8(ascii: "/") ? url : url + "/"
        self.settings = settings
        connection = try Connection()
    }

    /// A URL with its scheme in lower case. Other text is returned as it is.
    package static func withLowerScheme(_ url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        return url[..<scheme.lowerBound].lowercased() + url[scheme.lowerBound...]
    }

    /// A URL without its user and password, for messages.
    package static func shown(_ url: String) -> String {
        let bytes = Array(url.utf8)
        guard let scheme = bytes.firstRange(of: Array("://".utf8)) else { return url }
        let rest = bytes[scheme.upperBound...]
        let server = rest.prefix { $0 != UInt8(ascii: "/") }
        // In `ada:sec/ret@host`, what would be the port is the beginning of a password.
        let port = server.split(separator: UInt8(ascii: ":")).dropFirst().last ?? []
        let isAddress = server.last == UInt8(ascii: "]")  // one of IPv6, without a port
        let isPassword = !isAddress && !port.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        guard let at = (isPassword ? rest : server).lastIndex(of: UInt8(ascii: "@")) else { return url }
        return String(decoding: bytes[..<scheme.upperBound] + rest[(at + 1)...], as: UTF8.self)
    }

    /// The URL, without its user and password.
    public var description: String { Self.shown(base) }

    public func fetch(_ request: FeedRequest) async throws(PatchError) -> FeedReply {
        let path = request.path
        var exchange = HTTPRequest(url: base + path, limit: request.byteLimit, settings: settings)
        if let etag = request.etag, etag.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
            exchange.headers = ["If-None-Match: \(etag)"]
        }
        var tries = 0
        while true {
            let fault: PatchError
            do throws(HTTPFault) {
                return try await connection.perform(exchange).reply()
            } catch {
                fault = error.about(path)
                guard error.mayPass, tries < settings.retries else { throw fault }
            }
            tries += 1
            // Half a second, then two, each with a random addition of up to as much again, so that many devices do not
            // return at once.
            let seconds = Double(tries * tries) / 2 * Double.random(in: 1...2)
            guard !Task.isCancelled, (try? await pause(.seconds(seconds))) != nil else {
                throw Task.isCancelled ? HTTPFault.cancelled.about(path) : fault
            }
        }
    }
}

extension HTTPFault {
    fileprivate func about(_ path: String) -> PatchError { PatchError(code, "\(path): \(message)", hint: hint) }
}
