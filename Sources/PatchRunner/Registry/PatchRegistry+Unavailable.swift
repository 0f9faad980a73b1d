public import PatchCrypto

// What the compiler chooses if no function that registers fits, so that its error says why. Without these it names one of more than
// a hundred functions that could have been meant.
extension PatchRegistry {
    @available(
        *, unavailable,
        message:
            "a patch can replace a function of at most eight arguments if each of them and the result is a PatchValue, and none is inout or variadic; see docs/runner.md"
    )
    @_disfavoredOverload
    public func replaceable<Function: Sendable>(
        _ name: String, _ original: Function
    ) throws(PatchError) -> Replaceable<Function> { fatalError() }

    @available(
        *, unavailable,
        message:
            "a PatchPoint has at most eight arguments; each of them and the result is a PatchValue, none is inout or variadic, and an asynchronous one is nonisolated(nonsending); see docs/runner.md"
    )
    @_disfavoredOverload
    public func point<Function>(_ name: String, _ function: Function.Type) throws(PatchError) -> PatchPoint<Function> {
        fatalError()
    }
}

extension PatchPoint {
    @available(
        *, unavailable,
        message:
            "a PatchPoint has at most eight arguments; each of them and the result is a PatchValue, none is inout or variadic, and an asynchronous one is nonisolated(nonsending); see docs/runner.md"
    )
    @_disfavoredOverload
    public init(_ name: String, _ function: Function.Type = Function.self, parameters: [String] = []) { fatalError() }
}
