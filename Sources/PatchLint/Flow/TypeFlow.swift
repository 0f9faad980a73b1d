internal import PatchRunner

/// Follows the types of values through a function, as the verifiers of Java and WebAssembly do.
///
/// It follows the registers and joins the types where paths meet, until nothing changes. It finds the instructions that are
/// certain to fail if they run. A fact about a value is known at an instruction if all paths to the instruction agree on it.
struct TypeFlow {
    /// The facts about all scripts together.
    final class Context {
        /// The interface of the app; empty if it is not known.
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
        let details = ValueDetails()
        let changes = Changes()
        /// Pays for all of this work.
        let budget: LintBudget
        let comparisons: TypeComparisons

        init(
            interface: KnownInterface, knowsApp: Bool, assigned: Set<String>, written: Set<String>,
            setsMetatables: Bool, budget: LintBudget = LintBudget()
        ) {
            self.interface = interface
            self.knowsApp = knowsApp
            self.assigned = assigned
            self.written = written
            self.setsMetatables = setsMetatables
            self.budget = budget
            comparisons = TypeComparisons(interface, budget)
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
        var hint: String?
    }

    let function: Prototype
    let context: Context
    let replacement: Replacement?
    /// The types of the upvalues.
    let upvalues: [ValueType]
    /// The registers that functions within this one assign. They may hold anything.
    let assignedWithin: RegisterSet
    var problems: [Problem] = []
    /// Whether problems are collected. They are collected only once the types are final.
    var reports = false
    /// The values that each function within this one captures.
    var captured: [Int: [ValueType]] = [:]
    /// The types of the arguments, if all callers are known.
    private(set) var arguments: [ValueType]?
    /// The numbers of the functions within this one that are only called.
    private(set) var helpers: [Int: Int] = [:]
    /// Whether only the result is wanted.
    private var isDry = false
    /// The type of the values that it returns.
    var returned: ValueType?
    /// The calls that never return.
    var endings: Set<Int> = []
    /// Whether a path to the end returns a value.
    var returnsValue = false
    /// The states where paths meet, by instruction, and how often each has changed.
    private var entries: [State] = []
    /// For each instruction, the index of its state among the entries; -1 if no path leads to it.
    private var entryOf: [Int32] = []
    private var visits: [Int] = []
    /// Whether paths may meet at an instruction.
    private(set) var leads: [Bool] = []
    /// The calls of unknown functions. They may always throw.
    var unknownCalls: Set<Int> = []
    /// Whether it calls a function of the sandbox that may return nil, such as `string.byte`.
    var asksLibrary = false
    /// The first test; the number of instructions if there is none.
    private(set) lazy var firstTest = function.code.firstIndex(where: \.isTest) ?? function.code.count
    private var reported: Set<Problem> = []
    /// Whether a local name gets its value only where it is declared.
    var assignedOnce: [Int: Bool] = [:]
    private let names: LocalNames
    /// The types of the constants.
    let constants: [ValueType]
    /// The types of the globals that constants name.
    var globals: [ValueType?]
    /// The numbers of the causes that may leave a value nil, and the instructions at which they occur.
    private var doubts: [String: UInt16] = [:]
    private var asked: [UInt16: Set<Int>] = [:]

    init(_ function: Prototype, as replacement: Replacement?, upvalues: [ValueType], in context: Context) {
        self.function = function
        self.context = context
        self.replacement = replacement
        self.upvalues = upvalues
        names = function.localNames
        constants = function.constants.map(ValueType.init(constant:))
        globals = Array(repeating: nil, count: constants.count)
        var assigned = RegisterSet()
        for inner in function.inner where !inner.assignedUpvalues.isEmpty {
            for (upvalue, place) in inner.upvalues.enumerated()
            where place.isInStack && inner.assignedUpvalues.contains(upvalue) {
                assigned.insert(place.index)
            }
        }
        assignedWithin = assigned
    }

    /// The local name of a register at an instruction.
    func local(_ register: Int, at index: Int) -> String? { names.name(of: register, at: index) }

    /// The number of that name.
    func localNumber(_ register: Int, at index: Int) -> Int32? { names.local(of: register, at: index)?.number }

    /// The problems in a function and in the functions within it.
    ///
    /// - Parameters:
    ///   - arguments: The types of its arguments, if all callers are known.
    ///   - replaced: Returns the function of the app that a function replaces.
    static func problems(
        in function: Prototype, upvalues: [ValueType], arguments: [ValueType]? = nil, _ context: Context,
        replaced: (Prototype) -> Replacement?
    ) -> [Problem] {
        var flow = TypeFlow(function, as: replaced(function), upvalues: upvalues, in: context)
        flow.arguments = flow.replacement == nil ? arguments : nil
        flow.run()
        var problems = flow.problems
        // The callers of a local function come after it.
        for (index, inner) in function.inner.enumerated().reversed() where !context.budget.isSpent {
            // The values that a function captures are not known if no path makes the function.
            let captured = flow.captured[index] ?? inner.upvalues.map { _ in .unknown }
            let arguments = flow.helpers[index].flatMap { context.helpers.arguments(of: $0) }
            problems += Self.problems(
                in: inner, upvalues: captured, arguments: arguments, context, replaced: replaced)
        }
        return problems
    }

    /// The type of the first result of a function for any arguments, and whether it never returns; the type is nil if it is not
    /// known.
    static func result(of function: Prototype, _ context: Context) -> (type: ValueType?, ends: Bool) {
        var flow = TypeFlow(function, as: nil, upvalues: function.upvalues.map { _ in .unknown }, in: context)
        flow.isDry = true
        flow.run()
        if context.budget.isSpent { return (nil, false) }
        guard let type = flow.returned else { return (nil, !flow.entries.isEmpty) }
        // A call of an unknown function may be the one that never returns.
        let isCertain = !type.kinds.contains(.nil) || type.kinds == .nil && flow.unknownCalls.isEmpty
        return (isCertain ? type : nil, false)
    }

    private mutating func run() {
        guard function.lineOf.count == function.code.count else { return }
        context.budget.pay(20 * (function.code.count + function.locals.count))
        leads = leaders()
        // The last write may be read first, in the next round of a loop.
        for _ in 0..<3 {
            let count = context.changes.count
            follow()
            if context.changes.count == count { break }
        }
        guard !entries.isEmpty, !context.budget.isSpent else { return }
        if isDry { return }
        // An early pass may have found wrongly that a call never returns.
        endings = []
        reports = true
        for (leader, entry) in entryOf.enumerated() where entry >= 0 {
            _ = follow(from: leader, entries[Int(entry)], until: leads)
        }
        checkSelfCall()
        checkWays()
    }

    /// Follows all paths until nothing changes.
    private mutating func follow() {
        var work = [0]
        entries = []
        entryOf = Array(repeating: -1, count: function.code.count)
        visits = Array(repeating: 0, count: function.code.count)
        guard !entryOf.isEmpty else { return }
        entries.append(parameters())
        entryOf[0] = 0
        while let leader = work.popLast() {
            switch follow(from: leader, entries[Int(entryOf[leader])], until: leads) {
            case .none: break
            case .one(let target, let state): arrive(at: target, state, &work)
            case .two(let target, let state, let other, let otherState):
                arrive(at: target, state, &work)
                arrive(at: other, otherState, &work)
            }
        }
    }

    /// Joins the state on a path with the state at its end. If the result differs, it is followed from there again.
    private mutating func arrive(at target: Int, _ state: State, _ work: inout [Int]) {
        guard function.code.indices.contains(target), !context.budget.isSpent else { return }
        let place = Int(entryOf[target])
        guard place >= 0 else {
            entryOf[target] = Int32(entries.count)
            entries.append(state)
            work.append(target)
            return
        }
        let known = entries[place]
        context.budget.pay(2 * known.size + 2 * state.size)
        guard known != state, case var joined = known.joined(with: state), joined != known else { return }
        visits[target] += 1
        // A type that changes again and again grows with each turn of a loop.
        if visits[target] > 20 { joined = known.widened(to: joined) }
        entries[place] = joined
        work.append(target)
    }

    /// Follows instructions to the next one at which paths meet. Returns where the paths lead, with their states.
    private mutating func follow(from leader: Int, _ entry: State, until leaders: [Bool]) -> Ways {
        var state = entry
        var index = leader
        while function.code.indices.contains(index), !context.budget.isSpent {
            if !assignedWithin.isEmpty {
                for register in 0..<state.count where assignedWithin.contains(register) { state[register] = .unknown }
            }
            // A test copies the state.
            context.budget.pay(function.code[index].isTest ? 10 + 2 * state.count : 10)
            if let ways = step(index, &state) { return ways }
            guard index + 1 < leaders.count, !leaders[index + 1] else { return .one(index + 1, state) }
            index += 1
        }
        return .none
    }

    /// For each instruction, whether it is the target of a jump, or follows a jump.
    private func leaders() -> [Bool] {
        var leaders = [Bool](repeating: false, count: function.code.count)
        for index in function.code.indices {
            guard !function.code[index].goesOn else { continue }
            for leader in function.successors(of: index) where leaders.indices.contains(leader) {
                leaders[leader] = true
            }
            if index + 1 < leaders.count { leaders[index + 1] = true }
        }
        return leaders
    }

    /// The state before the first instruction.
    private mutating func parameters() -> State {
        var state = State(count: max(function.registers, function.parameters) + 1, context.details)
        for parameter in 0..<function.parameters {
            state.set(parameter, .unknown, word: localNumber(parameter, at: 0) ?? -1)
        }
        for (parameter, type) in (arguments ?? []).enumerated() where parameter < function.parameters {
            state[parameter] = type
        }
        guard let replacement else { return state }
        let types = replacement.signature.arguments.prefix(function.parameters).map(value)
        // A method of Wax gets the class or an object first, and the types of the other arguments depend on which.
        guard !replacement.isMethod else { return state }
        for parameter in 0..<function.parameters {
            var type =
                parameter == 0
                ? ValueType(.function, .original(replacement.name))
                : parameter - 1 < types.count ? types[parameter - 1] : .nil
            if type.kinds != .nil, !type.isUnknown, type.kinds.contains(.nil) { type.doubt = doubt("", asked: 0) }
            state[parameter] = type
        }
        return state
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
        guard !isDry, let name = localNumber(register, at: place + 1) else { return nil }
        if let number = helpers[index] { return number }
        let inner = function.inner[index]
        guard inner.upvalues.allSatisfy({ !($0.isInStack && $0.index == register) }),
            isAssignedOnce(register, name: name),
            let range = function.locals.first(where: { $0.number == name })?.range,
            function.onlyCalls(register, in: range, context.budget)
        else { return nil }
        let number = context.helpers.add(inner)
        helpers[index] = number
        return number
    }

    /// The number of the cause that may leave a value nil: a function, or the string that it reads.
    ///
    /// - Parameters:
    ///   - name: The function of the app, or the name of the string.
    ///   - index: The instruction.
    mutating func doubt(_ name: String, asked index: Int) -> UInt16 {
        let number = doubts[name] ?? UInt16(min(doubts.count + 1, Int(UInt16.max)))
        doubts[name] = number
        asked[number, default: []].insert(index)
        return number
    }

    /// Whether a value may be nil, and the script does not seem to know better.
    ///
    /// The script has not tested the value, and calls the function or reads the string only once.
    func isDoubtful(_ value: ValueType, _ word: String?, _ index: Int) -> Bool {
        guard value.doubt != 0, value.kinds.contains(.nil), value.kinds != .nil else { return false }
        guard value.doubt == doubts[""] || asked[value.doubt]?.count == 1 else { return false }
        return isSeen(word, before: index) != true
    }

    static let hintForNil = "test it first: if value then … end"
    static let hintForFraction = "// divides to a whole number, and math.floor makes one"

    /// Notes a problem, once.
    mutating func note(_ problem: Problem) {
        // In a protected call, a failure may be intended.
        if [.mayBeNil, .mayNotFit].contains(problem.code), replacement == nil,
            !context.asks.isDisjoint(with: ["pcall", "xpcall"])
        {
            return
        }
        guard reported.insert(problem).inserted, context.budget.takesProblem() else { return }
        problems.append(problem)
    }

    /// The value that the app gives for the type that a string names.
    func value(_ type: String) -> ValueType {
        context.changes.read(ValueType(context.interface.type(type), in: context.interface))
    }

    /// The calls of the function's own name.
    var selfCalls: [(line: Int, index: Int)] = []

    /// Whether a path leads from the beginning to a return without passing an instruction.
    private func reachesReturn(without excluded: Int) -> Bool {
        var open = [0]
        var seen = [Bool](repeating: false, count: function.code.count)
        context.budget.pay(function.code.count)
        while let index = open.popLast() {
            context.budget.pay(20)
            // An unknown result is not held against a script.
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
    /// Up to two instructions.
    struct Successors: Sequence, IteratorProtocol {
        private var first: Int?
        private var second: Int?

        init(_ first: Int? = nil, _ second: Int? = nil) { (self.first, self.second) = (first, second) }

        var isEmpty: Bool { first == nil }

        mutating func next() -> Int? {
            defer { (first, second) = (second, nil) }
            return first
        }
    }

    /// The instructions that may follow an instruction; none after a return.
    func successors(of index: Int) -> Successors {
        let instruction = code[index]
        switch instruction.opcode {
        case .returnSome, .returnNone, .returnOne, .tailCall: return Successors()
        case .jump: return Successors(index + 1 + instruction.jump)
        case .loadFalseAndSkip: return Successors(index + 2)
        case .forLoop, .genericForLoop: return Successors(index + 1, index + 1 - instruction.bx)
        case .forPrepare: return Successors(index + 1, index + 2 + instruction.bx)
        case .genericForPrepare: return Successors(index + 1 + instruction.bx)
        case _ where instruction.isTest: return Successors(index + 1, index + 2)
        default: return Successors(index + 1)
        }
    }
}

extension Instruction {
    /// Whether the next instruction certainly follows.
    fileprivate var goesOn: Bool {
        switch opcode {
        case .returnSome, .returnNone, .returnOne, .tailCall, .jump, .loadFalseAndSkip, .forLoop, .genericForLoop,
            .forPrepare, .genericForPrepare:
            false
        default: !isTest
        }
    }
}
