import PatchCrypto
import PatchFiles

extension Option {
    static let recursive = Option(
        name: "recursive", short: "r", help: "look for files in folders, and in the folders below them")
    static let filesFrom = Option(
        name: "files-from", value: .file("FILE"), help: "read names of files from a file, or from -, one a line")
    static let null = Option(name: "null", short: "0", help: "names of --files-from end with a NUL byte each")
}

/// The files that a command line is about: its operands, what `--files-from` names, and what is in folders.
enum InputFiles {
    /// - Parameters:
    ///   - folders: Whether folders are looked into; nil asks the options.
    ///   - suffix: How the files that are looked for in folders are called, such as `.js`.
    /// - Throws: `usage` if no file is named in any way, `noInput` if a list or a folder cannot be read, or a folder has no such file.
    static func all(
        _ arguments: ParsedArguments, in folders: Bool? = nil, called suffix: String
    ) throws(PatchError) -> [Path] {
        var paths = arguments.operands.map(\.path)
        if let list = arguments.value(of: .filesFrom)?.path {
            paths += try names(in: list, separatedBy: arguments.has(.null) ? 0 : UInt8(ascii: "\n"))
        } else {
            guard !arguments.has(.null) else {
                throw PatchError(.usage, "-0 without --files-from", hint: "--files-from - -0")
            }
            guard !paths.isEmpty else {
                throw PatchError(.usage, "no file", hint: "patchpack \(arguments.verb.name) --help")
            }
        }
        return folders ?? arguments.has(.recursive) ? try expanded(paths, called: suffix) : paths
    }

    /// The files, and in the place of each folder what it holds.
    static func expanded(_ paths: [Path], called suffix: String) throws(PatchError) -> [Path] {
        var found: [Path] = []
        for path in paths {
            guard path.isFolder else {
                found.append(path)
                continue
            }
            let before = found.count
            try add(path, called: suffix, to: &found)
            // A release that packed nothing, or a wrong name, must not pass for a good one.
            guard found.count > before else {
                throw PatchError(.noInput, "no \(suffix) file in this folder", hint: "name another folder").about(path)
            }
        }
        return found
    }

    /// No list of files is larger.
    private static let longestList = 64 << 20

    private static func names(in list: Path, separatedBy separator: UInt8) throws(PatchError) -> [Path] {
        var names: [Path] = []
        for name in try InputFile.small(list, limit: longestList).split(separator: separator) {
            // The system would cut the name there.
            guard !name.contains(0) else {
                throw PatchError(
                    .usage, "a name with a NUL byte in it", hint: "-0, if each name ends with one"
                ).about(list)
            }
            // Lists that Windows wrote end their lines with CR LF.
            let isText = separator != 0 && name.last == UInt8(ascii: "\r")
            let bytes = Array(isText ? name.dropLast() : name)
            if !bytes.isEmpty { names.append(Path(bytes: bytes)) }
        }
        return names
    }

    /// Adds what a folder holds, in the order of names; links to folders are not followed.
    private static func add(_ folder: Path, called suffix: String, to found: inout [Path]) throws(PatchError) {
        for name in try Folder.names(in: folder) {
            let path = folder.appending(name)
            guard let info = FileInfo(path, following: false) else { continue }
            if info.isFolder {
                do {
                    try add(path, called: suffix, to: &found)
                } catch {
                    found.append(path)  // reading it says why it cannot be read
                }
            } else if FileInfo(path, following: true)?.isRegular == true || info.isLink,
                name.bytes.count > suffix.utf8.count, name.ends(in: suffix)
            {
                found.append(path)
            }
        }
    }
}
