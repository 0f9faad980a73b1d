import PatchCrypto
import PatchFiles

/// Keys that were given by mistake instead of file names. No output shows them.
///
/// They are removed from values, before a format escapes, splits or shortens them. Only `Console` does so.
struct Secrets: Sendable {
    /// All parts of the keys that have `length` bytes. A message may show a piece of a key, such as what follows its
    /// digits.
    private let parts: Set<[UInt8]>
    private static let length = 6

    init(_ keys: Set<[UInt8]>) {
        parts = keys.reduce(into: []) { parts, key in
            // As messages show it: bytes that are not UTF-8 are replaced.
            let bytes = Array(String(decoding: key, as: UTF8.self).utf8)
            for start in bytes.indices.dropLast(Self.length - 1) {
                parts.insert(Array(bytes[start..<start + Self.length]))
            }
        }
    }

    /// A string without the keys in it, and without pieces of them.
    func removed(from text: String) -> String {
        guard !parts.isEmpty else { return text }
        // Bytes are compared, because a combining mark after the last letter of a key would hide it.
        let bytes = Array(text.utf8)
        let hidden = bytes.indices.dropLast(Self.length - 1).filter { start in
            parts.contains(Array(bytes[start..<start + Self.length]))
        }
        guard !hidden.isEmpty else { return text }
        var shown: [UInt8] = []
        var end = 0
        for start in hidden {
            // Parts that overlap or touch are of one piece.
            if start > end || shown.isEmpty { shown += bytes[end..<start] + "(a key, not shown)".utf8 }
            end = start + Self.length
        }
        return String(decoding: shown + bytes[end...], as: UTF8.self)
    }

    func removed(from path: Path) -> Path {
        let (text, shown) = (path.description, removed(from: path.description))
        return shown == text ? path : Path(shown)
    }

    /// A value without the keys in it. A manifest is shown as it was signed, even if it has a value that looks like a
    /// key, such as a commit or a hash.
    func removed(from value: JSONValue) -> JSONValue {
        guard !parts.isEmpty else { return value }
        return switch value {
        case .string(let text): .string(removed(from: text))
        case .array(let values): .array(values.map(removed))
        case .object(let members):
            .object(members.map { ($0.key, $0.key == "manifest" ? $0.value : removed(from: $0.value)) })
        default: value
        }
    }

    /// Refuses a file that has a private key or a script key instead of something else. Errors about the file would
    /// show its lines.
    ///
    /// - Throws: `usage` if it has.
    static func refuseKey(_ bytes: [UInt8], in path: Path) throws(PatchError) {
        let text = bytes.drop { $0 <= UInt8(ascii: " ") }
        let isPEM = text.starts(with: "-----BEGIN".utf8) && text.has("PRIVATE KEY-----")
        // A script key has at most 64 digits.
        let isScriptKey = text.count <= 80 && isKey(text.filter { $0 > UInt8(ascii: " ") })
        guard isPEM || isScriptKey else { return }
        throw .usage("it is a key, which is not shown", hint: "name another file").about(path)
    }

    /// The length of the shortest key in characters: 128 bits in base64 without padding.
    static let shortest = 22

    /// Whether a string looks like a key: PEM, hexadecimal digits for 128 bits or more, or base64 that is unlikely to
    /// be a file name, because it has a mark of base64 or a long word between slashes. A string with several lines is a
    /// key if one of its words is.
    static func isKey(_ bytes: some Collection<UInt8>) -> Bool {
        guard bytes.count >= shortest else { return false }
        // The environment's form of PEM may be indented, or in quotes.
        if bytes.has("-----BEGIN") { return true }
        if bytes.contains(UInt8(ascii: "\n")) {
            return bytes.split { $0 <= UInt8(ascii: " ") }.contains { isKey($0) }
        }
        var hexadecimal = 0
        var lower = 0
        var upper = 0
        var digits = 0
        var marks = 0
        var run = 0
        var longestRun = 0
        for byte in bytes {
            run += 1
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits += 1
                hexadecimal += 1
            case UInt8(ascii: "a")...UInt8(ascii: "z"):
                lower += 1
                if byte <= UInt8(ascii: "f") { hexadecimal += 1 }
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                upper += 1
                if byte <= UInt8(ascii: "F") { hexadecimal += 1 }
            case UInt8(ascii: "+"), UInt8(ascii: "="): marks += 1
            case UInt8(ascii: "/"): run = 0
            default: return false
            }
            longestRun = max(longestRun, run)
        }
        if hexadecimal == bytes.count { return hexadecimal >= 32 }
        return lower > 0 && upper > 0 && digits > 0 && (marks > 0 || longestRun >= 16)
    }
}

extension Collection<UInt8> {
    /// Whether a text is among these bytes. Each file name is searched, and `firstRange(of:)` takes 70,000 instructions
    /// for one.
    func has(_ text: String) -> Bool { indices.contains { self[$0...].starts(with: text.utf8) } }
}
