internal import PatchRunner

// The paths through a function, which are followed until nothing changes.

extension TypeFlow {
    /// Follows all paths, until no write of a script changes the types of others. Returns whether the types are known.
    mutating func run() -> Bool {
        guard function.lineOf.count == function.code.count else { return false }
        context.budget.pay(20 * (function.code.count + function.locals.count))
        isBlockStart = function.leaders
        // The last write may be read first, in the next round of a loop.
        var count: Int
        repeat {
            count = context.changes.count
            follow()
        } while context.changes.count != count && !context.budget.isSpent
        return !entries.isEmpty && !context.budget.isSpent
    }

    /// The type of the first result of a function for any arguments, nil if it is not known; and whether it never
    /// returns.
    static func result(of function: Prototype, _ context: FlowContext) -> (type: ValueType?, ends: Bool) {
        let upvalues = function.upvalues.map { _ in ValueType.unknown }
        var flow = TypeFlow(function, as: nil, upvalues: upvalues, isDry: true, in: context)
        _ = flow.run()
        if context.budget.isSpent { return (nil, false) }
        guard let type = flow.returned else { return (nil, !flow.entries.isEmpty) }
        // A call of an unknown function may be the one that never returns.
        let isCertain = !type.kinds.contains(.nil) || (type.kinds == .nil && flow.unknownCalls.isEmpty)
        return (isCertain ? type : nil, false)
    }

    /// Follows all paths once more, with what is known about the writes of scripts now.
    private mutating func follow() {
        var work = [0]
        entries = []
        entries.reserveCapacity(1 + isBlockStart.count { $0 })
        blockState = Array(repeating: -1, count: function.code.count)
        guard !blockState.isEmpty else { return }
        entries.append((firstState(), 0))
        blockState[0] = 0
        while let leader = work.popLast() { follow(from: leader, entries[Int(blockState[leader])].state, &work) }
    }

    /// Joins the state on a path with the state at its end. If the result differs, it is followed from there again.
    private mutating func arrive(at target: Int, _ state: FlowState, _ work: inout [Int]) {
        guard function.code.indices.contains(target), !context.budget.isSpent else { return }
        let place = Int(blockState[target])
        guard place >= 0 else {
            blockState[target] = Int32(entries.count)
            entries.append((state, 0))
            work.append(target)
            return
        }
        let known = entries[place].state
        context.budget.pay(2 * known.size + 2 * state.size)
        guard known != state, case var joined = known.joined(with: state), joined != known else { return }
        entries[place].changes += 1
        // A type that changes again and again grows with each turn of a loop.
        if entries[place].changes > 20 { joined = known.widened(to: joined) }
        entries[place].state = joined
        work.append(target)
    }

    /// Follows instructions to the next one at which paths meet.
    private mutating func follow(from leader: Int, _ entry: FlowState, _ work: inout [Int]) {
        var state = entry
        var index = leader
        while prepare(index, &state) {
            switch step(index, &state) {
            case nil where !endsBlock(index): index += 1
            case nil: return arrive(at: index + 1, state, &work)
            case FlowWays.none?: return
            case .one(let target, let state): return arrive(at: target, state, &work)
            case .two(let target, let state, let other, let otherState):
                arrive(at: target, state, &work)
                return arrive(at: other, otherState, &work)
            }
        }
    }

    /// Forgets the registers that other functions assign, and pays for an instruction. Returns whether it can be
    /// followed.
    ///
    /// It is mutating so that it gets no copy of the flow.
    mutating func prepare(_ index: Int, _ state: inout FlowState) -> Bool {
        guard function.code.indices.contains(index), !context.budget.isSpent else { return false }
        if !assignedWithin.isEmpty {
            for register in 0..<state.count where assignedWithin.contains(register) { state[register] = .unknown }
        }
        // A test copies the state.
        context.budget.pay(function.code[index].isTest ? 10 + 2 * state.count : 10)
        return true
    }

    /// Whether paths may meet after an instruction, or none leads on.
    func endsBlock(_ index: Int) -> Bool { index + 1 >= isBlockStart.count || isBlockStart[index + 1] }

    /// The state before the first instruction.
    private mutating func firstState() -> FlowState {
        var state = FlowState(count: max(function.registers, function.parameters) + 1, context.details)
        for parameter in 0..<function.parameters {
            state.set(parameter, .unknown, word: localNumber(parameter, at: 0) ?? -1)
        }
        for (parameter, type) in (arguments ?? []).enumerated() where parameter < function.parameters {
            state[parameter] = type
        }
        // A method of Wax gets the class or an object first, and the types of the other arguments depend on which.
        guard let replacement, !replacement.isMethod else { return state }
        let types = replacement.signature.argumentTypes.prefix(function.parameters).map(value)
        let given = [ValueType(.function, .original(replacement.name))] + types
        for parameter in 0..<function.parameters {
            var type = parameter < given.count ? given[parameter] : .nil
            if type.kinds != .nil, !type.isUnknown, type.kinds.contains(.nil) {
                type.doubt = doubt(Self.optional, asked: 0)
            }
            state[parameter] = type
        }
        return state
    }
}
