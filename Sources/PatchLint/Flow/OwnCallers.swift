/// Finds out whether scripts themselves may call a function that they have given to the app.
final class OwnCallers {
    private let functions: [Prototype]
    private let budget: LintBudget
    /// The functions that make each function, and the instructions that do.
    private lazy var makers: [ObjectIdentifier: (function: Prototype, index: Int)] = findMakers()
    private lazy var called: Called = findCalled()

    /// The names that are called.
    private struct Called {
        var globals: Set<String> = []
        /// Of fields and methods, of any table or object.
        var fields: Set<String> = []
        /// Whether a field is called whose name is known only when the script runs.
        var anyField = false
        /// Whether a global may also be called as a field: of `_G`, or of a class of Wax.
        var areMixed = false

        func mayHave(global name: String) -> Bool {
            globals.contains(name) || areMixed && (anyField || fields.contains(name))
        }

        func mayHave(field name: String) -> Bool {
            anyField || fields.contains(name) || areMixed && globals.contains(name)
        }
    }

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
        case .setField where !then.k && then.c == made:
            guard let name = maker.text(then.b) else { return true }
            return maker.mayCall(name, ofTableIn: then.a, at: index + 1, budget) ?? called.mayHave(field: name)
        case .setGlobal where !then.k && then.c == made && maker.isEnvironment(then.a):
            return maker.text(then.b).map { called.mayHave(global: $0) } ?? true
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

    private func findCalled() -> Called {
        var called = Called()
        var read: Set<String> = []
        for function in functions {
            budget.pay(10 * function.code.count)
            for (index, instruction) in function.code.enumerated() {
                switch instruction.opcode {
                case .getGlobal where function.isEnvironment(instruction.b):
                    guard let name = function.text(instruction.c) else { break }
                    // One that is handed on twice, or has a local name, may be called by another name.
                    if function.isCallee(index) || !read.insert(name).inserted
                        || function.localNames.local(of: instruction.a, at: index + 1) != nil
                    {
                        called.globals.insert(name)
                    }
                    if name == "_G" || name == "waxClass" { called.areMixed = true }
                case .getUpvalue where function.isEnvironment(instruction.b): called.areMixed = true
                case .getGlobal where function.isCallee(index), .getField where function.isCallee(index),
                    .getSelf where instruction.k:
                    if let name = function.text(instruction.c) { called.fields.insert(name) }
                case .getTable where function.isCallee(index): called.anyField = true
                default: break
                }
            }
        }
        return called
    }
}

/// The uses of a field of a table that has only one name.
private struct FieldUses {
    let field: String
    let budget: LintBudget
    /// Whether it is called, or is handed on in a way that may lead to a call.
    var mayBeCalled = false
    /// How often it is handed on: once to `patch.replace`.
    var reads = 0
    /// Whether the table may have other names.
    var areHidden = false

    /// Notes an instruction that reads the field.
    mutating func note(_ index: Int, in function: Prototype) {
        guard function.text(function.code[index].c) == field else { return }
        reads += 1
        if reads > 1 || function.isCallee(index)
            || function.localNames.local(of: function.code[index].a, at: index + 1) != nil
        {
            mayBeCalled = true
        }
    }
}

extension Prototype {
    /// Whether a field of a table in a register may be called; nil if the table may have more than its local name.
    fileprivate func mayCall(
        _ field: String, ofTableIn register: Int, at index: Int, _ budget: LintBudget
    ) -> Bool? {
        guard let local = localNames.local(of: register, at: index),
            isNewTable(register, at: local.range.lowerBound, budget)
        else { return nil }
        budget.pay(10 * local.range.count)
        var found = FieldUses(field: field, budget: budget)
        let hasOtherName = uses.contains(register, in: local.range) { place in
            if code[place].opcode == .getField, code[place].b == register { found.note(place, in: self) }
            return givesName(toTableIn: register, at: place)
        }
        for (function, upvalue) in captures[register] ?? []
        where function.upvalues[upvalue].number == local.number {
            function.findUses(ofTableIn: upvalue, &found)
        }
        return hasOtherName || found.areHidden || budget.isSpent ? nil : found.mayBeCalled
    }

    /// Whether the value that a register has at an instruction is a table that has just been made.
    private func isNewTable(_ register: Int, at index: Int, _ budget: LintBudget) -> Bool {
        var place = index - 1
        // Where paths meet, it may be another value.
        while place >= 0, place + 1 < leaders.count, !leaders[place + 1] {
            budget.pay(1)
            if code[place].writes(register) { return code[place].opcode == .newTable }
            place -= 1
        }
        return false
    }

    /// Whether an instruction may give the table in a register another name, or may read any of its fields.
    private func givesName(toTableIn register: Int, at index: Int) -> Bool {
        let instruction = code[index]
        switch instruction.opcode {
        case .move, .getTable, .getSelf: return instruction.b == register
        // A write of a field is not a name of its table.
        case .setTable, .setInteger, .setField:
            return !instruction.k && instruction.c == register
                || instruction.opcode == .setTable && instruction.b == register
        default: return keeps(register, at: index)
        }
    }

    private func findUses(ofTableIn upvalue: Int, _ found: inout FieldUses) {
        found.budget.pay(10 * code.count)
        guard !found.budget.isSpent else { return }
        for index in code.indices where code[index].b == upvalue {
            switch code[index].opcode {
            case .getUpvalue: found.areHidden = true
            case .getGlobal: found.note(index, in: self)
            default: break
            }
        }
        for function in inner {
            for (other, place) in function.upvalues.enumerated() where !place.isInStack && place.index == upvalue {
                function.findUses(ofTableIn: other, &found)
            }
        }
    }

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
