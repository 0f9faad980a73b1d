/// The help texts, generated from the table of verbs.
enum Help {
    /// The tool's help, or a verb's.
    static func text(for verb: Verb?) -> String { verb.map(text(for:)) ?? overview }

    /// The usage line, and one line for each verb.
    static let usage = "usage: patchpack VERB [OPTION]... [FILE]...\n" + rows(Verb.all.map { ($0.name, $0.summary) })

    private static var overview: String {
        """
        patchpack packs Lua scripts into signed, encrypted patch envelopes, verifies, tests and opens them, delivers them in
        signed feeds, and reports what became of them.

        \(usage)
        `patchpack VERB --help` shows the help of a verb, `patchpack --version` shows the version.

        exit status: 0 on success, 1 if `diff` finds a difference, 10 to 16 if an envelope is refused, 20 or 21 if a script or
        a test fails, 30 to 38 if a feed is refused, 64 to 78 for other errors; see docs/cli.md for all of them.

        """
    }

    private static func text(for verb: Verb) -> String {
        guard verb.actions.isEmpty else { return actions(of: verb) }
        return """
            patchpack \(verb.name): \(verb.summary)

            usage: patchpack \(verb.name)\(verb.operands.isEmpty ? "" : " \(verb.operands)")

            \(rows(verb.allOptions.map { ($0.usage, $0.help) }))
            example: \(verb.example)

            """
    }

    private static func actions(of verb: Verb) -> String {
        """
        patchpack \(verb.name): \(verb.summary)

        usage: patchpack \(verb.name) ACTION ...

        \(rows(verb.actions.map { ("\($0.lastWord) \($0.operands)", $0.summary) }))
        `patchpack \(verb.name) ACTION --help` lists the options of an action.

        example: \(verb.example)

        """
    }

    /// Two columns, the second one aligned.
    private static func rows(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "  \($0)\(String(repeating: " ", count: width - $0.count))  \($1)\n" }.joined()
    }
}
