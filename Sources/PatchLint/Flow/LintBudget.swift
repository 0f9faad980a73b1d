internal import PatchText

/// How much work the checks of one patch may do in total.
///
/// All work is paid for that a script or an interface can make larger: the instructions that are followed, the values
/// that are joined, the types that are compared, and the words that are searched for a suggestion.
package final class LintBudget {
    /// How many steps are left. A step takes about ten nanoseconds.
    private(set) var steps: Int
    /// How many more problems are noted. Each has a message, which may be long.
    private var problems = mostProblems
    private static let mostProblems = 1000
    private var spelling = Spelling()

    package init(steps: Int = 60_000_000) { self.steps = steps }

    /// Whether the budget is used up. Unfinished work is then given up.
    var isSpent: Bool { steps < 0 }

    /// Takes steps from those that are left.
    func pay(_ count: Int) { steps -= count }

    /// Begins another round, whose problems replace those of the one before.
    func beginRound() { problems = Self.mostProblems }

    /// Counts a problem. Returns whether it may be noted.
    func countProblem() -> Bool {
        problems -= 1
        return problems >= 0
    }

    /// The known word that was probably meant; nil if none is close, or too many words have been compared.
    func nearest(_ word: String, among known: [String]) -> String? {
        spelling.nearest(word, among: known)
    }

    /// Advice such as `did you mean "x"?`; nil if no known word but the word itself is close.
    ///
    /// - Parameter shown: The known word as a script writes it, such as in quotes.
    func advice(for word: String, among known: [String], shown: (String) -> String = { $0 }) -> String? {
        nearest(word, among: known.filter { $0 != word }).map { "did you mean \(shown($0))?" }
    }
}
