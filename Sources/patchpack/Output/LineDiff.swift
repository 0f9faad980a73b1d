import PatchCrypto

/// Differences between texts, in the unified form of `diff -u`.
enum LineDiff {
    /// A script's lines; a damaged one is shown as far as it is text.
    static func lines(of bytes: [UInt8]) -> [String] {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { escaped(String(decoding: $0, as: UTF8.self)) }
        if lines.last == "" { lines.removeLast() } else { lines.append("\\ no line feed at the end") }
        return lines
    }

    /// Lines around a change that are shown too.
    private static let context = 3
    /// Comparing larger texts line by line takes too long: what lies between their common ends is shown as replaced.
    private static let mostLines = 3000

    fileprivate enum Line {
        case same(String), removed(String), added(String)
    }

    /// - Returns: Nothing for equal texts.
    static func text(_ oldName: String, _ old: [String], _ newName: String, _ new: [String]) -> String {
        guard old != new else { return "" }
        let lines = compared(old, new)
        var text = "--- \(escaped(oldName))\n+++ \(escaped(newName))\n"
        var (oldLine, newLine) = (1, 1)
        var index = 0
        while index < lines.count {
            guard let change = lines[index...].firstIndex(where: \.isChange) else { break }
            let begin = max(index, change - context)
            var end = change
            // A hunk goes on until there are more unchanged lines than two contexts.
            while let next = lines[end...].firstIndex(where: \.isChange), next - end <= 2 * context { end = next + 1 }
            end = min(lines.count, end + context)
            for line in lines[index..<begin] { line.count(&oldLine, &newLine) }
            let hunk = lines[begin..<end]
            let (olds, news) = (hunk.count { !$0.isAdded }, hunk.count { !$0.isRemoved })
            text +=
                "@@ -\(olds == 0 ? oldLine - 1 : oldLine),\(olds) +\(news == 0 ? newLine - 1 : newLine),\(news) @@\n"
            for line in hunk {
                text += line.shown + "\n"
                line.count(&oldLine, &newLine)
            }
            index = end
        }
        return text
    }

    private static func compared(_ old: [String], _ new: [String]) -> [Line] {
        let start = zip(old, new).prefix { $0 == $1 }.count
        let rest = min(old.count, new.count) - start
        let end = zip(old.reversed(), new.reversed()).prefix(rest).prefix { $0 == $1 }.count
        let (olds, news) = (Array(old[start..<old.count - end]), Array(new[start..<new.count - end]))
        var middle: [Line] = []
        if olds.count > mostLines || news.count > mostLines {
            middle = olds.map { .removed($0) } + news.map { .added($0) }
        } else {
            let changes = news.difference(from: olds)
            var removed = Set(changes.removals.map(\.place)), added = Set(changes.insertions.map(\.place))
            var (left, right) = (0, 0)
            while left < olds.count || right < news.count {
                if removed.remove(left) != nil {
                    middle.append(.removed(olds[left]))
                    left += 1
                } else if added.remove(right) != nil {
                    middle.append(.added(news[right]))
                    right += 1
                } else {
                    middle.append(.same(olds[left]))
                    left += 1
                    right += 1
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
        switch self {
        case .same(let text): " \(text)"
        case .removed(let text): "-\(text)"
        case .added(let text): "+\(text)"
        }
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
    /// The members of an object, one a line.
    var lines: [String] {
        guard case .object(let members) = self else { return [text()] }
        return members.map { "\($0.key): \($0.value.text())" }
    }
}
