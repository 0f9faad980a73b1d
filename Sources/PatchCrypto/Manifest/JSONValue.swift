/// A JSON value, an object's members in the order in which they stand.
///
/// It serves the canonical manifest, whose keys are sorted by whoever builds the value, and a tool's output lines.
package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case string(String)
    case array([JSONValue])
    case object([(key: String, value: JSONValue)])

    /// Writes the value without white space, strings escaped as RFC 8785 has it.
    ///
    /// - Parameter escaping: Further characters to write as `\u` escapes; none in canonical form.
    package func text(escaping: (Unicode.Scalar) -> Bool = { _ in false }) -> String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .string(let value): Self.quote(value, escaping: escaping)
        case .array(let values): "[" + values.map { $0.text(escaping: escaping) }.joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.map { Self.quote($0.key, escaping: escaping) + ":" + $0.value.text(escaping: escaping) }
                .joined(separator: ",") + "}"
        }
    }

    private static func quote(_ string: String, escaping: (Unicode.Scalar) -> Bool) -> String {
        var quoted = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\u{8}": quoted += "\\b"
            case "\t": quoted += "\\t"
            case "\n": quoted += "\\n"
            case "\u{C}": quoted += "\\f"
            case "\r": quoted += "\\r"
            case _ where scalar.value < 0x20 || escaping(scalar):
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    quoted += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
                }
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
