import PatchCrypto

/// What the words of a command line ask for.
enum Request {
    case run(ParsedArguments)
    /// The help of a verb or an action; nil for that of the tool.
    case help(Verb?)
    case version
}

extension Request {
    private static func verb(_ word: Argument) throws(PatchError) -> Verb {
        guard let verb = Verb.named(word) else {
            throw .unknown("verb", word.text, known: Verb.all.map(\.name), help: "patchpack --help")
        }
        return verb
    }

    /// Reads a command line.
    ///
    /// - Throws: `usage`, with a suggestion if a known word is similar.
    init(_ words: [Argument]) throws(PatchError) {
        guard let first = words.first else { throw .usage("missing verb", hint: "patchpack --help") }
        if ["--\(Option.toolVersion.name)", "-V", "version"].contains(where: first.isText) {
            self = .version
            return
        }
        if ["help", "--help", "-h"].contains(where: first.isText) {
            guard words.count > 1, !["help", "version"].contains(where: words[1].isText) else {
                self = .help(nil)
                return
            }
            var verb = try Self.verb(words[1])
            if words.count > 2, !verb.actions.isEmpty { verb = try verb.action(called: words[2]) }
            self = .help(verb)
            return
        }
        guard first.bytes.first != UInt8(ascii: "-") else {
            throw .usage("\(first.text) precedes the verb", hint: "the verb comes first: patchpack VERB \(first.text)")
        }
        let verb = try Self.verb(first)
        var parser = VerbParser(verb: verb, rest: words.dropFirst())
        try parser.parse()
        if !verb.actions.isEmpty, let word = parser.operands.first {
            parser.operands.removeFirst()
            if parser.values[Option.help.name] != nil {
                // For an unknown action, there is the help of its verb.
                try self.init((try? verb.action(called: word)) ?? verb, parser)
            } else {
                try self.init(verb.action(called: word), parser)
            }
        } else {
            try self.init(verb, parser)
        }
    }

    /// Checks the parsed words against the verb or action. If they ask for help, nothing else is checked.
    ///
    /// - Throws: `usage` if it does not take them.
    private init(_ verb: Verb, _ given: VerbParser) throws(PatchError) {
        guard given.values[Option.help.name] == nil else {
            self = .help(verb)
            return
        }
        for name in given.values.keys.sorted() where !verb.allOptions.contains(where: { $0.name == name }) {
            let others = given.verb.actions.filter { $0.options.contains { $0.name == name } }.map(\.name)
            throw .usage(
                "\(verb.name) takes no --\(name)", hint: "it is an option of \(others.joined(separator: ", "))")
        }
        // The words that a shell completes may be empty.
        let checked = verb.name == CompletionsCommand.verb.name ? given.operands.prefix(1) : given.operands[...]
        guard !checked.contains(where: \.isBlank) else {
            throw .blank("\(verb.name): an argument")
        }
        guard verb.operandCount.contains(given.operands.count) else {
            let isTooFew = given.operands.count < verb.operandCount.lowerBound
            throw .usage(
                "\(verb.name): \(isTooFew ? "too few" : "too many") arguments",
                hint: "patchpack \(verb.name) \(verb.operands)")
        }
        for option in verb.allOptions where given.values[option.name] != nil {
            let needed = verb.allOptions.filter { option.needs.contains($0.name) }
            guard needed.isEmpty || needed.contains(where: { given.values[$0.name] != nil }) else {
                let names = needed.map { "--\($0.name)" }.joined(separator: " or ")
                throw .usage("--\(option.name) without \(names)", hint: "it has no effect alone")
            }
        }
        self = .run(ParsedArguments(verb: verb, operands: given.operands, named: given.values))
    }
}
