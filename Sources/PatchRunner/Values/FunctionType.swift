/// The type of a registered function: those of its arguments and its result, as scripts name them.
public struct FunctionType: Sendable, Hashable {
    /// The arguments' types, such as `number`.
    package let argumentTypes: [String]
    /// How many arguments a call must give. Those after them are optional.
    package let neededArguments: Int
    /// The parameters' names; empty if they are not known. Comparing types ignores them.
    package let parameterNames: [String]
    /// The result's type; `nothing` if there is no result.
    package let resultType: String
    /// Whether the function can throw.
    package let isThrowing: Bool
    /// Whether it is asynchronous.
    package let isAsynchronous: Bool

    /// - Parameter parameters: The parameters' names. They are ignored unless there is one for each argument.
    package init(
        _ arguments: [String], parameters: [String] = [], result: String, throws: Bool = false,
        isAsynchronous: Bool = false
    ) {
        argumentTypes = arguments
        neededArguments = arguments.lastIndex { !$0.hasSuffix(" or nil") }.map { $0 + 1 } ?? 0
        parameterNames = parameters.count == arguments.count ? parameters : []
        resultType = result
        isThrowing = `throws`
        self.isAsynchronous = isAsynchronous
    }
}

extension FunctionType {
    /// Compares the types of arguments and results, and whether the function throws and is asynchronous.
    public static func == (left: FunctionType, right: FunctionType) -> Bool {
        left.argumentTypes == right.argumentTypes && left.resultType == right.resultType
            && left.isThrowing == right.isThrowing
            && left.isAsynchronous == right.isAsynchronous
    }

    /// Hashes the types.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(argumentTypes)
        hasher.combine(resultType)
    }
}

extension FunctionType: CustomStringConvertible {
    /// The type as text, such as `(number, integer) -> number`.
    public var description: String {
        let effects = (isAsynchronous ? " async" : "") + (isThrowing ? " throws" : "")
        return "(\(argumentTypes.joined(separator: ", ")))\(effects) -> \(resultType)"
    }
}
