/// The writes of functions to the locals of their script, to globals, and to the tables in either.
struct StateWrites {
    /// A write for each variable, in the order in which they are found.
    private(set) var found: [(name: String, line: Int)] = []
    private var names: Set<Int32> = []
    private let guardsTables: Bool
    private let known: FixedValues
    private let budget: LintBudget
    /// The calls of the script's own functions that get a table which existed before, and are not followed yet.
    private var calls: [Call] = []
    private var called: Set<CallKey> = []

    /// The functions of the library that change their first argument.
    private static let changing: Set<String> = ["table.insert", "table.remove", "table.sort", "rawset", "setmetatable"]

    /// A function that a call runs.
    private struct Call {
        let function: Prototype
        /// For each upvalue, the number of its name if it is a local of the script.
        let kept: [Int32?]
        /// The names of the variables whose tables it gets, by its parameters.
        var arguments: [Int: Int32] = [:]
        /// The line of the call that gives it these tables. It is then followed only for writes to them.
        var line: Int?

        func variable(_ upvalue: Int) -> Int32? { kept.indices.contains(upvalue) ? kept[upvalue] : nil }
    }

    private struct CallKey: Hashable {
        let function: ObjectIdentifier
        let arguments: [Int: Int32]
    }

    /// The contents of registers, as far as they are known. The names are numbers.
    private struct Registers: Equatable {
        private var held: [Int: HeldValue] = [:]

        subscript(register: Int) -> HeldValue? {
            get { held.isEmpty ? nil : held[register] }
            set { if newValue != nil || !held.isEmpty { held[register] = newValue } }
        }

        mutating func forget(_ registers: Range<Int>) {
            if !held.isEmpty { held = held.filter { !registers.contains($0.key) } }
        }

        /// The contents where two paths meet.
        func joined(with other: Registers) -> Registers {
            var joined = self
            joined.held = held.filter { other.held[$0.key] == $0.value }
            return joined
        }

        var count: Int { held.count }
    }

    /// - Parameters:
    ///   - script: The function that loads the script.
    ///   - guardsTables: Whether a `__newindex` may decide what becomes of a write to a table.
    init(in script: Prototype, guardsTables: Bool, _ budget: LintBudget) {
        self.guardsTables = guardsTables
        self.budget = budget
        known = FixedValues(of: script, budget)
    }

    /// Finds the writes of a function that is made while the script is loaded, and that a call may run.
    mutating func find(in function: Prototype) {
        follow(Call(function: function, kept: Self.variables(of: function)))
        while !budget.isSpent, let call = calls.popLast() { follow(call) }
    }

    private static func variables(of function: Prototype) -> [Int32?] {
        function.upvalues.map { $0.isEnvironment ? nil : $0.number }
    }

    /// Adds one write for each variable.
    private mutating func add(_ name: Int32, _ index: Int, _ call: Call) {
        if call.line != nil, !call.arguments.values.contains(name) { return }
        guard names.insert(name).inserted else { return }
        found.append((call.function.name(name), call.line ?? call.function.lineOf[index]))
    }

    /// Notes the writes of a function that a call runs, and of the functions within it.
    private mutating func follow(_ call: Call) {
        let function = call.function
        let entries = entries(of: call)
        let leaders = function.leaders
        var held = entries[0] ?? Registers()
        for index in function.code.indices where index < function.lineOf.count {
            if index > 0, leaders[index] { held = entries[index] ?? Registers() }
            budget.pay(held.count)
            note(index, held, call)
            step(index, &held, call)
        }
        guard call.line == nil else { return }
        for inner in function.inner {
            let kept = inner.upvalues.map { $0.isInStack ? nil : call.variable($0.index) }
            follow(Call(function: inner, kept: kept))
        }
    }

    // MARK: paths

    /// The contents of registers where paths meet; empty if that takes too long to find.
    private func entries(of call: Call) -> [Int: Registers] {
        let function = call.function
        let leaders = function.leaders
        var first = Registers()
        for (parameter, name) in call.arguments { first[parameter] = .kept(name) }
        var entries = [0: first]
        var work = [0]
        while let leader = work.popLast() {
            guard !budget.isSpent, var held = entries[leader] else { return [:] }
            var index = leader
            while function.code.indices.contains(index) {
                budget.pay(10 + held.count)
                step(index, &held, call)
                if function.code[index].goesOn, index + 1 < leaders.count, !leaders[index + 1] {
                    index += 1
                    continue
                }
                function.eachSuccessor(of: index) { next in
                    guard function.code.indices.contains(next) else { return }
                    guard let known = entries[next] else {
                        entries[next] = held
                        return work.append(next)
                    }
                    budget.pay(10 * (1 + known.count))
                    let joined = known.joined(with: held)
                    guard joined != known else { return }
                    entries[next] = joined
                    work.append(next)
                }
                break
            }
        }
        return entries
    }

    /// Follows an instruction.
    private func step(_ index: Int, _ held: inout Registers, _ call: Call) {
        let function = call.function
        let instruction = function.code[index]
        let (a, b, c) = (instruction.a, instruction.b, instruction.c)
        var value: HeldValue?
        switch instruction.opcode {
        // Its first register has the loop's function, and stays as it is.
        case .genericForPrepare: return
        case .genericForLoop:
            held[a + 2] = nil
            return
        case .genericForCall:
            let elements = elements(of: held[a], held[a + 1], in: function)
            held.forget(a + 4..<Int.max)
            if c > 1, let elements, !function.assignedWithin.contains(a + 5) { held[a + 5] = .kept(elements) }
            return
        case .call, .tailCall:
            if case .library(let name, nil)? = held[a], ["pairs", "ipairs"].contains(function.name(name)),
                case .kept(let table)? = held[a + 1]
            {
                value = .iterator(table)
            }
        case .getSelf:
            let object = held[b]
            var method: HeldValue?
            if let object, instruction.k, let name = function.textNumber(c) {
                method = member(name, of: object, in: function)
            }
            held[a] = method
            held[a + 1] = object
            return
        default: value = self.value(of: instruction, held, call)
        }
        guard let written = instruction.written else { return }
        if written.count == 1 { held[a] = nil } else { held.forget(written) }
        // Functions within this one may assign the register at any time.
        if let value, !function.assignedWithin.contains(a) { held[a] = value }
    }

    private func value(of instruction: Instruction, _ held: Registers, _ call: Call) -> HeldValue? {
        let function = call.function
        let (b, c) = (instruction.b, instruction.c)
        switch instruction.opcode {
        case .move: return held[b]
        case .getUpvalue: return call.variable(b).map(value(ofVariable:))
        case .getGlobal where function.isEnvironment(b):
            return function.textNumber(c).map { value(ofGlobal: $0, in: function) }
        case .getGlobal:
            guard let table = call.variable(b), let field = function.textNumber(c) else { return nil }
            return member(field, of: value(ofVariable: table), in: function)
        case .getField:
            guard let table = held[b], let field = function.textNumber(c) else { return nil }
            return member(field, of: table, in: function)
        case .getTable, .getInteger:
            guard case .kept(let name)? = held[b] else { return nil }
            return .kept(name)
        default: return nil
        }
    }

    private func value(ofVariable name: Int32) -> HeldValue { known.values[name] ?? .kept(name) }

    private func value(ofGlobal name: Int32, in function: Prototype) -> HeldValue {
        SandboxNames.globals.contains(function.name(name)) ? .library(name, nil) : .kept(name)
    }

    private func member(_ field: Int32, of table: HeldValue, in function: Prototype) -> HeldValue? {
        switch table {
        case .kept(let name): known.methods[FixedValues.Member(table: name, field: field)] ?? HeldValue.kept(name)
        case .library(let name, nil) where function.name(name) == "_G": value(ofGlobal: field, in: function)
        case .library(let name, nil): .library(name, field)
        case .library, .iterator, .helper: nil
        }
    }

    /// The variable whose elements a loop gets; nil if it is not known.
    private func elements(of iterator: HeldValue?, _ table: HeldValue?, in function: Prototype) -> Int32? {
        switch (iterator, table) {
        case (.iterator(let name)?, _): name
        case (.library(let next, nil)?, .kept(let name)?) where function.name(next) == "next": name
        default: nil
        }
    }

    // MARK: writes

    /// Notes the write of an instruction.
    private mutating func note(_ index: Int, _ held: Registers, _ call: Call) {
        let function = call.function
        let instruction = function.code[index]
        let (a, b) = (instruction.a, instruction.b)
        switch instruction.opcode {
        case .setUpvalue:
            if let name = call.variable(b) { add(name, index, call) }
        case .setGlobal where function.isEnvironment(a):
            if let name = function.textNumber(b) { add(name, index, call) }
        case .setGlobal:
            if let name = call.variable(a) { write(function.textNumber(b), of: value(ofVariable: name), index, call) }
        case .setField: write(function.textNumber(b), of: held[a], index, call)
        case .setTable, .setInteger: write(nil, of: held[a], index, call)
        case .call, .tailCall: noteCall(index, held, call)
        default: break
        }
    }

    /// Notes a write to a table, of a field if its name is known.
    private mutating func write(_ field: Int32?, of table: HeldValue?, _ index: Int, _ call: Call) {
        if guardsTables { return }
        // A class that sets its own `__index` in each `new` keeps nothing of a call.
        if let field, call.function.name(field).hasPrefix("__") { return }
        switch table {
        case .kept(let name)?: add(name, index, call)
        case .library(let name, nil)? where call.function.name(name) == "_G": add(field ?? name, index, call)
        default: break
        }
    }

    /// Notes what a call writes: a function of the library at once, one of the script when it is followed.
    private mutating func noteCall(_ index: Int, _ held: Registers, _ call: Call) {
        let function = call.function
        let (a, b) = (function.code[index].a, function.code[index].b)
        switch held[a] {
        case .library(let table, let member)?:
            let name = function.name(table) + (member.map { ".\(function.name($0))" } ?? "")
            var changed: HeldValue?
            if Self.changing.contains(name) {
                changed = held[a + 1]
            } else if name == "table.move", b == 5 || b == 6 {
                // Of four arguments, the first one is the table that gets the elements; of five, the last one.
                changed = held[b == 5 ? a + 1 : a + 5]
            }
            switch changed {
            case .kept(let name)?: add(name, index, call)
            case .library(let name, nil)? where function.name(name) == "_G": add(name, index, call)
            default: break
            }
        case .helper(let number)?:
            let helper = known.helpers[number]
            var arguments: [Int: Int32] = [:]
            for parameter in 0..<helper.parameters where b == 0 || parameter < b - 1 {
                if case .kept(let name)? = held[a + 1 + parameter] { arguments[parameter] = name }
            }
            let key = CallKey(function: ObjectIdentifier(helper), arguments: arguments)
            guard !arguments.isEmpty, called.insert(key).inserted else { return }
            calls.append(
                Call(
                    function: helper, kept: Self.variables(of: helper), arguments: arguments,
                    line: call.line ?? function.lineOf[index]))
        default: break
        }
    }
}
