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
