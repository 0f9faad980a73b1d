/// What a replacement's script has given as `otherwise`: the value or the error that answers when the script cannot.
///
/// A value that is not `Sendable` is given to several threads, so a type that is a class should be.
@usableFromInline package final class Otherwise: @unchecked Sendable {
    /// Keeps the type, because an optional in an `Any` loses it.
    private struct Constant<Value> { let value: Value }
    private let result: Result<Any, PatchedError>

    package init<Value>(_ value: Value) { result = .success(Constant(value: value)) }

    init(_ error: PatchedError) { result = .failure(error) }

    /// That of a function without a result.
    static let nothing = Otherwise(())

    /// A reference for ``outcome(_:_:_:)``, which can be passed as bits.
    var bits: UInt { unsafe UInt(bitPattern: Unmanaged.passRetained(self).toOpaque()) }

    /// How a call ends that got a reference as bits, which is released.
    @usableFromInline package static func outcome<Output: PatchResult, Failure: Error>(
        _ bits: UInt, _: Output.Type, _: Failure.Type
    ) -> Result<Output.Value, Failure> {
        guard let reference = unsafe UnsafeRawPointer(bitPattern: bits) else { fatalError("no `otherwise` was given") }
        return unsafe Unmanaged<Otherwise>.fromOpaque(reference).takeRetainedValue().outcome(
            Output.Value.self, Failure.self)
    }

    /// How the call ends.
    @usableFromInline package func outcome<Value, Failure: Error>(_: Value.Type, _: Failure.Type) -> Result<
        Value, Failure
    > {
        switch result {
        case .success(let constant as Constant<Value>): .success(constant.value)
        case .failure(let error as Failure): .failure(error)
        default: fatalError("`otherwise` was read as another type")
        }
    }
}

extension PatchedError {
    /// What `host.error` has made, whose message and code are on top.
    init(madeOn stack: PatchStack, by patch: String) {
        self.init(
            message: stack.string(at: -2) ?? "an error from the patch", code: stack.integer(at: -1).map { Int($0) },
            patch: patch)
    }
}
