package import PatchCrypto
internal import PatchFeed

/// The repository side of a feed: changes the metadata and the list, signs them, and says which files to write.
///
/// It reads no files and has no clock. What changes is drafted first; `files(at:)` makes the files once there are enough
/// signatures.
package struct FeedRepository: Sendable {
    /// A role of a feed. The order is that in which changes are signed.
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

        /// The roles whose changes may wait for signatures. The other two are made last, from these.
        static let drafted: [Role] = [.targets, .rollout, .root]

        /// The `_type` of its metadata.
        var type: String { self == .rollout ? Role.targets.rawValue : rawValue }
    }

    /// A file to write, below the feed's folder.
    package struct File: Sendable {
        package let path: String
        package let bytes: [UInt8]
        /// Whether it replaces a file of the same name. Only the timestamp does.
        package let replaces: Bool

        package init(path: String, bytes: [UInt8], replaces: Bool) {
            self.path = path
            self.bytes = bytes
            self.replaces = replaces
        }
    }

    var drafts: [Role: MetadataDraft] = [:]
    /// The roles whose metadata change.
    package internal(set) var changed: Set<Role> = []
    /// The root metadata before the change, which also must sign a new root.
    let oldRoot: JSONValue
    package internal(set) var list: PatchListDraft
    /// The files of the targets that are new.
    private(set) var newTargets: [File] = []
    /// Roles that the newest root's keys have not signed yet, because a change of keys was interrupted.
    let stale: Set<Role>
    /// Versions that files exist of although no metadata list them: what an interrupted run has left.
    let taken: [Role: Int]
    /// Whether its root file is the one of its time. An earlier state that older versions of patchpack made does not say which that is.
    package internal(set) var knowsRoot = true
    /// The version of the snapshot before the change, and its file's SHA-256.
    let previous: (version: Int, sha256: String)?
    /// No honest feed comes this far. A thief of the online key can, to leave no versions to its owner.
    private static let mostHonest = 1 << 32
    /// Who makes a change, and why, as the list says it.
    package var author: String?
    package var reason: String?
    /// Roles whose metadata wait for signatures, so that no other change touches them.
    package var waiting: Set<Role> = []
    /// What is signed gets versions above this one, which a thief may have used.
    package var above = 0
    /// The lowest versions that have no files yet. They count once devices forget which versions they have seen.
    package var free: [Role: Int] = [:]
    /// Whether devices forget that: no key of the timestamp or of the snapshot is an old one.
    var isForgotten = false

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
        func role(_ keys: [FeedKey], _ threshold: Int) -> JSONValue {
            .object([("keyids", .array(keys.map { .string($0.id) })), ("threshold", .integer(threshold))])
        }
        func header(_ type: String, _ members: [(key: String, value: JSONValue)]) -> JSONValue {
            .object([("_type", .string(type)), ("spec_version", .string("1.0.34"))] + members)
        }
        func entries(_ keys: [FeedKey]) -> JSONValue {
            var all: [(key: String, value: JSONValue)] = []
            for key in keys where !all.contains(where: { $0.key == key.id }) { all.append((key.id, key.json)) }
            return .object(all)
        }
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
        let body = header(
            "root",
            [
                // Two feeds that are made in one second with the same keys are two feeds. Clients ignore it.
                ("feed", .string(Self.randomName())),
                ("consistent_snapshot", .bool(true)), ("keys", entries(root + release + online)),
                (
                    "roles",
                    .object([
                        ("root", role(root, rootThreshold)), ("targets", role(release, releaseThreshold)),
                        ("snapshot", role(online, 1)), ("timestamp", role(online, 1)),
                    ])
                ),
            ])
        oldRoot = body
        var delegation = role(online, 1)
        delegation.set("name", .string(Role.rollout.rawValue))
        delegation.set("paths", .array([.string("rollout/*.json")]))
        delegation.set("terminating", .bool(true))
        drafts = [
            .root: MetadataDraft(body),
            .targets: MetadataDraft(
                header(
                    "targets",
                    [
                        ("delegations", .object([("keys", entries(online)), ("roles", .array([delegation]))])),
                        ("targets", .object([])),
                    ])),
            .rollout: MetadataDraft(header("targets", [("targets", .object([]))])),
            .snapshot: MetadataDraft(header("snapshot", [("meta", .object([]))])),
            .timestamp: MetadataDraft(header("timestamp", [("meta", .object([]))])),
        ]
        list = PatchListDraft(app: app, environment: environment, at: now)
        (stale, taken, previous) = ([], [:], nil)
        for role in Role.allCases { touch(role, at: now) }
    }

    private static func randomName() -> String {
        String(decoding: Hex.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) }), as: UTF8.self)
    }

    /// Takes what was read and checked.
    init(
        _ drafts: [Role: MetadataDraft], list: PatchListDraft, stale: Set<Role>, taken: [Role: Int],
        previous: (version: Int, sha256: String)
    ) {
        self.drafts = drafts
        self.list = list
        self.stale = stale
        self.taken = taken
        self.previous = previous
        oldRoot = drafts[.root]?.signed ?? .object([])
    }

    // MARK: looking

    /// The app's name.
    package var app: String { list.app }

    /// When the list was signed.
    package var published: Timestamp? { list.published }

    /// The app's environment.
    package var environment: String { list.environment }

    /// The version and the end of a role's metadata.
    package func state(of role: Role) -> (version: Int, expires: Timestamp?) {
        (drafts[role]?.version ?? 0, drafts[role]?.expires)
    }

    /// The ids of a role's keys, and how many of them must sign.
    package func keys(of role: Role) -> (ids: [String], threshold: Int) {
        let entry = keyEntry(of: role)
        guard case .integer(let threshold) = entry?["threshold"] else { return ([], 0) }
        return (entry?["keyids"]?.elements.compactMap(\.text) ?? [], threshold)
    }

    private func keyEntry(of role: Role) -> JSONValue? {
        role == .rollout ? delegations?["roles"]?.elements.first : drafts[.root]?.signed["roles"]?[role.rawValue]
    }

    private var delegations: JSONValue? { drafts[.targets]?.signed["delegations"] }

    /// The targets that the release keys have signed, by path, with their SHA-256.
    package var targets: [(path: String, sha256: String)] {
        (drafts[.targets]?.signed["targets"]?.members ?? []).map { path, value in
            (path, value["hashes"]?["sha256"]?.text ?? "")
        }
    }

    // MARK: changing

    /// Makes anew what an interrupted change of keys has left.
    package mutating func mend(at now: Timestamp) {
        for role in stale { touch(role, at: now) }
    }

    /// Marks a role's metadata as changed: they get the next version, and a new end.
    mutating func touch(_ role: Role, at now: Timestamp) {
        guard changed.insert(role).inserted else { return }
        var last = max(drafts[role]?.version ?? 0, taken[role] ?? 0)
        if isForgotten, role != .root, last > Self.mostHonest {
            last = role == .timestamp ? 0 : min(last, (free[role] ?? .max) - 1)
        }
        // A device may take the last list's time for the lowest that its clock can have.
        let start = published.map { $0 > now && $0.secondsSince1970 - now.secondsSince1970 <= 3600 ? $0 : now } ?? now
        drafts[role]?.renew(
            version: (role == .root ? last : max(last, above)) + 1, expires: start.adding(days: role.days))
    }

    /// An envelope to publish.
    package struct Publication: Sendable {
        /// The envelope's bytes, which the caller has verified.
        let envelope: [UInt8]
        /// The envelope's file name, such as `com.example.shop.cart-total-7.js`.
        let name: String
        /// The list's entry, without its path.
        package let entry: PatchEntryDraft

        package init(_ envelope: [UInt8], name: String, entry: PatchEntryDraft) {
            self.envelope = envelope
            self.name = name
            self.entry = entry
        }

        /// Lists a patch under its name and version.
        ///
        /// - Parameter body: Says whom it is offered to; by default to all.
        package init(
            _ envelope: [UInt8], _ manifest: Manifest,
            _ body: (inout PatchEntryDraft) throws(PatchError) -> Void = { _ throws(PatchError) in }
        ) throws(PatchError) {
            var entry = PatchEntryDraft(manifest)
            try body(&entry)
            self.init(envelope, name: "\(manifest.id)-\(manifest.version).js", entry: entry)
        }
    }

    /// Adds envelopes, and lists them.
    ///
    /// - Parameters:
    ///   - publications: The envelopes.
    ///   - files: The SHA-256 of each file that was ever published, by name, those included that were pruned.
    ///   - now: The time of signing.
    /// - Returns: For each one whether it is new; if not, it was published before with the same bytes.
    /// - Throws: `feed-published` if the same version was published with other bytes. Nothing is changed then.
    package mutating func publish(
        _ publications: [Publication], files: [String: String] = [:], at now: Timestamp
    ) throws(PatchError) -> [Bool] {
        var known: [String: String] = [:]
        for target in targets { known[target.path] = target.sha256 }
        var listed = Set(list.entries.compactMap(\.path))
        var added: [(path: String, envelope: [UInt8], digest: String)] = []
        var entries: [PatchEntryDraft] = []
        var results: [Bool] = []
        for publication in publications {
            let path = "patches/\(app)/\(publication.name)"
            let digest = try MessageDigest.sha256.text(of: publication.envelope)
            let earlier = known[path] ?? files[publication.name]
            guard earlier == nil || earlier == digest else {
                throw PatchError(
                    .feedPublished, "\(publication.name): this version was published before, with other bytes",
                    hint: "pack it again with a higher version")
            }
            if known.updateValue(digest, forKey: path) == nil { added.append((path, publication.envelope, digest)) }
            let isNew = listed.insert(path).inserted
            if isNew {
                var entry = publication.entry
                entry.path = path
                entries.append(entry)
            }
            results.append(isNew)
        }
        if !added.isEmpty {
            touch(.targets, at: now)
            let new = added.map { (key: $0.path, value: Self.description(of: $0.envelope.count, $0.digest)) }
            // In canonical order, which a device reads and verifies without a search for names that are there twice.
            drafts[.targets]?.signed.change("targets") { targets in
                targets = .object((targets.members + new).sorted { $0.key.hasBytes(before: $1.key) })
            }
            newTargets += added.map {
                File(path: Self.place(of: $0.path, sha256: $0.digest), bytes: $0.envelope, replaces: false)
            }
        }
        if !entries.isEmpty {
            edit(at: now) { $0.entries += entries }
        }
        return results
    }

    /// Adds, replaces or removes a target that is not an envelope.
    ///
    /// - Parameter bytes: The target's bytes; nil removes it.
    /// - Returns: Whether that changes anything.
    package mutating func setTarget(_ path: String, to bytes: [UInt8]?, at now: Timestamp) throws(PatchError) -> Bool {
        let old = targets.first { $0.path == path }?.sha256
        guard let bytes else {
            guard old != nil else { return false }
            touch(.targets, at: now)
            drafts[.targets]?.signed.change("targets") { $0.set(path, nil) }
            return true
        }
        let digest = try MessageDigest.sha256.text(of: bytes)
        guard digest != old else { return false }
        touch(.targets, at: now)
        drafts[.targets]?.signed.change("targets") { $0.set(path, Self.description(of: bytes.count, digest)) }
        newTargets.append(File(path: Self.place(of: path, sha256: digest), bytes: bytes, replaces: false))
        return true
    }

    /// Changes the list. It then says when each entry was changed, by whom and why.
    package mutating func edit(at now: Timestamp, _ body: (inout PatchListDraft) -> Void) {
        touch(.rollout, at: now)
        func key(_ entry: PatchEntryDraft) -> String { "\(entry.id) \(entry.version)" }
        let old = Dictionary(list.entries.map { (key($0), $0) }) { first, _ in first }
        body(&list)
        list.entries = list.entries.map {
            $0.stamped(since: old[key($0)], at: now, by: author, because: reason)
        }
        (list.author, list.reason) = (author, reason)
        list.published = now
    }

    /// Changes an entry of the list.
    ///
    /// - Parameter entry: The entry as it is now.
    package mutating func replace(_ entry: PatchEntryDraft, with new: PatchEntryDraft, at now: Timestamp) {
        edit(at: now) { list in list.entries = list.entries.map { $0.path == entry.path ? new : $0 } }
    }

    /// Makes the list what it was in an older state. A patch that was not listed then is withdrawn: devices may have it.
    ///
    /// - Throws: `config` if a patch was listed then whose envelope the release keys have not signed since.
    package mutating func undo(to older: FeedRepository, at now: Timestamp) throws(PatchError) {
        let signed = Set(targets.map(\.path))
        let before = older.list.entries
        for entry in before where entry.state != .withdrawn && !signed.contains(entry.path ?? "") {
            throw PatchError(
                .config, "\(entry.id) \(entry.version) was removed, so the state before that cannot be made again",
                hint: "publish it again: patchpack feed publish DIR FILE.js")
        }
        let reason = reason
        edit(at: now) { list in
            let current = list.entries
            list.isEnabled = older.list.isEnabled
            list.minimumAppVersion = older.list.minimumAppVersion
            list.notice = older.list.notice
            list.switches = older.list.switches
            list.entries =
                before.map { entry in
                    // Who changed what, and when, is not a part of what it was.
                    let same = current.first { $0.path == entry.path && $0.says(entry) }
                    return same ?? entry
                }
                + current.filter { entry in !before.contains { $0.path == entry.path } }.map { entry in
                    var entry = entry
                    entry.state = .withdrawn
                    entry.reason = reason ?? "undone"
                    return entry
                }
        }
    }

    /// Removes versions of a patch that no device should get any more from the list and from the targets.
    ///
    /// - Parameter isSuperfluous: Whether an entry goes.
    package mutating func prune(at now: Timestamp, _ isSuperfluous: (PatchEntryDraft) -> Bool) {
        let paths = Set(list.entries.filter(isSuperfluous).compactMap(\.path))
        guard !paths.isEmpty else { return }
        edit(at: now) { list in list.entries.removeAll(where: isSuperfluous) }
        removeTargets(at: now, paths.contains)
    }

    /// Removes targets, so that the release keys have not signed them any more.
    package mutating func removeTargets(at now: Timestamp, _ isSuperfluous: (String) -> Bool) {
        touch(.targets, at: now)
        drafts[.targets]?.signed.change("targets") { $0 = .object($0.members.filter { !isSuperfluous($0.key) }) }
    }

    /// The envelopes that the release keys have signed and no entry lists.
    package var unlistedTargets: [String] {
        let listed = Set(list.entries.compactMap(\.path))
        return targets.map(\.path).filter { $0.utf8.starts(with: "patches/".utf8) && !listed.contains($0) }
    }

    /// Renews metadata that end soon: the timestamp always, the others when less than half of their time is left.
    ///
    /// - Parameter roles: Those of which a key is at hand.
    package mutating func refresh(_ roles: Set<Role>, at now: Timestamp) {
        for role in Role.allCases where roles.contains(role) {
            let endsSoon = (drafts[role]?.expires ?? now) < now.adding(days: role.days / 2)
            let isPassed = role != .root && state(of: role).version <= above
            guard !waiting.contains(role), role == .timestamp || endsSoon || isPassed else { continue }
            touch(role, at: now)
        }
    }

    /// The place of a target's file: with its hash before its name.
    package static func place(of path: String, sha256: String) -> String {
        var names = path.split(separator: "/").map(String.init)
        names[names.count - 1] = "\(sha256).\(names[names.count - 1])"
        return "targets/" + names.joined(separator: "/")
    }

    static func description(of length: Int, _ sha256: String) -> JSONValue {
        .object([("hashes", .object([("sha256", .string(sha256))])), ("length", .integer(length))])
    }
}
