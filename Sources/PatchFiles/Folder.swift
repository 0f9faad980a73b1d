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
    /// - Throws: `io` if that fails.
    package static func make(_ path: Path) throws(PatchError) {
        func attempt() throws(PatchError) -> Bool {
            do throws(SystemError) {
                try Descriptor.makeFolder(path)
            } catch {
                guard error != .exists else { return true }
                guard error == .notFound, path.parent != path else { throw .system(.io, path, error) }
                return false
            }
            return true
        }
        guard try !attempt() else { return }
        try make(path.parent)
        guard try attempt() else { throw .system(.io, path, .notFound) }
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

    /// Calls `body` while no other process can do the same in a file's folder.
    ///
    /// Use it to read a file and write it again.
    ///
    /// - Parameter path: The file; its folder is locked until `body` returns.
    /// - Throws: `io` if the folder cannot be locked, or another process keeps it locked for ten seconds.
    package static func whileLocked<Result>(
        around path: Path, _ body: () throws(PatchError) -> Result
    ) throws(PatchError) -> Result {
        let folder: Descriptor
        var (isLocked, tries) = (false, 0)
        do throws(SystemError) {
            folder = try Descriptor(path.parent, .read)
            isLocked = try folder.lock()
            while !isLocked, tries < 200 {
                tries += 1
                sleep(milliseconds: 50)
                isLocked = try folder.lock()
            }
        } catch {
            throw .system(.io, path.parent, error)
        }
        guard isLocked else {
            throw PatchError(
                .io, "another process has locked this folder", hint: "wait until it is done, and try again"
            ).about(path.parent)
        }
        return try withExtendedLifetime(folder, body)
    }
}
