internal import PatchRunner

/// Follows the types of values through a function, as Java's and WebAssembly's verifiers do: over registers, joined where paths meet,
/// until nothing changes any more.
///
/// It finds what is certain to fail if the instruction runs. What it knows of a value is what each path to the instruction agrees on.
struct TypeFlow {
    /// What is known of all scripts together.
    struct Context {
        /// What the app offers. If it is not known, it has nothing in it.
        let interface: PatchInterface
        let knowsApp: Bool
        /// The globals that a script assigns. They may be anything.
        let assigned: Set<String>
        /// The names of the fields and members that a script writes anywhere.
        let written: Set<String>
        /// Whether a script may give a table a metatable.
        let setsMetatables: Bool
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

    /// A register: its value's type, and the name that the script has for it.
    struct Register: Equatable, Sendable {
        var type: ValueType
        var word: String?

        static let unknown = Register(type: .unknown)
    }

    struct State: Equatable {
        var registers: [Register]
        /// The first of the registers that hold as many values as a call returned.
        var open: Int?

        /// The state where two paths meet.
        func joined(with other: State) -> State {
            State(
                registers: zip(registers, other.registers).map {
                    Register(type: $0.type.joined(with: $1.type), word: $0.word == $1.word ? $0.word : nil)
                }, open: open == other.open ? open : nil)
        }

        /// The state in which whatever differs is unknown.
        func widened(to other: State) -> State {
            State(
                registers: zip(registers, other.registers).map { $0.type == $1.type ? $1 : .unknown },
                open: open == other.open ? open : nil)
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
    /// The names of the parameters that the app may leave out, which the function does not assign.
    let optionalParameters: Set<String>
    /// Whether problems are collected: only once the types are final.
    var reports = false
    /// What each function within this one captures.
    var captured: [Int: [ValueType]] = [:]
    /// Whether each way to the end returns a value.
    var returnsValue = false
    private var entries: [Int: State] = [:]
    private var visits: [Int: Int] = [:]

    init(_ function: Prototype, as replacement: Replacement?, upvalues: [ValueType], in context: Context) {
        self.function = function
        self.context = context
        self.replacement = replacement
        self.upvalues = upvalues
        let optional = (1..<max(1, function.parameters)).filter { parameter in
            guard let signature = replacement?.signature, replacement?.isMethod == false,
                parameter - 1 < signature.arguments.count
            else { return false }
            return signature.arguments[parameter - 1].hasSuffix(" or nil")
        }
        optionalParameters = Set(optional.compactMap { function.local($0, at: 0) })
        assignedWithin = Set(
            function.inner.flatMap { inner in
                inner.upvalues.indices.filter { inner.upvalues[$0].isInStack && inner.assigns($0) }
                    .map { inner.upvalues[$0].index }
            })
    }

    /// A function with more instructions is not followed, nor one of which each instruction is visited more often on average.
    private static let most = (instructions: 20_000, visits: 40)

    /// What is wrong in a function and in those within it.
    ///
    /// - Parameter replaced: The function of the app that a function replaces, by the function.
    static func problems(
        in function: Prototype, upvalues: [ValueType], _ context: Context, replaced: (Prototype) -> Replacement?
    ) -> [Problem] {
        var flow = TypeFlow(function, as: replaced(function), upvalues: upvalues, in: context)
        flow.run()
        var problems = flow.problems
        for (index, inner) in function.inner.enumerated() {
            // What is captured by a function that no path makes is not known.
            let captured = flow.captured[index] ?? inner.upvalues.map { _ in .unknown }
            problems += Self.problems(in: inner, upvalues: captured, context, replaced: replaced)
        }
        return problems
    }

    private mutating func run() {
        guard function.code.count <= Self.most.instructions, function.lineOf.count == function.code.count else {
            return
        }
        let leaders = leaders()
        var work = [0]
        entries[0] = State(registers: parameters())
        var steps = 0
        while let leader = work.popLast() {
            guard let entry = entries[leader] else { continue }
            for (target, state) in follow(from: leader, entry, until: leaders, &steps)
            where function.code.indices.contains(target) {
                guard steps < Self.most.visits * (function.code.count + 10) else { return }
                guard let known = entries[target] else {
                    entries[target] = state
                    work.append(target)
                    continue
                }
                var joined = known.joined(with: state)
                guard joined != known else { continue }
                visits[target, default: 0] += 1
                // A type that changes again and again grows with each turn of a loop.
                if visits[target, default: 0] > 20 { joined = known.widened(to: joined) }
                entries[target] = joined
                work.append(target)
            }
        }
        reports = true
        for (leader, entry) in entries.sorted(by: { $0.key < $1.key }) {
            _ = follow(from: leader, entry, until: leaders, &steps)
        }
        checkSelfCall()
        var seen: Set<Problem> = []
        problems = problems.filter { seen.insert($0).inserted }
    }

    /// Follows instructions to the next one at which paths meet. Returns where it goes on, and with what.
    private mutating func follow(
        from leader: Int, _ entry: State, until leaders: Set<Int>, _ steps: inout Int
    ) -> [(Int, State)] {
        var state = entry
        var index = leader
        while function.code.indices.contains(index) {
            steps += 1
            let ways = step(index, &state)
            for register in assignedWithin where register < state.registers.count {
                state[register] = .unknown
            }
            guard ways.count == 1, ways[0].0 == index + 1, !leaders.contains(index + 1) else { return ways }
            index += 1
        }
        return []
    }

    /// The instructions to which jumps lead, and those after jumps.
    private func leaders() -> Set<Int> {
        var leaders: Set<Int> = []
        for index in function.code.indices {
            let next = function.successors(of: index)
            if next != [index + 1] { leaders.formUnion(next + [index + 1]) }
        }
        return leaders
    }

    private func parameters() -> [Register] {
        var registers = [Register](repeating: .unknown, count: max(function.registers, function.parameters) + 1)
        for parameter in 0..<function.parameters { registers[parameter].word = function.local(parameter, at: 0) }
        guard let replacement else { return registers }
        let types = replacement.signature.arguments.map { ValueType(InterfaceType($0), in: context.interface) }
        // A method of Wax gets the class or an object first; the types of what follows depend on which.
        guard !replacement.isMethod else { return registers }
        for parameter in 0..<function.parameters {
            registers[parameter].type =
                parameter == 0
                ? ValueType(.function, .original(replacement.name))
                : parameter - 1 < types.count ? types[parameter - 1] : .nil
        }
        return registers
    }

    /// Finds a replacement that calls its own name on each path.
    private mutating func checkSelfCall() {
        for (line, index) in selfCalls where !reachesReturn(without: index) {
            let name = replacement?.name ?? ""
            problems.append(
                Problem(
                    code: .callsItself, line: line, word: "call",
                    message:
                        "the replacement of \(name) calls \(name), which calls the replacement again, on each path",
                    hint: "call the original"))
        }
    }

    /// The calls of the function's own name.
    var selfCalls: [(line: Int, index: Int)] = []

    /// Whether a path leads from the beginning to a return without an instruction.
    private func reachesReturn(without excluded: Int) -> Bool {
        var open = [0]
        var seen: Set<Int> = []
        while let index = open.popLast() {
            guard index != excluded, function.code.indices.contains(index), seen.insert(index).inserted else {
                continue
            }
            let next = function.successors(of: index)
            guard !next.isEmpty else { return true }
            open += next
        }
        return false
    }
}

extension Prototype {
    /// The instructions that may follow an instruction; none after a return.
    fileprivate func successors(of index: Int) -> [Int] {
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

    /// Whether the function, or one within it, assigns an upvalue.
    fileprivate func assigns(_ upvalue: Int) -> Bool {
        code.contains { $0.opcode == .setUpvalue && $0.b == upvalue }
            || inner.contains { inner in
                inner.upvalues.indices.contains {
                    !inner.upvalues[$0].isInStack && inner.upvalues[$0].index == upvalue && inner.assigns($0)
                }
            }
    }
}
