package import PatchCrypto
internal import PatchFeed
internal import PatchFiles

/// Deploys the state of a feed's folder to the place that the feed is served from.
///
/// No change of another copy is lost. A device that syncs meanwhile finds the old state or the new one.
///
/// The place has a chain of timestamps. `metadata/N.next.json` is the timestamp that came after version N. It is made
/// only if there is no such file. So if two copies continue from N, the later one gets an error. The files that the
/// timestamp leads to are uploaded after that, then `timestamp.json`, and the root files last. After a change of keys
/// the versions may begin again, so a link of an older root never follows one of a newer root.
package struct Deployment {
    private let folder: FeedFolder
    private let target: any DeployTarget
    private let root: [UInt8]
    /// The state to deploy, and its timestamp.
    package let feed: FeedRepository
    private let timestamp: Link
    private let repairs: Bool

    private struct Link {
        let version: Int
        /// The version of the newest root that allows it.
        let root: Int
        let bytes: [UInt8]
    }

    /// What a deployment has changed, or a trial would change.
    package struct Outcome {
        /// Whether devices read another state than before, or a root file was missing.
        package fileprivate(set) var isNew = false
        /// Whether files of a state that devices already read were missing or foreign.
        package fileprivate(set) var isRepair = false
        /// The files of such a state that were missing.
        package fileprivate(set) var restored: [String] = []
        /// The files for which caches may have an older answer, or the answer that they are missing.
        package var cached: [String] { (isNew ? [FeedLayout.timestamp] : []) + newRoots + replaced + restored }
        fileprivate var newRoots: [String] = []
        /// The total size of the files that were missing or replaced, without the timestamp, in bytes.
        package fileprivate(set) var bytes = 0
        /// The files that were there with other bytes, and were replaced.
        package fileprivate(set) var replaced: [String] = []
        /// The state of another copy that was given up.
        package fileprivate(set) var givenUp: SnapshotPosition?
    }

    /// Reads the folder while no other process changes it.
    ///
    /// - Parameters:
    ///   - root: The root file that the signer trusts.
    ///   - repairs: Whether to replace what is foreign at the place, and to give up the state of another copy.
    /// - Throws: The errors with which a signer refuses the folder.
    package init(of folder: FeedFolder, root: [UInt8], to target: any DeployTarget, repairs: Bool) throws(PatchError) {
        self.folder = folder
        self.root = root
        self.target = target
        self.repairs = repairs
        let (feed, bytes) = try Folder.whileLocked(around: [folder.path.appending(Path("."))]) {
            () throws(PatchError) in
            (try folder.repository(root: root), try folder.read(FeedLayout.timestamp) ?? [])
        }
        self.feed = feed
        timestamp = Link(
            version: feed.state(of: .timestamp).version, root: feed.state(of: .root).version, bytes: bytes)
    }

    /// Deploys the feed.
    ///
    /// - Parameters:
    ///   - isTrial: Whether only to compare, and to write nothing.
    ///   - report: Called now and then with the number of files compared or uploaded so far, and the total.
    /// - Throws: `feed-conflict` if the place has a change that the folder does not have, or a file of the same name
    ///   with other bytes; `feed-mismatch` if it is the place of another feed; `feed-unavailable` or `feed-mismatch` if
    ///   a file of the folder is missing or damaged; `config` if the place lets two writers win; and the errors of
    ///   reading and writing there.
    package func run(
        isTrial: Bool = false, report: (Int, _ total: Int) -> Void = { _, _ in }
    ) throws(PatchError) -> Outcome {
        var outcome = Outcome()
        let roots = try missingRoots()
        let deployed = try target.read(FeedLayout.timestamp)
        // The files that devices need now are compared each time. The last complete deployment has uploaded the files
        // of older states, so they are compared again only for a repair.
        let served = ownSnapshot(servedBy: deployed)
        let before = paths(at: served)
        // Who repairs knows what was deployed until now, and gives up nothing that comes meanwhile.
        let given = repairs ? try last(after: deployed) : nil
        let files = repairs ? try files(since: 0, besides: []) : try files(since: served ?? 0, besides: before)
        let newest = try claim(after: deployed, givingUp: given, isTrial: isTrial, &outcome)
        let isInPlace = deployed == newest.bytes
        outcome.isNew = !isInPlace || !roots.isEmpty
        outcome.newRoots = roots.map(\.path)
        let found = try target.find(files) { report($0, files.count) }
        let (missing, others) = (Set(found.missing), Set(found.conflicting))
        outcome.replaced = found.conflicting
        outcome.isRepair = isInPlace && !(missing.isEmpty && others.isEmpty)
        outcome.restored = found.missing.filter { isInPlace || before.contains($0) }
        let added = files.filter { missing.contains($0.path) }
        let replacing = files.filter { others.contains($0.path) }
        outcome.bytes = (added + replacing + roots).reduce(0) { $0 + $1.size }
        if !repairs, let first = found.conflicting.first { throw foreign(first, and: found.conflicting.count - 1) }
        if isTrial { return outcome }
        if !isInPlace || !added.isEmpty || !replacing.isEmpty {
            // Another writer may have been faster.
            if let other = try target.add(added, report: { report($0, added.count) }).conflicting.first {
                throw foreign(other)
            }
            for file in replacing {
                guard try target.replace(file, of: target.read(file.path)) else { throw foreign(file.path) }
            }
            try checkUploaded(newest)
            try putTimestamp(newest)
        }
        for file in roots {
            if let other = try target.add([file], report: { _ in }).conflicting.first { throw foreign(other) }
        }
        return outcome
    }

    /// Checks a timestamp that is served after the deployment.
    ///
    /// - Parameter givenUp: The state of another copy that the deployment gave up, which caches may still have.
    /// - Returns: The version of an earlier timestamp, which caches still have; nil for this deployment, or a later
    ///   one.
    /// - Throws: `feed-conflict` if another copy of the feed has made it, `feed-malformed` or `feed-signature` if it is
    ///   none of the feed's.
    package func earlierVersion(
        in bytes: [UInt8], servedBy name: String, givenUp: SnapshotPosition?
    ) throws(PatchError) -> Int? {
        let own = timestamp.version
        let served = try position(bytes, called: "\(name): timestamp.json")
        // An earlier timestamp is still in caches. A later one came after this one, at the same place.
        if served.isForgotten || served.version < own { return served.version }
        if served.isOwn || served.version > own { return nil }
        guard served.version == givenUp?.version else { throw .otherCopy(name, served) }
        return served.version
    }

    // MARK: reading

    /// The position of a timestamp, which may come from another copy.
    private func position(
        _ bytes: [UInt8], called name: String = FeedLayout.timestamp
    ) throws(PatchError) -> SnapshotPosition {
        try feed.position(of: bytes, called: name, root: root, folder.read)
    }

    /// The snapshot that is served; nil if it cannot be read, or is none that this folder's state came after.
    private func ownSnapshot(servedBy deployed: [UInt8]?) -> Int? {
        guard let deployed, let found = try? position(deployed), found.isOwn else { return nil }
        return found.snapshot
    }

    /// The paths of the files of an earlier state; none if it can no longer be read.
    private func paths(at snapshot: Int?) -> Set<String> {
        guard let snapshot, let state = try? state(at: snapshot) else { return [] }
        return Set(state.contents.map(\.path))
    }

    /// The root files that are missing at the place, oldest first.
    ///
    /// An existing one is never replaced. With the roots of another feed, or with older ones than devices know, every
    /// device would refuse the feed.
    ///
    /// - Throws: `feed-mismatch` if the place has another root of the same version, `feed-conflict` if it has a newer
    ///   one.
    private func missingRoots() throws(PatchError) -> [FeedFile] {
        let newest = feed.state(of: .root).version
        var missing: [FeedFile] = []
        for version in 1...max(1, newest) {
            let path = FeedLayout.root(version)
            guard let own = try folder.read(path) else { continue }
            guard let there = try target.read(path) else {
                missing.append(FeedFile(path: path, bytes: own, replaces: false))
                continue
            }
            guard there == own else {
                let message = "\(target.name): \(path) differs from the one in \(folder.path)"
                throw version == 1
                    ? PatchError(.feedMismatch, message, remedy: .giveOtherPlace)
                    : PatchError(.feedMismatch, message, hint: Self.newerRoot)
            }
        }
        guard try target.read(FeedLayout.root(newest + 1)) == nil else {
            throw PatchError(
                .feedConflict, "\(target.name): has \(FeedLayout.root(newest + 1)), which \(folder.path) has not",
                hint: Self.newerRoot)
        }
        return missing
    }

    private static let newerRoot =
        "another copy has changed the keys: work on that one; if the file is not the feed's, remove it there"

    /// The files of the feed, and the files of the states after a snapshot, because `feed log` reads them.
    ///
    /// - Parameters:
    ///   - base: The version of the snapshot; 0 for all earlier states.
    ///   - served: Files to leave out, unless they are of the present state.
    /// - Throws: `feed-unavailable` if a file of the present state is missing in the folder, `feed-mismatch` if it is
    ///   not the one that is signed.
    private func files(since base: Int, besides served: Set<String>) throws(PatchError) -> [FeedFile] {
        var known: Set<String> = []
        var files: [FeedFile] = []
        for (path, digest) in feed.contents where known.insert(path).inserted {
            guard let bytes = try folder.read(path) else {
                throw PatchError(.feedUnavailable, "\(path): missing", remedy: .takeFromBackup).about(folder.path)
            }
            guard let signed = try file(path, bytes, sha256: digest) else {
                throw PatchError(
                    .feedMismatch, "\(path): not the file that is signed", remedy: .takeFromBackup
                ).about(folder.path)
            }
            files.append(signed)
        }
        known.formUnion(served)
        let newest = feed.state(of: .snapshot).version
        let names = try Folder.names(in: folder.path.appending(Path(FeedLayout.metadataFolder))).map(\.description)
        for number in names.compactMap(FeedLayout.snapshotVersion).sorted()
        where number > base && number < newest {
            // Files of an old state that can no longer be read are only history.
            guard let old = try? state(at: number) else { continue }
            for (path, digest) in old.contents where known.insert(path).inserted {
                guard let bytes = try folder.read(path), let signed = try file(path, bytes, sha256: digest) else {
                    continue
                }
                files.append(signed)
            }
        }
        return files
    }

    /// A file of the folder, which is read again when it is compared, and when it is uploaded; nil if it is not the one
    /// that is signed.
    ///
    /// - Parameter digest: The SHA-256 that is signed; nil for metadata, which were checked when the feed was read.
    private func file(_ path: String, _ bytes: [UInt8], sha256 digest: String?) throws(PatchError) -> FeedFile? {
        let folder = folder
        let contents = try FeedFile.Contents(bytes) { () throws(PatchError) in try folder.read(path) ?? [] }
        guard digest == nil || contents.sha256 == digest else { return nil }
        return FeedFile(path: path, contents)
    }

    private func state(at snapshot: Int) throws(PatchError) -> FeedRepository {
        try folder.repository(root: root, snapshot: snapshot)
    }

    // MARK: the chain

    /// How often a file is tried that other deployments write too. Each of them ends, so the place must answer wrongly
    /// if that is not enough.
    private static let mostTries = 100

    /// Takes the place after the last timestamp of the chain.
    ///
    /// - Parameter given: The only timestamp of another copy that may be given up.
    /// - Returns: The timestamp that devices should read. It comes from another copy if that copy signed the same
    ///   snapshot later.
    /// - Throws: `feed-conflict` if devices would refuse this state after the last one, or a change would be lost;
    ///   `config` if the place lets two writers win; `io` if the place cannot be taken.
    private func claim(
        after deployed: [UInt8]?, givingUp given: Link?, isTrial: Bool, _ outcome: inout Outcome
    ) throws(PatchError) -> Link {
        for _ in 0..<Self.mostTries {
            let last = try last(after: deployed)
            // An earlier run of the same deployment came this far, or was completed.
            if let last, last.bytes == timestamp.bytes { return timestamp }
            if let last, let other = try? position(last.bytes) {
                guard try mayFollow(other) else { return last }
                guard other.isOwn || last.bytes == given?.bytes else { throw .otherCopy(target.name, other) }
                outcome.givenUp = other.isOwn ? nil : other
            }
            // A timestamp by a key that was removed is valid again if the key is. It must not come after this one.
            if var stale = try next(after: timestamp) {
                while let later = try next(after: stale) { stale = later }
                throw PatchError(
                    .feedConflict,
                    "\(target.name): timestamp \(stale.version) is there, of a key that is trusted again",
                    remedy: .signAbove(stale.version, folder: folder.path.description))
            }
            let path = FeedLayout.next(after: last?.version)
            let file = FeedFile(path: path, bytes: timestamp.bytes, replaces: false)
            if isTrial { return timestamp }
            if try target.claim(file) { return timestamp }
            // Either another deployment came first, or the file does not belong to the feed.
            guard let there = try target.read(path), try link(there, at: path, after: last) == nil else {
                continue
            }
            if try target.replace(file, of: there) { return timestamp }
        }
        throw PatchError(
            .io,
            "\(target.name): \(FeedLayout.next(after: try last(after: deployed)?.version)): cannot be made, and is not there",
            hint: "is it a broken link, or does the store answer wrongly?")
    }

    /// The end of the chain; nil if nothing was deployed yet.
    private func last(after deployed: [UInt8]?) throws(PatchError) -> Link? {
        var last: Link?
        if let deployed { last = try link(deployed, at: FeedLayout.timestamp, after: nil) }
        while let next = try next(after: last) { last = next }
        return last
    }

    /// The timestamp after another one, or the first of the chain; nil if there is none, or another file has its place.
    private func next(after last: Link?) throws(PatchError) -> Link? {
        let path = FeedLayout.next(after: last?.version)
        guard let bytes = try target.read(path) else { return nil }
        return try link(bytes, at: path, after: last)
    }

    /// A timestamp that can come after another one; nil if the file is not one, and should be replaced.
    ///
    /// - Throws: `feed-conflict` for a file that only a repair may replace.
    private func link(_ bytes: [UInt8], at path: String, after last: Link?) throws(PatchError) -> Link? {
        do throws(PatchError) {
            let position = try position(bytes, called: path)
            let link = Link(version: position.version, root: position.root, bytes: bytes)
            guard let last else { return link }
            if link.root < last.root { return nil }
            guard link.root > last.root || link.version > last.version else {
                throw PatchError(.feedConflict, "\(path): is of version \(link.version)")
            }
            return link
        } catch {
            guard !repairs else { return nil }
            throw PatchError(.feedConflict, "\(target.name): \(error.message)", remedy: .takeNewestOrReplace)
        }
    }

    /// Whether this folder's state may come after another one.
    ///
    /// - Returns: False if the other one is this folder's snapshot, with the same timestamp or a later one.
    /// - Throws: `feed-conflict` if devices that have seen the other one would refuse this one, or if a change would be
    ///   lost.
    private func mayFollow(_ other: SnapshotPosition) throws(PatchError) -> Bool {
        let own = timestamp.version
        let snapshot = feed.state(of: .snapshot).version
        if other.isOwn, other.snapshot == snapshot, other.version >= own { return false }
        let state = "\(target.name): has snapshot \(other.snapshot), timestamp \(other.version)"
        guard other.isOwn || repairs else {
            if (try? isOlder()) == true {
                throw PatchError(
                    .feedConflict, "\(state), which came after the state in \(folder.path)", remedy: .takeDeployed)
            }
            throw .otherCopy(target.name, other)
        }
        if other.isForgotten { return true }
        var numbers = [other.version, other.snapshot]
        // Of another copy's snapshot, the same version has other bytes.
        let isSnapshotTaken = other.isOwn ? other.snapshot > snapshot : other.snapshot >= snapshot
        var isLower = other.version >= own || isSnapshotTaken
        if !other.isOwn, let there = try? FeedRepository(root: root, target.read) {
            for role in [FeedRole.targets, .rollout] {
                numbers.append(there.state(of: role).version)
                if feed.state(of: role).version < there.state(of: role).version { isLower = true }
            }
        }
        guard isLower else { return true }
        throw PatchError(
            .feedConflict, "\(state); devices that have seen it refuse the lower versions of \(folder.path)",
            remedy: .signAbove(numbers.max() ?? 0, folder: folder.path.description))
    }

    /// Whether the place's feed came from this folder's snapshot, so that this folder is an older copy.
    private func isOlder() throws(PatchError) -> Bool {
        let there = try FeedRepository(root: root, target.read)
        return try there.position(of: timestamp.bytes, called: FeedLayout.timestamp, root: root, target.read).isOwn
    }

    // MARK: writing

    private func foreign(_ path: String, and more: Int = 0) -> PatchError {
        PatchError(
            .feedConflict,
            "\(target.name): \(path) is there with other bytes\(more > 0 ? ", and \(more) more files" : "")",
            remedy: .lookAndReplace)
    }

    /// Reads back the uploaded metadata and the list, as devices will read them once a timestamp is in place.
    ///
    /// - Throws: The error with which devices would refuse them.
    private func checkUploaded(_ newest: Link) throws(PatchError) {
        do throws(PatchError) {
            _ = try FeedRepository(root: root) { (path) throws(PatchError) in
                if path == FeedLayout.timestamp { return newest.bytes }
                return try FeedLayout.isRoot(path) ? folder.read(path) : target.read(path)
            }
        } catch {
            let message = "\(target.name): read back: \(error.message)"
            throw repairs
                ? PatchError(error.code, message, hint: "does something else write there?")
                : PatchError(error.code, message, remedy: .deployAndReplace)
        }
    }

    /// Puts a timestamp in place, unless a later deployment has put its own there.
    ///
    /// All deployments are in one chain, so a later one includes this one.
    ///
    /// - Throws: `io` if it cannot be replaced.
    private func putTimestamp(_ newest: Link) throws(PatchError) {
        for _ in 0..<Self.mostTries {
            let there = try target.read(FeedLayout.timestamp)
            if there == newest.bytes { return }
            if let there, try isLater(there, than: newest) { return }
            let file = FeedFile(path: FeedLayout.timestamp, bytes: newest.bytes, replaces: true)
            guard try target.replace(file, of: there) else { continue }
            // If the place cannot replace files conditionally, this timestamp may have replaced a later one. The later
            // one is put in place again once all files that it leads to are there.
            guard let next = try next(after: newest), (try? checkUploaded(next)) != nil else { return }
            return try putTimestamp(next)
        }
        throw PatchError(
            .io, "\(target.name): \(FeedLayout.timestamp): changes all the time, or cannot be replaced",
            hint: "does something else write there?")
    }

    /// Whether a timestamp comes after a link of the chain.
    private func isLater(_ bytes: [UInt8], than link: Link) throws(PatchError) -> Bool {
        var last = link
        while let next = try next(after: last) {
            if next.bytes == bytes { return true }
            last = next
        }
        return false
    }
}
