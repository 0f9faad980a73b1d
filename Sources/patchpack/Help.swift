import PatchCrypto

enum Help {
    /// The help of a verb or an action, or of the tool if there is none.
    static func text(for verb: Verb?) -> String { verb.map(text(for:)) ?? overview }

    static let usage =
        "usage: patchpack VERB [OPTION]... [FILE]...\n" + rows(Verb.all.map { ($0.name, $0.summary) })

    private static var overview: String {
        let statuses = PatchError.Code.exitStatuses.map(\.status)
        func range(from low: Int32, below high: Int32) -> String {
            "\(low) to \(statuses.filter { (low..<high).contains($0) }.max() ?? low)"
        }
        return """
            \(wrapped("patchpack packs Lua scripts into signed, encrypted patch envelopes, verifies, tests and opens them, delivers them in signed feeds, and reports how they run on devices."))

            \(usage)
            \(wrapped("`patchpack VERB --help` shows the help of a verb, `patchpack --version` shows the version."))

            \(wrapped("exit status: 0 on success, \(range(from: 10, below: 20)) if an envelope is refused, \(range(from: 20, below: 30)) if a script or a test fails, \(range(from: 30, below: 60)) if a feed is refused, \(range(from: 64, below: 80)) for other errors; see docs/cli.md for all of them."))

            """
    }

    private static func text(for verb: Verb) -> String {
        let usage = "usage: patchpack \(verb.name)\(verb.operands.isEmpty ? "" : " \(verb.operands)")"
        let options = verb.allOptions.map { ($0.usage, $0.help) }
        let actions = verb.actions.map { ("\($0.lastWord) \($0.operands)", $0.summary) }
        let note = "`patchpack \(verb.name) ACTION --help` lists the options of an action.\n\n"
        return """
            \(wrapped("patchpack \(verb.name): \(verb.summary)"))

            \(wrapped(usage, indent: 7))

            \(rows(actions.isEmpty ? options : actions))
            \(actions.isEmpty ? "" : note)\(pasted("example: ", verb.example))

            """
    }

    /// The width of the terminal, between 60 and 100 columns; 80 if the output is not a terminal.
    private static let columns = min(max(Terminal.columns(1) ?? 80, 60), 100)
    /// The most columns that the first one of two takes.
    private static let firstColumn = 26

    /// Two columns with the second one aligned. An entry that is too wide for the first column gets its own line.
    private static func rows(_ rows: [(String, String)]) -> String {
        let width = min(rows.map(\.0.count).max() ?? 0, firstColumn)
        let indent = width + 4
        return rows.map { left, right in
            let text = wrapped(String(repeating: " ", count: indent) + right, indent: indent)
            guard left.count <= width else { return "\(wrapped("  \(left)", indent: 6))\n\(text)\n" }
            return "  " + left + text.dropFirst(2 + left.count) + "\n"
        }.joined()
    }

    /// A label and a command in lines that fit, which can be pasted: they end before options, with a backslash.
    private static func pasted(_ label: String, _ command: String) -> String {
        let options = command.split(separator: " ").reduce(into: [String]()) { parts, word in
            if parts.isEmpty || word.hasPrefix("-") {
                parts.append(String(word))
            } else {
                parts[parts.count - 1] += " \(word)"
            }
        }
        var lines = [label + options[0]]
        for option in options.dropFirst() {
            let longer = "\(lines[lines.count - 1]) \(option)"
            // There must be room for the backslash.
            if "\(longer) \\".count > columns {
                lines[lines.count - 1] += " \\"
                lines.append(String(repeating: " ", count: label.count) + option)
            } else {
                lines[lines.count - 1] = longer
            }
        }
        return lines.joined(separator: "\n")
    }

    /// A string in lines that fit, with all but the first indented. Spaces at the beginning are kept.
    private static func wrapped(_ text: String, indent: Int = 0) -> String {
        var lines = [String(text.prefix { $0 == " " })]
        var isFirst = true
        for word in text.split(separator: " ") {
            let longer = "\(lines[lines.count - 1])\(isFirst ? "" : " ")\(word)"
            if longer.count > columns, !isFirst {
                lines.append("\(String(repeating: " ", count: indent))\(word)")
            } else {
                lines[lines.count - 1] = longer
            }
            isFirst = false
        }
        return lines.joined(separator: "\n")
    }
}
