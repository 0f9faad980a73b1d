/// The globals that a function uses, and the lines that use them.
///
/// Lua's own compiler knows the scopes, so its output is the most reliable way to find them.
struct GlobalUses {
    /// The uses of globals, in this function and in the functions within it.
    private(set) var globals: [Global] = []
    /// The uses of a member of a global table, such as `string.format`, in this function and in the functions within it.
    private(set) var members: [Member] = []
    /// The globals of which a script asks whether there are any: `type(jit)`, `rawget(_G, "jit")`.
    private(set) var asked: [String] = []
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

    init(_ function: Prototype) { add(function) }

    private mutating func add(_ name: String?, _ line: Int, isAssigned: Bool) {
        if let name { globals.append(Global(name: name, line: line, isAssigned: isAssigned)) }
    }

    private mutating func add(_ function: Prototype) {
        // With more than 255 constants, a global is indexed with registers: GETUPVAL _ENV, LOADK, GETTABLE.
        var environments = RegisterSet()
        var globalTables = RegisterSet()
        var hasKey = RegisterSet()
        var keys = [Int32](repeating: 0, count: 256)
        let (code, lineOf) = (function.code, function.lineOf)
        // Code that runs only in another Lua: one that is not 5.4, or lacks a name of the sandbox.
        var others: [Range<Int>] = []
        func key(_ register: Int) -> String? { hasKey.contains(register) ? function.name(keys[register]) : nil }
        for (index, instruction) in code.enumerated() where index < lineOf.count {
            guard !others.contains(where: { $0.contains(index) }) else { continue }
            switch instruction.opcode {
            case .closure where function.inner.indices.contains(instruction.bx): add(function.inner[instruction.bx])
            case .getGlobal where function.isEnvironment(instruction.b):
                guard let name = function.text(instruction.c) else { break }
                if function.isArgument(index) { asked.append(name) }
                globals.append(
                    Global(name: name, line: lineOf[index], isAssigned: false, isTested: function.isTested(index)))
                let next = index + 1 < code.count ? code[index + 1] : instruction
                let isMember = next.opcode == .getField && next.b == instruction.a
                let member = isMember ? function.text(next.c) : nil
                let isKnown =
                    isMember
                    ? SandboxNames.members[name]?.contains(member ?? "") == true : SandboxNames.globals.contains(name)
                if isKnown, let skipped = function.skipped(after: isMember ? index + 1 : index) {
                    others.append(skipped)
                }
                if let member {
                    let isTested = function.isTested(index + 1, from: index)
                    members.append(Member(table: name, name: member, line: lineOf[index], isTested: isTested))
                }
            case .setGlobal where function.isEnvironment(instruction.a):
                add(function.text(instruction.b), lineOf[index], isAssigned: true)
            case .getTable where environments.contains(instruction.b):
                add(key(instruction.c), lineOf[index], isAssigned: false)
            case .setTable where environments.contains(instruction.a):
                add(key(instruction.b), lineOf[index], isAssigned: true)
            case .setField where globalTables.contains(instruction.a):
                add(function.text(instruction.b), lineOf[index], isAssigned: true)
            default: break
            }
            // All opcodes except the stores (SETTABUP, SETTABLE, SETI, SETFIELD) may write their first register.
            guard !(15...18).contains(instruction.word & 0x7F) else { continue }
            environments.remove(instruction.a)
            globalTables.remove(instruction.a)
            hasKey.remove(instruction.a)
            switch instruction.opcode {
            case .getUpvalue where function.isEnvironment(instruction.b): environments.insert(instruction.a)
            case .getGlobal where function.isEnvironment(instruction.b) && function.text(instruction.c) == "_G":
                globalTables.insert(instruction.a)
            case .loadConstant:
                if let text = function.textNumber(instruction.bx) {
                    hasKey.insert(instruction.a)
                    keys[instruction.a] = text
                    let last = index > 0 ? code[index - 1] : instruction
                    if last.opcode == .getGlobal, function.text(last.c) == "_G", last.a + 1 == instruction.a {
                        asked.append(function.name(text))
                    }
                }
            default: break
            }
        }
    }
}

extension Prototype {
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
        switch (test.opcode, test.opcode == .equalConstant ? constant(test.b) : nil) {
        case (.test, _): jumps = test.k
        case (.equalConstant, .nil?): jumps = !test.k
        case (.equalConstant, .string(let version)?) where text(code[index].c) == "_VERSION":
            jumps = (version == "Lua 5.4") == test.k
        default: return nil
        }
        // After the first branch, its last instruction jumps over the other one.
        let over = code.indices.contains(end - 1) && code[end - 1].opcode == .jump ? end + code[end - 1].jump : end
        return jumps ? index + 3..<end : over > end ? end..<over : nil
    }

    /// Whether the value that an instruction puts into a register is tested next, or is the last of several with `or`.
    fileprivate func isTested(_ index: Int, from first: Int? = nil) -> Bool {
        let first = first ?? index
        let isLast = first > 1 && code[first - 2].isTest && code[first - 2].k && jump(at: first - 1, leadsTo: index + 1)
        return isLast || tests(code[index].a, at: index + 1)
    }
}
