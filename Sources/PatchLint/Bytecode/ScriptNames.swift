internal import PatchCrypto

/// The names and strings of a script, each with a number by which it is compared.
struct ScriptNames {
    /// The number of a name.
    typealias ID = Int32

    private(set) var names: [String] = []
    /// The UTF-8 of all names, one after the other.
    private var bytes: [UInt8] = []
    /// Where each name ends in them.
    private var ends: [Int] = []
    private var numbers: [ExactString: ID] = [:]
    /// The numbers of names that were found before, by a hash of their bytes; -1 if there is none.
    private var recent = [ID](repeating: -1, count: 256)

    init() { numbers.reserveCapacity(100) }

    subscript(number: ID) -> String { names[Int(number)] }

    /// The number of a name or a string constant that is a part of a source or of bytecode; a new one is added. Bytes
    /// that are not UTF-8 are replaced, so two such strings may have one number.
    mutating func number(of range: Range<Int>, in source: [UInt8]) -> ID {
        var sum = range.count
        for byte in source[range] { sum = sum &* 31 &+ Int(byte) }
        let place = (sum ^ sum >> 8) & 255
        let last = recent[place]
        if last >= 0, holds(Int(last), range, of: source) { return last }
        let number = number(of: String(decoding: source[range], as: UTF8.self))
        recent[place] = number
        return number
    }

    /// Whether a name has the bytes of a part of a source.
    private func holds(_ number: Int, _ range: Range<Int>, of source: [UInt8]) -> Bool {
        let start = number == 0 ? 0 : ends[number - 1]
        guard ends[number] - start == range.count else { return false }
        for index in range where source[index] != bytes[start + index - range.lowerBound] { return false }
        return true
    }

    /// The number of a name; a new one is added.
    mutating func number(of name: String) -> ID {
        let key = ExactString(name)
        if let known = numbers[key] { return known }
        names.append(name)
        bytes.append(contentsOf: name.utf8)
        ends.append(bytes.count)
        numbers[key] = ID(names.count - 1)
        return ID(names.count - 1)
    }
}
