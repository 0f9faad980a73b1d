/// The fields and tables of the app into which scripts have written values of another type.
///
/// Such a value may be read at a place where nothing reveals this.
final class Changes {
    /// The names of fields.
    private(set) var fields: Set<String> = []
    private var details: [ValueType.Detail] = []
    /// How many changes there are.
    var count: Int { fields.count + details.count }

    func add(field: String) { fields.insert(field) }

    func add(_ detail: ValueType.Detail) {
        if details.count < 20, !details.contains(detail) { details.append(detail) }
    }

    /// A value that is read from a table of the app, without the facts that may have changed.
    func read(_ value: ValueType) -> ValueType {
        guard let detail = value.detail, detail.isOfApp, details.count == 20 || details.contains(detail) else {
            return value
        }
        return ValueType(value.kinds)
    }
}

/// The local functions of a script that are only called by their names, so that all of their callers are known.
final class Helpers {
    private struct Helper {
        let function: Prototype
        /// The types of the arguments of all calls so far; nil before the first one.
        var arguments: [ValueType]?
        var result: ValueType?
        var ends = false
        var isFollowed = false
    }

    private var helpers: [Helper] = []

    /// Adds a function, and returns its number.
    func add(_ function: Prototype) -> Int {
        helpers.append(Helper(function: function))
        return helpers.count - 1
    }

    /// Notes the arguments of a call, without constants and guesses, which the next call may not share.
    func note(_ number: Int, arguments: [ValueType], isOpen: Bool) {
        let count = helpers[number].function.parameters
        var types = arguments.prefix(count).map(\.widened)
        while types.count < count { types.append(isOpen ? .unknown : .nil) }
        helpers[number].arguments =
            helpers[number].arguments.map { zip($0, types).map { $0.joined(with: $1) } } ?? types
    }

    /// The types of the arguments of all calls; nil if there was no call.
    func arguments(of number: Int) -> [ValueType]? { helpers[number].arguments }

    /// The result of a function for any arguments; nil if it is not known.
    func result(of number: Int, in context: TypeFlow.Context) -> ValueType? {
        if !helpers[number].isFollowed {
            // While the function is followed, its result is not known.
            helpers[number].isFollowed = true
            let (type, ends) = TypeFlow.result(of: helpers[number].function, context)
            (helpers[number].result, helpers[number].ends) = (type, ends)
        }
        return helpers[number].result
    }

    /// Whether a function that has been followed never returns.
    func ends(_ number: Int) -> Bool { helpers[number].ends }
}

extension Prototype {
    /// Whether a local function of this one, in a register, is only ever called.
    ///
    /// - Parameter budget: Pays for the search for its uses.
    func onlyCalls(_ register: Int, in range: Range<Int>, _ budget: LintBudget) -> Bool {
        if let known = onlyCalled[range.lowerBound] { return known }
        let onlyCalls = findOnlyCalls(register, in: range, budget)
        onlyCalled[range.lowerBound] = onlyCalls
        return onlyCalls
    }

    private func findOnlyCalls(_ register: Int, in range: Range<Int>, _ budget: LintBudget) -> Bool {
        budget.pay(10 * range.count)
        guard !budget.isSpent else { return false }
        let escapes = uses.contains(register, in: range) { index in
            let instruction = code[index]
            switch instruction.opcode {
            case .move where instruction.b == register: return !isCallee(index)
            case .setUpvalue, .setList, .returnOne: return instruction.a == register
            // A constant is not a register. Neither is the table of a global, a number or the name of a field.
            case .setGlobal, .setTable, .setInteger, .setField:
                return !instruction.k && instruction.c == register
                    || instruction.opcode != .setGlobal && instruction.a == register
                    || instruction.opcode == .setTable && instruction.b == register
            case .returnSome:
                return instruction.a <= register && (instruction.b == 0 || register < instruction.a + instruction.b - 1)
            case .testAndSet: return instruction.b == register
            default: return false
            }
        }
        guard !escapes else { return false }
        return inner.allSatisfy { function in
            function.upvalues.indices.allSatisfy { upvalue in
                let place = function.upvalues[upvalue]
                return !(place.isInStack && place.index == register) || function.onlyCalls(upvalue: upvalue, budget)
            }
        }
    }

    private func onlyCalls(upvalue: Int, _ budget: LintBudget) -> Bool {
        budget.pay(10 * code.count)
        guard !budget.isSpent else { return false }
        for index in code.indices
        where code[index].opcode == .getUpvalue && code[index].b == upvalue && !isCallee(index) {
            return false
        }
        return inner.allSatisfy { function in
            function.upvalues.indices.allSatisfy { other in
                let place = function.upvalues[other]
                return place.isInStack || place.index != upvalue || function.onlyCalls(upvalue: other, budget)
            }
        }
    }

    /// Whether the value that an instruction puts into a register is called next.
    func isCallee(_ index: Int) -> Bool {
        let register = code[index].a
        for instruction in code[(index + 1)...].prefix(100) where instruction.a == register {
            switch instruction.opcode {
            case .call, .tailCall: return true
            // None of these writes the register.
            case .jump, .metamethod, .metamethodInteger, .metamethodConstant: continue
            default: return false
            }
        }
        return false
    }
}

extension ValueType {
    /// The type, without the properties of only this value.
    fileprivate var widened: ValueType {
        switch detail {
        case .structure(let name, _): ValueType(kinds, .structure(name, ValueFields()))
        case .scalar, .array, .dictionary, .object, .original: ValueType(kinds, detail, number: number)
        default: ValueType(kinds)
        }
    }
}
