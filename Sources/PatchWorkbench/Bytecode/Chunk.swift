/// A function that Lua 5.4 has compiled: the lines that it has, and the globals that it uses on them.
///
/// Lua's own compiler knows the scopes, so its output is the most reliable way to find them. The format is that of
/// `lua_dump` with header 0x54, which is the same in all of Lua 5.4.
struct Chunk {
    /// The number of parameters, without `...`.
    private(set) var parameters = 0
    /// The line on which it begins; 0 for a script.
    private(set) var line = 0
    /// The lines with instructions, in this function and in the functions within it.
    private(set) var lines: Set<Int> = []
    /// The uses of globals, in this function and in the functions within it.
    private(set) var globals: [Global] = []
    /// The uses of a member of a global table, such as `string.format`, in this function and in the functions within it.
    private(set) var members: [Member] = []
    /// The constants that this function returns, without those of the functions within it.
    private(set) var constantResults: [ConstantResult] = []

    /// The tables that this function returns whose fields are all written where the table is made.
    private(set) var tableResults: [TableResult] = []

    struct TableResult {
        /// The fields that have names, with the types of those that are constants.
        let fields: [(name: String, type: String?)]
        let line: Int
    }

    struct Global {
        let name: String
        let line: Int
        let isAssigned: Bool
    }

    struct Member {
        let table: String
        let name: String
        let line: Int
    }

    struct ConstantResult {
        /// The name of the type for scripts: `string`, `integer`, `number`, `boolean` or `nil`.
        let type: String
        let line: Int
    }

    /// Reads a dumped function. nil if it has another format.
    init?(dumped bytes: [UInt8]) {
        var reader = Reader(rest: bytes[...])
        let header: [UInt8] = [0x1B, 0x4C, 0x75, 0x61, 0x54, 0x00, 0x19, 0x93, 0x0D, 0x0A, 0x1A, 0x0A, 4, 8, 8]
        guard reader.take(header.count).elementsEqual(header) else { return nil }
        _ = reader.take(17)  // an integer, a number, and how many upvalues the function has
        self.init(&reader)
        guard !reader.isCutShort else { return nil }
    }

    private init(_ reader: inout Reader) {
        _ = reader.string()
        line = reader.varint()
        _ = reader.varint()
        parameters = Int(reader.byte())
        _ = reader.byte()  // whether it takes `...`
        _ = reader.byte()
        let code = reader.repeated { $0.word() }
        let constants = reader.repeated { $0.constant() }
        _ = reader.repeated { $0.take(3) }
        let inner = reader.repeated { Chunk(&$0) }
        let deltas = reader.repeated { Int(Int8(bitPattern: $0.byte())) }
        let absolute = reader.repeated { ($0.varint(), $0.varint()) }
        _ = reader.repeated { ($0.string(), $0.varint(), $0.varint()) }
        let names = reader.repeated { $0.string() }

        var lineOf: [Int] = []
        var current = line
        for (index, delta) in deltas.enumerated() {
            // -128 means that the line is in the list of absolute lines.
            current = delta == -128 ? absolute.first { $0.0 == index }?.1 ?? current : current + delta
            lineOf.append(current)
        }
        func isEnvironment(_ upvalue: Int) -> Bool { names.indices.contains(upvalue) && names[upvalue] == "_ENV" }
        func constant(_ index: Int) -> String? {
            guard constants.indices.contains(index), case .string(let name) = constants[index] else { return nil }
            return name
        }
        // With more than 255 constants, a global is indexed with registers: GETUPVAL _ENV, LOADK, GETTABLE.
        var environments: Set<Int> = []
        var globalTables: Set<Int> = []
        var keys: [Int: String] = [:]
        var tables = NewTables()
        let targets = Set(
            code.enumerated().compactMap { index, word in
                Instruction(word).opcode == .jump ? index + 1 + Instruction(word).jump : nil
            })
        for (index, word) in code.enumerated() where index < lineOf.count {
            let instruction = Instruction(word)
            if targets.contains(index) { tables = NewTables() }
            switch instruction.opcode {
            case .getGlobal where isEnvironment(instruction.b):
                if let name = constant(instruction.c) {
                    globals.append(Global(name: name, line: lineOf[index], isAssigned: false))
                    let next = index + 1 < code.count ? Instruction(code[index + 1]) : instruction
                    if next.opcode == .getField, next.b == instruction.a, let member = constant(next.c) {
                        members.append(Member(table: name, name: member, line: lineOf[index]))
                    }
                }
            case .setGlobal where isEnvironment(instruction.a):
                if let name = constant(instruction.b) {
                    globals.append(Global(name: name, line: lineOf[index], isAssigned: true))
                }
            case .getTable where environments.contains(instruction.b):
                if let name = keys[instruction.c] {
                    globals.append(Global(name: name, line: lineOf[index], isAssigned: false))
                }
            case .setTable where environments.contains(instruction.a):
                if let name = keys[instruction.b] {
                    globals.append(Global(name: name, line: lineOf[index], isAssigned: true))
                }
            case .setField where globalTables.contains(instruction.a):
                if let name = constant(instruction.b) {
                    globals.append(Global(name: name, line: lineOf[index], isAssigned: true))
                }
            case .returnOne where tables.has(instruction.a),
                .returnSome where instruction.b == 2 && tables.has(instruction.a):
                tableResults.append(TableResult(fields: tables.fields(instruction.a), line: lineOf[index]))
            case .returnOne where index > 0, .returnSome where index > 0 && instruction.b == 2:
                let before = Instruction(code[index - 1])
                let type: String? =
                    switch before.opcode {
                    case .loadInteger: "integer"
                    case .loadFloat: "number"
                    case .loadFalse, .loadTrue: "boolean"
                    case .loadNil: "nil"
                    case .loadConstant where constants.indices.contains(before.bx): constants[before.bx].type
                    default: nil
                    }
                if let type, before.a == instruction.a {
                    constantResults.append(ConstantResult(type: type, line: lineOf[index]))
                }
            default: break
            }
            tables.follow(instruction) { constants.indices.contains($0) ? constants[$0] : nil }
            // All but the stores (SETTABUP, SETTABLE, SETI, SETFIELD) may write their first register.
            if !(15...18).contains(word & 0x7F) {
                environments.remove(instruction.a)
                globalTables.remove(instruction.a)
                keys[instruction.a] = nil
                switch instruction.opcode {
                case .getUpvalue where isEnvironment(instruction.b): environments.insert(instruction.a)
                case .getGlobal where isEnvironment(instruction.b) && constant(instruction.c) == "_G":
                    globalTables.insert(instruction.a)
                case .loadConstant: keys[instruction.a] = constant(instruction.bx)
                default: break
                }
            }
            // The compiler adds a return without values to the end of every function, on the line of its `end`, and an
            // instruction that prepares `...` to the beginning of a variadic one.
            let isLast = index == code.count - 1
            if !isLast, instruction.opcode != .prepareVariadic { lines.insert(lineOf[index]) }
        }
        for function in inner {
            lines.formUnion(function.lines)
            globals += function.globals
            members += function.members
        }
    }
}

/// The tables in registers whose fields are known: each was just made, nothing else has used it, and no jump leads around
/// one of its fields.
private struct NewTables {
    private var fields: [Int: [(name: String, type: String?)]] = [:]

    func has(_ register: Int) -> Bool { fields[register] != nil }
    func fields(_ register: Int) -> [(name: String, type: String?)] { fields[register] ?? [] }

    /// Follows the next instruction. What it does not know ends all knowledge.
    mutating func follow(_ instruction: Instruction, _ constant: (Int) -> Constant?) {
        guard instruction.opcode == .newTable || !fields.isEmpty else { return }
        let (a, b, c) = (instruction.a, instruction.b, instruction.c)
        switch instruction.opcode {
        case .newTable: fields[a] = []
        case .setField:
            if !instruction.isConstant { fields[c] = nil }
            guard has(a) else { return }
            guard case .string(let name) = constant(b) else { return fields[a] = nil }
            fields[a]?.append((name, instruction.isConstant ? constant(c)?.type : nil))
        case .move:
            fields[a] = nil
            fields[b] = nil
        case .getSelf:
            fields[a] = nil
            fields[a + 1] = nil
            fields[b] = nil
        case .loadNil: for register in a...a + b { fields[register] = nil }
        case .call: fields = fields.filter { $0.key < a }
        case .extraArgument: break
        case _ where instruction.onlyWrites: fields[a] = nil
        default: fields = [:]
        }
    }
}

/// A Lua 5.4 instruction: seven bits of opcode, then A, k, B and C, or A and Bx.
private struct Instruction {
    enum Opcode: UInt32 {
        case move = 0
        case loadInteger = 1
        case loadFloat = 2
        case loadConstant = 3
        case loadFalse = 5
        case loadTrue = 7
        case loadNil = 8
        case getUpvalue = 9
        case getGlobal = 11
        case getTable = 12
        case getField = 14
        case setGlobal = 15
        case setTable = 16
        case setField = 18
        case newTable = 19
        case getSelf = 20
        case jump = 56
        case call = 68
        case returnSome = 70
        case returnOne = 72
        case prepareVariadic = 81
        case extraArgument = 82
        case other = 127
    }

    private let word: UInt32

    init(_ word: UInt32) { self.word = word }

    var opcode: Opcode { Opcode(rawValue: word & 0x7F) ?? .other }
    /// Whether it does nothing but write a value to register A: loads, gets and operations.
    var onlyWrites: Bool { [1...9, 11...14, 21...53].contains { $0.contains(word & 0x7F) } }
    /// Whether C is the number of a constant, and not of a register (k).
    var isConstant: Bool { word >> 15 & 1 == 1 }
    /// How far it jumps (sJ).
    var jump: Int { Int(word >> 7) - 0xFF_FFFF }
    var a: Int { Int(word >> 7 & 0xFF) }
    var b: Int { Int(word >> 16 & 0xFF) }
    var c: Int { Int(word >> 24 & 0xFF) }
    var bx: Int { Int(word >> 15) }
}

private enum Constant {
    case string(String)
    case other(type: String)

    var type: String {
        switch self {
        case .string: "string"
        case .other(let type): type
        }
    }
}

private struct Reader {
    var rest: ArraySlice<UInt8>
    var isCutShort = false

    mutating func take(_ count: Int) -> ArraySlice<UInt8> {
        guard count >= 0, count <= rest.count else {
            isCutShort = true
            rest = []
            return []
        }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func byte() -> UInt8 { take(1).first ?? 0 }

    mutating func word() -> UInt32 { take(4).reversed().reduce(0) { $0 << 8 | UInt32($1) } }

    /// Reads an integer with seven bits per byte, the highest first. The last byte has its highest bit set.
    mutating func varint() -> Int {
        var value = 0
        while !isCutShort {
            let byte = byte()
            value = value << 7 | Int(byte & 0x7F)
            if byte & 0x80 != 0 || value > Int(Int32.max) { break }
        }
        return value
    }

    mutating func string() -> String? {
        let size = varint()
        return size == 0 ? nil : String(decoding: take(size - 1), as: UTF8.self)
    }

    mutating func repeated<Element>(_ read: (inout Reader) -> Element) -> [Element] {
        var elements: [Element] = []
        for _ in 0..<varint() where !isCutShort { elements.append(read(&self)) }
        return elements
    }

    mutating func constant() -> Constant {
        switch byte() {
        case 0x03:
            _ = take(8)
            return .other(type: "integer")
        case 0x13:
            _ = take(8)
            return .other(type: "number")
        case 0x04, 0x14: return .string(string() ?? "")
        case 0x01, 0x11: return .other(type: "boolean")
        default: return .other(type: "nil")
        }
    }
}
