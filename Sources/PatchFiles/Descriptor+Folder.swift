internal import PatchCrypto

extension Descriptor {
    /// Makes a folder and any missing folders above it, and opens it.
    ///
    /// The descriptor keeps to this folder, even if another folder gets its name in the meantime.
    ///
    /// - Parameters:
    ///   - base: A folder that the path begins with. No link is followed below it; nil allows all links.
    ///   - made: The folders that are made are added to it.
    /// - Throws: `io` if that fails, or there is a link below `base`.
    static func folder(_ path: Path, below base: Path?, made: inout [Path]) throws(PatchError) -> Descriptor {
        let root = base ?? path
        let known = try? Descriptor(root, [.read, .folder])
        if known == nil { made += try Folder.make(root) }
        var folder = try root.calling { () throws(SystemError) in
            if let known { known } else { try Descriptor(root, [.read, .folder]) }
        }
        var place = root
        do throws(SystemError) {
            for component in path.components.dropFirst(root.components.count) {
                let name = Path(bytes: Array(component))
                place = place.appending(name)
                if (try? makeFolder(name, in: folder)) != nil { made.append(place) }
                folder = try Descriptor(name, [.read, .folder, .noFollow], in: folder)
            }
            return folder
        } catch {
            guard SystemError.linkErrors.contains(error) else { throw .system(.io, path, error) }
            if FileInfo(place, following: false)?.isLink == false {
                throw PatchError(.io, "exists and is not a folder", hint: "name another folder").about(place)
            }
            throw PatchError(.io, "the path has a symbolic link", hint: "remove the link, or name another folder")
                .about(path)
        }
    }
}
