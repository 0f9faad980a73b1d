/// Lower-case hexadecimal, the only spelling that the formats allow.
package enum Hex {
    package static func isLowercaseDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    package static func encode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.underestimatedCount)
        encode(bytes, to: &text)
        return text
    }

    /// Appends the digits. An array that has room for them leaves no copy of a secret in memory.
    static func encode(_ bytes: some Sequence<UInt8>, to text: inout [UInt8]) {
        func digit(_ value: UInt8) -> UInt8 { value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10) }
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
    }

    /// Decodes lower-case digits; nil if their number is odd or there is any other character.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 2), text.allSatisfy(isLowercaseDigit) else { return nil }
        func value(_ digit: UInt8) -> UInt8 {
            digit > UInt8(ascii: "9") ? digit - UInt8(ascii: "a") + 10 : digit - UInt8(ascii: "0")
        }
        // The array has its final size at once: the digits may be a key, and an array that grows leaves copies.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        var high: UInt8?
        for digit in text {
            if let first = high {
                bytes.append(first << 4 | value(digit))
                high = nil
            } else {
                high = value(digit)
            }
        }
        return bytes
    }
}
