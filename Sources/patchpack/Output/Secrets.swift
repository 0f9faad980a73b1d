import PatchCrypto

/// Keys that were given by mistake instead of file names. No message shows them.
struct Secrets: Sendable {
    private let strings: [String]

    /// - Parameter strings: The keys, and the parts of them that a message may show.
    init(_ strings: Set<String>) { self.strings = strings.sorted { $0.utf8.count > $1.utf8.count } }

    /// A string without the keys in it.
    func removed(from text: String) -> String {
        // Bytes are compared, because a combining mark after the last letter of a key would hide it.
        strings.reduce(text) { text, key in
            let bytes = Array(text.utf8)
            guard bytes.firstRange(of: Array(key.utf8)) != nil else { return text }
            return String(
                decoding: bytes.replacing(Array(key.utf8), with: Array("(a key, not shown)".utf8)), as: UTF8.self)
        }
    }

    /// A value without the keys in it. A manifest is shown as it was signed, even if it has a value that looks like a key, such
    /// as a commit or a hash.
    func removed(from value: JSONValue) -> JSONValue {
        guard !strings.isEmpty else { return value }
        return switch value {
        case .string(let text): .string(removed(from: text))
        case .array(let values): .array(values.map(removed))
        case .object(let members):
            .object(members.map { ($0.key, $0.key == "manifest" ? $0.value : removed(from: $0.value)) })
        default: value
        }
    }

    /// The length of the shortest key in characters: 128 bits in base64 without padding.
    static let shortest = 22

    /// Whether a string looks like a key: PEM, hexadecimal digits, or base64 that is unlikely to be a file name. A string with
    /// several lines is a key if one of its words is.
    static func isKey(_ bytes: some Collection<UInt8>) -> Bool {
        guard bytes.count >= shortest else { return false }
        if bytes.starts(with: "-----BEGIN".utf8) { return true }
        if bytes.contains(UInt8(ascii: "\n")) {
            return bytes.split { $0 <= UInt8(ascii: " ") }.contains { isKey($0) }
        }
        var (hexadecimal, lower, upper, digits, marks) = (0, 0, 0, 0, 0)
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
