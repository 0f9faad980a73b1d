import PatchFiles

/// A word of the command line, as the system handed it over.
///
/// File names are bytes, and not always text; a name that is not UTF-8 still opens the right file.
struct Argument: Sendable, Hashable {
    let bytes: [UInt8]

    /// The word as text; damaged where it is not UTF-8.
    var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The word as a file's place.
    var path: Path { Path(bytes: bytes) }
    /// Whether it is exactly this text.
    func isText(_ text: String) -> Bool { bytes.elementsEqual(text.utf8) }
}
