/// A function as Lua 5.4 has compiled it. The format is that of `lua_dump` with header 0x54, which is the same in all of Lua 5.4.
///
/// Only what this program's own compiler has just written is read: an app never takes bytecode.
struct Prototype {
    /// The line on which it begins; 0 for a script.
    let line: Int
    /// The number of parameters, without `...`.
    let parameters: Int
    /// How many registers it uses.
    let registers: Int
    let code: [Instruction]
    let constants: [Constant]
    let upvalues: [Upvalue]
    /// The functions within it.
    let inner: [Prototype]
    /// The line of each instruction.
    let lineOf: [Int]
    /// The local names, in the order of their registers, and the instructions for which they are active.
    let locals: [(name: String, range: Range<Int>)]
    /// The upvalues that it, or a function within it, assigns.
    let assignedUpvalues: Set<Int>

    struct Upvalue {
        let name: String
        /// Whether it is a register of the function around this one, and not an upvalue of that.
        let isInStack: Bool
        let index: Int
    }

    enum Constant: Hashable {
        case `nil`
        case boolean(Bool)
        case integer(Int64)
        case float(Double)
        case string(String)
    }

    /// Reads a dumped function. nil if it has another format.
    init?(dumped bytes: [UInt8]) {
        var reader = Reader(rest: bytes[...])
        let header: [UInt8] = [0x1B, 0x4C, 0x75, 0x61, 0x54, 0x00, 0x19, 0x93, 0x0D, 0x0A, 0x1A, 0x0A, 4, 8, 8]
        guard reader.take(header.count).elementsEqual(header) else { return nil }
        _ = reader.take(17)  // an integer, a number, and how many upvalues the function has
        self.init(&reader, depth: 0)
        guard !reader.isCutShort else { return nil }
    }

    private init(_ reader: inout Reader, depth: Int) {
        // Lua's compiler nests at most 200 levels.
        if depth > 200 { reader.isCutShort = true }
        _ = reader.string()
        let first = reader.varint()
        line = first
        _ = reader.varint()
        parameters = Int(reader.byte())
        _ = reader.byte()  // whether it takes `...`
        registers = Int(reader.byte())
        code = reader.repeated { Instruction($0.word()) }
        constants = reader.repeated { $0.constant() }
        let captured = reader.repeated { reader in
            let isInStack = reader.byte() != 0
            let index = Int(reader.byte())
            _ = reader.byte()
            return (isInStack, index)
        }
        inner = reader.repeated { Prototype(&$0, depth: depth + 1) }
        var assigned: Set<Int> = []
        for instruction in code where instruction.opcode == .setUpvalue { assigned.insert(instruction.b) }
        for function in inner {
            for upvalue in function.assignedUpvalues where function.upvalues.indices.contains(upvalue) {
                let place = function.upvalues[upvalue]
                if !place.isInStack { assigned.insert(place.index) }
            }
        }
        assignedUpvalues = assigned
        let deltas = reader.repeated { Int(Int8(bitPattern: $0.byte())) }
        let absolute = Dictionary(
            reader.repeated { ($0.varint(), $0.varint()) }, uniquingKeysWith: { first, _ in first })
        locals = reader.repeated { reader in
            let name = reader.string() ?? ""
            let (start, end) = (reader.varint(), reader.varint())
            return (name, start..<max(start, end))
        }
        let names = reader.repeated { $0.string() }
        upvalues = captured.enumerated().map { index, place in
            Upvalue(name: names.indices.contains(index) ? names[index] ?? "" : "", isInStack: place.0, index: place.1)
        }
        var lines: [Int] = []
        var current = first
        for (index, delta) in deltas.enumerated() {
            // -128 means that the line is in the list of absolute lines.
            current = delta == -128 ? absolute[index] ?? current : current + delta
            lines.append(current)
        }
        lineOf = lines
    }

    func isEnvironment(_ upvalue: Int) -> Bool {
        upvalues.indices.contains(upvalue) && upvalues[upvalue].name == "_ENV"
    }

    func constant(_ index: Int) -> Constant? { constants.indices.contains(index) ? constants[index] : nil }

    /// A constant that is a string.
    func text(_ index: Int) -> String? {
        guard case .string(let text) = constant(index) else { return nil }
        return text
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

    /// Eight bytes, the lowest first.
    mutating func bits() -> UInt64 { take(8).reversed().reduce(0) { $0 << 8 | UInt64($1) } }

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
        let count = varint()
        // Each takes a byte at least.
        if count > rest.count { isCutShort = true }
        var elements: [Element] = []
        while elements.count < count, !isCutShort { elements.append(read(&self)) }
        return elements
    }

    mutating func constant() -> Prototype.Constant {
        switch byte() {
        case 0x03: .integer(Int64(bitPattern: bits()))
        case 0x13: .float(Double(bitPattern: bits()))
        case 0x04, 0x14: .string(string() ?? "")
        case 0x01: .boolean(false)
        case 0x11: .boolean(true)
        default: .nil
        }
    }
}
