import PatchCrypto
import PatchFiles
import PatchText

enum ManCommand {
    static let verb = Verb(
        name: "man", summary: "write the manual pages into a folder", operands: "[-o DIR]", operandCount: 0...0,
        options: [.outputFolder, .force], example: "patchpack man --output ~/.local/share/man/man1", run: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let folder = try arguments.outputFolder() ?? Path(".")
        let pages = [("patchpack", overview)] + Verb.all.map { ("patchpack-\($0.name)", page(of: $0)) }
        let files = pages.map { name, text in OutputFile(folder.appending(Path("\(name).1")), text) }
        try OutputFile.write(files, force: arguments.has(.force))
        try console.made(files, schema: "patchpack.man/1")
    }

    private static var overview: String {
        var lines = head("patchpack", "pack, verify and deliver signed Lua patches")
        lines += [".Sh SYNOPSIS", ".Nm", ".Ar verb", ".Op Ar option ...", ".Op Ar file ...", ".Sh DESCRIPTION"]
        lines += text(
            "packs Lua scripts into signed, encrypted patch envelopes, verifies and opens them, and publishes them in a signed feed. Its verbs are:",
            after: ".Nm")
        lines.append(".Bl -tag -width Ds")
        for verb in Verb.all { lines += [".It Xr patchpack-\(verb.name) 1"] + text(verb.summary) }
        lines += [".El", ".Sh ENVIRONMENT", ".Bl -tag -width Ds"]
        let options = Verb.allWithActions.flatMap(\.allOptions)
        for variable in Set(options.compactMap(\.variable)).sorted() {
            let names = Set(options.filter { $0.variable == variable }.map(\.name)).sorted()
            lines += [".It Ev \(variable)", "The value of"] + names.map { ".Fl Fl \($0)" } + ["if that is not given."]
        }
        lines += [".El", ".Sh EXIT STATUS", ".Bl -tag -width Ds", ".It 0", "Success."]
        for (code, status, meaning) in PatchError.Code.exitStatuses {
            lines += [".It \(status)"] + text("\(code): \(meaning)")
        }
        lines += [
            ".El", ".Sh EXAMPLES", "Make keys, pack a script, and verify the envelope:", ".Bd -literal -offset indent",
            "patchpack keygen --output keys --profile modern",
            "patchpack pack fix.lua --output dist --signing-key keys/signing.pem \\e",
            "    --script-key keys/script.key",
            "patchpack verify dist/fix.js --trusted-key keys/trusted.pem \\e",
            "    --script-key keys/script.key",
        ]
        lines += [".Ed", ".Sh SEE ALSO", ".Xr patchpack-feed 5 ,", ".Xr patchpack-format 5"]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func page(of verb: Verb) -> String {
        var lines = head("patchpack-\(verb.name)", verb.summary) + [".Sh SYNOPSIS"]
        let parts = verb.actions.isEmpty ? [verb] : verb.actions
        for part in parts {
            lines += [".Nm patchpack \(part.name)", ".Op Ar option ..."]
            if !part.operands.isEmpty { lines.append(".Ar \(Escape.roffArgument(part.operands))") }
        }
        lines += [".Sh DESCRIPTION"]
        for part in parts {
            if !verb.actions.isEmpty { lines.append(".Ss \(Escape.roffArgument(part.name))") }
            lines += sentence(part.summary) + options(of: part)
        }
        lines += [".Sh EXIT STATUS", "The statuses are listed in", ".Xr patchpack 1 .", ".Sh EXAMPLES"]
        lines += parts.map { ".Dl \(Escape.roff($0.example))" }
        lines += [".Sh SEE ALSO", ".Xr patchpack 1"]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func options(of verb: Verb) -> [String] {
        [".Bl -tag -width Ds"]
            + verb.allOptions.flatMap { option in
                let names = (option.short.map { "Fl \($0) , " } ?? "") + "Fl Fl \(option.name)"
                let value = option.value.map { " Ar \(Escape.roffArgument($0.placeholder))" } ?? ""
                return [".It \(names)\(value)"] + sentence(option.help)
            } + [".El"]
    }

    // MARK: mdoc

    private static func head(_ name: String, _ summary: String) -> [String] {
        [
            ".Dd \(toolDate)", ".Dt \(name.uppercased()) 1", ".Os", ".Sh NAME", ".Nm \(name)",
            ".Nd \(Escape.roff(summary))",
        ]
    }

    private static func sentence(_ words: String) -> [String] {
        text("\(words.prefix(1).uppercased())\(words.dropFirst()).")
    }

    /// A string in lines of at most 75 characters, unless a word is longer. No line starts with a character that would
    /// start a request.
    ///
    /// - Parameter first: A macro that has a line of its own before them.
    private static func text(_ text: String, after first: String? = nil) -> [String] {
        var lines = first.map { [$0, ""] } ?? [""]
        for word in Escape.roff(text).split(separator: " ") {
            let longer = "\(lines[lines.count - 1]) \(word)"
            // Each sentence starts a new line.
            let isNew = lines[lines.count - 1].hasSuffix(".") && word.first?.isUppercase == true
            if longer.count > 75 || isNew { lines.append("") }
            guard lines[lines.count - 1].isEmpty else {
                lines[lines.count - 1] = longer
                continue
            }
            let isControl = word.hasPrefix(".") || word.hasPrefix("'")
            lines[lines.count - 1] = isControl ? "\\&\(word)" : String(word)
        }
        return lines
    }
}
