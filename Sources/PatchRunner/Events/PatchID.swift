/// Which patch: its id and its version.
public struct PatchID: Sendable, Hashable {
    /// Its reverse-DNS name.
    public let id: String
    /// Its number.
    public let version: Int

    /// Names a patch.
    ///
    /// - Parameters:
    ///   - id: Its reverse-DNS name.
    ///   - version: Its number.
    public init(id: String, version: Int) {
        self.id = id
        self.version = version
    }
}
