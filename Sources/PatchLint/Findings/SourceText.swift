internal import PatchRunner

/// A script's text, in which places can be found.
package struct SourceText: Sendable {
    package let name: String
    let bytes: [UInt8]
    /// The range of each line, without its line end.
    private let lines: [Range<Int>]

    package init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
        // Lines are counted as Lua counts them: two different line ends in a row are one.
        var lines: [Range<Int>] = []
        var start = 0
        while let end = bytes[start...].firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
            lines.append(start..<end)
            start = end + 1
            if start < bytes.count, bytes[start] == 0x0A || bytes[start] == 0x0D, bytes[start] != bytes[end] {
                start += 1
            }
        }
        self.lines = lines + [start..<bytes.count]
    }

    /// The bytes of a line, from 1, without its line end; nil if there is no such line.
    func range(ofLine number: Int) -> Range<Int>? {
        lines.indices.contains(number - 1) ? lines[number - 1] : nil
    }

    /// A line, from 1; empty if there is no such line.
    package func line(_ number: Int) -> String {
        range(ofLine: number).map { String(decoding: bytes[$0], as: UTF8.self) } ?? ""
    }

    /// A finding about a word in a line, or about the line if the word is not in it.
    package func finding(
        _ code: Finding.Code, line: Int, word: String? = nil, _ message: String, hint: String? = nil
    ) -> Finding {
        let text = Array(self.line(line).utf8)
        var start = text.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? 0
        var length = 1
        if let word, !word.isEmpty, let place = Self.token(word, in: text) ?? Self.place(of: word, in: text) {
            start = Self.count(text[..<place])
            length = word.unicodeScalars.count
        }
        return Finding(
            code: code, script: name, line: max(1, line), column: start + 1, length: length, message: message,
            hint: hint)
    }

    /// A finding about the bytes of a range, up to the end of its first line.
    func finding(_ code: Finding.Code, at range: Range<Int>, _ message: String, hint: String? = nil) -> Finding {
        let number = line(at: range.lowerBound)
        let line = lines[number - 1]
        func count(_ part: Range<Int>) -> Int {
            String(decoding: bytes[part.clamped(to: line)], as: UTF8.self).unicodeScalars.count
        }
        return Finding(
            code: code, script: name, line: number, column: 1 + count(line.lowerBound..<range.lowerBound),
            length: max(1, count(range)), message: message, hint: hint)
    }

    /// Where a name or symbol begins in a line, outside of its strings and comments.
    private static func token(_ word: String, in line: [UInt8]) -> Int? {
        var tokens = LuaTokens(line)
        while case let token = tokens.next(), token.kind != .end {
            let isCode = token.kind == .name || token.kind == .symbol
            if isCode, line[token.text].elementsEqual(word.utf8) { return token.start }
        }
        return nil
    }

    /// The most bytes of a word that is looked for in a line, because the search compares all of them at each place.
    private static let longestWord = 256

    /// The offset in bytes at which a word begins. A name is not found within a longer name, and a very long word not
    /// at all.
    private static func place(of word: String, in text: [UInt8]) -> Int? {
        let bytes = Array(word.utf8)
        guard bytes.count <= longestWord else { return nil }
        let isName = word.unicodeScalars.allSatisfy(isName)
        var rest = text[...]
        while let place = rest.firstPlace(of: bytes) {
            let (before, behind) = (text[..<place].suffix(4), text[(place + bytes.count)...].prefix(4))
            let neighbours = [
                String(decoding: before, as: UTF8.self).unicodeScalars.last,
                String(decoding: behind, as: UTF8.self).unicodeScalars.first,
            ]
            if !isName || !neighbours.compactMap(\.self).contains(where: Self.isName) { return place }
            rest = text[(place + 1)...]
        }
        return nil
    }

    /// The number of code points in UTF-8.
    static func count(_ text: ArraySlice<UInt8>) -> Int { text.count { $0 & 0xC0 != 0x80 } }

    private static func isName(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_"
    }

    /// The first line that has a text; nil if none has.
    package func firstLine(with text: String) -> Int? {
        guard !text.isEmpty, let place = bytes.firstPlace(of: Array(text.utf8)) else { return nil }
        return line(at: place)
    }

    /// The line of an offset in bytes: the last line that begins there or before.
    private func line(at place: Int) -> Int {
        var (low, high) = (0, lines.count)
        while low < high {
            let middle = (low + high) / 2
            if lines[middle].lowerBound <= place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension RandomAccessCollection<UInt8> where Index == Int {
    /// Where other bytes begin within these ones; nil if they are not among them.
    func firstPlace(of other: [UInt8]) -> Int? {
        guard let first = other.first, other.count <= count else { return nil }
        var start = startIndex
        let last = endIndex - other.count
        while start <= last {
            guard let place = self[start...last].firstIndex(of: first) else { return nil }
            if self[place..<place + other.count].elementsEqual(other) { return place }
            start = place + 1
        }
        return nil
    }
}
