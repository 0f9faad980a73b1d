/// Splits a Lua script into tokens. It expects a script that Lua's compiler accepts; of any other it may split only the
/// beginning.
struct LuaTokens {
    struct Token {
        enum Kind { case name, number, string, symbol, end }

        let kind: Kind
        /// The token as it is written. For a string it is the text between the quotes, with its escapes unresolved.
        let text: String
        /// The offset in bytes from the beginning of the script.
        let start: Int
        let line: Int

        func isSymbol(_ symbol: String) -> Bool { (kind == .symbol || kind == .name) && text == symbol }
    }

    /// A comment of one line.
    struct Comment {
        let line: Int
        /// Whether there are only spaces before it on its line.
        let isAlone: Bool
        /// The text after its hyphens.
        let text: ArraySlice<UInt8>
    }

    /// The comments so far.
    private(set) var comments: [Comment] = []

    /// All comments of one line in a script; none if a word that they must have is nowhere in it.
    static func comments(in source: [UInt8], with word: String) -> [Comment] {
        guard source.firstPlace(of: Array(word.utf8)) != nil else { return [] }
        var tokens = LuaTokens(source)
        while tokens.next().kind != .end {}
        return tokens.comments
    }

    private let source: [UInt8]
    /// Where the token after this one is looked for: the end of the last one.
    private(set) var position = 0
    /// Where the last long comment begins.
    private(set) var longComment = 0
    private var line = 1

    init(_ source: [UInt8]) { self.source = source }

    private static let symbols: [[UInt8]] = [
        "...", "<<", ">>", "//", "==", "~=", "<=", ">=", "::", "..",
    ].map { Array($0.utf8) }
    private static let seconds = Set(symbols.map { $0[1] })

    private func isAt(_ text: [UInt8]) -> Bool { source[position...].starts(with: text) }

    /// The byte after the one at the position.
    private var second: UInt8? { position + 1 < source.count ? source[position + 1] : nil }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    mutating func next() -> Token {
        skipSpaceAndComments()
        let (start, first) = (position, line)
        func token(_ kind: Token.Kind, _ bytes: ArraySlice<UInt8>) -> Token {
            Token(kind: kind, text: String(decoding: bytes, as: UTF8.self), start: start, line: first)
        }
        guard position < source.count else { return token(.end, []) }
        let byte = source[position]
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        if digits.contains(byte) || byte == UInt8(ascii: ".") && second.map(digits.contains) == true {
            let isHex = byte == UInt8(ascii: "0") && second.map { $0 | 0x20 } == UInt8(ascii: "x")
            while position < source.count, Self.isWord(source[position]) || source[position] == UInt8(ascii: ".") {
                let exponent = source[position] | 0x20
                position += 1
                if exponent == UInt8(ascii: isHex ? "p" : "e"), position < source.count,
                    source[position] == UInt8(ascii: "-") || source[position] == UInt8(ascii: "+")
                {
                    position += 1
                }
            }
            return token(.number, source[start..<position])
        }
        if Self.isWord(byte) {
            while position < source.count, Self.isWord(source[position]) { position += 1 }
            return token(.name, source[start..<position])
        }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
            position += 1
            while position < source.count, source[position] != byte {
                if source[position] == UInt8(ascii: "\\") { position += 1 }
                step()
            }
            let text = token(.string, source[min(start + 1, position)..<min(position, source.count)])
            position = min(position + 1, source.count)
            return text
        }
        if let level = longBracket() {
            position += level + 2
            let inside = position
            skipLongBracket(level)
            return token(.string, source[inside..<max(inside, min(position, source.count) - level - 2)])
        }
        if byte == UInt8(ascii: "["), second == UInt8(ascii: "=") {
            // The beginning of a long string with a mistake in it.
            position = source[(position + 1)...].firstIndex { $0 != UInt8(ascii: "=") } ?? source.count
            return token(.symbol, source[start..<position])
        }
        if let second, Self.seconds.contains(second) {
            for symbol in Self.symbols where isAt(symbol) {
                position += symbol.count
                return token(.symbol, symbol[...])
            }
        }
        position += 1
        return token(.symbol, source[start..<position])
    }

    /// Advances by a byte, or by a line end. Lines are counted as Lua counts them: two different line ends in a row are
    /// one.
    private mutating func step() {
        guard position < source.count else { return }
        let byte = source[position]
        position += 1
        guard byte == 0x0A || byte == 0x0D else { return }
        line += 1
        guard position < source.count else { return }
        let next = source[position]
        if next != byte, next == 0x0A || next == 0x0D { position += 1 }
    }

    private mutating func skipSpaceAndComments() {
        if position == 0, source.first == UInt8(ascii: "#") { skipLine() }
        while position < source.count {
            let byte = source[position]
            if byte == 0x20 || (0x09...0x0D).contains(byte) {
                step()
            } else if byte == UInt8(ascii: "-"), second == byte {
                let start = position
                position += 2
                if let level = longBracket() {
                    longComment = start
                    position += level + 2
                    skipLongBracket(level)
                } else {
                    let begin = position
                    skipLine()
                    let before = source[..<(begin - 2)].reversed().prefix { $0 != 0x0A && $0 != 0x0D }
                    let isAlone = before.allSatisfy { $0 == 0x20 || $0 == 0x09 }
                    comments.append(Comment(line: line, isAlone: isAlone, text: source[begin..<position]))
                }
            } else {
                return
            }
        }
    }

    private mutating func skipLine() {
        var end = position
        while end < source.count, source[end] != 0x0A, source[end] != 0x0D { end += 1 }
        position = end
    }

    /// The number of `=` in a `[==[` that begins here.
    private func longBracket() -> Int? {
        guard position < source.count, source[position] == UInt8(ascii: "[") else { return nil }
        var end = position + 1
        while end < source.count, source[end] == UInt8(ascii: "=") { end += 1 }
        return end < source.count && source[end] == UInt8(ascii: "[") ? end - position - 1 : nil
    }

    private mutating func skipLongBracket(_ level: Int) {
        let close = Array("]\(String(repeating: "=", count: level))]".utf8)
        while position < source.count, !isAt(close) { step() }
        position = min(position + close.count, source.count)
    }
}
