import PatchCrypto
import PatchFiles

extension Option {
    static let recursive = Option("recursive", "look for files in folders and their subfolders", short: "r")
    static let filesFrom = Option(
        "files-from", "read file names from a file, or from -, one per line or with a NUL byte after each",
        .file("FILE"))
}

/// The files that a command line names: its operands, the names in `--files-from`, and the files in folders.
enum InputFiles {
    /// A file, and the folder in which it was found; nil if the command line named it.
    typealias Placed = (path: Path, folder: Path?)

    /// Returns the files that a command line names, with the folders in which they were found.
    ///
    /// - Parameters:
    ///   - folders: Whether to look into folders without `--recursive` too.
    ///   - suffix: The suffix of the files to find in folders, such as `.js`.
    /// - Throws: `noInput` if a folder cannot be read or has no such file, or if there are only folders, and none is to
    ///   be looked into; and what `named` throws.
    static func placed(
        _ arguments: ParsedArguments, in folders: Bool = false, called suffix: String
    ) throws(PatchError) -> [Placed] {
        let paths = try named(arguments)
        guard folders || arguments.has(.recursive) else {
            // A folder among files is refused when it is read, so that the files are taken nevertheless.
            if let folder = paths.first, paths.allSatisfy(\.isFolder) {
                throw PatchError(
                    .noInput, "is a folder",
                    hint: "give --recursive to take each \(suffix) file in it, or name the files"
                ).about(folder)
            }
            return paths.map { ($0, nil) }
        }
        return try expanded(paths, called: suffix)
    }

    /// The files and folders that a command line names.
    ///
    /// - Throws: `usage` if nothing is named, or if a list is a key, `noInput` if a list cannot be read, `config` if it
    ///   is too large.
    static func named(_ arguments: ParsedArguments) throws(PatchError) -> [Path] {
        var paths = arguments.operands.map(\.path)
        if let list = arguments.path(of: .filesFrom) {
            paths += try names(in: list)
        } else if paths.isEmpty {
            throw .usage("no input file", hint: "patchpack \(arguments.verb.name) --help")
        }
        return paths
    }

    /// The files, and in place of each folder the files in it whose names have a suffix.
    ///
    /// - Throws: `noInput` if a folder cannot be read, or has no such file.
    static func expanded(_ paths: [Path], called suffix: String) throws(PatchError) -> [Placed] {
        var placed: [Placed] = []
        for path in paths {
            guard path.isFolder else {
                placed.append((path, nil))
                continue
            }
            // The suffix alone is the name of a hidden file.
            var search = FolderSearch { $0.ends(in: suffix) && $0 != Path(suffix) }
            try search.add(path)
            // An empty release or a mistyped name must not count as success.
            guard !search.found.isEmpty else { throw nothing(called: suffix, in: path) }
            placed += search.found.map { ($0, path) }
        }
        return placed
    }

    static func nothing(called suffix: String, in folder: Path) -> PatchError {
        PatchError(.noInput, "no \(suffix) file in this folder", hint: "name another folder").about(folder)
    }

    /// The name of a file's output: its path below `--root` or below the folder in which it was found, otherwise its
    /// file name.
    ///
    /// - Throws: `usage` if the file is not below the root.
    static func name(of path: Path, in folder: Path?, root: Path?) throws(PatchError) -> Path {
        guard let root = root ?? folder else { return path.name }
        let above = root.components
        let all = path.components
        let rest = all.dropFirst(above.count)
        let isBelow = root.isAbsolute == path.isAbsolute && all.starts(with: above) && !rest.isEmpty
        guard isBelow, !rest.contains(where: { $0.elementsEqual("..".utf8) }) else {
            throw .usage("\(path) is not below \(root)", hint: "give paths that begin with \(root)/")
        }
        return Path(bytes: Array(rest.joined(separator: "/".utf8)))
    }

    /// The largest size of a list of files, in bytes.
    private static let longestList = 64 << 20

    /// The names in a list, one a line. A name may have a line break, but no NUL byte: in a list with one, as
    /// `git diff -z` and `find -print0` write it, each name ends with a NUL byte.
    private static func names(in list: Path) throws(PatchError) -> [Path] {
        let bytes = try InputFile.small(list, limit: longestList)
        try Secrets.refuseKey(bytes, in: list)
        if bytes.contains(0) { return bytes.split(separator: 0).map { Path(bytes: Array($0)) } }
        return bytes.withoutByteOrderMark.split(separator: UInt8(ascii: "\n")).compactMap { line in
            // Windows ends lines with CR LF.
            let name = Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
            return name.isEmpty ? nil : Path(bytes: name)
        }
    }
}

extension [UInt8] {
    /// The bytes of a text file, without the mark that editors of Windows put first.
    var withoutByteOrderMark: ArraySlice<UInt8> {
        let mark = "\u{FEFF}".utf8
        return starts(with: mark) ? dropFirst(mark.count) : self[...]
    }
}

/// The files in a folder and its subfolders, sorted by name.
///
/// Links to folders are not followed. Hidden folders are left out: a mounted volume has its files in them, under other
/// names.
struct FolderSearch {
    /// Whether a file of this name is looked for.
    let includes: (Path) -> Bool
    /// The files that are looked for, and the subfolders that cannot be read.
    private(set) var found: [Path] = []
    /// The other files, without the hidden ones.
    private(set) var others: [Path] = []

    /// Adds the files in a folder.
    ///
    /// - Throws: `noInput` if the folder itself cannot be read.
    mutating func add(_ folder: Path) throws(PatchError) {
        for name in try Folder.names(in: folder) {
            let path = folder.appending(name)
            let isHidden = name.bytes.first == UInt8(ascii: ".")
            guard let info = FileInfo(path, following: false), !(info.isFolder && isHidden) else { continue }
            if info.isFolder {
                do {
                    try add(path)
                } catch {
                    found.append(path)  // reading it reports the error
                }
            } else if info.isRegular || info.isLink {
                if includes(name) { found.append(path) } else if !isHidden { others.append(path) }
            }
        }
    }
}
