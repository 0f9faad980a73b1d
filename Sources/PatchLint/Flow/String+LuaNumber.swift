extension String {
    /// The number that Lua reads from the string; nil if Lua does not read it as a number. A string of more than 200
    /// bytes is not read, and is taken for 0.
    var luaNumber: Double? {
        guard utf8.count <= 200 else { return 0 }
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }
        let text = utf8.drop(while: isSpace)
        let end = text.lastIndex { !isSpace($0) }
        guard let end else { return nil }
        let word = Substring(text[...end])
        // `strtod` accepts other words too, such as `inf`, but Lua does not.
        guard word.utf8.allSatisfy({ "0123456789abcdefABCDEFxXpP+-.".utf8.contains($0) }) else { return nil }
        let digits = word.dropFirst(word.hasPrefix("-") || word.hasPrefix("+") ? 1 : 0).lowercased()
        let isHex = digits.hasPrefix("0x")
        guard isHex || digits.utf8.contains(where: { (0x30...0x39).contains($0) }) else { return nil }
        // Swift requires an exponent in a hexadecimal number.
        let needsExponent = isHex && !digits.contains("p")
        return Double(needsExponent ? word + "p0" : word)
    }

    /// The beginning of the string in quotes, for a message.
    var quotedBeginning: String { "\"\(String(unicodeScalars.prefix(30)))\"" }
}

extension Double {
    var hasFraction: Bool { isFinite && self != rounded(.towardZero) }

    /// The number without `.0`.
    var shown: String { Int64(exactly: self).map { "\($0)" } ?? "\(self)" }
}
