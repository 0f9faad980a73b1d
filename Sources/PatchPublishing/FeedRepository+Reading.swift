package import PatchCrypto
internal import PatchFeed

extension FeedRepository {
    /// How a feed is read.
    package struct Reading: Sendable {
        /// A root file that does not come from the feed's own folder. Trust begins at it.
        let root: [UInt8]
        /// Whether files count that only the keys before the last change of keys have signed, because that change was
        /// interrupted.
        let isInterrupted: Bool
        /// The snapshot to read; nil for the one that the timestamp lists.
        let snapshot: Int?

        package init(root: [UInt8], isInterrupted: Bool = false, snapshot: Int? = nil) {
            self.root = root
            self.isInterrupted = isInterrupted
            self.snapshot = snapshot
        }
    }

    /// How many versions may have files that no metadata list. An interrupted run leaves one.
    private static let mostTaken = 100

    /// Reads a feed as a client does, from a trusted root on. What a change leaves as it is will be signed along with it. Only
    /// the ends are not looked at, so that a feed that has expired can be refreshed.
    ///
    /// - Parameter read: Reads a file below the feed's folder; nil if there is none.
    /// - Throws: `feed-malformed`, `feed-signature`, `feed-rollback` or `feed-mismatch` if a file is not the feed's.
    package init(_ reading: Reading, _ read: (String) throws(PatchError) -> [UInt8]?) throws(PatchError) {
        let roots = try Self.roots(from: reading.root, read)
        guard let newest = roots.last else { throw PatchError(.internal, "no root") }
        // The keys that may have signed a file: the newest root's, unless older ones are asked for.
        let allowed = (reading.snapshot != nil ? roots : reading.isInterrupted ? roots.suffix(2) : [newest]).reversed()
        var stale: Set<Role> = []
        var digest = ""

        /// Reads a file, and checks that it is the one that is listed, and that the role's keys have signed it.
        func metadata(
            _ role: Role, _ listed: MetadataDescription?, by keys: [RoleKeys]
        ) throws(PatchError) -> SignedMetadata {
            let path = "metadata/\(listed.map { "\($0.version)." } ?? "")\(role).json"
            let bytes = try Self.file(path, read)
            if role == .snapshot { digest = try MessageDigest.sha256.text(of: bytes) }
            do throws(PatchError) {
                try listed?.file.check(bytes, of: path)
                let file = try SignedMetadata(bytes, name: path, type: role.type)
                guard file.version == listed?.version ?? file.version else {
                    throw PatchError(.feedMismatch, "\(path): is of version \(file.version)")
                }
                return try Self.verified(file, by: keys) { stale.insert(role) }
            } catch {
                throw error.hinting(Self.isForeign)
            }
        }

        let timestamp = try metadata(.timestamp, nil, by: allowed.map(\.root.timestamp))
        let timestampBody = try TimestampMetadata(timestamp)
        var listed = timestampBody.snapshot
        if let version = reading.snapshot { listed = MetadataDescription(version: version) }
        let snapshot = try metadata(.snapshot, listed, by: allowed.map(\.root.snapshot))
        let files = try SnapshotMetadata(snapshot)
        let targets = try metadata(.targets, files.entry(of: Role.targets.rawValue), by: allowed.map(\.root.targets))
        let targetsBody = try TargetsMetadata(targets)
        guard let delegation = targetsBody.delegations.first(where: { $0.role == Role.rollout.rawValue }) else {
            throw PatchError(.feedMalformed, "this feed has no list of patches", hint: "was it made by another tool?")
        }
        let rollout = try metadata(.rollout, files.entry(of: Role.rollout.rawValue), by: [delegation.keys])
        let rolloutBody = try TargetsMetadata(rollout)
        let list = try Self.list(of: rolloutBody, read)

        var taken: [Role: Int] = [:]
        if reading.snapshot == nil {
            for (role, version) in [
                (Role.targets, targets.version), (.rollout, rollout.version), (.snapshot, snapshot.version),
            ] {
                var last = version
                while try read("metadata/\(last + 1).\(role).json") != nil {
                    last += 1
                    guard last - version < Self.mostTaken else {
                        throw PatchError(
                            .feedMismatch, "metadata/\(last).\(role).json: nothing lists this file and many before it",
                            hint: Self.isForeign)
                    }
                }
                taken[role] = last
            }
        }
        // An earlier state had the root of its time, which it may not say, or not say rightly.
        var root: (file: SignedMetadata, root: RootMetadata)? = newest
        if reading.snapshot != nil {
            root = nil
            if let version = files.change.root {
                root = roots.first { $0.root.version == version && (try? snapshot.verify(by: $0.root.snapshot)) != nil }
            }
        }
        self.init(
            Bodies(
                root: root?.root ?? newest.root, targets: targetsBody, rollout: rolloutBody, snapshot: files,
                timestamp: timestampBody),
            list: PatchListDraft(list), stale: stale, taken: taken, previous: (snapshot.version, digest))
        knowsRoot = root != nil
    }

    /// Reads a feed as its own first root file says, which proves nothing about whose feed it is.
    package init(trustingItself read: (String) throws(PatchError) -> [UInt8]?) throws(PatchError) {
        try self.init(Reading(root: Self.file("metadata/1.root.json", read)), read)
    }

    /// The version of a root file that its own keys have signed.
    package static func version(ofRoot bytes: [UInt8]) throws(PatchError) -> Int {
        guard let start = Timestamp(secondsSince1970: 0) else { throw PatchError(.internal, "no time") }
        return try TrustedMetadata(root: bytes, start: start).root.version
    }

    private static let isForeign =
        "this file is not the feed's, or was damaged: take the folder from a backup, and see who else can write to it"

    private static func file(
        _ path: String, _ read: (String) throws(PatchError) -> [UInt8]?
    ) throws(PatchError) -> [UInt8] {
        guard let bytes = try read(path) else {
            let isFirst = path == "metadata/timestamp.json" || path == "metadata/1.root.json"
            throw PatchError(
                .feedUnavailable,
                isFirst ? "\(path): missing, so this is not the folder of a feed" : "\(path): missing",
                hint: isFirst
                    ? "make one: patchpack feed init DIR" : "take the folder from a backup, or from the server")
        }
        return bytes
    }

    /// The roots from a trusted one to the newest. Each is signed by the keys of the one before.
    static func roots(
        from pinned: [UInt8], _ read: (String) throws(PatchError) -> [UInt8]?
    ) throws(PatchError) -> [(file: SignedMetadata, root: RootMetadata)] {
        // Long ago, so that nothing has expired.
        guard let start = Timestamp(secondsSince1970: 0) else { throw PatchError(.internal, "no time") }
        var trusted = try TrustedMetadata(root: pinned, start: start)
        let path = "metadata/\(trusted.root.version).root.json"
        guard let own = try trusted.root.version == 1 ? file(path, read) : read(path) else {
            throw PatchError(
                .feedRollback, "\(path): missing, but this signer has seen it: the folder is older than that",
                hint: "take the newest copy of the feed, or give --root with an older root file to go on with this one")
        }
        guard own == pinned else {
            throw PatchError(.feedMismatch, "\(path): not the root file that is trusted", hint: isForeign)
        }
        func entry(_ bytes: [UInt8]) throws(PatchError) -> (file: SignedMetadata, root: RootMetadata) {
            (try SignedMetadata(bytes, name: "root.json", type: "root"), trusted.root)
        }
        var roots = [try entry(pinned)]
        while let bytes = try read("metadata/\(trusted.root.version + 1).root.json") {
            do throws(PatchError) {
                guard bytes.count <= FeedLimits().root else {
                    throw PatchError(.feedLimit, "\(trusted.root.version + 1).root.json: more than devices read")
                }
                try trusted.update(root: bytes)
            } catch {
                throw error.hinting(isForeign)
            }
            roots.append(try entry(bytes))
        }
        return roots
    }

    /// Checks that the first of several sets of keys has signed a file, or else one of the others.
    ///
    /// - Parameter note: Called if it was one of the others.
    static func verified(
        _ file: SignedMetadata, by keys: [RoleKeys], else note: () -> Void
    ) throws(PatchError) -> SignedMetadata {
        var failure: PatchError?
        for keys in keys {
            do throws(PatchError) {
                try file.verify(by: keys)
                if failure != nil { note() }
                return file
            } catch {
                failure = failure ?? error
            }
        }
        throw failure ?? PatchError(.internal, "no keys")
    }

    /// The list that the rollout role's metadata describe.
    private static func list(
        of rollout: TargetsMetadata, _ read: (String) throws(PatchError) -> [UInt8]?
    ) throws(PatchError) -> JSONValue {
        guard rollout.targets.count == 1, let target = rollout.targets.values.first else {
            throw PatchError(.feedMalformed, "this feed has no list of patches", hint: "was it made by another tool?")
        }
        let bytes = try file(URLPath.target(target, isConsistent: true), read)
        do throws(PatchError) { try target.check(bytes) } catch { throw error.hinting(isForeign) }
        guard try PatchList.path(for: PatchList(decoding: bytes).app) == target.path else {
            throw PatchError(.feedMismatch, "\(target.path): the list is of another app")
        }
        return try JSONValue(of: target.path, parsing: bytes)
    }
}
