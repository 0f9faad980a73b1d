/// Advice for syntax of other languages, where Lua's message points elsewhere.
enum SyntaxHints {
    /// The word before the token at which Lua stops, the text that begins there, and the advice.
    private static let hints: [(before: String, at: String, advice: String)] = [
        ("continue", "", "Lua has no continue; use goto continue, with ::continue:: before the end of the loop"),
        ("let", "", "Lua writes local"), ("var", "", "Lua writes local"), ("const", "", "Lua writes local"),
        ("elif", "", "Lua writes elseif"), ("try", "", "Lua has no try; pcall(f, …) returns whether f succeeds"),
        ("", "!=", "Lua writes ~="), ("", "!", "Lua writes not"), ("", "&&", "Lua writes and"),
        ("", "||", "Lua writes or"), ("", "?", "Lua has no ?; write condition and x or y"),
        ("", "++", "Lua has no ++; write x = x + 1"),
        ("", "<<<<<<<", conflict), ("", "=======", conflict), ("", ">>>>>>>", conflict),
    ]

    private static let conflict = "a merge left both sides here: keep one, and remove its marks"

    /// The advice for Lua's message about a line; nil if there is none.
    static func hint(for message: String, line: Int, in source: [UInt8]) -> String? {
        guard let near = message.split(separator: " near ").last else { return nil }
        var reader = LuaTokens(source)
        // The last two tokens, the earlier one first.
        var before = ["", ""]
        while case let token = reader.next(), token.line <= line {
            if token.kind != .end, token.line == line, source[token.start] == 0 {
                return "a NUL byte is no text: remove it, or write it as \\0 in a string"
            }
            if token.line == line, source[token.start...].starts(with: "\u{A0}".utf8) {
                return "this is a no-break space, which Lua does not skip: replace it with a space"
            }
            let text = String(decoding: source[token.start..<token.text.upperBound], as: UTF8.self)
            let isNear =
                if token.kind == .end { near == "<eof>" } else { token.line == line && near == "'\(text)'" }
            if isNear {
                let rest = source[token.start...]
                // A field may have such a name.
                let isWord = message.hasPrefix("syntax error") && ![".", ":", "goto", "::"].contains(before[0])
                let word = isWord ? before[1] : ""
                for hint in hints where rest.starts(with: hint.at.utf8) && (hint.before.isEmpty || hint.before == word)
                {
                    return hint.advice
                }
                if token.kind == .symbol, rest.dropFirst(text.utf8.count).first == UInt8(ascii: "=") {
                    return "Lua has no \(text)=; write x = x \(text) y"
                }
            }
            guard token.kind != .end else { break }
            before = [before[1], text]
        }
        return nil
    }
}
