import PatchCrypto
import PatchFiles
import PatchReport

/// The event logs in files and folders, each once.
struct EventLogs {
    private(set) var files: [Path] = []
    /// The files that are not read, and why.
    private(set) var leftOut: [FleetReport.Input.LeftOut] = []

    /// Looks for event logs. The files of folders are recognized by their names; a file that is named is read whatever
    /// its name is.
    ///
    /// - Parameter mayBeMissing: Whether a folder may have none, as before the first device reports.
    /// - Throws: `noInput` if a folder cannot be read, or has no event log.
    init(in places: [Path], mayBeMissing: Bool) throws(PatchError) {
        var found: [Path] = []
        var others: [Path] = []
        for place in places {
            guard place.isFolder else {
                found.append(place)
                continue
            }
            var search = FolderSearch(includes: Self.isLog)
            try search.add(place)
            guard mayBeMissing || !search.found.isEmpty else {
                throw InputFiles.nothing(called: ".jsonl", in: place)
            }
            found += search.found
            others += search.others
        }
        var copies = Copies(found)
        for file in found {
            if let reason = copies.add(file) {
                leftOut.append(.init(file, reason))
            } else {
                files.append(file)
            }
        }
        leftOut += others.map { .init($0, "its name is not that of an event log") }
    }

    /// Whether a name is that of an event log, such as `a.jsonl`, and `a.jsonl.1` and `a.jsonl-20261126.gz` after a
    /// rotation.
    private static func isLog(_ name: Path) -> Bool {
        let text = unpacked(name).description
        guard let suffix = text.firstRange(of: ".jsonl"), suffix.lowerBound > text.startIndex else { return false }
        let rotation = text[suffix.upperBound...].utf8
        guard let mark = rotation.first else { return true }
        return "-._".utf8.contains(mark) && rotation.allSatisfy { "0123456789-._:TZ".utf8.contains($0) }
    }

    /// The name of a file before it was compressed.
    private static func unpacked(_ file: Path) -> Path {
        guard let packing = [".gz", ".zst"].first(where: file.ends) else { return file }
        return Path(bytes: Array(file.bytes.dropLast(packing.utf8.count)))
    }

    /// Finds the files whose events are those of another file.
    private struct Copies {
        /// All files, those that are not added yet too.
        private let all: Set<Path>
        private var added: Set<Path> = []
        /// The names that the added files had before they were compressed.
        private var unpackedNames: Set<Path> = []
        /// The first name of each file.
        private var names: [FileInfo.Identity: Path] = [:]

        init(_ files: [Path]) { all = Set(files) }

        /// Adds a file.
        ///
        /// - Returns: Why it is not read; nil for the first of several copies, and for the one that is not compressed.
        mutating func add(_ file: Path) -> String? {
            guard added.insert(file).inserted else { return "it is named twice" }
            let place = file.isStandardStream ? Path("/dev/stdin") : file
            if let identity = FileInfo(place, following: true)?.identity {
                if let same = names[identity] { return "it is the same file as \(same)" }
                names[identity] = file
            }
            let text = unpacked(file)
            guard text != file else { return nil }
            let isFirst = unpackedNames.insert(text).inserted
            guard all.contains(text) || !isFirst else { return nil }
            return "\(text.name) is beside it, compressed otherwise or not at all"
        }
    }
}
