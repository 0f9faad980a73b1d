/// The lines that a function has, and the globals that it uses on them.
///
/// Lua's own compiler knows the scopes, so its output is the most reliable way to find them.
struct Chunk {
    /// The number of parameters, without `...`.
    private(set) var parameters = 0
    /// The line on which it begins; 0 for a script.
    private(set) var line = 0
    /// The lines with instructions, in this function and in the functions within it.
    private(set) var lines: Set<Int> = []
    /// The uses of globals, in this function and in the functions within it.
    private(set) var globals: [Global] = []
    /// The uses of a member of a global table, such as `string.format`, in this function and in the functions within it.
    private(set) var members: [Member] = []
    struct Global {
        let name: String
        let line: Int
        let isAssigned: Bool
    }

    struct Member {
        let table: String
        let name: String
        let line: Int
    }

    /// What a function uses.
    init(_ function: Prototype) {
        line = function.line
        parameters = function.parameters
        add(function)
    }

    private mutating func add(_ function: Prototype) {
        // With more than 255 constants, a global is indexed with registers: GETUPVAL _ENV, LOADK, GETTABLE.
        var environments: Set<Int> = []
        var globalTables: Set<Int> = []
        var keys: [Int: String] = [:]
        let (code, lineOf) = (function.code, function.lineOf)
        // Most instructions are on the line of the one before.
        var line = -1
        for (index, instruction) in code.enumerated() where index < lineOf.count {
            switch instruction.opcode {
            case .getGlobal where function.isEnvironment(instruction.b):
                if let name = function.text(instruction.c) {
                    globals.append(Global(name: name, line: lineOf[index], isAssigned: false))
                    let next = index + 1 < code.count ? code[index + 1] : instruction
                    if next.opcode == .getField, next.b == instruction.a, let member = function.text(next.c) {
                        members.append(Member(table: name, name: member, line: lineOf[index]))
                    }
                }
            case .setGlobal where function.isEnvironment(instruction.a):
                if let name = function.text(instruction.b) {
                    globals.append(Global(name: name, line: lineOf[index], isAssigned: true))
                }
            case .getTable where environments.contains(instruction.b):
                if let name = keys[instruction.c] {
                    globals.append(Global(name: name, line: lineOf[index], isAssigned: false))
                }
            case .setTable where environments.contains(instruction.a):
                if let name = keys[instruction.b] {
                    globals.append(Global(name: name, line: lineOf[index], isAssigned: true))
                }
            case .setField where globalTables.contains(instruction.a):
                if let name = function.text(instruction.b) {
                    globals.append(Global(name: name, line: lineOf[index], isAssigned: true))
                }
            default: break
            }
            // All but the stores (SETTABUP, SETTABLE, SETI, SETFIELD) may write their first register.
            if !(15...18).contains(instruction.word & 0x7F) {
                environments.remove(instruction.a)
                globalTables.remove(instruction.a)
                keys[instruction.a] = nil
                switch instruction.opcode {
                case .getUpvalue where function.isEnvironment(instruction.b): environments.insert(instruction.a)
                case .getGlobal where function.isEnvironment(instruction.b) && function.text(instruction.c) == "_G":
                    globalTables.insert(instruction.a)
                case .loadConstant: keys[instruction.a] = function.text(instruction.bx)
                default: break
                }
            }
            // The compiler adds a return without values to the end of every function, on the line of its `end`, and an
            // instruction that prepares `...` to the beginning of a variadic one.
            let isLast = index == code.count - 1
            if !isLast, instruction.opcode != .prepareVariadic, lineOf[index] != line {
                line = lineOf[index]
                lines.insert(line)
            }
        }
        for inner in function.inner { add(inner) }
    }
}
