/// The globals that a function uses, and the lines that use them.
///
/// Lua's own compiler knows the scopes, so its output is the most reliable way to find them.
struct GlobalUses {
    /// The uses of globals, in this function and in the functions within it.
    private(set) var globals: [Global] = []
    /// The uses of a member of a global table, such as `string.format`, in this function and in the functions within
    /// it.
    private(set) var members: [Member] = []
    /// The globals of which a script asks whether there are any: `type(jit)`, `rawget(_G, "jit")`.
    private(set) var asked: [String] = []
    private let function: Prototype

    struct Global {
        let name: String
        let line: Int
        let isAssigned: Bool
        /// Whether it is only asked for, or has an alternative: `unpack or table.unpack`.
        var isTested = false
    }

    struct Member {
        let table: String
        let name: String
        let line: Int
        let isTested: Bool
    }

    /// Whether it may give a table a metatable.
    var setsMetatables: Bool { globals.contains { ["setmetatable", "_G"].contains($0.name) } }

    init(_ function: Prototype) {
        self.function = function
        add(function)
    }

    /// The names of the fields that are assigned, of any table, in this function and in the functions within it.
    func findFieldsAssigned() -> Set<String> {
        var names: Set<String> = []
        for function in function.nested {
            var registers = Registers()
            for instruction in function.code {
                if let field = registers.field(assignedBy: instruction, of: function) { names.insert(field) }
                registers.follow(instruction, of: function)
            }
        }
        return names
    }

    private mutating func add(_ name: String?, _ line: Int, isAssigned: Bool) {
        if let name { globals.append(Global(name: name, line: line, isAssigned: isAssigned)) }
    }

    private mutating func add(_ function: Prototype) {
        var registers = Registers()
        // Code that runs only in another Lua: one that is not 5.4, or lacks a name of the sandbox.
        var others: [Range<Int>] = []
        for (index, instruction) in function.code.enumerated() where index < function.lineOf.count {
            guard !others.contains(where: { $0.contains(index) }) else { continue }
            let line = function.lineOf[index]
            switch instruction.opcode {
            case .closure where function.inner.indices.contains(instruction.bx): add(function.inner[instruction.bx])
            case .getGlobal where function.isEnvironment(instruction.b):
                if let skipped = addRead(at: index, of: function) { others.append(skipped) }
            case .setGlobal where function.isEnvironment(instruction.a):
                add(function.text(instruction.b), line, isAssigned: true)
            case .getTable where registers.environments.contains(instruction.b):
                add(registers.key(in: instruction.c, of: function), line, isAssigned: false)
            case .setTable where registers.environments.contains(instruction.a):
                add(registers.key(in: instruction.b, of: function), line, isAssigned: true)
            case .setField where registers.globalTables.contains(instruction.a):
                add(function.text(instruction.b), line, isAssigned: true)
            case .loadConstant:
                if let name = function.nameAskedOfGlobals(at: index) { asked.append(name) }
            default: break
            }
            registers.follow(instruction, of: function)
        }
    }

    /// Adds the global that an instruction reads, and the member of it that the next one reads.
    ///
    /// - Returns: The code that runs only if there is no such name, if the sandbox has it.
    private mutating func addRead(at index: Int, of function: Prototype) -> Range<Int>? {
        let instruction = function.code[index]
        guard let name = function.text(instruction.c) else { return nil }
        let line = function.lineOf[index]
        if function.isArgument(index) { asked.append(name) }
        globals.append(Global(name: name, line: line, isAssigned: false, isTested: function.isTested(index)))
        guard index + 1 < function.code.count, case let next = function.code[index + 1], next.opcode == .getField,
            next.b == instruction.a
        else { return SandboxNames.globals.contains(name) ? function.skipped(after: index) : nil }
        let member = function.text(next.c)
        if let member {
            let isTested = function.isTested(index + 1, from: index)
            members.append(Member(table: name, name: member, line: line, isTested: isTested))
        }
        let isKnown = SandboxNames.members[name]?.contains(member ?? "") == true
        return isKnown ? function.skipped(after: index + 1) : nil
    }

    /// What the registers of a function hold, as far as globals are concerned.
    ///
    /// With more than 255 constants, a global is indexed with registers: GETUPVAL _ENV, LOADK, GETTABLE.
    private struct Registers {
        /// Those with `_ENV`.
        private(set) var environments = RegisterSet()
        /// Those with `_G`.
        private(set) var globalTables = RegisterSet()
        /// Those with a string, and its number.
        private var hasKey = RegisterSet()
        private var keys = [Int32](repeating: 0, count: 256)

        func key(in register: Int, of function: Prototype) -> String? {
            hasKey.contains(register) ? function.name(keys[register]) : nil
        }

        /// The name of the field that an instruction assigns; nil if it assigns none, or one that is not a constant.
        func field(assignedBy instruction: Instruction, of function: Prototype) -> String? {
            switch instruction.opcode {
            case .setField: function.text(instruction.b)
            case .setGlobal where !function.isEnvironment(instruction.a): function.text(instruction.b)
            case .setTable: key(in: instruction.b, of: function)
            default: nil
            }
        }

        mutating func follow(_ instruction: Instruction, of function: Prototype) {
            switch instruction.opcode {
            // Stores only read their first register. Any other instruction is taken to write it.
            case .setGlobal, .setTable, .setInteger, .setField: return
            default: break
            }
            environments.remove(instruction.a)
            globalTables.remove(instruction.a)
            hasKey.remove(instruction.a)
            switch instruction.opcode {
            case .getUpvalue where function.isEnvironment(instruction.b): environments.insert(instruction.a)
            case .getGlobal where function.isEnvironment(instruction.b) && function.text(instruction.c) == "_G":
                globalTables.insert(instruction.a)
            case .loadConstant:
                guard let text = function.textNumber(instruction.bx) else { break }
                hasKey.insert(instruction.a)
                keys[instruction.a] = text
            default: break
            }
        }
    }
}

extension Prototype {
    /// The name of a global that a script asks for with `rawget(_G, "name")`, whose constant an instruction loads;
    /// nil if it does something else.
    fileprivate func nameAskedOfGlobals(at index: Int) -> String? {
        let instruction = code[index]
        guard index > 0, case let last = code[index - 1], last.opcode == .getGlobal, text(last.c) == "_G",
            last.a + 1 == instruction.a
        else { return nil }
        return textNumber(instruction.bx).map { name($0) }
    }

    /// Whether an instruction tests whether a register is nil or false.
    func tests(_ register: Int, at index: Int) -> Bool {
        guard code.indices.contains(index) else { return false }
        let instruction = code[index]
        switch instruction.opcode {
        case .test: return instruction.a == register
        case .testAndSet: return instruction.b == register
        case .equalConstant: return instruction.a == register && constant(instruction.b) == .nil
        default: return false
        }
    }

    /// Whether the value that an instruction puts into a register is the only argument of `type`.
    fileprivate func isArgument(_ index: Int) -> Bool {
        guard index > 0, code.indices.contains(index + 1), code[index - 1].opcode == .getGlobal else { return false }
        let (function, call) = (code[index - 1], code[index + 1])
        return text(function.c) == "type" && function.a + 1 == code[index].a && call.opcode == .call && call.b == 2
            && call.a == function.a
    }

    /// The instructions that are left out because of a test of a value that is neither nil nor false, or is `_VERSION`.
    fileprivate func skipped(after index: Int) -> Range<Int>? {
        guard code.indices.contains(index + 2), code[index + 2].opcode == .jump else { return nil }
        let (test, end) = (code[index + 1], jumpTarget(index + 1))
        guard test.a == code[index].a, end > index + 3 else { return nil }
        let jumps: Bool
        switch (test.opcode, constant(test.b)) {
        case (.test, _): jumps = test.k
        case (.equalConstant, .nil?): jumps = !test.k
        case (.equalConstant, .string(let version)?) where text(code[index].c) == "_VERSION":
            jumps = (version == "Lua 5.4") == test.k
        default: return nil
        }
        if jumps { return index + 3..<end }
        // After the first branch, its last instruction jumps over the other one.
        guard code.indices.contains(end - 1), code[end - 1].opcode == .jump, code[end - 1].jump > 0 else { return nil }
        return end..<end + code[end - 1].jump
    }

    /// Whether the value that an instruction puts into a register is tested next, or is the last of several with `or`.
    ///
    /// - Parameter first: The first instruction that makes the value; nil if it is the instruction itself.
    fileprivate func isTested(_ index: Int, from first: Int? = nil) -> Bool {
        if tests(code[index].a, at: index + 1) { return true }
        // The jump of a test whose value is true leads over the last value.
        let first = first ?? index
        return first > 1 && code[first - 2].isTest && code[first - 2].k && jump(at: first - 1, leadsTo: index + 1)
    }
}
