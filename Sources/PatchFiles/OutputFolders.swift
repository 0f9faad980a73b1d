internal import PatchCrypto

/// The folders of outputs, each of which is opened once.
struct OutputFolders {
    private struct Place: Hashable {
        let folder: Path
        let base: Path?
    }

    private var open: [Place: Descriptor] = [:]
    /// The folders that did not exist before.
    private(set) var made: [Path] = []

    /// Opens the folder of a file, and makes it if it does not exist.
    ///
    /// - Parameter base: The folder below which no link is followed; nil allows all links.
    /// - Throws: `io` if that fails, or there is a link below `base`.
    mutating func folder(of file: Path, below base: Path?) throws(PatchError) -> Descriptor {
        let place = Place(folder: file.parent, base: base)
        if let known = open[place] { return known }
        let folder = try Descriptor.folder(place.folder, below: base, made: &made)
        open[place] = folder
        return folder
    }

    /// Flushes the names in the folders. Errors are ignored: the files are in their places.
    func synchronize() { for folder in open.values { try? folder.synchronize() } }
}
