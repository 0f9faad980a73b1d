package import PatchCrypto
internal import PatchFeed

package struct FeedSigner: Sendable {
    /// The key's id; nil for a command, whose signature reveals the key.
    let keyID: String?
    let sign: @Sendable ([UInt8]) throws(PatchError) -> [UInt8]

    /// Makes a signer from a private Ed25519 key.
    ///
    /// - Throws: `config` if it is another kind of key.
    package init(_ key: SigningKey) throws(PatchError) {
        keyID = try FeedKey(key.verifyingKey).id
        sign = { payload throws(PatchError) in try key.sign(payload[...]) }
    }

    /// Makes a signer that runs elsewhere, with any of a role's keys. It is asked only for roles that the other
    /// signers cannot sign.
    package init(asking sign: @escaping @Sendable ([UInt8]) throws(PatchError) -> [UInt8]) {
        keyID = nil
        self.sign = sign
    }
}

extension FeedRepository {
    package struct Missing: Sendable {
        package let role: FeedRole
        /// The number of signatures that are still needed, at least.
        package let count: Int
        /// The ids of the keys that have not signed yet.
        package let keyIDs: [String]
    }

    /// Signs each changed role with the keys that may sign it. The snapshot and the timestamp are left out, because they are made
    /// last.
    package mutating func sign(with signers: [FeedSigner]) throws(PatchError) {
        if changed.contains(.rollout), signatures[.rollout, default: []].isEmpty { try describeList() }
        for role in FeedRole.drafted where changed.contains(role) { try sign(role, with: signers) }
    }

    private mutating func sign(_ role: FeedRole, with signers: [FeedSigner]) throws(PatchError) {
        let payload = bodies[role].json.canonical
        let ids = signingIDs(of: role)
        for signer in signers {
            guard let id = signer.keyID, ids.contains(id), !hasSigned(id, role) else { continue }
            add(try signer.sign(payload), by: id, to: role)
        }
        for signer in signers where signer.keyID == nil {
            guard try missing(of: role).count > 0 else { return }
            let signature = try signer.sign(payload)
            for holder in try holders(of: role) {
                if let id = try holder.signer(of: signature, over: payload) { add(signature, by: id, to: role) }
            }
            // A signer with the key of another role is not at fault.
            guard try isByKeyOfFeed(signature, over: payload) else {
                throw PatchError(
                    .feedSignature,
                    "a signature of \(signature.count) bytes is not by a key of this feed over the role \(role)",
                    hint: "sign the bytes as they are, with Ed25519 and a key of the role")
            }
        }
    }

    /// Whether a key of any role has signed, also one that the change removes.
    private func isByKeyOfFeed(_ signature: [UInt8], over payload: [UInt8]) throws(PatchError) -> Bool {
        var holders = [oldRoot, bodies.root].flatMap { root in
            FeedRole.allCases.compactMap(\.rootKeys).map { root[keyPath: $0] }
        }
        if let delegatedKeys { holders.append(delegatedKeys) }
        for holder in holders where try holder.signer(of: signature, over: payload) != nil { return true }
        return false
    }

    /// Adds a signature, replacing an older one of the same key.
    private mutating func add(_ signature: [UInt8], by keyID: String, to role: FeedRole) {
        var all = signatures[role, default: []].filter { !$0.keyID.isByteEqual(to: keyID) }
        all.append(MetadataSignature(keyID: keyID, bytes: signature))
        signatures[role] = all
    }

    private func hasSigned(_ id: String, _ role: FeedRole) -> Bool {
        signatures[role, default: []].contains { $0.keyID == id }
    }

    private func file(of role: FeedRole) -> [UInt8] {
        MetadataSignature.file(bodies[role].json, signatures[role, default: []])
    }

    /// The bytes that are signed elsewhere for a role.
    package func payload(of role: FeedRole) throws(PatchError) -> [UInt8] {
        guard changed.contains(role) else { throw PatchError(.config, "the role \(role) has nothing to sign") }
        return bodies[role].json.canonical
    }

    /// Adds a signature that was made elsewhere, with any key that may sign the role.
    ///
    /// - Parameter role: The role; nil for the one whose payload was signed.
    /// - Returns: The id of the key.
    /// - Throws: `feed-signature` if none of these keys has made it.
    package mutating func attach(_ signature: [UInt8], to role: FeedRole?) throws(PatchError) -> String {
        for role in role.map({ [$0] }) ?? FeedRole.drafted.filter(changed.contains) {
            let payload = try payload(of: role)
            for holder in try holders(of: role) {
                if let id = try holder.signer(of: signature, over: payload) {
                    add(signature, by: id, to: role)
                    return id
                }
            }
        }
        let place = role.map { "the role \($0)" } ?? "a role that has changed"
        throw PatchError(
            .feedSignature, "not a signature over the payload of \(place), by one of its keys", remedy: .signPayload)
    }

    /// The roles whose changes need more signatures, without the snapshot and the timestamp, which are made last.
    package func missing() throws(PatchError) -> [Missing] {
        var all: [Missing] = []
        for role in FeedRole.drafted where changed.contains(role) { all += try missing(of: role) }
        return all
    }

    /// The only role that waits for signatures.
    package func waitingRole() throws(PatchError) -> FeedRole {
        let waiting = Set(try missing().map(\.role))
        guard waiting.count == 1, let role = waiting.first else {
            throw PatchError(
                .usage, "\(waiting.count) roles wait for signatures",
                remedy: .giveRole(waiting.map(\.rawValue).sorted()))
        }
        return role
    }

    private func missing(of role: FeedRole) throws(PatchError) -> [Missing] {
        let payload = bodies[role].json.canonical
        var (most, ids): (Int, [String]) = (0, [])
        // A new root needs the old keys and the new ones. A key that is in both counts for both.
        for holder in try holders(of: role) {
            let count = try holder.count(signatures[role, default: []], over: payload)
            guard count < holder.threshold else { continue }
            most = max(most, holder.threshold - count)
            ids += holder.ids.filter { id in !hasSigned(id, role) && !ids.contains(id) }
        }
        return most == 0 ? [] : [Missing(role: role, count: most, keyIDs: ids)]
    }

    /// The keys that must sign a change of a role. A new root must be signed with the keys of the old root too.
    private func holders(of role: FeedRole) throws(PatchError) -> [RoleKeys] {
        guard let keys = role.rootKeys else {
            guard let delegatedKeys else {
                throw PatchError(.feedMalformed, "the targets metadata delegate nothing to the role \(role)")
            }
            return [delegatedKeys]
        }
        return (role == .root ? [oldRoot.root] : []) + [bodies.root[keyPath: keys]]
    }

    /// The ids of the keys that sign a role, including its keys from before the change.
    ///
    /// A client that reads while the root changes then finds files that both roots allow.
    private func signingIDs(of role: FeedRole) -> Set<String> {
        Set(keys(of: role).ids).union(role.rootKeys.map { oldRoot[keyPath: $0].ids } ?? [])
    }

    // MARK: staging

    /// The trust store that the feed delivers; nil if it delivers none.
    ///
    /// - Throws: `feed-mismatch` if it is missing, or not the one that is signed.
    package func trustStore(_ read: (String) throws(PatchError) -> [UInt8]?) throws(PatchError) -> [UInt8]? {
        let path = PatchList.trustPath(for: app)
        guard let digest = digest(of: path) else { return nil }
        let file = FeedLayout.target(path, sha256: digest)
        var bytes = try newTargets.first { $0.path == file }?.bytes
        if bytes == nil { bytes = try read(file) }
        guard let bytes, try MessageDigest.sha256.text(of: bytes) == digest else {
            throw PatchError(.feedMismatch, "\(file): missing, or not the file that is signed")
        }
        return bytes
    }

    /// The change so far, as files to keep until others have signed it, including the new targets.
    package var staged: [FeedFile] {
        var files = newTargets
        for role in FeedRole.drafted where changed.contains(role) {
            files.append(FeedFile(path: FeedLayout.staged(role.rawValue), bytes: file(of: role), replaces: true))
        }
        if changed.contains(.rollout) {
            files.append(FeedFile(path: FeedLayout.stagedList, bytes: listBytes, replaces: true))
        }
        return files
    }

    /// The paths of staged files, which may or may not exist.
    package static let stagedPaths = FeedRole.drafted.map { FeedLayout.staged($0.rawValue) } + [FeedLayout.stagedList]

    /// Loads a staged change.
    ///
    /// Anyone who can write to the folder may have made it, so each file has the next version of its role: a higher one would leave
    /// no versions to the owner, and a root with one is never read.
    ///
    /// - Parameter floor: A version that the change may pass by, as it was staged.
    /// - Throws: `config` if the feed has changed since then, `feed-mismatch` if a version is not the next one.
    package mutating func loadStagedChange(
        above floor: Int = 0, reading read: (String) throws(PatchError) -> [UInt8]?
    ) throws(PatchError) -> Bool {
        for role in FeedRole.drafted {
            let path = FeedLayout.staged(role.rawValue)
            guard let bytes = try read(path) else { continue }
            let file = try SignedMetadata(bytes, name: path, type: role.type)
            guard file.version > bodies[role].version else {
                throw PatchError(.config, "\(path): the feed has changed since this was staged", remedy: .repeatStaged)
            }
            let highest = highestStaged(role, above: floor)
            guard file.version <= highest else {
                throw PatchError(
                    .feedMismatch, "\(path): is of version \(file.version), but the next one is \(highest)",
                    remedy: .giveFloorOrDropStaged)
            }
            try bodies.take(file, as: role)
            signatures[role] = file.signatures
            changed.insert(role)
        }
        if let bytes = try read(FeedLayout.stagedList) {
            let listed = bodies.rollout.targets
            guard listed.count == 1, let target = listed[ExactString(PatchList.path(for: app))] else {
                throw PatchError(
                    .feedMalformed, "\(FeedLayout.staged(FeedRole.rollout.rawValue)): expected the list alone")
            }
            _ = try PatchList(decoding: bytes)
            try target.file.check(bytes, of: FeedLayout.stagedList)
            let old = list
            list = PatchListDraft(try JSONValue(of: FeedLayout.stagedList, parsing: bytes))
            hasNewList = list.json.encoded() != old.json.encoded()
            // Nothing but the list, which is shown, is taken from the staged file.
            try describeList()
        } else if changed.contains(.rollout) {
            throw PatchError(
                .feedUnavailable,
                "\(FeedLayout.stagedList): missing, although \(FeedLayout.staged(FeedRole.rollout.rawValue)) is there")
        }
        // Signatures that no key of the role has made are dropped. A signer would believe them, and devices would find too many.
        for role in changed {
            signatures[role] = try Self.sound(
                signatures[role, default: []], over: bodies[role].json.canonical, by: holders(of: role))
        }
        return !changed.isEmpty
    }

    /// The highest version that a staged file may have.
    private func highestStaged(_ role: FeedRole, above floor: Int) -> Int {
        let version = bodies[role].version
        guard role != .root else { return version + 1 }
        let last = max(version, orphanedVersions[role] ?? 0, floor)
        // An urgent change that was interrupted before its first file has already moved the list one version up.
        return last + (role == .rollout ? 2 : 1)
    }

    // MARK: finishing

    /// Makes the files of the change, in the order in which they must be written.
    ///
    /// - Throws: `feed-signature` if signatures are missing.
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
            bodies.snapshot.change = (hasNewList ? list.change : details.stamp, bodies.root.version)
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
    func files() throws(PatchError) -> [FeedFile] {
        guard changed.allSatisfy({ SignedMetadata.versions.contains(bodies[$0].version) }) else {
            throw PatchError(
                .feedLimit, "a version of the metadata is as high as it may be",
                hint: "was the feed tampered with? rotate the keys of its roles")
        }
        // Devices read at most this many bytes of each file.
        let limits = FeedLimits()
        let sizes: [FeedRole: Int] = [
            .root: limits.root, .timestamp: limits.timestamp, .snapshot: limits.snapshot, .targets: limits.targets,
            .rollout: limits.targets,
        ]
        for role in FeedRole.allCases where changed.contains(role) {
            let (size, limit) = (file(of: role).count, sizes[role] ?? 0)
            guard size <= limit else {
                throw PatchError(
                    .feedLimit, "the metadata of the role \(role) would have \(size) bytes; devices read \(limit)",
                    remedy: .prune)
            }
        }
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
        // The new files are signed with the old keys too. So the new root can come last, and no client ever finds files that its
        // root does not allow.
        let isRoot = { (file: FeedFile) in FeedLayout.isRoot(file.path) }
        return versioned.filter { !isRoot($0) } + [timestamp] + versioned.filter(isRoot)
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

    private mutating func signAnew(_ role: FeedRole, _ signers: [FeedSigner]) throws(PatchError) -> Missing? {
        guard changed.contains(role) else { return nil }
        // The files that it lists may have changed since it was signed.
        signatures[role] = []
        try sign(role, with: signers)
        return try missing(of: role).first
    }

    static func unsigned(_ role: FeedRole, _ ids: [String]) -> PatchError {
        PatchError(.feedSignature, "the role \(role) is not signed", remedy: .giveKeys(of: role, ids: ids))
    }

    private var listBytes: [UInt8] { list.json.encoded() + [0x0A] }

    private mutating func describeList() throws(PatchError) {
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

    private func description(of role: FeedRole) throws(PatchError) -> MetadataDescription {
        let bytes = file(of: role)
        let digest = try MessageDigest.sha256.text(of: bytes)
        return MetadataDescription(version: bodies[role].version, FileDescription(length: bytes.count, sha256: digest))
    }
}
