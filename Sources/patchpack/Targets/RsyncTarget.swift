import Libc
import PatchCrypto
import PatchFiles
import PatchHTTP
import PatchPublishing

/// A folder on another machine, reached with rsync: `HOST:FOLDER` over ssh, or `rsync://HOST/MODULE/FOLDER`.
///
/// rsync cannot create a file only if it does not exist yet: it looks first, and then writes. So only one writer is
/// allowed at a time: over ssh with `flock` on the other machine, and with `max connections = 1` for a daemon.
final class RsyncTarget: DeployTarget {
    let name: String
    private let place: String
    private let limit: Int
    private let folder: Path
    /// The option that lets in one writer at a time.
    private let lock: [String]
    /// The options that say how long the other side may be silent, in seconds.
    private let common: [String]

    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/@:+~[]%".utf8)
    private static let mayBeMissing = "--ignore-missing-args"
    /// How often a daemon with other clients is tried, for about a minute.
    private static let mostTries = 500

    /// Whether rsync takes a target: as in rsync itself, a colon before the first slash decides.
    static func takes(_ name: String) -> Bool {
        name.hasPrefix("rsync://") || name.prefix { $0 != "/" }.contains(":")
    }

    /// - Parameters:
    ///   - given: A name such as `host:feed` or `rsync://host/module/feed`.
    ///   - limit: The largest file that is read, in bytes.
    /// - Throws: `usage` if the name has another form, `io` if there is no temporary folder.
    init(_ given: String, limit: Int) throws(PatchError) {
        let place = given.hasSuffix("/") ? String(given.dropLast()) : given
        name = HTTPSource.shown(place)
        self.place = place
        self.limit = limit
        guard place.utf8.allSatisfy(Self.plain.contains), !place.hasPrefix("-") else {
            throw .usage("\(name): a name that a shell on the other machine could take for a command")
        }
        if place.hasPrefix("rsync://") {
            guard place.split(separator: "/").count > 2 else {
                throw .usage("\(name): expected rsync://HOST/MODULE/FOLDER")
            }
            common = ["--timeout=60", "--contimeout=30"]
            lock = []
        } else {
            guard let remote = Self.folder(of: place) else {
                throw .usage("\(name): expected HOST:FOLDER, or rsync://HOST/MODULE/FOLDER for a daemon")
            }
            // It is silent while it waits for the lock.
            common = ["--timeout=180"]
            lock = ["--rsync-path=mkdir -p \(remote) && flock -w 120 \(remote) rsync"]
        }
        let parent = Environment.temporaryFolder
        var temporary = parent.appending(Path("patchpack-XXXXXX")).bytes.map { CChar(bitPattern: $0) } + [0]
        guard unsafe mkdtemp(&temporary) != nil else {
            throw PatchError(.io, "a temporary folder cannot be made", hint: "is TMPDIR a folder to write to?")
                .about(parent)
        }
        folder = Path(bytes: temporary.dropLast().map { UInt8(bitPattern: $0) })
    }

    deinit { try? Folder.removeAll(folder) }

    /// The folder in `[USER@]HOST:FOLDER`; nil if there is none. A host in brackets is an IPv6 address, which contains
    /// colons.
    private static func folder(of place: String) -> Substring? {
        var rest = place[...]
        if let at = rest.firstIndex(of: "@"), !rest[..<at].contains(":") { rest = rest[rest.index(after: at)...] }
        let isAddress = rest.first == "["
        rest = isAddress ? rest.drop { $0 != "]" }.dropFirst() : rest.drop { $0 != ":" }
        guard rest.first == ":", rest.count > 1, !rest.dropFirst().hasPrefix(":") else { return nil }
        return rest.dropFirst()
    }

    func read(_ path: String) throws(PatchError) -> [UInt8]? {
        let copies = folder.appending(Path("in"))
        try Folder.removeAll(copies)
        try Folder.make(copies)
        try rsync([Self.mayBeMissing], from: Path("\(place)/\(path)"), to: Path(bytes: copies.bytes + "/".utf8))
        return try InputFile.regularIfThere(copies.appending(Path(path).name), limit: limit)
    }

    func create(_ file: FeedFile) throws(PatchError) -> Bool {
        try stage([file])
        return try send(lock + ["--ignore-existing"]).contains(file.path)
    }

    func replace(_ file: FeedFile, of old: [UInt8]?) throws(PatchError) -> Bool {
        try stage([file])
        try send(lock + ["--checksum"])
        return true
    }

    func find(_ files: [FeedFile], report: (Int) -> Void) throws(PatchError) -> FilesFound {
        guard !files.isEmpty else { return FilesFound() }
        try stage(files)
        // A state is such as `<fc.t......`: what is done, the kind of file, and whether the checksum, the size and
        // other properties differ. A missing file has a plus sign for each of them.
        let lines = try send(["--checksum", "--dry-run"], format: "%i %n")
        var states: [Substring: Substring] = [:]
        for line in lines {
            let parts = line.split(separator: " ", maxSplits: 1)
            if parts.count == 2, parts[0].hasPrefix("<f") { states[parts[1]] = parts[0] }
        }
        var found = FilesFound()
        for file in files {
            guard let state = states[file.path[...]] else { continue }
            if state.hasSuffix("+++") {
                found.missing.append(file.path)
            } else if state.dropFirst(2).prefix(2).contains(where: { $0 != "." }) {
                found.conflicting.append(file.path)
            }
        }
        return found
    }

    func add(_ files: [FeedFile], report: (Int) -> Void) throws(PatchError) -> FilesFound {
        guard !files.isEmpty else { return FilesFound() }
        try stage(files)
        let written = try send(lock + ["--ignore-existing"])
        let others = try send(["--checksum", "--dry-run"])
        let paths = files.map(\.path)
        return FilesFound(missing: paths.filter(written.contains), conflicting: paths.filter(others.contains))
    }

    private var staged: Path { folder.appending(Path("out")) }

    private func stage(_ files: [FeedFile]) throws(PatchError) {
        try Folder.removeAll(staged)
        for file in files {
            let copy = staged.appending(Path(file.path))
            try Folder.make(copy.parent)
            let bytes = try file.bytes
            do throws(SystemError) {
                // The file is removed when this process ends, so it is not flushed.
                let output = try Descriptor(copy, .append, permissions: 0o600)
                try unsafe bytes.withUnsafeBufferPointer { bytes throws(SystemError) in
                    try unsafe output.write(bytes)
                }
            } catch {
                throw .system(.io, copy, error)
            }
        }
    }

    /// Sends the files.
    ///
    /// - Returns: rsync's lines about the files that it wrote.
    @discardableResult
    private func send(_ options: [String], format: String = "%n") throws(PatchError) -> Set<String> {
        let output = try rsync(
            options + ["--recursive", "--mkpath", "--chmod=D755,F644", "--out-format=\(format)"],
            from: Path(bytes: staged.bytes + "/".utf8), to: Path("\(place)/"))
        return Set(output.split(separator: "\n").map(String.init))
    }

    /// Runs rsync, and retries if a daemon has another client.
    ///
    /// - Returns: Its output.
    /// - Throws: `io` if it cannot be run, or fails.
    @discardableResult
    private func rsync(_ options: [String], from source: Path, to destination: Path) throws(PatchError) -> String {
        let errors = folder.appending(Path("errors"))
        let words = (common + options).map { Array($0.utf8) } + [source.bytes, destination.bytes]
        var tries = 0
        while true {
            tries += 1
            guard let child = ShellCommand.start("rsync \"$@\" 2>\"$0\" </dev/null", [errors.bytes] + words) else {
                throw failure("cannot be run")
            }
            let output = child.output(atMost: 16 << 20)
            let status = child.wait()
            if status == 0 { return String(decoding: output, as: UTF8.self) }
            let text = (try? InputFile.regular(errors, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
            // ssh ends its lines with CR and LF, which are a single `Character`.
            let lines = (text ?? "").split(whereSeparator: \.isNewline)
            if lines.contains(where: { $0.contains("max connections") }), tries < Self.mostTries {
                usleep(.random(in: 20_000...200_000))
                continue
            }
            // The exit status of the shell, which is rsync's own or tells why rsync has none.
            let code = status >> 8 & 0xFF
            // The folder of the file is missing too (ENOENT), so rsync has not copied all (23).
            let isMissing = code == 23 && lines.contains { $0.hasSuffix("(2)") }
            if isMissing, options.contains(Self.mayBeMissing) { return "" }
            guard code != 127 else { throw failure("is not installed", hint: "apt-get install rsync") }
            // The lines of ssh, such as a banner, come before rsync's own. If ssh itself failed, its last line has the
            // reason. rsync ends with 12 if it sees the closed pipe before the end of ssh.
            func isOwn(_ line: Substring) -> Bool { line.hasPrefix("rsync") || line.hasPrefix("@ERROR") }
            var fault = lines.first(where: isOwn) ?? lines.first
            if [12, 255].contains(code), let last = lines.last(where: { !isOwn($0) }) { fault = last }
            throw failure(
                fault.map(String.init) ?? "ended with status \(code)",
                hint: "can it be reached, is rsync installed there, and is another deployment under way?")
        }
    }

    private func failure(_ what: String, hint: String? = nil) -> PatchError {
        PatchError(.io, "\(name): \(what.hasPrefix("rsync") ? "" : "rsync: ")\(what)", hint: hint)
    }
}
