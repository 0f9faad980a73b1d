/// An error that a script threw with `host.throw`.
public struct PatchedError: Error, Sendable, CustomStringConvertible {
    /// The script's message.
    public let message: String
    /// The id of the patch that threw it.
    public let patch: String

    public var description: String { message }
}
