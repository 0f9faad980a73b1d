import PatchCrypto

/// A verb of the command line, or one of its actions: the one table for the parser, the help and the completions.
struct Verb: Sendable {
    /// What is typed: `pack`, or `trust add` for an action.
    let name: String
    /// One line for help, lower case, no full stop.
    let summary: String
    /// The operands as the usage line shows them.
    let operands: String
    /// What shells complete operands with.
    var operandValue: Option.Value?
    /// How many operands it takes.
    let operandCount: ClosedRange<Int>
    /// Its own options; every verb takes the common ones too.
    let options: [Option]
    /// A command to copy.
    let example: String
    /// Does the work; returns the exit status, which is not 0 if one of several files failed.
    let run: @Sendable (ParsedArguments, Console) throws(PatchError) -> Int32
    /// What the verb can do, if it is one of several actions that its first operand names; each runs itself.
    private(set) var actions: [Verb] = []

    var allOptions: [Option] {
        options + Option.common.filter { common in !options.contains { $0.name == common.name } }
    }

    /// The last word of the name, which names an action among those of its verb.
    var lastWord: String { String(name.split(separator: " ").last ?? "") }
}

extension Verb {
    /// Makes a verb of several actions.
    ///
    /// - Parameter actions: Their names begin with the verb's.
    init(name: String, summary: String, actions: [Verb]) {
        let options = actions.flatMap(\.options)
        self.init(
            name: name, summary: summary, operands: "ACTION ...", operandCount: 1...Int.max,
            options: options.indices.filter { index in !options[..<index].contains { $0.name == options[index].name } }
                .map { options[$0] },
            example: actions[0].example, run: actions[0].run)
        self.actions = actions
    }

    /// - Throws: `usage` if it has no such action.
    func action(called word: Argument) throws(PatchError) -> Verb {
        guard let action = actions.first(where: { word.isText($0.lastWord) }) else {
            let known = actions.map(\.lastWord)
            throw .unknown(
                "action of \(name)", word.text, known: known, help: "one of \(known.joined(separator: ", "))")
        }
        return action
    }
}
