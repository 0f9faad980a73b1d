import TestSupport
import Testing

@testable import patchpack

/// The completion scripts, each in the shell that it is for.
struct CompletionTests {
    @Test func bashCompletesVerbsOptionsAndValues() throws {
        let run = try Tool.shell(
            """
            source <(patchpack completions bash)
            complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _patchpack; echo "${COMPREPLY[*]}"; }
            complete_words patchpack ver
            complete_words patchpack verify --sig
            complete_words patchpack verify --format j
            complete_words patchpack completions f
            complete -p patchpack
            """)
        #expect(run.status == 0, "\(run.error)")
        #expect(run.lines.prefix(3) == ["verify", "--signature-only", "json"])
        #expect(run.lines[3].contains("fish"))
        #expect(run.lines[4].contains("_patchpack"))
        #expect(run.error.isEmpty)
    }

    @Test func fishCompletesVerbsOptionsAndValues() throws {
        let folder = try TestFolder()
        try folder.write(Tool.patchpack("completions", "fish").output, to: "patchpack.fish")
        let run = try Tool.shell(
            """
            HOME=$PWD fish --no-config -c 'source patchpack.fish
              complete -C "patchpack ver"; complete -C "patchpack verify --sig"; complete -C "patchpack verify --format j"'
            """, in: folder.path)
        #expect(run.status == 0, "\(run.error)")
        #expect(
            run.lines.map { $0.split(separator: "\t").first.map(String.init) } == [
                "verify", "--signature-only", "json",
            ])
    }

    /// zsh completes in an interactive shell alone: one on a terminal is sent words and tabulators.
    @Test func zshCompletesVerbsAndOptions() throws {
        let folder = try TestFolder()
        try folder.write(Tool.patchpack("completions", "zsh").output, to: "_patchpack")
        let expected = "RAN verify --signature-only"
        let run = try Tool.patiently(in: folder.path) { pause in
            """
            { sleep \(pause)
              printf 'PS1=; fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; patchpack() { print RAN $* }\\n'
              sleep \(pause); printf 'patchpack verif\\t--signa\\t\\n'; sleep \(pause); printf 'exit\\n'; } |
              TERM=xterm script -qec 'zsh -f -i' /dev/null
            """
        } until: {
            $0.text.contains(expected)
        }
        #expect(run.text.contains(expected), "\(run.text)")
    }
}
