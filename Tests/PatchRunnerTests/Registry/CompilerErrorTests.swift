import Foundation
import TestSupport
import Testing

/// The compiler's first error line for a registration that is not possible, which is all that most people read.
@Suite(.ownThreads) struct CompilerErrorTests {
    private static let noValue =
        "'replaceable' is unavailable: the type of an argument or of the result is no PatchValue (UUID, URL, Date, Data, Decimal: "
        + "import PatchFoundation), or an argument is inout or variadic; see docs/runner.md"
    private static let tooMany =
        "'replaceable' is unavailable: a patch can replace a function of at most six arguments; let one of them be a struct"
    private static let notReplaceable =
        "'replaceable' is unavailable: a patch can replace a function of at most six arguments if each of them and the result "
        + "is a PatchValue, and none is inout or variadic; see docs/runner.md"
    private static let notOnItsCallersActor =
        "'replaceable' is unavailable: a Replaceable runs on its caller's actor: write Replaceable<nonisolated(nonsending) @Sendable "
        + "(…) async -> …>, or enable NonisolatedNonsendingByDefault; see docs/runner.md"
    private static let noPoint =
        "'init(_:parameters:)' is unavailable: a PatchPoint has at most six arguments, which can be structs; each of them and the result is a PatchValue "
        + "(UUID, URL, Date, Data, Decimal: import PatchFoundation), none is inout or variadic, and an asynchronous one is nonisolated(nonsending); see docs/runner.md"

    private static let declarations = """
        import Foundation
        import PatchCrypto
        import PatchRunner

        struct Plain { var count: Int }
        final class Basket: PatchObject { func add(_ items: Set<String>) {} }
        final class Unknown: Sendable {}
        final class Mutable { var count = 1 }
        protocol Priced: Sendable {}
        func sum(_ values: Int...) -> Int { values.reduce(0, +) }
        """

    private static let wrongType =
        "struct S { let f: Replaceable<(Int, Int) -> Bool>; init(_ registry: PatchRegistry) throws { "
        + #"f = try registry.replaceable("A.b") { (a: Int, b: Int) -> Bool in a < b } } }"#

    private static func replaced(_ closure: String, _ error: String) -> (program: String, error: String) {
        (#"_ = try registry.replaceable("A.b") { \#(closure) }"#, error)
    }

    /// Programs, and the compiler's errors.
    private static let programs: [(program: String, error: String)] = [
        // Types that do not conform to PatchValue. Without the catch-all: "contextual closure type '@Sendable () ->
        // Int' expects 0 arguments".
        replaced("(items: Set<String>) -> Int in items.count", noValue),
        replaced("(letter: Character) -> Int in 1", noValue),
        replaced("(part: Substring) -> Int in part.count", noValue),
        replaced("(big: Int128) -> Int in Int(big)", noValue),
        replaced("(range: ClosedRange<Int>) -> Int in range.count", noValue),
        replaced("(values: [String: Any]) -> Int in values.count", noValue),
        replaced("(size: Int, items: Set<String>) -> Int in size", noValue),
        replaced("(items: Set<String>) async throws -> Int in 1", noValue),
        // Without the catch-all: "declared closure result 'Duration' is incompatible with contextual type 'Void'".
        replaced("(seconds: Int) -> Duration in .seconds(seconds)", noValue),
        replaced("(a: Int) -> Result<Int, CancellationError> in .success(a)", noValue),
        // Without the catch-all: "no exact matches in call to instance method 'replaceable'".
        replaced("(plain: Plain) -> Int in plain.count", noValue),
        replaced("(unknown: Unknown) -> Int in 1", noValue),
        replaced("(pair: (Int, Int)) -> Int in pair.0", noValue),
        replaced("(body: @Sendable () -> Int) -> Int in body()", notReplaceable),
        replaced("(date: Date) -> Date in date", noValue),
        replaced("(priced: any Priced) -> Int in 1", noValue),
        replaced("(count: inout Int) -> Int in count", noValue),
        (#"_ = try registry.replaceable("A.b", sum)"#, noValue),
        (#"_ = try registry.replaceable("A.b", 7)"#, notReplaceable),
        replaced("(a: Int, b: Int, c: Int, d: Int, e: Int, f: Int, g: Int) -> Int in a", tooMany),
        (
            #"let _: Replaceable<@Sendable (Set<String>) -> Int> = try registry.replaceable("A.b") { $0.count }"#,
            noValue
        ),
        replaced("(id: UUID) async -> Int in 1", noValue),
        replaced("(id: UUID) in", noValue),
        (
            #"let _: Replaceable<@Sendable (Int) async -> Int> = try registry.replaceable("A.b") { $0 }"#,
            notOnItsCallersActor
        ),
        (
            #"let _: Replaceable<@Sendable (Int) async throws -> Void> = try registry.replaceable("A.b") { _ in }"#,
            notOnItsCallersActor
        ),
        replaced(
            "(a: UUID, b: Int, c: Int, d: Int, e: Int, f: Int, g: Int, h: Int, i: Int, j: Int) async throws in",
            tooMany),
        (#"_ = try registry.register(PatchPoint<(Set<String>) -> Int>("A.b"))"#, noPoint),
        (#"let _ = PatchPoint<(Int, Int, Int, Int, Int, Int, Int) -> Int>("A.b")"#, noPoint),
        (#"let _: PatchPoint<(Set<String>) -> Int> = PatchPoint("A.b")"#, noPoint),
        (#"_ = try registry.register(PatchPoint<(Int) async -> Int>("A.b"))"#, noPoint),
        // The type is wrong in the declaration, and the closure is right.
        (wrongType, "type '(Int, Int) -> Bool' does not conform to the 'Sendable' protocol"),
        // Errors that the compiler already reports well, and must keep reporting.
        replaced("(a: Int) -> Int in missing(a)", "cannot find 'missing' in scope"),
        replaced("(a: Int) -> Int in let b = a.cuont; return b", "value of type 'Int' has no member 'cuont'"),
        (
            #"let counter = Mutable(); _ = try registry.replaceable("A.b") { (a: Int) -> Int in counter.count }"#,
            "capture of 'counter' with non-Sendable type 'Mutable' in a '@Sendable' closure [#SendableClosureCaptures]"
        ),
        (
            #"_ = try registry.replaceable("A.b") { @MainActor (a: Int) -> Int in a }"#,
            "converting function value of type '@MainActor @Sendable (Int) -> Int' to '@Sendable (Int) -> Int' loses global "
                + "actor 'MainActor'"
        ),
        (
            #"let _: Replaceable<@Sendable (Int) -> Int> = try registry.replaceable("A.b") { (a: Int) -> String in "" }"#,
            "declared closure result 'String' is incompatible with contextual type 'Int'"
        ),
        (
            #"_ = registry.replaceable("A.b") { (a: Int) -> Int in a }"#,
            "call can throw but is not marked with 'try'"
        ),
        (
            #"let total = try registry.replaceable("A.b") { (a: Int) -> Int in a }; _ = total(amount: 1)"#,
            "extraneous argument label 'amount:' in call"
        ),
        (
            #"_ = PatchFields(Plain.init(count:), .field("count", \.count))"#,
            "generic struct 'PatchFields' requires that 'Plain' conform to 'PatchStruct'"
        ),
        (
            #"try registry.expose(Basket.self) { $0.method("add") { (b: Basket, items: Set<String>) in b.add(items) } }"#,
            "instance method 'method' requires that 'Set<String>' conform to 'PatchValue'"
        ),
    ]

    #if compiler(>=6.3) && !compiler(>=6.4)
        private static let isKnownCompiler = true
    #else
        private static let isKnownCompiler = false
    #endif

    @Test(.enabled(if: isKnownCompiler, "the words are those of Swift 6.3")) func theFirstLineOfAnErrorSaysWhatIsWrong()
        throws
    {
        let module = try #require(
            Tool.beside("Modules/PatchRunner.swiftmodule"), "the modules are not beside the tests")
        let folder = try TestFolder()
        let functions = Self.programs.enumerated().map { number, wrong in
            "func f\(number)(_ registry: PatchRegistry) throws { \(wrong.program) }"
        }
        let first = Self.declarations.split(separator: "\n", omittingEmptySubsequences: false).count + 1
        try folder.write(Array((Self.declarations + "\n" + functions.joined(separator: "\n")).utf8), to: "wrong.swift")
        let run = try Tool.shell(
            """
            flags=()
            while IFS= read -r flag; do flags+=("$flag"); done < <("$2/scripts/module-flags.sh" "${1%/Modules/*}")
            "${SWIFT:-swift}c" -typecheck -parse-as-library -swift-version 6 -diagnostic-style=llvm "${flags[@]}" wrong.swift
            """, module, Tool.root, in: folder.path)
        var errors: [Int: [String]] = [:]
        for line in run.error.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 4).map(String.init)
            guard parts.count == 5, parts[3] == " error", let place = Int(parts[1]) else { continue }
            errors[place, default: []].append(String(parts[4].dropFirst()))
        }
        for (number, expected) in Self.programs.enumerated() {
            #expect(
                errors[first + number]?.first == expected.error,
                "\(expected.program)\n\(run.error.prefix(errors.isEmpty ? 2000 : 0))")
            if expected.program == Self.wrongType {
                #expect(errors[first + number]?.contains { $0.contains("unavailable") } == false)
            }
        }
        #expect(errors.keys.allSatisfy { $0 >= first }, "the declarations compile")
    }
}
