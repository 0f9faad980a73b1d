internal import PatchCrypto
internal import PatchFeed
internal import PatchFiles

/// The folder of a store in which the feed's metadata are kept, as received.
///
/// Only the process that writes the store changes it; the functions do nothing in the others. What the feed has and can
/// send again is written without a promise. ``keep(_:_:)`` is for what must be there at the next launch.
struct MetadataFolder: FeedStorage {
    /// The part of this version of the app, which has what is written.
    private let folder: StoreFolder
    /// The folder that is read: a version that has no part yet begins with the metadata of another one.
    private let source: Path
    /// Whether this process writes nothing: another one does, or it only reads the store.
    private let isReadOnly: Bool

    init(of store: PatchStore) {
        folder = store.folder
        source = folder.knownFeed
        isReadOnly = store.isReadOnly
    }

    private func place(of name: String) -> Path { folder.feed.appending(Path(name)) }

    func read(_ name: String, limit: Int) -> [UInt8]? {
        try? InputFile.regular(source.appending(Path(name)), limit: limit)
    }

    /// Writes a file, and ignores errors. A file that could not be written is fetched again, and must not prevent a
    /// withdrawal.
    func write(_ name: String, _ bytes: [UInt8]) {
        guard !isReadOnly else { return }
        try? OutputFile.write(
            [OutputFile(path: place(of: name), content: .bytes(bytes), below: folder.root)], force: true)
    }

    /// Writes a file that a launch needs, when no feed can be asked. Something else in its place is removed.
    ///
    /// - Throws: `io` if it cannot be written.
    func keep(_ name: String, _ bytes: [UInt8]) throws(PatchError) {
        guard !isReadOnly else { return }
        try folder.write(bytes, to: place(of: name))
    }

    /// - Throws: `io` if it cannot be removed.
    func remove(_ name: String) throws(PatchError) {
        guard !isReadOnly else { return }
        try Folder.remove(place(of: name))
    }
}
