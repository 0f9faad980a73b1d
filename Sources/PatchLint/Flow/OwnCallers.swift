/// Finds out whether scripts themselves may call a function that they have given to the app.
final class OwnCallers {
    private let functions: [Prototype]
    fileprivate let budget: LintBudget
    fileprivate let replaces: ReplaceCalls
    /// For each local name, whether its value may be called.
    fileprivate var calledLocals: [ReplaceCalls.LocalID: Bool] = [:]
    private lazy var called: Called = findCalled()

    /// The names whose values may be called: those that are not only given to `patch.replace`.
    private struct Called {
        var globals: Set<String> = []
        /// Of fields and methods, of any table or object.
        var fields: Set<String> = []
        /// Whether a field may be called whose name is known only when the script runs.
        var anyField = false
        /// Whether a global may also be called as a field: of `_G`, or of a class of Wax.
        var areMixed = false

        func mayHave(global name: String) -> Bool {
            globals.contains(name) || (areMixed && (anyField || fields.contains(name)))
        }

        func mayHave(field name: String) -> Bool {
            anyField || fields.contains(name) || (areMixed && globals.contains(name))
        }
    }

    /// - Parameter functions: All functions of all scripts.
    init(_ functions: [Prototype], _ budget: LintBudget) {
        self.functions = functions
        self.budget = budget
        replaces = ReplaceCalls(functions, budget)
    }

    /// Whether a function may have a caller in the scripts. One that is only given to `patch.replace` has none.
    func mayCall(_ function: Prototype) -> Bool {
        guard let (maker, index) = replaces.makers[ObjectIdentifier(function)], index + 1 < maker.code.count
        else { return true }
        let (made, then) = (maker.code[index].a, maker.code[index + 1])
        // An assignment moves the function to its variable. One that has a name already gets another name.
        let isMoved = then.opcode == .move && then.b == made && maker.localNames.local(of: made, at: index + 1) == nil
        let (register, next) = isMoved ? (then.a, index + 2) : (made, index + 1)
        if let local = maker.localNames.local(of: register, at: next) {
            // In a loop, a use before the assignment comes after it.
            return maker.mayCall(register, local, self)
        }
        switch then.opcode {
        case .setField where !then.k && then.c == made:
            // Lua calls metamethods.
            guard let name = maker.text(then.b), !name.hasPrefix("__") else { return true }
            return maker.mayCall(name, ofTableIn: then.a, at: index + 1, self) ?? called.mayHave(field: name)
        case .setGlobal where !then.k && then.c == made && maker.isEnvironment(then.a):
            return maker.text(then.b).map { called.mayHave(global: $0) } ?? true
        default: return !replaces.isGiven(index, of: maker)
        }
    }

    private func findCalled() -> Called {
        var called = Called()
        var hasFieldLikeReader = false
        for function in functions {
            budget.pay(10 * function.code.count)
            for (index, instruction) in function.code.enumerated() where !budget.isSpent {
                switch instruction.opcode {
                case .getGlobal, .getField:
                    guard let name = function.text(instruction.c) else { break }
                    let isGlobal = instruction.opcode == .getGlobal && function.isEnvironment(instruction.b)
                    if function.mayLeadToCall(index, self) {
                        if isGlobal { called.globals.insert(name) } else { called.fields.insert(name) }
                    }
                    if isGlobal && (name == "_G" || name == "waxClass") { called.areMixed = true }
                    if name == "rawget" || name == "next" {
                        if isGlobal { called.anyField = true } else { hasFieldLikeReader = true }
                    }
                case .getUpvalue where function.isEnvironment(instruction.b): called.areMixed = true
                case .getSelf:
                    if instruction.k, let name = function.text(instruction.c) {
                        called.fields.insert(name)
                    } else {
                        called.anyField = true
                    }
                case .getTable: if function.mayCallElement(index, self) { called.anyField = true }
                case .genericForPrepare:
                    if function.mayCallVariable(ofLoopAt: index, self) { called.anyField = true }
                default: break
                }
            }
        }
        // The field may be the global, by its other name: `_G.next`.
        if called.areMixed && hasFieldLikeReader { called.anyField = true }
        // The rest has not been read.
        if budget.isSpent {
            called.anyField = true
            called.areMixed = true
        }
        return called
    }
}

/// The uses of a field of a table that has only one name.
private struct FieldUses {
    let field: String
    let callers: OwnCallers
    /// Whether it is called, or is handed on in a way that may lead to a call.
    var mayBeCalled = false
    /// Whether the table may have other names.
    var mayHaveOtherName = false

    /// Notes an instruction that reads the field.
    mutating func note(_ index: Int, in function: Prototype) {
        guard function.text(function.code[index].c) == field else { return }
        if function.mayLeadToCall(index, callers) { mayBeCalled = true }
    }
}

extension Prototype {
    /// Whether a field of a table in a register may be called; nil if that is not known: it is not a table made for one
    /// local name, it may have another name, or the budget is spent.
    fileprivate func mayCall(
        _ field: String, ofTableIn register: Int, at index: Int, _ callers: OwnCallers
    ) -> Bool? {
        guard let local = localNames.local(of: register, at: index),
            isNewTable(register, at: local.range.lowerBound, callers.budget)
        else { return nil }
        callers.budget.pay(10 * local.range.count)
        var found = FieldUses(field: field, callers: callers)
        let hasOtherName = uses.contains(register, in: local.range) { place in
            if code[place].opcode == .getField, code[place].b == register { found.note(place, in: self) }
            return givesName(toTableIn: register, at: place)
        }
        for (function, upvalue) in captures[register] ?? []
        where function.upvalues[upvalue].number == local.number {
            function.findUses(ofTableIn: upvalue, &found)
        }
        return hasOtherName || found.mayHaveOtherName || callers.budget.isSpent ? nil : found.mayBeCalled
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
        case .setTable, .setInteger, .setField: return instruction.stores(register)
        default: return keeps(register, at: index)
        }
    }

    /// Notes the uses of the field of a table that the function, or one within it, has as an upvalue.
    private func findUses(ofTableIn upvalue: Int, _ found: inout FieldUses) {
        found.callers.budget.pay(10 * code.count)
        guard !found.callers.budget.isSpent else { return }
        for index in code.indices where code[index].b == upvalue {
            switch code[index].opcode {
            case .getUpvalue: found.mayHaveOtherName = true
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

    /// Whether a local value in a register is called, captured, or handed on to anything but `patch.replace`.
    fileprivate func mayCall(_ register: Int, _ local: Local, _ callers: OwnCallers) -> Bool {
        callers.calledLocals.value(of: .init(self, register, local)) { findCall(of: register, local, callers) }
    }

    private func findCall(of register: Int, _ local: Local, _ callers: OwnCallers) -> Bool {
        callers.budget.pay(10 * local.range.count)
        let isCaptured = (captures[register] ?? []).contains { $0.function.upvalues[$0.upvalue].number == local.number }
        return isCaptured
            || uses.contains(register, in: local.range) { index in
                guard code[index].opcode == .move, code[index].b == register else {
                    return keeps(register, at: index)
                }
                return localNames.local(of: code[index].a, at: index + 1) != nil
                    || !callers.replaces.isGiven(index, of: self)
            }
    }

    /// Whether the value that an instruction puts into a register may be called.
    fileprivate func mayLeadToCall(_ index: Int, _ callers: OwnCallers) -> Bool {
        let register = code[index].a
        if let local = localNames.local(of: register, at: index + 1) { return mayCall(register, local, callers) }
        return !callers.replaces.isGiven(index, of: self)
    }

    /// Whether an element of a table, which an instruction puts into a register, is called, also by a local name or by
    /// `pcall`, and also if there is another value in its place: `rules[name] or print`.
    ///
    /// Any other use of an element is taken for one of a value of the app, as most are. So right code is refused if a
    /// replacement is called only after `run(rules[name], price)`, `return rules[name]`, `run = rules[name]` with a
    /// name that is not a local one of the function, or `{call = rules[name]}`.
    fileprivate func mayCallElement(_ index: Int, _ callers: OwnCallers) -> Bool {
        var register = code[index].a
        var place = index + 1
        for _ in 0..<100 {
            guard code.indices.contains(place), !callers.budget.isSpent else { return false }
            callers.budget.pay(1)
            if let local = localNames.local(of: register, at: place) { return mayCall(register, local, callers) }
            let next = code[place]
            place += 1
            switch next.opcode {
            // A function is true. After each test there is the jump for one of its results.
            case .test where next.a == register: place += next.k ? 0 : 1
            case .testAndSet where next.b == register && next.k: register = next.a
            case .move where next.b == register: register = next.a
            case .jump:
                guard next.jump >= 0 else { return false }
                place += next.jump
            case .call where next.a <= register, .tailCall where next.a <= register:
                return next.a == register || isProtectedCall(next, of: register, at: place - 1, callers)
            case .genericForPrepare: return next.a == register
            case .forPrepare, .forLoop, .genericForLoop, .returnSome, .returnNone, .returnOne: return false
            default:
                if next.writes(register) || keeps(register, at: place - 1) { return false }
                if next.isTest { place += 1 }
            }
        }
        // The call may come after these instructions, if it has a long argument.
        return true
    }

    /// Whether a call is one of `pcall` or `xpcall`, which call the value of a register.
    private func isProtectedCall(
        _ call: Instruction, of register: Int, at index: Int, _ callers: OwnCallers
    ) -> Bool {
        guard register == call.a + 1, call.passes(register) else { return false }
        let name = callers.replaces.global(of: .init(function: self, register: call.a, index: index))
        return name == "pcall" || name == "xpcall"
    }

    /// Whether a variable of a loop such as `for name, check in pairs(checks)` may be called.
    fileprivate func mayCallVariable(ofLoopAt index: Int, _ callers: OwnCallers) -> Bool {
        var register = code[index].a + 4
        while let local = localNames.local(of: register, at: index + 1), local.range.lowerBound == index + 1 {
            if mayCall(register, local, callers) { return true }
            register += 1
        }
        return false
    }
}
