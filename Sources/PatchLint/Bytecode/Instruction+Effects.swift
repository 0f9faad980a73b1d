extension Instruction {
    /// Whether the next instruction certainly follows.
    var goesOn: Bool {
        switch opcode {
        case .returnSome, .returnNone, .returnOne, .tailCall, .jump, .loadFalseAndSkip, .forLoop, .genericForLoop,
            .forPrepare, .genericForPrepare:
            false
        default: !isTest
        }
    }

    /// Whether its result shows whether its operands are whole or even: a remainder, a whole quotient, or bits.
    var examines: Bool {
        switch opcode {
        case .modulo, .moduloConstant, .floorDivide, .floorDivideConstant, .and, .andConstant: true
        default: false
        }
    }

    /// Whether a call passes the value of a register, which comes after that of its function.
    func passes(_ register: Int) -> Bool { b == 0 || register < a + b }

    /// Whether a store puts the value of a register into a table, as the value or as the key. A constant is none.
    func stores(_ register: Int) -> Bool { (!k && c == register) || (opcode == .setTable && b == register) }

    /// Whether it may write a register.
    func writes(_ register: Int) -> Bool { written?.contains(register) ?? false }

    /// The registers that it may write, without an end for an instruction that may write all from one on; nil if there
    /// are none.
    var written: Range<Int>? {
        switch opcode {
        case .setGlobal, .setTable, .setInteger, .setField, .setUpvalue, .returnSome, .returnNone, .returnOne, .jump,
            .close, .setList, .metamethod, .metamethodInteger, .metamethodConstant, .extraArgument, .toBeClosed:
            nil
        case .loadNil: a..<a + b + 1
        case .call, .tailCall, .genericForCall, .variadic, .forLoop, .forPrepare, .genericForLoop: a..<Int.max
        case .getSelf: a..<a + 2
        case _ where isTest && opcode != .testAndSet: nil
        default: a..<a + 1
        }
    }
}
