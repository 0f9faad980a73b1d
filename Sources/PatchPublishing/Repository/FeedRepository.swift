package import PatchCrypto
package import PatchFeed

/// The repository side of a feed: changes the metadata and the list, signs them, and makes the files to write.
///
/// It reads no files and has no clock. Changes are drafted first. `files(signedBy:in:)` makes the files once there are
/// enough signatures.
package struct FeedRepository: Sendable {
    var bodies: MetadataBodies
    var signatures: [FeedRole: [MetadataSignature]] = [:]
    package internal(set) var changed: Set<FeedRole> = []
    /// The root metadata before the change, whose keys must also sign a new root.
    let oldRoot: RootMetadata
    package internal(set) var list: PatchListDraft
    var hasNewList = false
    var newTargets: [FeedFile] = []
    /// Roles that the newest root's keys have not signed yet, because a change of keys was interrupted.
    let stale: Set<FeedRole>
    /// The last version of each role that has a file. After an interrupted run, no metadata may list it.
    let orphanedVersions: [FeedRole: Int]
    /// Whether the root is the one of this state. Older versions of patchpack made states that do not record their
    /// root.
    package internal(set) var knowsRoot = true
    /// The ids of the keys that have signed the metadata of each role, as they were read.
    var approvals: [FeedRole: [String]] = [:]
    /// The version of the snapshot before the change, and its file's SHA-256.
    let previous: (version: Int, sha256: String)?
    /// A version that no honest feed reaches. A thief of the online key may exceed it, to leave no versions to the
    /// owner.
    private static let mostHonest = 1 << 32
    /// Whether devices forget the versions that they have seen, because all keys of the timestamp or of the snapshot
    /// are new.
    var clientsForgetVersions = false
}

extension FeedRepository {
    // MARK: making

    /// Makes an empty feed.
    ///
    /// - Parameter online: The keys of the rollout, snapshot and timestamp roles, one of which must sign.
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
            to: FeedRole.rollout.rawValue, paths: [PatchList.path(for: "*")], keys: role(online, 1))
        let name = Hex.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        let bodies = MetadataBodies(
            root: RootMetadata(
                named: String(decoding: name, as: UTF8.self), keys: all, root: role(root, rootThreshold),
                targets: role(release, releaseThreshold), online: role(online, 1), expires: now),
            targets: TargetsMetadata(expires: now, delegation: (delegation, delegated)),
            rollout: TargetsMetadata(expires: now), snapshot: SnapshotMetadata(expires: now),
            timestamp: TimestampMetadata(expires: now))
        self.init(
            bodies: bodies, oldRoot: bodies.root, list: PatchListDraft(app: app, environment: environment, at: now),
            stale: [], orphanedVersions: [:], previous: nil)
        let details = ChangeDetails(at: now)
        for role in FeedRole.allCases { bumpVersion(of: role, in: details) }
    }

    // MARK: looking

    package var app: String { list.app }

    package var published: Timestamp? { list.published }

    package var environment: String { list.environment }

    /// The change that made this state, as recorded in its snapshot. Snapshots of older versions of patchpack do not
    /// record it.
    package var change: ChangeStamp { bodies.snapshot.change.stamp }

    /// The change that made this state, or the last change of the list if the snapshot does not record its own.
    package var lastChange: ChangeStamp { change.time == nil ? list.change : change }

    package func state(of role: FeedRole) -> (version: Int, expires: Timestamp) {
        (bodies[role].version, bodies[role].expires)
    }

    /// The ids of a role's keys, and how many of them must sign.
    package func keys(of role: FeedRole) -> (ids: [String], threshold: Int) {
        let keys = role.rootKeys.map { bodies.root[keyPath: $0] } ?? delegatedKeys
        return keys.map { ($0.ids, $0.threshold) } ?? ([], 0)
    }

    /// The keys of the rollout role; nil if the targets role does not delegate to it.
    var delegatedKeys: RoleKeys? {
        bodies.targets.delegations.first { $0.role.isByteEqual(to: FeedRole.rollout.rawValue) }?.keys
    }

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
    mutating func bumpVersion(of role: FeedRole, in details: ChangeDetails) {
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

    /// Changes the list, and records in each changed entry the time, the author and the reason.
    package mutating func edit(in details: ChangeDetails, _ body: (inout PatchListDraft) -> Void) {
        bumpVersion(of: .rollout, in: details)
        let old = list.entries(by: \.name)
        let (wasEnabled, stop) = (list.isEnabled, list.stop)
        body(&list)
        if list.isEnabled != wasEnabled || list.stop != stop {
            list.stop = list.isEnabled ? nil : details.stamp
        }
        list.entries = list.entries.map { $0.stamped(since: old[$0.name], in: details) }
        list.change = details.stamp
        hasNewList = true
    }

    /// Changes the list, unless the result is the same.
    ///
    /// - Returns: Whether it was changed.
    package mutating func edit(
        in details: ChangeDetails, unlessSame body: (inout PatchListDraft) throws(PatchError) -> Void
    ) throws(PatchError) -> Bool {
        var list = list
        try body(&list)
        guard list.json.encoded() != self.list.json.encoded() else { return false }
        edit(in: details) { $0 = list }
        return true
    }

    /// Changes and adds entries, in one step, because there may be thousands.
    package mutating func replace(
        _ changed: [String: PatchEntryDraft], adding added: [PatchEntryDraft], in details: ChangeDetails
    ) {
        guard !changed.isEmpty || !added.isEmpty else { return }
        edit(in: details) { list in list.entries = list.entries.map { changed[$0.name] ?? $0 } + added }
    }

    package mutating func replace(_ entry: PatchEntryDraft, with new: PatchEntryDraft, in details: ChangeDetails) {
        replace([entry.name: new], adding: [], in: details)
    }

    /// Renews metadata that expire soon: the timestamp always, the others when less than half of their time is left.
    package mutating func refresh(_ roles: Set<FeedRole>, in details: ChangeDetails) {
        for role in FeedRole.allCases where roles.contains(role) {
            let endsSoon = bodies[role].expires < details.now.adding(days: role.days / 2)
            let isPassed = role != .root && state(of: role).version <= details.versionFloor
            guard !details.locked.contains(role), role == .timestamp || endsSoon || isPassed else { continue }
            bumpVersion(of: role, in: details)
        }
    }

    package enum Renewal: Sendable, Equatable {
        case renewed(FeedRole, version: Int)
        /// Its keys are not at hand, and it expires in this many days.
        case endsSoon(FeedRole, days: Int)
    }

    /// Renews metadata that expire soon, as far as the keys are at hand.
    ///
    /// A job that runs each day has only the online key. A list that was signed with a wrong time is signed again.
    ///
    /// - Parameter asks: Whether a signer without a known key is asked too. As it must sign the timestamp, it can sign
    ///   each role that one key of the timestamp, whichever it is, is enough for.
    package mutating func refresh(
        with keyIDs: Set<String>, asking asks: Bool = false, in details: ChangeDetails
    ) -> [Renewal] {
        let online = Set(keys(of: .timestamp).ids)
        let roles = FeedRole.allCases.filter { role in
            let (ids, threshold) = keys(of: role)
            let isAsked = asks && threshold == 1 && online.isSubset(of: ids)
            return role == .timestamp || isAsked || ids.count(where: keyIDs.contains) >= threshold
        }
        refresh(Set(roles), in: details)
        if let published, published > details.now, roles.contains(.rollout) { edit(in: details) { _ in } }
        return FeedRole.allCases.compactMap { role in
            let state = state(of: role)
            if changed.contains(role) { return .renewed(role, version: state.version) }
            let days = details.now.wholeDays(until: state.expires)
            return days < role.days / 4 ? .endsSoon(role, days: days) : nil
        }
    }

    // MARK: faults

    package func faults(at now: Timestamp) -> [FeedFault] {
        let ended = FeedRole.allCases.filter { state(of: $0).expires < now }
        let faults = ended.map { FeedFault.ended($0, at: state(of: $0).expires) }
        guard let published, published.isAhead(of: now) else { return faults }
        return faults + [.signedAhead(published)]
    }
}

package enum FeedFault: Sendable, Equatable {
    case ended(FeedRole, at: Timestamp)
    /// The list was signed with a clock that is ahead of this one.
    case signedAhead(Timestamp)
}
