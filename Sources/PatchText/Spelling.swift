/// The number of characters to insert, delete, replace or swap with a neighbour to turn one word into another.
package func editDistance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left), Array(right))
    // No distance is greater than the number of characters in the longer word.
    return editDistance(left, right, most: max(left.count, right.count)) ?? 0
}

/// The edit distance of two words; nil if it is greater than a limit. Only positions within the limit are compared.
private func editDistance<Letter: Equatable>(_ left: [Letter], _ right: [Letter], most: Int) -> Int? {
    guard abs(left.count - right.count) <= most else { return nil }
    guard !right.isEmpty else { return left.count }
    let far = most + 1
    // The row before the previous one, the previous row, and the current row.
    var beforeLast = [Int](repeating: far, count: right.count + 1)
    var last = (0...right.count).map { min($0, far) }
    var row = beforeLast
    for i in 0..<left.count {
        let (first, end) = (max(0, i - most), min(right.count, i + most + 1))
        row[first] = first == 0 ? min(i + 1, far) : far
        var least = row[first]
        for j in first..<end {
            // To the right of the previous row's range, every distance is over the limit.
            let above = j < i + most ? last[j + 1] : far
            var best = min(above, row[j]) + 1
            best = min(best, last[j] + (left[i] == right[j] ? 0 : 1))
            if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                best = min(best, beforeLast[j - 1] + 1)
            }
            row[j + 1] = min(best, far)
            least = min(least, row[j + 1])
        }
        guard least <= most else { return nil }
        swap(&beforeLast, &last)
        swap(&last, &row)
    }
    return last[right.count] <= most ? last[right.count] : nil
}

/// The known word that was probably meant; nil if none is close.
package func nearest(_ word: String, among known: some Sequence<String>) -> String? {
    var spelling = Spelling()
    return spelling.nearest(word, among: Array(known))
}

/// Suggests known words for misspelled ones, up to a limit on the letters compared.
package struct Spelling: Sendable {
    /// How many pairs of letters it may still compare.
    package private(set) var left: Int

    /// - Parameter most: How many pairs of letters it compares; each takes some nanoseconds.
    package init(most: Int = 10_000_000) { left = most }

    /// The known word that was probably meant; nil if none is close, or too many letters have been compared.
    package mutating func nearest(_ word: String, among known: [String]) -> String? {
        // In bytes. A longer word is no name that someone has mistyped.
        let longest = 128
        guard left > 0, word.utf8.count <= longest else { return nil }
        let letters = Letters(word)
        // One character in a short word may be wrong, two in a longer one, and every third one in a long one.
        var most = max(letters.count > 4 ? 2 : 1, letters.count / 3)
        var nearest: String?
        var least = Int.max
        for other in known {
            left -= 4  // about the time to look at a word of another length
            guard left > 0 else { return nil }
            guard other.utf8.count <= longest else { continue }
            // A letter has at least one byte, and an inserted one changes the length.
            if letters.isASCII, other.utf8.count < letters.count - most { continue }
            let others = Letters(other)
            guard abs(others.count - letters.count) <= most else { continue }
            left -= (letters.count + 1) * (2 * most + 1)
            guard let distance = others.distance(to: letters, most: most) else { continue }
            if distance < least { nearest = other }
            guard distance > 0 else { break }
            least = distance
            most = distance
        }
        return nearest
    }
}

/// The characters of a word. Nearly all words are ASCII, whose bytes are compared faster.
private struct Letters {
    private let word: String
    private let bytes: [UInt8]
    /// Whether each byte is a character: CR is none, because it is one character with the LF after it.
    let isASCII: Bool
    let count: Int

    init(_ word: String) {
        self.word = word
        bytes = Array(word.utf8)
        isASCII = bytes.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "\r") }
        count = isASCII ? bytes.count : word.count
    }

    /// The distance to another word; nil if it is greater than a limit.
    func distance(to other: Letters, most: Int) -> Int? {
        isASCII && other.isASCII
            ? editDistance(bytes, other.bytes, most: most)
            : editDistance(Array(word), Array(other.word), most: most)
    }
}
