package import PatchCrypto

/// A file's path. It is bytes, which need not be UTF-8.
package struct Path: Sendable, Hashable, CustomStringConvertible {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }
    package init(_ text: String) { bytes = Array(text.utf8) }

    package func hash(into hasher: inout Hasher) { unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) } }

    /// The path as a string for messages. Bytes that are not UTF-8 are lost.
    package var description: String { String(decoding: bytes, as: UTF8.self) }
    package var isStandardStream: Bool { bytes == [UInt8(ascii: "-")] }
    package var isAbsolute: Bool { bytes.first == UInt8(ascii: "/") }
    package var isFolder: Bool { FileInfo(self, following: true)?.isFolder == true }
    package func ends(in suffix: String) -> Bool { bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }
    /// Whether it ends in a slash, so that it can only be a folder.
    package var endsInSlash: Bool { bytes.last == UInt8(ascii: "/") }

    /// The names in the path, without `.` and empty ones.
    package var components: [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
    }

    /// The names in the path from the root. `..` removes the name before it, and links are not followed.
    package var absoluteComponents: [[UInt8]] {
        var all = components.map(Array.init)
        if !isAbsolute, let folder = Path.current { all = folder.components.map(Array.init) + all }
        return all.reduce(into: []) { names, name in
            if name == Array("..".utf8) { _ = names.popLast() } else { names.append(name) }
        }
    }

    /// The path from the root. It stays the same if the working folder changes; links and `..` are as they were.
    package var absolute: Path { isAbsolute ? self : Path.current?.appending(self) ?? self }

    /// The path from the working folder if it is below it, and from the root otherwise.
    package var fromWorkingFolder: Path {
        guard let folder = Path.current?.absoluteComponents else { return self }
        let slash = [UInt8(ascii: "/")]
        func below(_ names: [[UInt8]]) -> Path? {
            guard names.count > folder.count, names.starts(with: folder) else { return nil }
            return Path(bytes: Array(names.dropFirst(folder.count).joined(separator: slash)))
        }
        if let path = below(absoluteComponents) { return path }
        // A shell's name of the working folder may go through links, which the system's name does not.
        if let parent = parent.withoutLinks, let path = below(parent.appending(name).absoluteComponents) { return path }
        return Path(bytes: slash + absoluteComponents.joined(separator: slash))
    }

    /// The last name; `.` if there is none.
    package var name: Path { Path(bytes: components.last.map(Array.init) ?? Array(".".utf8)) }

    /// The folder that the path is in: what precedes its last name, even if that is `.` or `..`; `.` for a name alone,
    /// and the root for the root.
    package var parent: Path {
        var rest = bytes[...]
        while rest.last == UInt8(ascii: "/") { rest.removeLast() }
        guard let slash = rest.lastIndex(of: UInt8(ascii: "/")) else { return Path(isAbsolute ? "/" : ".") }
        return Path(bytes: slash == 0 ? Array("/".utf8) : Array(rest[..<slash]))
    }

    /// The target of a symbolic link, without links; the path itself if it is not a link.
    ///
    /// - Throws: `io` if the link is broken, or the system does not report its target, as in a folder of another user.
    package func resolved() throws(PatchError) -> Path {
        guard FileInfo(self, following: false)?.isLink == true else { return self }
        if let target = withoutLinks { return target }
        let error = SystemError.last
        guard SystemError.absenceErrors.contains(error) else { throw .system(.io, self, error) }
        throw PatchError(.io, "broken symbolic link", hint: "name the file itself").about(self)
    }

    package func appending(_ name: Path) -> Path {
        var bytes = bytes
        bytes.reserveCapacity(bytes.count + 1 + name.bytes.count)
        if !endsInSlash, !bytes.isEmpty { bytes.append(UInt8(ascii: "/")) }
        bytes += name.bytes
        return Path(bytes: bytes)
    }

    package func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let text = bytes + [0]
        return unsafe text.withUnsafeBufferPointer { text in
            unsafe text.withMemoryRebound(to: CChar.self) { unsafe body($0.baseAddress.unsafelyUnwrapped) }
        }
    }
}
