/// The argument and result types of a registered function, as scripts name them.
public struct PatchSignature: Sendable, Hashable {
    /// The arguments' types, such as `number`.
    public let arguments: [String]
    /// The parameters' names; empty if they are not known. Comparing signatures ignores them.
    public let parameters: [String]
    /// The result's type; `nothing` if there is no result.
    public let result: String
    /// Whether the function can throw.
    public let `throws`: Bool
    /// Whether it is asynchronous.
    public let isAsynchronous: Bool

    package init(
        _ arguments: [String], parameters: [String] = [], result: String, throws: Bool = false,
        isAsynchronous: Bool = false
    ) {
        self.arguments = arguments
        self.parameters = parameters.count == arguments.count ? parameters : []
        self.result = result
        self.throws = `throws`
        self.isAsynchronous = isAsynchronous
    }
}

extension PatchSignature {
    /// Compares types, and whether the function throws and is asynchronous.
    public static func == (left: PatchSignature, right: PatchSignature) -> Bool {
        left.arguments == right.arguments && left.result == right.result && left.throws == right.throws
            && left.isAsynchronous == right.isAsynchronous
    }

    /// Hashes the types.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(arguments)
        hasher.combine(result)
    }
}

extension PatchSignature: CustomStringConvertible {
    /// The signature as text, such as `(number, integer) -> number`.
    public var description: String {
        let effects = (isAsynchronous ? " async" : "") + (self.throws ? " throws" : "")
        return "(\(arguments.joined(separator: ", ")))\(effects) -> \(result)"
    }
}
