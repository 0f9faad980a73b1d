public import PatchCrypto

// The compiler chooses these if no registering function fits, so that its error explains why. Without these functions
// and the functions in Unavailable+Arities.swift, it names one of more than a hundred functions that could have been
// meant.
extension PatchRegistry {
    // The result's type is not generic. If it were, a type that is wrong where it is declared would be reported as a
    // wrong closure.
    @available(
        *, unavailable,
        message:
            "a patch can replace a function of at most six arguments if each of them and the result is a PatchValue, and none is inout or variadic; see docs/runner.md"
    )
    @_disfavoredOverload
    public func replaceable<Other: Sendable>(
        _ name: String, _ original: Other
    ) throws(PatchError) -> Replaceable<@Sendable () -> Void> { fatalError() }
}

extension PatchPoint {
    @available(
        *, unavailable,
        message:
            "a PatchPoint has at most six arguments, which can be structs; each of them and the result is a PatchValue (UUID, URL, Date, Data, Decimal: import PatchFoundation), none is inout or variadic, and an asynchronous one is nonisolated(nonsending); see docs/runner.md"
    )
    @_disfavoredOverload
    public init(_ name: String, parameters: [String] = []) { fatalError() }
}
