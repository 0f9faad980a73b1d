/// A function that patches can replace.
///
/// Call it like the function that was registered: `total(9.5, 2)`. While no patch is active on its name, this costs a
/// comparison and a call.
@frozen
public struct Replaceable<Function: Sendable>: Sendable {
    @usableFromInline let slot: Slot
    /// The function as it was registered. Calling it bypasses all patches.
    public let original: Function

    @inlinable
    init(slot: Slot, original: Function) {
        self.slot = slot
        self.original = original
    }
}

extension Replaceable {
    /// The name that patches use.
    public var name: String { slot.name }

    /// Whether a patch is active on the name.
    public var isReplaced: Bool { slot.isPatched }
}

/// A place in hot code that patches can replace. Its original is the code at that place, and is compiled into it.
///
///     let total = try registry.point("Cart.total", ((Double, Int) -> Double).self)
///     …
///     let sum = total(price, quantity) { price, quantity in price * Double(quantity) }
///
/// The original takes its values as arguments, because a patch may call it with others. `host.call` cannot call it,
/// because it exists only at that place.
@frozen
public struct PatchPoint<Function>: Sendable {
    @usableFromInline let slot: Slot

    @inlinable
    init(slot: Slot) { self.slot = slot }
}

extension PatchPoint {
    /// The name that patches use.
    public var name: String { slot.name }

    /// Whether a patch is active on the name.
    public var isReplaced: Bool { slot.isPatched }
}
