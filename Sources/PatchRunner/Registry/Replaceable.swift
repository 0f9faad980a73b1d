/// A function that patches can replace.
///
/// Call it as the function that was registered: `total(9.5, 2)`. While no patch is active on its name that is a comparison and a
/// call.
@frozen
public struct Replaceable<Function: Sendable>: Sendable {
    @usableFromInline let slot: Slot
    /// The function as it was registered, past all patches.
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

    /// Whether a patch stands on the name.
    public var isReplaced: Bool { slot.isPatched }
}

/// A place in hot code that patches can replace; its original stands at the place, and is compiled into it.
///
///     let total = try registry.point("Cart.total", ((Double, Int) -> Double).self)
///     …
///     let sum = total(price, quantity) { price, quantity in price * Double(quantity) }
///
/// The original is given its arguments, because a patch may call it with others. `host.call` cannot call it, because it is nowhere
/// but there.
@frozen
public struct PatchPoint<Function>: Sendable {
    @usableFromInline let slot: Slot

    @inlinable
    init(slot: Slot) { self.slot = slot }
}

extension PatchPoint {
    /// The name that patches use.
    public var name: String { slot.name }

    /// Whether a patch stands on the name.
    public var isReplaced: Bool { slot.isPatched }
}
