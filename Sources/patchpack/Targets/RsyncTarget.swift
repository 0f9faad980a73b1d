import Libc
import PatchCrypto
import PatchFiles
import PatchPublishing

/// A folder of another machine, reached with rsync: `HOST:FOLDER` over ssh, or `rsync://HOST/MODULE/FOLDER`.
///
/// rsync cannot make a file only if there is none: it looks, and then it writes. So one writer is let in at a time: over ssh with
/// `flock` on the other machine; a daemon needs `max connections = 1`.
struct RsyncTarget: DeployTarget {
    let name: String
    private let limit: Int
    private let folder: TemporaryFolder
    /// What lets one writer in at a time.
    private var lock: [String] = []
    /// How long the other side may be silent, in seconds.
    private let common: [String]

    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/@:+~[]%".utf8)
    private static let mayBeMissing = "--ignore-missing-args"
    /// How often a daemon is asked that has other visitors: for a minute or so.
    private static let mostTries = 500

    /// Whether a target is one of these: as for rsync itself, a colon before the first slash makes it so.
    static func takes(_ name: String) -> Bool {
        name.hasPrefix("rsync://") || name.prefix { $0 != "/" }.contains(":")
    }

    init(_ name: String, limit: Int) throws(PatchError) {
        let name = name.hasSuffix("/") ? String(name.dropLast()) : name
        guard name.utf8.allSatisfy(Self.plain.contains), !name.hasPrefix("-") else {
            throw PatchError(.usage, "\(name): a name that a shell on the other machine could take for a command")
        }
        self.name = name
        self.limit = limit
        folder = try TemporaryFolder()
        if name.hasPrefix("rsync://") {
            guard name.split(separator: "/").count > 2 else {
                throw PatchError(.usage, "\(name): expected rsync://HOST/MODULE/FOLDER")
            }
            common = ["--timeout=60", "--contimeout=30"]
            return
        }
        // An IPv6 address has colons of its own.
        let host = name.lastIndex(of: "]").map { name.index(after: $0) } ?? name.startIndex
        let place = name[host...].drop { $0 != ":" }.dropFirst()
        guard !place.isEmpty, !place.hasPrefix(":") else {
            throw PatchError(.usage, "\(name): expected HOST:FOLDER, or rsync://HOST/MODULE/FOLDER for a daemon")
        }
        common = ["--timeout=180"]
        lock = ["--rsync-path=mkdir -p \(place) && flock -w 120 \(place) rsync"]
    }

    func read(_ path: String) throws(PatchError) -> [UInt8]? {
        let place = folder.path.appending(Path("in"))
        try Folder.removeAll(place)
        try Folder.make(place)
        try rsync([Self.mayBeMissing, "\(name)/\(path)", "\(place)/"])
        return try InputFile.regularIfThere(place.appending(Path(path).name), limit: limit)
    }

    func create(_ file: FeedRepository.File) throws(PatchError) -> Bool {
        try stage([file])
        return try send(lock + ["--ignore-existing"]).contains(file.path)
    }

    func replace(_ file: FeedRepository.File, of old: [UInt8]?) throws(PatchError) -> Bool {
        try stage([file])
        try send(lock + ["--checksum"])
        return true
    }

    func add(_ files: [FeedRepository.File]) throws(PatchError) -> FilesFound {
        guard !files.isEmpty else { return FilesFound() }
        try stage(files)
        let written = try send(lock + ["--ignore-existing"])
        let others = try send(["--checksum", "--dry-run"])
        let paths = files.map(\.path)
        return FilesFound(missing: paths.filter(written.contains), others: paths.filter(others.contains))
    }

    private var staged: Path { folder.path.appending(Path("out")) }

    /// Makes files the ones to send.
    private func stage(_ files: [FeedRepository.File]) throws(PatchError) {
        try Folder.removeAll(staged)
        for file in files {
            let copy = staged.appending(Path(file.path))
            try Folder.make(copy.parent)
            try OutputFile.write([OutputFile(path: copy, content: .bytes(file.bytes))], force: false)
        }
    }

    /// Sends the files.
    ///
    /// - Returns: What rsync says that it has written.
    @discardableResult
    private func send(_ options: [String]) throws(PatchError) -> Set<String> {
        let output = try rsync(
            options + ["--recursive", "--mkpath", "--chmod=D755,F644", "--out-format=%n", "\(staged)/", "\(name)/"])
        return Set(output.split(separator: "\n").map(String.init))
    }

    /// Runs rsync, and runs it again if a daemon has another visitor.
    @discardableResult
    private func rsync(_ arguments: [String]) throws(PatchError) -> String {
        let errors = folder.path.appending(Path("errors"))
        let words = (["rsync"] + common + arguments).map { Escape.shell($0) }
        let line = words.joined(separator: " ") + " 2>\(Escape.shell(errors.description)) </dev/null"
        var tries = 0
        while true {
            tries += 1
            guard let child = ShellCommand.start(line) else { throw failure("cannot be run") }
            let output = child.output(atMost: 16 << 20)
            let status = child.wait()
            if status == 0 { return String(decoding: output, as: UTF8.self) }
            let text = (try? InputFile.regular(errors, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
            let lines = (text ?? "").split(separator: "\n")
            if lines.contains(where: { $0.contains("max connections") }), tries < Self.mostTries {
                usleep(.random(in: 20_000...200_000))
                continue
            }
            // The folder that the file would be in is not there either (ENOENT).
            if status >> 8 & 0xFF == 23, lines.contains(where: { $0.hasSuffix("(2)") }),
                arguments.contains(Self.mayBeMissing)
            {
                return ""
            }
            guard status >> 8 & 0xFF != 127 else { throw failure("is not installed", hint: "apt-get install rsync") }
            // What ssh says comes before that, such as a banner.
            let fault = lines.first { $0.hasPrefix("rsync") || $0.hasPrefix("@ERROR") } ?? lines.first
            throw failure(
                fault.map(String.init) ?? "ended with status \(status >> 8 & 0xFF)",
                hint: "can it be reached, is rsync there, and is no other deployment under way?")
        }
    }

    private func failure(_ what: String, hint: String? = nil) -> PatchError {
        PatchError(.io, "\(name): \(what.hasPrefix("rsync") ? "" : "rsync: ")\(what)", hint: hint)
    }
}
