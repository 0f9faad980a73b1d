package import PatchCrypto
internal import PatchFeed

extension FeedRepository {
    /// Makes an empty feed.
    ///
    /// - Parameter online: The keys of the rollout, snapshot and timestamp roles, one of which must sign.
    /// - Throws: `config` if a role has a key twice or fewer keys than must sign, or if an online key is also a key of
    ///   root or targets.
    package init(
        app: String, environment: String, root: [FeedKey], rootThreshold: Int, release: [FeedKey],
        releaseThreshold: Int, online: [FeedKey], at now: Timestamp
    ) throws(PatchError) {
        for (role, keys, threshold) in [
            (FeedRole.root, root, rootThreshold), (.targets, release, releaseThreshold), (.rollout, online, 1),
        ] {
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
        let all = try known(root + release + online)
        let delegated = try known(online)
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
}
