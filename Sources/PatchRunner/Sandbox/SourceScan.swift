internal import CLuaBridge

/// Finds source that must not be passed to Lua's compiler, because Lua works on it without a limit.
///
/// When an error names a value such as `a.a.a.a…`, Lua 5.4 searches backwards for each part again. That takes quadratic
/// time and C stack, and no hook runs meanwhile.
///
/// It reads bytes, and not the tokens that lint reads: those take three times the instructions, at each load of a
/// patch.
package struct SourceScan {
    /// Indexings in a row, as in `a.b.c[1]`.
    static let longestChain = 200
    /// Nested brackets; Lua itself allows 200.
    static let deepestNesting = 250
    /// Jumps to labels. For each of them the compiler may look at all the others.
    static let mostJumps = 1000

    package struct Fault {
        let line: Int
        let message: String
    }

    /// The first fault of a source, or nil.
    package static func fault(in source: [UInt8]) -> Fault? {
        // Most short scripts have fewer characters of each kind than a fault needs.
        let marks = unsafe source.withUnsafeBytes { unsafe pp_count_marks($0.baseAddress, $0.count) }
        guard marks.indexings > longestChain || marks.brackets > deepestNesting || marks.jumps > mostJumps else {
            return nil
        }
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

    private init(_ source: [UInt8]) { self.source = source }

    /// Describes the first fault, if there is one. The position is at the fault then.
    private mutating func run() -> String? {
        while position < source.count {
            let byte = source[position]
            switch byte {
            case _ where Self.isWord(byte):
                let start = position
                skip(while: Self.isWord)
                if position - start == 4, source[start..<position].elementsEqual("goto".utf8) { jumps += 1 }
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
            if chain > Self.longestChain { return "more than \(Self.longestChain) indexings in a row" }
        }
        return nil
    }

    private var next: UInt8? { position + 1 < source.count ? source[position + 1] : nil }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    private static func isWord(_ byte: UInt8) -> Bool {
        // This bit makes a letter lowercase.
        byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
            || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") || byte == UInt8(ascii: "_")
    }

    @inline(__always)
    private mutating func skip(while isMeant: (UInt8) -> Bool) {
        var end = position
        while end < source.count, isMeant(source[end]) { end += 1 }
        position = end
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

    /// The number of `=` in a `[==[`.
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
