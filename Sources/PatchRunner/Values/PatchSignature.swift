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

    package init(_ arguments: [String], result: String, throws: Bool = false, isAsynchronous: Bool = false) {
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
