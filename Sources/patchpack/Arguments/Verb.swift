import PatchCrypto

/// A verb of the command line, or one of its actions. The parser, the help and the completions use this table.
struct Verb: Sendable {
    /// The words to type: `pack`, or `trust add` for an action.
    let name: String
    /// One line of help, in lower case and without a full stop.
    let summary: String
    /// The words behind the name in the help, such as `FILE... -o DIR`.
    let operands: String
    /// The kind of the operands, for the completions; nil if a shell cannot complete them.
    var operandValue: Option.Value?
    let operandCount: ClosedRange<Int>
    /// Its own options; every verb takes the common ones too.
    let options: [Option]
    let example: String
    /// Runs the verb. A run that goes on after a failure, as of one of several files, notes it with `Console.fail`.
    let run: @Sendable (ParsedArguments, Console) throws(PatchError) -> Void
    /// The verb's actions, if its first operand names one. Each action has its own `run`.
    private(set) var actions: [Verb] = []

    var allOptions: [Option] {
        options + Option.common.filter { common in !options.contains { $0.name == common.name } }
    }

    /// The last word of the name, which identifies an action of its verb.
    var lastWord: String { String(name.split(separator: " ").last ?? "") }
}

extension Verb {
    /// Makes a verb with actions. It takes the options of all of them. Its own `run` is never called, because it needs
    /// an operand, which names the action to run.
    init(name: String, summary: String, actions: [Verb]) {
        var names: Set<String> = []
        self.init(
            name: name, summary: summary, operands: "ACTION ...", operandCount: 1...Int.max,
            options: actions.flatMap(\.options).filter { names.insert($0.name).inserted },
            example: actions[0].example, run: actions[0].run)
        self.actions = actions
    }

    /// The actions that are meant by the names that other tools have for them.
    private static let otherNames = [
        "rollback": ["withdraw", "undo"], "revert": ["undo"], "list": ["status"], "ls": ["status"], "show": ["status"],
        "history": ["log"], "add": ["publish"], "delete": ["withdraw", "remove", "prune"],
        "remove": ["withdraw", "prune"], "stop": ["pause", "withdraw"], "upload": ["deploy"],
    ]
    /// The actions that no verb has on purpose, with a similar one that its verb has, and the remedy.
    private static let withoutInverse = [
        "unban": (known: "ban", hint: "publish a higher version; `clear` forgets all bans")
    ]

    /// Finds an action by its last word.
    ///
    /// - Throws: `usage` if there is no such action.
    func action(called word: Argument) throws(PatchError) -> Verb {
        if let action = actions.first(where: { word.isText($0.lastWord) }) { return action }
        let kind = "action of \(name)"
        let help = "patchpack \(name) --help"
        let known = actions.map(\.lastWord)
        if let (similar, hint) = Self.withoutInverse[word.text], known.contains(similar) {
            throw .usage("unknown \(kind) \(word.text)", hint: hint)
        }
        let meant = Self.otherNames[word.text, default: []].filter(known.contains)
        guard meant.isEmpty else {
            let hint = "did you mean \(meant.joined(separator: " or "))? (\(help))"
            throw .usage("unknown \(kind) \(word.text)", hint: hint)
        }
        // A hint is one line, so a long list is left to the help.
        let list = known.count > 8 ? help : "one of \(known.joined(separator: ", "))"
        throw .unknown(kind, word.text, known: known, help: list)
    }
}
