package import PatchCrypto
internal import PatchFeed

/// The repository side of a feed: changes the metadata and the list, signs them, and makes the files to write.
///
/// It reads no files and has no clock. Changes are drafted first. `files(signedBy:in:)` makes the files once there are enough
/// signatures.
package struct FeedRepository: Sendable {
    /// A role of a feed, in the order in which changes are signed.
    package enum Role: String, CaseIterable, Sendable {
        case targets, rollout, snapshot, root, timestamp

        /// How long its metadata are valid, in days.
        package var days: Int {
            switch self {
            case .root, .targets: 365
            case .rollout, .snapshot: 30
            case .timestamp: 7
            }
        }

        /// The name of its keys, as `feed init` has them.
        package var keyName: String {
            switch self {
            case .root: "the root key"
            case .targets: "the release key"
            case .rollout, .snapshot, .timestamp: "the online key"
            }
        }

        /// The roles whose changes may wait for signatures. The other two are made last, from these.
        static let drafted: [Role] = [.targets, .rollout, .root]

        /// The `_type` of its metadata.
        var type: String { self == .rollout ? TargetsMetadata.type : rawValue }

        /// The place of its keys in the root file; nil for the role that is delegated to.
        var rootKeys: WritableKeyPath<RootMetadata, RoleKeys>? {
            switch self {
            case .root: \.root
            case .targets: \.targets
            case .snapshot: \.snapshot
            case .timestamp: \.timestamp
            case .rollout: nil
            }
        }
    }

    /// A file to write, below the feed's folder.
    package struct File: Sendable {
        package let path: String
        /// Its size in bytes.
        package let size: Int
        /// Whether it replaces a file of the same name. Only the timestamp does.
        package let replaces: Bool
        private let read: @Sendable () throws(PatchError) -> [UInt8]

        /// Its bytes, which may be read only on access.
        package var bytes: [UInt8] { get throws(PatchError) { try read() } }

        package init(path: String, bytes: [UInt8], replaces: Bool) {
            (self.path, self.replaces, size) = (path, replaces, bytes.count)
            read = { bytes }
        }

        /// A file with the hash of its contents in its name, which is never replaced.
        package init(path: String, _ contents: Contents) {
            (self.path, replaces, size, read) = (path, false, contents.size, contents.read)
        }
    }

    /// The bytes of an envelope, or of another target.
    package struct Contents: Sendable {
        let size: Int
        let sha256: String
        let read: @Sendable () throws(PatchError) -> [UInt8]

        package init(_ bytes: [UInt8]) throws(PatchError) {
            (size, sha256) = (bytes.count, try MessageDigest.sha256.text(of: bytes))
            read = { bytes }
        }

        /// Makes contents whose bytes are not kept, but read again when they are needed. This saves memory if there are many
        /// files.
        ///
        /// - Parameter read: Reads the bytes. If they have changed by then, `feed-mismatch` is thrown.
        package init(
            _ bytes: [UInt8], readAgain read: @escaping @Sendable () throws(PatchError) -> [UInt8]
        ) throws(PatchError) {
            let digest = try MessageDigest.sha256.text(of: bytes)
            (size, sha256) = (bytes.count, digest)
            self.read = { () throws(PatchError) in
                let bytes = try read()
                guard try MessageDigest.sha256.text(of: bytes) == digest else {
                    throw PatchError(.feedMismatch, "a file was changed while it was used", hint: "run it again")
                }
                return bytes
            }
        }
    }

    /// The metadata that each role signs.
    struct Bodies: Sendable {
        var root: RootMetadata
        var targets: TargetsMetadata
        var rollout: TargetsMetadata
        var snapshot: SnapshotMetadata
        var timestamp: TimestampMetadata

        subscript(role: Role) -> any MetadataBody {
            switch role {
            case .root: root
            case .targets: targets
            case .rollout: rollout
            case .snapshot: snapshot
            case .timestamp: timestamp
            }
        }

        /// Sets the metadata of a role from a file.
        mutating func take(_ file: SignedMetadata, as role: Role) throws(PatchError) {
            switch role {
            case .root: root = try RootMetadata(file)
            case .targets: targets = try TargetsMetadata(file)
            case .rollout: rollout = try TargetsMetadata(file)
            case .snapshot: snapshot = try SnapshotMetadata(file)
            case .timestamp: timestamp = try TimestampMetadata(file)
            }
        }

        mutating func renew(_ role: Role, version: Int, expires: Timestamp) {
            switch role {
            case .root: (root.version, root.expires) = (version, expires)
            case .targets: (targets.version, targets.expires) = (version, expires)
            case .rollout: (rollout.version, rollout.expires) = (version, expires)
            case .snapshot: (snapshot.version, snapshot.expires) = (version, expires)
            case .timestamp: (timestamp.version, timestamp.expires) = (version, expires)
            }
        }
    }

    var bodies: Bodies
    /// The signatures of the changed roles.
    var signatures: [Role: [MetadataSignature]] = [:]
    /// The roles whose metadata change.
    package internal(set) var changed: Set<Role> = []
    /// The root metadata before the change, whose keys must also sign a new root.
    let oldRoot: RootMetadata
    package internal(set) var list: PatchListDraft
    /// Whether this change edits the list.
    var hasNewList = false
    /// The files of the new targets.
    private(set) var newTargets: [File] = []
    /// Roles that the newest root's keys have not signed yet, because a change of keys was interrupted.
    let stale: Set<Role>
    /// The last version of each role that has a file. After an interrupted run, no metadata may list it.
    let orphanedVersions: [Role: Int]
    /// Whether the root is the one of this state. Older versions of patchpack made states that do not record their root.
    package internal(set) var knowsRoot = true
    /// The ids of the keys that have signed the metadata of each role, as they were read.
    var approvals: [Role: [String]] = [:]
    /// The version of the snapshot before the change, and its file's SHA-256.
    let previous: (version: Int, sha256: String)?
    /// A version that no honest feed reaches. A thief of the online key may exceed it, to leave no versions to the owner.
    private static let mostHonest = 1 << 32
    /// Whether devices forget the versions that they have seen, because all keys of the timestamp or of the snapshot are new.
    var clientsForgetVersions = false

    // MARK: making

    /// Makes an empty feed.
    ///
    /// - Parameters:
    ///   - app: The app's reverse-DNS name.
    ///   - environment: The app's environment, such as `release`.
    ///   - root: The keys of the root role.
    ///   - rootThreshold: How many of them must sign.
    ///   - release: The keys of the targets role.
    ///   - releaseThreshold: How many of them must sign.
    ///   - online: The keys of the rollout, snapshot and timestamp roles, one of which must sign.
    ///   - now: The time of signing.
    package init(
        app: String, environment: String, root: [FeedKey], rootThreshold: Int, release: [FeedKey],
        releaseThreshold: Int, online: [FeedKey], at now: Timestamp
    ) throws(PatchError) {
        for (role, keys, threshold) in [("root", root, rootThreshold), ("targets", release, releaseThreshold)] {
            let count = Set(keys.map(\.id)).count
            guard count == keys.count else { throw PatchError(.config, "a key of the role \(role) is given twice") }
            guard count >= threshold else {
                throw PatchError(
                    .config, "the role \(role) would have \(count) keys, but needs \(threshold) signatures",
                    hint: "give more keys, or a lower threshold")
            }
        }
        let offline = Set(root.map(\.id)).union(release.map(\.id))
        if let shared = online.first(where: { offline.contains($0.id) }) {
            throw PatchError(
                .config, "the online key \(shared.id.prefix(16)) is also a root key or a release key",
                hint: "make another one: a thief of the online key must not be able to add code")
        }
        func known(_ keys: [FeedKey]) throws(PatchError) -> FeedKeys {
            var known = FeedKeys()
            for key in keys { try known.set(key.id, key.json) }
            return known
        }
        let (all, delegated) = (try known(root + release + online), try known(online))
        func role(_ keys: [FeedKey], _ threshold: Int) -> RoleKeys {
            RoleKeys(ids: keys.map(\.id), threshold: threshold, known: all)
        }
        let delegation = Delegation(
            to: Role.rollout.rawValue, paths: [PatchList.path(for: "*")], keys: role(online, 1))
        bodies = Bodies(
            root: RootMetadata(
                named: Self.randomName(), keys: all, root: role(root, rootThreshold),
                targets: role(release, releaseThreshold), online: role(online, 1), expires: now),
            targets: TargetsMetadata(expires: now, delegation: (delegation, delegated)),
            rollout: TargetsMetadata(expires: now), snapshot: SnapshotMetadata(expires: now),
            timestamp: TimestampMetadata(expires: now))
        oldRoot = bodies.root
        list = PatchListDraft(app: app, environment: environment, at: now)
        (stale, orphanedVersions, previous) = ([], [:], nil)
        let details = ChangeDetails(at: now)
        for role in Role.allCases { bumpVersion(of: role, in: details) }
    }

    private static func randomName() -> String {
        String(decoding: Hex.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) }), as: UTF8.self)
    }

    /// Makes a repository from metadata that were read and checked.
    init(
        _ bodies: Bodies, list: PatchListDraft, stale: Set<Role>, orphanedVersions: [Role: Int],
        previous: (version: Int, sha256: String)
    ) {
        self.bodies = bodies
        self.list = list
        self.stale = stale
        self.orphanedVersions = orphanedVersions
        self.previous = previous
        oldRoot = bodies.root
    }

    // MARK: looking

    /// The app's name.
    package var app: String { list.app }

    /// When the list was signed.
    package var published: Timestamp? { list.published }

    /// The app's environment.
    package var environment: String { list.environment }

    /// The version and the expiry of a role's metadata.
    package func state(of role: Role) -> (version: Int, expires: Timestamp) {
        (bodies[role].version, bodies[role].expires)
    }

    /// The ids of a role's keys, and how many of them must sign.
    package func keys(of role: Role) -> (ids: [String], threshold: Int) {
        let keys = role.rootKeys.map { bodies.root[keyPath: $0] } ?? delegatedKeys
        return keys.map { ($0.ids, $0.threshold) } ?? ([], 0)
    }

    /// The keys of the rollout role; nil if the targets role does not delegate to it.
    var delegatedKeys: RoleKeys? {
        bodies.targets.delegations.first { $0.role.isByteEqual(to: Role.rollout.rawValue) }?.keys
    }

    /// The targets that the release keys have signed, by path, with their SHA-256.
    package var targets: [(path: String, sha256: String)] {
        bodies.targets.targets.values.sorted { $0.path.hasBytes(before: $1.path) }.map { ($0.path, $0.sha256 ?? "") }
    }

    /// The SHA-256 of a target that the release keys have signed; nil if they have not.
    package func digest(of path: String) -> String? {
        bodies.targets.targets[ExactString(path)].map { $0.sha256 ?? "" }
    }

    // MARK: changing

    /// Marks the roles as changed that an interrupted change of keys has left stale, so that they are signed again.
    package mutating func resignStaleRoles(in details: ChangeDetails) {
        for role in stale { bumpVersion(of: role, in: details) }
    }

    /// Marks a role's metadata as changed: they get the next version, and a new expiry.
    mutating func bumpVersion(of role: Role, in details: ChangeDetails) {
        guard changed.insert(role).inserted else { return }
        var last = max(bodies[role].version, orphanedVersions[role] ?? 0)
        if clientsForgetVersions, role != .root, last > Self.mostHonest {
            last = role == .timestamp ? 0 : min(last, (details.unusedVersions[role] ?? .max) - 1)
        }
        // A device may use the time of the last list as the lower bound of its clock.
        let now = details.now
        let start = published.map { $0 > now && $0.secondsSince1970 - now.secondsSince1970 <= 3600 ? $0 : now } ?? now
        bodies.renew(
            role, version: (role == .root ? last : max(last, details.versionFloor)) + 1,
            expires: start.adding(days: role.days)
        )
        signatures[role] = []
    }

    /// An envelope to publish.
    package struct Publication: Sendable {
        /// The envelope, which the caller has verified.
        let envelope: Contents
        /// The envelope's file name, such as `com.example.shop.cart-total-7.js`.
        let name: String
        /// The list's entry, without its path.
        package let entry: PatchEntryDraft

        package init(_ envelope: Contents, name: String, entry: PatchEntryDraft) {
            self.envelope = envelope
            self.name = name
            self.entry = entry
        }

        /// Lists a patch under its name and version.
        ///
        /// - Parameter body: Sets the audience; by default, all devices.
        package init(
            _ envelope: Contents, _ manifest: Manifest,
            _ body: (inout PatchEntryDraft) throws(PatchError) -> Void = { _ throws(PatchError) in }
        ) throws(PatchError) {
            var entry = PatchEntryDraft(manifest)
            try body(&entry)
            self.init(envelope, name: "\(manifest.id)-\(manifest.version).js", entry: entry)
        }
    }

    /// The result of publishing an envelope.
    package enum Listing: Sendable {
        case added
        /// It is already listed as requested.
        case unchanged
        /// It is already listed in another way, which stays: offered to others, paused or withdrawn.
        case differs(PatchEntryDraft)
    }

    /// Checks that a patch is for the feed's app.
    ///
    /// - Throws: `policy` if it is not.
    package func checkApp(of manifest: Manifest) throws(PatchError) {
        guard manifest.app == app else {
            throw PatchError(.policy, "the patch is for the app \(manifest.app), but the feed is for \(app)")
        }
    }

    /// Adds envelopes, and lists them.
    ///
    /// - Parameters:
    ///   - publications: The envelopes.
    ///   - files: The SHA-256 of each file that was ever published, by name, including pruned files.
    ///   - allowsLower: Whether a version may be lower than one that is not withdrawn.
    /// - Returns: The result for each envelope. One that is not new was published before with the same bytes.
    /// - Throws: `feed-published` if the same version was published with other bytes, `feed-listed` if a higher one is listed.
    ///   Then nothing is changed.
    package mutating func publish(
        _ publications: [Publication], files: [String: String] = [:], allowsLower: Bool = false,
        in details: ChangeDetails
    ) throws(PatchError) -> [Listing] {
        let listedVersions = Dictionary(grouping: list.entries, by: \.id)
        var known: [String: String] = [:]
        for target in targets { known[target.path] = target.sha256 }
        var listed = Set(list.entries.compactMap(\.path))
        var added: [(path: String, envelope: Contents)] = []
        var entries: [PatchEntryDraft] = []
        var results: [Listing] = []
        for publication in publications {
            let path = FeedLayout.envelope(publication.name, of: app)
            let digest = publication.envelope.sha256
            let earlier = known[path] ?? files[publication.name]
            guard earlier == nil || earlier == digest else {
                throw PatchError(
                    .feedPublished, "\(publication.name): this version was published before, with other bytes",
                    hint: "pack it again with a higher version")
            }
            let asked = publication.entry
            let versions = listedVersions[asked.id] ?? []
            let entry = versions.first { $0.version == asked.version }
            // A removed version stays withdrawn, and needs no envelope.
            if entry?.state != .withdrawn, known.updateValue(digest, forKey: path) == nil {
                added.append((path, publication.envelope))
            }
            guard listed.insert(path).inserted else {
                results.append(entry.flatMap { $0.words == asked.words ? nil : .differs($0) } ?? .unchanged)
                continue
            }
            var new = asked
            if !allowsLower { try Self.check(new, isAbove: versions) }
            new.path = path
            entries.append(new)
            results.append(.added)
        }
        if !added.isEmpty {
            bumpVersion(of: .targets, in: details)
            for (path, envelope) in added { addTarget(path, envelope) }
        }
        if !entries.isEmpty {
            edit(in: details) { $0.entries += entries }
        }
        return results
    }

    /// Checks that no higher version is listed, unless it is withdrawn. Devices take the highest version that is for them, so the
    /// lower one would reach only the devices that the higher one is not for, or that cannot get it while it is paused.
    private static func check(_ new: PatchEntryDraft, isAbove versions: [PatchEntryDraft]) throws(PatchError) {
        let higher = versions.filter { $0.state != .withdrawn && $0.version > new.version }
        guard let highest = higher.max(by: { $0.version < $1.version }) else { return }
        throw PatchError(
            .feedListed,
            "\(new.name): version \(highest.version) is \(highest.words), so only devices that do not get that one would get this one",
            remedy: PublishingRemedy.packHigher)
    }

    /// Adds, replaces or removes a target that is not an envelope.
    ///
    /// - Parameter bytes: The target's bytes; nil removes it.
    /// - Returns: Whether this changes anything.
    package mutating func setTarget(_ path: String, to bytes: [UInt8]?, in details: ChangeDetails) throws(PatchError)
        -> Bool
    {
        let old = digest(of: path)
        guard let bytes else {
            guard old != nil else { return false }
            bumpVersion(of: .targets, in: details)
            bodies.targets.targets[ExactString(path)] = nil
            return true
        }
        let contents = try Contents(bytes)
        guard contents.sha256 != old else { return false }
        bumpVersion(of: .targets, in: details)
        addTarget(path, contents)
        return true
    }

    private mutating func addTarget(_ path: String, _ contents: Contents) {
        bodies.targets.targets[ExactString(path)] = FeedTarget(
            path: path, length: contents.size, sha256: contents.sha256)
        newTargets.append(File(path: FeedLayout.target(path, sha256: contents.sha256), contents))
    }

    /// Changes the list, and records in each changed entry the time, the author and the reason.
    package mutating func edit(in details: ChangeDetails, _ body: (inout PatchListDraft) -> Void) {
        bumpVersion(of: .rollout, in: details)
        let old = list.entries(by: \.name)
        let wasEnabled = list.isEnabled
        body(&list)
        if list.isEnabled != wasEnabled {
            list.stop =
                list.isEnabled ? nil : Change(time: details.now, author: details.author, reason: details.reason)
        }
        list.entries = list.entries.map { $0.stamped(since: old[$0.name], in: details) }
        (list.author, list.reason) = (details.author, details.reason)
        list.published = details.now
        hasNewList = true
    }

    /// Changes an entry of the list.
    package mutating func replace(_ entry: PatchEntryDraft, with new: PatchEntryDraft, in details: ChangeDetails) {
        replace([entry.name: new], adding: [], in: details)
    }

    /// Renews metadata that expire soon: the timestamp always, the others when less than half of their time is left.
    ///
    /// - Parameter roles: The roles whose keys are at hand.
    package mutating func refresh(_ roles: Set<Role>, in details: ChangeDetails) {
        for role in Role.allCases where roles.contains(role) {
            let endsSoon = bodies[role].expires < details.now.adding(days: role.days / 2)
            let isPassed = role != .root && state(of: role).version <= details.versionFloor
            guard !details.locked.contains(role), role == .timestamp || endsSoon || isPassed else { continue }
            bumpVersion(of: role, in: details)
        }
    }
}
