// The problems of the paths through a function: code that is never run, and loops that never end or never repeat.

extension FlowChecks {
    mutating func checkPaths() {
        let reached = reached()
        checkReached(reached)
        // The last jump back to each beginning of a loop.
        var loops: [Int: Int] = [:]
        for index in function.code.indices where reached[index] {
            let instruction = function.code[index]
            switch instruction.opcode {
            case .forPrepare, .genericForPrepare: checkRounds(index, end: index + 1 + instruction.bx, reached)
            case .jump where instruction.jump < 0: loops[max(0, index + 1 + instruction.jump)] = index
            default: break
            }
        }
        for (head, end) in loops.sorted(by: { $0.key < $1.key }) { checkEnd(head...end, reached) }
    }

    /// Finds a replacement that calls its own name on each path.
    mutating func checkSelfCall() {
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

    /// The instructions to which a path leads from the beginning.
    private func reached() -> [Bool] {
        var reached = [Bool](repeating: false, count: function.code.count)
        var open = [0]
        context.budget.pay(10 * reached.count)
        while var index = open.popLast() {
            while reached.indices.contains(index), !reached[index] {
                reached[index] = true
                var following = next(index)
                guard let first = following.next() else { break }
                if let second = following.next() { open.append(second) }
                index = first
            }
        }
        return reached
    }

    /// The instructions that may follow; none after a call that never returns.
    private func next(_ index: Int) -> Prototype.Successors {
        flow.callsWithoutReturn.contains(index) ? .init() : function.successors(of: index)
    }

    /// Finds code that is never run, after a return, a call that never returns, or an endless loop.
    private mutating func checkReached(_ reached: [Bool]) {
        let code = function.code
        var index = 1
        while index < code.count {
            guard !reached[index], reached[index - 1] else {
                index += 1
                continue
            }
            let last = code[index - 1]
            // Code that a constant condition excludes is left out on purpose.
            let isMeant = last.opcode == .jump && last.jump >= 0 || last.opcode == .loadFalseAndSkip
            let end = reached[index...].firstIndex(of: true) ?? code.count - 1
            // A return follows each tail call.
            let begin = last.opcode == .tailCall && code[index].opcode == .returnSome ? index + 1 : index
            // A return after an error or an endless loop is a habit.
            let isHabit = flow.callsWithoutReturn.contains(index - 1) || last.opcode == .jump
            let matters = !isHabit || code[begin..<max(begin, end)].contains { $0.opcode.acts }
            if !isMeant, matters, begin < end, let first = (begin..<end).first(where: { code[$0].opcode.isWritten }) {
                report(.unreachable, first, nil, "this is never run: the code before it always ends")
            }
            index = end + 1
        }
    }

    /// Finds a loop over values that always ends in its first round, in more ways than one.
    private mutating func checkRounds(_ index: Int, end: Int, _ reached: [Bool]) {
        guard function.code.indices.contains(end), index + 1 < end else { return }
        let body = index + 1..<end
        context.budget.pay(10 * body.count)
        guard !body.contains(where: { reached[$0] && next($0).contains(end) }) else { return }
        // Paths to the same place are one way out.
        let exits = body.filter { reached[$0] }.flatMap { place in
            next(place).isEmpty ? [-place] : Array(next(place)).filter { !(index...end).contains($0) }
        }
        guard Set(exits).count > 1 else { return }
        report(
            .unreachable, index, "for", "the loop never has a second round: each way through it leaves it",
            hint: "return or break in one branch only, and the rest after the loop")
    }

    /// Finds a loop that never ends.
    private mutating func checkEnd(_ loop: ClosedRange<Int>, _ reached: [Bool]) {
        context.budget.pay(20 * loop.count)
        let inside = loop.filter { reached[$0] }
        let calls = inside.contains { [.call, .tailCall, .genericForCall].contains(function.code[$0].opcode) }
        let written = Written(loop.map { function.code[$0] })
        var words: [String] = []
        for index in inside {
            let next = next(index)
            guard next.isEmpty || next.contains(where: { !loop.contains($0) }) else { continue }
            // Each way out must be a test of values that do not change.
            let test = function.code[index].opcode == .jump ? index - 1 : index
            guard loop.contains(test), function.code[test].isTest,
                function.code[test].tested.allSatisfy({ isSteady($0, before: test, in: loop, written, calls) })
            else { return }
            words += function.code[test].tested.compactMap { flow.local($0, at: test) }
        }
        if words.isEmpty, calls { return }
        report(
            .endlessLoop, loop.lowerBound, words.first ?? "while",
            words.isEmpty
                ? "the loop never ends: no way leads out of it"
                : "the loop ends in its first round or never: it does not change \(words.joined(separator: " or "))")
    }

    /// Whether a register holds the same value in each round.
    private func isSteady(
        _ register: Int, before index: Int, in loop: ClosedRange<Int>, _ written: Written, _ calls: Bool
    ) -> Bool {
        context.budget.pay(20)
        guard !context.budget.isSpent else { return false }
        if flow.local(register, at: index) != nil || register < function.parameters {
            return !(calls && flow.assignedWithin.contains(register)) && !written.contains(register)
        }
        var place = index - 1
        while place >= loop.lowerBound, !function.code[place].writes(register) {
            context.budget.pay(20)
            guard function.code[place].opcode != .jump, !function.code[place].isTest else { return false }
            place -= 1
        }
        guard place >= loop.lowerBound else { return !written.contains(register) }
        let instruction = function.code[place]
        switch instruction.opcode {
        case .loadInteger, .loadFloat, .loadConstant, .loadFalse, .loadTrue: return true
        case .move: return isSteady(instruction.b, before: place, in: loop, written, calls)
        case .length, .getField, .getInteger:
            return !calls && !written.stores && isSteady(instruction.b, before: place, in: loop, written, calls)
        default: return false
        }
    }
}

/// The registers and tables that the instructions of a loop may change.
private struct Written {
    private var registers: Set<Int> = []
    /// All registers from this one on may change.
    private var first = Int.max
    /// Whether an instruction writes into a table, or to a variable that is not a register.
    private(set) var stores = false

    init(_ instructions: [Instruction]) {
        for instruction in instructions {
            if instruction.opcode.stores { stores = true }
            switch instruction.written {
            case nil: break
            case let range? where range.upperBound == Int.max: first = min(first, range.lowerBound)
            case let range?: registers.formUnion(range)
            }
        }
    }

    func contains(_ register: Int) -> Bool { register >= first || registers.contains(register) }
}
