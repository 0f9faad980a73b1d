/// Finds the values that scripts give to `patch.replace`, by whatever name they call it.
final class ReplaceCalls {
    private let functions: [Prototype]
    private let budget: LintBudget
    /// For each function, the one that makes it, and the index of the instruction that does.
    private(set) lazy var makers: [ObjectIdentifier: (function: Prototype, index: Int)] = findMakers()
    /// For each local name, the instruction that writes its only value; nil if that is not known, or if the name may
    /// get another value.
    private var onlyWrites: [LocalID: Int?] = [:]

    /// A local name of a function.
    struct LocalID: Hashable {
        let function: ObjectIdentifier
        let register: Int
        let start: Int

        init(_ function: Prototype, _ register: Int, _ local: Prototype.Local) {
            self.function = ObjectIdentifier(function)
            self.register = register
            start = local.range.lowerBound
        }
    }

    /// The value that a register has before an instruction.
    struct Value {
        let function: Prototype
        let register: Int
        let index: Int
    }

    /// - Parameter functions: All functions of all scripts.
    init(_ functions: [Prototype], _ budget: LintBudget) {
        self.functions = functions
        self.budget = budget
    }

    /// Whether the value that an instruction puts into a register without a name is only an argument of
    /// `patch.replace`.
    func isGiven(_ index: Int, of function: Prototype) -> Bool {
        let register = function.code[index].a
        for place in function.code.indices.dropFirst(index + 1) {
            budget.pay(1)
            guard !budget.isSpent else { return false }
            let next = function.code[place]
            if next.opcode == .call || next.opcode == .tailCall, next.a < register {
                // An argument that nothing has written since is this value.
                return next.passes(register)
                    && isReplace(Value(function: function, register: next.a, index: place))
            }
            if next.writes(register) { return false }
        }
        return false
    }

    /// The name of the global that has given a value; nil if none has.
    func global(of value: Value) -> String? {
        guard let (function, index) = origin(of: value) else { return nil }
        let instruction = function.code[index]
        switch instruction.opcode {
        case .getGlobal where function.isEnvironment(instruction.b): return function.text(instruction.c)
        // With more than 255 constants, a global is indexed with registers: GETUPVAL _ENV, LOADK, GETTABLE.
        case .getTable:
            let table = Value(function: function, register: instruction.b, index: index)
            guard let (holder, write) = origin(of: table), holder.code[write].opcode == .getUpvalue else { return nil }
            return field(readBy: index, of: function)
        default: return nil
        }
    }

    /// Whether a value is `patch.replace`.
    private func isReplace(_ value: Value) -> Bool {
        guard let (function, index) = origin(of: value), field(readBy: index, of: function) == "replace" else {
            return false
        }
        let instruction = function.code[index]
        switch instruction.opcode {
        case .getField, .getTable:
            return global(of: Value(function: function, register: instruction.b, index: index)) == "patch"
        // The table is an upvalue.
        case .getGlobal: return captured(instruction.b, of: function).flatMap { global(of: $0) } == "patch"
        default: return false
        }
    }

    /// The name of the field that an instruction reads; nil if it reads none, or one whose name is not a constant.
    private func field(readBy index: Int, of function: Prototype) -> String? {
        let instruction = function.code[index]
        switch instruction.opcode {
        case .getGlobal, .getField: return function.text(instruction.c)
        case .getTable:
            let key = Value(function: function, register: instruction.c, index: index)
            guard let (holder, write) = origin(of: key), holder.code[write].opcode == .loadConstant else { return nil }
            return holder.text(holder.code[write].bx)
        default: return nil
        }
    }

    /// The instruction that has made a value, before it was moved, named and captured; nil if that is not known.
    private func origin(of value: Value) -> (function: Prototype, index: Int)? {
        var value = value
        // Each step leads to an earlier instruction, or to the function around this one.
        while !budget.isSpent, let place = write(of: value) {
            let (function, instruction) = (value.function, value.function.code[place])
            switch instruction.opcode {
            case .move: value = Value(function: function, register: instruction.b, index: place)
            case .getUpvalue where !function.isEnvironment(instruction.b):
                guard let outer = captured(instruction.b, of: function) else { return nil }
                value = outer
            default: return (function, place)
            }
        }
        return nil
    }

    /// The instruction that has written a value into its register; nil if that is not known.
    private func write(of value: Value) -> Int? {
        let (function, register) = (value.function, value.register)
        guard let local = function.localNames.local(of: register, at: value.index) else {
            return lastWrite(of: register, before: value.index, in: function)
        }
        return onlyWrites.value(of: LocalID(function, register, local)) {
            budget.pay(local.range.count)
            let isAssigned =
                function.assignedWithin.contains(register)
                || function.uses.contains(register, in: local.range) { function.code[$0].writes(register) }
            return isAssigned ? nil : lastWrite(of: register, before: local.range.lowerBound, in: function)
        }
    }

    /// The nearest instruction before another one that writes a register, whatever jumps there are; nil if there is
    /// none, or the budget is spent.
    private func lastWrite(of register: Int, before index: Int, in function: Prototype) -> Int? {
        for place in (0..<index).reversed() {
            budget.pay(1)
            guard !budget.isSpent else { return nil }
            if function.code[place].writes(register) { return place }
        }
        return nil
    }

    /// The local value that a function has as an upvalue; nil if it has none, as for `_ENV`.
    private func captured(_ upvalue: Int, of function: Prototype) -> Value? {
        var inner = function
        var upvalue = upvalue
        while let (maker, index) = makers[ObjectIdentifier(inner)], inner.upvalues.indices.contains(upvalue) {
            budget.pay(1)
            let place = inner.upvalues[upvalue]
            if place.isInStack { return Value(function: maker, register: place.index, index: index) }
            upvalue = place.index
            inner = maker
        }
        return nil
    }

    private func findMakers() -> [ObjectIdentifier: (function: Prototype, index: Int)] {
        var makers: [ObjectIdentifier: (function: Prototype, index: Int)] = [:]
        for function in functions {
            for (index, instruction) in function.code.enumerated()
            where instruction.opcode == .closure && function.inner.indices.contains(instruction.bx) {
                makers[ObjectIdentifier(function.inner[instruction.bx])] = (function, index)
            }
        }
        return makers
    }
}
