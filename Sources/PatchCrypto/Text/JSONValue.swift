/// A JSON value. The members of an object keep their order.
///
/// It is used for the canonical manifest, whose keys the caller sorts, and for a tool's output lines.
package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case string(String)
    case array([JSONValue])
    case object([(key: String, value: JSONValue)])

    /// Writes the value without white space, with strings escaped as in RFC 8785.
    ///
    /// - Parameter escaping: Further characters to write as `\u` escapes; none in canonical form.
    package func encoded(escaping: ((Unicode.Scalar) -> Bool)? = nil) -> [UInt8] {
        var text: [UInt8] = []
        write(to: &text, escaping)
        return text
    }

    package func text(escaping: ((Unicode.Scalar) -> Bool)? = nil) -> String {
        String(decoding: encoded(escaping: escaping), as: UTF8.self)
    }

    private func write(to text: inout [UInt8], _ escaping: ((Unicode.Scalar) -> Bool)?) {
        switch self {
        case .null: text += "null".utf8
        case .bool(let value): text += (value ? "true" : "false").utf8
        case .integer(let value): text += String(value).utf8
        case .string(let value): Self.quote(value, to: &text, escaping)
        case .array(let values):
            text.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                value.write(to: &text, escaping)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                Self.quote(member.key, to: &text, escaping)
                text.append(UInt8(ascii: ":"))
                member.value.write(to: &text, escaping)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    private static func quote(_ string: String, to text: inout [UInt8], _ escaping: ((Unicode.Scalar) -> Bool)?) {
        text.append(UInt8(ascii: "\""))
        defer { text.append(UInt8(ascii: "\"")) }
        if escaping == nil {
            let start = text.count
            text += string.utf8
            let isPlain = text[start...].allSatisfy {
                $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
            if isPlain { return }
            text.removeLast(text.count - start)
        }
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\"".utf8
            case "\\": text += "\\\\".utf8
            case "\u{8}": text += "\\b".utf8
            case "\t": text += "\\t".utf8
            case "\n": text += "\\n".utf8
            case "\u{C}": text += "\\f".utf8
            case "\r": text += "\\r".utf8
            case _ where scalar.value < 0x20 || escaping?(scalar) == true:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    text += ("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits).utf8
                }
            default:
                if scalar.isASCII {
                    text.append(UInt8(truncatingIfNeeded: scalar.value))
                } else {
                    text += String(scalar).utf8
                }
            }
        }
    }
}
