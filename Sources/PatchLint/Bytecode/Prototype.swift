/// A function as Lua 5.4 has compiled it.
///
/// The format is the output of `lua_dump` with header 0x54, which is the same in all of Lua 5.4. Only the output of
/// this program's own compiler is read: an app never takes bytecode.
package final class Prototype {
    /// The line on which it begins; 0 for a script.
    let line: Int
    /// The number of parameters, without `...`.
    let parameters: Int
    /// The number of registers that it needs.
    let registers: Int
    let code: [Instruction]
    let constants: [Constant]
    let upvalues: [Upvalue]
    /// The functions that it makes, by the Bx of the instructions that make them.
    let inner: [Prototype]
    /// The lines of the instructions, as far as they are known.
    let lineOf: [Int]
    /// The local names, in the order in which they are declared.
    let locals: [Local]
    /// The upvalues that it, or a function within it, assigns.
    let assignedUpvalues: RegisterSet
    /// The registers that functions within it assign.
    let assignedWithin: RegisterSet
    /// The names of the script, by their numbers.
    private var names: [String] = []
    /// For each constant that is a string, its number among the names; -1 for any other constant.
    private let texts: [Int32]
    /// For the first instruction of a local name, whether its function is only ever called. Of the names that begin
    /// there, only one has the function that was just made.
    var onlyCalled: [Int: Bool] = [:]
    private(set) lazy var localNames = LocalNames(of: self)
    private(set) lazy var uses = RegisterUses(of: code)
    /// For each instruction, whether it is the target of a jump, or follows a jump.
    private(set) lazy var leaders = findLeaders()
    /// The functions within this one that capture a register, and their upvalues.
    private(set) lazy var captures: [Int: [(function: Prototype, upvalue: Int)]] = inner.reduce(into: [:]) {
        for (upvalue, place) in $1.upvalues.enumerated() where place.isInStack {
            $0[place.index, default: []].append(($1, upvalue))
        }
    }

    struct Upvalue {
        /// The number of the name.
        let number: Int32
        /// Whether it is the table of globals.
        let isEnvironment: Bool
        /// Whether it is a register of the enclosing function, and not one of its upvalues.
        let isInStack: Bool
        let index: Int
    }

    /// A local name. It holds no references, because all names of a function are often searched.
    struct Local {
        /// The number of the name.
        let number: Int32
        /// Whether the compiler has added it, such as `(for state)`.
        let isHidden: Bool
        /// The instructions for which it is active.
        let range: Range<Int>
    }

    enum Constant: Hashable {
        case `nil`
        case boolean(Bool)
        case integer(Int64)
        case float(Double)
        case string(String)
    }

    /// Reads a dumped function; nil if it has another format, or is cut short.
    package convenience init?(dumped bytes: [UInt8]) {
        var reader = Reader(bytes)
        let header: [UInt8] = [0x1B, 0x4C, 0x75, 0x61, 0x54, 0x00, 0x19, 0x93, 0x0D, 0x0A, 0x1A, 0x0A, 4, 8, 8]
        guard reader.take(header.count).elementsEqual(header) else { return nil }
        _ = reader.take(17)  // an integer, a number, and how many upvalues the function has
        self.init(&reader, depth: 0)
        guard !reader.isCutShort else { return nil }
        take(reader.names.names)
    }

    private func take(_ names: [String]) {
        self.names = names
        for function in inner { function.take(names) }
    }

    private init(_ reader: inout Reader, depth: Int) {
        // Lua's compiler nests at most 200 levels.
        if depth > 200 { reader.isCutShort = true }
        _ = reader.name()  // the script
        line = reader.varint()
        _ = reader.varint()  // the line on which it ends
        parameters = Int(reader.byte())
        _ = reader.byte()  // whether it takes `...`
        registers = Int(reader.byte())
        code = reader.repeated { Instruction($0.word()) }
        var texts: [Int32] = []
        constants = reader.repeated { reader in
            let (constant, text) = reader.constant()
            texts.append(text)
            return constant
        }
        self.texts = texts
        let captured = reader.repeated { reader in
            let isInStack = reader.byte() != 0
            let index = Int(reader.byte())
            _ = reader.byte()  // its kind
            return (isInStack: isInStack, index: index)
        }
        inner = reader.repeated { Prototype(&$0, depth: depth + 1) }
        var assigned = RegisterSet()
        var assignedWithin = RegisterSet()
        for instruction in code where instruction.opcode == .setUpvalue { assigned.insert(instruction.b) }
        for function in inner where !function.assignedUpvalues.isEmpty {
            for (upvalue, place) in function.upvalues.enumerated() where function.assignedUpvalues.contains(upvalue) {
                if place.isInStack { assignedWithin.insert(place.index) } else { assigned.insert(place.index) }
            }
        }
        assignedUpvalues = assigned
        self.assignedWithin = assignedWithin
        let deltas = reader.repeated { Int(Int8(bitPattern: $0.byte())) }
        let absolute = Dictionary(
            reader.repeated { ($0.varint(), $0.varint()) }, uniquingKeysWith: { first, _ in first })
        let none = reader.names.number(of: "")
        locals = reader.repeated { reader in
            let number = reader.name() ?? none
            let (start, end) = (reader.varint(), reader.varint())
            let isHidden = reader.names[number].utf8.first == UInt8(ascii: "(")
            return Local(number: number, isHidden: isHidden, range: start..<max(start, end))
        }
        let given = reader.repeated { $0.name() }
        upvalues = captured.enumerated().map { [names = reader.names] index, place in
            let name = index < given.count ? given[index] : nil
            let number = name ?? none
            return Upvalue(
                number: number, isEnvironment: names[number] == "_ENV", isInStack: place.isInStack, index: place.index)
        }
        var current = line
        var lines: [Int] = []
        lines.reserveCapacity(deltas.count)
        for (index, delta) in deltas.enumerated() {
            // -128 means that the line is in the list of absolute lines.
            if delta == -128 { current = absolute[index] ?? current } else { current += delta }
            lines.append(current)
        }
        lineOf = lines
    }

    func isEnvironment(_ upvalue: Int) -> Bool {
        upvalues.indices.contains(upvalue) && upvalues[upvalue].isEnvironment
    }

    func constant(_ index: Int) -> Constant? { constants.indices.contains(index) ? constants[index] : nil }

    /// A string constant; nil for any other constant.
    func text(_ index: Int) -> String? { textNumber(index).map(name) }

    func name(_ number: Int32) -> String { names[Int(number)] }

    /// The number of a string constant among the names; nil for any other constant.
    func textNumber(_ index: Int) -> Int32? {
        guard texts.indices.contains(index), texts[index] >= 0 else { return nil }
        return texts[index]
    }

    /// The function, and all functions within it.
    var nested: [Prototype] {
        var all = [self]
        var next = 0
        while next < all.count {
            all += all[next].inner
            next += 1
        }
        return all
    }

    /// The lines with instructions, in this function and in the functions within it.
    package var lines: Set<Int> {
        var lines: Set<Int> = []
        for function in nested {
            // The compiler adds a return to the end of a function, on the line of its `end`, and an instruction that
            // prepares `...` to the beginning of a variadic one. Most instructions are on the line of the one before.
            var line = -1
            for (instruction, other) in zip(function.code.dropLast(), function.lineOf)
            where instruction.opcode != .prepareVariadic && other != line {
                line = other
                lines.insert(line)
            }
        }
        return lines
    }
}

private struct Reader {
    private let bytes: [UInt8]
    private var position = 0
    /// Whether the bytes end too early, or functions are nested too deeply.
    var isCutShort = false
    var names = ScriptNames()

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var left: Int { bytes.count - position }

    mutating func take(_ count: Int) -> ArraySlice<UInt8> {
        guard count >= 0, count <= left else {
            isCutShort = true
            position = bytes.count
            return []
        }
        position += count
        return bytes[(position - count)..<position]
    }

    mutating func byte() -> UInt8 {
        guard position < bytes.count else {
            isCutShort = true
            return 0
        }
        position += 1
        return bytes[position - 1]
    }

    mutating func word() -> UInt32 { UInt32(truncatingIfNeeded: number(4)) }

    /// Reads a number of several bytes, the lowest first.
    private mutating func number(_ count: Int) -> UInt64 {
        guard count <= left else {
            _ = take(count)  // notes that the bytes end
            return 0
        }
        var value: UInt64 = 0
        for place in (position..<position + count).reversed() { value = value << 8 | UInt64(bytes[place]) }
        position += count
        return value
    }

    /// Reads an integer with seven bits per byte, the highest first. The last byte has its highest bit set.
    mutating func varint() -> Int {
        var value = 0
        while !isCutShort {
            let byte = byte()
            value = value << 7 | Int(byte & 0x7F)
            // No count or line is greater.
            if byte & 0x80 != 0 || value > Int(Int32.max) { break }
        }
        return value
    }

    /// Reads a name, and returns its number; nil if there is none.
    mutating func name() -> Int32? {
        let size = varint()
        guard size > 0 else { return nil }
        let text = take(size - 1)
        return names.number(of: text.startIndex..<text.endIndex, in: bytes)
    }

    mutating func repeated<Element>(_ read: (inout Reader) -> Element) -> [Element] {
        let count = varint()
        // Each takes at least one byte.
        if count > left { isCutShort = true }
        var elements: [Element] = []
        if !isCutShort { elements.reserveCapacity(count) }
        while elements.count < count, !isCutShort { elements.append(read(&self)) }
        return elements
    }

    /// Reads a constant, and returns it with its number among the names; -1 if it is not a string.
    mutating func constant() -> (Prototype.Constant, Int32) {
        switch byte() {
        case 0x03: return (.integer(Int64(bitPattern: number(8))), -1)
        case 0x13: return (.float(Double(bitPattern: number(8))), -1)
        case 0x04, 0x14:
            let number = name() ?? names.number(of: "")
            return (.string(names[number]), number)
        case 0x01: return (.boolean(false), -1)
        case 0x11: return (.boolean(true), -1)
        default: return (.nil, -1)
        }
    }
}
