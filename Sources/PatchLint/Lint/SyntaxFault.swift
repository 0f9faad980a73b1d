internal import CLuaSyntax
internal import PatchRunner

/// Where Lua's compiler stops in a script, and the probable meaning of the script there.
///
/// Lua's message has a line, and the text of the token at which it stops, if any. A line may have that text more than once. So
/// the place is the one that Lua's lexer has reached.
struct SyntaxFault {
    private let source: [UInt8]
    /// Lua's message.
    private let cause: [UInt8]
    /// How much of the source Lua has taken as tokens.
    private let stop: Int
    /// The tokens before the stop.
    private let tokens: [LuaTokens.Token]
    /// The end of the last token.
    private let end: Int
    /// Where the last long comment before the stop begins.
    private let longComment: Int
    /// The place of the fault, in bytes of the source.
    private(set) var range = 0..<0

    /// - Returns: nil if the source is too long to be compiled.
    init?(_ source: [UInt8], _ message: String) {
        guard source.count <= PatchLimits().sourceBytes, let stop = Self.stop(in: source) else { return nil }
        var (reader, tokens, end) = (LuaTokens(source), [LuaTokens.Token](), 0)
        while true {
            let token = reader.next()
            guard token.kind != .end, token.start < stop else { break }
            tokens.append(token)
            end = reader.position
        }
        (self.source, self.stop, self.tokens, self.end, longComment) = (source, stop, tokens, end, reader.longComment)
        cause = Array(message.utf8)
        range = place
    }

    private static func stop(in source: [UInt8]) -> Int? {
        if let fault = SourceScan.fault(in: source) { return fault.offset }
        let offset = unsafe source.withUnsafeBytes {
            unsafe pp_error_offset($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
        }
        return offset < 0 ? nil : offset
    }

    // MARK: the place

    private var place: Range<Int> {
        if cause.starts(with: "unfinished long comment".utf8) { return longComment..<stop }
        if lacksMore { return end..<end }
        guard let last = tokens.last else { return max(0, stop - 1)..<stop }
        if let range = isAtToken ? brokenEscape(in: last) : jump ?? name { return range }
        return last.start..<stop
    }

    /// Whether the message ends with the token at which Lua stops.
    private var isAtToken: Bool { cause.firstPlace(of: Array(" near ".utf8)) != nil }
    private var isUnfinished: Bool { cause.starts(with: "unfinished ".utf8) }
    /// Whether the script ends too early.
    private var lacksMore: Bool { cause.suffix(11).elementsEqual(" near <eof>".utf8) && !isUnfinished }

    /// The escape in a string that Lua does not know.
    private func brokenEscape(in string: LuaTokens.Token) -> Range<Int>? {
        let read = source[string.start..<stop]
        guard string.kind == .string, !isUnfinished, Self.stop(in: Array("return ".utf8) + read) != nil else {
            return nil
        }
        return read.lastIndex(of: UInt8(ascii: "\\")).map { $0..<stop }
    }

    /// The `break` or `goto` that leads nowhere. Lua finds it at the end of its block, and the message has its line.
    private var jump: Range<Int>? {
        let words = Array(" at line ".utf8)
        guard let place = cause.firstPlace(of: words),
            let line = Int(String(decoding: cause[(place + words.count)...].prefix { $0 != 0x20 }, as: UTF8.self))
        else { return nil }
        let jumps = zip(tokens, tokens.dropFirst() + tokens.suffix(1)).filter { $0.0.line == line }.compactMap {
            token, next in
            token.word == .break
                ? token.start..<token.start + 5
                : token.word == .goto ? token.start..<next.start + next.text.count : nil
        }
        // The script still has the error without the jumps after it.
        var (low, high) = (0, jumps.count - 1)
        while low < high {
            let middle = (low + high) / 2
            var shorter = source
            for jump in jumps[(middle + 1)...] { for index in jump { shorter[index] = 0x20 } }
            if Self.stop(in: shorter) == stop { high = middle } else { low = middle + 1 }
        }
        return jumps.indices.contains(low) ? jumps[low] : nil
    }

    /// The name that the message has in quotes, at the place where it is assigned or declared.
    ///
    /// When Lua finds that the name is wrong, it has already read further.
    private var name: Range<Int>? {
        let quoted = cause.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        let isClose = cause.starts(with: "multiple to-be-closed".utf8)
        let word = isClose ? Array("close".utf8) : quoted.count > 2 ? Array(quoted[1]) : []
        let index = tokens.indices.dropLast().last { index in
            tokens[index].kind == .name && source[tokens[index].text].elementsEqual(word)
                && ([.assign, .comma, .greater, .label].contains(tokens[index + 1].word)
                    || index > 0 && tokens[index - 1].word == .function)
        }
        return index.map { tokens[$0].start..<tokens[$0].start + word.count }
    }

    // MARK: words

    /// The message. It names a character, but Lua's message has only the first byte.
    var message: String {
        let text = String(decoding: cause, as: UTF8.self)
        guard let character, let place = cause.firstPlace(of: Array(" near '<".utf8)) else { return text }
        let number = String(character.value, radix: 16, uppercase: true)
        return String(decoding: cause[..<place], as: UTF8.self) + " near U+"
            + String(repeating: "0", count: max(0, 4 - number.count))
            + number + (character.properties.name.map { " (\($0.lowercased()))" } ?? "")
    }

    /// The character outside ASCII at which Lua stops; nil if Lua stops at anything else.
    private var character: Unicode.Scalar? {
        guard let last = tokens.last, isAtToken, last.kind == .symbol, source[last.start] >= 0x80 else { return nil }
        var (bytes, decoder) = (source[last.start...].makeIterator(), UTF8())
        guard case .scalarValue(let scalar) = decoder.decode(&bytes) else { return nil }
        return scalar
    }

    /// Advice for syntax that is common in other languages.
    var hint: String? {
        let start = range.lowerBound
        let line = source[((source[..<start].lastIndex { $0 == 0x0A || $0 == 0x0D } ?? -1) + 1)...]
        if ["<<<<<<<", "|||||||", "=======", ">>>>>>>"].contains(where: { line.starts(with: $0.utf8) }),
            line.dropFirst(7).first.map({ [0x20, 0x0A, 0x0D].contains($0) }) ?? true
        {
            return "a Git conflict marker; keep one of the two versions"
        }
        if character != nil { return "outside strings and comments, Lua takes only ASCII" }
        if lacksContinue {
            return "Lua has no continue; use goto continue, with ::continue:: before the end of the loop"
        }
        func at(_ index: Int) -> Unicode.Scalar {
            source.indices.contains(index) ? Unicode.Scalar(source[index]) : " "
        }
        if let hint = hintForWords { return hint }
        guard isAtToken, !lacksMore, let last = tokens.last, last.kind == .symbol else { return nil }
        switch (at(start - 1), at(start), at(start + 1)) {
        case (_, "?", "?"): return "Lua writes or"
        case (_, "?", "."): return "Lua has no ?.; write x and x.y"
        case (_, "?", _): return "Lua has no ?; write condition and x or y"
        case (_, "`", _): return "Lua writes strings with \", ' or [[ ]]"
        case (_, "!", "="): return "Lua writes ~="
        case (_, "!", _): return "Lua writes not"
        case ("&", "&", _), (_, "&", "&"): return "Lua writes and"
        case ("|", "|", _), (_, "|", "|"): return "Lua writes or"
        case ("+", "+", _), (_, "+", "+"): return "Lua has no ++; write x = x + 1"
        case ("=", "=", _): return "Lua writes =="
        default: break
        }
        // Lua stops before the `=` in a statement, and at the `=` in an expression.
        let isAssignment = last.word == .assign
        let symbol = isAssignment ? tokens.dropLast().last : last
        if isAssignment, cause.starts(with: "'then' expected".utf8) || cause.starts(with: "'do' expected".utf8) {
            return "Lua compares with =="
        }
        guard let symbol, Self.operators.contains(symbol.word) else { return nil }
        let behind = symbol.text.upperBound
        guard isAssignment ? behind == start : at(behind) == "=" else {
            return symbol.word == .floorDivide ? "a comment begins with --" : nil
        }
        return "Lua has no \(symbol.word.rawValue)=; write x = x \(symbol.word.rawValue) y"
    }

    /// Advice for words of other languages, and for words that Lua has at other places only.
    private var hintForWords: String? {
        if cause.starts(with: "malformed number".utf8), let last = tokens.last,
            source[last.start..<stop].suffix(2).elementsEqual("..".utf8)
        {
            return "between a number and .. there is a space"
        }
        if cause.starts(with: "invalid escape sequence".utf8) {
            return "\\\\ is a backslash; a pattern has %d for a digit"
        }
        func isWord(_ token: LuaTokens.Token?, _ words: Set<String>) -> Bool {
            guard let token, token.kind == .name, token.word == .none else { return false }
            return words.contains(String(decoding: source[token.text], as: UTF8.self))
        }
        let before = lacksMore ? tokens.last : tokens.dropLast().last
        if cause.starts(with: "syntax error".utf8) {
            if isWord(before, ["let", "var", "const"]) { return "Lua writes local" }
            if isWord(before, ["def", "func", "fn"]) { return "Lua writes function" }
            if isWord(before, ["try"]) { return "Lua has no try; pcall(f, …) returns whether f succeeds" }
        }
        if isWord(tokens.last, ["elif", "elsif"]) || isWord(before, ["elif", "elsif"]) { return "Lua writes elseif" }
        let isUnclosed =
            cause.starts(with: "'end' expected".utf8)
            || cause.starts(with: "unexpected symbol near ')'".utf8) && tokens.dropLast().last?.word == .end
        guard isUnclosed, let line = unclosedElseIf else { return nil }
        return "the `else if` of line \(line) needs an `end` of its own; `elseif` does not"
    }

    /// The line of the last `else if` on one line, if it is in a block without an `end`.
    private var unclosedElseIf: Int? {
        var blocks: [Int] = []
        var elseIf: (place: Int, line: Int)?
        for (place, token) in tokens.enumerated() {
            switch token.word {
            case .if:
                if place > 0, tokens[place - 1].word == .else, tokens[place - 1].line == token.line {
                    elseIf = (place, token.line)
                }
                blocks.append(place)
            case .function, .do, .repeat: blocks.append(place)
            case .end, .until: _ = blocks.popLast()
            default: break
            }
        }
        guard let elseIf, let block = blocks.first, block < elseIf.place else { return nil }
        return elseIf.line
    }

    private static let operators: Set<LuaTokens.Word> = [
        .plus, .minus, .times, .divide, .floorDivide, .modulo, .power, .join, .ampersand, .bar, .shiftLeft, .shiftRight,
    ]

    /// Whether Lua stops after a `continue` that is a statement, or at a jump to a missing label of that name.
    private var lacksContinue: Bool {
        if cause.starts(with: "no visible label 'continue'".utf8) { return true }
        let before = lacksMore ? tokens[...] : tokens.dropLast()
        guard cause.starts(with: "syntax error".utf8), let last = before.last, last.kind == .name,
            source[last.text].elementsEqual("continue".utf8)
        else { return false }
        return before.dropLast().last.map { $0.word != .dot && $0.word != .colon } ?? true
    }
}
