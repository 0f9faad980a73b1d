extension Prototype {
    /// Whether a local function of this one, in a register, is only ever called.
    func onlyCalls(_ register: Int, in range: Range<Int>, _ budget: LintBudget) -> Bool {
        onlyCalled.value(of: range.lowerBound) { findOnlyCalls(register, in: range, budget) }
    }

    private func findOnlyCalls(_ register: Int, in range: Range<Int>, _ budget: LintBudget) -> Bool {
        budget.pay(10 * range.count)
        guard !budget.isSpent else { return false }
        let escapes = uses.contains(register, in: range) { index in
            code[index].opcode == .move && code[index].b == register ? !isCallee(index) : keeps(register, at: index)
        }
        return !escapes
            && (captures[register] ?? []).allSatisfy { $0.function.onlyCalls(upvalue: $0.upvalue, budget) }
    }

    /// Whether an instruction other than a move hands on the value of a register, or writes into it as a table.
    func keeps(_ register: Int, at index: Int) -> Bool {
        let instruction = code[index]
        switch instruction.opcode {
        case .setUpvalue, .setList, .returnOne: return instruction.a == register
        // The table of a global is not a register.
        case .setGlobal: return instruction.stores(register)
        case .setTable, .setInteger, .setField: return instruction.a == register || instruction.stores(register)
        case .returnSome:
            return instruction.a <= register && (instruction.b == 0 || register < instruction.a + instruction.b - 1)
        case .testAndSet: return instruction.b == register
        default: return false
        }
    }

    /// Whether the function, and those within it, only ever call the value of an upvalue.
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

    /// Whether the value that an instruction puts into a register is called next, after at most 100 instructions.
    func isCallee(_ index: Int) -> Bool {
        let register = code[index].a
        for instruction in code[(index + 1)...].prefix(100) where instruction.a == register {
            switch instruction.opcode {
            case .call, .tailCall: return true
            // None of these writes the register.
            case .jump, .metamethod, .metamethodInteger, .metamethodConstant, .extraArgument: continue
            default: return false
            }
        }
        return false
    }
}
