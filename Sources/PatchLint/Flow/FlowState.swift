internal import PatchCrypto

/// The details of values that registers hold, each once.
///
/// A register has the number of a detail, and two registers are compared by their numbers.
///
/// Tables that a script makes or changes are not among them. They change with each instruction, and would never be
/// removed.
final class ValueDetails {
    private var details: [ValueType.Detail] = []
    private var numbers: [ValueType.Detail: UInt32] = [:]

    init() { numbers.reserveCapacity(100) }

    subscript(number: UInt32) -> ValueType.Detail { details[Int(number) - 1] }

    /// The number of a detail, from 1.
    func number(of detail: ValueType.Detail) -> UInt32 {
        numbers.value(of: detail) {
            details.append(detail)
            return UInt32(details.count)
        }
    }

    /// A value with the number of its detail, for which nothing is searched when a register gets the value.
    func numbered(_ value: ValueType) -> ValueType {
        guard let detail = value.detail, !detail.isChangeable else { return value }
        return ValueType(value.kinds, detail, doubt: value.doubt, number: number(of: detail))
    }
}

/// A call of the original whose arguments are parameters.
struct OriginalCall: Equatable {
    let index: Int
    /// Whether an argument may be a table, whose contents other code may change, or something else that has a state.
    let hasTable: Bool
}

/// The state before an instruction.
struct FlowState: Equatable {
    /// No more facts of one kind are noted, because a state is copied often.
    static let mostFacts = 20

    /// A register: the type of its value, and the name that the script has for it. It holds no references.
    private struct Register: Equatable {
        static let unknown = Register(kinds: .all, doubt: 0, detail: 0, word: -1)
        /// The number for a detail that is in `tables`.
        static let table = UInt32.max

        var kinds: ValueType.Kinds
        var doubt: UInt16
        /// The number of the detail; 0 if there is none.
        var detail: UInt32
        /// The number of the name; -1 if there is none.
        var word: Int32
    }

    private var registers: [Register]
    /// The parts that are empty in most states, in an array of at most one element, because a state is copied often.
    private var others: [Others] = []
    /// The first of the registers that hold all results of a call; nil if there are none.
    var open: Int?
    /// The number of those results; nil if it is not known.
    var openCount: Int?
    private let details: ValueDetails

    private struct Others: Equatable {
        var tables: [Int: ValueType.Detail] = [:]
        var facts: [FieldPlace: Bool] = [:]
        var originals: [[String]: OriginalCall] = [:]
    }

    /// The tables that a script has made or changed, by their registers.
    private var tables: [Int: ValueType.Detail] {
        get { others.isEmpty ? [:] : others[0].tables }
        set { change(\.tables, to: newValue, isEmpty: newValue.isEmpty) }
    }
    /// Whether fields are nil, as tests have found.
    var facts: [FieldPlace: Bool] {
        get { others.isEmpty ? [:] : others[0].facts }
        set { change(\.facts, to: newValue, isEmpty: newValue.isEmpty) }
    }
    /// The calls of the original, by the names of their arguments.
    var originals: [[String]: OriginalCall] {
        get { others.isEmpty ? [:] : others[0].originals }
        set { change(\.originals, to: newValue, isEmpty: newValue.isEmpty) }
    }

    private mutating func change<Value>(_ part: WritableKeyPath<Others, Value>, to value: Value, isEmpty: Bool) {
        if others.isEmpty {
            if isEmpty { return }
            others.append(Others())
        }
        others[0][keyPath: part] = value
    }

    /// - Parameter count: The number of registers. Their values are unknown.
    init(count: Int, _ details: ValueDetails) {
        registers = Array(repeating: .unknown, count: count)
        self.details = details
    }

    static func == (left: FlowState, right: FlowState) -> Bool {
        guard left.registers == right.registers, left.open == right.open, left.openCount == right.openCount else {
            return false
        }
        // Parts that are all empty may be there or not.
        if left.others.isEmpty, right.others.isEmpty { return true }
        return left.tables == right.tables && left.facts == right.facts && left.originals == right.originals
    }

    var count: Int { registers.count }

    subscript(register: Int) -> ValueType {
        get {
            guard registers.indices.contains(register) else { return .unknown }
            let held = registers[register]
            switch held.detail {
            case 0: return ValueType(held.kinds, doubt: held.doubt)
            case Register.table: return ValueType(held.kinds, tables[register], doubt: held.doubt)
            default:
                return ValueType(held.kinds, details[held.detail], doubt: held.doubt, number: held.detail)
            }
        }
        set {
            guard registers.indices.contains(register) else { return }
            put(newValue, in: register)
        }
    }

    private mutating func put(_ value: ValueType, in register: Int) {
        var number = value.number
        if number == 0, let detail = value.detail {
            number = detail.isChangeable ? Register.table : details.number(of: detail)
        }
        let held = registers[register]
        if number == Register.table {
            tables[register] = value.detail
        } else if held.detail == Register.table {
            tables[register] = nil
        }
        let new = Register(kinds: value.kinds, doubt: value.doubt, detail: number, word: held.word)
        // A change copies the registers if another state has the same.
        if new != held { registers[register] = new }
    }

    /// The types that the value of a register may have.
    func kinds(of register: Int) -> ValueType.Kinds {
        registers.indices.contains(register) ? registers[register].kinds : .all
    }

    /// Whether a register holds a table that the script has made or changed.
    func holdsTable(_ register: Int) -> Bool {
        registers.indices.contains(register) && registers[register].detail == Register.table
    }

    /// The number of the name that the script has for a register; -1 if there is none.
    func word(of register: Int) -> Int32 { registers.indices.contains(register) ? registers[register].word : -1 }

    mutating func set(_ register: Int, _ value: ValueType, word: Int32) {
        guard registers.indices.contains(register) else { return }
        put(value, in: register)
        registers[register].word = word
        if !facts.isEmpty { forgetFacts(of: register) }
    }

    /// Sets a register to the value of another one. It is shared if both are in use from now on.
    mutating func copy(_ other: Int, to register: Int, word: Int32, isShared: Bool = true) {
        guard registers.indices.contains(register), registers.indices.contains(other) else {
            return set(register, .unknown, word: word)
        }
        if registers[other].detail == Register.table {
            if isShared { self[other] = self[other].shared }
            return set(register, self[other], word: word)
        }
        if registers[register].detail == Register.table { tables[register] = nil }
        registers[register] = registers[other]
        registers[register].word = word
        if !facts.isEmpty { forgetFacts(of: register) }
    }

    /// Forgets the values of a register and of all that follow.
    mutating func forget(from first: Int) {
        for register in registers.indices.clamped(to: first..<Int.max) { registers[register] = .unknown }
        if !tables.isEmpty { tables = tables.filter { $0.key < first } }
    }

    private mutating func forgetFacts(of register: Int) { facts = facts.filter { $0.key.register != register } }

    /// Forgets the facts about tables that other code may have changed.
    mutating func forgetChangeable() {
        guard !others.isEmpty else { return }
        for register in Array(tables.keys) { self[register] = self[register].afterChange }
    }

    /// How many steps it takes to forget those facts. Tables in tables are copied.
    var changeCost: Int {
        guard !others.isEmpty else { return 0 }
        return tables.keys.reduce(0) { cost, register in
            let value = self[register]
            return cost + (value.depth > 1 ? 40 * value.size : 2)
        }
    }

    /// How many steps it takes to compare it with another one.
    var size: Int {
        guard !others.isEmpty else { return 2 * registers.count }
        let count = 2 * registers.count + 20 * (facts.count + originals.count)
        return tables.keys.reduce(count) { $0 + self[$1].size - 1 }
    }

    /// The state where two paths meet.
    func joined(with other: FlowState) -> FlowState {
        var joined = self
        for register in 0..<min(registers.count, other.registers.count) {
            let (left, right) = (registers[register], other.registers[register])
            if left == right, left.detail != Register.table { continue }
            joined.put(self[register].joined(with: other[register]), in: register)
            if left.word != right.word { joined.registers[register].word = -1 }
        }
        if open != other.open { joined.open = nil }
        if openCount != other.openCount { joined.openCount = nil }
        if !facts.isEmpty { joined.facts = facts.filter { other.facts[$0.key] == $0.value } }
        // A later call is a repetition only if both paths have made the call.
        if !originals.isEmpty {
            joined.originals = [:]
            for (words, call) in originals {
                guard let same = other.originals[words] else { continue }
                joined.originals[words] = OriginalCall(
                    index: min(call.index, same.index), hasTable: call.hasTable || same.hasTable)
            }
        }
        return joined
    }

    /// The state in which all values that differ are unknown.
    func widened(to other: FlowState) -> FlowState {
        var widened = other
        for register in registers.indices where self[register] != other[register] {
            widened.set(register, .unknown, word: -1)
        }
        widened.open = open == other.open ? open : nil
        widened.openCount = nil
        widened.facts = [:]
        widened.originals = [:]
        return widened
    }
}

/// The instructions that follow an instruction, with their states.
///
/// It is indirect, because most instructions return none of these, and would return the room for two states.
indirect enum FlowWays {
    case none
    case one(Int, FlowState)
    case two(Int, FlowState, Int, FlowState)
}

extension ValueType.Detail {
    /// Whether it is a table about which more is known than its type.
    fileprivate var isChangeable: Bool {
        switch self {
        case .fields, .list: true
        case .structure(_, let written): !written.isEmpty
        default: false
        }
    }
}

/// A field of the table in a register.
struct FieldPlace: Hashable {
    let register: Int
    let field: ExactString

    init(register: Int, field: String) {
        self.register = register
        self.field = ExactString(field)
    }
}
