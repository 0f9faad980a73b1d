import PatchCrypto
import PatchFiles

extension PatchError.Code {
    /// Wrong arguments.
    static let usage = Self("usage", exitStatus: 64)
    /// The same version of a patch twice in one run.
    static let duplicate = Self("duplicate", exitStatus: 65)
}

/// A word of the command line, as the system handed it over.
///
/// File names are bytes, and not always text; a name that is not UTF-8 still opens the right file.
struct Argument: Sendable, Hashable {
    let bytes: [UInt8]

    /// The word as text; damaged where it is not UTF-8.
    var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The word as a file's place.
    var path: Path { Path(bytes: bytes) }
    /// Whether it is exactly this text.
    func isText(_ text: String) -> Bool { bytes.elementsEqual(text.utf8) }
}

/// What a command line says, checked against its verb's table.
struct ParsedArguments: Sendable {
    let verb: Verb
    let operands: [Argument]
    fileprivate let values: [String: [Argument]]

    /// Whether a switch, or an option with a value, was given.
    func has(_ option: Option) -> Bool { values[option.name] != nil }
    /// An option's values, in the order given.
    func values(of option: Option) -> [Argument] { values[option.name] ?? [] }
    /// The value of an option that is given once at most.
    func value(of option: Option) -> Argument? { values[option.name]?.first }

    /// A value as text.
    ///
    /// - Throws: `usage` where it is not UTF-8.
    func text(of option: Option) throws(PatchError) -> String? { try texts(of: option).first }

    /// All of an option's values as text.
    ///
    /// - Throws: `usage` where one is not UTF-8.
    func texts(of option: Option) throws(PatchError) -> [String] {
        var texts: [String] = []
        for value in values(of: option) {
            guard let text = String(validating: value.bytes, as: UTF8.self) else {
                throw PatchError(.usage, "--\(option.name) is not UTF-8 text")
            }
            texts.append(text)
        }
        return texts
    }

    /// A value in another type.
    ///
    /// - Parameters:
    ///   - expected: What the value should be, for the error.
    ///   - convert: Makes it of text; nil where the text is no such value.
    /// - Throws: `usage` where it is no such value.
    func value<Value>(
        of option: Option, _ expected: String, _ convert: (String) -> Value?
    ) throws(PatchError) -> Value? {
        guard let text = try text(of: option) else { return nil }
        guard let value = convert(text) else {
            throw PatchError(.usage, "--\(option.name) \(text): \(expected) is expected")
        }
        return value
    }

    /// A whole number of at least `lowest`.
    func number(of option: Option, atLeast lowest: Int = 1) throws(PatchError) -> Int? {
        try value(of: option, "a whole number from \(lowest) on") { text in
            text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
                ? Int(text).flatMap { $0 >= lowest ? $0 : nil } : nil
        }
    }

    /// A moment.
    func time(of option: Option) throws(PatchError) -> Timestamp? {
        try value(of: option, "a time such as 2027-01-01T00:00:00Z", Timestamp.init(_:))
    }
}

/// What a command line asks for.
enum Request {
    case run(ParsedArguments)
    case help(Verb?)
    case version
}

extension Request {
    private static func verb(_ word: Argument) throws(PatchError) -> Verb {
        guard let verb = Verb.all.first(where: { word.isText($0.name) }) else {
            throw .unknown("verb", word.text, known: Verb.all.map(\.name), help: "patchpack --help")
        }
        return verb
    }

    /// Reads a command line.
    ///
    /// - Parameter words: Without the program's name; at least one.
    /// - Throws: `usage`, with a suggestion where a known word is near.
    init(_ words: [Argument]) throws(PatchError) {
        guard let first = words.first else { throw PatchError(.usage, "no verb", hint: "patchpack --help") }
        if ["--help", "-h"].contains(where: first.isText) {
            self = .help(nil)
            return
        }
        if ["--\(Option.toolVersion.name)", "-V", "version"].contains(where: first.isText) {
            self = .version
            return
        }
        if first.isText("help") {
            guard words.count > 1, !["help", "version"].contains(where: words[1].isText) else {
                self = .help(nil)
                return
            }
            self = .help(try Self.verb(words[1]))
            return
        }
        guard first.bytes.first != UInt8(ascii: "-") else {
            throw PatchError(
                .usage, "\(first.text) before the verb", hint: "the verb comes first: patchpack VERB \(first.text)")
        }
        let verb = try Self.verb(first)
        var parser = VerbParser(verb: verb, rest: words.dropFirst())
        try parser.parse()
        guard parser.values[Option.help.name] == nil else {
            self = .help(verb)
            return
        }
        if let action = parser.operands.first, !verb.actions.isEmpty, !verb.actions.contains(where: action.isText) {
            throw .unknown(
                "action of \(verb.name)", action.text, known: verb.actions,
                help: "one of \(verb.actions.joined(separator: ", "))")
        }
        guard verb.operandCount.contains(parser.operands.count) else {
            let fault =
                parser.operands.count < verb.operandCount.lowerBound ? "too few arguments" : "too many arguments"
            throw PatchError(.usage, "\(verb.name): \(fault)", hint: "patchpack \(verb.name) \(verb.operands)")
        }
        self = .run(ParsedArguments(verb: verb, operands: parser.operands, values: parser.values))
    }
}

/// Sorts a verb's words into options and operands.
private struct VerbParser {
    let verb: Verb
    var rest: ArraySlice<Argument>
    var operands: [Argument] = []
    var values: [String: [Argument]] = [:]

    mutating func parse() throws(PatchError) {
        while let word = rest.popFirst() {
            if word.isText("--") {
                operands += rest
                return
            } else if word.bytes.starts(with: "--".utf8) {
                try parseLong(word)
            } else if word.bytes.first == UInt8(ascii: "-"), word.bytes.count > 1 {
                try parseShort(word)
            } else {
                operands.append(word)
            }
        }
    }

    /// `--name`, `--name VALUE` or `--name=VALUE`.
    private mutating func parseLong(_ word: Argument) throws(PatchError) {
        let fields = word.bytes.dropFirst(2).split(
            separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(decoding: fields[0], as: UTF8.self)
        guard let option = verb.allOptions.first(where: { $0.name == name }) else {
            throw .unknown(
                "option", "--\(name)", known: verb.allOptions.map { "--\($0.name)" },
                help: "patchpack \(verb.name) --help")
        }
        try take(option, attached: fields.count == 2 ? Argument(bytes: Array(fields[1])) : nil)
    }

    /// `-x`, `-x VALUE`, `-xVALUE`, or several switches in one word.
    private mutating func parseShort(_ word: Argument) throws(PatchError) {
        var letters = word.bytes.dropFirst()
        while let letter = letters.popFirst() {
            let name = Character(Unicode.Scalar(letter))
            guard let option = verb.allOptions.first(where: { $0.short == name }) else {
                throw PatchError(.usage, "unknown option -\(name)", hint: "patchpack \(verb.name) --help")
            }
            let isLast = option.value != nil || letters.isEmpty
            try take(option, attached: isLast && !letters.isEmpty ? Argument(bytes: Array(letters)) : nil)
            if isLast { return }
        }
    }

    private mutating func take(_ option: Option, attached: Argument?) throws(PatchError) {
        guard let kind = option.value else {
            guard attached == nil else { throw PatchError(.usage, "--\(option.name) takes no value") }
            values[option.name] = []
            return
        }
        guard let value = attached ?? rest.popFirst() else {
            throw PatchError(.usage, "--\(option.name) needs a value", hint: "--\(option.name) \(kind.placeholder)")
        }
        guard option.repeats || values[option.name] == nil else {
            throw PatchError(.usage, "--\(option.name) is given twice", hint: "give it once")
        }
        if case .choice(_, let choices) = kind, !choices.contains(where: value.isText) {
            throw .unknown(
                "--\(option.name)", value.text, known: choices, help: "one of \(choices.joined(separator: ", "))")
        }
        values[option.name, default: []].append(value)
        guard option.takesAll, attached == nil else { return }
        // What a shell makes of a pattern.
        while let next = rest.first, next.bytes.first != UInt8(ascii: "-") {
            values[option.name, default: []].append(next)
            rest = rest.dropFirst()
        }
    }
}

extension PatchError {
    /// An error for a word that is not known, with the nearest one that is.
    fileprivate static func unknown(_ kind: String, _ word: String, known: [String], help: String) -> PatchError {
        let meant = nearest(word, among: known).map { "did you mean \($0)? (\(help))" }
        return PatchError(.usage, "unknown \(kind) \(word)", hint: meant ?? help)
    }
}
