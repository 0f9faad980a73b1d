package import PatchCrypto

/// Lists, makes and locks folders.
package enum Folder {
    /// The names in a folder without `.` and `..`, in the order of their bytes.
    ///
    /// - Throws: `noInput` if it cannot be read.
    package static func names(in path: Path) throws(PatchError) -> [Path] {
        do throws(SystemError) {
            return try Descriptor.names(in: path).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        } catch {
            throw .system(.noInput, path, error)
        }
    }

    /// Makes a folder and any missing folders above it.
    ///
    /// - Returns: The folders that were made, outermost first.
    /// - Throws: `io` if that fails.
    @discardableResult package static func make(_ path: Path) throws(PatchError) -> [Path] {
        /// Whether it was made; nil if the folder above it is missing.
        func attempt() throws(PatchError) -> Bool? {
            do throws(SystemError) {
                try Descriptor.makeFolder(path)
            } catch {
                guard error != .exists else { return false }
                guard error == .notFound, path.parent != path else { throw .system(.io, path, error) }
                return nil
            }
            return true
        }
        if let isNew = try attempt() { return isNew ? [path] : [] }
        let above = try make(path.parent)
        guard let isNew = try attempt() else {
            removeEmpty(above)
            throw PatchError(.io, "this folder cannot be made", hint: "name a folder elsewhere").about(path)
        }
        return above + (isNew ? [path] : [])
    }

    /// Removes folders that were made for something that failed, if they are empty.
    package static func removeEmpty(_ folders: [Path]) {
        for folder in folders.reversed() { try? Descriptor.removeFolder(folder) }
    }

    /// Removes a file if it is there.
    ///
    /// - Throws: `io` if that fails.
    package static func remove(_ file: Path) throws(PatchError) {
        do throws(SystemError) {
            try Descriptor.remove(file)
        } catch {
            guard error == .notFound else { throw .system(.io, file, error) }
        }
    }

    /// Removes whatever is at a path, and everything in it if it is a folder. No link is followed.
    ///
    /// - Throws: `io` if that fails.
    package static func removeAll(_ path: Path) throws(PatchError) {
        guard FileInfo(path, following: false)?.isFolder == true else { return try remove(path) }
        for name in try names(in: path) { try removeAll(path.appending(name)) }
        do throws(SystemError) {
            try Descriptor.removeFolder(path)
        } catch {
            throw .system(.io, path, error)
        }
    }

    /// Gives a file another name in the same folder, in place of a file that has it.
    ///
    /// - Throws: `io` if that fails.
    package static func rename(_ file: Path, to name: Path) throws(PatchError) {
        do throws(SystemError) {
            let folder = try Descriptor(file.parent, [.read, .folder])
            try folder.rename(file.name, to: name)
            try folder.synchronize()
        } catch {
            throw .system(.io, file, error)
        }
    }

    /// Locks a folder against other processes that do the same, until the descriptor is gone.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - isShared: Whether others may share the lock.
    /// - Returns: nil if another process has locked it.
    /// - Throws: `io` if it cannot be locked.
    package static func lock(_ path: Path, isShared: Bool = false) throws(PatchError) -> Descriptor? {
        do throws(SystemError) {
            let folder = try Descriptor(path, [.read, .folder])
            return try folder.lock(isShared: isShared) ? folder : nil
        } catch {
            throw .system(.io, path, error)
        }
    }

    /// Calls `body` while no other process can do the same in a file's folder.
    ///
    /// Use it to read a file and write it again.
    ///
    /// - Parameter path: The file; its folder is locked until `body` returns.
    /// - Throws: `io` if the folder cannot be locked, or another process keeps it locked for ten seconds.
    package static func whileLocked<Result>(
        around path: Path, _ body: () throws(PatchError) -> Result
    ) throws(PatchError) -> Result {
        try whileLocked(around: [path], body)
    }

    /// Calls `body` while no other process can do the same in the folders of several files.
    ///
    /// - Parameter paths: The files. If the folder of a file does not exist yet, it needs no lock.
    /// - Throws: `io` if a folder cannot be locked, or another process keeps it locked for ten seconds.
    package static func whileLocked<Result>(
        around paths: [Path], _ body: () throws(PatchError) -> Result
    ) throws(PatchError) -> Result {
        var folders: [Descriptor] = []
        // In the order of their numbers, so that no two processes wait for each other. Two paths may be the same folder.
        var identities: [FileInfo.Identity: Path] = [:]
        for folder in paths.map(\.parent) {
            if let info = FileInfo(folder, following: true) { identities[info.identity] = folder }
        }
        for (_, folder) in identities.sorted(by: { $0.key < $1.key }) { folders.append(try locked(folder)) }
        return try withExtendedLifetime(folders, body)
    }

    private static func locked(_ path: Path) throws(PatchError) -> Descriptor {
        let folder: Descriptor
        var (isLocked, tries) = (false, 0)
        do throws(SystemError) {
            folder = try Descriptor(path, [.read, .folder])
            isLocked = try folder.lock()
            while !isLocked, tries < 200 {
                tries += 1
                sleep(milliseconds: 50)
                isLocked = try folder.lock()
            }
        } catch {
            throw .system(.io, path, error)
        }
        guard isLocked else {
            throw PatchError(
                .io, "another process has locked this folder", hint: "wait until it is done, and try again"
            ).about(path)
        }
        return folder
    }
}
