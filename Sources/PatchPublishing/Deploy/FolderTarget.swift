package import PatchCrypto
package import PatchFiles

/// A folder on this machine, such as the folder of a web server.
package struct FolderTarget: DeployTarget {
    private let path: Path
    private let limit: Int
    package var name: String { path.description }

    /// - Parameter limit: The maximum size of a file that is read, in bytes.
    package init(path: Path, limit: Int) {
        self.path = path
        self.limit = limit
    }

    package func read(_ name: String) throws(PatchError) -> [UInt8]? {
        try InputFile.regularIfThere(path.appending(Path(name)), limit: limit)
    }

    package func create(_ file: FeedFile) throws(PatchError) -> Bool {
        do throws(PatchError) {
            try OutputFile.write([output(file)], force: false)
            return true
        } catch {
            guard error.code == .exists else { throw error }
            return false
        }
    }

    package func replace(_ file: FeedFile, of old: [UInt8]?) throws(PatchError) -> Bool {
        let place = path.appending(Path(file.path))
        try Folder.make(place.parent)
        return try Folder.whileLocked(around: [place]) { () throws(PatchError) in
            guard try read(file.path) == old else { return false }
            try OutputFile.write([output(file)], force: true)
            return true
        }
    }

    /// Writes the missing files, and flushes all of them at once.
    package func add(_ files: [FeedFile], report: (Int) -> Void) throws(PatchError) -> FilesFound {
        var found = FilesFound()
        for (file, error) in zip(files, OutputFile.writeEach(files.map(output), report: report)) {
            guard let error else {
                found.missing.append(file.path)
                continue
            }
            guard error.code == .exists else { throw error }
            if try read(file.path) != file.bytes { found.conflicting.append(file.path) }
        }
        return found
    }

    private func output(_ file: FeedFile) -> OutputFile {
        OutputFile(
            path: path.appending(Path(file.path)), content: .later { () throws(PatchError) in try file.bytes },
            hasLaterTime: file.replaces)
    }
}
