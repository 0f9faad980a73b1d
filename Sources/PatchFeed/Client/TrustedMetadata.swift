package import PatchCrypto

/// The points in which a signer reads metadata more leniently than a device.
package struct ReadingLeniency: Sendable {
    /// Whether metadata may have expired, so that an expired feed can be refreshed.
    package var ignoresEnds = false
    /// The number of root files before the newest one whose keys may have signed the other metadata. After an
    /// interrupted change of keys, it is one.
    package var earlierRoots = 0
    /// The snapshot to read in place of the one that the timestamp lists.
    package var snapshot: Int?

    package init() {}
}

/// The metadata that are trusted so far in one update. They can only move forward: each step makes the checks of the
/// specification (section 5), and keeps the old metadata if a check fails.
package struct TrustedMetadata: Sendable {
    /// The time at which the update began, by the device's clock (section 5.1).
    let start: Timestamp
    /// The newest time that signed data have shown; nil if none is known, or it is no longer valid.
    ///
    /// If the trusted timestamp file ends before this time, the time was wrong: no list is younger than a timestamp
    /// file that was signed after it. A root that changes the keys of the timestamp or of the snapshot clears the time,
    /// because the old keys have signed it.
    var floor: Timestamp?
    /// The time that expiries are compared with.
    var time: Timestamp { max(start, floor ?? start) }
    package private(set) var root: RootMetadata
    /// The earlier root files whose keys still count, and at least the last one, whose keys have signed the newest
    /// root; the oldest first.
    package private(set) var earlierRoots: [RootMetadata] = []
    /// The types of metadata that only keys of an earlier root have signed.
    package private(set) var staleTypes: Set<String> = []
    private let leniency: ReadingLeniency
    /// The end of the metadata that were refused last because they have expired; nil if none were.
    private(set) var expired: Timestamp?
    package private(set) var timestamp: TimestampMetadata?
    package private(set) var snapshot: SnapshotMetadata?
    package private(set) var targets: [TargetsKey: TargetsMetadata] = [:]

    /// A role, and the role that delegates to it and lists its keys. Two keys are equal if the bytes of both names are.
    package struct TargetsKey: Hashable, Sendable {
        private let exactRole: ExactString
        private let exactDelegator: ExactString

        package init(role: String, delegator: String) {
            exactRole = ExactString(role)
            exactDelegator = ExactString(delegator)
        }

        package var role: String { exactRole.text }

        package static let top = TargetsKey(role: "targets", delegator: "root")
    }

    /// Trusts a root file, which came with the app (section 5.2). It may have expired.
    ///
    /// - Throws: `feed-malformed` or `feed-signature` if it is not a root file that its own keys have signed,
    ///   `unavailable` if OpenSSL refuses the scheme of a key.
    package init(
        root bytes: [UInt8], start: Timestamp, floor: Timestamp? = nil, leniency: ReadingLeniency = ReadingLeniency()
    ) throws(PatchError) {
        self.start = start
        self.leniency = leniency
        self.floor = floor
        let file = try SignedMetadata(bytes, name: "root.json", type: "root")
        root = try RootMetadata(file)
        try file.verify(by: root.root)
    }

    /// Takes the next version of the root file (5.3.4 to 5.3.7).
    ///
    /// - Throws: `feed-malformed` if it is not a root file, `feed-signature` if not enough keys of the trusted root and
    ///   of itself have signed it, `feed-rollback` if it has another version, `unavailable` if OpenSSL refuses the
    ///   scheme of a key.
    package mutating func update(root bytes: [UInt8]) throws(PatchError) {
        let name = "\(root.version + 1).root.json"
        let file = try SignedMetadata(bytes, name: name, type: "root")
        try file.verify(by: root.root)
        let next = try RootMetadata(file)
        try file.verify(by: next.root)
        guard next.version == root.version + 1 else {
            throw PatchError(.feedRollback, "\(name): is of version \(next.version)")
        }
        earlierRoots = (earlierRoots + [root]).suffix(max(1, leniency.earlierRoots))
        root = next
    }

    /// The keys that may have signed metadata of a top-level role, the newest root's keys first.
    package func keys(of role: KeyPath<RootMetadata, RoleKeys>) -> [RoleKeys] {
        ([root] + earlierRoots.suffix(leniency.earlierRoots).reversed()).map { $0[keyPath: role] }
    }

    /// Checks that the first of several sets of keys has signed a file, or else one of the others.
    private mutating func verify(_ file: SignedMetadata, by keys: [RoleKeys], type: String) throws(PatchError) {
        var failure: PatchError?
        for keys in keys {
            do throws(PatchError) {
                try file.verify(by: keys)
                if failure != nil { staleTypes.insert(type) }
                return
            } catch {
                failure = failure ?? error
            }
        }
        throw failure ?? PatchError(.internal, "no keys")
    }

    /// Checks that the newest root file has not expired (5.3.10).
    ///
    /// Until a timestamp file is trusted, which may refute the floor, only the clock counts.
    ///
    /// - Throws: `feed-expired`.
    mutating func checkRoot() throws(PatchError) {
        try check(root.expires, "root.json", at: timestamp == nil ? start : time)
    }

    /// Takes a timestamp file (5.4.2 to 5.4.4).
    ///
    /// - Parameters:
    ///   - name: The file's name in messages.
    ///   - isStored: Whether it was trusted before. A file that was may have expired: it still shows which versions
    ///     were seen.
    /// - Returns: Whether it is newer than the trusted one. If it is of the same version, the trusted one stays.
    /// - Throws: `feed-malformed`, `feed-signature`, `feed-expired`, or `feed-rollback` if it or the snapshot that it
    ///   lists is older than the trusted one's; `unavailable` if OpenSSL refuses the scheme of a key.
    @discardableResult
    package mutating func update(
        timestamp bytes: [UInt8], called name: String = "timestamp.json", isStored: Bool = false
    ) throws(PatchError) -> Bool {
        let file = try SignedMetadata(bytes, name: name, type: TimestampMetadata.type)
        try verify(file, by: keys(of: \.timestamp), type: TimestampMetadata.type)
        let next = try TimestampMetadata(file)
        if let trusted = timestamp {
            guard next.version >= trusted.version else {
                throw PatchError(
                    .feedRollback, "\(name): is of version \(next.version), after version \(trusted.version)")
            }
            guard next.version > trusted.version else { return false }
            guard next.snapshot.version >= trusted.snapshot.version else {
                throw PatchError(
                    .feedRollback,
                    "\(name): lists snapshot \(next.snapshot.version), after \(trusted.snapshot.version)")
            }
        }
        if !isStored { try check(next.expires, name, at: start) }
        timestamp = next
        if let floor, floor >= next.expires { self.floor = nil }
        return true
    }

    /// Checks that the trusted timestamp file has not expired (5.4.4).
    ///
    /// - Throws: `feed-expired`.
    mutating func checkTimestamp() throws(PatchError) {
        if let timestamp { try check(timestamp.expires, "timestamp.json", at: start) }
    }

    /// Takes a snapshot file (5.5.2 to 5.5.6).
    ///
    /// - Parameters:
    ///   - name: The file's name in messages.
    ///   - isStored: Whether it was trusted before. A file that was may have expired, or be older than the version in
    ///     the timestamp file: it still shows which versions were seen.
    /// - Throws: `feed-mismatch` if it is not the file that the timestamp file lists, `feed-rollback` if it lists an
    ///   older file than the trusted one, `feed-malformed`, `feed-signature` or `feed-expired`; `unavailable` if
    ///   OpenSSL refuses an algorithm; `internal` if no timestamp file is trusted.
    package mutating func update(
        snapshot bytes: [UInt8], called name: String = "snapshot.json", isStored: Bool = false
    ) throws(PatchError) {
        guard let listed = listedSnapshot else { throw Self.outOfOrder(SnapshotMetadata.type) }
        if !isStored { try listed.file.check(bytes, of: name) }
        let file = try SignedMetadata(bytes, name: name, type: SnapshotMetadata.type)
        try verify(file, by: keys(of: \.snapshot), type: SnapshotMetadata.type)
        let next = try SnapshotMetadata(file)
        if !isStored {
            guard next.version == listed.version else {
                throw PatchError(
                    .feedMismatch, "\(name): is of version \(next.version), not \(listed.version) as signed")
            }
            try snapshot?.checkSuccessor(next)
            try check(next.expires, name, at: time)
        }
        snapshot = next
    }

    /// The snapshot to read: the one that the timestamp file lists, unless another one was asked for. It is nil until a
    /// timestamp file is trusted.
    package var listedSnapshot: MetadataDescription? {
        guard let timestamp else { return nil }
        return leniency.snapshot.map { MetadataDescription(version: $0) } ?? timestamp.snapshot
    }

    /// Whether the trusted snapshot is the one to read, and has not expired.
    var hasCurrentSnapshot: Bool {
        guard let listedSnapshot, let snapshot else { return false }
        return snapshot.version == listedSnapshot.version && !hasExpired(snapshot.expires, at: time)
    }

    /// Takes the file of the targets role or of a delegated role (5.6.2 to 5.6.5).
    ///
    /// - Parameters:
    ///   - keys: The sets of the role's keys. One set is enough; the first is the current one.
    ///   - path: The file's name in messages; nil for the name that a snapshot lists.
    /// - Returns: The file, with all of its signatures.
    /// - Throws: `feed-mismatch` if the snapshot does not list the role, or lists another file; `feed-malformed`,
    ///   `feed-signature` or `feed-expired`; `unavailable` if OpenSSL refuses an algorithm; `internal` if no current
    ///   snapshot is trusted.
    @discardableResult
    package mutating func update(
        targets bytes: [UInt8], of key: TargetsKey, by keys: [RoleKeys], called path: String? = nil
    ) throws(PatchError) -> SignedMetadata {
        guard hasCurrentSnapshot, let listed = try snapshot?.entry(of: key.role) else {
            throw Self.outOfOrder(key.role)
        }
        let name = path ?? "\(key.role).json"
        try listed.file.check(bytes, of: name)
        let file = try SignedMetadata(bytes, name: name, type: TargetsMetadata.type)
        try verify(file, by: keys, type: TargetsMetadata.type)
        let next = try TargetsMetadata(file)
        guard next.version == listed.version else {
            throw PatchError(.feedMismatch, "\(name): is of version \(next.version), not \(listed.version) as signed")
        }
        try check(next.expires, name, at: time)
        targets[key] = next
        return file
    }

    private func hasExpired(_ expires: Timestamp, at time: Timestamp) -> Bool {
        !leniency.ignoresEnds && expires <= time
    }

    private mutating func check(_ expires: Timestamp, _ name: String, at time: Timestamp) throws(PatchError) {
        guard !hasExpired(expires, at: time) else {
            expired = expires
            throw PatchError(
                .feedExpired, "\(name): expired at \(expires)",
                hint: "if this device's clock is right (\(start)), the feed is no longer refreshed, or is withheld")
        }
    }

    private static func outOfOrder(_ role: String) -> PatchError {
        PatchError(.internal, "\(role) before the metadata that list it")
    }
}
