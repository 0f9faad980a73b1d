/// A place in hot code that patches can replace. Its original is the code at that place, and is compiled into it.
///
///     let total = try registry.register(PatchPoint<(Double, Int) -> Double>("Cart.total"))
///     …
///     let sum = total(price, quantity) { price, quantity in price * Double(quantity) }
///
/// A place that belongs to a type can be declared before there is a registry, and registered later:
///
///     static let totals = PatchPoint<(Double, Int) -> Double>("Cart.total")
///     …
///     try registry.register(Cart.totals)
///
/// The original takes its values as arguments, because a patch may call it with others. `host.call` cannot call it,
/// because it exists only at that place.
@frozen
public struct PatchPoint<Function>: Sendable {
    /// Calls the layer that a cell holds, or the original, as `Slot.Invoke` does.
    @usableFromInline
    typealias Invoke = @Sendable (Slot, Function, _PatchStack, Int32, CallReference?, LayerCell) -> Int32

    @usableFromInline let slot: Slot

    /// A place whose code is asynchronous.
    @usableFromInline
    init<Output: PatchResult, Failure: Error>(
        _ name: String, arguments: [any PatchValue.Type], result: Output.Type, failure: Failure.Type,
        parameters: [String]
    ) {
        slot = Slot(name, arguments, result, failure, parameters: parameters) { slot, stack, _ in
            _ = stack.refuseCall(of: slot)
            return nil
        }
    }

    /// A place whose code is synchronous.
    @usableFromInline
    init<Output: PatchResult, Failure: Error>(
        _ name: String, arguments: [any PatchValue.Type], result: Output.Type, failure: Failure.Type,
        parameters: [String],
        invoke: @escaping Slot.Invoke
    ) {
        slot = Slot(name, arguments, result, failure, parameters: parameters, invoke: invoke, invokeAsync: nil)
    }

    /// A place whose code is synchronous, which a script's `original` finds in the record of the call.
    @_alwaysEmitIntoClient @inline(__always)
    init<Output: PatchResult, Failure: Error>(
        _ name: String, arguments: [any PatchValue.Type], result: Output.Type, failure: Failure.Type,
        parameters: [String],
        calling invoke: @escaping Invoke
    ) {
        self.init(
            name, arguments: arguments, result: result, failure: failure, parameters: parameters,
            invoke: { slot, stack, first, record, cell in
                // The original is the code at the calling place, and is only in the call's record.
                guard let call = unsafe CallRecord<Function, Output.Value, Failure>.at(record) else {
                    return stack.refuseCall(of: slot)
                }
                return unsafe invoke(slot, call.pointee.original.pointee, stack, first, record, cell)
            })
    }
}

extension PatchPoint {
    /// The name that patches use.
    public var name: String { slot.name }
}
