internal import PatchCrypto
internal import PatchRunner

// The state that a script keeps from call to call. Each instance of a patch has its own state. So the author must
// declare that this does not matter, or that there may be only one instance.

extension Linter {
    /// Reports writes to variables and tables that outlive a call, unless the head declares how many instances there
    /// may be.
    mutating func checkState(_ functions: [Prototype]) {
        guard (head ?? (try? ScriptHead(of: scripts[0].bytes)))?.value(of: .instances) == nil else { return }
        let called = CalledFunctions(
            of: functions, definesClasses: outlines.contains { !$0.waxClasses.isEmpty }, budget)
        // A `__newindex` decides what becomes of a write to its table.
        let guardsTables = functions.flatMap(\.nested).contains { $0.constants.contains(.string("__newindex")) }
        for (function, text) in zip(functions, texts) {
            var writes = StateWrites(guardsTables: guardsTables)
            called.each(in: function) { inner in
                guard hasRoom else { return }
                writes.find(in: inner, kept: inner.upvalues.map { $0.isEnvironment ? nil : $0.number })
            }
            for write in writes.found where hasRoom {
                report(
                    .keepsState, in: text, line: write.line, word: write.name,
                    "\(write.name) is changed by a call, but each instance of the patch has its own",
                    hint: "add `-- @instances 1` to the head if a call must see it, or `-- @instances any` if not")
            }
        }
    }
}

/// The writes of functions to the locals of their script, to globals, and to the tables in either.
private struct StateWrites {
    let guardsTables: Bool
    var found: [(name: String, line: Int)] = []
    var names: Set<Int32> = []

    /// The functions of the library that change their first argument.
    private static let changing: Set<String> = ["table.insert", "table.remove", "table.sort", "rawset", "setmetatable"]

    /// The contents of a register. The names are numbers.
    private enum Held {
        case other
        /// A table that existed before the call: the value of a variable with this name, or a table within it.
        case kept(Int32)
        /// A function or table of the library, and a member of it.
        case library(Int32, Int32?)
    }

    private struct Registers {
        private var held: [Held]
        private var known = RegisterSet()

        init(of function: Prototype) { held = Array(repeating: .other, count: function.registers + 1) }

        subscript(register: Int) -> Held {
            get { known.contains(register) ? held[register] : .other }
            set {
                if case .other = newValue { return known.remove(register) }
                guard register < held.count else { return }
                known.insert(register)
                held[register] = newValue
            }
        }

        mutating func forget(from register: Int = 0) { known.removeAll(from: register) }
    }

    /// Adds one write for each variable.
    private mutating func add(_ name: Int32, _ line: Int, _ function: Prototype) {
        if names.insert(name).inserted { found.append((function.name(name), line)) }
    }

    /// - Parameter kept: For each upvalue, the number of its name if it is a local of the script.
    mutating func find(in function: Prototype, kept: [Int32?]) {
        var held = Registers(of: function)
        func variable(_ upvalue: Int) -> Int32? { kept.indices.contains(upvalue) ? kept[upvalue] : nil }
        let meetings = Self.meetings(in: function)
        for (index, instruction) in function.code.enumerated() where index < function.lineOf.count {
            let line = function.lineOf[index]
            // The contents of a register where two paths meet depend on the path.
            if meetings[index] { held.forget() }
            let (a, b) = (instruction.a, instruction.b)
            switch instruction.opcode {
            case .setUpvalue:
                if let name = variable(b) { add(name, line, function) }
            case .setGlobal where function.isEnvironment(a):
                if let name = function.textNumber(b) { add(name, line, function) }
            case .setGlobal:
                if let name = variable(a), !guardsTables { add(name, line, function) }
            case .setTable, .setInteger, .setField:
                if case .kept(let name) = held[a], !guardsTables { add(name, line, function) }
            case .call, .tailCall:
                if case .kept(let name) = held[a + 1], case .library(let table, let member) = held[a],
                    Self.changing.contains(
                        function.name(table) + (member.map { ".\(function.name($0))" } ?? ""))
                {
                    add(name, line, function)
                }
                held.forget(from: a)
            default:
                held[a] = value(of: instruction, in: function, held, variable)
            }
        }
        for inner in function.inner {
            find(in: inner, kept: inner.upvalues.map { $0.isInStack ? nil : variable($0.index) })
        }
    }

    /// Whether an instruction is reached in more than one way.
    private static func meetings(in function: Prototype) -> [Bool] {
        var meets = [Bool](repeating: false, count: function.code.count)
        for index in function.code.indices {
            function.eachSuccessor(of: index) { next in
                if next != index + 1, meets.indices.contains(next) { meets[next] = true }
            }
        }
        return meets
    }

    private func value(
        of instruction: Instruction, in function: Prototype, _ held: Registers, _ variable: (Int) -> Int32?
    ) -> Held {
        let (b, c) = (instruction.b, instruction.c)
        switch instruction.opcode {
        case .move: return held[b]
        case .getGlobal where function.isEnvironment(b):
            guard let name = function.textNumber(c) else { return .other }
            return SandboxNames.globals.contains(function.name(name)) ? .library(name, nil) : .kept(name)
        case .getUpvalue, .getGlobal: return variable(b).map(Held.kept) ?? .other
        case .getField, .getTable, .getInteger:
            switch held[b] {
            case .library(let table, nil) where instruction.opcode == .getField:
                return function.textNumber(c).map { .library(table, $0) } ?? .other
            case .kept(let name): return .kept(name)
            case .library, .other: return .other
            }
        default: return .other
        }
    }
}
