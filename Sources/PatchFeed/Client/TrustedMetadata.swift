package import PatchCrypto

/// The metadata that are trusted so far in one update. They can only move forward: each step checks what the specification
/// says (section 5), and keeps the old metadata if a check fails.
package struct TrustedMetadata: Sendable {
    /// The time at which the update began, by the device's clock (section 5.1).
    let start: Timestamp
    /// The newest time that signed data have shown; nil if that says nothing any more.
    ///
    /// If the trusted timestamp file ends before it, it was wrong: no list is younger than a timestamp file that is signed after
    /// it. A root that changes the timestamp's keys ends it, because those keys have signed it.
    private(set) var floor: Timestamp?
    /// The time that expiries are held against.
    var time: Timestamp { max(start, floor ?? start) }
    package private(set) var root: RootMetadata
    /// When the metadata ended that were refused because they have expired.
    private(set) var expired: Timestamp?
    private(set) var timestamp: TimestampMetadata?
    private(set) var snapshot: SnapshotMetadata?
    private(set) var targets: [TargetsKey: TargetsMetadata] = [:]

    /// A role and the role that delegates to it, which says with which keys.
    struct TargetsKey: Hashable, Sendable {
        let role: String
        let delegator: String

        static let top = TargetsKey(role: "targets", delegator: "root")
    }

    /// Trusts a root file, which came with the app (section 5.2). It need not be valid at this time.
    package init(root bytes: [UInt8], start: Timestamp, floor: Timestamp? = nil) throws(PatchError) {
        self.start = start
        self.floor = floor
        let file = try SignedMetadata(bytes, name: "root.json", type: "root")
        root = try RootMetadata(file)
        try file.verify(by: root.root)
    }

    /// Takes the next version of the root file (5.3.4 to 5.3.7).
    package mutating func update(root bytes: [UInt8]) throws(PatchError) {
        let name = "\(root.version + 1).root.json"
        let file = try SignedMetadata(bytes, name: name, type: "root")
        try file.verify(by: root.root)
        let next = try RootMetadata(file)
        try file.verify(by: next.root)
        guard next.version == root.version + 1 else {
            throw PatchError(.feedRollback, "\(name): is of version \(next.version)")
        }
        root = next
    }

    /// Forgets which time was shown: keys have shown it that no longer count.
    mutating func forgetFloor() { floor = nil }

    /// Checks that the newest root file has not expired (5.3.10).
    mutating func checkRoot() throws(PatchError) {
        try check(root.expires, "root.json", at: timestamp == nil ? start : time)
    }

    /// Takes a timestamp file (5.4.2 to 5.4.4).
    ///
    /// - Parameter isStored: Whether it was trusted before. It then may have expired: it still tells which versions were
    ///   seen.
    /// - Returns: Whether it is newer than the trusted one. If it is of the same version, the trusted one stays.
    mutating func update(timestamp bytes: [UInt8], isStored: Bool = false) throws(PatchError) -> Bool {
        let file = try SignedMetadata(bytes, name: "timestamp.json", type: "timestamp")
        try file.verify(by: root.timestamp)
        let next = try TimestampMetadata(file)
        if let trusted = timestamp {
            guard next.version >= trusted.version else {
                throw PatchError(
                    .feedRollback, "timestamp.json: is of version \(next.version), after version \(trusted.version)")
            }
            guard next.version > trusted.version else { return false }
            guard next.snapshot.version >= trusted.snapshot.version else {
                throw PatchError(
                    .feedRollback,
                    "timestamp.json: lists snapshot \(next.snapshot.version), after \(trusted.snapshot.version)")
            }
        }
        if !isStored {
            try check(next.expires, "timestamp.json", at: start)
        }
        timestamp = next
        if let floor, floor >= next.expires { self.floor = nil }
        return true
    }

    /// Checks that the trusted timestamp file has not expired (5.4.4).
    mutating func checkTimestamp() throws(PatchError) {
        if let timestamp { try check(timestamp.expires, "timestamp.json", at: start) }
    }

    /// Takes a snapshot file (5.5.2 to 5.5.6).
    ///
    /// - Parameter isStored: Whether it was trusted before. It then may be older than the timestamp file says, or have
    ///   expired: it still tells which versions were seen.
    mutating func update(snapshot bytes: [UInt8], isStored: Bool = false) throws(PatchError) {
        guard let timestamp else { throw Self.outOfOrder("snapshot") }
        if !isStored { try timestamp.snapshot.file.check(bytes, of: "snapshot.json") }
        let file = try SignedMetadata(bytes, name: "snapshot.json", type: "snapshot")
        try file.verify(by: root.snapshot)
        let next = try SnapshotMetadata(file)
        if !isStored {
            guard next.version == timestamp.snapshot.version else {
                throw PatchError(
                    .feedMismatch,
                    "snapshot.json: is of version \(next.version), not \(timestamp.snapshot.version) as signed")
            }
            try snapshot?.checkSuccessor(next)
            try check(next.expires, "snapshot.json", at: time)
        }
        snapshot = next
    }

    /// Whether the trusted snapshot is the one that the timestamp file lists, and has not expired.
    var hasCurrentSnapshot: Bool {
        guard let timestamp, let snapshot else { return false }
        return snapshot.version == timestamp.snapshot.version && snapshot.expires > time
    }

    /// Takes the file of the targets role or of a delegated role (5.6.2 to 5.6.5).
    mutating func update(targets bytes: [UInt8], of key: TargetsKey, by keys: RoleKeys) throws(PatchError) {
        guard hasCurrentSnapshot, let listed = try snapshot?.entry(of: key.role) else {
            throw Self.outOfOrder(key.role)
        }
        let name = "\(key.role).json"
        try listed.file.check(bytes, of: name)
        let file = try SignedMetadata(bytes, name: name, type: "targets")
        try file.verify(by: keys)
        let next = try TargetsMetadata(file)
        guard next.version == listed.version else {
            throw PatchError(
                .feedMismatch, "\(name): is of version \(next.version), not \(listed.version) as signed")
        }
        try check(next.expires, name, at: time)
        targets[key] = next
    }

    private mutating func check(_ expires: Timestamp, _ name: String, at time: Timestamp) throws(PatchError) {
        guard expires > time else {
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

extension Timestamp {
    /// The second before.
    var justBefore: Timestamp { Timestamp(secondsSince1970: secondsSince1970 - 1) ?? self }
}
