extension LuaTokens.Token {
    /// The bytes of a string as Lua reads it, with its escapes resolved.
    ///
    /// - Parameter source: The script of the token, which is a string.
    func value(in source: [UInt8]) -> [UInt8] {
        var rest = source[text]
        guard source[start] != UInt8(ascii: "[") else {
            // A long string has no escapes. A line end at its beginning is not a part of it.
            if let first = rest.first, Self.isLineEnd(first) { Self.skipLineEnd(&rest) }
            return Array(rest)
        }
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let letter = rest.first else {
                value.append(byte)
                continue
            }
            switch letter {
            case 0x30...0x39: value.append(Self.number(&rest, digits: 3, radix: 10).byte)
            case 0x0A, 0x0D:
                Self.skipLineEnd(&rest)
                value.append(0x0A)
            case UInt8(ascii: "x"):
                rest = rest.dropFirst()
                value.append(Self.number(&rest, digits: 2, radix: 16).byte)
            case UInt8(ascii: "u"):
                rest = rest.dropFirst(2)
                let scalar = Unicode.Scalar(Self.number(&rest, digits: 8, radix: 16)) ?? "\u{FFFD}"
                value.append(contentsOf: String(scalar).utf8)
                rest = rest.dropFirst()
            case UInt8(ascii: "z"): rest = rest.dropFirst().drop { $0 == 0x20 || (9...13).contains($0) }
            default:
                value.append(Self.escapes[letter] ?? letter)
                rest = rest.dropFirst()
            }
        }
        return value
    }

    /// The bytes that letters stand for after a backslash. Any other character stands for itself.
    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "a"): 0x07, UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A,
        UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09, UInt8(ascii: "v"): 0x0B,
    ]

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    /// Skips the line end with which a text begins. Two different ones in a row are one.
    private static func skipLineEnd(_ rest: inout ArraySlice<UInt8>) {
        let first = rest.popFirst()
        if let second = rest.first, isLineEnd(second), second != first { rest = rest.dropFirst() }
    }

    /// Reads the number with which a text begins; 0 if there is none.
    private static func number(_ rest: inout ArraySlice<UInt8>, digits most: Int, radix: Int) -> UInt32 {
        let known = radix == 16 ? "0123456789abcdefABCDEF" : "0123456789"
        let digits = rest.prefix(most).prefix { known.utf8.contains($0) }
        rest = rest.dropFirst(digits.count)
        return UInt32(String(decoding: digits, as: UTF8.self), radix: radix) ?? 0
    }
}

extension UInt32 {
    fileprivate var byte: UInt8 { UInt8(truncatingIfNeeded: self) }
}
