/// Splits a Lua script into tokens.
///
/// It expects a script that Lua's compiler accepts. It may split only the beginning of any other script.
struct LuaTokens {
    struct Token {
        enum Kind { case name, number, string, symbol, end }

        let kind: Kind
        /// The keyword or symbol; `none` for any other token.
        let word: Word
        /// The offset in bytes from the beginning of the script.
        let start: Int
        /// The bytes of its text. For a string, they are the bytes between the quotes, with unresolved escapes.
        let text: Range<Int>
        let line: Int
    }

    /// The keywords and symbols, as they are written.
    enum Word: String, CaseIterable {
        case none = ""
        case and, `break`, `do`, `else`, `elseif`, end, `false`, `for`, function, goto, `if`, `in`, local, `nil`, not,
            or, `repeat`, `return`, then, `true`, until, `while`
        case dots = "..."
        case label = "::"
        case open = "("
        case close = ")"
        case openBrace = "{"
        case closeBrace = "}"
        case openBracket = "["
        case closeBracket = "]"
        case comma = ","
        case semicolon = ";"
        case colon = ":"
        case dot = "."
        case assign = "="
        case less = "<"
        case greater = ">"
        case minus = "-"
        case length = "#"
        case tilde = "~"
        /// This operator, and all others that stand only between two operands.
        case `operator` = "+"
    }

    /// The keywords of each length, with their bytes.
    private static let keywords: [[(bytes: UInt64, word: Word)]] = {
        var all = [[(bytes: UInt64, word: Word)]](repeating: [], count: 9)
        for word in Word.allCases where word.rawValue.utf8.first.map(isWord) == true {
            all[word.rawValue.utf8.count].append((word.rawValue.utf8.reduce(0) { $0 << 8 | UInt64($1) }, word))
        }
        return all
    }()

    /// The symbols of one byte, by that byte.
    private static let symbols: [Word] = {
        var all = [Word](repeating: .none, count: 256)
        for word in Word.allCases {
            guard word.rawValue.utf8.count == 1, let byte = word.rawValue.utf8.first else { continue }
            all[Int(byte)] = word
        }
        for byte in "*/%^&|".utf8 { all[Int(byte)] = .operator }
        return all
    }()

    /// The longer symbol that two bytes begin; nil if they begin none.
    private static func symbol(_ byte: UInt8, _ second: UInt8) -> Word? {
        switch (Unicode.Scalar(byte), Unicode.Scalar(second)) {
        case (":", ":"): .label
        case (".", "."), ("<", "<"), (">", ">"), ("/", "/"), ("=", "="), ("~", "="), ("<", "="), (">", "="): .operator
        default: nil
        }
    }

    struct Comment {
        let line: Int
        /// Whether there are only spaces before it on its line.
        let isAlone: Bool
        let text: ArraySlice<UInt8>
    }

    private(set) var comments: [Comment] = []

    /// The comments of a script that end with their line; none if the script does not contain a word that they must
    /// have.
    static func comments(in source: [UInt8], with word: String) -> [Comment] {
        guard source.firstPlace(of: Array(word.utf8)) != nil else { return [] }
        var tokens = LuaTokens(source)
        while tokens.next().kind != .end {}
        return tokens.comments
    }

    private let source: [UInt8]
    private var position = 0
    private var line = 1

    init(_ source: [UInt8]) { self.source = source }

    /// The byte after the one at the position.
    private var second: UInt8? { position + 1 < source.count ? source[position + 1] : nil }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private static func isWord(_ byte: UInt8) -> Bool {
        let small = byte | 0x20
        let isLetter = small >= UInt8(ascii: "a") && small <= UInt8(ascii: "z")
        return isLetter || isDigit(byte) || byte == UInt8(ascii: "_")
    }

    /// Reads the next token; at the end of the script, one of the kind `end`.
    mutating func next() -> Token {
        skipSpaceAndComments()
        let (start, first) = (position, line)
        func token(_ kind: Token.Kind, _ text: Range<Int>, _ word: Word = .none) -> Token {
            Token(kind: kind, word: word, start: start, text: text, line: first)
        }
        guard position < source.count else { return token(.end, start..<start) }
        let byte = source[position]
        if Self.isDigit(byte) || (byte == UInt8(ascii: ".") && second.map(Self.isDigit) == true) {
            skipNumber()
            return token(.number, start..<position)
        }
        if Self.isWord(byte) {
            var bytes: UInt64 = 0
            while position < source.count, case let letter = source[position], Self.isWord(letter) {
                bytes = bytes << 8 | UInt64(letter)
                position += 1
            }
            let count = position - start
            let word = count > 8 ? nil : Self.keywords[count].first { $0.bytes == bytes }?.word
            return token(.name, start..<position, word ?? .none)
        }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
            position += 1
            while position < source.count, source[position] != byte {
                if source[position] == UInt8(ascii: "\\") { position += 1 }
                step()
            }
            let text = start + 1..<position
            position = min(position + 1, source.count)
            return token(.string, text)
        }
        if let level = longBracket() {
            position += level + 2
            let inside = position
            skipLongBracket(level)
            // A string without an end may be shorter than its closing bracket.
            return token(.string, inside..<max(inside, position - level - 2))
        }
        if byte == UInt8(ascii: "["), second == UInt8(ascii: "=") {
            // The beginning of a malformed long string.
            position = source[(position + 1)...].firstIndex { $0 != UInt8(ascii: "=") } ?? source.count
            return token(.symbol, start..<position)
        }
        position += 1
        var word = Self.symbols[Int(byte)]
        if position < source.count, let longer = Self.symbol(byte, source[position]) {
            word = longer
            position += 1
            if byte == UInt8(ascii: "."), position < source.count, source[position] == byte {
                word = .dots
                position += 1
            }
        }
        return token(.symbol, start..<position, word)
    }

    private mutating func skipNumber() {
        let isHex = source[position] == UInt8(ascii: "0") && second.map { $0 | 0x20 } == UInt8(ascii: "x")
        while position < source.count, Self.isWord(source[position]) || source[position] == UInt8(ascii: ".") {
            let exponent = source[position] | 0x20
            position += 1
            if exponent == UInt8(ascii: isHex ? "p" : "e"), position < source.count,
                source[position] == UInt8(ascii: "-") || source[position] == UInt8(ascii: "+")
            {
                position += 1
            }
        }
    }

    /// Advances by a byte, or by a line end.
    ///
    /// Lines are counted as Lua counts them: two different line ends in a row are one.
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
                position += 2
                if let level = longBracket() {
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
        position = source[position...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? source.count
    }

    /// The number of `=` in a `[==[` that begins here; nil if none does.
    private func longBracket() -> Int? {
        guard position < source.count, source[position] == UInt8(ascii: "[") else { return nil }
        var end = position + 1
        while end < source.count, source[end] == UInt8(ascii: "=") { end += 1 }
        return end < source.count && source[end] == UInt8(ascii: "[") ? end - position - 1 : nil
    }

    /// Skips the contents of a long string or comment, and its closing bracket.
    private mutating func skipLongBracket(_ level: Int) {
        let close = Array("]\(String(repeating: "=", count: level))]".utf8)
        while position < source.count, !source[position...].starts(with: close) { step() }
        position = min(position + close.count, source.count)
    }
}
