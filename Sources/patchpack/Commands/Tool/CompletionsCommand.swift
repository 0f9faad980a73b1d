import PatchCrypto

/// `completions`: prints a shell's completion script, which asks the tool for the words that fit.
enum CompletionsCommand {
    private static let scripts = [("bash", bash), ("zsh", zsh), ("fish", fish)]

    static let verb = Verb(
        name: "completions", summary: "print a completion script for a shell", operands: "bash|zsh|fish",
        operandValue: .choice("SHELL", scripts.map(\.0)), operandCount: 1...Int.max, options: [],
        example: "patchpack completions bash > ~/.local/share/bash-completion/completions/patchpack", run: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let shell = arguments.operands[0].text
        guard let script = scripts.first(where: { $0.0 == shell })?.1 else {
            let known = scripts.map(\.0).joined(separator: ", ")
            throw .usage("no completions for \(shell)", hint: "one of \(known)")
        }
        guard console.format == .text else {
            throw .usage("--format json: a completion script is text", hint: "leave out --format")
        }
        guard arguments.operands.count > 1 else { return try console.raw(script) }
        for (word, meaning) in candidates(for: arguments.operands.dropFirst().map(\.text)) {
            try console.raw("\(word)\(shell == "zsh" ? ":" : "\t")\(meaning)\n")
        }
    }

    /// The words that may stand in the place of the last one, and their meanings; `@files`, `@folders` or `@keys` for names.
    private static func candidates(for words: [String]) -> [(String, String)] {
        var (before, last) = (words.dropLast(), words.last ?? "")
        // Bash treats a colon and an equals sign as words of their own.
        if [":", "="].contains(last) {
            before = words[...]
            last = ""
        }
        if before.last == ":" { return [("@files", "")] }
        if before.last == "=" { before.removeLast() }
        func fitting(_ all: [(String, String)]) -> [(String, String)] {
            all.filter { $0.0.utf8.starts(with: last.utf8) }
        }
        let isHelp = before.first == "help"
        if isHelp { before.removeFirst() }
        guard let name = before.popFirst() else {
            let others = ["help": "print the help of a verb", "version": "print the version"]
            let all = others.sorted { $0.key < $1.key }.flatMap { [($0.key, $0.value), ("--\($0.key)", $0.value)] }
            return fitting(Verb.all.map { ($0.name, $0.summary) } + (isHelp ? [] : all))
        }
        guard var verb = Verb.all.first(where: { $0.name == name }) else { return [] }
        if let action = verb.actions.first(where: { $0.lastWord == before.first }) {
            verb = action
            before.removeFirst()
        }
        let actions = fitting(verb.actions.map { ($0.lastWord, $0.summary) })
        guard !isHelp else { return before.isEmpty ? actions : [] }
        let named = last.utf8.starts(with: "--".utf8) ? last.prefix(while: { $0 != "=" }) : ""
        let isJoined = named.utf8.count < last.utf8.count && !named.isEmpty
        let option = isJoined ? String(named) : before.last
        let options = verb.allOptions + verb.actions.flatMap(\.allOptions)
        let given = option.flatMap { word in
            options.first { word == "--\($0.name)" || word == $0.short.map { "-\($0)" } }
        }
        if given == nil, before.isEmpty, !actions.isEmpty { return actions }
        switch given?.value ?? (last.utf8.first == UInt8(ascii: "-") ? nil : verb.operandValue) {
        case .choice(_, let choices)?:
            guard given != nil || before.isEmpty else { return [] }
            return fitting(choices.map { ((isJoined ? "\(named)=" : "") + $0, "") })
        case .directory?: return [("@folders", "")]
        case .file?: return [("@files", "")]
        case .key?: return [("@keys", "")]
        case .text?: return []
        case nil:
            return last.utf8.first == UInt8(ascii: "-")
                ? fitting(verb.allOptions.map { ("--\($0.name)", $0.help) }) : actions
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
