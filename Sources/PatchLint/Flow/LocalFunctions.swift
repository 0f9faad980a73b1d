/// The local functions of a script that are only called by their names, so that all of their callers are known.
final class LocalFunctions {
    struct Helper {
        let function: Prototype
        let type: ValueType
        /// The types of the arguments of all calls so far; nil before the first one.
        var arguments: [ValueType]?
        /// The type of its result for any arguments; nil if it is not known.
        var result: ValueType?
        /// Whether it has been followed, and never returns.
        var ends = false
        var isFollowed = false
    }

    /// Follows a function. Returns the type of its result for any arguments, nil if it is not known; and whether it
    /// never returns.
    typealias Follow = (Prototype, FlowContext) -> (type: ValueType?, ends: Bool)

    private(set) var all: [Helper] = []
    private let follow: Follow

    init(_ follow: @escaping Follow) { self.follow = follow }

    /// Adds a function, and returns its number.
    func add(_ function: Prototype, _ details: ValueDetails) -> Int {
        let type = details.numbered(ValueType(.function, .helper(all.count)))
        all.append(Helper(function: function, type: type))
        return all.count - 1
    }

    /// Notes the arguments of a call, without constants and guesses, which the next call may not share.
    ///
    /// - Parameter isOpen: Whether an unknown number of arguments follows.
    func note(_ number: Int, arguments: [ValueType], isOpen: Bool) {
        let count = all[number].function.parameters
        var types = arguments.prefix(count).map(\.widened)
        while types.count < count { types.append(isOpen ? .unknown : .nil) }
        if let known = all[number].arguments { types = zip(known, types).map { $0.joined(with: $1) } }
        all[number].arguments = types
    }

    /// The result of a function for any arguments; nil if it is not known.
    func result(of number: Int, in context: FlowContext) -> ValueType? {
        if !all[number].isFollowed {
            // While the function is followed, its result is not known.
            all[number].isFollowed = true
            let found = follow(all[number].function, context)
            all[number].result = found.type
            all[number].ends = found.ends
        }
        return all[number].result
    }
}

extension ValueType {
    /// The type, without the properties of only this value.
    fileprivate var widened: ValueType {
        switch detail {
        case .structure(let name, _): ValueType(kinds, .structure(name, ValueFields()))
        case .fields, .list: ValueType(kinds, .made)
        case .made, .scalar, .array, .dictionary, .object, .original: ValueType(kinds, detail, number: number)
        default: ValueType(kinds)
        }
    }
}
