import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing

/// Brings the state of a feed's folder to the place that the feed is served from. No change of another copy is lost, and a device
/// that syncs meanwhile finds the old state or the new one.
///
/// The place has a chain of timestamps. `metadata/N.next.json` is the timestamp that came after version N. It is made only if
/// there is no such file, so of two copies that both go on from N, one is told that it came too late. What the timestamp leads to
/// is uploaded after that, then `timestamp.json`, and the root files last.
struct Deployment {
    private let folder: FeedFolder
    private let target: any DeployTarget
    private let root: [UInt8]
    /// The state to deploy, and its timestamp.
    let feed: FeedRepository
    private let timestamp: [UInt8]
    /// Whether files of other copies are replaced.
    private let repairs: Bool

    private static let timestampPath = "metadata/timestamp.json"

    /// What was done.
    enum Outcome: String {
        case deployed
        case unchanged
    }

    /// What a deployment has to upload, and does.
    struct Plan {
        fileprivate(set) var files: [FeedRepository.File] = []
        fileprivate(set) var roots: [FeedRepository.File] = []
        /// The files that were there with other bytes, and were replaced.
        fileprivate(set) var replaced: [String] = []

        var count: Int { files.count + roots.count }
        var bytes: Int { (files + roots).reduce(0) { $0 + $1.bytes.count } }
    }

    /// Reads the folder while no other process changes it.
    ///
    /// - Parameter root: The root file to trust.
    init(
        of folder: FeedFolder, root: [UInt8], to target: any DeployTarget, repairs: Bool
    ) throws(PatchError) {
        (self.folder, self.root, self.target, self.repairs) = (folder, root, target, repairs)
        (feed, timestamp) = try Folder.whileLocked(around: folder.path.appending(Path("."))) {
            () throws(PatchError) in
            let feed = try folder.repository(FeedRepository.Reading(root: root))
            return (feed, try folder.read(Self.timestampPath) ?? [])
        }
    }

    /// Deploys the feed.
    ///
    /// - Parameter isTrial: Whether nothing is written.
    /// - Throws: `feed-conflict` if the place has a change that the folder has not, or a file of that name with other bytes.
    func run(isTrial: Bool = false) throws(PatchError) -> (Outcome, Plan) {
        try checkFeed()
        let deployed = try target.read(Self.timestampPath)
        // What the last deployment that came to its end has uploaded need not be uploaded again.
        let deployedSnapshot = deployed.flatMap { try? position($0) }.flatMap { $0.isOwn ? $0.snapshot : nil }
        let base = repairs ? 0 : deployedSnapshot ?? 0
        var plan = try plan(since: base)
        let isNew = try claim(after: deployed, isTrial: isTrial)
        if !isNew { plan.files = [] }
        guard !isTrial else { return (isNew ? .deployed : .unchanged, plan) }
        if isNew {
            plan.replaced += try upload(plan.files)
            try checkUploaded()
            try putTimestamp()
        }
        plan.replaced += try upload(plan.roots)
        return (isNew ? .deployed : .unchanged, plan)
    }

    // MARK: reading

    /// What a timestamp says that may be another copy's.
    func position(_ bytes: [UInt8]) throws(PatchError) -> FeedRepository.Position {
        try FeedRepository.position(of: bytes, root: root) { (path) throws(PatchError) in try folder.read(path) }
    }

    /// Refuses a place that has another feed.
    private func checkFeed() throws(PatchError) {
        let first = "metadata/1.root.json"
        guard let there = try target.read(first), try there != folder.read(first) else { return }
        throw PatchError(
            .feedMismatch, "\(target.name): has another feed: its \(first) is not that of \(folder.path)",
            hint: "is --to right?")
    }

    /// The files that came after a snapshot, those of its successors included, because `feed log` reads them.
    private func plan(since base: Int) throws(PatchError) -> Plan {
        var old: Set<String> = []
        if base > 0 { old = try Set(state(at: base).paths) }
        var plan = Plan()
        var known = old
        func add(_ path: String, isNeeded: Bool) throws(PatchError) {
            guard known.insert(path).inserted else { return }
            if let bytes = try folder.read(path) {
                plan.files.append(FeedRepository.File(path: path, bytes: bytes, replaces: false))
            } else if isNeeded {
                throw PatchError(.feedUnavailable, "\(path): missing").about(folder.path)
            }
        }
        let newest = feed.state(of: .snapshot).version
        let names = try Folder.names(in: folder.path.appending(Path("metadata"))).map(\.description)
        func versions(of role: String) -> [Int] {
            names.filter { $0.hasSuffix(".\(role).json") }.compactMap { Int($0.prefix { $0 != "." }) }.sorted()
        }
        for path in feed.paths { try add(path, isNeeded: true) }
        for number in versions(of: "snapshot") where number > base && number < newest {
            // An old state that can no longer be read is history only.
            for path in (try? state(at: number))?.paths ?? [] { try add(path, isNeeded: false) }
        }
        let root = feed.state(of: .root).version
        func rootPath(_ number: Int) -> String { "metadata/\(number).root.json" }
        if !repairs, try target.read(rootPath(root)) != nil { return plan }
        for number in versions(of: "root") where number <= root {
            let path = rootPath(number)
            if let bytes = try folder.read(path) {
                plan.roots.append(FeedRepository.File(path: path, bytes: bytes, replaces: false))
            }
        }
        return plan
    }

    private func state(at snapshot: Int) throws(PatchError) -> FeedRepository {
        try folder.repository(FeedRepository.Reading(root: root, snapshot: snapshot))
    }

    // MARK: writing

    /// Takes the place after the last timestamp of the chain.
    ///
    /// - Parameter deployed: The timestamp that devices read now.
    /// - Returns: False if the same snapshot is deployed with this timestamp, or with a newer one.
    private func claim(after deployed: [UInt8]?, isTrial: Bool) throws(PatchError) -> Bool {
        while true {
            let last = try last(after: deployed)
            // An earlier run of the same deployment came this far, or to its end.
            if let last, last.bytes == timestamp { return deployed != timestamp }
            if let last, try !isFree(after: last.bytes) { return false }
            let place = Self.place(after: last?.version)
            let file = FeedRepository.File(path: place, bytes: timestamp, replaces: false)
            if isTrial { return true }
            if try target.create(file) { return true }
            // Either another deployment came first, or the file is none of the feed's.
            guard let there = try target.read(place), try version(of: there, after: last?.version) == nil else {
                continue
            }
            if try target.replace(file, of: there) { return true }
        }
    }

    private static func place(after version: Int?) -> String { "metadata/\(version ?? 0).next.json" }

    /// The end of the chain; nil if nothing was deployed yet.
    private func last(after deployed: [UInt8]?) throws(PatchError) -> (version: Int, bytes: [UInt8])? {
        var last: (version: Int, bytes: [UInt8])?
        if let deployed, let version = try version(of: deployed, after: nil) { last = (version, deployed) }
        while let next = try target.read(Self.place(after: last?.version)),
            let version = try version(of: next, after: last?.version)
        {
            last = (version, next)
        }
        return last
    }

    /// The version of a timestamp; nil if it is none that can come after another, and is to be replaced.
    private func version(of bytes: [UInt8], after other: Int?) throws(PatchError) -> Int? {
        do throws(PatchError) {
            let version = try position(bytes).version
            guard version > other ?? 0 else {
                throw PatchError(.feedConflict, "\(Self.place(after: other)): is of version \(version)")
            }
            return version
        } catch {
            guard !repairs else { return nil }
            throw PatchError(
                .feedConflict, "\(target.name): \(error.message)",
                hint:
                    "something else writes there, or this folder is older: take the newest copy, or replace what is there with --repair"
            )
        }
    }

    /// Whether this folder's state may come after a timestamp.
    ///
    /// - Returns: False if it is deployed already.
    private func isFree(after bytes: [UInt8]) throws(PatchError) -> Bool {
        guard let other = try? position(bytes) else { return true }
        let (own, snapshot) = (feed.state(of: .timestamp).version, feed.state(of: .snapshot).version)
        if other.isOwn, other.snapshot == snapshot, other.version >= own { return false }
        let above = "patchpack feed refresh \(folder.path) --above \(max(other.version, other.snapshot))"
        guard other.isOwn || repairs else {
            throw PatchError(
                .feedConflict,
                "\(target.name): has snapshot \(other.snapshot), timestamp \(other.version), of another copy of this feed",
                hint:
                    "make this change again in the copy that was deployed; or give up that copy's: \(above), and --repair"
            )
        }
        guard other.version < own, other.snapshot < snapshot || other.isOwn && other.snapshot == snapshot else {
            throw PatchError(
                .feedConflict,
                "\(target.name): has snapshot \(other.snapshot), timestamp \(other.version); this folder's are \(snapshot) and \(own)",
                hint: "devices refuse lower numbers: \(above), and deploy again")
        }
        return true
    }

    /// Writes the files that are missing.
    ///
    /// - Returns: The files that were replaced.
    private func upload(_ files: [FeedRepository.File]) throws(PatchError) -> [String] {
        let others = try target.add(files)
        guard repairs || others.isEmpty else {
            throw PatchError(
                .feedConflict, "\(target.name): \(others[0]) is there with other bytes, and \(others.count - 1) more",
                hint:
                    "another copy of the feed, or something else, wrote there: look at it, and replace it with --repair"
            )
        }
        for file in files where others.contains(file.path) {
            _ = try target.replace(file, of: target.read(file.path))
        }
        return others
    }

    /// Reads back what was uploaded as it will be read once the timestamp is in its place.
    private func checkUploaded() throws(PatchError) {
        do throws(PatchError) {
            _ = try FeedRepository(
                FeedRepository.Reading(root: root)
            ) { (path) throws(PatchError) in
                if path == Self.timestampPath { return timestamp }
                return try path.hasSuffix(".root.json") ? folder.read(path) : target.read(path)
            }
        } catch {
            throw PatchError(error.code, "\(target.name): read back: \(error.message)", hint: error.hint)
        }
    }

    /// Puts the timestamp into its place, unless that of a later deployment is there. Deployments are in one chain, so a later one
    /// has everything of this one.
    private func putTimestamp() throws(PatchError) {
        var newest = (version: feed.state(of: .timestamp).version, bytes: timestamp)
        while true {
            let file = FeedRepository.File(path: Self.timestampPath, bytes: newest.bytes, replaces: true)
            var tries = 0
            while true {
                tries += 1
                guard tries < 100 else {
                    throw PatchError(.io, "\(target.name): \(Self.timestampPath): others replace it all the time")
                }
                let there = try target.read(Self.timestampPath)
                if let there, let other = try? position(there), other.version >= newest.version { break }
                if try target.replace(file, of: there) { break }
            }
            // Where files cannot be replaced on a condition, this one may have replaced a later one.
            guard let next = try target.read(Self.place(after: newest.version)),
                let version = try? FeedRepository.position(
                    of: next, root: root, { (path) throws(PatchError) in try target.read(path) }
                ), version.isOwn, version.version > newest.version
            else { return }
            newest = (version.version, next)
        }
    }
}
