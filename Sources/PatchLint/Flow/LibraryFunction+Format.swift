extension LibraryFunction {
    /// What a format of `string.format` says.
    enum Format {
        /// The requirements of the values that it takes.
        case values([Argument])
        /// Lua refuses it, for a reason.
        case refused(String)
    }

    /// Reads a format of `string.format`.
    static func read(_ format: String) -> Format {
        var values: [Argument] = []
        var rest = Array(format.utf8)[...]
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            rest = rest[(percent + 1)...]
            if rest.first == UInt8(ascii: "%") {
                rest = rest.dropFirst()
                continue
            }
            let options = rest.prefix { "-+ #0123456789.".utf8.contains($0) }
            rest = rest[options.endIndex...]
            guard let letter = rest.popFirst() else { return .refused("the format ends after a %") }
            guard letter != UInt8(ascii: "p") else {
                return .refused("the format has %p, which the sandbox does not have: it shows addresses")
            }
            guard let conversion = conversions[letter], conversion.takes(options) else {
                let item = letter < 0x80 ? "%" + String(decoding: options + [letter], as: UTF8.self) : "a byte after %"
                let isUnknown = conversions[letter] == nil && letter != UInt8(ascii: "%")
                return .refused("the format has \(item), which Lua does not \(isUnknown ? "have" : "accept")")
            }
            values.append(conversion.value)
        }
        return .values(values)
    }

    /// The letter at the end of a format's item: the value that it takes, and its options.
    private struct Conversion {
        let value: Argument
        /// The flags that may come first; nil if it takes no options.
        let flags: String?
        var hasPrecision = true

        /// Whether Lua accepts the flags, the width and the precision of an item, as `checkformat` in its lstrlib.c.
        func takes(_ options: ArraySlice<UInt8>) -> Bool {
            guard let flags else { return options.isEmpty }
            // Lua copies an item into a buffer of 32 bytes, of which it leaves these to the options.
            guard options.count < 21 else { return false }
            var rest = options.drop { flags.utf8.contains($0) }
            /// Drops a width or a precision, which has at most two digits.
            func dropNumber() {
                for _ in 1...2 {
                    if let digit = rest.first, (0x30...0x39).contains(digit) { rest = rest.dropFirst() }
                }
            }
            guard rest.first != UInt8(ascii: "0") else { return false }
            dropNumber()
            if hasPrecision, rest.first == UInt8(ascii: ".") {
                rest = rest.dropFirst()
                dropNumber()
            }
            return rest.isEmpty
        }
    }

    private static let conversions: [UInt8: Conversion] = {
        var all: [UInt8: Conversion] = [
            UInt8(ascii: "c"): Conversion(value: .integer, flags: "-", hasPrecision: false),
            UInt8(ascii: "u"): Conversion(value: .integer, flags: "-0"),
            UInt8(ascii: "s"): Conversion(value: .any, flags: "-"),
            UInt8(ascii: "q"): Conversion(value: Argument([.basic, .boolean, .nil]), flags: nil),
        ]
        for letter in "di".utf8 { all[letter] = Conversion(value: .integer, flags: "-+ 0") }
        for letter in "oxX".utf8 { all[letter] = Conversion(value: .integer, flags: "-#0") }
        for letter in "aAeEfgG".utf8 { all[letter] = Conversion(value: .number, flags: "-+ #0") }
        return all
    }()
}
