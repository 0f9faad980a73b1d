import PatchCrypto

/// `completions`: a shell's completion script, drawn from the table of verbs.
enum CompletionsCommand {
    private static let shells = ["bash", "zsh", "fish"]

    static let verb = Verb(
        name: "completions", summary: "print a completion script for a shell",
        operands: "bash|zsh|fish", operandValue: .choice("SHELL", shells), operandCount: 1...1, options: [],
        example: "patchpack completions bash > ~/.local/share/bash-completion/completions/patchpack",
        run: { (arguments, console) throws(PatchError) in
            switch arguments.operands[0].text {
            case "bash": try console.raw(bash)
            case "zsh": try console.raw(zsh)
            case "fish": try console.raw(fish)
            case let other:
                throw PatchError(
                    .usage, "no completions for \(other)", hint: "one of \(shells.joined(separator: ", "))")
            }
            return 0
        })

    private static var bash: String {
        let cases = Verb.all.map { verb in
            let options = verb.allOptions.map { "--\($0.name)" }.joined(separator: " ")
            let operands =
                switch verb.operandValue {
                case .choice(_, let choices): "; words+=' \(choices.joined(separator: " "))'"
                default: ""
                }
            return "        \(verb.name)) words='\(options)'\(operands) ;;\n"
        }
        let values = Set(
            Verb.all.flatMap(\.allOptions).compactMap { option -> String? in
                switch option.value {
                case .choice(_, let choices):
                    "        --\(option.name)) COMPREPLY=($(compgen -W '\(choices.joined(separator: " "))' -- \"$current\")); return ;;\n"
                case .directory: "        --\(option.name)) COMPREPLY=($(compgen -d -- \"$current\")); return ;;\n"
                case .file: "        --\(option.name)) COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n"
                case .text, nil: nil
                }
            }
        ).sorted()
        return """
            # patchpack completions bash
            _patchpack() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=''
                case $previous in
            \(values.joined())    esac
                if ((COMP_CWORD == 1)); then
                    COMPREPLY=($(compgen -W '\((Verb.all.map(\.name) + ["--help", "--version"]).joined(separator: " "))' -- "$current"))
                    return
                fi
                case ${COMP_WORDS[1]} in
            \(cases.joined())    esac
                COMPREPLY=($(compgen -W "$words" -- "$current"))
                [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- "$current"))
            }
            complete -o filenames -F _patchpack patchpack

            """
    }

    private static var zsh: String {
        let verbs = Verb.all.map { "        '\($0.name):\(quoted($0.summary))'\n" }.joined()
        let cases = Verb.all.map { verb in
            let options = verb.allOptions.map { option in
                let star = option.repeats ? "*" : ""
                let value = option.value.map { ":\($0.placeholder):\(zshAction($0))" } ?? ""
                return "'\(star)--\(option.name)[\(quoted(option.help))]\(value)'"
            }
            let operands = verb.operandValue.map { ["'*:\($0.placeholder):\(zshAction($0))'"] } ?? []
            return "        \(verb.name)) _arguments \((options + operands).joined(separator: " ")) ;;\n"
        }
        return """
            #compdef patchpack
            # patchpack completions zsh
            _patchpack() {
                local -a verbs=(
            \(verbs)    )
                if ((CURRENT == 2)); then
                    _describe verb verbs
                    return
                fi
                local verb=$words[2]
                shift words
                ((CURRENT--))
                case $verb in
            \(cases.joined())    esac
            }
            if [[ $funcstack[1] == _patchpack ]]; then _patchpack "$@"; else compdef _patchpack patchpack; fi

            """
    }

    private static func zshAction(_ value: Option.Value) -> String {
        switch value {
        case .file: "_files"
        case .directory: "_files -/"
        case .choice(_, let choices): "(\(choices.joined(separator: " ")))"
        case .text: " "
        }
    }

    private static var fish: String {
        let isFirst = "__fish_use_subcommand"
        var lines = ["# patchpack completions fish", "complete -c patchpack -f"]
        lines += Verb.all.map { "complete -c patchpack -n \(isFirst) -a \($0.name) -d '\(quoted($0.summary))'" }
        for verb in Verb.all {
            let condition = "complete -c patchpack -n '__fish_seen_subcommand_from \(verb.name)'"
            lines += verb.allOptions.map { option in
                let short = option.short.map { " -s \($0)" } ?? ""
                return
                    "\(condition) -l \(option.name)\(short)\(option.value.map(fishAction) ?? "") -d '\(quoted(option.help))'"
            }
            switch verb.operandValue {
            case .choice(_, let choices): lines.append("\(condition) -a '\(choices.joined(separator: " "))'")
            case .file, .directory: lines.append("\(condition) -F")
            case .text, nil: break
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func fishAction(_ value: Option.Value) -> String {
        switch value {
        case .file, .directory: " -r -F"
        case .choice(_, let choices): " -x -a '\(choices.joined(separator: " "))'"
        case .text: " -x"
        }
    }

    /// Text for between single quotes, and free of the characters that zsh's `_arguments` gives a meaning.
    private static func quoted(_ text: String) -> String {
        text.filter { !"'[]:\\".contains($0) }
    }
}
