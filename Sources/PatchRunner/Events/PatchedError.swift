/// An error that a script threw with `host.throw`.
public struct PatchedError: Error, Sendable, CustomStringConvertible {
    /// What the script said.
    public let message: String
    /// The patch that said it.
    public let patch: String

    public var description: String { message }
}
