extension String {
    /// Whether two strings have the same bytes. To `==`, canonically equivalent strings are also equal.
    package func hasBytes(of other: String) -> Bool {
        // `==` refuses most that differ, and is faster. A string's view of UTF-8 is slow to iterate over.
        guard utf8.count == other.utf8.count, self == other else { return false }
        let areEqual = unsafe utf8.withContiguousStorageIfAvailable { left in
            unsafe other.utf8.withContiguousStorageIfAvailable { unsafe left.elementsEqual($0) } ?? nil
        }
        return (areEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Makes a string of UTF-8. nil if the bytes are something else.
    package init?(utf8 bytes: [UInt8]) {
        // `String(validating:as:)` looks its generic types up at run time, which takes ten times longer.
        self.init(decoding: bytes, as: UTF8.self)
        guard utf8.count == bytes.count, Array(utf8) == bytes else { return nil }
    }
}

/// Whether a character moves the cursor, is invisible or changes the direction of the text.
package func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    default: false
    }
}

extension ArraySlice<UInt8> {
    /// Removes a line with its LF from the front, and returns it without the LF; nil if there is no LF.
    package mutating func takeLine() -> ArraySlice<UInt8>? {
        guard let end = firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { self = self[(end + 1)...] }
        return self[..<end]
    }
}
