// The paths through a function.

extension Prototype {
    /// Up to two instructions.
    struct Successors: Sequence, IteratorProtocol {
        private var first: Int?
        private var second: Int?

        init(_ first: Int? = nil, _ second: Int? = nil) { (self.first, self.second) = (first, second) }

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

    func findLeaders() -> [Bool] {
        var leaders = [Bool](repeating: false, count: code.count)
        for index in code.indices {
            guard !code[index].goesOn else { continue }
            for leader in successors(of: index) where leaders.indices.contains(leader) {
                leaders[leader] = true
            }
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
