package import PatchCrypto

/// A client of a feed: it brings the feed's metadata up to date, and finds and reads the files that they describe.
///
/// A feed is a repository of The Update Framework (TUF, specification 1.0.34), and this is the specification's client
/// workflow (section 5). One client is for one update: make another one for the next.
///
/// After an error, the metadata that were trusted before are still trusted, and the next update begins from there.
package struct FeedClient: Sendable {
    private let source: any FeedSource
    private let storage: any FeedStorage
    private let limits: FeedLimits
    private var trusted: TrustedMetadata
    /// The source's clock at its last reply.
    private var sourceDate: Timestamp?

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - root: The root file that came with the app. It may be old, and it may have expired.
    ///   - source: Where the feed's files come from.
    ///   - storage: Where trusted metadata are kept. An app keeps one for each feed.
    ///   - start: The time by which metadata must not have expired: the device's clock.
    /// - Throws: `feed-malformed` or `feed-signature` if `root` is not a root file that its own keys have signed,
    ///   `unavailable` if OpenSSL refuses the scheme of a key.
    package init(
        root: [UInt8], source: any FeedSource, storage: any FeedStorage, at start: Timestamp
    ) throws(PatchError) {
        try self.init(root: root, source: source, storage: storage, at: start, floor: nil)
    }

    /// Makes a client that knows how late it is at least.
    ///
    /// - Parameter floor: The newest time that signed data have shown, as `shownTime(_:)` returned it after an earlier
    ///   update. A clock that shows an earlier time is ignored, unless newer metadata refute the floor.
    /// - Throws: As the other initializer does.
    package init(
        root: [UInt8], source: any FeedSource, storage: any FeedStorage, at start: Timestamp,
        floor: Timestamp?, limits: FeedLimits = FeedLimits()
    ) throws(PatchError) {
        self.source = source
        self.storage = storage
        self.limits = limits
        trusted = try TrustedMetadata(root: root, start: start, floor: floor)
    }

    /// Brings the metadata of the four top-level roles up to date (sections 5.3 to 5.6.6).
    ///
    /// If nothing has changed, two small files are requested: the next root file, which is missing, and the timestamp.
    ///
    /// - Throws: `feed-signature`, `feed-rollback`, `feed-mismatch`, `feed-expired`, `feed-malformed` or `feed-limit`
    ///   if the feed's files are wrong; `clock` if they seem expired only because the device's clock is wrong;
    ///   `feed-unavailable` if they cannot be fetched; `cancelled` if the task was cancelled; `io` if they cannot be
    ///   stored; `unavailable` if OpenSSL refuses an algorithm; `config` if this client was updated before.
    package mutating func update() async throws(PatchError) {
        guard trusted.timestamp == nil else {
            throw PatchError(.config, "a feed's client is for one update", hint: "make another one for the next")
        }
        do throws(PatchError) {
            try await updateRoot()
            try await updateTimestamp()
            try trusted.checkRoot()
            try await updateSnapshot()
            try await loadTargets(.top, keys: trusted.root.targets)
        } catch {
            throw explained(error)
        }
    }

    /// When the snapshot and the timestamp expire, after an update.
    package var ends: (snapshot: Timestamp, timestamp: Timestamp) {
        (trusted.snapshot?.expires ?? time, trusted.timestamp?.expires ?? time)
    }

    /// The time by which metadata must not have expired.
    package var time: Timestamp { trusted.time }

    /// The newest time that signed data have shown, after an update.
    ///
    /// A list that was signed with a wrong clock, or by someone who has stolen the online key, moves it at most to the
    /// last second before the timestamp, the root or the targets expire.
    ///
    /// - Parameter published: When the list of patches was signed.
    /// - Returns: Before an update, the floor that the client was made with; nil if it has none.
    package func shownTime(_ published: Timestamp) -> Timestamp? {
        guard let timestamp = trusted.timestamp, let targets = trusted.targets[.top] else { return trusted.floor }
        let end = min(timestamp.expires, targets.expires, trusted.root.expires)
        let last = Timestamp(secondsSince1970: end.secondsSince1970 - 1) ?? end
        let newest = max(published, trusted.floor ?? published)
        return min(newest, last)
    }

    /// Looks for a target, first in the targets role, then in the roles that it delegates to (section 5.6.7).
    ///
    /// - Parameter path: The target's path, such as `patches/cart-total-7.js`.
    /// - Returns: nil if no role that is trusted for the path lists it.
    /// - Throws: As `update()` does, for the metadata of delegated roles, which are read when a search needs them.
    ///   `config` if no update has ended well before.
    package mutating func target(_ path: String) async throws(PatchError) -> FeedTarget? {
        try await search(for: path)
    }

    /// The list of patches of a feed whose app is not known: the first target that may be one; nil if there is none.
    ///
    /// - Throws: As `target(_:)` does.
    package mutating func listTarget() async throws(PatchError) -> FeedTarget? {
        try await search(for: nil)
    }

    /// Looks for a target in the kept targets metadata, without asking the source.
    ///
    /// This is for a launch without a network, so the metadata may have expired. Their signatures are verified,
    /// beginning with the app's own root file.
    ///
    /// - Returns: nil if the metadata are missing, are not signed by the role's keys, or do not list the target.
    package mutating func keptTarget(_ path: String) -> FeedTarget? {
        readKeptRoots()
        guard let bytes = storage.read(Self.targetsName, limit: limits.targets),
            let file = try? SignedMetadata(bytes, name: Self.targetsName, type: TargetsMetadata.type),
            (try? file.verify(by: trusted.root.targets)) != nil
        else { return nil }
        return try? TargetsMetadata(file).targets[ExactString(path)]
    }

    /// Reads a target, and checks its length and hashes (section 5.7).
    ///
    /// - Parameters:
    ///   - target: The target, as it was found.
    ///   - limit: The maximum number of bytes, whatever the signed length.
    /// - Throws: `feed-limit` if the target is larger than the limit, or than its signed length; `feed-mismatch` if it
    ///   is not the signed file; `feed-malformed` if its path could lead out of the feed's folder; `feed-unavailable`
    ///   if it cannot be fetched; `cancelled` if the task was cancelled; `unavailable` if OpenSSL refuses a hash
    ///   function.
    package mutating func contents(of target: FeedTarget, limit: Int) async throws(PatchError) -> [UInt8] {
        guard target.length <= limit else {
            throw PatchError(.feedLimit, "\(target.path): \(target.length) bytes; at most \(limit) are allowed")
        }
        let path = try URLPath.target(target, isConsistent: trusted.root.hasConsistentSnapshots)
        guard let bytes = try await fetch(path, limit: target.length) else { throw Self.missing(path) }
        try target.check(bytes)
        return bytes
    }

    // MARK: the workflow

    /// Section 5.3. Roots that were read before are read again from storage: trust begins at the app's own root each
    /// time.
    private mutating func updateRoot() async throws(PatchError) {
        readKeptRoots()
        for _ in 0..<limits.rootRotations {
            guard let bytes = try await fetch(FeedLayout.root(trusted.root.version + 1), limit: limits.root) else {
                break
            }
            let old = trusted.root
            let name = rootName
            try trusted.update(root: bytes)
            // 5.3.11. Done before the root is stored, so that it is not skipped if the update ends here.
            if !old.timestamp.hasSameIDs(as: trusted.root.timestamp)
                || !old.snapshot.hasSameIDs(as: trusted.root.snapshot)
            {
                try storage.remove(Self.timestampName)
                try storage.remove(Self.snapshotName)
                trusted.floor = nil
            }
            try storage.write(name, bytes)
        }
        try trusted.checkRoot()
    }

    private mutating func readKeptRoots() {
        while let bytes = storage.read(rootName, limit: limits.root) {
            do throws(PatchError) {
                try trusted.update(root: bytes)
            } catch {
                return  // damaged, or from another feed: fetch it again
            }
        }
    }

    /// Section 5.4.
    private mutating func updateTimestamp() async throws(PatchError) {
        var etag: String?
        if let bytes = storage.read(Self.timestampName, limit: limits.timestamp),
            (try? trusted.update(timestamp: bytes, isStored: true)) == true
        {
            etag = storedTag(of: bytes)
        }
        let reply = try await reply(to: FeedRequest(FeedLayout.timestamp, byteLimit: limits.timestamp, etag: etag))
        switch reply.content {
        case .missing: throw Self.missing(FeedLayout.timestamp)
        case .unchanged: break
        case .bytes(let bytes):
            if try trusted.update(timestamp: bytes) {
                try storage.write(Self.timestampName, bytes)
                if let etag = reply.etag {
                    let digest = try MessageDigest.sha256.hexadecimal(of: bytes)
                    try storage.write(Self.tagName, digest + Array("\n\(etag)".utf8))
                }
            }
        }
        try trusted.checkTimestamp()
    }

    /// Section 5.5.
    private mutating func updateSnapshot() async throws(PatchError) {
        if let bytes = storage.read(Self.snapshotName, limit: limits.snapshot) {
            try? trusted.update(snapshot: bytes, isStored: true)
        }
        guard !trusted.hasCurrentSnapshot, let listed = trusted.timestamp?.snapshot else { return }
        let bytes = try await metadata("snapshot", listed, limit: limits.snapshot)
        try trusted.update(snapshot: bytes)
        try storage.write(Self.snapshotName, bytes)
    }

    /// Loads the metadata of a targets role from storage, or reads them if the snapshot lists newer ones (section 5.6).
    private mutating func loadTargets(_ key: TrustedMetadata.TargetsKey, keys: RoleKeys) async throws(PatchError) {
        guard trusted.targets[key] == nil else { return }
        guard let listed = try trusted.snapshot?.entry(of: key.role) else {
            throw PatchError(.config, "a feed's client was not updated", hint: "call update() first")
        }
        let name = key == .top ? Self.targetsName : URLPath.storageName(of: key.role)
        if let bytes = storage.read(name, limit: limits.targets),
            (try? trusted.update(targets: bytes, of: key, by: [keys])) != nil
        {
            return
        }
        let bytes = try await metadata(key.role, listed, limit: limits.targets)
        try trusted.update(targets: bytes, of: key, by: [keys])
        try storage.write(name, bytes)
    }

    /// Section 5.6.7: a search in preorder, which visits each role once.
    ///
    /// - Parameter path: The target's path; nil for the first list of patches in any role.
    private mutating func search(for path: String?) async throws(PatchError) -> FeedTarget? {
        var stack: [(key: TrustedMetadata.TargetsKey, keys: RoleKeys)] = [(.top, trusted.root.targets)]
        var visited: Set<ExactString> = []
        while let (key, keys) = stack.popLast() {
            guard !visited.contains(ExactString(key.role)) else { continue }
            guard visited.count < limits.roles else { return nil }
            do throws(PatchError) { try await loadTargets(key, keys: keys) } catch { throw explained(error) }
            guard let role = trusted.targets[key] else { return nil }
            if let path {
                if let target = role.targets[ExactString(path)] { return target }
            } else if let list = role.targets.values.map(\.path).filter(PatchList.isPath).min() {
                return role.targets[ExactString(list)]
            }
            visited.insert(ExactString(key.role))
            var next: [(TrustedMetadata.TargetsKey, RoleKeys)] = []
            for delegation in role.delegations {
                if let path, try !delegation.covers(path) { continue }
                next.append((TrustedMetadata.TargetsKey(role: delegation.role, delegator: key.role), delegation.keys))
                if delegation.isTerminating, path != nil {
                    stack = []
                    break
                }
            }
            stack += next.reversed()
        }
        return nil
    }

    // MARK: files

    private static let timestampName = "timestamp.json"
    private static let snapshotName = "snapshot.json"
    private static let targetsName = "targets.json"
    /// The timestamp file's digest in hex digits, a line feed, and the tag with which the source sent the file.
    private static let tagName = "timestamp.etag"
    /// The name of the next root file.
    private var rootName: String { "\(trusted.root.version + 1).root.json" }

    /// Reads the metadata file of a role, of the version that is listed.
    private mutating func metadata(
        _ role: String, _ listed: MetadataDescription, limit: Int
    ) async throws(PatchError) -> [UInt8] {
        let version = trusted.root.hasConsistentSnapshots ? listed.version : nil
        let path = FeedLayout.metadata(URLPath.encoded(role), version: version)
        do throws(PatchError) {
            guard let bytes = try await fetch(path, limit: min(limit, listed.file.length ?? limit)) else {
                throw Self.missing(path)
            }
            return bytes
        } catch {
            guard error.code == .feedLimit, let length = listed.file.length, length < limit else { throw error }
            throw PatchError(
                .feedLimit, "\(path): longer than the \(length) bytes that are signed",
                hint: "a formatter or a server has changed it")
        }
    }

    /// Reads a file; nil if it is missing.
    private mutating func fetch(_ path: String, limit: Int) async throws(PatchError) -> [UInt8]? {
        guard case .bytes(let bytes) = try await reply(to: FeedRequest(path, byteLimit: limit)).content else {
            return nil
        }
        return bytes
    }

    /// Asks the source, and checks that its reply is one to the request.
    private mutating func reply(to request: FeedRequest) async throws(PatchError) -> FeedReply {
        let reply = try await source.fetch(request)
        sourceDate = reply.date ?? sourceDate
        switch reply.content {
        // A source must apply the limit while it reads; this check is for one that does not.
        case .bytes(let bytes) where bytes.count > request.byteLimit:
            throw PatchError(.feedLimit, "\(request.path): more than \(request.byteLimit) bytes")
        case .unchanged where request.etag == nil:
            throw PatchError(.feedUnavailable, "\(request.path): the server answered that it is unchanged, unasked")
        case .bytes, .unchanged, .missing: return reply
        }
    }

    private static func missing(_ path: String) -> PatchError {
        PatchError(.feedUnavailable, "\(path): the feed does not have this file")
    }

    /// The tag of the stored timestamp file, if it is known. The digest identifies the file that it belongs to. A tag
    /// that is longer than servers' tags are, so that its file has more than 1,024 bytes, is not used.
    private func storedTag(of bytes: [UInt8]) -> String? {
        guard var file = storage.read(Self.tagName, limit: 1024)?[...], let digest = file.takeLine(),
            (try? MessageDigest.sha256.hexadecimal(of: bytes))?.elementsEqual(digest) == true
        else { return nil }
        return String(validating: file, as: UTF8.self)
    }

    /// Replaces an expiry error with a clock error if the source's clock is more than a day away from the device's, and
    /// the metadata have not expired by it.
    private func explained(_ error: PatchError) -> PatchError {
        // The server's clock is not signed, so it may explain a failure, but decides nothing.
        guard error.code == .feedExpired, let sourceDate, let end = trusted.expired, sourceDate < end else {
            return error
        }
        let secondsOfDay = 86_400
        let difference = trusted.start.secondsSince1970 - sourceDate.secondsSince1970
        guard difference.magnitude > secondsOfDay else { return error }
        return PatchError(
            .clock, "\(error.message), but this device's clock shows \(trusted.start) and the server's \(sourceDate)",
            hint: "check this device's clock")
    }
}
