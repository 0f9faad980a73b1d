internal import PatchCrypto

extension Descriptor {
    /// Makes a folder and those above it, as far as they are missing, and opens it.
    ///
    /// What is done in it is done there, even if another folder gets its name in the meantime.
    ///
    /// - Parameter base: No link is followed below this folder, which the path begins with; nil if any may be.
    /// - Throws: `io` if that fails, or there is a link.
    static func folder(_ path: Path, below base: Path?) throws(PatchError) -> Descriptor {
        let root = base ?? path
        try Folder.make(root)
        do throws(SystemError) {
            var folder = try Descriptor(root, [.read, .folder])
            for component in path.components.dropFirst(root.components.count) {
                let name = Path(bytes: Array(component))
                try? folder.makeFolder(name)
                folder = try Descriptor(name, [.read, .folder, .noFollow], in: folder)
            }
            return folder
        } catch {
            guard base != nil, SystemError.linkErrors.contains(error) else { throw .system(.io, path, error) }
            throw PatchError(.io, "a link is on the way", hint: "remove it, or name another folder").about(path)
        }
    }
}
