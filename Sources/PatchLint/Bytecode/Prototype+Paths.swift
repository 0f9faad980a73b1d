extension Prototype {
    /// Visits the instructions that may follow an instruction; none after a return.
    func eachSuccessor(of index: Int, _ visit: (Int) -> Void) {
        let instruction = code[index]
        switch instruction.opcode {
        case .returnSome, .returnNone, .returnOne, .tailCall: break
        case .jump: visit(index + 1 + instruction.jump)
        case .loadFalseAndSkip: visit(index + 2)
        case .genericForPrepare: visit(index + 1 + instruction.bx)
        default:
            visit(index + 1)
            switch instruction.opcode {
            case .forLoop, .genericForLoop: visit(index + 1 - instruction.bx)
            case .forPrepare: visit(index + 2 + instruction.bx)
            default: if instruction.isTest { visit(index + 2) }
            }
        }
    }

    func findLeaders() -> [Bool] {
        var leaders = [Bool](repeating: false, count: code.count)
        for index in code.indices {
            guard !code[index].goesOn else { continue }
            eachSuccessor(of: index) { if leaders.indices.contains($0) { leaders[$0] = true } }
            if index + 1 < leaders.count { leaders[index + 1] = true }
        }
        return leaders
    }

    func jumpTarget(_ test: Int) -> Int {
        code.indices.contains(test + 1) ? test + 2 + code[test + 1].jump : test + 2
    }

    func jump(at index: Int, leadsTo target: Int) -> Bool {
        code.indices.contains(index) && code[index].opcode == .jump && index + 1 + code[index].jump == target
    }
}
