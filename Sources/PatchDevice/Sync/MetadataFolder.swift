internal import PatchCrypto
internal import PatchFeed
internal import PatchFiles

/// The folder of a store in which the feed's metadata are kept, as received.
struct MetadataFolder: FeedStorage {
    private let folder: StoreFolder
    private let path: Path
    private let isReadOnly: Bool

    init(of store: PatchStore) {
        folder = store.folder
        path = store.path.appending(Path("feed"))
        isReadOnly = store.isReadOnly
    }

    func read(_ name: String, limit: Int) -> [UInt8]? {
        try? InputFile.regular(path.appending(Path(name)), limit: limit)
    }

    /// Writes a file, and ignores errors. A file that could not be written is fetched again, and must not prevent a withdrawal.
    func write(_ name: String, _ bytes: [UInt8]) {
        guard !isReadOnly else { return }
        try? OutputFile.write(
            [OutputFile(path: path.appending(Path(name)), content: .bytes(bytes), below: folder.path)], force: true)
    }

    /// Writes a file that must not be lost.
    func keep(_ name: String, _ bytes: [UInt8]) throws(PatchError) {
        try folder.write(bytes, to: path.appending(Path(name)))
    }

    func remove(_ name: String) throws(PatchError) {
        guard !isReadOnly else { return }
        try Folder.remove(path.appending(Path(name)))
    }
}
