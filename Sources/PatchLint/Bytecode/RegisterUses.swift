/// The instructions of a function that name a register, found by register.
struct RegisterUses {
    /// The instructions that have a register's number in a field, by register.
    private var places: [Int32] = []
    /// The index in `places` of each register's first instruction, and after the last register their count.
    private var starts: [Int]
    /// The instructions that use registers of locals that none of their fields names. The others of this kind, such as
    /// tail calls, `..` and loops, reach so only registers that no local in scope has.
    private var wide: [Int32] = []

    init(of code: [Instruction]) {
        starts = Array(repeating: 0, count: 257)
        func each(_ body: (_ register: Int, _ index: Int32) -> Void) {
            for (index, instruction) in code.enumerated() where !Self.isWide(instruction) {
                let (a, b, c) = (instruction.a, instruction.b, instruction.c)
                body(a, Int32(index))
                if b != a { body(b, Int32(index)) }
                if c != a, c != b { body(c, Int32(index)) }
            }
        }
        for (index, instruction) in code.enumerated() where Self.isWide(instruction) { wide.append(Int32(index)) }
        each { register, _ in starts[register + 1] += 1 }
        for register in 0..<256 { starts[register + 1] += starts[register] }
        places = Array(repeating: 0, count: starts[256])
        var next = starts
        each { register, index in
            places[next[register]] = index
            next[register] += 1
        }
    }

    private static func isWide(_ instruction: Instruction) -> Bool {
        switch instruction.opcode {
        case .loadNil, .call, .returnSome, .getSelf: true
        default: false
        }
    }

    /// Whether an instruction in a range fits, of those that name a register or are wide.
    ///
    /// - Parameter register: That of a local, which is in scope in all of the range.
    func contains(_ register: Int, in range: Range<Int>, where fits: (Int) -> Bool) -> Bool {
        func contains(_ places: ArraySlice<Int32>) -> Bool {
            var (low, high) = (places.startIndex, places.endIndex)
            while low < high {
                let middle = (low + high) / 2
                if Int(places[middle]) < range.lowerBound { low = middle + 1 } else { high = middle }
            }
            while low < places.endIndex, Int(places[low]) < range.upperBound {
                if fits(Int(places[low])) { return true }
                low += 1
            }
            return false
        }
        guard (0..<256).contains(register) else { return false }
        return contains(places[starts[register]..<starts[register + 1]]) || contains(wide[...])
    }
}
