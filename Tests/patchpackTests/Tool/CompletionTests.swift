import TestSupport
import Testing

@testable import patchpack

/// Runs each completion script in its shell.
@Suite(.ownThreads) struct CompletionTests {
    @Test func bashCompletesVerbsOptionsAndValues() throws {
        let folder = try TestFolder()
        let run = try Tool.shell(
            """
            source <(patchpack completions bash)
            complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _patchpack; echo "${COMPREPLY[*]}"; }
            complete_words patchpack ver
            complete_words patchpack verify --sig
            complete_words patchpack verify --format j
            complete_words patchpack completions z
            complete_words patchpack help unp
            complete_words patchpack test --format ta
            complete_words patchpack interface ''
            complete_words patchpack trust re
            complete_words patchpack trust --format ''
            complete_words patchpack trust add --n
            complete_words patchpack trust list --na
            complete_words patchpack help trust re
            touch 'a key.pem' akey.pem; mkdir -p adir
            complete_words patchpack verify --trusted-key rsa-sha256 : ake
            complete_words patchpack resign -o ad
            complete_words patchpack verify 'a '
            complete -p patchpack
            """, in: folder.path)
        #expect(run.status == 0, "\(run.error)")
        #expect(
            run.lines == [
                "verify version", "--signature-only", "json junit", "zsh", "unpack", "tap", "diff stubs",
                "revoke remove", "text json", "--name --not-after", "revoke remove", "akey.pem", "adir", "a key.pem",
                "complete -o filenames -F _patchpack patchpack",
            ])
        #expect(run.error.isEmpty)
        let blank = try Tool.run(Tool.patchpack, ["completions", ""], in: folder.path)
        #expect(blank.status == 64 && blank.error.contains("completions: an argument is empty"))
        let json = try Tool.run(Tool.patchpack, ["completions", "bash", "--format", "json"], in: folder.path)
        #expect(json.status == 64 && json.error.contains("--format json: a completion script is text"))
    }

    /// zsh completes only in an interactive shell, so words and tabs are sent to one on a terminal.
    @Test(.needs("zsh", "/usr/bin/zsh")) func zshCompletesVerbsAndOptions() throws {
        let folder = try TestFolder()
        try folder.write(Tool.patchpack("completions", "zsh").output, to: "_patchpack")
        // The name of the checkout may have quotes.
        try folder.write(
            "#!/bin/sh\n[ \"$1\" != completions ] || exec \"$TOOL\" \"$@\"\necho RAN \"$@\"\n",
            to: "patchpack", mode: 0o755)
        let expected = "RAN verify --signature-only"
        let run = try Tool.patiently(in: folder.path) { pause in
            """
            { sleep \(pause)
              printf 'PS1=; fpath=($PWD $fpath) path=($PWD $path); autoload -U compinit; compinit -u -D\\n'
              sleep \(pause); printf 'patchpack verif\\t--signa\\t\\n'; sleep \(pause); printf 'exit\\n'; } |
              TERM=xterm script -qec 'zsh -f -i' /dev/null
            """
        } until: {
            $0.text.contains(expected)
        }
        #expect(run.text.contains(expected), "\(run.text)")
    }

    @Test(.needs("fish", "/usr/bin/fish")) func fishCompletesVerbsOptionsAndValues() throws {
        let folder = try TestFolder()
        try folder.write("", to: "akey.pem")
        let run = try Tool.shell(
            """
            mkdir -p bin adir; ln -s "$TOOL" bin/patchpack; patchpack completions fish >script; export PATH=$PWD/bin:$PATH HOME=$PWD
            for line in 'ver' 'verify --sig' 'verify --format j' 'verify --format=j' 'trust re' 'help trust re' 'resign -o ad' 'verify ake' \
              'verify --trusted-key ed25519:ake' 'interface ' 'keygen --bits '; do
                LINE="patchpack $line" fish --no-config -c 'source script; complete -C "$LINE"' | cut -f1 | paste -sd ' '
            done
            """, in: folder.path)
        #expect(
            run.lines == [
                "verify version", "--signature-only", "json junit", "--format=json --format=junit", "remove revoke",
                "remove revoke", "adir/", "akey.pem", "ed25519:akey.pem", "diff stubs",
            ], "\(run.text)\(run.error)")
    }
}
