import PatchCrypto

/// Line differences in the unified format of `diff -u`.
enum LineDiff {
    /// The number of unchanged lines around a change.
    private static let context = 3
    /// The most lines that are compared line by line.
    ///
    /// Comparing more takes too long. Everything between the common beginning and end is then shown as replaced.
    private static let mostLines = 3000
    /// The most pairs of lines that one command compares. Large files after that are shown as replaced.
    static let mostPairs = 20_000_000

    /// A line with its line feed, if it has one.
    fileprivate enum Line {
        case same([UInt8]), removed([UInt8]), added([UInt8])
    }

    /// Compares the bytes of two files.
    ///
    /// - Parameter left: How many pairs of lines may still be compared.
    /// - Returns: The differences; an empty string if there are none.
    static func text(
        _ oldName: String, _ old: [UInt8], _ newName: String, _ new: [UInt8], left: inout Int
    ) -> String {
        guard old != new else { return "" }
        let lines = compared(self.lines(of: old), self.lines(of: new), &left)
        var text = "--- \(escaped(oldName))\n+++ \(escaped(newName))\n"
        var (oldLine, newLine) = (1, 1)
        var index = 0
        while index < lines.count {
            guard let change = lines[index...].firstIndex(where: \.isChange) else { break }
            let begin = max(index, change - context)
            var end = change
            // A hunk ends where more than two contexts of unchanged lines follow.
            while let next = lines[end...].firstIndex(where: \.isChange), next - end <= 2 * context { end = next + 1 }
            end = min(lines.count, end + context)
            for line in lines[index..<begin] { line.count(&oldLine, &newLine) }
            let hunk = lines[begin..<end]
            let (olds, news) = (hunk.count { !$0.isAdded }, hunk.count { !$0.isRemoved })
            text +=
                "@@ -\(olds == 0 ? oldLine - 1 : oldLine),\(olds) +\(news == 0 ? newLine - 1 : newLine),\(news) @@\n"
            for line in hunk {
                text += line.shown
                line.count(&oldLine, &newLine)
            }
            index = end
        }
        return text
    }

    private static func lines(of bytes: [UInt8]) -> [[UInt8]] {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) + [0x0A] }
        // The bytes after the last line feed are a line without one, if there are any.
        if let last = lines.popLast(), last.count > 1 { lines.append(last.dropLast()) }
        return lines
    }

    private static func compared(_ old: [[UInt8]], _ new: [[UInt8]], _ left: inout Int) -> [Line] {
        let start = zip(old, new).prefix { $0 == $1 }.count
        let rest = min(old.count, new.count) - start
        let end = zip(old.reversed(), new.reversed()).prefix(rest).prefix { $0 == $1 }.count
        let (olds, news) = (Array(old[start..<old.count - end]), Array(new[start..<new.count - end]))
        var middle: [Line] = []
        let pairs = olds.count * news.count
        if olds.count > mostLines || news.count > mostLines || pairs > left {
            middle = olds.map { .removed($0) } + news.map { .added($0) }
        } else {
            left -= pairs
            let changes = news.difference(from: olds)
            var removed = Set(changes.removals.map(\.place)), added = Set(changes.insertions.map(\.place))
            var (before, after) = (0, 0)
            while before < olds.count || after < news.count {
                if removed.remove(before) != nil {
                    middle.append(.removed(olds[before]))
                    before += 1
                } else if added.remove(after) != nil {
                    middle.append(.added(news[after]))
                    after += 1
                } else {
                    middle.append(.same(olds[before]))
                    before += 1
                    after += 1
                }
            }
        }
        return old[..<start].map { .same($0) } + middle + old[(old.count - end)...].map { .same($0) }
    }
}

extension LineDiff.Line {
    fileprivate var isAdded: Bool { if case .added = self { true } else { false } }
    fileprivate var isRemoved: Bool { if case .removed = self { true } else { false } }
    fileprivate var isChange: Bool { isAdded || isRemoved }

    fileprivate var shown: String {
        let (sign, bytes) =
            switch self {
            case .same(let bytes): (" ", bytes)
            case .removed(let bytes): ("-", bytes)
            case .added(let bytes): ("+", bytes)
            }
        let hasEnd = bytes.last == 0x0A
        let text = sign + escaped(String(decoding: hasEnd ? bytes.dropLast() : bytes[...], as: UTF8.self))
        return text + (hasEnd ? "\n" : "\n\\ No newline at end of file\n")
    }

    fileprivate func count(_ old: inout Int, _ new: inout Int) {
        if !isAdded { old += 1 }
        if !isRemoved { new += 1 }
    }
}

extension CollectionDifference.Change {
    fileprivate var place: Int {
        switch self {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}

extension JSONValue {
    /// The members of an object, one per line.
    var lines: [UInt8] {
        guard case .object(let members) = self else { return Array(text().utf8) }
        return members.flatMap { Array("\($0.key): \($0.value.text())\n".utf8) }
    }
}
