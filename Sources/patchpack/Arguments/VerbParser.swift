import PatchCrypto
import PatchText

/// Sorts a verb's words into options and operands.
struct VerbParser {
    let verb: Verb
    var rest: ArraySlice<Argument>
    var operands: [Argument] = []
    var values: [String: [Argument]] = [:]

    /// The action that the first operand names, otherwise the verb. An unknown option is probably meant for it.
    private var meant: Verb { operands.first.flatMap { try? verb.action(called: $0) } ?? verb }

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
                "option", "--\(name)", known: meant.allOptions.map { "--\($0.name)" },
                help: "patchpack \(meant.name) --help")
        }
        try take(option, attached: fields.count == 2 ? Argument(bytes: Array(fields[1])) : nil)
    }

    /// `-x`, `-x VALUE`, `-xVALUE`, or several switches in one word.
    private mutating func parseShort(_ word: Argument) throws(PatchError) {
        var letters = word.bytes.dropFirst()
        while let letter = letters.popFirst() {
            let name = Character(Unicode.Scalar(letter))
            guard let option = verb.allOptions.first(where: { $0.short == name }) else {
                throw .usage("unknown option -\(name)", hint: "patchpack \(meant.name) --help")
            }
            let isLast = option.value != nil || letters.isEmpty
            try take(option, attached: isLast && !letters.isEmpty ? Argument(bytes: Array(letters)) : nil)
            if isLast { return }
        }
    }

    private mutating func take(_ option: Option, attached: Argument?) throws(PatchError) {
        guard let kind = option.value else {
            guard attached == nil else { throw .usage("--\(option.name) takes no value") }
            values[option.name] = []
            return
        }
        guard let value = attached ?? rest.popFirst() else {
            throw .usage("--\(option.name) needs a value", hint: "--\(option.name) \(kind.placeholder)")
        }
        var given = [value]
        // A shell expands a pattern into several words.
        while option.takesAll, attached == nil, let next = rest.first, next.bytes.first != UInt8(ascii: "-") {
            given.append(next)
            rest = rest.dropFirst()
        }
        guard option.mayBeEmpty || !given.contains(where: \.isBlank) else { throw .blank("--\(option.name)") }
        guard option.repeats || values[option.name] == nil else {
            throw .usage("--\(option.name) is given twice", hint: "give it once")
        }
        if case .choice(_, let choices) = kind, !choices.contains(where: value.isText) {
            throw .unknown(
                "--\(option.name)", value.text, known: choices, help: "one of \(choices.joined(separator: ", "))")
        }
        values[option.name, default: []] += given
    }
}

extension PatchError {
    /// An error for a value without a character, as that of a variable that is not set.
    static func blank(_ name: String) -> PatchError {
        .usage("\(name) is empty", hint: "is the variable that holds it set?")
    }

    /// An error for an unknown word that suggests the nearest known one.
    static func unknown(_ kind: String, _ word: String, known: [String], help: String) -> PatchError {
        // The word may be cut off at its end or its beginning, or have a typing mistake.
        var longer = known.filter { word.utf8.count > 2 && $0.utf8.starts(with: word.utf8) }
        let end = "-" + word.drop { $0 == "-" }
        if longer.isEmpty { longer = known.filter { $0.utf8.count > word.utf8.count && $0.hasSuffix(end) } }
        let meant = longer.isEmpty ? nearest(word, among: known).map { [$0] } ?? [] : Array(longer.prefix(4))
        return .usage(
            "unknown \(kind) \(word)",
            hint: meant.isEmpty ? help : "did you mean \(meant.joined(separator: " or "))? (\(help))")
    }
}
