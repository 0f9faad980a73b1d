import PatchCrypto
import PatchText

/// The tool's output: results on standard output, messages on standard error.
///
/// All text is escaped here, because much of it comes from unverified files. Keys that were typed by mistake are
/// removed here, from values that no format has changed yet.
final class Console {
    enum Format {
        case text, json
    }

    enum Style: String {
        case good = "32"
        case bad = "31"
        case faint = "2"
    }

    let format: Format
    let isQuiet: Bool
    /// Whether standard output and standard error are coloured.
    private let colors: (output: Bool, error: Bool)
    let secrets: Secrets
    /// Whether standard error is a terminal, so that progress bars make sense.
    private lazy var hasTerminal = Terminal.isTerminal(2)
    /// Whether a bar, or another text that is removed again, is on the terminal.
    private var hasBar = false
    /// The errors that were printed. An error of an object is printed once.
    private var told: Set<String> = []
    /// The exit status of the run: that of its first failure.
    private(set) var exitStatus: Int32 = 0

    /// - Parameters:
    ///   - format: `json` for JSON; anything else for text.
    ///   - color: `always` or `never`. Anything else means colour on a terminal whose `TERM` is set and not `dumb`, or
    ///     everywhere with `CLICOLOR_FORCE`, unless `NO_COLOR` is set.
    ///   - secrets: The keys to hide.
    init(format: String?, isQuiet: Bool, color: String?, secrets: Secrets) {
        self.secrets = secrets
        self.format = format == "json" ? .json : .text
        self.isQuiet = isQuiet
        let allowed = Environment["NO_COLOR"] == nil
        let isForced = !["0", nil].contains(Environment["CLICOLOR_FORCE"])
        let hasColors = !["dumb", nil].contains(Environment["TERM"])
        func isColored(_ stream: Int32) -> Bool {
            switch color {
            case "always": true
            case "never": false
            default: allowed && (isForced || (hasColors && Terminal.isTerminal(stream)))
            }
        }
        colors = (isColored(1), isColored(2))
    }

    func line(_ text: String) throws(PatchError) { try print(shown(text)) }

    /// Prints a line of text output that begins with a coloured word.
    func line(_ style: Style, _ word: String, _ text: String) throws(PatchError) {
        try print(painted(word, style, colors.output) + shown(text))
    }

    /// Prints one JSON object. Its error is printed to standard error too, where the log of a job shows it.
    func json(_ value: JSONValue) throws(PatchError) {
        try print(secrets.removed(from: value).text(escaping: isUnprintable))
        guard let error = value["error"], let code = error["code"]?.text, let message = error["message"]?.text else {
            return
        }
        let fault = PatchError(
            PatchError.Code(code), message, hint: error["hint"]?.text,
            at: .init(file: error["file"]?.text ?? value["file"]?.text, line: error["line"]?.number))
        if !told.contains(fault.text) { self.error(fault) }
    }

    func report(
        _ schema: String, about subject: JSONMembers = [], _ error: PatchError?, _ members: JSONMembers = []
    ) throws(PatchError) {
        try json(.report(schema, about: subject, error, members))
    }

    /// Prints a result: a JSON object, or a line of text.
    ///
    /// - Parameter always: Whether the text is printed even if only failures are.
    func result(
        _ value: @autoclosure () -> JSONValue, always: Bool = false, _ text: @autoclosure () -> String
    ) throws(PatchError) {
        if format == .json { return try json(value()) }
        if always || !isQuiet { try line(text()) }
    }

    /// Prints a result: a JSON object, or a line of text that begins with a coloured word.
    func result(
        _ value: @autoclosure () -> JSONValue, always: Bool = false, _ style: Style, _ word: String,
        _ text: @autoclosure () -> String
    ) throws(PatchError) {
        if format == .json { return try json(value()) }
        if always || !isQuiet { try line(style, word, text()) }
    }

    /// Prints a string to standard output without escaping it. A word of the command line may be in it only if no
    /// format has changed it.
    func raw(_ text: String) throws(PatchError) { try write(Array(secrets.removed(from: text).utf8)) }

    private func shown(_ text: String) -> String { escaped(secrets.removed(from: text)) }

    private func write(_ bytes: [UInt8]) throws(PatchError) {
        clearBar()
        try StandardOutput.write(bytes)
    }

    private func print(_ text: String) throws(PatchError) { try write(Array((text + "\n").utf8)) }

    /// Notes a failure that ends the run with another exit status than 0, without printing it. Nil is no failure.
    func fail(_ code: PatchError.Code?) {
        if let code, exitStatus == 0 { exitStatus = code.exitStatus }
    }

    func error(_ error: PatchError) {
        told.insert(error.text)
        say("error", .bad, error.text)
        if let hint = error.shownHint { say("hint", .faint, hint) }
    }

    func warning(_ text: String) {
        if !isQuiet { say("warning", .bad, text) }
    }

    func printUsage(_ text: String) { tell(text) }

    /// Prints a note on the progress of the work. Not printed with JSON.
    func note(_ text: String) {
        if !isQuiet, format == .text { tell("\(shown(text))\n") }
    }

    private func say(_ word: String, _ style: Style, _ text: String) {
        tell("patchpack: \(painted("\(word):", style, colors.error)) \(shown(text))\n")
    }

    /// Prints a note about keys of the algorithm `rsa-sha1`. A verb does so once for all files.
    func noteOldClients() {
        note("rsa-sha1 is for old clients; for a new app: patchpack \(ProjectTemplate.keygen)")
    }

    func progress(_ done: Int, of total: Int) {
        guard total > 1, showsProgress else { return }
        guard done < total else { return clearBar() }
        let cells = 24
        let filled = done * cells / total
        let bar = String(repeating: "#", count: filled) + String(repeating: " ", count: cells - filled)
        status("[\(bar)] \(done)/\(total)")
    }

    private var showsProgress: Bool { hasTerminal && !isQuiet && format == .text }

    /// Shows the progress of a long operation on a terminal; nil removes it.
    func status(_ text: String?) {
        guard showsProgress else { return }
        guard let text else { return clearBar() }
        tell(shown(text))
        hasBar = true
    }

    private func clearBar() {
        guard hasBar else { return }
        hasBar = false
        tell("\r\u{1B}[K")
    }

    private func tell(_ text: String) {
        clearBar()
        StandardError.write(text)
    }

    private func painted(_ word: String, _ style: Style, _ isColored: Bool) -> String {
        isColored ? "\u{1B}[\(style.rawValue)m\(shown(word))\u{1B}[0m" : shown(word)
    }
}

/// A string with every unprintable character written as an escape, such as `\u{1B}`.
func escaped(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
    guard text.unicodeScalars.contains(where: isUnprintable) else { return text }
    return text.unicodeScalars.map { isUnprintable($0) ? $0.escaped(asASCII: true) : String($0) }.joined()
}

extension Unicode.Scalar {
    /// The number of columns that it takes on a terminal, once it is escaped.
    var columns: Int {
        if (0x20..<0x7F).contains(value) { return 1 }
        if isUnprintable(self) { return escaped(asASCII: true).count }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: break
        }
        switch value {
        // The wide characters of Unicode's East Asian Width, without those that are shown as pictures.
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x1B2FF, 0x20000...0x3FFFD:
            return 2
        // Half a flag.
        case 0x1F1E6...0x1F1FF: return 1
        default: return properties.isEmojiPresentation ? 2 : 1
        }
    }
}
