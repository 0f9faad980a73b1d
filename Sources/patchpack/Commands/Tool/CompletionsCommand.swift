import PatchCrypto

/// `completions`: prints a shell's completion script, generated from the table of verbs.
enum CompletionsCommand {
    private static let shells = ["bash", "zsh"]

    static let verb = Verb(
        name: "completions", summary: "print a completion script for a shell",
        operands: "bash|zsh", operandValue: .choice("SHELL", shells), operandCount: 1...1, options: [],
        example: "patchpack completions bash > ~/.local/share/bash-completion/completions/patchpack", run: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        switch arguments.operands[0].text {
        case "bash": try console.raw(bash)
        case "zsh": try console.raw(zsh)
        case let other:
            throw PatchError(.usage, "no completions for \(other)", hint: "one of \(shells.joined(separator: ", "))")
        }
        return 0
    }

    private static let groups = Verb.all.filter { !$0.actions.isEmpty }

    private static func actionNames(of verb: Verb) -> String {
        verb.actions.map(\.lastWord).joined(separator: " ")
    }

    /// The possible first words with their meanings.
    private static let firstWords =
        Verb.all.map { ($0.name, $0.summary) } + [
            ("help", "print the help of a verb"), ("version", "print the version"),
        ]

    // MARK: bash

    private static var bash: String {
        let values = Verb.allWithActions.map { verb in
            let cases = verb.allOptions.compactMap { option -> String? in
                guard let value = option.value else { return nil }
                let names = (["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? [])).joined(separator: "|")
                return "            \(names)) \(bashAction(value)); return ;;\n"
            }
            return "        '\(verb.name)') case $previous in\n\(cases.joined())        esac ;;\n"
        }
        let words = Verb.allWithActions.map { verb in
            let options = verb.allOptions.map { "--\($0.name)" }.joined(separator: " ")
            var choices = actionNames(of: verb)
            if case .choice(_, let values) = verb.operandValue { choices = values.joined(separator: " ") }
            return "        '\(verb.name)') words='\(options)' choices='\(choices)' ;;\n"
        }
        let helpedActions = groups.map { verb in
            "                \(verb.name)) ((COMP_CWORD < 3)) || choices='\(actionNames(of: verb))' ;;\n"
        }.joined()
        return """
            # patchpack completions bash
            _patchpack_add() {
                local line
                while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$@" -- "$current")
            }
            _patchpack() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words='' choices=''
                local verb=${COMP_WORDS[1]} first=2
                # Bash treats a colon and an equals sign as separate words.
                if [[ $current == [:=] ]]; then current=''; elif [[ $previous == [:=] ]]; then
                    ((COMP_CWORD < 3)) || previous=${COMP_WORDS[COMP_CWORD-2]}
                    if [[ ${COMP_WORDS[COMP_CWORD-1]} == : ]]; then _patchpack_add -f; return; fi
                fi
                if ((COMP_CWORD == 1)); then
                    _patchpack_add -W '\(firstWords.map(\.0).joined(separator: " ")) --help --version'
                    return
                fi
                case $verb in
                    \(groups.map(\.name).joined(separator: "|"))) if ((COMP_CWORD > 2)) && [[ ${COMP_WORDS[2]} != -* ]]; then verb+=" ${COMP_WORDS[2]}" first=3; fi ;;
                esac
                case $verb in
            \(values.joined())    esac
                case $verb in
                    help) ((COMP_CWORD > 2)) || choices='\(Verb.all.map(\.name).joined(separator: " "))'
                        case ${COMP_WORDS[2]} in
            \(helpedActions)            esac
                        _patchpack_add -W "$choices"; return ;;
            \(words.joined())    esac
                if [[ $current == -* ]]; then _patchpack_add -W "$words"; return; fi
                if [[ -n $choices ]] && ((COMP_CWORD == first)); then _patchpack_add -W "$choices"; return; fi
                _patchpack_add -f
            }
            complete -o filenames -F _patchpack patchpack

            """
    }

    private static func bashAction(_ value: Option.Value) -> String {
        switch value {
        case .choice(_, let choices): "_patchpack_add -W '\(choices.joined(separator: " "))'"
        case .directory: "_patchpack_add -d"
        case .file, .key: "_patchpack_add -f"
        case .text: "true"
        }
    }

    // MARK: zsh

    private static var zsh: String {
        let verbs = firstWords.map { "        '\($0):\(zshQuoted($1))'\n" }.joined()
        let cases = Verb.allWithActions.map { verb in
            let options = verb.allOptions.flatMap { option in
                let star = option.repeats ? "*" : ""
                let value = option.value.map { ":\($0.placeholder):\(zshAction($0))" } ?? ""
                let names = ["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? [])
                return names.map { "'\(star)\($0)[\(zshQuoted(option.help))]\(value)'" }
            }
            let actions = verb.actions.isEmpty ? [] : ["'1:ACTION:(\(actionNames(of: verb)))'"]
            let operands = verb.operandValue.map { ["'*:\($0.placeholder):\(zshAction($0))'"] } ?? actions
            return "        '\(verb.name)') _arguments \((options + operands).joined(separator: " ")) ;;\n"
        }
        let actions = groups.map { verb in
            let actions = verb.actions.map { "'\($0.lastWord):\(zshQuoted($0.summary))'" }.joined(separator: " ")
            return "        \(verb.name)) actions=(\(actions)) ;;\n"
        }
        return """
            #compdef patchpack
            # patchpack completions zsh
            _patchpack_key() { compset -P '*:'; _files }
            _patchpack() {
                local -a verbs=(
            \(verbs)    )
                local -a actions
                if [[ $words[2] == help ]] && ((CURRENT > 2)); then
                    shift words
                    ((CURRENT--))
                fi
                if ((CURRENT == 2)); then
                    _describe verb verbs
                    return
                fi
                local verb=$words[2]
                shift words
                ((CURRENT--))
                case $verb in
            \(actions.joined())    esac
                if (($#actions)) && [[ $words[2] != -* ]]; then
                    if ((CURRENT == 2)); then
                        _describe action actions
                        return
                    fi
                    verb="$verb $words[2]"
                    shift words
                    ((CURRENT--))
                fi
                case $verb in
            \(cases.joined())    esac
            }
            if [[ $funcstack[1] == _patchpack ]]; then _patchpack "$@"; else compdef _patchpack patchpack; fi

            """
    }

    private static func zshAction(_ value: Option.Value) -> String {
        switch value {
        case .file: "_files"
        case .key: "_patchpack_key"
        case .directory: "_files -/"
        case .choice(_, let choices): "(\(choices.joined(separator: " ")))"
        case .text: " "
        }
    }

    /// Text between single quotes that has no special meaning for `_arguments` and `_describe`.
    private static func zshQuoted(_ text: String) -> String {
        text.map { character in
            if character == "'" { return "'\\''" }
            return "[]:\\".contains(character) ? "\\\(character)" : String(character)
        }.joined()
    }
}
