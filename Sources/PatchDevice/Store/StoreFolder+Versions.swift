internal import PatchCrypto
internal import PatchFiles
internal import PatchRunner

// The folder of a device on which several versions of the app have run, such as after an update, or as an app and its
// extension. It has a part for each version, and may have an older library's only part in the folder itself
// (``StoreFolder`` lists the files).
//
// A process writes only the part of its own version, once it has that part's lock, and reads the others without a
// lock. So no two processes write a file at once, and no version takes anything away from another one. There are three
// exceptions: the name of the installation belongs to all versions, and the first one that finds none notes it; the
// part of a version that no longer runs is removed by any version that can lock it; and an older library's part is
// taken over only while none of its processes runs.
extension StoreFolder {
    /// The parts of the other versions, in the order of ``listOthers()``; empty if they cannot be listed.
    func others() -> [StoreFolder] { (try? listOthers()) ?? [] }

    /// The parts of the other versions: the one that synced last first, then the one that was written last.
    ///
    /// - Throws: `no-input` if they cannot be listed.
    func listOthers() throws(PatchError) -> [StoreFolder] { try Self.parts(of: root).filter { $0.path != path } }

    /// The parts of all versions: the one that synced last first, then the one that was written last. A folder that an
    /// older version of this library has made is one, too.
    ///
    /// - Throws: `no-input` if they cannot be listed.
    private static func parts(of root: Path) throws(PatchError) -> [StoreFolder] {
        let folder = root.appending(versions)
        let names = try isFolder(folder) ? Folder.names(in: folder) : []
        var parts = names.filter { AppVersion($0.description) != nil }
            .map { StoreFolder(root: root, part: folder.appending($0)) }
            .filter { part in
                // What the system does not report may be a part. Reading its state gives the error.
                do throws(PatchError) { return try isFolder(part.path) } catch { return true }
            }
        let old = StoreFolder(root: root, part: root)
        if old.hasState || old.hasBans { parts.append(old) }
        return parts.map { (part: $0, lastSync: $0.lastSync ?? .zero, lastUse: $0.lastUse) }
            .sorted { ($0.lastSync, $0.lastUse) > ($1.lastSync, $1.lastUse) }
            .map(\.part)
    }

    /// Whether a path is a folder. A link to a folder is not one.
    ///
    /// - Throws: `no-input` if the system does not report it.
    private static func isFolder(_ path: Path) throws(PatchError) -> Bool {
        try FileInfo.ifThere(path, following: false, code: .noInput)?.isFolder == true
    }

    /// What other versions have banned or revoked.
    func exclusionsOfOthers() -> [StoreState.Exclusions] { others().map { $0.readExclusions() } }

    /// Another app that the folder belongs to; nil if it belongs to this one, or to none yet.
    func otherApp(than app: String) -> String? {
        others().lazy.compactMap { $0.readState().state?.app }.first { $0 != app }
    }

    /// The state of a folder that an older version of this library has made for this version of the app, unless that
    /// still runs.
    func oldState(of version: AppVersion) -> StoreState? {
        let old = StoreFolder(root: root, part: root)
        // The lock comes first: a process that ended between the two would have its launch taken for a crash.
        guard old.hasState, let lock = try? Folder.lock(root, isShared: true) else { return nil }
        return withExtendedLifetime(lock) {
            old.readState().state.flatMap { $0.appVersion == version ? $0 : nil }
        }
    }

    /// When a version of the app has last written its part, since 1970.
    private var lastUse: Duration {
        lastWrite ?? FileInfo(path, following: true)?.modified ?? .zero
    }

    /// An envelope of any part. Its name is its hash, which tells whether it is the right one.
    ///
    /// - Throws: What ``envelope(_:limit:)`` throws for this part, if no other one has it.
    func anyEnvelope(_ hash: String, limit: Int) throws(PatchError) -> [UInt8] {
        do throws(PatchError) {
            return try envelope(hash, limit: limit)
        } catch {
            for other in others() {
                if let envelope = try? other.envelope(hash, limit: limit) { return envelope }
            }
            throw error
        }
    }

    /// The name of the installation, which all versions and processes share: the one that is noted, or else a new one,
    /// which is noted then.
    ///
    /// - Parameter replacesDamaged: Whether a file that is no name is replaced, which only a process that writes may
    ///   do.
    func installation(or new: String, replacesDamaged: Bool) -> String {
        let file = root.appending(Path("installation"))
        var noted: String? {
            guard let bytes = try? InputFile.regular(file, limit: new.utf8.count), bytes.count == new.utf8.count,
                bytes.allSatisfy(Hex.isLowercaseDigit)
            else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        if let noted { return noted }
        // What another process has just noted is not damaged.
        if replacesDamaged, FileInfo(file, following: false) != nil, noted == nil { try? Folder.removeAll(file) }
        // If two processes begin at once, the name of the first one counts.
        try? OutputFile.write([OutputFile(path: file, content: .bytes(Array(new.utf8)), below: root)], force: false)
        return noted ?? new
    }

    /// Removes the parts of versions that do not run.
    ///
    /// - Parameter time: Keeps parts that were written later than this time since 1970; nil keeps none.
    func removeOthers(unusedSince time: Duration?) {
        func isUnused(_ part: StoreFolder) -> Bool { time.map { part.lastUse < $0 } ?? true }
        for other in others() where isUnused(other) {
            guard let lock = try? Folder.lock(other.path) else { continue }
            withExtendedLifetime(lock) {
                // Another process may have removed the part before this one had the lock, and its version may have
                // begun a new one.
                if other.isInPlace(lock), isUnused(other) { other.removePart() }
            }
        }
    }

    private func removePart() {
        guard path != root else {
            for name in Self.filesOfOldPart { try? Folder.removeAll(root.appending(Path(name))) }
            return
        }
        // In one step, so that a process that begins meanwhile finds all of it, or nothing.
        let aside = path.parent.appending(Path(".patchpack-\(path.name).tmp"))
        try? Folder.removeAll(aside)
        guard (try? Folder.rename(path, to: aside.name)) != nil else { return }
        try? Folder.removeAll(aside)
    }

    /// The files of the part that an older library has in the folder itself.
    private static let filesOfOldPart = [
        "state", "state.unread", "mark", "bans", "envelopes", "feed", "synced", "syncing",
    ]

    // MARK: a tool

    /// The app that a folder belongs to: each version of it that has a part, the one that synced last first.
    ///
    /// - Throws: `no-input` if there is no state, or the parts cannot be listed; if none can be used, the error of the
    ///   first one that is faulty.
    static func hosts(in root: Path) throws(PatchError) -> [HostInfo] {
        var states: [StoreState] = []
        var fault: PatchError?
        for part in try parts(of: root) {
            let (state, problem) = part.readState()
            fault = fault ?? problem
            // A version may have a part, and an older one in the folder itself.
            if let state, !states.contains(where: { $0.appVersion == state.appVersion }) { states.append(state) }
        }
        guard states.isEmpty else {
            return states.map { HostInfo(app: $0.app, version: $0.appVersion) }
        }
        throw fault ?? PatchError(.noInput, "not a store: it has no state", remedy: StoreRemedy.sync).about(root)
    }
}

/// A remedy for an error of a device's folder. A tool words it in terms of its own verbs.
package enum StoreRemedy: PatchError.Remedy {
    /// Sync, which makes the state.
    case sync
}
