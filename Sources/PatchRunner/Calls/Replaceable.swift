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
}
