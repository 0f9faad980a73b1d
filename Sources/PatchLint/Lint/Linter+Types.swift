internal import PatchCrypto
internal import PatchRunner

extension Linter {
    /// Follows the values of all scripts, from the app's arguments to the results of replacements.
    mutating func checkTypes(_ functions: [Prototype], _ chunks: [GlobalUses], of state: ScriptState) {
        allowOthers()
        guard knowsClasses(chunks) else { return }
        let nested = functions.flatMap(\.nested)
        let context = context(of: nested, chunks)
        let replacements = replacements(in: state)
        let callers = OwnCallers(nested, budget)
        func problems(in function: Prototype, _ index: Int) -> [FlowChecks.Problem] {
            let count = Dictionary(function.nested.dropFirst().map { ($0.line, 1) }, uniquingKeysWith: +)
            return FlowChecks.problems(
                in: function, upvalues: function.upvalues.map { _ in .unknown }, context
            ) { inner in
                // Two functions on one line cannot be told apart, and neither can two names of one function.
                guard let here = replacements["\(index):\(inner.line)"], here.count == 1, count[inner.line] == 1
                else { return nil }
                // Only the app is known to pass the arguments of its function.
                guard here[0].isMethod || !callers.mayCall(inner) else { return nil }
                return here[0]
            }
        }
        var all: [[FlowChecks.Problem]] = []
        var followed = 0
        // A value that a function writes may be read in a function before it. Each round but the last finds another
        // field or table whose values may have other types, and there are as many as the scripts name.
        var changes: Int
        repeat {
            changes = context.changes.count
            budget.beginRound()
            var round: [[FlowChecks.Problem]] = []
            for (index, function) in functions.enumerated() where !budget.isSpent {
                round.append(problems(in: function, index))
            }
            followed = round.count
            // Scripts that this round has not reached keep what the one before found.
            all.replaceSubrange(0..<min(all.count, followed), with: round)
        } while context.changes.count != changes && !budget.isSpent
        for (problems, text) in zip(all, texts) { report(problems, in: text, context) }
        if budget.isSpent {
            // The script in which the budget ended, or the first one if none was begun.
            report(
                .tooLarge, in: texts[max(followed, 1) - 1], line: 1,
                "too large to follow: not all types of values are checked",
                hint: "split it into functions that are shorter, or into patches")
        }
    }

    /// What is known of all scripts before their values are followed.
    ///
    /// - Parameter nested: All functions of all scripts.
    private func context(of nested: [Prototype], _ chunks: [GlobalUses]) -> FlowContext {
        let none = PatchInterface(app: "", appVersion: "", functions: [], structs: [], classes: [])
        let offered = known ?? KnownInterface(none, adding: LibraryFunction.scalars)
        let globals = chunks.flatMap(\.globals)
        let context = FlowContext(
            interface: offered, knowsApp: interface != nil,
            assigned: Set(globals.filter(\.isAssigned).map(\.name) + outlines.flatMap { $0.classNames }),
            written: nested.reduce(into: []) { $1.collectWrittenFields(into: &$0) }
                .union(outlines.flatMap(\.functionNames)),
            setsMetatables: chunks.contains(where: \.setsMetatables), budget: budget,
            helpers: LocalFunctions(TypeFlow.result))
        context.globalsRead = Set(globals.map(\.name))
        context.setsZero = nested.contains { $0.code.contains { $0.opcode == .setInteger && $0.b == 0 } }
        context.changes.areAll =
            context.globalsRead.contains("rawset")
            || chunks.flatMap(\.members).contains { ["table.move", "_G.rawset"].contains("\($0.table).\($0.name)") }
        for function in nested { function.collectFields(tested: &context.fieldsTested, read: &context.fieldsRead) }
        if nested.contains(where: \.makesFractions) {
            for function in nested { function.collectExamined(into: &context.examined) }
        }
        return context
    }

    /// The functions of the app that are replaced, by the script and the line of the replacement: `0:12`.
    private func replacements(in state: ScriptState) -> [String: [TypeFlow.Replacement]] {
        var replacements: [String: [TypeFlow.Replacement]] = [:]
        for layer in state.lua.layers {
            guard let signature = known?.function(layer.name)?.signature,
                let (script, line) = layer.place(in: state.lua)
            else { continue }
            let index = places[script] ?? 0
            replacements["\(index):\(line)", default: []].append(
                .init(name: layer.name, signature: signature, isMethod: !outlines[index].waxClasses.isEmpty))
        }
        return replacements
    }

    private mutating func report(_ problems: [FlowChecks.Problem], in text: SourceText, _ context: FlowContext) {
        // A finding of the outline has its exact place.
        let known = Set(found.filter { $0.script == text.name }.map { "\($0.code.rawValue) \($0.line)" })
        for problem in problems where hasRoom {
            if problem.code == .unknownFunction, let name = problem.word,
                context.functionsAsked.contains(ExactString(name))
            {
                continue
            }
            guard !known.contains("\(problem.code.rawValue) \(problem.line)") else { continue }
            report(problem.code, in: text, line: problem.line, word: problem.word, problem.message, hint: problem.hint)
        }
    }
}

extension Prototype {
    /// How many instructions after another one are searched for the next use of its value.
    private static let farthestUse = 20

    /// The names of fields that are read, and the names of fields that are tested, kept or passed on where they are
    /// read.
    fileprivate func collectFields(tested: inout Set<String>, read: inout Set<String>) {
        for (index, instruction) in code.enumerated().dropLast() where instruction.opcode == .getField {
            guard let name = text(instruction.c) else { continue }
            read.insert(name)
            if !isOnlyUsed(instruction.a, after: index) { tested.insert(name) }
        }
    }

    /// Whether it divides, or multiplies by a fraction.
    fileprivate var makesFractions: Bool {
        code.contains { $0.opcode == .divide || $0.opcode == .divideConstant }
            || constants.contains { if case .float = $0 { true } else { false } }
    }

    /// The names of fields whose values are examined or passed on where they are read, and `#` if a length is.
    fileprivate func collectExamined(into names: inout Set<String>) {
        for (index, instruction) in code.enumerated().dropLast() {
            guard instruction.opcode == .length || instruction.opcode == .getField,
                let name = instruction.opcode == .length ? "#" : text(instruction.c),
                isExamined(instruction.a, after: index)
            else { continue }
            names.insert(name)
        }
    }

    /// Whether the next use of a register shows whether its value is even, keeps it, or passes it to a function of the
    /// script.
    private func isExamined(_ register: Int, after index: Int) -> Bool {
        if localNames.local(of: register, at: index + 1) != nil { return true }
        for place in code.indices.dropFirst(index + 1).prefix(Self.farthestUse) {
            let next = code[place]
            if next.examines, next.b == register { return true }
            switch next.opcode {
            case .call, .tailCall: return next.a < register && !isHostCall(place)
            case .jump: return false
            default: if next.a == register || next.isTest { return false }
            }
        }
        return false
    }

    /// Whether the next use of a register is an operation that fails for nil, or hands it to the app.
    private func isOnlyUsed(_ register: Int, after index: Int) -> Bool {
        for place in code.indices.dropFirst(index + 1).prefix(Self.farthestUse) {
            let next = code[place]
            let (a, b, c) = (next.a, next.b, next.c)
            switch next.opcode {
            case .getField, .getTable, .getInteger, .getSelf, .length, .negate, .bitwiseNot, .addInteger,
                .shiftRightInteger, .shiftLeftInteger, .addConstant, .subtractConstant, .multiplyConstant,
                .moduloConstant, .powerConstant, .divideConstant, .floorDivideConstant, .andConstant, .orConstant,
                .exclusiveOrConstant:
                if b == register { return true }
            case .add, .subtract, .multiply, .modulo, .power, .divide, .floorDivide, .and, .or, .exclusiveOr,
                .shiftLeft, .shiftRight:
                if b == register || c == register { return true }
            case .concatenate: if (a..<a + b).contains(register) { return true }
            case .less, .lessOrEqual: return a == register || b == register
            case .lessInteger, .lessOrEqualInteger, .greaterInteger, .greaterOrEqualInteger: return a == register
            case .call, .tailCall: return a < register && isHostCall(place)
            case .loadInteger, .loadFloat, .loadConstant, .getUpvalue, .getGlobal, .metamethod, .metamethodInteger,
                .metamethodConstant:
                break
            case .move where b != register: break
            default: return false
            }
            if a == register { return false }
        }
        return false
    }

    private func isHostCall(_ index: Int) -> Bool {
        code[..<index].last { $0.a == code[index].a }.map { $0.opcode == .getField && text($0.c) == "call" } ?? false
    }

    /// The names of fields that are assigned, except in tables that have just been made.
    fileprivate func collectWrittenFields(into names: inout Set<String>) {
        var new: Set<Int> = []
        for instruction in code {
            switch instruction.opcode {
            case .newTable: new.insert(instruction.a)
            case .setField where !new.contains(instruction.a):
                if let name = text(instruction.b) { names.insert(name) }
            case .setGlobal where !isEnvironment(instruction.a):
                if let name = text(instruction.b) { names.insert(name) }
                new = []
            case .setField, .loadInteger, .loadFloat, .loadConstant, .extraArgument: break
            default: new = []
            }
        }
    }
}
