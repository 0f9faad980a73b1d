/// Untrusted strings in a name or a message.
public enum HostileText {
    /// Letters that join with the following ones, combining marks, and characters that end a line, a quote or a tag in
    /// some format.
    public static let all = [
        "\u{D4E}<meta http-equiv=refresh content=0;url=http://x/>", "\u{111C2}<b>",
        "\u{1193F}</p><script>alert(1)</script>",
        "\u{11A84}&amp;", "\u{11D46}\"", "\u{11F02}'", "a\"\u{301} onmouseover=alert(1) x=\"\u{301}",
        "<\u{301}>\u{301}",
        "\\\u{301}\"\u{301}", "\u{D4E}\\\u{D4E}\"", "'\u{301}; touch x; '\u{301}", "a\r\nb", "a\nb\tc\rd",
        "a\n\u{301}b",
        "#\u{301} SKIP x", "\u{D4E}# TODO x", "\u{9B}31m\u{1B}[31m", "\u{202E}x\u{2066}", "\u{2028}\u{2029}\u{85}",
        "\u{FEFF}\u{200B}",
        "\u{FFFE}\u{FFFF}\u{E000}", "]]>--><!--", "&lt;&#10;%0A::error::x", "$(touch x)`touch x`${x}", "\u{0}1a\u{7F}",
        "\\u{41}\\n", "",
    ]
}
