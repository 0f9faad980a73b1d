/// What scripts have written into tables of the app that is not of the declared type. It may be read where nothing tells so.
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

    /// A value that is read from a table of the app, without what may have changed.
    func read(_ value: ValueType) -> ValueType {
        guard let detail = value.detail, detail.isOfApp, details.count == 20 || details.contains(detail) else {
            return value
        }
        return ValueType(value.kinds)
    }
}

/// The local functions of a script that are only ever called by their names, so that all of their callers are known.
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

    /// Adds a function. Returns its number.
    func add(_ function: Prototype) -> Int {
        helpers.append(Helper(function: function))
        return helpers.count - 1
    }

    /// Notes the arguments of a call. What is constant or likely in one call is not in the next.
    func note(_ number: Int, arguments: [ValueType], isOpen: Bool) {
        let count = helpers[number].function.parameters
        var types = arguments.prefix(count).map(\.widened)
        while types.count < count { types.append(isOpen ? .unknown : .nil) }
        helpers[number].arguments =
            helpers[number].arguments.map { zip($0, types).map { $0.joined(with: $1) } } ?? types
    }

    /// The types of the arguments of all calls; nil if there was none.
    func arguments(of number: Int) -> [ValueType]? { helpers[number].arguments }

    /// What a function returns, whatever its arguments are; nil if that is not known.
    func result(of number: Int, in context: TypeFlow.Context) -> ValueType? {
        if !helpers[number].isFollowed {
            // While it is followed, nothing is known of it.
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
    /// Whether a local function of this one, in a register, is used for nothing but calls.
    ///
    /// - Parameter budget: What looking for its uses is paid from.
    func onlyCalls(_ register: Int, named name: Int32, _ budget: LintBudget) -> Bool {
        budget.pay(10 * locals.count)
        guard let range = locals.first(where: { $0.number == name })?.range else { return false }
        budget.pay(10 * range.count)
        guard !budget.isSpent else { return false }
        let escapes = uses.contains(register, in: range) { index in
            let instruction = code[index]
            switch instruction.opcode {
            case .move where instruction.b == register: return !isCallee(index)
            case .setUpvalue, .setList, .returnOne: return instruction.a == register
            // A constant is no register, and neither are a global's table, a number and the name of a field.
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

    /// Whether what an instruction puts into a register is called next.
    private func isCallee(_ index: Int) -> Bool {
        let register = code[index].a
        for instruction in code[(index + 1)...].prefix(100) where instruction.a == register {
            switch instruction.opcode {
            case .call, .tailCall: return true
            // Other fields of these are no registers.
            case .jump, .metamethod, .metamethodInteger, .metamethodConstant: continue
            default: return false
            }
        }
        return false
    }
}

extension ValueType {
    /// The type, without what only this value has.
    fileprivate var widened: ValueType {
        switch detail {
        case .structure(let name, _): ValueType(kinds, .structure(name, ValueFields()))
        case .scalar, .array, .dictionary, .object, .original: ValueType(kinds, detail, number: number)
        default: ValueType(kinds)
        }
    }
}
