extension JSONValue {
    /// Reads JSON (RFC 8259) in which all numbers are whole.
    ///
    /// Foundation's decoder is not used because it would double the cost of a short verification.
    ///
    /// - Parameter text: UTF-8 without a byte order mark.
    /// - Throws: `malformed` for anything else, for a duplicate key in an object, and for values more than 32 deep.
    package init(parsing text: [UInt8]) throws(PatchError) {
        var reader = JSONReader(rest: text[...])
        self = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.rest.isEmpty else { throw reader.fault("data after the end") }
    }

    /// A member of an object; nil if there is no such member, or the value is not an object.
    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.hasBytes(of: key) }?.value
    }
}

private struct JSONReader {
    var rest: ArraySlice<UInt8>

    func fault(_ what: String) -> PatchError { PatchError(.malformed, "not JSON at byte \(rest.startIndex): \(what)") }

    mutating func skipSpace() {
        rest = rest.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    }

    /// Skips white space, and takes a character if it is next; false if it is not.
    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(PatchError) {
        guard takes(character) else { throw fault("expected \(character)") }
    }

    mutating func value(depth: Int) throws(PatchError) -> JSONValue {
        guard depth <= 32 else { throw fault("nested too deeply") }
        if takes("{") { return .object(try members(depth: depth + 1)) }
        if takes("[") { return .array(try elements(depth: depth + 1)) }
        if rest.first == UInt8(ascii: "\"") { return .string(try string()) }
        for (word, value) in [("true", JSONValue.bool(true)), ("false", .bool(false)), ("null", .null)]
        where rest.starts(with: word.utf8) {
            rest = rest.dropFirst(word.utf8.count)
            return value
        }
        return .integer(try integer())
    }

    private mutating func elements(depth: Int) throws(PatchError) -> [JSONValue] {
        var elements: [JSONValue] = []
        if takes("]") { return elements }
        repeat { elements.append(try value(depth: depth)) } while takes(",")
        try expect("]")
        return elements
    }

    private mutating func members(depth: Int) throws(PatchError) -> [(key: String, value: JSONValue)] {
        var members: [(key: String, value: JSONValue)] = []
        // Keys in canonical order all differ, so keys are only remembered once one is out of order.
        var known: Set<[UInt8]>?
        if takes("}") { return members }
        repeat {
            skipSpace()
            let key = try string()
            if known == nil, members.last?.key.utf8.lexicographicallyPrecedes(key.utf8) == false {
                known = Set(members.map { Array($0.key.utf8) })
            }
            guard known?.insert(Array(key.utf8)).inserted != false else { throw fault("duplicate key") }
            try expect(":")
            members.append((key, try value(depth: depth)))
        } while takes(",")
        try expect("}")
        return members
    }

    private mutating func integer() throws(PatchError) -> Int {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let sign = rest.first == UInt8(ascii: "-") ? 1 : 0
        let number = rest.prefix(sign + rest.dropFirst(sign).prefix(while: digits.contains).count)
        let isPlain = number.count == sign + 1 || number.dropFirst(sign).first != digits.lowerBound
        guard isPlain, let value = Int(String(decoding: number, as: UTF8.self)) else {
            throw fault("expected a value")
        }
        let next = rest.dropFirst(number.count)
        guard ![".", "e", "E"].contains(where: { next.first == UInt8(ascii: $0) }) else {
            throw fault("expected a whole number")
        }
        rest = next
        return value
    }

    private mutating func string() throws(PatchError) -> String {
        try expect("\"")
        var bytes: [UInt8] = []
        while true {
            let plain = rest.prefix { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
            bytes += plain
            rest = rest[plain.endIndex...]
            switch rest.popFirst() {
            case UInt8(ascii: "\""):
                guard let string = String(validating: bytes, as: UTF8.self) else {
                    throw fault("string is not UTF-8")
                }
                return string
            case UInt8(ascii: "\\"): bytes += try escape()
            case nil: throw fault("unterminated string")
            default: throw fault("control character in a string")
            }
        }
    }

    /// Takes what follows a backslash, and returns the character in UTF-8.
    private mutating func escape() throws(PatchError) -> [UInt8] {
        switch rest.popFirst().map(Unicode.Scalar.init) {
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
            if UTF16.isLeadSurrogate(units[0]), rest.starts(with: "\\u".utf8) {
                rest = rest.dropFirst(2)
                units.append(try codeUnit())
            }
            guard let text = String(validating: units, as: UTF16.self) else { throw fault("unpaired surrogate") }
            return Array(text.utf8)
        default: throw fault("unknown escape")
        }
    }

    private mutating func codeUnit() throws(PatchError) -> UInt16 {
        let digits = rest.prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw fault("expected four hex digits") }
        rest = rest.dropFirst(4)
        return unit
    }
}
