/// Identifies a patch by its id and its version.
public struct PatchID: Sendable, Hashable {
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
}
