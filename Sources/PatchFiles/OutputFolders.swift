internal import PatchCrypto

/// The folders of outputs, each of which is opened once.
struct OutputFolders {
    private var open: [[Path?]: Descriptor] = [:]
    /// The folders that did not exist before.
    private(set) var made: [Path] = []

    /// Opens the folder of a file, and makes it if it does not exist.
    ///
    /// - Parameter base: The folder below which no link is followed; nil allows all links.
    mutating func folder(of file: Path, below base: Path?) throws(PatchError) -> Descriptor {
        let place = [file.parent, base]
        if let known = open[place] { return known }
        let folder = try Descriptor.folder(file.parent, below: base, made: &made)
        open[place] = folder
        return folder
    }

    func synchronize() { for folder in open.values { try? folder.synchronize() } }
}
