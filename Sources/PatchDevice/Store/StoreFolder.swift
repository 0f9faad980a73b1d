internal import PatchCrypto
internal import PatchFiles

/// The files of a store: a folder in which each version of the app has a part of its own.
///
///     installation            the installation's name
///     versions/V/             the part of a version of the app
///         state               the patches that are held, tried, good and banned
///         mark                the status of the launch in the state
///         bans                a copy of the bans and revocations, for other versions, and if the state is lost
///         envelopes/HASH.js   the envelopes, by SHA-256
///         feed/…              the feed's metadata, as received
///         synced              an empty file, whose time is that of the last sync
///         syncing             an empty file, whose time is that of the begin of a sync, and which is gone after it
///
/// Nothing outside of the folder is written or removed, even if there are links in it.
struct StoreFolder: Sendable {
    /// The device's folder.
    let root: Path
    /// The part of one version of the app. Only processes of that version write it.
    let path: Path

    init(_ root: Path, _ version: AppVersion) {
        self.init(root: root, part: root.appending(Self.versions).appending(Path(version.description)))
    }

    init(root: Path, part: Path) {
        self.root = root
        path = part
    }

    static let versions = Path("versions")
    /// The name of the list of patches among the feed's metadata.
    static let list = "list.json"

    var feed: Path { path.appending(Path("feed")) }
    private var envelopes: Path { path.appending(Path("envelopes")) }
    private var stateFile: Path { path.appending(Path("state")) }
    private var markFile: Path { path.appending(Path("mark")) }
    private var bansFile: Path { path.appending(Path("bans")) }
    /// The most bytes of a state that is written or read. A thousand patches, bans and outcomes each need less than a
    /// quarter of it (`StoreState.banLimit`, `outcomeLimit` and `textLimit`).
    private static let stateLimit = 4 << 20

    /// Whether another user owns the folder, who could change the files in it at any time.
    ///
    /// - Parameter isReader: Whether this process never writes. The superuser may read the folders of all users.
    func isForeign(toReader isReader: Bool) -> Bool {
        guard !isReader || ThisProcess.user != 0 else { return false }
        return [root, path].contains { place in
            FileInfo(place, following: true).map { $0.owner != ThisProcess.user && $0.owner != 0 } ?? false
        }
    }

    /// Whether a folder that is locked is the one in the place of this part. Another process may have removed or
    /// replaced it.
    func isInPlace(_ lock: Descriptor) -> Bool {
        FileInfo(lock)?.identity == FileInfo(path, following: true)?.identity
    }

    /// Makes the folder of this part.
    func make() throws(PatchError) {
        freePlaces()
        try Folder.make(path)
    }

    /// Removes what is in the place of a folder: a file would stop each sync, and so would a link, which is not
    /// followed.
    private func freePlaces() {
        for folder in [path.parent, path, envelopes, feed] {
            if let info = FileInfo(folder, following: false), !info.isFolder { try? Folder.remove(folder) }
        }
    }

    // MARK: the state

    var hasState: Bool { FileInfo(stateFile, following: false) != nil }
    var hasBans: Bool { FileInfo(bansFile, following: false) != nil }
    /// When its state, its mark or the time of its last sync was written last, since 1970; nil if it has none of them.
    var lastWrite: Duration? { [stateFile, markFile, syncedFile].compactMap(Self.time).max() }

    /// - Returns: The state; nil if there is none, or it cannot be used. Then the fault says why: `no-input` if the
    ///   system could not read it this time, any other code if it is damaged, or of another version of this library.
    func readState() -> (state: StoreState?, fault: PatchError?) {
        do throws(PatchError) {
            guard let info = try FileInfo.ifThere(stateFile, following: false, code: .noInput) else {
                return (nil, nil)
            }
            guard info.isRegular else { throw PatchError(.malformed, "damaged: not a file").about(stateFile) }
            guard var state = StoreState(try Self.read(stateFile)) else {
                throw PatchError(.config, "not a state of this version of patchpack").about(stateFile)
            }
            if let mark = try? InputFile.regular(markFile, limit: state.mark.count) { state.apply(mark) }
            return (state, nil)
        } catch {
            return (nil, error)
        }
    }

    /// Writes the status of a state's launch over the existing mark.
    ///
    /// - Parameter isDurable: Whether it must survive a loss of power.
    /// - Throws: `io` if it cannot be written.
    func writeMark(of state: StoreState, isDurable: Bool) throws(PatchError) {
        guard FileInfo(markFile, following: false)?.size == state.mark.count else {
            return try write(state.mark, to: markFile)
        }
        try OutputFile.overwrite(markFile, with: state.mark, isDurable: isDurable)
    }

    /// What was written beside the state of what is never accepted again; nothing if it cannot be read.
    func readExclusions() -> StoreState.Exclusions {
        (try? Self.read(bansFile)).map { StoreState.Exclusions($0) } ?? StoreState.Exclusions()
    }

    /// Writes the state whole and durably.
    ///
    /// - Parameter exclusions: The state's, if they have changed; nil if their file has them. They are written first,
    ///   so that it never has fewer than the state.
    /// - Throws: `io` if it cannot be written, `limit` if it would be too large.
    func writeState(_ state: StoreState, _ exclusions: StoreState.Exclusions?) throws(PatchError) {
        if let exclusions { try write(exclusions.json, to: bansFile) }
        try write(state.json, to: stateFile)
        // The end of the launch needs no room on a full disk.
        if FileInfo(markFile, following: false)?.size != state.mark.count { try? write(state.mark, to: markFile) }
    }

    /// Removes envelopes that are no longer held.
    func remove(_ hashes: Set<String>) {
        guard !hashes.isEmpty else { return }
        Folder.removeNames(in: envelopes) { name in Self.hash(ofEnvelope: name).map(hashes.contains) ?? false }
    }

    /// Moves an unusable state aside, so that a person can look at it.
    func putStateAside() throws(PatchError) { try Folder.rename(stateFile, to: Path("state.unread")) }

    /// Reads a file that begins with the digest of the rest. The digest reveals a file that was truncated or changed.
    private static func read(_ file: Path) throws(PatchError) -> JSONValue {
        let bytes = try InputFile.regular(file, limit: stateLimit)
        var rest = bytes[...]
        guard let digest = rest.takeLine(),
            try MessageDigest.sha256.hexadecimal(of: rest).elementsEqual(digest)
        else { throw PatchError(.malformed, "damaged: its digest is wrong").about(file) }
        return try file.naming { () throws(PatchError) in try JSONValue(parsing: Array(rest)) }
    }

    private func write(_ json: JSONValue, to file: Path) throws(PatchError) {
        let body = json.encoded() + [UInt8(ascii: "\n")]
        let bytes = try MessageDigest.sha256.hexadecimal(of: body) + [UInt8(ascii: "\n")] + body
        guard bytes.count <= Self.stateLimit else {
            throw PatchError(.limit, "would have \(bytes.count) bytes; at most \(Self.stateLimit) are allowed")
                .about(file)
        }
        try write(bytes, to: file)
    }

    /// Writes a file whole and durably. A folder or a link in its place is removed.
    ///
    /// - Throws: `io` if that fails, or a link is in the place of its folder.
    func write(_ bytes: [UInt8], to file: Path) throws(PatchError) {
        // Behind such a link, nothing is removed.
        let isBehindLink = file.parent != path && FileInfo(file.parent, following: false)?.isLink == true
        if !isBehindLink, let info = FileInfo(file, following: false), !info.isRegular { try Folder.removeAll(file) }
        try OutputFile.write([OutputFile(path: file, content: .bytes(bytes), below: root)], force: true)
    }

    // MARK: a process that cannot write

    /// Signals to other processes that the writer of the folder cannot write it. The signal is a lock, which needs no
    /// write, and lasts as long as the lock.
    ///
    /// - Returns: nil if the lock cannot be taken, such as while another process checks it.
    func signalWriteFailure() -> Descriptor? { try? Folder.lock(envelopes) }

    /// Whether a process has sent that signal. A store without a folder of envelopes has no patches that a process
    /// could keep running.
    var signalsWriteFailure: Bool {
        do throws(PatchError) { return try Folder.lock(envelopes, isShared: true) == nil } catch { return false }
    }

    // MARK: envelopes

    private static let envelopeSuffix = ".js"

    private func place(of hash: String) -> Path { envelopes.appending(Path(hash + Self.envelopeSuffix)) }

    /// Whether this part has a file in the place of an envelope. Anything else there, such as a folder, does not count.
    func hasEnvelope(_ hash: String) -> Bool { FileInfo(place(of: hash), following: true)?.isRegular == true }

    /// - Throws: `no-input` if this part has none, or it cannot be read, `malformed` if it is not the one that was
    ///   stored, `limit` if it is larger than `limit` bytes.
    func envelope(_ hash: String, limit: Int) throws(PatchError) -> [UInt8] {
        let file = place(of: hash)
        let bytes = try InputFile.regular(file, limit: limit)
        guard try MessageDigest.sha256.text(of: bytes) == hash else {
            throw PatchError(.malformed, "damaged: not the envelope that was stored").about(file)
        }
        return bytes
    }

    func writeEnvelope(_ envelope: [UInt8], hash: String) throws(PatchError) {
        try write(envelope, to: place(of: hash))
    }

    /// Removes envelopes that are not held, the remains of interrupted writes, and what is in the place of a folder.
    func clean(keeping hashes: Set<String>) {
        freePlaces()
        Folder.removeNames(in: envelopes) { name in
            guard let hash = Self.hash(ofEnvelope: name) else { return Self.isTemporary(name) }
            return !hashes.contains(hash)
        }
        Folder.removeNames(in: feed, Self.isTemporary)
        // The app may have given a link to its folder, which `removeNames` does not follow.
        for folder in [path, path.parent, root] {
            for name in (try? Folder.names(in: folder)) ?? [] where Self.isTemporary(name) {
                try? Folder.removeAll(folder.appending(name))
            }
        }
    }

    /// The hash in the name of an envelope; nil if it is not such a name.
    private static func hash(ofEnvelope name: Path) -> String? {
        let digits = name.bytes.dropLast(envelopeSuffix.utf8.count)
        guard name.ends(in: envelopeSuffix), digits.count == 64, digits.allSatisfy(Hex.isLowercaseDigit) else {
            return nil
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Whether a file is the rest of an interrupted write, or of a part that was removed: the names are those that
    /// `OutputFile` and ``removeOthers(unusedSince:)`` choose.
    static func isTemporary(_ name: Path) -> Bool {
        name.ends(in: ".tmp") && name.bytes.starts(with: ".patchpack-".utf8)
    }

    // MARK: syncs

    private var syncedFile: Path { path.appending(Path("synced")) }
    private var syncingFile: Path { path.appending(Path("syncing")) }

    /// The time of the last sync, since 1970; nil if there was none.
    var lastSync: Duration? { Self.time(of: syncedFile) }

    /// When a sync has begun that has not ended, since 1970; nil if there is none.
    var syncBegin: Duration? { Self.time(of: syncingFile) }

    private static func time(of file: Path) -> Duration? {
        FileInfo(file, following: false).flatMap { $0.isRegular ? $0.modified : nil }
    }

    /// Notes that a sync begins, for the processes that follow this one. Nothing is flushed.
    ///
    /// - Parameter time: The time since 1970.
    func noteSyncBegin(at time: Duration) { Self.touch(syncingFile, time) }

    /// Notes that a sync has ended, for the processes that follow this one. Nothing is flushed.
    ///
    /// - Parameters:
    ///   - hasSucceeded: Whether this was the last sync from now on.
    ///   - time: The time since 1970.
    func noteSyncEnd(hasSucceeded: Bool, at time: Duration) {
        if hasSucceeded { Self.touch(syncedFile, time) }
        try? Folder.remove(syncingFile)
    }

    /// Sets the time of an empty file. One that already exists needs no room on the disk.
    private static func touch(_ file: Path, _ time: Duration) {
        (try? Descriptor(file, [.append, .noFollow], permissions: 0o666))?.setModified(time)
    }
}
