import PatchCrypto
import PatchHTTP
import PatchPublishing
import Synchronization

/// A bucket of an S3-compatible object store, or a prefix in one.
struct ObjectStoreTarget: DeployTarget {
    let name: String
    /// What the path of a file is added to.
    private let url: String
    private let signer: HTTPSigner
    private let token: String?
    private let settings: HTTPSettings
    private let limit: Int
    private let connection: Connection

    /// The longest response body of a refusal that is read, in bytes.
    private static let mostText = 64 << 10
    /// The characters of a key that every server and library encodes in the same way.
    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/".utf8)

    /// - Parameters:
    ///   - name: A name such as `s3://bucket/feed`.
    ///   - limit: The largest file that is read, in bytes.
    /// - Throws: `usage` if the name has another form, `config` if a variable with an account or an endpoint is missing
    ///   or wrong, `unavailable` if libcurl is missing.
    init(_ name: String, settings: HTTPSettings, limit: Int) throws(PatchError) {
        self.name = HTTPSource.shown(name)
        self.settings = settings
        self.limit = limit
        let place = name.dropFirst("s3://".count).split(separator: "/").joined(separator: "/")
        guard !place.isEmpty, place.utf8.allSatisfy(Self.plain.contains) else {
            throw .usage("\(self.name): expected s3://BUCKET/FOLDER of letters, digits, dots and hyphens")
        }
        let region = try Self.variable("AWS_REGION", "AWS_DEFAULT_REGION") ?? "us-east-1"
        guard let id = try Self.variable("AWS_ACCESS_KEY_ID"), let secret = try Self.variable("AWS_SECRET_ACCESS_KEY")
        else {
            throw PatchError(
                .config, "\(self.name): AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set",
                hint: "for a profile: eval \"$(aws configure export-credentials --format env)\"")
        }
        signer = HTTPSigner(region: region, id: id, secret: secret)
        token = try Self.variable("AWS_SESSION_TOKEN")
        let endpoint = HTTPSource.withLowerScheme(
            try Self.variable("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") ?? "https://s3.\(region).amazonaws.com")
        let isAllowedHTTP = endpoint.hasPrefix("http://") && settings.allowsHTTP
        guard endpoint.hasPrefix("https://") || isAllowedHTTP else {
            // Without a scheme, a password in it cannot be found.
            let shown = endpoint.contains("://") ? HTTPSource.shown(endpoint) : "AWS_ENDPOINT_URL"
            throw PatchError(
                .config, "\(shown): not an https URL",
                hint: "AWS_ENDPOINT_URL must begin with https://, or give --allow-http for a server of your own")
        }
        url = (endpoint.hasSuffix("/") ? endpoint : endpoint + "/") + place + "/"
        connection = try Connection()
    }

    /// The value of the first of these variables that is set, which becomes part of a header; nil if none is set.
    ///
    /// - Throws: `config` if a header cannot have it.
    private static func variable(_ names: String...) throws(PatchError) -> String? {
        for name in names {
            guard let value = Environment[bytes: name] else { continue }
            guard value.allSatisfy({ 0x21...0x7E ~= $0 }) else {
                throw PatchError(
                    .config, "\(name) has a space, a line end or another character that it cannot have",
                    hint: "is it copied whole, and nothing else with it?")
            }
            return String(decoding: value, as: UTF8.self)
        }
        return nil
    }

    func read(_ path: String) throws(PatchError) -> [UInt8]? { try get(path)?.body }

    func create(_ file: FeedFile) throws(PatchError) -> Bool { try put(file, if: Self.mustBeMissing) }

    func claim(_ file: FeedFile) throws(PatchError) -> Bool {
        guard try create(file) else { return false }
        // A store that does not support the condition accepts the same file twice.
        guard try !create(file) else {
            throw PatchError(
                .config, "\(name): the object store ignores If-None-Match, so two deployments at once could both win",
                hint: "use a store that knows conditional writes, or deploy to a folder or with rsync")
        }
        return true
    }

    func replace(_ file: FeedFile, of old: [UInt8]?) throws(PatchError) -> Bool {
        let current = try get(file.path)
        guard current?.body == old else { return false }
        guard let current else { return try put(file, if: Self.mustBeMissing) }
        guard let tag = current.etag, !tag.hasPrefix("W/") else {
            throw PatchError(
                .config, "\(name): \(file.path): came without a strong ETag, so it cannot be replaced safely",
                hint: "ask the object store itself, without a proxy that compresses")
        }
        return try put(file, if: "If-Match: \(tag)")
    }

    func find(_ files: [FeedFile], report: (Int) -> Void) throws(PatchError) -> FilesFound {
        try together(files, report) { (file, connection) async throws(PatchError) in
            guard let there = try await get(file.path, on: connection) else { return .missing }
            return try there.body == file.bytes ? .same : .other
        }
    }

    func add(_ files: [FeedFile], report: (Int) -> Void) throws(PatchError) -> FilesFound {
        try together(files, report) { (file, connection) async throws(PatchError) in
            if try await put(file, if: Self.mustBeMissing, on: connection) { return .missing }
            return try await get(file.path, on: connection)?.body == file.bytes ? .same : .other
        }
    }

    /// What was at the place of a file.
    private enum Found { case missing, same, other }

    /// Looks at several files at a time, over as many connections.
    ///
    /// - Parameters:
    ///   - report: Called now and then with the number of files that are done.
    ///   - look: Finds what is at the place of a file, and may put the file there.
    private func together(
        _ files: [FeedFile], _ report: (Int) -> Void,
        _ look: @escaping @Sendable (FeedFile, Connection) async throws(PatchError) -> Found
    ) throws(PatchError) -> FilesFound {
        let width = min(Self.width, files.count)
        let connection = connection
        let done = Shared(Atomic(0))
        let looks = try runBlocking {
            report(done.value.load(ordering: .relaxed))
        } for: { () async throws(PatchError) in
            await withTaskGroup { group in
                for first in 0..<width {
                    group.addTask { () -> Result<[(index: Int, found: Found)], PatchError> in
                        do throws(PatchError) {
                            let own = first == 0 ? connection : try Connection()
                            var found: [(index: Int, found: Found)] = []
                            for index in stride(from: first, to: files.count, by: width) {
                                found.append((index, try await look(files[index], own)))
                                done.value.add(1, ordering: .relaxed)
                            }
                            return .success(found)
                        } catch {
                            return .failure(error)
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        var all: [(index: Int, found: Found)] = []
        for look in looks { all += try look.get() }
        all.sort { $0.index < $1.index }
        return FilesFound(
            missing: all.filter { $0.found == .missing }.map { files[$0.index].path },
            conflicting: all.filter { $0.found == .other }.map { files[$0.index].path })
    }

    /// The most files that are looked at together.
    private static let width = 8
    /// The condition of a request that must not replace a file.
    private static let mustBeMissing = "If-None-Match: *"

    /// Gets a file; nil if there is none.
    private func get(_ path: String) throws(PatchError) -> HTTPResponse? {
        try runBlocking { () async throws(PatchError) in try await get(path, on: connection) }
    }

    private func get(_ path: String, on connection: Connection) async throws(PatchError) -> HTTPResponse? {
        let response = try await perform(path, limit: limit, on: connection)
        switch response.status {
        case 200: return response
        case 404 where Self.element("Code", of: response) != "NoSuchBucket": return nil
        default: throw refusal(response, of: path)
        }
    }

    /// Puts a file in its place.
    ///
    /// - Returns: False if the condition does not hold.
    private func put(_ file: FeedFile, if condition: String) throws(PatchError) -> Bool {
        try runBlocking { () async throws(PatchError) in try await put(file, if: condition, on: connection) }
    }

    private func put(
        _ file: FeedFile, if condition: String, on connection: Connection
    ) async throws(PatchError) -> Bool {
        let age = file.replaces ? "public, max-age=60, must-revalidate" : "public, max-age=31536000, immutable"
        let type = file.path.hasSuffix(".json") ? "application/json" : "application/octet-stream"
        let response = try await perform(
            file.path, ["Cache-Control: \(age)", "Content-Type: \(type)", condition], file.bytes, limit: Self.mostText,
            on: connection)
        switch response.status {
        case 200, 201, 204: return true
        case 412: return false
        default: throw refusal(response, of: file.path)
        }
    }

    /// Sends a request, and retries a few times if the store is busy.
    ///
    /// - Parameter limit: The most bytes of the answer's body that are read, if not fewer than those of a refusal.
    /// - Returns: The last answer, whatever its status.
    /// - Throws: `config` if a store may take the path for another one; the code of the fault if there is no answer.
    private func perform(
        _ path: String, _ headers: [String] = [], _ upload: [UInt8]? = nil, limit: Int, on connection: Connection
    ) async throws(PatchError) -> HTTPResponse {
        guard path.utf8.allSatisfy(Self.plain.contains) else {
            throw PatchError(.config, "\(path): a name that cannot be put into an object store")
        }
        var request = HTTPRequest(url: url + path, limit: max(limit, Self.mostText), settings: settings)
        let digest = try MessageDigest.sha256.text(of: upload ?? [])
        request.headers = headers + ["x-amz-content-sha256: \(digest)"]
        if let token { request.headers.append("x-amz-security-token: \(token)") }
        request.upload = upload
        request.signer = signer
        var tries = 0
        while true {
            tries += 1
            do throws(HTTPFault) {
                let response = try await connection.perform(request)
                // 409: another writer used the same name at this moment. 501: the store cannot do this at all.
                let isFault = response.status >= 500 && response.status != 501
                guard isFault || [429, 409].contains(response.status), tries < Self.mostTries else { return response }
            } catch {
                guard error.mayPass, tries < Self.mostTries else {
                    throw PatchError(error.code, "\(name): \(error.message)", hint: error.hint)
                }
            }
            try? await Task.sleep(for: .seconds(Double(tries) * Double.random(in: 0.2...0.6)))
        }
    }

    private static let mostTries = 6

    private func refusal(_ response: HTTPResponse, of path: String) -> PatchError {
        let code = Self.element("Code", of: response)
        let isElsewhere = [301, 307].contains(response.status) || code == "AuthorizationHeaderMalformed"
        var hint: String?
        switch code {
        case _ where isElsewhere:
            let region = Self.element("Region", of: response) ?? response.region
            hint = "the bucket is in another region: set AWS_REGION\(region.map { "=\($0)" } ?? "")"
        case "RequestTimeTooSkewed": hint = "check this machine's clock"
        case "NotImplemented":
            hint =
                "the store may not know conditional writes: use one that does, or deploy to a folder or with rsync"
        case "AccessDenied":
            hint =
                "the account needs s3:GetObject, s3:PutObject, and s3:ListBucket, without which a missing file is forbidden"
        case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken":
            hint = "are AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN right?"
        default: break
        }
        return PatchError(
            .io, "\(name): \(path): the object store answered \(response.status)\(code.map { ": \($0)" } ?? "")",
            hint: hint)
    }

    /// A word in a refusal's XML, at most 60 characters; nil if there is no such element.
    private static func element(_ name: String, of response: HTTPResponse) -> String? {
        let text = String(decoding: response.body, as: UTF8.self)
        guard let start = text.firstRange(of: "<\(name)>") else { return nil }
        return String(text[start.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "-" }.prefix(60))
    }
}
