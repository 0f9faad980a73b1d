/// Reads the words of JSON in a buffer, and makes no value of them: a string is the range of its bytes.
@safe struct JSONScanner: ~Copyable, Sendable {
    /// The bytes of a file, and after `room` of them the strings that have escapes, without their escapes. Those of a
    /// line are shorter than the line, and so are those of a line that is one of them.
    nonisolated(unsafe) private let bytes: UnsafeMutableRawBufferPointer
    private let room: Int
    /// The place of the next byte, and the end of the text.
    private var position = 0
    private var end = 0
    /// Where the next string that has escapes is put together.
    private var scratch: Int

    /// - Parameter room: How many bytes of a file are in the buffer at a time.
    init(room: Int) {
        unsafe bytes = .allocate(byteCount: 3 * room, alignment: 8)
        self.room = room
        scratch = room
    }

    deinit { unsafe bytes.deallocate() }

    /// The part of the buffer for the bytes of a file.
    var input: UnsafeMutableRawBufferPointer { unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<room]) }

    func text(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    /// Makes room for the strings of another line.
    mutating func forgetStrings() { scratch = room }

    /// Begins to read a text.
    mutating func begin(_ text: Range<Int>) {
        position = text.lowerBound
        end = text.upperBound
    }

    /// The next byte; 0 at the end.
    var next: UInt8 { unsafe position < end ? bytes[position] : 0 }

    var isAtEnd: Bool { position == end }

    mutating func skipByte() { position += 1 }

    mutating func skipSpace() {
        while case let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    /// Takes a character if it is next after white space.
    mutating func takes(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Takes as many bytes as a word has; false if they are others.
    mutating func takes(word: StaticString) -> Bool {
        let rest = position..<min(end, position + word.utf8CodeUnitCount)
        position = rest.upperBound
        return word.withUTF8Buffer { unsafe text(rest).elementsEqual($0) }
    }

    // MARK: numbers

    /// Takes a number by the grammar of JSON; false if it is not one.
    ///
    /// - Parameter value: Set to the number; to nil if it has a fraction or an exponent, or does not fit.
    mutating func takesNumber(_ value: inout Int?) -> Bool {
        let isNegative = next == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let first = next
        let start = position
        var whole: Int? = 0
        while case let digit = Int(next) - 0x30, 0...9 ~= digit {
            if let number = whole {
                let (tens, isLarge) = number.multipliedReportingOverflow(by: 10)
                let (sum, isLarger) = tens.addingReportingOverflow(isNegative ? -digit : digit)
                whole = isLarge || isLarger ? nil : sum
            }
            position += 1
        }
        value = whole
        // A number has no leading zeros.
        let digits = position - start
        guard digits > 0, digits == 1 || first != UInt8(ascii: "0") else { return false }
        if next == UInt8(ascii: ".") {
            position += 1
            value = nil
            guard takesDigits() else { return false }
        }
        guard next | 0x20 == UInt8(ascii: "e") else { return true }
        position += 1
        value = nil
        if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
        return takesDigits()
    }

    /// Takes all digits that are next; false if there is none.
    private mutating func takesDigits() -> Bool {
        let start = position
        while 0x30...0x39 ~= next { position += 1 }
        return position > start
    }

    // MARK: strings

    /// Reads a string whose quote is next, and returns where it is without its escapes; nil if it is not JSON, or not
    /// UTF-8.
    mutating func string() -> Range<Int>? {
        position += 1
        var piece = position
        // Where its pieces are put together if it has escapes.
        var whole: Int?
        while true {
            skipPlain()
            switch next {
            case UInt8(ascii: "\""):
                let rest = piece..<position
                position += 1
                guard let whole else { return rest }
                return keep(rest) ? whole..<scratch : nil
            case UInt8(ascii: "\\"):
                whole = whole ?? scratch
                guard keep(piece..<position), let scalar = escape() else { return nil }
                guard scalar.utf8.allSatisfy({ keep($0) }) else { return nil }
                piece = position
            case 0x80...:
                guard takesScalar() else { return nil }
            default: return nil
            }
        }
    }

    /// Skips characters of ASCII that have no meaning in a string, eight at a time.
    private mutating func skipPlain() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        while position + 8 <= end {
            let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let quote = word ^ (ones &* 0x22)
            let escape = word ^ (ones &* 0x5C)
            // The lowest bit is in the first byte that is a quote, a backslash, a control character or not ASCII. A
            // subtraction that borrows spoils only the bytes above.
            let found =
                ((quote &- ones) & ~quote | (escape &- ones) & ~escape | (word &- ones &* 0x20) & ~word | word)
                & (ones &* 0x80)
            guard found == 0 else {
                position += found.trailingZeroBitCount / 8
                return
            }
            position += 8
        }
        while case let byte = next, 0x20..<0x80 ~= byte, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
            position += 1
        }
    }

    /// What must follow the first byte of a character that is not ASCII: how many bytes, and which the first of them
    /// may be. Nil if no character begins so.
    private static func continuation(of lead: UInt8) -> (count: Int, second: ClosedRange<UInt8>)? {
        switch lead {
        case 0xC2...0xDF: (1, 0x80...0xBF)
        case 0xE0: (2, 0xA0...0xBF)
        case 0xED: (2, 0x80...0x9F)
        case 0xE1...0xEF: (2, 0x80...0xBF)
        case 0xF0: (3, 0x90...0xBF)
        case 0xF1...0xF3: (3, 0x80...0xBF)
        case 0xF4: (3, 0x80...0x8F)
        default: nil
        }
    }

    /// Takes a character that is not ASCII; false if it is not UTF-8.
    private mutating func takesScalar() -> Bool {
        guard let (count, second) = Self.continuation(of: next) else { return false }
        position += 1
        guard second ~= next else { return false }
        for _ in 1..<count {
            position += 1
            guard 0x80...0xBF ~= next else { return false }
        }
        position += 1
        return true
    }

    /// Takes an escape, whose backslash is next; nil if it is none, or half of a pair.
    private mutating func escape() -> Unicode.Scalar? {
        position += 1
        let letter = next
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let unit = codeUnit() else { return nil }
            guard 0xD800...0xDBFF ~= unit else { return Unicode.Scalar(unit) }
            guard next == UInt8(ascii: "\\") else { return nil }
            position += 1
            guard next == UInt8(ascii: "u") else { return nil }
            position += 1
            guard let low = codeUnit(), 0xDC00...0xDFFF ~= low else { return nil }
            return Unicode.Scalar(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
        default: return nil
        }
    }

    /// Takes the four hex digits of an escape; nil if there are others.
    private mutating func codeUnit() -> UInt32? {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            switch next {
            case 0x30...0x39: unit = unit << 4 | UInt32(next - 0x30)
            case 0x41...0x46, 0x61...0x66: unit = unit << 4 | UInt32((next | 0x20) - UInt8(ascii: "a") + 10)
            default: return nil
            }
            position += 1
        }
        return unit
    }

    /// Adds a byte to the string that is put together; false if there is no room.
    private mutating func keep(_ byte: UInt8) -> Bool {
        guard unsafe scratch < bytes.count else { return false }
        unsafe bytes[scratch] = byte
        scratch += 1
        return true
    }

    /// Adds bytes to the string that is put together; false if there is no room.
    private mutating func keep(_ piece: Range<Int>) -> Bool {
        guard unsafe piece.count <= bytes.count - scratch else { return false }
        unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[scratch...]).copyMemory(from: text(piece))
        scratch += piece.count
        return true
    }
}
