/// A set of registers. A function has at most 255, and higher numbers are not kept.
struct RegisterSet {
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    var isEmpty: Bool { words.0 | words.1 | words.2 | words.3 == 0 }

    func contains(_ register: Int) -> Bool {
        let bit: UInt64 = 1 << UInt64(register & 63)
        switch register >> 6 {
        case 0: return words.0 & bit != 0
        case 1: return words.1 & bit != 0
        case 2: return words.2 & bit != 0
        case 3: return words.3 & bit != 0
        default: return false
        }
    }

    mutating func insert(_ register: Int) {
        let bit: UInt64 = 1 << UInt64(register & 63)
        switch register >> 6 {
        case 0: words.0 |= bit
        case 1: words.1 |= bit
        case 2: words.2 |= bit
        case 3: words.3 |= bit
        default: break
        }
    }

    mutating func remove(_ register: Int) {
        let rest: UInt64 = ~(1 << UInt64(register & 63))
        switch register >> 6 {
        case 0: words.0 &= rest
        case 1: words.1 &= rest
        case 2: words.2 &= rest
        case 3: words.3 &= rest
        default: break
        }
    }

    /// Keeps only the registers below one.
    mutating func removeAll(from register: Int) {
        func kept(_ first: Int) -> UInt64 {
            register <= first ? 0 : register >= first + 64 ? .max : 1 << UInt64(register - first) - 1
        }
        words.0 &= kept(0)
        words.1 &= kept(64)
        words.2 &= kept(128)
        words.3 &= kept(192)
    }
}
