package import PatchCrypto

/// The place that a feed is served from, and how files get there.
///
/// The errors of reading and writing depend on the place. A command or a server that fails is `io`.
package protocol DeployTarget: Sendable {
    /// Its name, without a password.
    var name: String { get }

    /// Reads a file; returns nil if there is none.
    func read(_ path: String) throws(PatchError) -> [UInt8]?

    /// Writes a file in one step, unless a file of that name exists.
    ///
    /// - Returns: Whether it was written. If several writers try at once, only one of them gets true.
    func create(_ file: FeedFile) throws(PatchError) -> Bool

    /// Writes a file that decides between two deployments, like ``create(_:)``.
    ///
    /// - Throws: `config` if the place lets two writers create it.
    func claim(_ file: FeedFile) throws(PatchError) -> Bool

    /// Replaces a file in one step.
    ///
    /// - Parameter old: The bytes that it has now; nil if it is missing.
    /// - Returns: False if the file has changed since then, as far as the place can detect that.
    func replace(_ file: FeedFile, of old: [UInt8]?) throws(PatchError) -> Bool

    /// Compares several files with the files at the place.
    ///
    /// - Parameter report: Called now and then with the number of files compared so far.
    func find(_ files: [FeedFile], report: (Int) -> Void) throws(PatchError) -> FilesFound

    /// Writes the files that are missing at the place.
    ///
    /// - Parameter report: Called now and then with the number of files written so far.
    /// - Returns: The files that were missing, and those that are there with other bytes.
    func add(_ files: [FeedFile], report: (Int) -> Void) throws(PatchError) -> FilesFound
}

/// The result of comparing files of a feed with a place, as paths.
package struct FilesFound {
    package var missing: [String]
    /// The files that are there with other bytes.
    package var conflicting: [String]

    package init(missing: [String] = [], conflicting: [String] = []) {
        self.missing = missing
        self.conflicting = conflicting
    }
}

extension DeployTarget {
    package func claim(_ file: FeedFile) throws(PatchError) -> Bool { try create(file) }

    package func find(_ files: [FeedFile], report: (Int) -> Void) throws(PatchError) -> FilesFound {
        var found = FilesFound()
        for (index, file) in files.enumerated() {
            report(index)
            let there = try read(file.path)
            if there == nil {
                found.missing.append(file.path)
            } else if try there != file.bytes {
                found.conflicting.append(file.path)
            }
        }
        return found
    }

    package func add(_ files: [FeedFile], report: (Int) -> Void) throws(PatchError) -> FilesFound {
        var found = FilesFound()
        for (index, file) in files.enumerated() {
            report(index)
            if try create(file) {
                found.missing.append(file.path)
            } else if try read(file.path) != file.bytes {
                found.conflicting.append(file.path)
            }
        }
        return found
    }
}
