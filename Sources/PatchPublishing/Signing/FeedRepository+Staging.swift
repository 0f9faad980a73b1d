package import PatchCrypto
internal import PatchFeed

// A change that waits for signatures, as files that others sign.
extension FeedRepository {
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
    /// Anyone who can write to the folder may have made it, so each file has the next version of its role: a higher
    /// one would leave no versions to the owner, and a root with one is never read.
    ///
    /// - Parameter floor: A version that the change may pass by, as it was staged.
    /// - Returns: Whether there is one.
    /// - Throws: `config` if the feed has changed since then, `feed-mismatch` if a version is not the next one or the
    ///   list is not the one that is signed, `feed-malformed` or `feed-limit` if a file is malformed or too large,
    ///   `feed-unavailable` if the list is missing.
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
        // Signatures that no key of the role has made are dropped. A signer would believe them, and devices would
        // find too many.
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
}
