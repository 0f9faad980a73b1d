/// What the system reports about a file, a folder or a link.
package struct FileInfo: Equatable {
    /// Identifies a file: it is the same under all names of the file.
    package struct Identity: Hashable, Comparable {
        let device: UInt64
        let number: UInt64

        package static func < (one: Identity, other: Identity) -> Bool {
            (one.device, one.number) < (other.device, other.number)
        }
    }

    package let isFolder: Bool, isRegular: Bool, isLink: Bool
    /// The mode without the kind of file: its lower twelve bits.
    let permissions: UInt32
    /// The size in bytes.
    package let size: Int
    package let owner: UInt32
    let group: UInt32
    package let identity: Identity
    /// When its contents last changed, as the time since 1970, at most 2^60 seconds from it. So the seconds between two
    /// such times are an `Int64`.
    package let modified: Duration
    /// Whether it has lost its last name.
    package let isRemoved: Bool

    /// Whether users other than the owner have any permission for it.
    package var isOpenToOthers: Bool { permissions & 0o077 != 0 }
}
