public import PatchCrypto

/// A call of a function that reaches a patch, for an event or an instrument.
public struct PatchedCall: Sendable, Hashable {
    /// The patch.
    public let patch: PatchID
    /// The name of the function, such as `Cart.total`.
    public let function: String
    /// Whether this is a run of a patch in shadow, after the call was answered.
    public let isShadow: Bool

    package init(_ patch: PatchID, _ function: String, isShadow: Bool = false) {
        self.patch = patch
        self.function = function
        self.isShadow = isShadow
    }
}
