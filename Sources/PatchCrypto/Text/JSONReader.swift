extension JSONValue {
    /// Reads JSON (RFC 8259) in which all numbers are whole.
    ///
    /// Foundation's decoder is not used because it would double the cost of a short verification.
    ///
    /// - Parameter text: UTF-8 without a byte order mark.
    /// - Throws: `malformed` for anything else, for a duplicate key in an object, and for values nested more than 32
    ///   deep.
    package init(parsing text: [UInt8]) throws(PatchError) {
        var isPlain = false
        try self.init(parsing: text, isPlain: &isPlain)
    }

    /// Reads JSON, and finds whether it is plain, so that `encoded()` returns the same bytes.
    ///
    /// - Parameter isPlain: Set to whether the keys are in order, and there is no white space, negative number or
    ///   escape. Other JSON may be canonical too.
    /// - Throws: As `init(parsing:)`.
    init(parsing text: [UInt8], isPlain: inout Bool) throws(PatchError) {
        var reader = JSONReader(text: text)
        self = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.next == nil else { throw reader.fault("data after the end") }
        isPlain = reader.isPlain
    }
}

private struct JSONReader {
    let text: [UInt8]
    private var position = 0
    /// Whether the bytes before the position are plain.
    private(set) var isPlain = true

    init(text: [UInt8]) { self.text = text }

    /// The byte that is read next; nil at the end.
    var next: UInt8? { position < text.count ? text[position] : nil }

    func fault(_ what: String) -> PatchError {
        let causes = [
            ("\u{FEFF}", "a byte order mark"), ("version https://git-lfs", "a Git LFS pointer; `git lfs pull`"),
        ]
        let cause = position == 0 ? causes.first { text.starts(with: $0.0.utf8) }?.1 : nil
        return PatchError(.malformed, "not JSON at byte \(position): \(cause ?? what)")
    }

    mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
            isPlain = false
        }
    }

    /// Skips white space, and takes a character if it is next; false if it is not.
    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func takes(word: String) -> Bool {
        guard text[position...].starts(with: word.utf8) else { return false }
        position += word.utf8.count
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(PatchError) {
        guard takes(character) else { throw fault("expected \(character)") }
    }

    mutating func value(depth: Int) throws(PatchError) -> JSONValue {
        guard depth <= 32 else { throw fault("nested too deeply") }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return .object(try members(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try elements(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t") where takes(word: "true"): return .bool(true)
        case UInt8(ascii: "f") where takes(word: "false"): return .bool(false)
        case UInt8(ascii: "n") where takes(word: "null"): return .null
        default: return .integer(try integer())
        }
    }

    /// Reads an array whose bracket is next.
    private mutating func elements(depth: Int) throws(PatchError) -> [JSONValue] {
        var elements: [JSONValue] = []
        position += 1
        if takes("]") { return elements }
        repeat { elements.append(try value(depth: depth)) } while takes(",")
        try expect("]")
        return elements
    }

    /// Reads an object whose brace is next.
    private mutating func members(depth: Int) throws(PatchError) -> [(key: String, value: JSONValue)] {
        var members: [(key: String, value: JSONValue)] = []
        // Keys in canonical order all differ. After a key that is out of order, each key is looked up among the earlier
        // ones: one by one while they are few, then in a set.
        var isOrdered = true
        var known: Set<ExactString> = []
        position += 1
        if takes("}") { return members }
        // Most objects of a large file, such as the descriptions of targets, have two members.
        members.reserveCapacity(2)
        repeat {
            skipSpace()
            let key = try string()
            if isOrdered, let last = members.last?.key {
                isOrdered = last.hasBytes(before: key)
                isPlain = isPlain && isOrdered
            }
            if !isOrdered {
                let isNew: Bool
                if members.count <= 16 {
                    isNew = !members.contains { $0.key.isByteEqual(to: key) }
                } else {
                    if known.isEmpty { known = Set(members.map { ExactString($0.key) }) }
                    isNew = known.insert(ExactString(key)).inserted
                }
                guard isNew else { throw fault("duplicate key") }
            }
            try expect(":")
            members.append((key, try value(depth: depth)))
        } while takes(",")
        try expect("}")
        return members
    }

    private mutating func integer() throws(PatchError) -> Int {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let start = position
        let isNegative = next == UInt8(ascii: "-")
        if isNegative {
            position += 1
            isPlain = false
        }
        let first = position
        var value = 0
        var isTooLarge = false
        while let byte = next, digits.contains(byte) {
            let digit = Int(byte - digits.lowerBound)
            let tens = value.multipliedReportingOverflow(by: 10)
            let sum =
                isNegative
                ? tens.partialValue.subtractingReportingOverflow(digit)
                : tens.partialValue.addingReportingOverflow(digit)
            isTooLarge = isTooLarge || tens.overflow || sum.overflow
            value = sum.partialValue
            position += 1
        }
        let digitCount = position - first
        let hasLeadingZero = digitCount > 1 && text[first] == digits.lowerBound
        guard digitCount > 0, !hasLeadingZero, !isTooLarge else {
            position = start
            throw fault("expected a value")
        }
        guard ![".", "e", "E"].contains(where: { next == UInt8(ascii: $0) }) else {
            position = start
            throw fault("expected a whole number")
        }
        return value
    }

    private mutating func string() throws(PatchError) -> String {
        try expect("\"")
        var bytes: [UInt8] = []
        while true {
            let rest = text[position...]
            position =
                rest.firstIndex { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") } ?? text.count
            let piece = rest[..<position]
            let end = next
            position += 1
            switch end {
            case UInt8(ascii: "\""):
                guard let string = String(utf8: bytes.isEmpty ? piece : (bytes + piece)[...]) else {
                    throw fault("string is not UTF-8")
                }
                return string
            case UInt8(ascii: "\\"):
                isPlain = false
                bytes += try piece + escape()
            case nil:
                position = text.count
                throw fault("unterminated string")
            default: throw fault("control character in a string")
            }
        }
    }

    /// Takes the rest of an escape after its backslash, and returns the character in UTF-8.
    private mutating func escape() throws(PatchError) -> [UInt8] {
        let letter = next.map(Unicode.Scalar.init)
        position = min(position + 1, text.count)
        switch letter {
        case "\"": return [0x22]
        case "\\": return [0x5C]
        case "/": return [0x2F]
        case "b": return [0x08]
        case "f": return [0x0C]
        case "n": return [0x0A]
        case "r": return [0x0D]
        case "t": return [0x09]
        case "u":
            var units = [try codeUnit()]
            if UTF16.isLeadSurrogate(units[0]), takes(word: "\\u") { units.append(try codeUnit()) }
            guard let text = String(validating: units, as: UTF16.self) else { throw fault("unpaired surrogate") }
            return Array(text.utf8)
        default: throw fault("unknown escape")
        }
    }

    private mutating func codeUnit() throws(PatchError) -> UInt16 {
        let digits = text[position...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw fault("expected four hex digits") }
        position += 4
        return unit
    }
}
