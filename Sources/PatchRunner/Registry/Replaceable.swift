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

/// What a registered name takes and gives, in a script's terms.
public struct PatchSignature: Sendable, Hashable {
    /// The arguments' types, such as `number`.
    public let arguments: [String]
    /// The result's type; `nothing` where there is none.
    public let result: String
    /// Whether the function can throw.
    public let `throws`: Bool
    /// Whether it is asynchronous.
    public let isAsynchronous: Bool

    init(_ arguments: [String], result: String, throws: Bool = false, isAsynchronous: Bool = false) {
        self.arguments = arguments
        self.result = result
        self.throws = `throws`
        self.isAsynchronous = isAsynchronous
    }
}

extension PatchSignature: CustomStringConvertible {
    /// The signature in a line, such as `(number, integer) -> number`.
    public var description: String {
        let effects = (isAsynchronous ? " async" : "") + (self.throws ? " throws" : "")
        return "(\(arguments.joined(separator: ", ")))\(effects) -> \(result)"
    }
}

/// A registered name and what stands on it.
public struct ReplaceableState: Sendable {
    /// The name.
    public let name: String
    /// What it takes and gives.
    public let signature: PatchSignature
    /// The patches on it, the topmost last: it is asked first.
    public let patches: [Standing]

    /// A patch on a name, and how it has done there.
    public struct Standing: Sendable {
        /// The patch.
        public let patch: PatchEvent.Patch
        /// How often it was called.
        public let calls: Int
        /// How often its function failed.
        public let failures: Int
        /// How often something below it answered in its place: after a failure, or because it could not be entered.
        public let fallbacks: Int
        /// A call's mean time, originals included, over every 64th call; nil before the first.
        public let meanTime: Duration?
        /// The longest time among these calls and those in which Lua ran for more than a thousand instructions.
        public let longestTime: Duration
    }
}
