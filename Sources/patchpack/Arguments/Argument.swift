import PatchFiles

/// A word of the command line, as the system passed it.
///
/// The bytes are kept, because file names need not be UTF-8.
struct Argument: Sendable, Hashable {
    let bytes: [UInt8]

    /// The word as text. Bytes that are not UTF-8 are replaced.
    var text: String { String(decoding: bytes, as: UTF8.self) }
    var path: Path { Path(bytes: bytes) }
    var isBlank: Bool { bytes.allSatisfy(\.isBlank) }
    func isText(_ text: String) -> Bool { bytes.elementsEqual(text.utf8) }
}

extension UInt8 {
    var isBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
