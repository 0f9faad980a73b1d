package import PatchCrypto

package enum Folder {
    /// The names in a folder without `.` and `..`, in the order of their bytes.
    ///
    /// - Throws: `noInput` if it cannot be read.
    package static func names(in path: Path) throws(PatchError) -> [Path] {
        let names = try path.calling(.noInput) { () throws(SystemError) in
            try Descriptor(path, [.read, .folder]).names()
        }
        return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    /// Makes a folder and any missing folders above it.
    ///
    /// - Returns: The folders that were made, outermost first.
    /// - Throws: `io` if that fails. None of the folders stays then.
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
        do throws(PatchError) {
            guard let isNew = try attempt() else {
                throw PatchError(.io, "this folder cannot be made", hint: "name a folder elsewhere").about(path)
            }
            return isNew ? above + [path] : above
        } catch {
            removeEmpty(above)
            throw error
        }
    }

    /// Removes folders that were made for something that failed, if they are empty.
    package static func removeEmpty(_ folders: [Path]) {
        for folder in folders.reversed() { try? Descriptor.remove(folder, isFolder: true) }
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
        // The folder above has more than what is meant, and so has the root, whose name is `.`.
        guard ![".", ".."].contains(path.name.description) else {
            throw PatchError(.io, "is not the name of a folder").about(path)
        }
        do throws(SystemError) {
            try removeAll(path.name, in: Descriptor(path.parent, [.read, .folder]))
        } catch {
            guard error == .notFound else { throw .system(.io, path, error) }
        }
    }

    private static func removeAll(_ name: Path, in folder: Descriptor) throws(SystemError) {
        let isFolder = FileInfo(name, following: false, in: folder)?.isFolder == true
        if isFolder {
            let inner = try Descriptor(name, [.read, .folder, .noFollow], in: folder)
            for name in try inner.names() {
                do throws(SystemError) {
                    try removeAll(name, in: inner)
                } catch {
                    // Another process has removed it.
                    guard error == .notFound else { throw error }
                }
            }
        }
        try Descriptor.remove(name, isFolder: isFolder, in: folder)
    }

    /// Removes some of the names in a folder, and everything in those that are folders. If a link is in the folder's
    /// place, nothing is removed. Errors are ignored.
    package static func removeNames(in path: Path, _ isMeant: (Path) -> Bool) {
        guard let folder = try? Descriptor(path, [.read, .folder, .noFollow]) else { return }
        for name in (try? folder.names()) ?? [] where isMeant(name) { try? removeAll(name, in: folder) }
    }

    /// Gives a file another name in the same folder, in place of a file that has it.
    ///
    /// - Throws: `io` if that fails.
    package static func rename(_ file: Path, to name: Path) throws(PatchError) {
        try file.calling { () throws(SystemError) in
            let folder = try Descriptor(file.parent, [.read, .folder])
            try folder.rename(file.name, to: name)
            try folder.synchronize()
        }
    }

    /// Locks a folder against other processes that do the same, until the descriptor is gone; nil if one of them has
    /// locked it.
    ///
    /// - Throws: `io` if it cannot be locked.
    package static func lock(_ path: Path, isShared: Bool = false) throws(PatchError) -> Descriptor? {
        let folder = try opened(path)
        return try tryLock(folder, path, isShared: isShared) ? folder : nil
    }

    private static func opened(_ path: Path) throws(PatchError) -> Descriptor {
        try path.calling { () throws(SystemError) in try Descriptor(path, [.read, .folder]) }
    }

    /// Locks a file against other descriptors that do the same; false if one of them has locked it.
    ///
    /// - Throws: `io` if it cannot be locked.
    private static func tryLock(
        _ file: Descriptor, _ path: Path, isShared: Bool = false
    ) throws(PatchError) -> Bool {
        do throws(SystemError) {
            return try file.lock(isShared: isShared)
        } catch {
            throw PatchError(
                .io, "cannot be locked: \(error.message)",
                hint: "some network file systems have no locks: keep it on a local disk"
            ).about(path)
        }
    }

    /// Calls `body`, which may read files and write them again, while no other process can do the same in their
    /// folders.
    ///
    /// - Parameter paths: The files. If the folder of a file does not exist yet, it needs no lock.
    /// - Throws: `io` if a folder cannot be locked, or another process keeps it locked for ten seconds.
    package static func whileLocked<Result>(
        around paths: [Path], _ body: () throws(PatchError) -> Result
    ) throws(PatchError) -> Result {
        var folders: [Descriptor] = []
        // In the order of their numbers, so that no two processes wait for each other. Two paths may be the same
        // folder.
        var identities: [FileInfo.Identity: Path] = [:]
        for folder in paths.map(\.parent) {
            if let info = FileInfo(folder, following: true) { identities[info.identity] = folder }
        }
        for (_, folder) in identities.sorted(by: { $0.key < $1.key }) { folders += try waitForLock(of: folder) }
        return try withExtendedLifetime(folders, body)
    }

    /// Locks a folder, and waits up to ten seconds for it.
    ///
    /// - Returns: What holds the lock, as long as all of it is kept.
    /// - Throws: `io` if it cannot be locked, or another process keeps it locked.
    private static func waitForLock(of path: Path) throws(PatchError) -> [Descriptor] {
        let folder = try opened(path)
        // 200 attempts, with 50 milliseconds between them, are ten seconds.
        for attempt in 0..<200 {
            if attempt > 0 { sleep(milliseconds: 50) }
            if try tryLock(folder, path) { return [folder] }
            // Whoever may read a folder can share a lock of it, for as long as they like. After a second, this process
            // shares it too, which keeps the others out that lock the folder alone, and locks a file that no other user
            // can open.
            guard attempt >= 20, try tryLock(folder, path, isShared: true) else { continue }
            let name = path.appending(Path(".lock"))
            if let file = try? Descriptor(name, [.append, .noFollow, .noWait], permissions: 0o600),
                try tryLock(file, name)
            {
                return [folder, file]
            }
            folder.unlock()
        }
        throw PatchError(
            .io, "\(holder(of: folder) ?? "another process") has locked this folder",
            hint: "wait until it is done, and try again"
        ).about(path)
    }

    /// The process that has locked a folder, such as `process 812 (patchpack)`; nil if the system does not name it.
    private static func holder(of folder: Descriptor) -> String? {
        guard let identity = FileInfo(folder)?.identity,
            let locks = try? InputFile.contents(of: Path("/proc/locks"), limit: 1 << 20)
        else { return nil }
        // Such as `3: FLOCK  ADVISORY  WRITE 812 fe:01:131 0 EOF`, with the major and the minor number of the device in
        // hexadecimal digits.
        for line in String(decoding: locks, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 5, words[1] == "FLOCK", let process = Int(words[4]), process > 0 else { continue }
            let place = words[5].split(separator: ":")
            guard place.count == 3, UInt64(place[2]) == identity.number,
                let major = UInt64(place[0], radix: 16), let minor = UInt64(place[1], radix: 16)
            else { continue }
            // The number of a device has the lower eight bits of the minor number, the major one, and the other bits.
            let lower = minor & 0xFF
            guard identity.device == (minor - lower) << 12 | major << 8 | lower else { continue }
            guard let name = try? InputFile.contents(of: Path("/proc/\(process)/comm"), limit: 64) else {
                return "process \(process)"
            }
            // A line feed follows the name.
            return "process \(process) (\(String(decoding: name.dropLast(), as: UTF8.self)))"
        }
        return nil
    }
}
