package import PatchCrypto
internal import PatchFeed

/// A file to write, below the feed's folder.
package struct FeedFile: Sendable {
    package let path: String
    /// Its size in bytes.
    package let size: Int
    /// Whether it replaces a file of the same name. Only the timestamp and the files of a staged change do.
    package let replaces: Bool
    private let read: @Sendable () throws(PatchError) -> [UInt8]

    /// Whether it has a hash in its name, so that no other file ever has this name.
    var isTarget: Bool { path.hasPrefix("\(FeedLayout.targetsFolder)/") }

    /// Its bytes, which may be read only on access.
    package var bytes: [UInt8] { get throws(PatchError) { try read() } }

    package init(path: String, bytes: [UInt8], replaces: Bool) {
        self.path = path
        self.replaces = replaces
        size = bytes.count
        read = { bytes }
    }

    /// A file with the hash of its contents in its name, which is never replaced.
    package init(path: String, _ contents: Contents) {
        self.path = path
        replaces = false
        size = contents.size
        read = contents.read
    }

    /// The bytes of an envelope, or of another target.
    package struct Contents: Sendable {
        let size: Int
        let sha256: String
        let read: @Sendable () throws(PatchError) -> [UInt8]

        package init(_ bytes: [UInt8]) throws(PatchError) {
            size = bytes.count
            sha256 = try MessageDigest.sha256.text(of: bytes)
            read = { bytes }
        }

        /// Makes contents whose bytes are not kept, but read again when they are needed. This saves memory if there are
        /// many files.
        ///
        /// - Parameter read: Reads the bytes. If they have changed by then, `feed-mismatch` is thrown.
        package init(
            _ bytes: [UInt8], readAgain read: @escaping @Sendable () throws(PatchError) -> [UInt8]
        ) throws(PatchError) {
            let digest = try MessageDigest.sha256.text(of: bytes)
            size = bytes.count
            sha256 = digest
            self.read = { () throws(PatchError) in
                let bytes = try read()
                guard try MessageDigest.sha256.text(of: bytes) == digest else {
                    throw PatchError(.feedMismatch, "a file was changed while it was used", hint: "run it again")
                }
                return bytes
            }
        }
    }
}
