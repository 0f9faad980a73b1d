internal import PatchCrypto
internal import PatchFiles
internal import PatchText

/// The files of an event log: `events-MILLISECONDS.jsonl`, named after the time at which they were started.
///
/// Each process locks the file that it writes, and removes none that another process has locked. Where the file system
/// has no locks, nothing tells that another process writes a file, and the limits decide alone.
struct EventFolder {
    private let path: Path
    private let limits: PatchEventLog.Limits
    private var file: Descriptor?
    /// When the open file was started, in milliseconds since 1970.
    private var began = 0
    /// The size of the open file in bytes.
    private var size = 0
    /// Whether the open file could be locked, so that the others can be too.
    private var hasLocks = false
    /// Whether the open file ends in the middle of a line, because the process ended or a write failed.
    private var isCut = false

    init(path: Path, limits: PatchEventLog.Limits) {
        self.path = path
        self.limits = limits
    }

    /// Appends a line, in a new file if the last one is full or old.
    ///
    /// - Parameter now: The milliseconds since 1970, at most ``latest``.
    /// - Throws: `io` if it cannot be written, `no-input` if the folder cannot be read.
    mutating func append(_ line: [UInt8], at now: Int) throws(PatchError) {
        readSize()
        if !takes(line.count, at: now) {
            try openLast()
            readSize()
        }
        if !takes(line.count, at: now) {
            let next = max(now, began.addingOrMost(1))
            // A file with the last of all names has none after it, and is no reason to keep more than the limits.
            try open(next <= Self.latest ? next : now)
            prune(at: now)
        }
        guard let file else { throw PatchError(.io, "the files are removed as soon as they are made").about(path) }
        try path.calling { () throws(SystemError) in
            // One write for each line, so that a reader who follows the file sees whole lines.
            let bytes = (isCut ? [UInt8(ascii: "\n")] : []) + line + [UInt8(ascii: "\n")]
            isCut = true
            try unsafe bytes.withUnsafeBufferPointer { bytes throws(SystemError) in try unsafe file.write(bytes) }
            isCut = false
            size += bytes.count
        }
    }

    /// Reads the size of the open file. Other processes may have written it, and anyone may have removed it.
    private mutating func readSize() {
        guard let current = file, let info = FileInfo(current), !info.isRemoved else {
            file = nil
            return
        }
        guard info.size != size else { return }
        size = info.size
        isCut = size > 0 && current.byte(at: size - 1) != UInt8(ascii: "\n")
    }

    /// Whether the open file takes a line of so many bytes. An empty one takes every line.
    private func takes(_ bytes: Int, at now: Int) -> Bool {
        let hasRoom = size == 0 || size.addingOrMost(bytes) <= limits.fileBytes
        return file != nil && hasRoom && now <= began.addingOrMost(limits.fileAge.milliseconds)
    }

    /// Flushes the open file to the disk.
    ///
    /// - Throws: `io` if that fails.
    func flush() throws(PatchError) {
        do throws(SystemError) { try file?.synchronize() } catch { throw .system(.io, path, error) }
    }

    private mutating func openLast() throws(PatchError) {
        file = nil
        try Folder.make(path)
        guard let last = try Folder.names(in: path).compactMap(Self.start).max() else { return }
        try open(last)
    }

    private mutating func open(_ start: Int) throws(PatchError) {
        let name = path.appending(Self.name(start))
        do throws(SystemError) {
            let file = try Descriptor(name, [.append, .noFollow], permissions: 0o600)
            // False if another process removes the file, which it does while it has the lock.
            let isLocked = try? file.lock(isShared: true)
            hasLocks = isLocked != nil
            self.file = isLocked == false ? nil : file
        } catch {
            throw .system(.io, name, error)
        }
        began = start
        size = 0
        isCut = false
    }

    /// Removes files beyond the limits on number and age. Files that any process writes stay.
    private func prune(at now: Int) {
        let starts = ((try? Folder.names(in: path)) ?? []).compactMap(Self.start).sorted()
        let surplus = starts.count - max(1, limits.files)
        for (index, start) in starts.enumerated() where start < began {
            // The next file's start is the end of this one.
            let next = index + 1 < starts.count ? starts[index + 1] : began
            let isOld = next.addingOrMost(limits.age.milliseconds) < now
            guard isOld || index < surplus else { continue }
            let name = path.appending(Self.name(start))
            // NFS locks a file for one process only if it is open for writing. It is made if another process has just
            // removed it, and is then removed again.
            guard let file = try? Descriptor(name, [.append, .noFollow], permissions: 0o600) else { continue }
            let isUnused = (try? file.lock()) ?? !hasLocks
            guard isUnused else { continue }
            withExtendedLifetime(file) { try? Folder.remove(name) }
        }
    }

    /// The latest time of a log, in milliseconds since 1970: the end of the year 9999.
    static let latest = 253_402_300_799_999

    private static let prefix = "events-"
    private static let suffix = ".jsonl"

    private static func name(_ start: Int) -> Path { Path("\(prefix)\(start)\(suffix)") }

    /// The start time in a file's name; nil for other files.
    private static func start(_ name: Path) -> Int? {
        let digits = name.bytes.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
        guard let start = Int(String(decoding: digits, as: UTF8.self)), (0...latest).contains(start),
            Self.name(start) == name
        else { return nil }
        return start
    }
}
