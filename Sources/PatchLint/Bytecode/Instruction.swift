/// A Lua 5.4 instruction, with the opcode numbers of `lopcodes.h`.
///
/// It is seven bits of opcode, then A, k, B and C; or A and Bx; or sJ.
struct Instruction {
    enum Opcode: UInt32 {
        case move, loadInteger, loadFloat, loadConstant, loadLongConstant, loadFalse, loadFalseAndSkip, loadTrue,
            loadNil
        case getUpvalue, setUpvalue
        case getGlobal, getTable, getInteger, getField
        case setGlobal, setTable, setInteger, setField
        case newTable, getSelf
        case addInteger
        case addConstant, subtractConstant, multiplyConstant, moduloConstant, powerConstant, divideConstant
        case floorDivideConstant, andConstant, orConstant, exclusiveOrConstant
        case shiftRightInteger, shiftLeftInteger
        case add, subtract, multiply, modulo, power, divide, floorDivide
        case and, or, exclusiveOr, shiftLeft, shiftRight
        case metamethod, metamethodInteger, metamethodConstant
        case negate, bitwiseNot, not, length, concatenate
        case close, toBeClosed, jump
        case equal, less, lessOrEqual
        case equalConstant, equalInteger, lessInteger, lessOrEqualInteger, greaterInteger, greaterOrEqualInteger
        case test, testAndSet
        case call, tailCall
        case returnSome, returnNone, returnOne
        case forLoop, forPrepare
        case genericForPrepare, genericForCall, genericForLoop
        case setList, closure, variadic, prepareVariadic, extraArgument
        case unknown = 127
    }

    let word: UInt32
    let opcode: Opcode

    init(_ word: UInt32) {
        self.word = word
        opcode = Opcode(rawValue: word & 0x7F) ?? .unknown
    }

    /// Whether C is the number of a constant and not of a register; in a test, its condition (k).
    var k: Bool { word >> 15 & 1 == 1 }
    /// How far it jumps (sJ).
    var jump: Int { Int(word >> 7) - 0xFF_FFFF }
    var a: Int { Int(word >> 7 & 0xFF) }
    var b: Int { Int(word >> 16 & 0xFF) }
    var c: Int { Int(word >> 24 & 0xFF) }
    var bx: Int { Int(word >> 15) }
    /// A signed number in place of Bx, B or C.
    var signedBx: Int { bx - 0xFFFF }
    var signedB: Int { b - 127 }
    var signedC: Int { c - 127 }

    /// Whether it is a test, which a jump follows.
    var isTest: Bool { (57...67).contains(word & 0x7F) }
}
