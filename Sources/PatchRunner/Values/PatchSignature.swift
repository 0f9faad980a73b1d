/// The argument and result types of a registered function, as scripts name them.
public struct PatchSignature: Sendable, Hashable {
    /// The arguments' types, such as `number`.
    public let arguments: [String]
    /// The result's type; `nothing` if there is no result.
    public let result: String
    /// Whether the function can throw.
    public let `throws`: Bool
    /// Whether it is asynchronous.
    public let isAsynchronous: Bool

    package init(_ arguments: [String], result: String, throws: Bool = false, isAsynchronous: Bool = false) {
        self.arguments = arguments
        self.result = result
        self.throws = `throws`
        self.isAsynchronous = isAsynchronous
    }
}

extension PatchSignature: CustomStringConvertible {
    /// The signature as text, such as `(number, integer) -> number`.
    public var description: String {
        let effects = (isAsynchronous ? " async" : "") + (self.throws ? " throws" : "")
        return "(\(arguments.joined(separator: ", ")))\(effects) -> \(result)"
    }
}
