/// The facts about a value that the tests before an instruction have found, apart from its type.
struct ValueFacts: Equatable {
    /// The value that they are about: the value of a register, or of a field of the table in it.
    struct Place: Hashable {
        let register: Int
        let field: String?
    }

    enum Order { case less, lessOrEqual, greater, greaterOrEqual }

    private struct Bound: Equatable {
        let number: Double
        let isIncluded: Bool
    }

    /// The most constants that are kept.
    private static let most = 20

    /// Whether the value is nil; nil if no test has found out.
    var isNil: Bool?
    private var equal: Prototype.Constant?
    private var others: Set<Prototype.Constant> = []
    private var lower: Bound?
    private var upper: Bound?

    /// Adds that the value is a constant, or is not.
    mutating func add(isEqual: Bool, to constant: Prototype.Constant) {
        if isEqual {
            equal = constant
        } else if others.count < Self.most {
            others.insert(constant)
        }
    }

    /// Adds how the value compares with a number.
    mutating func add(_ order: Order, _ number: Double) {
        switch order {
        case .less, .lessOrEqual:
            guard upper.map({ number <= $0.number }) ?? true else { return }
            let isIncluded = order == .lessOrEqual && (upper.map { number < $0.number || $0.isIncluded } ?? true)
            upper = Bound(number: number, isIncluded: isIncluded)
        case .greater, .greaterOrEqual:
            guard lower.map({ number >= $0.number }) ?? true else { return }
            let isIncluded = order == .greaterOrEqual && (lower.map { number > $0.number || $0.isIncluded } ?? true)
            lower = Bound(number: number, isIncluded: isIncluded)
        }
    }

    /// Whether the tests have found only that the value is not a constant.
    func excludes(_ constant: Prototype.Constant) -> Bool { equal == nil && others.contains(constant) }

    /// The words for why the value is never a constant; nil if it may be.
    func reason(against constant: Prototype.Constant) -> String? {
        if let equal {
            return equal.number == constant.number && equal.number != nil || equal == constant
                ? nil : "is \(equal.shown)"
        }
        if others.contains(constant) { return "is not \(constant.shown)" }
        guard let number = constant.number else { return nil }
        return reason(against: .lessOrEqual, number) ?? reason(against: .greaterOrEqual, number)
    }

    /// The words for why the value never compares like this with a number; nil if it may.
    func reason(against order: Order, _ number: Double) -> String? {
        let (low, high) =
            equal?.number.map { (Bound(number: $0, isIncluded: true), Bound(number: $0, isIncluded: true)) }
            ?? (lower, upper)
        switch order {
        case .less, .lessOrEqual:
            guard let low, low.number > number || low.number == number && !(low.isIncluded && order == .lessOrEqual)
            else { return nil }
            return "is \(low.isIncluded ? "at least" : "above") \(low.number.shown)"
        case .greater, .greaterOrEqual:
            guard let high,
                high.number < number || high.number == number && !(high.isIncluded && order == .greaterOrEqual)
            else {
                return nil
            }
            return "is \(high.isIncluded ? "at most" : "below") \(high.number.shown)"
        }
    }

    /// The facts that are known where two paths meet.
    func joined(with other: ValueFacts) -> ValueFacts {
        if self == other { return self }
        var facts = ValueFacts()
        if isNil == other.isNil { facts.isNil = isNil }
        if equal == other.equal { facts.equal = equal }
        facts.others = others.intersection(other.others)
        if let lower, let bound = other.lower {
            facts.lower =
                lower.number < bound.number || lower.number == bound.number && lower.isIncluded ? lower : bound
        }
        if let upper, let bound = other.upper {
            facts.upper =
                upper.number > bound.number || upper.number == bound.number && upper.isIncluded ? upper : bound
        }
        return facts
    }
}

extension ValueFacts.Order {
    var negated: Self {
        switch self {
        case .less: .greaterOrEqual
        case .lessOrEqual: .greater
        case .greater: .lessOrEqual
        case .greaterOrEqual: .less
        }
    }

    /// The order, seen from the other operand.
    var mirrored: Self {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }

    var sign: String {
        switch self {
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}

extension Prototype.Constant {
    fileprivate var number: Double? {
        switch self {
        case .integer(let number): Double(exactly: number)
        case .float(let number): number
        default: nil
        }
    }

    /// The constant as the script writes it.
    var shown: String {
        switch self {
        case .nil: "nil"
        case .boolean(let value): "\(value)"
        case .integer(let number): "\(number)"
        case .float(let number): "\(number)"
        case .string(let text): "\"\(text.prefix(30))\""
        }
    }
}

extension Double {
    /// The number without `.0`.
    var shown: String { Int64(exactly: self).map { "\($0)" } ?? "\(self)" }
}
