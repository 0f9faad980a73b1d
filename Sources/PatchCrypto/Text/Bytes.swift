extension String {
    /// Whether two strings have the same bytes. To `==`, canonically equivalent strings are also equal.
    package func hasBytes(of other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
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
