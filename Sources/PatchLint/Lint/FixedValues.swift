/// The values of the locals of a script that are set only once and are functions, of the script or the library, or
/// tables of the library; and the functions that are fields of its tables.
struct FixedValues {
    struct Member: Hashable {
        let table: Int32
        let field: Int32
    }

    /// By the number of a local's name. No other local of the script has the same name.
    private(set) var values: [Int32: HeldValue] = [:]
    /// The functions of the script that are fields. No other field that the script sets has the same name.
    private(set) var methods: [Member: HeldValue] = [:]
    /// The functions that these values name by their places here.
    private(set) var helpers: [Prototype] = []

    init(of script: Prototype, _ budget: LintBudget) {
        // How often a local has a name, and how often a field with a name is set.
        var declared: [Int32: Int] = [:]
        var stored: [Int32: Int] = [:]
        for function in script.nested {
            budget.pay(10 * (function.code.count + function.locals.count))
            for local in function.locals { declared[local.number, default: 0] += 1 }
            for instruction in function.code {
                let isField =
                    instruction.opcode == .setField
                    || (instruction.opcode == .setGlobal && !function.isEnvironment(instruction.a))
                if isField, let name = function.textNumber(instruction.b) { stored[name, default: 0] += 1 }
            }
        }
        for (index, instruction) in script.code.enumerated() where !budget.isSpent {
            switch instruction.opcode {
            case .closure where script.inner.indices.contains(instruction.bx):
                if let name = script.fixedLocal(instruction.a, after: index, budget), declared[name] == 1 {
                    values[name] = .helper(helpers.count)
                } else if let member = script.member(madeAt: index), stored[member.field] == 1 {
                    methods[member] = .helper(helpers.count)
                } else {
                    continue
                }
                helpers.append(script.inner[instruction.bx])
            case .getGlobal, .getField:
                guard let value = script.libraryValue(at: index),
                    let name = script.fixedLocal(instruction.a, after: index, budget), declared[name] == 1
                else { continue }
                values[name] = value
            default: break
            }
        }
    }
}

/// The contents of a register that matter for the state of a script. The names are numbers.
enum HeldValue: Hashable {
    /// A table that existed before the call: the value of a variable with this name, or a table within it.
    case kept(Int32)
    /// A function or table of the library, and a member of it.
    case library(Int32, Int32?)
    /// The function of a loop over such a table.
    case iterator(Int32)
    /// A function of the script, by its place among the helpers.
    case helper(Int)
}

extension Prototype {
    /// The name of the local that gets the value of a register after an instruction, and never another one; nil if none
    /// does.
    fileprivate func fixedLocal(_ register: Int, after index: Int, _ budget: LintBudget) -> Int32? {
        guard !assignedWithin.contains(register) else { return nil }
        // Several locals may be declared at once.
        var place = index + 1
        while place < min(code.count, index + 20), !leaders[place] {
            budget.pay(1)
            if let local = localNames.local(of: register, at: place), local.range.lowerBound == place {
                budget.pay(local.range.count)
                return uses.contains(register, in: local.range) { code[$0].writes(register) } ? nil : local.number
            }
            if code[place].writes(register) { return nil }
            place += 1
        }
        return nil
    }

    /// The field into which the next instruction stores the function that an instruction makes: `function M.add()`. It
    /// is nil if the function, its table or the field has another form.
    fileprivate func member(madeAt index: Int) -> FixedValues.Member? {
        guard index + 1 < code.count else { return nil }
        let (made, store) = (code[index].a, code[index + 1])
        guard store.opcode == .setField, !store.k, store.c == made, let field = textNumber(store.b) else { return nil }
        if let table = localNames.local(of: store.a, at: index + 1) {
            return .init(table: table.number, field: field)
        }
        guard index > 0, case let read = code[index - 1], read.opcode == .getGlobal, read.a == store.a,
            isEnvironment(read.b)
        else { return nil }
        return textNumber(read.c).map { FixedValues.Member(table: $0, field: field) }
    }

    /// The function or table of the library that an instruction reads; nil if it reads none.
    fileprivate func libraryValue(at index: Int) -> HeldValue? {
        let instruction = code[index]
        switch instruction.opcode {
        case .getGlobal:
            guard isEnvironment(instruction.b), let name = textNumber(instruction.c),
                SandboxNames.globals.contains(self.name(name))
            else { return nil }
            return .library(name, nil)
        case .getField:
            guard index > 0, code[index - 1].a == instruction.b, code[index - 1].opcode == .getGlobal,
                case .library(let table, nil)? = libraryValue(at: index - 1), let field = textNumber(instruction.c)
            else { return nil }
            return .library(table, field)
        default: return nil
        }
    }
}
