package import PatchCrypto
internal import PatchFeed

extension FeedRepository {
    /// A role that needs more signatures.
    package struct Missing: Sendable {
        package let role: Role
        /// How many more are needed at least.
        package let count: Int
        /// The ids of the keys that have not signed yet.
        package let keyIDs: [String]
    }

    /// Signs what has changed with each key that may sign it: all but the snapshot and the timestamp, which are made last.
    package mutating func sign(with signers: [FeedSigner]) throws(PatchError) {
        if changed.contains(.rollout), drafts[.rollout]?.signatures.isEmpty == true { try describeList() }
        for role in Role.drafted where changed.contains(role) { try sign(role, with: signers) }
    }

    private mutating func sign(_ role: Role, with signers: [FeedSigner]) throws(PatchError) {
        guard let payload = drafts[role]?.payload else { return }
        let ids = signingIDs(of: role)
        for signer in signers {
            guard let id = signer.keyID, ids.contains(id), !hasSigned(id, role) else { continue }
            drafts[role]?.add(try signer.sign(payload), by: id)
        }
        for signer in signers where signer.keyID == nil {
            guard try missing(of: role).count > 0 else { return }
            let signature = try signer.sign(payload)
            for holder in try holders(of: role) {
                if let id = try holder.signer(of: signature, over: payload) { drafts[role]?.add(signature, by: id) }
            }
        }
    }

    private func hasSigned(_ id: String, _ role: Role) -> Bool {
        drafts[role]?.signatures.contains { $0.keyID == id } == true
    }

    /// What a person in another room signs for a role; nil if the role does not change.
    package func payload(of role: Role) -> [UInt8]? { changed.contains(role) ? drafts[role]?.payload : nil }

    /// Takes a signature that was made elsewhere, of any key that may sign the role.
    ///
    /// - Returns: The key's id.
    /// - Throws: `feed-signature` if it is of none of them.
    package mutating func attach(_ signature: [UInt8], to role: Role) throws(PatchError) -> String {
        guard let payload = payload(of: role) else {
            throw PatchError(.config, "the role \(role) has nothing to sign")
        }
        for holder in try holders(of: role) {
            if let id = try holder.signer(of: signature, over: payload) {
                drafts[role]?.add(signature, by: id)
                return id
            }
        }
        throw PatchError(
            .feedSignature, "not a signature over what the role \(role) signs, by one of its keys",
            hint: "sign exactly what `feed sign --detach` prints: Ed25519 over the bytes, ECDSA or RSA-PSS with SHA-256"
        )
    }

    /// The roles whose changes need more signatures, without the snapshot and the timestamp, which are made last.
    package func missing() throws(PatchError) -> [Missing] {
        var all: [Missing] = []
        for role in Role.drafted where changed.contains(role) { all += try missing(of: role) }
        return all
    }

    private func missing(of role: Role) throws(PatchError) -> [Missing] {
        guard let draft = drafts[role] else { return [] }
        var (most, ids): (Int, [String]) = (0, [])
        // A new root needs the old keys and the new ones. A key of both counts for both.
        for holder in try holders(of: role) {
            let count = try holder.count(draft.signatures, over: draft.payload)
            guard count < holder.threshold else { continue }
            most = max(most, holder.threshold - count)
            ids += holder.ids.filter { id in !hasSigned(id, role) && !ids.contains(id) }
        }
        return most == 0 ? [] : [Missing(role: role, count: most, keyIDs: ids)]
    }

    /// The keys that must sign a role's change: for a new root, those of the old root too.
    private func holders(of role: Role) throws(PatchError) -> [RoleKeys] {
        switch role {
        case .rollout:
            let object = try JSONObject(drafts[.targets]?.signed["delegations"], "delegations")
            let entry = try JSONObject(object["roles"]?.elements.first, "rollout")
            return [try RoleKeys(entry, known: FeedKeys(object.object("keys")))]
        case .root: return [try Self.keys(of: .root, in: oldRoot), try Self.keys(of: .root, in: drafts[.root]?.signed)]
        case .targets, .snapshot, .timestamp: return [try Self.keys(of: role, in: drafts[.root]?.signed)]
        }
    }

    private static func keys(of role: Role, in root: JSONValue?) throws(PatchError) -> RoleKeys {
        let object = try JSONObject(root, "root.json")
        return try RoleKeys(object.object("roles").object(role.rawValue), known: FeedKeys(object.object("keys")))
    }

    /// The ids of the keys that sign a role: those that it had before the change too, so that a client that reads while
    /// the root changes finds files that both roots allow.
    private func signingIDs(of role: Role) -> Set<String> {
        let old = role == .rollout ? [] : oldRoot["roles"]?[role.rawValue]?["keyids"]?.elements.compactMap(\.text) ?? []
        return Set(keys(of: role).ids).union(old)
    }

    /// Checks that a timestamp file that is served is not newer than this feed's own.
    ///
    /// - Throws: `feed-rollback` if it is newer, `feed-signature` if this feed's keys have not signed it.
    package func check(served bytes: [UInt8]) throws(PatchError) {
        let file = try SignedMetadata(bytes, name: "the served timestamp.json", type: "timestamp")
        try file.verify(by: Self.keys(of: .timestamp, in: oldRoot))
        let (served, own) = (try TimestampMetadata(file).version, state(of: .timestamp).version)
        guard served <= own else {
            throw PatchError(
                .feedRollback, "the served timestamp.json is of version \(served), but this folder's of version \(own)",
                hint: "another copy of the feed was changed since: work on that one")
        }
    }

    // MARK: staging

    /// The bytes of a target that is new; nil if it is not.
    package func newTarget(_ path: String) -> [UInt8]? {
        let names = path.split(separator: "/")
        return newTargets.last { file in
            file.path.hasPrefix("targets/" + names.dropLast().joined(separator: "/"))
                && file.path.hasSuffix(".\(names.last ?? "")")
        }?.bytes
    }

    /// The change so far, as files to keep until others have signed it; the new targets are among them.
    package var staged: [File] {
        var files = newTargets
        for role in Role.drafted where changed.contains(role) {
            if let draft = drafts[role] {
                files.append(File(path: Self.stagedPath(role), bytes: draft.encoded, replaces: true))
            }
        }
        if changed.contains(.rollout) { files.append(File(path: Self.stagedList, bytes: listBytes, replaces: true)) }
        return files
    }

    /// The places of staged files, which may or may not be there.
    package static let stagedPaths = Role.drafted.map(stagedPath) + [stagedList]
    private static let stagedList = "staged/list.json"
    private static func stagedPath(_ role: Role) -> String { "staged/\(role).json" }

    /// Takes up a change that was staged.
    ///
    /// - Parameter read: Reads a file below the feed's folder; nil if there is none.
    /// - Returns: Whether there is one.
    /// - Throws: `config` if the feed has changed since.
    package mutating func takeUp(reading read: (String) throws(PatchError) -> [UInt8]?) throws(PatchError) -> Bool {
        for role in Role.drafted {
            let path = Self.stagedPath(role)
            guard let bytes = try read(path) else { continue }
            let draft = MetadataDraft(try SignedMetadata(bytes, name: path, type: role.type))
            guard draft.version > drafts[role]?.version ?? 0 else {
                throw PatchError(
                    .config, "\(path): the feed has changed since this was staged",
                    hint: "patchpack feed sign DIR --discard, and make the change again")
            }
            drafts[role] = draft
            changed.insert(role)
        }
        if let bytes = try read(Self.stagedList) {
            let listed = try JSONObject(drafts[.rollout]?.signed["targets"], "staged/rollout.json: targets")
            guard listed.members.count == 1 else { throw listed.fault("targets", "expected the list alone") }
            _ = try PatchList(decoding: bytes)
            try FeedTarget(path: Self.stagedList, listed.object(PatchList.path(for: app))).check(bytes)
            list = PatchListDraft(try JSONValue(of: Self.stagedList, parsing: bytes))
        } else if changed.contains(.rollout) {
            throw PatchError(.feedUnavailable, "\(Self.stagedList): missing, although staged/rollout.json is there")
        }
        // What no key of the role has made is not carried on: a signer would take it for a signature, and devices for too much.
        for role in changed {
            let holders = try holders(of: role)
            guard let draft = drafts[role] else { continue }
            var sound: [MetadataSignature] = []
            for signature in draft.signatures {
                for holder in holders
                where try holder.signer(of: signature.bytes, over: draft.payload)?.hasBytes(of: signature.keyID) == true
                {
                    sound.append(signature)
                    break
                }
            }
            drafts[role]?.keep(sound)
        }
        return !changed.isEmpty
    }

    // MARK: finishing

    /// Makes the files of the change, in the order in which to write them.
    ///
    /// - Parameters:
    ///   - signers: The keys at hand, among them those of the snapshot and timestamp roles.
    ///   - now: The time of signing.
    /// - Throws: `feed-signature` if signatures are missing.
    package mutating func files(signedBy signers: [FeedSigner], at now: Timestamp) throws(PatchError) -> [File] {
        try sign(with: signers)
        if let first = try missing().first { throw Self.unsigned(first.role, first.keyIDs) }
        if !changed.isDisjoint(with: [.targets, .rollout, .snapshot, .root]) {
            touch(.snapshot, at: now)
            for role in [Role.targets, .rollout] { try describe(role, in: .snapshot) }
            let change = change(at: now)
            drafts[.snapshot]?.signed.set("change", change)
            if let previous {
                let hashes = JSONValue.object([("sha256", .string(previous.sha256))])
                drafts[.snapshot]?.signed.set(
                    "previous", .object([("hashes", hashes), ("version", .integer(previous.version))]))
            }
        }
        touch(.timestamp, at: now)
        // The snapshot is signed before the timestamp, which has its hash.
        try finish(.snapshot, signers)
        try describe(.snapshot, in: .timestamp)
        try finish(.timestamp, signers)

        guard changed.allSatisfy({ SignedMetadata.versions.contains(drafts[$0]?.version ?? 0) }) else {
            throw PatchError(
                .feedLimit, "a version of the metadata is as high as it may be",
                hint: "was the feed tampered with? rotate the keys of its roles")
        }
        // A device reads no more of each.
        let limits = FeedLimits()
        let sizes: [Role: Int] = [
            .root: limits.root, .timestamp: limits.timestamp, .snapshot: limits.snapshot, .targets: limits.targets,
            .rollout: limits.targets,
        ]
        for role in Role.allCases where changed.contains(role) {
            let (size, limit) = (drafts[role]?.encoded.count ?? 0, sizes[role] ?? 0)
            guard size <= limit else {
                throw PatchError(
                    .feedLimit, "the metadata of the role \(role) would have \(size) bytes; devices read \(limit)",
                    hint: "patchpack feed prune DIR ID…")
            }
        }
        var versioned = newTargets
        if changed.contains(.rollout) {
            let bytes = listBytes
            let place = Self.place(of: PatchList.path(for: app), sha256: try MessageDigest.sha256.text(of: bytes))
            versioned.append(File(path: place, bytes: bytes, replaces: false))
        }
        for role in Role.allCases where changed.contains(role) && role != .timestamp {
            guard let draft = drafts[role] else { continue }
            versioned.append(
                File(path: "metadata/\(draft.version).\(role).json", bytes: draft.encoded, replaces: false))
        }
        let timestamp = File(path: "metadata/timestamp.json", bytes: drafts[.timestamp]?.encoded ?? [], replaces: true)
        guard changed.contains(.root), MetadataDraft(oldRoot).version > 0, try isValidUnderOldRoot() else {
            return versioned + [timestamp]
        }
        // What is new is signed by the old keys too, so the new root can come last, and no client ever finds files that its
        // root does not allow.
        let isRoot = { (file: File) in file.path.hasSuffix(".root.json") }
        return versioned.filter { !isRoot($0) } + [timestamp] + versioned.filter(isRoot)
    }

    /// Whether the old root's keys have signed everything that changes.
    private func isValidUnderOldRoot() throws(PatchError) -> Bool {
        for role in [Role.targets, .snapshot, .timestamp] where changed.contains(role) {
            guard let draft = drafts[role] else { continue }
            let keys = try Self.keys(of: role, in: oldRoot)
            guard try keys.count(draft.signatures, over: draft.payload) >= keys.threshold else { return false }
        }
        return true
    }

    private mutating func finish(_ role: Role, _ signers: [FeedSigner]) throws(PatchError) {
        guard changed.contains(role) else { return }
        // What it lists may have changed since it was signed.
        if let draft = drafts[role] { drafts[role] = MetadataDraft(draft.signed) }
        try sign(role, with: signers)
        if let first = try missing(of: role).first { throw Self.unsigned(role, first.keyIDs) }
    }

    private static func unsigned(_ role: Role, _ ids: [String]) -> PatchError {
        let name =
            switch role {
            case .root: "a root key"
            case .targets: "a release key"
            case .rollout, .snapshot, .timestamp: "an online key"
            }
        return PatchError(
            .feedSignature, "the role \(role) is not signed",
            hint: "give \(name) with --key: \(FeedKey.short(ids))")
    }

    private var listBytes: [UInt8] { list.json.encoded() + [0x0A] }

    /// Puts the list's length and hash into the rollout role's metadata.
    private mutating func describeList() throws(PatchError) {
        let bytes = listBytes
        let entries = list.entries.count
        for (count, limit, unit) in [
            (entries, PatchList.entryLimit, "entries"), (bytes.count, PatchList.byteLimit, "bytes"),
        ]
        where count > limit {
            throw PatchError(
                .feedLimit, "the list would have \(count) \(unit); at most \(limit) are allowed",
                hint: "patchpack feed prune DIR ID…")
        }
        let digest = try MessageDigest.sha256.text(of: bytes)
        let listed = JSONValue.object([(PatchList.path(for: app), Self.description(of: bytes.count, digest))])
        drafts[.rollout]?.signed.set("targets", listed)
    }

    /// Puts the version, length and hash of a role's file into another role's `meta`.
    private mutating func describe(_ role: Role, in other: Role) throws(PatchError) {
        guard let draft = drafts[role], changed.contains(role) else { return }
        let bytes = draft.encoded
        var entry = Self.description(of: bytes.count, try MessageDigest.sha256.text(of: bytes))
        entry.set("version", .integer(draft.version))
        drafts[other]?.signed.change("meta") { $0.set("\(role).json", entry) }
    }
}
