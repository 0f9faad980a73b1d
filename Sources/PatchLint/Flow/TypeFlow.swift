internal import PatchCrypto
internal import PatchRunner

/// Follows the types of values through a function, as the verifiers of Java and WebAssembly do.
///
/// It follows the registers and joins the types where paths meet, until nothing changes. A fact about a value is known
/// at an instruction if all paths to the instruction agree on it.
struct TypeFlow {
    struct Replacement {
        let name: String
        let signature: FunctionType
        /// Whether it is a method of a class of Wax, whose first argument is the class or an object, and not the
        /// original.
        let isMethod: Bool
    }

    let function: Prototype
    let context: FlowContext
    let replacement: Replacement?
    let upvalues: [ValueType]
    /// The types of the arguments, if all callers are known.
    let arguments: [ValueType]?
    /// Whether only the result is wanted.
    let isDry: Bool
    /// The registers that functions within this one assign. They may hold anything.
    let assignedWithin: RegisterSet
    /// The values that each function within this one captures, by its place among these.
    var captured: [Int: [ValueType]] = [:]
    /// The numbers of the functions within this one that are only called, by their places among these.
    var helpers: [Int: Int] = [:]
    /// The type of the first result; nil if no path returns.
    var returned: ValueType?
    /// Whether a path returns a value.
    var returnsValue = false
    /// The states where paths meet, by instruction, and how often each has changed.
    var entries: [(state: FlowState, changes: Int)] = []
    /// For each instruction, the index of its state among the entries; -1 if no path leads to it.
    var blockState: [Int32] = []
    /// Whether paths may meet at an instruction.
    var isBlockStart: [Bool] = []
    /// The calls of unknown functions. They may always throw.
    var unknownCalls: Set<Int> = []
    /// Whether it calls a function of the sandbox that may return nil, such as `string.byte`.
    var asksLibrary = false
    /// The first test; the number of instructions if there is none.
    private(set) lazy var firstTest = function.code.firstIndex(where: \.isTest) ?? function.code.count
    /// Whether a local name gets its value only where it is declared, by its register and number.
    var assignedOnce: [LocalKey: Bool] = [:]
    private let names: LocalNames
    private var constants: [ValueType]
    /// The numbers of the causes that may leave a value nil.
    private var nilCauses: [String: UInt16] = [:]
    /// For each cause, the instructions at which it occurs.
    private var asked: [UInt16: Set<Int>] = [:]

    struct LocalKey: Hashable {
        let register: Int
        let name: Int32
    }

    /// The cause that leaves arguments and fields of the app nil. Unlike the others, it may occur more than once.
    static let optional = ""

    /// - Parameters:
    ///   - arguments: The types of its arguments, if all callers are known.
    ///   - isDry: Whether only the result is wanted.
    init(
        _ function: Prototype, as replacement: Replacement?, upvalues: [ValueType], arguments: [ValueType]? = nil,
        isDry: Bool = false, in context: FlowContext
    ) {
        self.function = function
        self.context = context
        self.replacement = replacement
        self.upvalues = upvalues
        self.arguments = replacement == nil ? arguments : nil
        self.isDry = isDry
        names = function.localNames
        constants = function.constants.map(ValueType.init(constant:))
        assignedWithin = function.assignedWithin
    }

    // MARK: names

    func local(_ register: Int, at index: Int) -> String? { localNumber(register, at: index).map(function.name) }

    func localNumber(_ register: Int, at index: Int) -> Int32? { names.local(of: register, at: index)?.number }

    /// The name that the script has for a register; nil if there is none.
    func name(_ register: Int, _ state: FlowState, _ index: Int) -> String? {
        let number = number(register, state, index)
        return number < 0 ? nil : function.name(number)
    }

    /// The number of the name that the script has for a register; -1 if there is none.
    func number(_ register: Int, _ state: FlowState, _ index: Int) -> Int32 {
        localNumber(register, at: index) ?? state.word(of: register)
    }

    // MARK: values

    func set(_ register: Int, _ type: ValueType, at index: Int, word: Int32 = -1, _ state: inout FlowState) {
        if !state.facts.isEmpty, register < state.count { context.budget.pay(10 * state.facts.count) }
        state.set(register, type, word: word)
    }

    func type(ofConstant index: Int) -> ValueType {
        constants.indices.contains(index) ? constants[index] : .unknown
    }

    func type(ofUpvalue index: Int) -> ValueType { upvalues.indices.contains(index) ? upvalues[index] : .unknown }

    /// The type of a constant. The number of its detail is searched for once.
    mutating func loaded(constant index: Int) -> ValueType {
        guard constants.indices.contains(index) else { return .unknown }
        if constants[index].number == 0 { constants[index] = context.details.numbered(constants[index]) }
        return constants[index]
    }

    /// The value that the app gives for the type that a string names.
    func value(_ type: String) -> ValueType { value(context.interface.type(type)) }

    func value(_ type: InterfaceType) -> ValueType { context.changes.read(ValueType(type, in: context.interface)) }

    /// The number of the cause that may leave a value nil: a function of the app, the string that `tonumber` reads, or
    /// `optional`.
    mutating func doubt(_ name: String, asked index: Int) -> UInt16 {
        let number = nilCauses[name] ?? UInt16(min(nilCauses.count + 1, Int(UInt16.max)))
        nilCauses[name] = number
        asked[number, default: []].insert(index)
        return number
    }

    /// Whether a value may be nil, and the script has not tested it, and calls the function or reads the string only
    /// once.
    ///
    /// - Parameter word: The name of the value in the script; nil if it has none.
    func isDoubtful(_ value: ValueType, _ word: String?, _ index: Int) -> Bool {
        guard value.doubt != 0, value.kinds.contains(.nil), value.kinds != .nil else { return false }
        guard value.doubt == nilCauses[Self.optional] || asked[value.doubt]?.count == 1 else { return false }
        return isSeen(word, before: index) != true
    }

    /// Whether the script has tested, kept or passed on the value of a local name before an instruction; nil for
    /// another name.
    ///
    /// - Parameter asText: Whether uses of its length, its methods and its order count, too.
    func isSeen(_ word: String?, before index: Int, asText: Bool = false) -> Bool? {
        guard let word else { return nil }
        context.budget.pay(10 * (function.registers + function.locals.count))
        let registers = 0..<max(function.registers, function.parameters)
        guard let register = registers.last(where: { local($0, at: index) == word }) else { return nil }
        let begin =
            function.locals.last { function.name($0.number) == word && $0.range.contains(index) }?.range.lowerBound ?? 0
        // The arguments of the call itself are not earlier uses.
        var end = index
        if [.call, .tailCall, .concatenate].contains(function.code[index].opcode) {
            let first = function.code[index].a
            repeat { end -= 1 } while end > begin && function.code[end].written?.lowerBound != first
        }
        guard begin < end else { return false }
        context.budget.pay(10 * (end - begin))
        return function.code[begin..<end].contains { instruction in
            let (a, b, c) = (instruction.a, instruction.b, instruction.c)
            switch instruction.opcode {
            case .move, .not, .testAndSet: return b == register
            case .test, .equalConstant, .equalInteger: return a == register
            case .equal: return a == register || b == register
            case .getTable: return c == register
            case .setTable, .setField, .setInteger, .setGlobal: return instruction.stores(register)
            case .setUpvalue: return a == register
            case .getSelf, .length: return asText && b == register
            case .less, .lessOrEqual: return asText && (a == register || b == register)
            case .closure:
                return function.inner.indices.contains(instruction.bx)
                    && function.inner[instruction.bx].upvalues.contains { $0.isInStack && $0.index == register }
            default: return false
            }
        }
    }
}

extension ValueType {
    init(constant: Prototype.Constant) {
        switch constant {
        case .boolean: self = .boolean
        case .integer(let number): self.init(.integer, .integer(number))
        case .float(let number): self.init(.float, .float(number))
        case .string(let text): self.init(.string, .text(ExactString(text)))
        case .nil: self = .nil
        }
    }
}
