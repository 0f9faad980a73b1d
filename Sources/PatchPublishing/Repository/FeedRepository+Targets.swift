package import PatchCrypto
internal import PatchFeed

// The targets that the release keys sign: envelopes, and the trust store.
extension FeedRepository {
    /// Adds envelopes, and lists them.
    ///
    /// - Parameters:
    ///   - files: The SHA-256 of each file that was ever published, by name, including pruned files.
    ///   - allowsLower: Whether a version may be lower than one that is not withdrawn.
    /// - Returns: The result for each envelope. One that is not new was published before with the same bytes.
    /// - Throws: `feed-published` if the same version was published with other bytes, `feed-listed` if a higher one is
    ///   listed. Then nothing is changed.
    package mutating func publish(
        _ publications: [Publication], files: [String: String] = [:], allowsLower: Bool = false,
        in details: ChangeDetails
    ) throws(PatchError) -> [Publication.Listing] {
        let listedVersions = Dictionary(grouping: list.entries, by: \.id)
        var known: [String: String] = [:]
        for target in targets { known[target.path] = target.sha256 }
        var listed = Set(list.entries.compactMap(\.path))
        var added: [(path: String, envelope: FeedFile.Contents)] = []
        var entries: [PatchEntryDraft] = []
        var results: [Publication.Listing] = []
        for publication in publications {
            let asked = publication.entry
            let path = FeedLayout.envelope(asked.fileName, of: app)
            let digest = publication.envelope.sha256
            let earlier = known[path] ?? files[asked.fileName]
            guard earlier == nil || earlier == digest else {
                throw PatchError(
                    .feedPublished, "\(asked.fileName): this version was published before, with other bytes",
                    hint: "pack it again with a higher version")
            }
            let versions = listedVersions[asked.id] ?? []
            let entry = versions.first { $0.version == asked.version }
            // A removed version stays withdrawn, and needs no envelope.
            if entry?.state != .withdrawn, known[path] == nil {
                known[path] = digest
                added.append((path, publication.envelope))
            }
            guard listed.insert(path).inserted else {
                if let entry, !entry.isListed(as: asked) {
                    results.append(.differs(entry))
                } else {
                    results.append(.unchanged)
                }
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

    /// Checks that no higher version is listed, unless it is withdrawn. Devices take the highest version that is for
    /// them, so the lower one would reach only the devices that the higher one is not for, or that cannot get it while
    /// it is paused. A version that is in shadow, or was paused there, takes the place only of a lower one in shadow.
    ///
    /// - Throws: `feed-listed` if one is.
    private static func check(_ new: PatchEntryDraft, isAbove versions: [PatchEntryDraft]) throws(PatchError) {
        let higher = versions.filter {
            $0.state != .withdrawn && ($0.resumedState != .shadow || new.state == .shadow) && $0.version > new.version
        }
        guard let highest = higher.max(by: { $0.version < $1.version }) else { return }
        throw PatchError(
            .feedListed,
            "\(new.name): version \(highest.version) is \(highest.words), so only devices that do not get that one would get this one",
            remedy: .packHigher)
    }

    /// Adds, replaces or removes a target that is not an envelope.
    ///
    /// - Parameter bytes: Its bytes; nil removes it.
    /// - Returns: Whether the targets were changed.
    package mutating func setTarget(_ path: String, to bytes: [UInt8]?, in details: ChangeDetails) throws(PatchError)
        -> Bool
    {
        let contents = try bytes.map { (bytes) throws(PatchError) in try FeedFile.Contents(bytes) }
        guard contents?.sha256 != digest(of: path) else { return false }
        bumpVersion(of: .targets, in: details)
        bodies.targets.targets[ExactString(path)] = nil
        if let contents { addTarget(path, contents) }
        return true
    }

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

    private mutating func addTarget(_ path: String, _ contents: FeedFile.Contents) {
        bodies.targets.targets[ExactString(path)] = FeedTarget(
            path: path, length: contents.size, sha256: contents.sha256)
        newTargets.append(FeedFile(path: FeedLayout.target(path, sha256: contents.sha256), contents))
    }

    /// Removes all but the newest versions of patches.
    ///
    /// Withdrawals stay, because they must reach devices that have been away for long. A version stays too if it is
    /// offered to devices that no version that stays is offered to, or if that is not known.
    ///
    /// - Parameters:
    ///   - ids: The patches.
    ///   - count: How many versions of each stay, not counting withdrawals.
    /// - Returns: The versions that were removed, and those that stay because of their devices, newest first for each
    ///   patch.
    /// - Throws: `usage` if a patch is not listed.
    package mutating func prune(
        _ ids: [String], keeping count: Int, in details: ChangeDetails
    ) throws(PatchError) -> (removed: [PatchEntryDraft], needed: [PatchEntryDraft]) {
        let listed = Dictionary(grouping: list.entries, by: \.id)
        var removed: [PatchEntryDraft] = []
        var needed: [PatchEntryDraft] = []
        for id in ids {
            guard let entries = listed[id] else { throw .unlisted(id, in: self) }
            let versions = entries.filter { $0.state != .withdrawn }.sorted { $0.version > $1.version }
            var kept = versions.prefix(count).filter(\.isOffered)
            for entry in versions.dropFirst(count) {
                let mayReach = entry.isOffered && !kept.contains(where: { $0.reachesAll(of: entry) })
                if entry.state == nil || mayReach {
                    kept.append(entry)
                    needed.append(entry)
                } else {
                    removed.append(entry)
                }
            }
        }
        let names = Set(removed.map(\.name))
        prune(in: details) { names.contains($0.name) }
        return (removed, needed)
    }

    /// Removes versions that no device should get any more, from the list and from the targets.
    package mutating func prune(in details: ChangeDetails, _ isSuperfluous: (PatchEntryDraft) -> Bool) {
        let paths = Set(list.entries.filter(isSuperfluous).compactMap(\.path))
        guard !paths.isEmpty else { return }
        edit(in: details) { list in list.entries.removeAll(where: isSuperfluous) }
        removeTargets(in: details, paths.contains)
    }

    /// Removes targets, so that they are no longer signed by the release keys.
    package mutating func removeTargets(in details: ChangeDetails, _ isSuperfluous: (String) -> Bool) {
        bumpVersion(of: .targets, in: details)
        bodies.targets.targets = bodies.targets.targets.filter { !isSuperfluous($0.key.text) }
    }

    /// The envelopes that the release keys have signed and no entry lists.
    package var unlistedTargets: [String] {
        let listed = Set(list.entries.compactMap(\.path))
        return targets.map(\.path).filter { $0.utf8.starts(with: FeedLayout.envelopes.utf8) && !listed.contains($0) }
    }

    /// Removes a version of patches from the targets that the release keys have signed.
    ///
    /// Its withdrawal stays in the list, because devices may have the patch. If only the withdrawal is left, it is
    /// removed too.
    ///
    /// - Returns: The patches of which no withdrawal stays.
    /// - Throws: `usage` if a version is neither signed nor listed.
    package mutating func prune(
        _ ids: [String], version: Int, in details: ChangeDetails
    ) throws(PatchError) -> Set<String> {
        let listed = list.entries(by: \.name)
        var paths: Set<String> = []
        var gone: Set<String> = []
        var withdrawn: [PatchEntryDraft] = []
        for id in ids {
            let entry = listed["\(id) \(version)"]
            let withdrawal = withdrawal(of: id, version: version)
            let path = FeedLayout.envelope(withdrawal.fileName, of: app)
            let isSigned = digest(of: path) != nil
            guard isSigned || entry != nil else { throw .unlisted(id, version: version, in: self) }
            if isSigned { paths.insert(path) }
            if entry?.state != .withdrawn {
                withdrawn.append(withdrawal)
            } else if !isSigned {
                gone.insert(id)
            }
        }
        if !withdrawn.isEmpty || !gone.isEmpty {
            let changed = Set(withdrawn.map(\.id)).union(gone)
            edit(in: details) { list in
                list.entries = list.entries.filter { $0.version != version || !changed.contains($0.id) } + withdrawn
            }
        }
        if !paths.isEmpty { removeTargets(in: details, paths.contains) }
        return gone
    }

    /// An entry that withdraws a version, whether or not it is listed. It only withdraws it, so it needs no envelope.
    package func withdrawal(of id: String, version: Int) -> PatchEntryDraft {
        var entry = PatchEntryDraft(withdrawing: id, version: version)
        entry.path = FeedLayout.envelope(entry.fileName, of: app)
        return entry
    }
}
