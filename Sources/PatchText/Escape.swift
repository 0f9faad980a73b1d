/// Escapes untrusted text for an output format, with one function for each format.
///
/// Each function goes through Unicode scalars. A `Character` may consist of several scalars, so a `<` with a combining
/// mark is not equal to `"<"`. Characters that move the cursor, are invisible or change the direction of the text are
/// written as an escape such as `\u{202E}`, except for GitHub Actions, URIs and manual pages.
package enum Escape {
    /// HTML, as text and in an attribute with double quotes (HTML Standard, 13.1.2.3 and 13.1.4).
    package static func html(_ text: some StringProtocol) -> String {
        visible(text, entity)
    }

    /// The entity for a markup character, the same in HTML and XML; nil for any other character.
    private static func entity(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        default: nil
        }
    }

    /// XML 1.0, as text and in an attribute with double quotes (2.3 and 2.4).
    ///
    /// Line feeds and tabs become character references, so that a parser keeps them in an attribute. U+FFFE and U+FFFF
    /// are escaped, because they are not XML characters (2.2).
    package static func xml(_ text: some StringProtocol) -> String {
        visible(text) { scalar in
            switch scalar {
            case "\n": "&#10;"
            case "\t": "&#9;"
            default: entity(scalar)
            }
        }
    }

    /// A label's value in Prometheus' text format and in OpenMetrics, between double quotes.
    ///
    /// The text is cut after 512 bytes, before it is escaped. A character that is cut becomes U+FFFD.
    package static func label(_ text: some StringProtocol) -> String {
        each(String(decoding: text.utf8.prefix(512), as: UTF8.self)) { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            default: doubled(scalar)
            }
        }
    }

    /// A description of TAP 13: one line, in which `#` begins a directive.
    package static func tap(_ text: some StringProtocol) -> String {
        each(text) { scalar in
            switch scalar {
            case "\\", "#": "\\\(scalar)"
            case "\n": " "
            default: doubled(scalar)
            }
        }
    }

    /// The message of a GitHub Actions command, after `::`.
    package static func annotation(_ text: some StringProtocol) -> String {
        each(text) { "%\r\n".unicodeScalars.contains($0) ? percent(UInt8($0.value)) : nil }
    }

    /// A property of a GitHub Actions command, between commas.
    package static func annotationProperty(_ text: some StringProtocol) -> String {
        each(text) { "%\r\n:,".unicodeScalars.contains($0) ? percent(UInt8($0.value)) : nil }
    }

    /// A path as a URI reference (RFC 3986, 2.3). All bytes except unreserved characters and slashes are
    /// percent-encoded.
    package static func uri(_ path: some Sequence<UInt8>) -> String {
        path.map { byte in
            let scalar = Unicode.Scalar(byte)
            return switch scalar {
            case "0"..."9", "A"..."Z", "a"..."z", "/", ".", "-", "_", "~": String(scalar)
            default: percent(byte)
            }
        }.joined()
    }

    /// A value in an lcov tracefile, which ends at the end of the line. The format has no escapes.
    package static func lcov(_ text: some StringProtocol) -> String { visible(text) { _ in nil } }

    /// A string in a Lua program, with its quotes.
    package static func lua(_ text: some StringProtocol) -> String {
        let content = visible(text) { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            // To Lua, digits after `\0` would be a part of the escape.
            case "\0": "\\u{0}"
            default: nil
            }
        }
        return "\"\(content)\""
    }

    /// Text in a comment of Lua or Swift, which ends at the end of the line.
    package static func comment(_ text: some StringProtocol) -> String { visible(text) { _ in nil } }

    /// A string in a Swift program, without its quotes. All but printable ASCII is written as an escape.
    package static func swift(_ text: some StringProtocol) -> String {
        each(text) { scalar in
            switch scalar {
            case "\n": "\\n"
            case "\"", "\\": "\\\(scalar)"
            case " "..."~": nil
            default: scalar.escaped(asASCII: true)
            }
        }
    }

    /// Text in a manual page (mdoc).
    package static func roff(_ text: some StringProtocol) -> String { each(text) { $0 == "\\" ? "\\e" : nil } }

    /// An argument of a macro in a manual page, with its quotes.
    package static func roffArgument(_ text: some StringProtocol) -> String {
        "\"" + each(roff(text)) { $0 == "\"" ? "\"\"" : nil } + "\""
    }

    // MARK: scalars

    private static func percent(_ byte: UInt8) -> String {
        "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }

    /// The text with some scalars replaced.
    private static func each(
        _ text: some StringProtocol, _ replacement: (Unicode.Scalar) -> String?
    ) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if let other = replacement(scalar) {
                result.append(contentsOf: other.unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// The escape for an unprintable scalar, in a format that also escapes backslashes; nil for any other scalar.
    private static func doubled(_ scalar: Unicode.Scalar) -> String? {
        isUnprintable(scalar) ? "\\\(scalar.escaped(asASCII: true))" : nil
    }

    /// The text with some scalars replaced, and all unprintable scalars escaped.
    private static func visible(
        _ text: some StringProtocol, _ replacement: (Unicode.Scalar) -> String?
    ) -> String {
        each(text) { scalar in replacement(scalar) ?? (isUnprintable(scalar) ? scalar.escaped(asASCII: true) : nil) }
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
