/// Identifies a patch by its id and its version.
public struct PatchID: Sendable, Hashable, CustomStringConvertible {
    /// The patch's reverse-DNS name.
    public let id: String
    /// The patch's version.
    public let version: Int

    /// Makes the identity of a patch.
    ///
    /// - Parameters:
    ///   - id: The patch's reverse-DNS name.
    ///   - version: The patch's version.
    public init(id: String, version: Int) {
        self.id = id
        self.version = version
    }

    /// Both, as in `com.example.shop.cart-total 7`.
    public var description: String { "\(id) \(version)" }
}
