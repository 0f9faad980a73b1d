internal import CLuaBridge

/// Finds source that must not be passed to Lua's compiler, because Lua works on it without a limit.
///
/// When an error names a value such as `a.a.a.a…`, Lua 5.4 searches backwards for each part again. That takes quadratic
/// time and C stack, and no hook runs meanwhile. When a label or the end of a loop resolves the jumps to it, each one
/// that is resolved moves all later ones in the list of those that wait.
///
/// It reads bytes, and not the tokens that lint reads: those take three times the instructions, at each load of a
/// patch.
package struct SourceScan {
    /// Indexings in a row, as in `a.b.c[1]`.
    static let longestChain = 200
    /// Nested brackets, and nested blocks. Lua itself allows fewer than 200, so this refuses nothing that compiles: it
    /// bounds the memory of this scan.
    static let deepestNesting = 250
    /// Jumps to labels in a source. All of them may wait for one label.
    static let mostJumps = 1000
    /// Breaks of one loop, which wait for its end. Those of other loops do not count, of which a long script has many.
    static let mostBreaks = 1000

    package struct Fault {
        let line: Int
        let message: String
    }

    /// The first fault of a source, or nil.
    package static func fault(in source: [UInt8]) -> Fault? {
        // Most short scripts have fewer characters of each kind than a fault needs.
        let marks = unsafe source.withUnsafeBytes { unsafe pp_count_marks($0.baseAddress, $0.count) }
        guard
            marks.indexings > longestChain || marks.brackets > deepestNesting || marks.jumps > mostJumps
                || marks.breaks > mostBreaks
        else { return nil }
        var scan = SourceScan(source)
        return scan.run().map { message in
            Fault(line: 1 + source[..<scan.position].count { $0 == UInt8(ascii: "\n") }, message: message)
        }
    }

    private let source: [UInt8]
    private var position = 0
    /// For each open bracket, the number of indexings in a row before it.
    private var outer: [Int] = []
    private var chain = 0
    private var jumps = 0
    private var blocks: [Block] = []
    /// The breaks of the innermost loop.
    private var breaks = 0

    /// A block that has not ended.
    private enum Block {
        /// A loop, and how many breaks of the loop around it came before.
        case loop(breaksAround: Int)
        /// The same, before its `do`. A function in the condition may have blocks of its own.
        case head(breaksAround: Int)
        case other
    }

    private init(_ source: [UInt8]) { self.source = source }

    /// Describes the first fault, if there is one. The position is at the fault then.
    private mutating func run() -> String? {
        while position < source.count {
            let byte = source[position]
            switch byte {
            case _ where Self.isDigit(byte): skipNumber()
            case _ where Self.isWord(byte):
                let start = position
                skip(while: Self.isWord)
                follow(source[start..<position])
                chain = 0
            case _ where Self.isSpace(byte): skip(while: Self.isSpace)
            case UInt8(ascii: "-") where next == UInt8(ascii: "-"): skipComment()
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                skipString(byte)
                chain = 0
            case UInt8(ascii: "[") where longBracketLevel(at: position) != nil:
                skipLongBracket()
                chain = 0
            case UInt8(ascii: "["), UInt8(ascii: "("), UInt8(ascii: "{"):
                if byte == UInt8(ascii: "[") { chain += 1 }
                position += 1
                guard outer.count < Self.deepestNesting else {
                    return "more than \(Self.deepestNesting) nested brackets"
                }
                outer.append(chain)
                chain = 0
            case UInt8(ascii: "]"), UInt8(ascii: ")"), UInt8(ascii: "}"):
                chain += outer.popLast() ?? 0  // a bracket may be a part of the chain
                position += 1
            case UInt8(ascii: ".") where next.map(Self.isDigit) == true: skipNumber()
            case UInt8(ascii: ".") where next != UInt8(ascii: "."), UInt8(ascii: ":") where next != UInt8(ascii: ":"):
                chain += 1
                position += 1
                skip(while: Self.isSpace)
                while next == UInt8(ascii: "-"), source[position] == UInt8(ascii: "-") {
                    skipComment()
                    skip(while: Self.isSpace)
                }
                skip(while: Self.isWord)
            case UInt8(ascii: "."), UInt8(ascii: ":"):
                skip { $0 == byte }
                chain = 0
            default:
                position += 1
                chain = 0
            }
            if jumps > Self.mostJumps { return "more than \(Self.mostJumps) `goto`s" }
            if breaks > Self.mostBreaks { return "more than \(Self.mostBreaks) `break`s in a loop" }
            if blocks.count > Self.deepestNesting { return "more than \(Self.deepestNesting) nested blocks" }
            if chain > Self.longestChain { return "more than \(Self.longestChain) indexings in a row" }
        }
        return nil
    }

    /// Counts a jump, or follows the beginning or the end of a block.
    private mutating func follow(_ word: ArraySlice<UInt8>) {
        func matches(_ keyword: String) -> Bool { word.elementsEqual(keyword.utf8) }
        switch word.count {
        case 2 where matches("do"):
            if case .head(let breaks)? = blocks.last {
                blocks[blocks.count - 1] = .loop(breaksAround: breaks)
            } else {
                blocks.append(.other)
            }
        case 2 where matches("if"), 8 where matches("function"): blocks.append(.other)
        case 3 where matches("for"), 5 where matches("while"): beginLoop(.head(breaksAround: breaks))
        case 6 where matches("repeat"): beginLoop(.loop(breaksAround: breaks))
        case 3 where matches("end"), 5 where matches("until"):
            if case .loop(let around)? = blocks.popLast() { breaks = around }
        case 4 where matches("goto"): jumps += 1
        case 5 where matches("break"): breaks += 1
        default: break
        }
    }

    private mutating func beginLoop(_ loop: Block) {
        blocks.append(loop)
        breaks = 0
    }

    private var next: UInt8? { position + 1 < source.count ? source[position + 1] : nil }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private static func isWord(_ byte: UInt8) -> Bool {
        let lowercase = byte | 0x20  // if it is a letter
        let isLetter = lowercase >= UInt8(ascii: "a") && lowercase <= UInt8(ascii: "z")
        return isLetter || isDigit(byte) || byte == UInt8(ascii: "_")
    }

    @inline(__always)
    private mutating func skip(while isMeant: (UInt8) -> Bool) {
        var end = position
        while end < source.count, isMeant(source[end]) { end += 1 }
        position = end
    }

    /// Skips a number with its dots, after which a word is not the name of a field: `x = 1. goto a`.
    private mutating func skipNumber() {
        skip { Self.isWord($0) || $0 == UInt8(ascii: ".") }
        chain = 0
    }

    private mutating func skipComment() {
        position += 2
        if longBracketLevel(at: position) != nil { return skipLongBracket() }
        skip { !Self.isLineEnd($0) }
    }

    private mutating func skipString(_ quote: UInt8) {
        position += 1
        while position < source.count, source[position] != quote, !Self.isLineEnd(source[position]) {
            if source[position] == UInt8(ascii: "\\"), position + 1 < source.count {
                position += 1
                let escaped = source[position]
                if escaped == UInt8(ascii: "z") {
                    position += 1
                    skip(while: Self.isSpace)
                    continue
                }
                // Two different line ends in a row count as one.
                if Self.isLineEnd(escaped), let next, Self.isLineEnd(next), next != escaped { position += 1 }
            }
            position += 1
        }
        if position < source.count, source[position] == quote { position += 1 }
    }

    /// The number of `=` in a `[==[` at an index; nil if there is none.
    private func longBracketLevel(at start: Int) -> Int? {
        guard start < source.count, source[start] == UInt8(ascii: "[") else { return nil }
        var end = start + 1
        while end < source.count, source[end] == UInt8(ascii: "=") { end += 1 }
        return end < source.count && source[end] == UInt8(ascii: "[") ? end - start - 1 : nil
    }

    private mutating func skipLongBracket() {
        let level = longBracketLevel(at: position) ?? 0
        position += level + 2
        while position < source.count {
            let close = position + level + 1
            if source[position] == UInt8(ascii: "]"), close < source.count, source[close] == UInt8(ascii: "]"),
                source[(position + 1)..<close].allSatisfy({ $0 == UInt8(ascii: "=") })
            {
                position = close + 1
                return
            }
            position += 1
        }
    }
}
