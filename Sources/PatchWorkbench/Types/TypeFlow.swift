internal import PatchRunner

/// Follows the types of values through a function, as Java's and WebAssembly's verifiers do: over registers, joined where paths meet,
/// until nothing changes any more.
///
/// It finds what is certain to fail if the instruction runs. What it knows of a value is what each path to the instruction agrees on.
struct TypeFlow {
    /// What is known of all scripts together.
    struct Context {
        /// What the app offers. If it is not known, it has nothing in it.
        let interface: KnownInterface
        let knowsApp: Bool
        /// The globals that a script assigns. They may be anything.
        let assigned: Set<String>
        /// The names of the fields and members that a script writes anywhere.
        let written: Set<String>
        /// Whether a script may give a table a metatable.
        let setsMetatables: Bool
        /// The globals that a script reads.
        var asks: Set<String> = []
        /// The names of fields that a script tests or keeps, so that it may know whether they are nil.
        var tests: Set<String> = []
        /// The names of fields that a script reads.
        var reads: Set<String> = []
        /// Whether a script seems to know which numbers have fractions.
        var minds = false
        /// Whether a script writes position 0 of a table.
        var setsZero = false
        let helpers = Helpers()
        let changes = Changes()
        /// What all of this is paid from.
        let budget: LintBudget
        let comparisons: TypeComparisons

        init(
            interface: PatchInterface, knowsApp: Bool, assigned: Set<String>, written: Set<String>,
            setsMetatables: Bool, budget: LintBudget = LintBudget()
        ) {
            self.interface = KnownInterface(interface)
            self.knowsApp = knowsApp
            self.assigned = assigned
            self.written = written
            self.setsMetatables = setsMetatables
            self.budget = budget
            comparisons = TypeComparisons(self.interface, budget)
        }
    }

    /// The function of the app that a function replaces.
    struct Replacement {
        let name: String
        let signature: PatchSignature
        /// Whether it is a method of a class of Wax, whose first argument is the class or an object, and not the original.
        let isMethod: Bool
    }

    struct Problem: Hashable {
        let code: Finding.Code
        let line: Int
        var word: String?
        let message: String
        var hint: Advice?
    }

    /// A register: its value's type, and the name that the script has for it.
    struct Register: Equatable, Sendable {
        var type: ValueType
        var word: String?

        static let unknown = Register(type: .unknown)
    }

    /// A call of the original: the instruction, and whether a table is among its arguments.
    struct OriginalCall: Equatable {
        let index: Int
        let hasTable: Bool
    }

    struct State: Equatable {
        var registers: [Register]
        /// The first of the registers that hold as many values as a call returned.
        var open: Int?
        /// How many values these are; nil if that is not known.
        var openCount: Int?
        /// What tests have found of values.
        var facts: [ValueFacts.Place: ValueFacts] = [:]
        /// The calls of the original, by the names of their arguments.
        var originals: [[String]: OriginalCall] = [:]

        /// How many steps it takes to compare it with another one.
        var size: Int { registers.reduce(registers.count + 20 * (facts.count + originals.count)) { $0 + $1.type.size } }

        /// The state where two paths meet.
        func joined(with other: State) -> State {
            var facts: [ValueFacts.Place: ValueFacts] = [:]
            for (place, known) in self.facts { facts[place] = other.facts[place].map(known.joined) }
            // Only what both paths have called is called again.
            var common: [[String]: OriginalCall] = [:]
            for (words, call) in originals {
                guard let same = other.originals[words] else { continue }
                common[words] = OriginalCall(
                    index: min(call.index, same.index), hasTable: call.hasTable || same.hasTable)
            }
            return State(
                registers: zip(registers, other.registers).map {
                    Register(type: $0.type.joined(with: $1.type), word: $0.word == $1.word ? $0.word : nil)
                }, open: open == other.open ? open : nil, openCount: openCount == other.openCount ? openCount : nil,
                facts: facts, originals: common)
        }

        /// The state in which whatever differs is unknown.
        func widened(to other: State) -> State {
            State(
                registers: zip(registers, other.registers).map { $0.type == $1.type ? $1 : .unknown },
                open: open == other.open ? open : nil, openCount: nil)
        }
    }

    let function: Prototype
    let context: Context
    let replacement: Replacement?
    /// The types of the upvalues.
    let upvalues: [ValueType]
    /// The registers that functions within this one assign. They may hold anything.
    let assignedWithin: Set<Int>
    var problems: [Problem] = []
    /// Whether problems are collected: only once the types are final.
    var reports = false
    /// What each function within this one captures.
    var captured: [Int: [ValueType]] = [:]
    /// The types of the arguments, if all callers are known.
    private(set) var arguments: [ValueType]?
    /// The numbers of the functions within this one that are only called.
    private(set) var helpers: [Int: Int] = [:]
    /// Whether only the result is wanted.
    private var isDry = false
    /// What it returns.
    var returned: ValueType?
    /// The calls that never return.
    var endings: Set<Int> = []
    /// Whether each way to the end returns a value.
    var returnsValue = false
    /// What is known where paths meet, by instruction, and how often it has changed.
    private var entries: [State?] = []
    private var visits: [Int] = []
    /// Whether paths may meet at an instruction.
    private(set) var leads: [Bool] = []
    /// The calls of functions of which nothing is known. They may always throw.
    var unknownCalls: Set<Int> = []
    /// The first test; the number of instructions if there is none.
    private(set) lazy var firstTest = function.code.firstIndex(where: \.isTest) ?? function.code.count
    private var reported: Set<Problem> = []
    /// Whether a local name gets its value where it is declared, and nowhere else.
    var assignedOnce: [String: Bool] = [:]
    private let names: LocalNames
    /// The numbers of what may leave a value nil, and the instructions that ask it.
    private var doubts: [String: UInt16] = [:]
    private var asked: [UInt16: Set<Int>] = [:]

    init(_ function: Prototype, as replacement: Replacement?, upvalues: [ValueType], in context: Context) {
        self.function = function
        self.context = context
        self.replacement = replacement
        self.upvalues = upvalues
        names = LocalNames(of: function)
        var assigned: Set<Int> = []
        for inner in function.inner {
            for upvalue in inner.assignedUpvalues
            where inner.upvalues.indices.contains(upvalue) && inner.upvalues[upvalue].isInStack {
                assigned.insert(inner.upvalues[upvalue].index)
            }
        }
        assignedWithin = assigned
    }

    /// The local name of a register at an instruction.
    func local(_ register: Int, at index: Int) -> String? { names.name(of: register, at: index) }

    /// What is wrong in a function and in those within it.
    ///
    /// - Parameter replaced: The function of the app that a function replaces, by the function.
    static func problems(
        in function: Prototype, upvalues: [ValueType], _ context: Context, replaced: (Prototype) -> Replacement?
    ) -> [Problem] {
        problems(in: function, upvalues: upvalues, arguments: nil, context, replaced: replaced)
    }

    private static func problems(
        in function: Prototype, upvalues: [ValueType], arguments: [ValueType]?, _ context: Context,
        replaced: (Prototype) -> Replacement?
    ) -> [Problem] {
        var flow = TypeFlow(function, as: replaced(function), upvalues: upvalues, in: context)
        flow.arguments = flow.replacement == nil ? arguments : nil
        flow.run()
        var problems = flow.problems
        // The callers of a local function come after it.
        for (index, inner) in function.inner.enumerated().reversed() where !context.budget.isSpent {
            // What is captured by a function that no path makes is not known.
            let captured = flow.captured[index] ?? inner.upvalues.map { _ in .unknown }
            let arguments = flow.helpers[index].flatMap { context.helpers.arguments(of: $0) }
            problems += Self.problems(
                in: inner, upvalues: captured, arguments: arguments, context, replaced: replaced)
        }
        return problems
    }

    /// The type of the first result of a function, whatever its arguments are, and whether it never returns; nil if that is not
    /// known.
    static func result(of function: Prototype, _ context: Context) -> (type: ValueType?, ends: Bool) {
        var flow = TypeFlow(function, as: nil, upvalues: function.upvalues.map { _ in .unknown }, in: context)
        flow.isDry = true
        flow.run()
        if context.budget.isSpent { return (nil, false) }
        guard let type = flow.returned else { return (nil, !flow.entries.isEmpty) }
        // A call of which nothing is known may be the one that never returns.
        let isCertain = !type.kinds.contains(.nil) || type.kinds == .nil && flow.unknownCalls.isEmpty
        return (isCertain ? type : nil, false)
    }

    private mutating func run() {
        guard function.lineOf.count == function.code.count else { return }
        context.budget.pay(20 * (function.code.count + function.locals.count))
        leads = leaders()
        // What is written last may be read first, in the next round of a loop.
        for _ in 0..<3 {
            let count = context.changes.count
            follow()
            if context.changes.count == count { break }
        }
        guard !entries.isEmpty, !context.budget.isSpent else { return }
        if isDry { return }
        // An early pass may have taken a call for one that never returns.
        endings = []
        reports = true
        for (leader, entry) in entries.enumerated() {
            guard let entry else { continue }
            _ = follow(from: leader, entry, until: leads)
        }
        checkSelfCall()
        checkWays()
    }

    /// Follows all paths until nothing changes any more.
    private mutating func follow() {
        var work = [0]
        entries = Array(repeating: nil, count: function.code.count)
        visits = Array(repeating: 0, count: function.code.count)
        guard !entries.isEmpty else { return }
        entries[0] = State(registers: parameters())
        while let leader = work.popLast() {
            guard let entry = entries[leader] else { continue }
            for (target, state) in follow(from: leader, entry, until: leads)
            where function.code.indices.contains(target) {
                guard !context.budget.isSpent else { return }
                guard let known = entries[target] else {
                    entries[target] = state
                    work.append(target)
                    continue
                }
                context.budget.pay(2 * known.size + 2 * state.size)
                var joined = known.joined(with: state)
                guard joined != known else { continue }
                visits[target] += 1
                // A type that changes again and again grows with each turn of a loop.
                if visits[target] > 20 { joined = known.widened(to: joined) }
                entries[target] = joined
                work.append(target)
            }
        }
    }

    /// Follows instructions to the next one at which paths meet. Returns where it goes on, and with what.
    private mutating func follow(
        from leader: Int, _ entry: State, until leaders: [Bool]
    ) -> [(Int, State)] {
        var state = entry
        var index = leader
        while function.code.indices.contains(index), !context.budget.isSpent {
            for register in assignedWithin where register < state.registers.count {
                state[register] = .unknown
            }
            // A test copies the state.
            context.budget.pay(function.code[index].isTest ? 10 + 2 * state.registers.count : 10)
            if let ways = step(index, &state) { return ways }
            guard index + 1 < leaders.count, !leaders[index + 1] else { return [(index + 1, state)] }
            index += 1
        }
        return []
    }

    /// Whether an instruction is one to which a jump leads, or the one after a jump.
    private func leaders() -> [Bool] {
        var leaders = [Bool](repeating: false, count: function.code.count)
        for index in function.code.indices {
            guard !function.code[index].goesOn else { continue }
            let next = function.successors(of: index)
            for leader in next + [index + 1] where leaders.indices.contains(leader) { leaders[leader] = true }
        }
        return leaders
    }

    private mutating func parameters() -> [Register] {
        var registers = [Register](repeating: .unknown, count: max(function.registers, function.parameters) + 1)
        for parameter in 0..<function.parameters { registers[parameter].word = local(parameter, at: 0) }
        for (parameter, type) in (arguments ?? []).enumerated() where parameter < function.parameters {
            registers[parameter].type = type
        }
        guard let replacement else { return registers }
        let types = replacement.signature.arguments.prefix(function.parameters).map(value)
        // A method of Wax gets the class or an object first; the types of what follows depend on which.
        guard !replacement.isMethod else { return registers }
        for parameter in 0..<function.parameters {
            registers[parameter].type =
                parameter == 0
                ? ValueType(.function, .original(replacement.name))
                : parameter - 1 < types.count ? types[parameter - 1] : .nil
            let type = registers[parameter].type
            if type.kinds != .nil, !type.isUnknown, type.kinds.contains(.nil) {
                registers[parameter].type.doubt = doubt("", asked: 0)
            }
        }
        return registers
    }

    /// Finds a replacement that calls its own name on each path.
    private mutating func checkSelfCall() {
        for (line, index) in selfCalls where !reachesReturn(without: index) {
            let name = replacement?.name ?? ""
            note(
                Problem(
                    code: .callsItself, line: line, word: "call",
                    message:
                        "the replacement of \(name) calls \(name), which calls the replacement again, on each path",
                    hint: "call the original"))
        }
    }

    /// The number of a function within this one whose callers are all known; nil if they are not.
    mutating func helper(_ index: Int, in register: Int, at place: Int) -> Int? {
        guard !isDry, let name = local(register, at: place + 1) else { return nil }
        if let number = helpers[index] { return number }
        let inner = function.inner[index]
        guard inner.upvalues.allSatisfy({ !($0.isInStack && $0.index == register) }),
            isAssignedOnce(register, name: name), function.onlyCalls(register, named: name, context.budget)
        else { return nil }
        let number = context.helpers.add(inner)
        helpers[index] = number
        return number
    }

    /// The number of what may leave a value nil: a function or the text that it reads.
    ///
    /// - Parameters:
    ///   - name: The function of the app, or the name of the text.
    ///   - index: The instruction.
    mutating func doubt(_ name: String, asked index: Int) -> UInt16 {
        let number = doubts[name] ?? UInt16(min(doubts.count + 1, Int(UInt16.max)))
        doubts[name] = number
        asked[number, default: []].insert(index)
        return number
    }

    /// Whether a value may be nil, and the script does not seem to know better: it has not tested the value, and has asked once.
    func isDoubtful(_ value: ValueType, _ word: String?, _ index: Int) -> Bool {
        guard value.doubt != 0, value.kinds.contains(.nil), value.kinds != .nil else { return false }
        guard value.doubt == doubts[""] || asked[value.doubt]?.count == 1 else { return false }
        return isSeen(word, before: index) != true
    }

    static let hintForNil: Advice = "test it first: if value then … end"
    static let hintForFraction: Advice = "// divides to a whole number, and math.floor makes one"

    /// Notes a problem, once.
    mutating func note(_ problem: Problem) {
        // In a protected call, a failure may be what is meant.
        if [.mayBeNil, .mayNotFit].contains(problem.code), replacement == nil,
            !context.asks.isDisjoint(with: ["pcall", "xpcall"])
        {
            return
        }
        guard reported.insert(problem).inserted, context.budget.takesProblem() else { return }
        problems.append(problem)
    }

    /// What the app gives as a value of the type that a text names.
    func value(_ type: String) -> ValueType {
        context.changes.read(ValueType(context.interface.type(type), in: context.interface))
    }

    /// The calls of the function's own name.
    var selfCalls: [(line: Int, index: Int)] = []

    /// Whether a path leads from the beginning to a return without an instruction.
    private func reachesReturn(without excluded: Int) -> Bool {
        var open = [0]
        var seen = [Bool](repeating: false, count: function.code.count)
        context.budget.pay(function.code.count)
        while let index = open.popLast() {
            context.budget.pay(20)
            // What is not known is not held against a script.
            guard !context.budget.isSpent else { return true }
            guard index != excluded, function.code.indices.contains(index), !seen[index] else { continue }
            seen[index] = true
            let next = function.successors(of: index)
            guard !next.isEmpty else { return true }
            open += next
        }
        return false
    }
}

extension Prototype {
    /// The instructions that may follow an instruction; none after a return.
    func successors(of index: Int) -> [Int] {
        let instruction = code[index]
        switch instruction.opcode {
        case .returnSome, .returnNone, .returnOne, .tailCall: return []
        case .jump: return [index + 1 + instruction.jump]
        case .loadFalseAndSkip: return [index + 2]
        case .forLoop, .genericForLoop: return [index + 1, index + 1 - instruction.bx]
        case .forPrepare: return [index + 1, index + 2 + instruction.bx]
        case .genericForPrepare: return [index + 1 + instruction.bx]
        case _ where instruction.isTest: return [index + 1, index + 2]
        default: return [index + 1]
        }
    }
}

extension Instruction {
    /// Whether it is certain that the next instruction follows.
    fileprivate var goesOn: Bool {
        switch opcode {
        case .returnSome, .returnNone, .returnOne, .tailCall, .jump, .loadFalseAndSkip, .forLoop, .genericForLoop,
            .forPrepare, .genericForPrepare:
            false
        default: !isTest
        }
    }
}
