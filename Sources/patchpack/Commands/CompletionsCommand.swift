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

    private static let firstWords = Verb.all.map(\.name) + ["help", "version", "--help", "--version"]

    // MARK: bash

    private static var bash: String {
        let values = Verb.all.map { verb in
            let cases = verb.allOptions.compactMap { option -> String? in
                guard let value = option.value else { return nil }
                let names = (["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? [])).joined(separator: "|")
                return "            \(names)) \(bashAction(value)); return ;;\n"
            }
            return "        \(verb.name)) case $previous in\n\(cases.joined())        esac ;;\n"
        }
        let words = Verb.all.map { verb in
            let options = verb.allOptions.map { "--\($0.name)" }.joined(separator: " ")
            var actions = verb.actions
            if case .choice(_, let choices) = verb.operandValue { actions = choices }
            return "        \(verb.name)) words='\(options)' actions='\(actions.joined(separator: " "))' ;;\n"
        }
        return """
            # patchpack completions bash
            _patchpack_add() {
                local line
                while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$@" -- "$current")
            }
            _patchpack() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words='' actions=''
                # A colon and an equals sign are words of their own.
                if [[ $current == [:=] ]]; then current=''; elif [[ $previous == [:=] ]]; then
                    ((COMP_CWORD < 3)) || previous=${COMP_WORDS[COMP_CWORD-2]}
                    if [[ ${COMP_WORDS[COMP_CWORD-1]} == : ]]; then _patchpack_add -f; return; fi
                fi
                if ((COMP_CWORD == 1)); then
                    _patchpack_add -W '\(firstWords.joined(separator: " "))'
                    return
                fi
                case ${COMP_WORDS[1]} in
            \(values.joined())    esac
                case ${COMP_WORDS[1]} in
                    help) _patchpack_add -W '\(Verb.all.map(\.name).joined(separator: " "))'; return ;;
            \(words.joined())    esac
                if [[ $current == -* ]]; then _patchpack_add -W "$words"; return; fi
                if [[ -n $actions ]] && ((COMP_CWORD == 2)); then _patchpack_add -W "$actions"; return; fi
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
        let verbs =
            (Verb.all.map { ($0.name, $0.summary) } + [
                ("help", "print the help of a verb"), ("version", "print the version"),
            ])
            .map { "        '\($0):\(zshQuoted($1))'\n" }.joined()
        let cases = Verb.all.map { verb in
            let options = verb.allOptions.flatMap { option in
                let star = option.repeats ? "*" : ""
                let value = option.value.map { ":\($0.placeholder):\(zshAction($0))" } ?? ""
                let names = ["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? [])
                return names.map { "'\(star)\($0)[\(zshQuoted(option.help))]\(value)'" }
            }
            let actions = verb.actions.isEmpty ? [] : ["'1:ACTION:(\(verb.actions.joined(separator: " ")))'"]
            let operands = verb.operandValue.map { value in
                switch value {
                case .choice where !verb.actions.isEmpty: "'*:FILE:_files'"
                default: "'*:\(value.placeholder):\(zshAction(value))'"
                }
            }
            return
                "        \(verb.name)) _arguments \((options + actions + [operands].compactMap(\.self)).joined(separator: " ")) ;;\n"
        }
        return """
            #compdef patchpack
            # patchpack completions zsh
            _patchpack_key() { compset -P '*:'; _files }
            _patchpack() {
                local -a verbs=(
            \(verbs)    )
                if ((CURRENT == 2)) || [[ $words[2] == help ]]; then
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
        case .key: "_patchpack_key"
        case .directory: "_files -/"
        case .choice(_, let choices): "(\(choices.joined(separator: " ")))"
        case .text: " "
        }
    }

    /// Text between single quotes, without a meaning for `_arguments` and `_describe`.
    private static func zshQuoted(_ text: String) -> String {
        text.map { character in
            if character == "'" { return "'\\''" }
            return "[]:\\".contains(character) ? "\\\(character)" : String(character)
        }.joined()
    }

    // MARK: fish

    private static var fish: String {
        let isFirst = "__fish_use_subcommand"
        var lines = [
            "# patchpack completions fish", "complete -c patchpack -f",
            "function __patchpack_keys",
            "    set -l parts (string split -m 1 : -- (commandline -ct))",
            "    if set -q parts[2]",
            "        for file in (__fish_complete_path $parts[2]); echo \"$parts[1]:$file\"; end",
            "    else",
            "        __fish_complete_path $parts[1]",
            "    end",
            "end",
        ]
        lines +=
            (Verb.all.map { ($0.name, $0.summary) } + [
                ("help", "print the help of a verb"), ("version", "print the version"),
            ])
            .map { "complete -c patchpack -n \(isFirst) -a \($0) -d '\(fishQuoted($1))'" }
        let names = Verb.all.map(\.name).joined(separator: " ")
        lines.append("complete -c patchpack -n '__fish_seen_subcommand_from help' -a '\(names)'")
        for verb in Verb.all {
            // The verb is the second word; one of another verb's words may be called the same.
            let isVerb = "test (count (commandline -opc)) -gt 1; and test (commandline -opc)[2] = \(verb.name)"
            let condition = "complete -c patchpack -n '\(isVerb)'"
            lines += verb.allOptions.map { option in
                let short = option.short.map { " -s \($0)" } ?? ""
                return
                    "\(condition) -l \(option.name)\(short)\(option.value.map(fishAction) ?? "") -d '\(fishQuoted(option.help))'"
            }
            if !verb.actions.isEmpty {
                let isSecond = "\(isVerb); and test (count (commandline -opc)) -eq 2"
                lines.append("complete -c patchpack -n '\(isSecond)' -a '\(verb.actions.joined(separator: " "))'")
            }
            switch verb.operandValue {
            case .choice(_, let choices) where verb.actions.isEmpty:
                lines.append("\(condition) -a '\(choices.joined(separator: " "))'")
            case .file, .directory, .key, .choice:
                let isLater = verb.actions.isEmpty ? "" : "; and test (count (commandline -opc)) -gt 2"
                lines.append("complete -c patchpack -n '\(isVerb)\(isLater)' -F")
            case .text, nil: break
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func fishAction(_ value: Option.Value) -> String {
        switch value {
        case .file, .directory: " -r -F"
        case .key: " -x -a '(__patchpack_keys)'"
        case .choice(_, let choices): " -x -a '\(choices.joined(separator: " "))'"
        case .text: " -x"
        }
    }

    /// Text between single quotes.
    private static func fishQuoted(_ text: String) -> String {
        text.map { "'\\".contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
