internal import PatchCrypto

/// The `otherwise` of a replacement: the value or the error that answers when the script cannot.
///
/// A value may be passed to several threads even if its type is not `Sendable`. If the type is a class, it should be
/// `Sendable`.
@usableFromInline package final class Otherwise: @unchecked Sendable {
    /// Keeps the type, because an optional in an `Any` loses it.
    private struct Constant<Value> { let value: Value }
    private let result: Result<Any, ScriptError>

    package init<Value>(_ value: Value) { result = .success(Constant(value: value)) }

    init(_ error: ScriptError) { result = .failure(error) }

    static let nothing = Otherwise(())

    /// Returns a reference for ``outcome(_:_:_:)``, which can be passed as bits. It keeps this object until then.
    func retainedBits() -> UInt { unsafe UInt(bitPattern: Unmanaged.passRetained(self).toOpaque()) }

    /// The outcome of a call that received a reference as bits. The reference is released.
    @usableFromInline package static func outcome<Output: PatchResult, Failure: Error>(
        _ bits: UInt, _: Output.Type, _: Failure.Type
    ) -> Result<Output.Value, Failure> {
        guard let reference = unsafe UnsafeRawPointer(bitPattern: bits) else { fatalError("no `otherwise` was given") }
        return unsafe Unmanaged<Otherwise>.fromOpaque(reference).takeRetainedValue().outcome(
            Output.Value.self, Failure.self)
    }

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

extension ScriptError {
    /// Makes the error whose message is at a place on the stack, and its code or nil above that.
    init(at place: Int32, on stack: _PatchStack, by patch: PatchID) {
        self.init(
            message: stack.string(at: place) ?? "an error from the patch",
            code: stack.integer(at: place + 1).map { Int($0) }, patch: patch)
    }
}
