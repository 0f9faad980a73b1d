internal import PatchCrypto
internal import PatchRunner

// What a script keeps from call to call. Each instance of a patch has its own, so the author must say that it does not matter, or that
// there may be one instance only.

extension PatchLint {
    /// Reports what functions write that was there before they were called, unless the head says how many instances there may be.
    mutating func checkState(_ functions: [Prototype]) {
        guard (try? ScriptHead(of: scripts[0].bytes))?.value(of: .instances) == nil else { return }
        for (function, text) in zip(functions, texts) {
            var writes = StateWrites()
            for (index, inner) in function.inner.enumerated() where hasRoom {
                writes.find(in: inner, kept: inner.upvalues.map { $0.isInStack && $0.name != "_ENV" ? $0.name : nil })
                guard index < 1000 else { break }
            }
            for write in writes.found where hasRoom {
                found.append(
                    text.finding(
                        .keepsState, line: write.line, word: write.name,
                        "\(write.name) is changed by a call, but each instance of the patch has its own",
                        hint: "add `-- @instances 1` to the head if a call must see it, or `-- @instances any` if not"))
            }
        }
    }
}

/// The writes of functions to the locals of their script, to globals, and to the tables in either.
private struct StateWrites {
    private(set) var found: [(name: String, line: Int)] = []
    private var names: Set<String> = []
    /// The functions of the library that change their first argument.
    private static let changing: Set<String> = ["table.insert", "table.remove", "table.sort", "rawset", "setmetatable"]

    /// What a register holds.
    private enum Held {
        /// A table that was there before the call: of a variable with this name, or within its table.
        case kept(String)
        /// A function or table of the library.
        case library(String)
    }

    /// Adds one write for each variable.
    private mutating func add(_ name: String, _ line: Int) {
        if names.insert(name).inserted { found.append((name, line)) }
    }

    /// - Parameter kept: For each upvalue, its name if it is a local of the script.
    mutating func find(in function: Prototype, kept: [String?]) {
        var held: [Int: Held] = [:]
        func variable(_ upvalue: Int) -> String? { kept.indices.contains(upvalue) ? kept[upvalue] : nil }
        let meetings = Self.meetings(in: function)
        for (index, instruction) in function.code.enumerated() where index < function.lineOf.count {
            let line = function.lineOf[index]
            // What a register holds where two paths meet depends on the path.
            if meetings.contains(index) { held = [:] }
            let (a, b, c) = (instruction.a, instruction.b, instruction.c)
            switch instruction.opcode {
            case .setUpvalue:
                if let name = variable(b) { add(name, line) }
            case .setGlobal where function.isEnvironment(a):
                if let name = function.text(b) { add(name, line) }
            case .setGlobal:
                if let name = variable(a) { add(name, line) }
            case .setTable, .setInteger, .setField:
                if case .kept(let name) = held[a] { add(name, line) }
            case .call, .tailCall:
                if case .library(let called) = held[a], Self.changing.contains(called),
                    case .kept(let name) = held[a + 1]
                {
                    add(name, line)
                }
                held = held.filter { $0.key < a }
            default:
                held[a] = value(of: instruction, in: function, held, variable, b, c)
            }
        }
        for inner in function.inner {
            find(in: inner, kept: inner.upvalues.map { $0.isInStack ? nil : variable($0.index) })
        }
    }

    /// The instructions that are reached in more than one way.
    private static func meetings(in function: Prototype) -> Set<Int> {
        var found: Set<Int> = []
        for (index, instruction) in function.code.enumerated() {
            switch instruction.opcode {
            case .jump: found.insert(index + 1 + instruction.jump)
            case .forPrepare, .genericForPrepare: found.formUnion([index + 1, index + 2 + instruction.bx])
            case .forLoop, .genericForLoop: found.formUnion([index + 1, index + 1 - instruction.bx])
            default: if instruction.isTest { found.insert(index + 2) }
            }
        }
        return found
    }

    /// What an instruction leaves in its first register.
    private func value(
        of instruction: Instruction, in function: Prototype, _ held: [Int: Held], _ variable: (Int) -> String?,
        _ b: Int, _ c: Int
    ) -> Held? {
        switch instruction.opcode {
        case .move: return held[b]
        case .getUpvalue: return variable(b).map(Held.kept)
        case .getGlobal where function.isEnvironment(b):
            guard let name = function.text(c) else { return nil }
            return SandboxNames.globals.contains(name) ? .library(name) : .kept(name)
        case .getGlobal: return variable(b).map(Held.kept)
        case .getField:
            switch held[b] {
            case .library(let table): return function.text(c).map { .library("\(table).\($0)") }
            case .kept(let name): return .kept(name)
            case nil: return nil
            }
        case .getTable, .getInteger:
            if case .kept(let name) = held[b] { return .kept(name) }
            return nil
        default: return nil
        }
    }
}
