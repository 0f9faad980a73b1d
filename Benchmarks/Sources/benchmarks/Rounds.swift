/// Times several ways of doing the same thing, one after the other and round after round, so that whatever else the
/// machine does hits all of them.
struct Rounds {
    /// One way: its name, and what runs it a number of times.
    struct Way {
        let name: String
        /// The name of the way that it is compared with.
        let against: String?
        let run: (Int) -> Void
    }

    let title: String
    let count: Int
    let ways: [Way]
    static let rounds = 21

    /// Runs all, and prints each one's median time, its spread, and the ratio of the medians.
    func run() {
        var times: [String: [Double]] = [:]
        for _ in 0..<Self.rounds {
            for way in ways {
                let time = ContinuousClock().measure { way.run(count) }
                times[way.name, default: []].append(Double(time.components.attoseconds) / 1e9 / Double(count))
            }
        }
        print("\n\(title)")
        for way in ways {
            let sorted = times[way.name, default: []].sorted()
            let median = sorted[sorted.count / 2]
            let base = way.against.flatMap { times[$0]?.sorted() }.map { $0[$0.count / 2] }
            let ratio =
                base.map { "  \(rounded(median / $0)) x, \(rounded(median - $0)) ns more than \(way.against ?? "")" }
                ?? ""
            print(
                "  \(padded(way.name)) \(rounded(median)) ns (\(rounded(sorted[0])) to \(rounded(sorted[sorted.count - 1])))\(ratio)"
            )
        }
    }

    private func rounded(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }
    private func padded(_ text: String) -> String { text + String(repeating: " ", count: max(0, 34 - text.count)) }
}
