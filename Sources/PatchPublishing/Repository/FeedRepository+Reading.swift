package import PatchCrypto
internal import PatchFeed

extension FeedRepository {
    /// How many versions may have files that no metadata list. An interrupted run leaves one.
    private static let mostOrphans = 100

    /// Reads a feed, and checks as much as a client, because a change signs the unchanged parts along with it. Only
    /// expiry is not checked, so that an expired feed can be refreshed.
    ///
    /// - Parameters:
    ///   - root: A root file that does not come from the feed's own folder. Trust starts with it.
    ///   - isInterrupted: Whether to accept files that are signed only with the keys from before the last change of
    ///     keys, because that change was interrupted.
    ///   - number: The snapshot to read; nil for the one that the timestamp lists.
    /// - Throws: `feed-unavailable` if a file is missing; `feed-malformed`, `feed-signature`, `feed-rollback`,
    ///   `feed-mismatch` or `feed-limit` if a file is not the feed's.
    package init(
        root: [UInt8], isInterrupted: Bool = false, snapshot number: Int? = nil,
        _ read: (String) throws(PatchError) -> [UInt8]?
    ) throws(PatchError) {
        // An earlier state may be signed with the keys of any earlier root.
        let earlierRoots: Int =
            if number != nil {
                .max
            } else if isInterrupted {
                1
            } else {
                0
            }
        var trusted = try Self.trusted(from: root, earlierRoots: earlierRoots, snapshot: number, read)

        func take(_ path: String, _ update: ([UInt8]) throws(PatchError) -> Void) throws(PatchError) -> [UInt8] {
            let bytes = try Self.file(path, read)
            do throws(PatchError) { try update(bytes) } catch { throw error.hinting(Self.foreignHint) }
            return bytes
        }

        _ = try take(FeedLayout.timestamp) { bytes throws(PatchError) in
            try trusted.update(timestamp: bytes, called: FeedLayout.timestamp)
        }
        guard let timestamp = trusted.timestamp, let listed = trusted.listedSnapshot else { throw Self.unread }
        let path = FeedLayout.snapshot(listed.version)
        let snapshotBytes = try take(path) { bytes throws(PatchError) in
            try trusted.update(snapshot: bytes, called: path)
        }
        guard let snapshot = trusted.snapshot else { throw Self.unread }

        var approvals: [FeedRole: [String]] = [:]
        func takeTargets(_ key: TrustedMetadata.TargetsKey, by keys: [RoleKeys]) throws(PatchError) -> TargetsMetadata {
            let path = FeedLayout.metadata(key.role, version: try snapshot.entry(of: key.role).version)
            var file: SignedMetadata?
            _ = try take(path) { bytes throws(PatchError) in
                file = try trusted.update(targets: bytes, of: key, by: keys, called: path)
            }
            guard let file, let targets = trusted.targets[key] else { throw Self.unread }
            if let role = FeedRole(rawValue: key.role) {
                approvals[role] = try Self.sound(file.signatures, over: file.payload, by: keys).map(\.keyID)
            }
            return targets
        }

        let targets = try takeTargets(.top, by: trusted.keys(of: \.targets))
        guard let delegation = targets.delegation(to: .rollout) else {
            throw Self.noList
        }
        let rollout = try takeTargets(
            .init(role: delegation.role, delegator: FeedRole.targets.rawValue), by: [delegation.keys])
        let list = try Self.list(of: rollout, read)

        var bodies = MetadataBodies(
            root: trusted.root, targets: targets, rollout: rollout, snapshot: snapshot, timestamp: timestamp)
        var knowsRoot = true
        if number != nil {
            let roots = [trusted.root] + trusted.earlierRoots
            let root = try Self.root(of: snapshot, in: snapshotBytes, called: path, among: roots)
            knowsRoot = root != nil
            if let root { bodies.root = root }
        }
        self.init(
            bodies: bodies, oldRoot: bodies.root, list: PatchListDraft(list),
            stale: Set(FeedRole.allCases.filter { $0 != .rollout && trusted.staleTypes.contains($0.type) }),
            orphanedVersions: number == nil ? try Self.orphanedVersions(by: bodies, read) : [:],
            knowsRoot: knowsRoot, previous: (snapshot.version, try MessageDigest.sha256.text(of: snapshotBytes)))
        if knowsRoot { approvals[.root] = try Self.approvals(of: bodies.root, after: trusted.earlierRoots, read) }
        self.approvals = approvals
    }

    /// The root of an earlier state, as its snapshot names it. An old snapshot may name none, and a thief's a wrong
    /// one.
    ///
    /// - Returns: nil if it is none of these roots, or one whose keys have not signed the snapshot.
    private static func root(
        of snapshot: SnapshotMetadata, in bytes: [UInt8], called path: String, among roots: [RootMetadata]
    ) throws(PatchError) -> RootMetadata? {
        let file = try SignedMetadata(bytes, name: path, type: SnapshotMetadata.type)
        return roots.first { root in
            root.version == snapshot.change.root && (try? file.verify(by: root.snapshot)) != nil
        }
    }

    /// The ids of the keys that have signed a root: its own, and those of the root before it.
    ///
    /// - Returns: nil if its file is missing.
    private static func approvals(
        of root: RootMetadata, after earlier: [RootMetadata], _ read: (String) throws(PatchError) -> [UInt8]?
    ) throws(PatchError) -> [String]? {
        guard let bytes = try read(FeedLayout.root(root.version)) else { return nil }
        let file = try SignedMetadata(bytes, name: FeedRole.root.rawValue, type: FeedRole.root.type)
        let roots = [root] + earlier.filter { $0.version == root.version - 1 }
        return try sound(file.signatures, over: file.payload, by: roots.map(\.root)).map(\.keyID)
    }

    /// The signatures that were made with the keys that they name, in order.
    static func sound(
        _ signatures: [MetadataSignature], over payload: [UInt8], by holders: [RoleKeys]
    ) throws(PatchError) -> [MetadataSignature] {
        var sound: [MetadataSignature] = []
        for signature in signatures {
            for holder in holders
            where try holder.signer(of: signature.bytes, over: payload)?.isByteEqual(to: signature.keyID) == true {
                sound.append(signature)
                break
            }
        }
        return sound
    }

    /// Reads a feed, trusting its own first root file. This does not prove whose feed it is.
    package init(trustingItself read: (String) throws(PatchError) -> [UInt8]?) throws(PatchError) {
        try self.init(root: Self.file(FeedLayout.firstRoot, read), read)
    }

    /// The version of a root file that its own keys have signed.
    ///
    /// - Throws: `feed-malformed` or `feed-signature` if it is not one.
    package static func version(ofRoot bytes: [UInt8]) throws(PatchError) -> Int {
        let file = try SignedMetadata(bytes, name: "root.json", type: RootMetadata.type)
        try file.verify(by: RootMetadata(file).root)
        return file.version
    }

    private static let foreignHint =
        "this file is not the feed's, or was damaged: take the folder from a backup, and see who else can write to it"

    private static let noList = PatchError(
        .feedMalformed, "this feed has no list of patches", hint: "was it made by another tool?")

    private static let unread = PatchError(.internal, "metadata that were read are not there")

    /// Reads a file that the feed must have.
    ///
    /// - Throws: `feed-unavailable` if it is missing.
    private static func file(
        _ path: String, _ read: (String) throws(PatchError) -> [UInt8]?
    ) throws(PatchError) -> [UInt8] {
        guard let bytes = try read(path) else {
            guard path != FeedLayout.timestamp, path != FeedLayout.firstRoot else { throw .noFeed(path) }
            throw PatchError(
                .feedUnavailable, "\(path): missing", hint: "take the folder from a backup, or from the server")
        }
        return bytes
    }

    /// The last version of each role that has a file, even if no metadata list it.
    ///
    /// - Throws: `feed-mismatch` if there are more such files than interrupted runs leave.
    private static func orphanedVersions(
        by bodies: MetadataBodies, _ read: (String) throws(PatchError) -> [UInt8]?
    ) throws(PatchError) -> [FeedRole: Int] {
        var orphanedVersions: [FeedRole: Int] = [:]
        for role in [FeedRole.targets, .rollout, .snapshot] {
            let version = bodies[role].version
            var last = version
            while try read(FeedLayout.metadata(role.rawValue, version: last + 1)) != nil {
                last += 1
                guard last - version < mostOrphans else {
                    throw PatchError(
                        .feedMismatch,
                        "\(FeedLayout.metadata(role.rawValue, version: last)): nothing lists this file and many before it",
                        hint: foreignHint)
                }
            }
            orphanedVersions[role] = last
        }
        return orphanedVersions
    }

    /// Reads the roots, from a trusted one to the newest. Each is signed with the keys of the one before.
    ///
    /// - Parameters:
    ///   - pinned: The trusted root file.
    ///   - earlierRoots: How many roots back the keys may be that signed the other files, after a change of keys was
    ///     interrupted.
    ///   - snapshot: The snapshot to read; nil for the newest.
    /// - Throws: `feed-rollback` if the feed does not have the trusted root yet, `feed-mismatch` if it has another one,
    ///   `feed-unavailable` if there is no feed, and why a newer root cannot be trusted.
    static func trusted(
        from pinned: [UInt8], earlierRoots: Int, snapshot: Int? = nil,
        _ read: (String) throws(PatchError) -> [UInt8]?
    ) throws(PatchError) -> TrustedMetadata {
        var leniency = ReadingLeniency()
        leniency.ignoresEnds = true
        leniency.earlierRoots = earlierRoots
        leniency.snapshot = snapshot
        // With this leniency, nothing is compared with the time.
        var trusted = try TrustedMetadata(root: pinned, start: Timestamp(nearestTo: 0), leniency: leniency)
        let path = FeedLayout.root(trusted.root.version)
        let own: [UInt8]? = try trusted.root.version == 1 ? file(path, read) : read(path)
        guard let own else {
            throw PatchError(
                .feedRollback, "\(path): missing, but this signer has seen it: the folder is older than that",
                remedy: .trustOlderRoot)
        }
        guard own == pinned else {
            throw PatchError(.feedMismatch, "\(path): not the root file that is trusted", hint: foreignHint)
        }
        while let bytes = try read(FeedLayout.root(trusted.root.version + 1)) {
            do throws(PatchError) {
                guard bytes.count <= FeedLimits().root else {
                    throw PatchError(.feedLimit, "\(trusted.root.version + 1).root.json: more than devices read")
                }
                try trusted.update(root: bytes)
            } catch {
                throw error.hinting(foreignHint)
            }
        }
        return trusted
    }

    /// The list that the rollout role has signed.
    ///
    /// - Throws: `feed-malformed` or `feed-limit` if it is none, `feed-unavailable` if it is missing, `feed-mismatch`
    ///   if it is not the file that is signed, or is of another app.
    private static func list(
        of rollout: TargetsMetadata, _ read: (String) throws(PatchError) -> [UInt8]?
    ) throws(PatchError) -> JSONValue {
        guard rollout.targets.count == 1, let target = rollout.targets.values.first else { throw noList }
        let bytes = try file(URLPath.target(target, isConsistent: true), read)
        do throws(PatchError) { try target.check(bytes) } catch { throw error.hinting(foreignHint) }
        let json = try PatchList.json(decoding: bytes)
        guard try PatchList.path(for: PatchList(json).app).isByteEqual(to: target.path) else {
            throw PatchError(.feedMismatch, "\(target.path): the list is of another app")
        }
        return json
    }
}
