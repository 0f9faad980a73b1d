/// A set of registers. A function has at most 255, and higher numbers are not kept.
struct RegisterSet {
    private var words = SIMD4<UInt64>()

    var isEmpty: Bool { words[0] | words[1] | words[2] | words[3] == 0 }

    private static func bit(_ register: Int) -> UInt64 { 1 << UInt64(register & 63) }

    func contains(_ register: Int) -> Bool {
        (0..<256).contains(register) && words[register >> 6] & Self.bit(register) != 0
    }

    mutating func insert(_ register: Int) {
        if (0..<256).contains(register) { words[register >> 6] |= Self.bit(register) }
    }

    mutating func remove(_ register: Int) {
        if (0..<256).contains(register) { words[register >> 6] &= ~Self.bit(register) }
    }

    /// Keeps only the registers below one.
    mutating func removeAll(from register: Int) {
        for place in 0..<4 {
            let first = 64 * place
            words[place] &= register <= first ? 0 : register >= first + 64 ? .max : 1 << UInt64(register - first) - 1
        }
    }
}
