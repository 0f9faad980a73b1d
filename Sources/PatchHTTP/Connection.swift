internal import CCurl
internal import Dispatch
package import PatchCrypto
internal import PatchFeed
internal import PatchText
internal import Synchronization

/// A libcurl handle, which keeps its connection open between transfers. One transfer is made at a time.
@safe package final class Connection: Sendable {
    private nonisolated(unsafe) let handle: UnsafeMutableRawPointer
    /// libcurl blocks, so its transfers have a thread of their own while they run.
    private let queue = DispatchQueue(label: "PatchHTTP")

    /// The error for a libcurl that cannot be used; nil if it can. libcurl is opened when this is first read.
    static let missing: PatchError? = unsafe ccurl_open().map { reason in
        PatchError(.unavailable, "libcurl cannot be used: \(unsafe String(cString: reason))", hint: "install libcurl4")
    }

    package init() throws(PatchError) {
        if let missing = Self.missing { throw missing }
        guard let handle = unsafe ccurl_new() else { throw PatchError(.unavailable, "libcurl has no memory") }
        unsafe self.handle = handle
    }

    deinit { unsafe ccurl_free(handle) }

    /// Makes a transfer. If the task is cancelled, the transfer ends soon.
    package func perform(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPResponse {
        let cancellation = Cancellation()
        let result: Result<HTTPResponse, HTTPFault> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: self.run(request, cancellation)) }
            }
        } onCancel: {
            cancellation.isAsked.store(true, ordering: .relaxed)
        }
        return try result.get()
    }

    private func run(_ request: HTTPRequest, _ cancellation: Cancellation) -> Result<HTTPResponse, HTTPFault> {
        let transfer = Transfer(limit: request.limit, keepsAll: request.signer != nil, cancellation)
        let headers = unsafe request.headers.reduce(nil) { list, header in unsafe ccurl_append(list, header) }
        defer { unsafe ccurl_free_list(headers) }
        guard set(request) else {
            return .failure(HTTPFault(message: "this libcurl is too old", hint: "install 7.85 or newer"))
        }
        unsafe ccurl_set_headers(handle, headers)
        var callbacks = unsafe ccurl_callbacks(
            body: { unsafe Transfer.of($2).receive(body: UnsafeRawBufferPointer(start: $0, count: $1)) },
            header: { unsafe Transfer.of($2).receive(header: UnsafeRawBufferPointer(start: $0, count: $1)) },
            monitor: { unsafe Transfer.of($0).noteCancellation() ? 1 : 0 },
            context: Unmanaged.passUnretained(transfer).toOpaque())
        var message = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
        let code = unsafe withUnsafeMutablePointer(to: &callbacks) { callbacks in
            unsafe ccurl_set_callbacks(handle, callbacks)
            return withExtendedLifetime(transfer) {
                guard let body = request.upload else { return unsafe ccurl_perform(handle, &message) }
                return unsafe body.withUnsafeBytes { body in
                    unsafe ccurl_set_upload(handle, body.baseAddress, body.count)
                    return unsafe ccurl_perform(handle, &message)
                }
            }
        }
        let certificate = unsafe ccurl_verify_result(handle)
        let proxyStatus = unsafe ccurl_proxy_status(handle)
        // libcurl keeps nothing that points to this transfer.
        unsafe ccurl_reset(handle)
        if let fault = transfer.fault { return .failure(fault) }
        guard code == CURLE_OK else {
            // It has answered the request for a connection, and the server none.
            if code == CURLE_RECV_ERROR, proxyStatus >= 300 {
                return .failure(.status(proxyStatus, of: "the proxy"))
            }
            let details = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            return .failure(Self.fault(of: code, details, certificate: certificate, request))
        }
        // libcurl treats a connection that ends within the headers as an empty file.
        guard transfer.hasAllHeaders else {
            return .failure(HTTPFault(message: "the connection ended too soon", mayPass: true))
        }
        return .success(transfer.response)
    }

    /// - Returns: False if libcurl cannot restrict its protocols, or cannot sign.
    private func set(_ request: HTTPRequest) -> Bool {
        let settings = request.settings
        unsafe ccurl_reset(handle)
        func number(_ option: CURLoption, _ value: Int) { unsafe ccurl_set_number(handle, option, value) }
        func text(_ option: CURLoption, _ value: String) { unsafe ccurl_set_text(handle, option, value) }
        let protocols = request.isSecure ? "https" : "http,https"
        text(CURLOPT_URL, request.url)
        guard unsafe ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, protocols) == CURLE_OK,
            unsafe ccurl_set_text(handle, CURLOPT_REDIR_PROTOCOLS_STR, protocols) == CURLE_OK
        else { return false }
        text(CURLOPT_USERAGENT, "patchpack")
        number(CURLOPT_FOLLOWLOCATION, 1)
        number(CURLOPT_MAXREDIRS, 3)
        // libcurl 8 does not sign a path that it may not normalize. The paths of an object store are already
        // normalized.
        number(CURLOPT_PATH_AS_IS, request.signer == nil ? 1 : 0)
        number(CURLOPT_NOSIGNAL, 1)
        number(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // For libcurl, 0 is no limit.
        number(CURLOPT_CONNECTTIMEOUT, max(1, settings.connectTime.seconds))
        number(CURLOPT_LOW_SPEED_LIMIT, 1)
        number(CURLOPT_LOW_SPEED_TIME, max(1, settings.stallTime.seconds))
        number(CURLOPT_TIMEOUT, max(1, settings.fileTime.seconds))
        if let file = settings.authoritiesFile {
            text(CURLOPT_CAINFO, file)
            // Otherwise the system's folder of certificates would be trusted beside the file.
            unsafe ccurl_set_text(handle, CURLOPT_CAPATH, nil)
        }
        guard let signer = request.signer else { return true }
        // A signature is for one server, so redirects are not followed.
        number(CURLOPT_FOLLOWLOCATION, 0)
        text(CURLOPT_USERNAME, signer.id)
        text(CURLOPT_PASSWORD, signer.secret)
        return unsafe ccurl_set_text(handle, CURLOPT_AWS_SIGV4, "aws:amz:\(signer.region):s3") == CURLE_OK
    }

    private static func fault(
        of code: CURLcode, _ details: String, certificate: Int, _ request: HTTPRequest
    ) -> HTTPFault {
        let meaning = unsafe ccurl_message(code).map { unsafe String(cString: $0) } ?? "error \(code.rawValue)"
        let message = details.isEmpty || mayHoldPassword(details) ? meaning : details
        let passing = [
            CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING,
            CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM,
        ]
        return HTTPFault(
            message: message.asContinued,
            hint: hint(for: code, certificate: certificate, request),
            mayPass: passing.contains(code))
    }

    /// Whether a text of libcurl may hold a whole URL, or a proxy as a variable names it: either may have a password in
    /// it.
    private static func mayHoldPassword(_ details: String) -> Bool {
        // "Unsupported proxy syntax in 'ada:secret host'": what libcurl cannot read, it prints as it is.
        ["@", "://", "nsupported proxy"].contains { details.firstRange(of: $0) != nil }
    }

    private static func hint(for code: CURLcode, certificate: Int, _ request: HTTPRequest) -> String? {
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION:
            switch certificate {  // X509_V_ERR_… of OpenSSL's x509_vfy.h
            // libcurl compares the names itself. Until then the result is 1.
            case 0, 1: return "is the URL right? the certificate is for another host"
            // Not valid yet, and expired.
            case 9, 10: return "check this machine's clock, and how long the server's certificate is valid"
            default:
                return "if the authority that signed the server's certificate is your own, name its file: "
                    + request.settings.authoritiesName
            }
        case CURLE_SSL_CACERT_BADFILE:
            return "it must have certificates in PEM: \(request.settings.authoritiesName)"
        case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_PROXY, CURLE_URL_MALFORMAT, CURLE_NOT_BUILT_IN:
            let variable = unsafe ccurl_proxy_variable(request.isSecure ? 1 : 0)
            if let variable = unsafe variable.map({ unsafe String(cString: $0) }) {
                return "the environment names a proxy, in \(variable)"
            }
            return code == CURLE_URL_MALFORMAT
                ? "is the port a number? in a password, write %2F for / and %40 for @" : nil
        default: return nil
        }
    }
}

/// Whether a transfer must end.
private final class Cancellation: Sendable {
    let isAsked = Atomic(false)
}

/// What a transfer has received. libcurl calls it on the transfer's thread.
private final class Transfer {
    var response = HTTPResponse()
    private(set) var fault: HTTPFault?
    private let limit: Int
    /// Whether the bodies of error responses are kept too.
    private let keepsAll: Bool
    private let cancellation: Cancellation
    /// Whether the empty line that ends the headers of the last response was received.
    private(set) var hasAllHeaders = false
    private var headerSize = 0
    private var cacheControl = ""
    private var discarded = 0
    /// The maximum size of headers in bytes, including the headers of redirects.
    private static let headerLimit = 64 << 10
    /// The most bytes of bodies that are discarded. More of them end the transfer.
    private static let discardLimit = 4 << 20
    /// The most bytes of an ETag that is kept.
    private static let longestETag = 256

    init(limit: Int, keepsAll: Bool, _ cancellation: Cancellation) {
        self.limit = limit
        self.keepsAll = keepsAll
        self.cancellation = cancellation
    }

    static func of(_ context: UnsafeMutableRawPointer?) -> Transfer {
        unsafe Unmanaged<Transfer>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
    }

    /// Makes a cancellation the fault. Returns whether there is one.
    func noteCancellation() -> Bool {
        guard cancellation.isAsked.load(ordering: .relaxed) else { return false }
        fault = .cancelled
        return true
    }

    /// Takes data, and returns how many bytes it took.
    func receive(body data: UnsafeRawBufferPointer) -> Int {
        let isFile = response.status == 200 && !response.isWebPage
        // A body that is not the file is discarded. It must not end the transfer with an error that hides the status.
        guard isFile || keepsAll else {
            discarded += data.count
            return discarded <= Self.discardLimit ? data.count : 0
        }
        guard data.count <= limit - response.body.count else {
            fault = HTTPFault(code: .feedLimit, message: "more than \(limit) bytes")
            return 0
        }
        unsafe response.body += data
        return data.count
    }

    /// Takes a header line, and returns how many bytes it took.
    func receive(header line: UnsafeRawBufferPointer) -> Int {
        headerSize += line.count
        guard headerSize <= Self.headerLimit else {
            fault = HTTPFault(code: .feedLimit, message: "more than \(Self.headerLimit) bytes of headers")
            return 0
        }
        let text = unsafe String(decoding: line, as: UTF8.self)
        // A status line begins the headers of the next response: after a redirect, or after `100 Continue`.
        if text.utf8.starts(with: "HTTP/".utf8) {
            hasAllHeaders = false
            response = HTTPResponse()
            cacheControl = ""
            response.status = text.split(separator: " ").dropFirst().first.flatMap { Int($0.prefix(3)) } ?? 0
        } else if text.utf8.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) {
            hasAllHeaders = true
            // Several lines are one list (RFC 9110, 5.3).
            if !cacheControl.isEmpty { response.maxAge = Self.maxAge(cacheControl) }
        } else if let colon = text.firstIndex(of: ":") {
            let value = String(text[text.index(after: colon)...].drop { $0 == " " }.prefix { !$0.isNewline })
            switch text[..<colon].lowercased() {
            case "etag": response.etag = value.utf8.count <= Self.longestETag ? value : nil
            case "cache-control":
                cacheControl += cacheControl.isEmpty ? value : ", \(value)"
            case "date": response.date = Timestamp.httpDate(value)
            case "age": response.age = Self.age(value)
            case "x-amz-bucket-region": response.region = value
            case "content-type": response.isWebPage = value.lowercased().hasPrefix("text/html")
            default: break
            }
        }
        return line.count
    }

    /// For how many seconds a cache has had the answer; 0 if that is malformed. No cache keeps one for longer than 68
    /// years.
    private static func age(_ value: String) -> Int {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let text = value.utf8.prefix { digits.contains($0) }
        guard !text.isEmpty, value.utf8.dropFirst(text.count).allSatisfy({ $0 == UInt8(ascii: " ") }) else { return 0 }
        // Digits that are no number are too many.
        return min(Int(Substring(text)) ?? .max, Int(Int32.max))
    }

    /// The maximum age that `Cache-Control` allows to shared caches; nil if it names none.
    private static func maxAge(_ value: String) -> Duration? {
        var ages: [String: Int] = [:]
        for directive in value.lowercased().split(separator: ",") {
            let parts = directive.split(separator: "=", maxSplits: 1).map { part in
                part.filter { !" \"".contains($0) }
            }
            switch parts.first ?? "" {
            case "no-store", "no-cache", "private": return .zero
            case let name: ages[name] = parts.count == 2 ? Int(parts[1]) : nil
            }
        }
        return (ages["s-maxage"] ?? ages["max-age"]).map { .seconds($0) }
    }
}
