/// An error that a script threw with `host.throw`.
public struct PatchedError: Error, Sendable, CustomStringConvertible {
    /// The script's message.
    public let message: String
    /// The code that the script gave with it, by which an app tells errors apart, such as the status 404 of HTTP. nil if it
    /// gave none.
    public let code: Int?
    /// The id of the patch that threw it.
    public let patch: String

    public var description: String { message }
}
