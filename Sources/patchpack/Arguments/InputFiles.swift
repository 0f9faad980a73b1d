import PatchCrypto
import PatchFiles

extension Option {
    static let recursive = Option(
        name: "recursive", short: "r", help: "look for files in folders and their subfolders")
    static let filesFrom = Option(
        name: "files-from", value: .file("FILE"), help: "read file names from a file, or from -, one per line")
    static let null = Option(name: "null", short: "0", help: "each name in --files-from ends with a NUL byte")
}

/// The files that a command line names: its operands, the names in `--files-from`, and the files in folders.
enum InputFiles {
    /// Returns the files that a command line names.
    ///
    /// - Parameters:
    ///   - folders: Whether to look into folders; if nil, `--recursive` decides.
    ///   - suffixes: The suffixes of the files to find in folders, such as `.js`.
    /// - Throws: `usage` if no file is named, `noInput` if a list or a folder cannot be read, or if a folder has no such file.
    static func all(
        _ arguments: ParsedArguments, in folders: Bool? = nil, called suffixes: [String]
    ) throws(PatchError) -> [Path] {
        try placed(arguments, in: folders, called: suffixes).map(\.path)
    }

    /// A file, and the folder in which it was found; nil if the command line named it.
    typealias Placed = (path: Path, folder: Path?)

    /// Returns the files that a command line names, with the folders in which they were found.
    ///
    /// The parameters and errors are the same as for `all`.
    static func placed(
        _ arguments: ParsedArguments, in folders: Bool? = nil, called suffixes: [String]
    ) throws(PatchError) -> [Placed] {
        var paths = arguments.operands.map(\.path)
        if let list = arguments.value(of: .filesFrom)?.path {
            paths += try names(in: list, separatedBy: arguments.has(.null) ? 0 : UInt8(ascii: "\n"))
        } else {
            guard !arguments.has(.null) else {
                throw PatchError(.usage, "-0 without --files-from", hint: "give --files-from FILE too")
            }
            guard !paths.isEmpty else {
                throw PatchError(.usage, "no input file", hint: "patchpack \(arguments.verb.name) --help")
            }
        }
        guard folders ?? arguments.has(.recursive) else {
            // A folder is refused if it is named together with files.
            if folders == nil, let folder = paths.first, paths.allSatisfy(\.isFolder) {
                throw PatchError(
                    .noInput, "is a folder",
                    hint: "give --recursive to take each \(suffixes[0]) file in it, or name the files"
                ).about(folder)
            }
            return paths.map { ($0, nil) }
        }
        return try expanded(paths, called: suffixes)
    }

    /// Replaces each folder by the files in it.
    static func expanded(_ paths: [Path], called suffixes: [String]) throws(PatchError) -> [Placed] {
        var placed: [Placed] = []
        for path in paths {
            guard path.isFolder else {
                placed.append((path, nil))
                continue
            }
            var found: [Path] = []
            try add(path, called: suffixes, to: &found)
            // An empty release or a mistyped name must not count as success.
            guard !found.isEmpty else {
                throw PatchError(.noInput, "no \(suffixes[0]) file in this folder", hint: "name another folder").about(
                    path)
            }
            placed += found.map { ($0, path) }
        }
        return placed
    }

    /// The name of a file's output: its path below `--root` or below the folder in which it was found, otherwise its file name.
    ///
    /// - Throws: `usage` if the file is not below the root.
    static func name(of path: Path, in folder: Path?, root: Path?) throws(PatchError) -> Path {
        guard let root = root ?? folder else { return path.name }
        let (above, all) = (root.components, path.components)
        let isBelow = all.starts(with: above) && root.isAbsolute == path.isAbsolute && all.count > above.count
        guard isBelow, !all.dropFirst(above.count).contains(where: { $0.elementsEqual("..".utf8) }) else {
            throw PatchError(.usage, "\(path) is not below \(root)", hint: "give paths that begin with \(root)/")
        }
        return Path(bytes: Array(all.dropFirst(above.count).joined(separator: "/".utf8)))
    }

    /// The largest size of a list of files, in bytes.
    private static let longestList = 64 << 20

    private static func names(in list: Path, separatedBy separator: UInt8) throws(PatchError) -> [Path] {
        var names: [Path] = []
        for name in try InputFile.small(list, limit: longestList).split(separator: separator) {
            // The system would cut the name off at the NUL byte.
            guard !name.contains(0) else {
                throw PatchError(
                    .usage, "contains a name with a NUL byte", hint: "give -0 if each name ends with a NUL byte"
                ).about(list)
            }
            // Windows ends lines with CR LF.
            let isText = separator != 0 && name.last == UInt8(ascii: "\r")
            let bytes = Array(isText ? name.dropLast() : name)
            if !bytes.isEmpty { names.append(Path(bytes: bytes)) }
        }
        return names
    }

    /// Adds the files in a folder and its subfolders, sorted by name. Links to folders are not followed.
    private static func add(_ folder: Path, called suffixes: [String], to found: inout [Path]) throws(PatchError) {
        for name in try Folder.names(in: folder) {
            let path = folder.appending(name)
            guard let info = FileInfo(path, following: false) else { continue }
            if info.isFolder {
                do {
                    try add(path, called: suffixes, to: &found)
                } catch {
                    found.append(path)  // reading it reports the error
                }
            } else if FileInfo(path, following: true)?.isRegular == true || info.isLink,
                suffixes.contains(where: { name.bytes.count > $0.utf8.count && name.ends(in: $0) })
            {
                found.append(path)
            }
        }
    }
}
