/// Advice on a problem: for people, and for `lint --fix` if there is only one answer.
package struct Advice: Hashable, Sendable {
    /// A change of the script's text.
    struct Change: Hashable, Sendable {
        let old: String
        let new: String
        /// The line of the old text; nil for the problem's own line, or the only line that has it.
        var line: Int?
        /// Where the old text begins in the script, in bytes, if that is known.
        var place: Int?
    }

    package let text: String
    /// The change that removes the problem.
    var change: Change?

    package init(_ text: String) { self.text = text }

    init(_ text: String, _ change: Change?) { (self.text, self.change) = (text, change) }

    /// Advice to write another word.
    package init(meant new: String, for old: String) {
        self.init("did you mean \(new)?", Change(old: old, new: new))
    }
}

extension Advice: ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) { self.init(text) }
}

/// A change of a script that removes a finding.
package struct Fix: Hashable, Sendable {
    /// The bytes that are replaced.
    package let range: Range<Int>
    /// The string to put in their place.
    package let text: String
    /// The line of the range, which is within one line, and the columns in code points, from 1.
    package let line: Int
    package let columns: Range<Int>

    /// The bytes of a script after some fixes. A fix that overlaps an earlier one is left out.
    package static func apply(_ fixes: [Fix], to bytes: [UInt8]) -> (bytes: [UInt8], applied: [Fix]) {
        var (result, applied, place): ([UInt8], [Fix], Int) = ([], [], 0)
        for fix in Set(fixes).sorted(by: { ($0.range.lowerBound, $0.text) < ($1.range.lowerBound, $1.text) })
        where fix.range.lowerBound >= place && applied.last?.range != fix.range {
            result += bytes[place..<fix.range.lowerBound] + Array(fix.text.utf8)
            place = fix.range.upperBound
            applied.append(fix)
        }
        return (result + bytes[place...], applied)
    }
}

extension SourceText {
    /// A change as a fix; nil if its text is not in the script, or if its place is ambiguous.
    func fix(_ change: Advice.Change, line: Int) -> Fix? {
        let old = Array(change.old.utf8)
        if let place = change.place { return fix(place..<place + old.count, change.new) }
        if let range = only(old, in: range(ofLine: change.line ?? line) ?? 0..<0) {
            return fix(range, change.new)
        }
        guard change.line == nil, !self.line(line, has: change.old), let range = only(old, in: 0..<bytes.count) else {
            return nil
        }
        return fix(range, change.new)
    }

    /// A fix of bytes in one line.
    func fix(_ range: Range<Int>, _ text: String) -> Fix {
        let (line, columns) = place(of: range)
        return Fix(range: range, text: text, line: line, columns: columns)
    }

    /// The only place of a string in a part of the script. A name is not found within a longer name.
    private func only(_ text: [UInt8], in part: Range<Int>) -> Range<Int>? {
        guard let first = text.first, let last = text.last else { return nil }
        var found: Range<Int>?
        var rest = bytes[part]
        while let place = rest.firstPlace(of: text) {
            rest = bytes[(place + 1)..<part.upperBound]
            let end = place + text.count
            if Self.isWord(first), place > 0, Self.isWord(bytes[place - 1]) { continue }
            if Self.isWord(last), end < bytes.count, Self.isWord(bytes[end]) { continue }
            guard found == nil else { return nil }
            found = place..<end
        }
        return found
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte >= 0x80 || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
