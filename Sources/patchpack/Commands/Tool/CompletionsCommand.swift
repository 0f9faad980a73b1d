import PatchCrypto

/// `completions`: prints a shell's completion script, which asks the tool for the words that fit.
enum CompletionsCommand {
    private static let scripts = [(shell: "bash", text: bash), (shell: "zsh", text: zsh), (shell: "fish", text: fish)]

    static let verb = Verb(
        name: "completions", summary: "print a completion script for a shell", operands: "bash|zsh|fish",
        operandValue: .choice("SHELL", scripts.map(\.shell)), operandCount: 1...Int.max, options: [],
        example: "patchpack completions bash > ~/.local/share/bash-completion/completions/patchpack", run: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let shell = arguments.operands[0].text
        guard let script = scripts.first(where: { $0.shell == shell }) else {
            let known = scripts.map(\.shell).joined(separator: ", ")
            throw .usage("no completions for \(shell)", hint: "one of \(known)")
        }
        guard console.format == .text else {
            throw .usage("--format json: a completion script is text", hint: "leave out --format")
        }
        guard arguments.operands.count > 1 else { return try console.raw(script.text) }
        let separator = shell == "zsh" ? ":" : "\t"
        for (word, meaning) in candidates(for: arguments.operands.dropFirst().map(\.text)) {
            try console.raw("\(word)\(separator)\(meaning)\n")
        }
    }

    /// A word that may be typed, and its meaning.
    private typealias Candidate = (word: String, meaning: String)

    /// The words that may stand in the place of the last one; `@files`, `@folders` or `@keys` for names.
    private static func candidates(for words: [String]) -> [Candidate] {
        var before = words.dropLast()
        var last = words.last ?? ""
        // Bash treats a colon and an equals sign as words of their own.
        if [":", "="].contains(last) {
            before = words[...]
            last = ""
        }
        // A file follows an algorithm, and a value follows its option.
        if before.last == ":" { return [("@files", "")] }
        if before.last == "=" { before.removeLast() }
        let isHelp = before.first == "help"
        if isHelp { before.removeFirst() }
        guard let name = before.popFirst() else { return fitting(verbs(isHelp: isHelp), last) }
        guard var verb = Verb.all.first(where: { $0.name == name }) else { return [] }
        if let action = verb.actions.first(where: { $0.lastWord == before.first }) {
            verb = action
            before.removeFirst()
        }
        let actions = fitting(verb.actions.map { ($0.lastWord, $0.summary) }, last)
        guard !isHelp else { return before.isEmpty ? actions : [] }
        return candidates(of: verb, after: before, for: last, actions)
    }

    /// The candidates that begin with what is typed already.
    private static func fitting(_ all: [Candidate], _ beginning: String) -> [Candidate] {
        all.filter { $0.word.utf8.starts(with: beginning.utf8) }
    }

    /// The first words of a command line, or those after `help`.
    private static func verbs(isHelp: Bool) -> [Candidate] {
        let verbs: [Candidate] = Verb.all.map { ($0.name, $0.summary) }
        guard !isHelp else { return verbs }
        let others = [("help", "print the help of a verb"), ("version", "print the version")]
        return verbs + others.flatMap { [($0.0, $0.1), ("--\($0.0)", $0.1)] }
    }

    /// The words that may follow a verb: an option, the value of the option before, an action, or an operand.
    ///
    /// - Parameters:
    ///   - before: The words between the verb and the last one.
    ///   - actions: The verb's actions that begin with the last word.
    private static func candidates(
        of verb: Verb, after before: ArraySlice<String>, for last: String, _ actions: [Candidate]
    ) -> [Candidate] {
        // An option and its value may be one word, as in `--format=json`.
        let named = last.utf8.starts(with: "--".utf8) ? last.prefix(while: { $0 != "=" }) : ""
        let isJoined = named.utf8.count < last.utf8.count && !named.isEmpty
        let word = isJoined ? String(named) : before.last
        let options = verb.allOptions + verb.actions.flatMap(\.allOptions)
        let given = options.first { option in
            guard let word else { return false }
            return word == "--\(option.name)" || word == option.short.map { "-\($0)" }
        }
        if given == nil, before.isEmpty, !actions.isEmpty { return actions }
        let beginsOption = last.utf8.first == UInt8(ascii: "-")
        let operand = beginsOption ? nil : verb.operandValue
        switch given?.value ?? operand {
        case .choice(_, let choices)?:
            guard given != nil || before.isEmpty else { return [] }
            return fitting(choices.map { ((isJoined ? "\(named)=" : "") + $0, "") }, last)
        case .directory?: return [("@folders", "")]
        case .file?, .output?: return [("@files", "")]
        case .key?: return [("@keys", "")]
        case .text?: return []
        case nil:
            return beginsOption ? fitting(verb.allOptions.map { ("--\($0.name)", $0.help) }, last) : actions
        }
    }

    private static let bash = #"""
        # patchpack completions bash
        _patchpack() {
            local current=${COMP_WORDS[COMP_CWORD]} word
            [[ $current != [:=] ]] || current=''
            while IFS=$'\t' read -r word _; do
                case $word in
                    @folders) while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$current") ;;
                    @*) while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current") ;;
                    *) COMPREPLY+=("$word") ;;
                esac
            done < <(patchpack completions bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
        }
        complete -o filenames -F _patchpack patchpack

        """#

    private static let zsh = #"""
        #compdef patchpack
        # patchpack completions zsh
        _patchpack() {
            local line
            local -a candidates
            for line in "${(@f)$(patchpack completions zsh -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
                case $line in
                    @*) compset -P '--*='
                        [[ $line != @keys* ]] || compset -P '*:'
                        if [[ $line == @folders* ]]; then _files -/; else _files; fi ;;
                    ?*) candidates+=("$line") ;;
                esac
            done
            ((!$#candidates)) || _describe word candidates
        }
        if [[ $funcstack[1] == _patchpack ]]; then _patchpack "$@"; else compdef _patchpack patchpack; fi

        """#

    private static let fish = #"""
        # patchpack completions fish
        function __patchpack
            set -l words (commandline -opc)
            set -l last (commandline -ct)
            patchpack completions fish -- $words[2..-1] "$last" 2>/dev/null | while read -l line
                switch $line
                    case '@folders*'
                        __fish_complete_directories "$last"
                    case '@*'
                        # An option and an algorithm before the name stay.
                        set -l before (string match -r -- '^(?:--[^=]*=)?(?:[a-z0-9-]+:)?' "$last")
                        set -l name (string replace -- "$before" '' "$last")
                        __fish_complete_path "$name" | string replace -r '^' -- "$before"
                    case '*'
                        echo $line
                end
            end
        end
        complete -c patchpack -f -a '(__patchpack)'

        """#
}
