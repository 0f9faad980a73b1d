/// What the system knows about a file.
package struct FileInfo: Equatable {
    enum Kind {
        case folder, file, link, other
    }

    /// What all names of one file have in common.
    package struct Identity: Hashable {
        let device: UInt64
        let number: UInt64
    }

    let kind: Kind
    /// The permission bits.
    let permissions: UInt32
    /// Bytes.
    package let size: Int
    package let identity: Identity
    /// When its bytes were last changed, since 1970.
    let modified: Duration

    package var isFolder: Bool { kind == .folder }
    package var isRegular: Bool { kind == .file }
    package var isLink: Bool { kind == .link }
    /// Whether users other than the owner may read or write it.
    package var isOpenToOthers: Bool { permissions & 0o077 != 0 }
}
