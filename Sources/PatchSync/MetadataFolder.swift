internal import PatchCrypto
internal import PatchFeed
internal import PatchFiles
internal import PatchStore

/// The folder of a store in which the feed's metadata are kept, as received.
struct MetadataFolder: FeedStorage {
    let path: Path

    init(of store: PatchStore) { path = store.path.appending(Path("feed")) }

    func read(_ name: String, limit: Int) -> [UInt8]? {
        guard let bytes = try? InputFile.contents(of: path.appending(Path(name)), limit: limit) else { return nil }
        return bytes.count <= limit ? bytes : nil
    }

    func write(_ name: String, _ bytes: [UInt8]) throws(PatchError) {
        try OutputFile.write([OutputFile(path: path.appending(Path(name)), content: .bytes(bytes))], force: true)
    }

    func remove(_ name: String) throws(PatchError) { try Folder.remove(path.appending(Path(name))) }
}
