package import PatchCrypto

extension JSONValue {
    /// The canonical form that TUF signs (OLPC's): keys in the order of their bytes, no white space, and in strings
    /// only `\` and `"` escaped, so that a line feed stays one.
    package var canonical: [UInt8] {
        var text: [UInt8] = []
        writeCanonical(to: &text)
        return text
    }

    private func writeCanonical(to text: inout [UInt8]) {
        switch self {
        case .null, .bool, .integer: text += encoded()
        case .string(let value): Self.quoteCanonical(value, to: &text)
        case .array(let values):
            text.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                value.writeCanonical(to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            // Most objects are received in order.
            let isSorted = zip(members, members.dropFirst()).allSatisfy { $0.key.hasBytes(before: $1.key) }
            let sorted = isSorted ? members : members.sorted { $0.key.hasBytes(before: $1.key) }
            for (index, member) in sorted.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                Self.quoteCanonical(member.key, to: &text)
                text.append(UInt8(ascii: ":"))
                member.value.writeCanonical(to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    private static func quoteCanonical(_ string: String, to text: inout [UInt8]) {
        func isEscaped(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") }
        text.append(UInt8(ascii: "\""))
        let start = text.count
        text += string.utf8
        if text[start...].contains(where: isEscaped) {
            text.removeLast(text.count - start)
            for byte in string.utf8 {
                if isEscaped(byte) { text.append(UInt8(ascii: "\\")) }
                text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}
