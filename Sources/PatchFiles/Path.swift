package import PatchCrypto

/// A file's place: the bytes that the system knows it by, whether or not they are text.
package struct Path: Sendable, Hashable, CustomStringConvertible {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }
    package init(_ text: String) { bytes = Array(text.utf8) }

    /// For people; damaged where the name is not UTF-8.
    package var description: String { String(decoding: bytes, as: UTF8.self) }
    /// Whether it stands for standard input or output.
    package var isStandardStream: Bool { bytes == [UInt8(ascii: "-")] }
    package var isAbsolute: Bool { bytes.first == UInt8(ascii: "/") }
    /// Whether a folder is there.
    package var isFolder: Bool { FileInfo(self, following: true)?.isFolder == true }
    /// Whether its last bytes are those of a text, such as `.lua`.
    package func ends(in suffix: String) -> Bool { bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }
    /// Whether it can only be a folder.
    package var endsInSlash: Bool { bytes.last == UInt8(ascii: "/") }

    /// The names on the way, without `.` and empty ones.
    package var components: [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
    }

    /// The names on the way from the root, as the path is written: `..` takes a name back, and links are not followed.
    package var absoluteComponents: [[UInt8]] {
        var all = components.map(Array.init)
        if !isAbsolute, let folder = Path.current { all = folder.components.map(Array.init) + all }
        return all.reduce(into: []) { names, name in
            if name == Array("..".utf8) { _ = names.popLast() } else { names.append(name) }
        }
    }

    /// The last name; `.` where there is none.
    package var name: Path { Path(bytes: components.last.map(Array.init) ?? Array(".".utf8)) }

    /// The folder that holds it.
    package var parent: Path {
        var rest = bytes[...]
        while rest.last == UInt8(ascii: "/") { rest.removeLast() }
        guard let slash = rest.lastIndex(of: UInt8(ascii: "/")) else { return Path(".") }
        return Path(bytes: slash == 0 ? Array("/".utf8) : Array(rest[..<slash]))
    }

    /// What a symbolic link leads to; the path itself where there is none.
    ///
    /// - Throws: `io` for a link that leads nowhere.
    package func resolved() throws(PatchError) -> Path {
        guard FileInfo(self, following: false)?.isLink == true else { return self }
        guard let target else {
            throw PatchError(.io, "a link that leads nowhere", hint: "name the file itself").about(self)
        }
        return target
    }

    /// Something in this folder.
    package func appending(_ name: Path) -> Path {
        Path(bytes: bytes + (endsInSlash || bytes.isEmpty ? [] : Array("/".utf8)) + name.bytes)
    }

    /// Calls `body` with the path as C has it.
    package func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let text = bytes.map(CChar.init(bitPattern:)) + [0]
        return unsafe body(text)
    }
}
