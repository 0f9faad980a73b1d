package import PatchCrypto
internal import PatchFeed

// The files of a change, once it is signed.
extension FeedRepository {
    /// Makes the files of the change, in the order in which they must be written.
    ///
    /// - Throws: `feed-signature` if signatures are missing, `feed-limit` if devices could not read the files.
    package mutating func files(signedBy signers: [FeedSigner], in details: ChangeDetails) throws(PatchError)
        -> [FeedFile]
    {
        try sign(with: signers)
        if let first = try missing().first { throw Self.unsigned(first.role, first.keyIDs) }
        if let missing = try complete(signedBy: signers, in: details) {
            throw Self.unsigned(missing.role, missing.keyIDs)
        }
        return try files()
    }

    /// Makes and signs the snapshot and the timestamp, which come after the signatures of the other roles.
    ///
    /// - Returns: What still has to sign the snapshot or the timestamp; nil if the change is complete.
    mutating func complete(signedBy signers: [FeedSigner], in details: ChangeDetails) throws(PatchError) -> Missing? {
        if !changed.isDisjoint(with: [.targets, .rollout, .snapshot, .root]) {
            bumpVersion(of: .snapshot, in: details)
            for role in [FeedRole.targets, .rollout] where changed.contains(role) {
                bodies.snapshot.setEntry(of: role.rawValue, to: try description(of: role))
            }
            // A list may have waited for signatures, so its own author, reason and time take precedence.
            bodies.snapshot.change = SnapshotMetadata.Change(
                stamp: hasNewList ? list.change : details.stamp, root: bodies.root.version)
            if let previous {
                let file = FileDescription(length: nil, sha256: previous.sha256)
                bodies.snapshot.setPrevious(MetadataDescription(version: previous.version, file))
            }
        }
        bumpVersion(of: .timestamp, in: details)
        // The snapshot is signed before the timestamp, which has its hash.
        if let missing = try signAnew(.snapshot, signers) { return missing }
        if changed.contains(.snapshot) { bodies.timestamp.snapshot = try description(of: .snapshot) }
        return try signAnew(.timestamp, signers)
    }

    /// The files of a complete change, in the order in which they must be written.
    ///
    /// - Throws: `feed-limit` if devices could not read them.
    func files() throws(PatchError) -> [FeedFile] {
        try checkLimits()
        var versioned = newTargets
        if changed.contains(.rollout) {
            let bytes = listBytes
            let place = FeedLayout.target(PatchList.path(for: app), sha256: try MessageDigest.sha256.text(of: bytes))
            versioned.append(FeedFile(path: place, bytes: bytes, replaces: false))
        }
        for role in FeedRole.allCases where changed.contains(role) && role != .timestamp {
            let path = FeedLayout.metadata(role.rawValue, version: bodies[role].version)
            versioned.append(FeedFile(path: path, bytes: file(of: role), replaces: false))
        }
        let timestamp = FeedFile(path: FeedLayout.timestamp, bytes: file(of: .timestamp), replaces: true)
        guard changed.contains(.root), oldRoot.version > 0, try isValidUnderOldRoot() else {
            return versioned + [timestamp]
        }
        // The new files are signed with the old keys too. So the new root can come last, and no client ever finds
        // files that its root does not allow.
        let isRoot = { (file: FeedFile) in FeedLayout.isRoot(file.path) }
        return versioned.filter { !isRoot($0) } + [timestamp] + versioned.filter(isRoot)
    }

    /// Checks that devices can read what is written.
    ///
    /// - Throws: `feed-limit` if a version is too high, or the metadata of a role are too large.
    private func checkLimits() throws(PatchError) {
        guard changed.allSatisfy({ SignedMetadata.versions.contains(bodies[$0].version) }) else {
            throw PatchError(
                .feedLimit, "a version of the metadata is as high as it may be",
                hint: "was the feed tampered with? rotate the keys of its roles")
        }
        // Devices read at most this many bytes of each file.
        let limits = FeedLimits()
        for role in FeedRole.allCases where changed.contains(role) {
            let limit =
                switch role {
                case .root: limits.root
                case .timestamp: limits.timestamp
                case .snapshot: limits.snapshot
                case .targets, .rollout: limits.targets
                }
            let size = file(of: role).count
            guard size <= limit else {
                throw PatchError(
                    .feedLimit, "the metadata of the role \(role) would have \(size) bytes; devices read \(limit)",
                    remedy: .prune)
            }
        }
    }

    /// Whether the old root's keys have signed everything that changes.
    private func isValidUnderOldRoot() throws(PatchError) -> Bool {
        for role in [FeedRole.targets, .snapshot, .timestamp] where changed.contains(role) {
            guard let path = role.rootKeys else { continue }
            let keys = oldRoot[keyPath: path]
            let count = try keys.count(signatures[role, default: []], over: bodies[role].json.canonical)
            guard count >= keys.threshold else { return false }
        }
        return true
    }

    /// Signs a role, if it has changed, without its earlier signatures.
    ///
    /// - Returns: What the role still needs; nil if it is signed.
    private mutating func signAnew(_ role: FeedRole, _ signers: [FeedSigner]) throws(PatchError) -> Missing? {
        guard changed.contains(role) else { return nil }
        // The files that it lists may have changed since it was signed.
        signatures[role] = []
        try sign(role, with: signers)
        return try missing(of: role)
    }

    /// An error for a role that these keys still have to sign.
    static func unsigned(_ role: FeedRole, _ ids: [String]) -> PatchError {
        PatchError(.feedSignature, "the role \(role) is not signed", remedy: .giveKeys(of: role, ids: ids))
    }

    /// The file of the list.
    var listBytes: [UInt8] { list.json.encoded() + [0x0A] }

    /// Describes the list in the metadata of the rollout role.
    ///
    /// - Throws: `feed-limit` if it has more entries or bytes than devices read.
    mutating func describeList() throws(PatchError) {
        let bytes = listBytes
        let entries = list.entries.count
        for (count, limit, unit) in [
            (entries, PatchList.entryLimit, "entries"), (bytes.count, PatchList.byteLimit, "bytes"),
        ]
        where count > limit {
            throw PatchError(
                .feedLimit, "the list would have \(count) \(unit); at most \(limit) are allowed", remedy: .prune)
        }
        let path = PatchList.path(for: app)
        let target = FeedTarget(path: path, length: bytes.count, sha256: try MessageDigest.sha256.text(of: bytes))
        bodies.rollout.targets = [ExactString(path): target]
    }

    /// The description of a role's file, for the metadata that list it.
    private func description(of role: FeedRole) throws(PatchError) -> MetadataDescription {
        let bytes = file(of: role)
        let digest = try MessageDigest.sha256.text(of: bytes)
        return MetadataDescription(version: bodies[role].version, FileDescription(length: bytes.count, sha256: digest))
    }
}
