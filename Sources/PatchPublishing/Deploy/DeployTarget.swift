package import PatchCrypto

/// The place that a feed is served from, and how files get there.
package protocol DeployTarget: Sendable {
    /// Its name, without a password.
    var name: String { get }

    /// Reads a file; returns nil if there is none.
    func read(_ path: String) throws(PatchError) -> [UInt8]?

    /// Writes a file in one step, unless there is one of that name.
    ///
    /// - Returns: Whether it was written. Of several writers at once, one gets true.
    func create(_ file: FeedRepository.File) throws(PatchError) -> Bool

    /// The same for a file that decides between two deployments.
    ///
    /// - Throws: `config` if the place lets two writers have it.
    func claim(_ file: FeedRepository.File) throws(PatchError) -> Bool

    /// Replaces a file in one step.
    ///
    /// - Parameter old: What was read before; nil if there was no file.
    /// - Returns: False if the file is no longer what was read before, where that can be told.
    func replace(_ file: FeedRepository.File, of old: [UInt8]?) throws(PatchError) -> Bool

    /// Compares several files with those that are there.
    ///
    /// - Parameter report: Called with how many are done, now and then.
    func find(_ files: [FeedRepository.File], report: (Int) -> Void) throws(PatchError) -> FilesFound

    /// Writes those of several files that are not there.
    ///
    /// - Parameter report: Called with how many are done, now and then.
    func add(_ files: [FeedRepository.File], report: (Int) -> Void) throws(PatchError) -> FilesFound
}

/// How files of a feed were found at a place, as paths.
package struct FilesFound {
    package var missing: [String]
    /// Those that are there with other bytes.
    package var conflicting: [String]

    package init(missing: [String] = [], conflicting: [String] = []) {
        (self.missing, self.conflicting) = (missing, conflicting)
    }
}

extension DeployTarget {
    package func claim(_ file: FeedRepository.File) throws(PatchError) -> Bool { try create(file) }

    package func find(_ files: [FeedRepository.File], report: (Int) -> Void) throws(PatchError) -> FilesFound {
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

    package func add(_ files: [FeedRepository.File], report: (Int) -> Void) throws(PatchError) -> FilesFound {
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
