/// The properties of a pattern of Lua's `string` library, found without running it.
struct LuaPattern {
    /// Why Lua refuses it; nil if Lua accepts it.
    private(set) var fault: String?
    /// How many captures it has.
    private(set) var captures = 0
    /// Whether it has a capture that is a position.
    private(set) var hasPositions = false
    /// Whether a part of it must match something, so that it does not match every string.
    private(set) var isSelective = false

    private var rest: ArraySlice<UInt8>

    /// A longer pattern is not read.
    private static let longest = 1000

    init(_ text: String) {
        rest = text.utf8.count > Self.longest ? [] : Array(text.utf8)[...]
        if rest.first == UInt8(ascii: "^") { rest = rest.dropFirst() }
        var open: [Bool] = []
        while fault == nil, let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "("):
                captures += 1
                let isPosition = rest.first == UInt8(ascii: ")")
                if isPosition {
                    hasPositions = true
                    rest = rest.dropFirst()
                }
                open.append(!isPosition)
            case UInt8(ascii: ")"):
                guard let last = open.lastIndex(of: true) else {
                    fault = "the pattern has a ) without a (; write %) for the character"
                    break
                }
                open[last] = false
            case UInt8(ascii: "$") where rest.isEmpty: break
            default: item(byte, open)
            }
        }
        if fault == nil, open.contains(true) { fault = "the pattern has a ( without a ); write %( for the character" }
    }

    /// Reads a character or a class, and its repetition.
    private mutating func item(_ byte: UInt8, _ open: [Bool]) {
        var isRepeatable = true
        switch byte {
        case UInt8(ascii: "["): set()
        case UInt8(ascii: "%"):
            guard let letter = rest.popFirst() else {
                fault = "the pattern ends with a %; write %% for the character"
                return
            }
            switch letter {
            case UInt8(ascii: "b"):
                if rest.count < 2 { fault = "%b takes two characters, such as %b()" }
                rest = rest.dropFirst(2)
                isRepeatable = false
            case UInt8(ascii: "f"):
                if rest.popFirst() == UInt8(ascii: "[") { set() } else { fault = "%f takes a set, such as %f[%w]" }
                isRepeatable = false
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let number = Int(letter) - 0x30
                if number == 0 || number > open.count || open[number - 1] {
                    fault = "the pattern has %\(number), but no capture \(number) before it"
                }
                isRepeatable = false
            default: break
            }
        default: break
        }
        if isRepeatable, let sign = rest.first, "*?-".utf8.contains(sign) {
            rest = rest.dropFirst()
            return
        }
        if isRepeatable, rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        isSelective = true
    }

    /// Reads a set after its `[`.
    private mutating func set() {
        if rest.first == UInt8(ascii: "^") { rest = rest.dropFirst() }
        var isFirst = true
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "]"), !isFirst { return }
            if byte == UInt8(ascii: "%") { rest = rest.dropFirst() }
            isFirst = false
        }
        fault = "the pattern has a [ without a ]; write %[ for the character"
    }

    /// Why Lua refuses a string as the replacement of a match; nil if Lua accepts it.
    func fault(ofReplacement text: String) -> String? {
        guard text.utf8.count <= Self.longest else { return nil }
        var rest = Array(text.utf8)[...]
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            rest = rest[(percent + 1)...]
            switch rest.popFirst() {
            case UInt8(ascii: "%"), UInt8(ascii: "0"), UInt8(ascii: "1"): continue
            case let digit? where (UInt8(ascii: "2")...UInt8(ascii: "9")).contains(digit):
                let number = Int(digit) - 0x30
                guard number > captures else { continue }
                return
                    "the replacement has %\(number), but the pattern has \(captures) capture\(captures == 1 ? "" : "s")"
            default: return "the replacement has a % that is followed by no digit; write %% for the character"
            }
        }
        return nil
    }
}
