import PatchCrypto

/// Counts the outcomes of a run's files for its last line.
struct Tally {
    private var good = 0
    private var bad: [(verdict: String, count: Int)] = []

    mutating func add(_ error: PatchError?) {
        guard let verdict = error?.code.description else { return good += 1 }
        if let index = bad.firstIndex(where: { $0.verdict == verdict }) {
            bad[index].count += 1
        } else {
            bad.append((verdict, 1))
        }
    }

    /// - Parameters:
    ///   - done: The word for the good files, such as `ok` or `packed`.
    ///   - refused: The word for the others, such as `refused` or `failed`.
    func text(_ done: String, _ refused: String) -> String {
        let failed = bad.reduce(0) { $0 + $1.count }
        guard failed > 0 else { return "\(good) \(done)" }
        let kinds = bad.sorted { $0.count > $1.count }.map { "\($0.count) \($0.verdict)" }
        return "\(good) \(done), \(failed) \(refused): \(kinds.joined(separator: ", "))"
    }
}
