/// Finds out whether scripts themselves may call a function that they have given to the app.
final class OwnCallers {
    private let functions: [Prototype]
    private let budget: LintBudget
    /// The functions that make each function, and the instructions that do.
    private lazy var makers: [ObjectIdentifier: (function: Prototype, index: Int)] = findMakers()
    /// The names of the globals, fields and methods that are called.
    private lazy var called: Set<String> = findCalled()

    /// - Parameter functions: All functions of all scripts.
    init(_ functions: [Prototype], _ budget: LintBudget) {
        self.functions = functions
        self.budget = budget
    }

    /// Whether a function may have a caller in the scripts. One that is only the argument of one call has none.
    func mayCall(_ function: Prototype) -> Bool {
        guard let (maker, index) = makers[ObjectIdentifier(function)], index + 1 < maker.code.count else { return true }
        let (made, then) = (maker.code[index].a, maker.code[index + 1])
        // An assignment moves the function to its variable.
        let isMoved = then.opcode == .move && then.b == made
        let (register, next) = isMoved ? (then.a, index + 2) : (made, index + 1)
        if let local = maker.localNames.local(of: register, at: next) {
            let range = next..<max(next, local.range.upperBound)
            return maker.mayCall(register, in: range, as: local.number, budget)
        }
        switch then.opcode {
        case .setField where !then.k && then.c == made,
            .setGlobal where !then.k && then.c == made && maker.isEnvironment(then.a):
            return maker.text(then.b).map(called.contains) ?? true
        case .setGlobal, .setTable, .setInteger, .setUpvalue, .move: return true
        default: return false
        }
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

    private func findCalled() -> Set<String> {
        var names: Set<String> = []
        for function in functions {
            budget.pay(10 * function.code.count)
            for (index, instruction) in function.code.enumerated() {
                switch instruction.opcode {
                case .getGlobal where function.isCallee(index), .getField where function.isCallee(index),
                    .getSelf where instruction.k:
                    if let name = function.text(instruction.c) { names.insert(name) }
                default: break
                }
            }
        }
        return names
    }
}

extension Prototype {
    /// Whether a local function in a register is called, captured, given another name, or handed on more than once.
    fileprivate func mayCall(_ register: Int, in range: Range<Int>, as name: Int32, _ budget: LintBudget) -> Bool {
        budget.pay(10 * range.count)
        let isCaptured = (captures[register] ?? []).contains { $0.function.upvalues[$0.upvalue].number == name }
        var moves = 0
        return isCaptured
            || uses.contains(register, in: range) { index in
                guard code[index].opcode == .move, code[index].b == register else {
                    return keeps(register, at: index)
                }
                moves += 1
                return moves > 1 || isCallee(index) || localNames.local(of: code[index].a, at: index + 1) != nil
            }
    }
}
