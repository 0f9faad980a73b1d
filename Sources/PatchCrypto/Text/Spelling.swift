/// The number of characters to insert, delete, replace or swap with a neighbour to turn one word into another.
package func editDistance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left), Array(right))
    var rows = [Array(0...right.count)]
    for i in 0..<left.count {
        var row = [i + 1]
        for j in 0..<right.count {
            var best = min(rows[i][j + 1], row[j]) + 1
            best = min(best, rows[i][j] + (left[i] == right[j] ? 0 : 1))
            if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                best = min(best, rows[i - 1][j - 1] + 1)
            }
            row.append(best)
        }
        rows.append(row)
    }
    return rows[left.count][right.count]
}

/// The known word that was probably meant; nil if none is close.
package func nearest(_ word: String, among known: some Sequence<String>) -> String? {
    let longest = 128  // the distance takes memory in proportion to both words
    guard word.utf8.count <= longest else { return nil }
    let nearest = known.filter { $0.utf8.count <= longest }.map { (word: $0, distance: editDistance($0, word)) }.min {
        $0.distance < $1.distance
    }
    guard let nearest, nearest.distance <= max(word.count > 4 ? 2 : 1, word.count / 3) else { return nil }
    return nearest.word
}
