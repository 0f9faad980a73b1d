import PatchCrypto
import PatchFiles

/// What people give by mistake where a file's name belongs: keys. They are not shown, whatever the message.
struct Secrets: Sendable {
    private let texts: [String]

    /// - Parameter words: The command line's; the values of this tool's variables are looked at too.
    init(words: [Argument]) {
        // A store's pin is public, and has the form of a key.
        let pin = "--\(Option.trustStorePin.name)"
        let secrets = words.indices.filter { index in
            !(index > 0 && words[index - 1].isText(pin)) && !words[index].bytes.starts(with: "\(pin)=".utf8)
        }
        let values = secrets.map { words[$0] } + Environment.values(ofNamesWith: "PATCHPACK_").map(Argument.init)
        var texts: Set<String> = []
        for value in values where value.bytes.count >= Self.shortest {
            // Of `--signing-key=rsa-sha256:KEY` a message may show each part, and of a path a folder.
            var parts = [value.bytes[...]]
            if value.bytes.first == UInt8(ascii: "-") { parts.append(value.bytes.drop { $0 == UInt8(ascii: "-") }) }
            for separator in [UInt8(ascii: "="), UInt8(ascii: ":")] where value.bytes.contains(separator) {
                parts += value.bytes.split(separator: separator, maxSplits: 1)
            }
            for part in parts where Self.isKey(part) && FileInfo(Path(bytes: Array(part)), following: true) == nil {
                texts.insert(String(decoding: part, as: UTF8.self))
                for piece in part.split(whereSeparator: { "/\n".utf8.contains($0) }) where piece.count >= 8 {
                    texts.insert(String(decoding: piece, as: UTF8.self))
                }
            }
        }
        self.texts = texts.sorted { $0.utf8.count > $1.utf8.count }
    }

    /// A text without the keys in it.
    func removed(from text: String) -> String {
        texts.reduce(text) { $0.contains($1) ? $0.replacing($1, with: "(a key, not shown)") : $0 }
    }

    /// A value without the keys in it.
    func removed(from value: JSONValue) -> JSONValue {
        guard !texts.isEmpty else { return value }
        return switch value {
        case .string(let text): .string(removed(from: text))
        case .array(let values): .array(values.map(removed))
        case .object(let members): .object(members.map { ($0.key, removed(from: $0.value)) })
        default: value
        }
    }

    /// Characters of the shortest key: 128 bits in base64 without padding.
    private static let shortest = 22

    /// Whether a text has a key's form: PEM, hexadecimal digits, or base64 that is hardly a file's name.
    static func isKey(_ bytes: some Collection<UInt8>) -> Bool {
        guard bytes.count >= shortest else { return false }
        if bytes.starts(with: "-----BEGIN".utf8) || bytes.contains(UInt8(ascii: "\n")) { return true }
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
