public import PatchCrypto

/// An error that a script threw with `host.throw`.
public struct ScriptError: Error, Sendable, CustomStringConvertible {
    /// The script's message.
    public let message: String
    /// The code that the script gave with the message, such as the HTTP status 404. An app distinguishes errors by it.
    /// nil if the script gave none.
    public let code: Int?
    /// The patch that threw it.
    public let patch: PatchID

    public var description: String { message }
}
