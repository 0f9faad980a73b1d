package import PatchCrypto
package import PatchRunner
internal import PatchText

/// The results of a run of a spec.
package struct SpecReport: Sendable {
    package enum Status: String, Sendable {
        case passed, failed, pending
    }

    package struct Test: Sendable {
        /// The names of `describe` and `it`, joined by spaces.
        package let name: String
        package let line: Int
        package let status: Status
        /// Why it failed, with Lua's traceback; or why it is pending.
        package let message: String
        /// How long it took.
        package let nanoseconds: UInt64
    }

    package var tests: [Test] = []
    /// Why the spec or a patch could not be loaded.
    package var error: PatchError?
    /// What the patches would change, by the function: the spec's calls in shadow.
    package internal(set) var comparisons: [String: RunnerEvent.Comparison] = [:]
    /// Why the spec could not be loaded in shadow, where the original answers. The results of the tests stay.
    package internal(set) var shadowError: PatchError?
    /// The number of functions that the patches replaced.
    package internal(set) var replacements = 0
    /// For each script, by its `key`, the lines that hold code, and how often each of them ran.
    package internal(set) var coverage: [String: [Int: Int]] = [:]

    package init() {}

    /// Fails the tests that end in another way in a run in which each call finds a new instance of the patches.
    mutating func compare(with other: SpecReport) {
        // Names may be made anew in each run.
        guard other.error == nil, other.tests.map(\.line) == tests.map(\.line) else {
            let reason = other.error.map { "the spec cannot be loaded: \($0)" } ?? "the spec has other tests"
            // A block's code is among the tests only where it fails.
            let known = Set(tests.map(\.line))
            let failed = other.tests.first { $0.status == .failed && !known.contains($0.line) }
            error = PatchError(
                .script,
                "with a new instance of the patch for each call, \(reason)"
                    + (failed.map { "\n\($0.name) failed: \($0.message)" } ?? ""),
                hint: Self.hint)
            return
        }
        for (index, again) in other.tests.enumerated() where again.status != tests[index].status {
            let first = tests[index]
            func result(_ test: Test) -> String {
                "\(test.status.rawValue)\(test.message.isEmpty ? "" : ": \(test.message)")"
            }
            tests[index] = Test(
                name: first.name, line: first.line, status: .failed,
                message: """
                    with one instance of the patch, the test \(result(first))
                    with a new instance for each call, it \(result(again))
                    \(Self.hint)
                    """.shortened(to: Self.messageLimit), nanoseconds: first.nanoseconds)
        }
    }

    /// The most bytes of a test's message. A spec may make a longer one.
    static let messageLimit = 16 << 10

    private static let hint =
        "add `-- @instances 1` to the head of a patch whose calls must see the state of earlier calls"

    /// The key of a patch's script in `coverage`.
    package static func key(_ patch: String, _ script: String) -> String { "\(patch) \(script)" }

    /// Whether the run succeeded: there are tests and replacements, and no test failed.
    package var isGood: Bool {
        error == nil && replacements > 0 && !tests.isEmpty && !tests.contains { $0.status == .failed }
    }
}
