import Foundation
import PatchCrypto
import TestSupport
import Testing

/// Runs over many files, as the lines of a release script: the sources of names, the last line, and the reports for CI.
@Suite(.ownThreads) struct BatchTests {
    private let shop: ReleaseFixture

    init() throws {
        shop = try ReleaseFixture()
        try shop.folder.write(TestKeys.otherSigning.pem().exposed, to: "other-signing.pem", mode: 0o600)
        for name in ["one", "two", "three"] {
            try shop.folder.write(ReleaseFixture.script.replacing("cart-total", with: name), to: "patches/\(name).lua")
        }
        let run = try shop.pack("patches/one.lua", "patches/two.lua", "patches/three.lua", "-o", "dist/sub dir")
        try #require(run.status == 0, "\(run.error)")
        let notes = run.error.split(separator: "\n")
        #expect(notes.count == 2 && notes[0] == "3 packed" && notes[1].hasPrefix("rsa-sha1 is for old clients; "))
        try shop.folder.write("no envelope", to: "dist/broken.js")
        try shop.folder.write("no envelope", to: "dist/notes.txt")
    }

    private static let keys = "--trusted-key trusted.pem --script-key script.key"
    private var keys: String { Self.keys }

    @Test func foldersAndListsAreOneRun() throws {
        let folders = try shop.verify("-r", "dist")
        #expect(folders.status == 10)
        #expect(folders.error.hasSuffix("3 ok, 1 refused: 1 malformed\n"), "\(folders.error)")
        let names = ["broken", "sub dir/one", "sub dir/three", "sub dir/two"].map { "dist/\($0).js" }
        #expect(folders.lines.count == names.count)
        for name in names { #expect(folders.lines.contains { $0.contains("  \(name)") }, "\(folders.text)") }
        let list = try shop.shell("find dist/sub* -name '*.js' -print0 | patchpack verify --files-from - \(keys)")
        #expect(list.status == 0 && list.lines.count == 3 && list.error == "3 ok\n", "\(list.error)")
        let lines = try shop.shell(
            "printf '\\xEF\\xBB\\xBFdist/sub dir/one.js\\r\\n\\ndist/missing.js\\n' >l; patchpack verify --files-from l \(keys)"
        )
        #expect(lines.status == 66 && lines.error.hasSuffix("1 ok, 1 refused: 1 no-input\n"), "\(lines.error)")
        let nothing = try shop.shell("patchpack verify --files-from /dev/null \(keys)")
        #expect(nothing.status == 0 && nothing.error == "0 ok\n")
        #expect(try shop.verify("-r", "dist", "-q").error.contains("refused:") == false)
    }

    /// A volume as it is mounted: its files are links into a hidden folder.
    @Test func filesOfAMountedVolumeAreOne() throws {
        let lint = try shop.shell(
            """
            mkdir -p v/..2026_11_26; cp patches/one.lua v/..2026_11_26/a.lua; ln -s ..2026_11_26 v/..data; ln -s ..data/a.lua v/a.lua
            patchpack lint -r v
            """)
        #expect(lint.status == 0 && lint.lines == ["ok  v/a.lua"], "\(lint.text)\(lint.error)")
        let packed = try shop.pack("-r", "v", "-o", "packed")
        #expect(packed.status == 0 && packed.lines.count == 1, "\(packed.error)")
    }

    @Test func reportsAreWhatTheirReadersTake() throws {
        let sarif = try shop.verify("-r", "dist", "--format", "sarif")
        let log = try #require(try JSONSerialization.jsonObject(with: Data(sarif.output)) as? [String: Any])
        let results = (log["runs"] as? [[String: Any]])?.first?["results"] as? [[String: Any]] ?? []
        #expect(results.map { $0["ruleId"] as? String } == ["malformed"])
        let notes = try shop.verify("-r", "dist", "--format", "github")
        #expect(notes.lines.count == 1 && notes.text.hasPrefix("::error file=dist/broken.js,title=malformed::"))
        let junit = try shop.shell(
            """
            patchpack verify -r dist \(keys) --format junit >r.xml
            /usr/bin/python3 -c '
            import xml.etree.ElementTree as tree
            for suite in tree.parse("r.xml").iter("testsuite"): print(*map(suite.get, ["name", "tests", "failures", "errors"]))'
            """)
        #expect(junit.text == "patchpack verify 4 1 0\n", "\(junit.error)")
    }

    @Test func theSamePatchTwiceIsNews() throws {
        try shop.folder.write(
            ReleaseFixture.script.replacing("cart-total", with: "one") + "-- other\n", to: "patches/copy.lua")
        let pack = try shop.pack("patches/one.lua", "patches/copy.lua", "-o", "out")
        #expect(
            pack.status == 65
                && pack.error.contains("patches/copy.lua: com.example.shop.one 7 is also in patches/one.lua"))
        #expect(shop.folder.exists("out/one.js") && !shop.folder.exists("out/copy.js"))
        let lint = try shop.run("lint", "-r", "patches")
        #expect(lint.status == 20 && lint.text.contains("[duplicate]"), "\(lint.text)")
        try #require(try shop.pack("patches/copy.lua", "-o", "dist").status == 0)
        let verify = try shop.verify("-r", "dist/copy.js", "dist/sub dir")
        #expect(verify.status == 65 && verify.text.contains("duplicate  dist/sub dir/one.js"), "\(verify.text)")
        // The same patch with other signatures is still the same patch.
        let signed = try shop.run(
            "resign", "dist/copy.js", "-o", "again/", "--trusted-key", "trusted.pem", "--signing-key",
            "other-signing.pem", "--append")
        try #require(signed.status == 0, "\(signed.error)")
        #expect(try shop.verify("dist/copy.js", "again/copy.js").status == 0)
    }

    /// The digests and the encrypted bytes differ, but the scripts do not.
    @Test func theSamePatchInTwoSuitesIsTheSamePatch() throws {
        let run = try shop.shell(
            """
            patchpack keygen -q -o modern --profile modern &&
            patchpack pack patches/one.lua -q -o modern --signing-key signing.pem --script-key modern/script.key &&
            patchpack verify 'dist/sub dir/one.js' modern/one.js \(keys) --script-key modern/script.key &&
            echo '-- other' >>patches/one.lua &&
            patchpack pack patches/one.lua -q -o other --signing-key signing.pem --script-key modern/script.key &&
            patchpack verify 'dist/sub dir/one.js' other/one.js \(keys) --script-key modern/script.key
            """)
        #expect(
            run.status == 65 && run.lines.map { $0.prefix(9) } == ["ok  dist/", "ok  moder", "ok  dist/", "duplicate"])
        // What can be read only once.
        let pipes = try shop.shell(
            """
            patchpack verify - modern/one.js \(keys) --script-key modern/script.key <'dist/sub dir/one.js' &&
            patchpack verify modern/one.js <(cat 'dist/sub dir/one.js') \(keys) --script-key modern/script.key
            """)
        #expect(pipes.status == 0 && pipes.lines.count == 4, "\(pipes.text)\(pipes.error)")
    }

    /// A script is read twice: to find duplicate ids, and to pack it.
    @Test func aScriptThatBecomesAnotherPatchIsNotPacked() throws {
        let sign = "sed -i \"s/shop\\.three/shop.two/\" patches/three.lua; openssl dgst -sha1 -sign signing.pem"
        let run = try shop.shell(
            """
            patchpack pack --no-lint patches/one.lua patches/three.lua patches/two.lua -o out --script-key script.key \\
              --trusted-key trusted.pem --signature-command '\(sign)'
            """)
        #expect(run.status == 66, "\(run.error)")
        #expect(run.error.contains("patches/three.lua: another id or version than when pack began"), "\(run.error)")
        #expect(["one", "three", "two"].map { shop.folder.exists("out/\($0).js") } == [true, false, true])
    }

    @Test func aReleaseIsMadeAgainWithoutComplaint() throws {
        let again = try shop.pack("patches/one.lua", "-o", "dist/sub dir")
        #expect(again.status == 0 && again.text.hasPrefix("unchanged  dist/sub dir/one.js"))
        #expect(try shop.pack("patches/one.lua", "-o", "dist/sub dir", "--notes", "x").status == 73)
        let json = try shop.pack("patches/one.lua", "-o", "dist/sub dir", "--format", "json").objects()[0]
        #expect(json["unchanged"] as? Bool == true && json["written"] as? Bool == false && json["warnings"] is [Any])
    }

    @Test func packAllOrNothingWithBadScriptWritesNothing() throws {
        try shop.folder.write("no tags", to: "patches/bad.lua")
        let run = try shop.pack(
            "patches/one.lua", "patches/bad.lua", "patches/two.lua", "-o", "new", "--all-or-nothing")
        #expect(run.status == 64 && !shop.folder.exists("new"))
        #expect(run.lines.map { $0.prefix(9) } == ["held back", "held back"])
        let good = try shop.pack("patches/one.lua", "patches/two.lua", "-o", "new", "--all-or-nothing")
        #expect(good.status == 0 && shop.folder.exists("new/one.js") && shop.folder.exists("new/two.js"))
    }

    @Test func aSpecIsNoPatch() throws {
        try shop.folder.write("describe('x', function() it('y', function() end) end)", to: "specs/x.lua")
        let run = try shop.pack("specs/x.lua", "-o", "specs-out")
        #expect(run.status == 64 && run.error.contains("a spec is given to `test` with --spec"), "\(run.error)")
    }

    @Test func resignManyEnvelopesSignsEach() throws {
        let run = try shop.shell(
            """
            patchpack resign 'dist/sub dir'/*.js -o both --append --trusted-key trusted.pem --signing-key other-signing.pem &&
            patchpack verify -r both \(keys) --trusted-key other.pem --threshold 2 && patchpack inspect both/*.js | grep -c 'signature ' &&
            patchpack unpack both/*.js -o scripts \(keys) && ls scripts/*
            """)
        #expect(run.status == 0, "\(run.error)")
        #expect(run.error == "3 signed\n3 ok\n3 unpacked\n")
        #expect(run.text.contains("\n6\n") && run.text.contains("scripts/two:\ntwo.lua"), "\(run.text)")
        #expect(
            try shop.run(
                "resign", "dist/broken.js", "dist/sub dir/one.js", "-o", "mixed", "--trusted-key", "trusted.pem",
                "--signing-key", "signing.pem"
            ).error.contains("1 signed, 1 refused: 1 malformed"))
    }

    @Test func aSignatureCommandRunsAloneAndItsFailureNamesTheFile() throws {
        let sign = "[ -e busy ] && exit 9; touch busy; sleep 0.05; openssl dgst -sha1 -sign signing.pem; rm busy"
        let line = "patchpack pack --no-lint patches/*.lua -o signed --script-key script.key --trusted-key trusted.pem"
        let good = try shop.shell("\(line) --signature-command '\(sign)'")
        #expect(good.status == 0, "\(good.error)")
        let bad = try shop.shell("\(line) --signature-command 'grep -q x; exit 3' --force")
        #expect(bad.error.contains("patches/one.lua: the signature command failed with status 3"), "\(bad.error)")
    }

    /// Runs without a terminal. With one, a command stays in the parent's group, and only its shell is ended.
    @Test func anEndedRunEndsItsCommand() throws {
        let run = try shop.shell(
            """
            setsid env --default-signal=TERM "$TOOL" pack --no-lint patches/one.lua -o ended --script-key script.key --trusted-key trusted.pem \
              --signature-command 'sh -c "echo \\$\\$ >own; mv own started; exec sleep 3000"' </dev/null & pack=$!
            while [ ! -e started ]; do sleep 0.05; done
            kill -TERM $pack; wait $pack; echo $?
            for i in $(seq 600); do kill -0 "$(cat started)" 2>/dev/null || { echo ended; break; }; sleep 0.1; done
            """)
        #expect(run.lines == ["143", "ended"], "\(run.text)")
    }

    @Test func signersAreAskedForByName() throws {
        let run = try shop.shell(
            """
            patchpack trust add store trusted.pem --name build && patchpack trust add store other.pem --name release &&
            patchpack keygen -o new -q --profile modern && patchpack trust add store new/trusted.pem --name security
            check() { patchpack verify 'dist/sub dir/one.js' --trust-store store --script-key script.key "$@"; echo $?; }
            check --require build; check --require 'release|build'; check --require release; check --require build --require security
            check --require nobody; check --require 'build|'
            """)
        #expect(run.lines.filter { Int($0) != nil } == ["0", "0", "12", "12", "78", "78"], "\(run.text)")
        #expect(run.error.contains("signed by build, but not by release"))
        #expect(run.error.contains("no trusted key is named nobody"))
        let other = try shop.shell(
            "patchpack verify 'dist/sub dir/one.js' --trusted-key rsa-sha256:trusted.pem --script-key script.key")
        #expect(other.error.contains("if it signs with rsa-sha1 now, trust it for that instead"), "\(other.error)")
    }

    @Test func catShowsWhatIsInside() throws {
        let one = "'dist/sub dir/one.js'"
        let cat = try shop.shell(
            "for name in '' one.lua; do patchpack cat \(one) \(keys) $name | cmp - patches/one.lua || exit; done")
        #expect(cat.status == 0, "\(cat.text)\(cat.error)")
        #expect(try shop.shell("patchpack cat \(one) none.lua \(keys)").status == 66)
        #expect(try shop.shell("patchpack cat \(one) --trusted-key other.pem --script-key script.key").status == 12)
        let unverified = try shop.shell(
            "patchpack cat \(one) --unverified --script-key script.key | cmp - patches/one.lua")
        #expect(unverified.status == 0)
    }

    @Test func gitShowsPatchesAsText() throws {
        let run = try shop.shell(
            """
            git init -q repo && cd repo && git config user.email a@b && git config user.name a
            git config diff.patchpack.textconv "f() { \\\"\\$TOOL\\\" cat --unverified --manifest --script-key $PWD/../script.key \\\"\\$1\\\" 2>/dev/null || cat \\\"\\$1\\\"; }; f"
            echo '*.js diff=patchpack' >.gitattributes; cp '../dist/sub dir/one.js' p.js; git add -A; git commit -qm one
            cp '../dist/sub dir/two.js' p.js; echo 'plain' >other.js; git add -A; git diff --cached
            """)
        #expect(run.text.contains("\n+-- @patch    com.example.shop.two\n"), "\(run.text)\(run.error)")
        #expect(run.text.contains("\n+-- id: \"com.example.shop.two\"\n") && run.text.contains("\n+plain\n"))
    }

    @Test func standardInputHasANameOfItsOwn() throws {
        let pack = try shop.shell(
            "patchpack pack - --stdin-filename new.lua -o in --signing-key signing.pem --script-key script.key --no-lint <patches/one.lua"
        )
        #expect(pack.status == 0 && shop.folder.exists("in/new.js"), "\(pack.error)")
        let nameless = try shop.shell(
            "patchpack pack - --signing-key signing.pem --script-key script.key <patches/one.lua")
        #expect(nameless.status == 64 && nameless.error.contains("--stdin-filename"))
        let unused = try shop.shell(
            "patchpack pack patches/one.lua --stdin-filename new.lua --signing-key signing.pem --script-key script.key")
        #expect(unused.status == 64 && unused.error.contains("--stdin-filename without standard input"))
        let lint = try shop.shell(
            "printf 'x =' | cat patches/one.lua - | patchpack lint - --stdin-filename a/buffer.lua --format github")
        #expect(lint.text.hasPrefix("::error file=a/buffer.lua,line=8,"), "\(lint.text)")
        #expect(try shop.shell("patchpack lint - <patches/one.lua").status == 0)
    }

    /// A run that ends before its first file reports that in the requested format, because an empty upload would hide
    /// the reason.
    @Test(arguments: [
        "verify dist --trusted-key missing.pem --script-key script.key", "verify dist --trusted-key trusted.pem",
        "verify -r empty \(Self.keys)", "verify --nonsense", "lint patches/one.lua --interface missing.json",
        "lint -r empty", "test patches --spec missing.lua", "test patches --spec specs --interface missing.json",
    ])
    func aRunThatEndsEarlyIsAReport(_ line: String) throws {
        let run = try shop.shell(
            """
            mkdir -p empty specs
            formats="json sarif github"; case '\(line)' in verify*) formats="$formats junit" ;; test*) formats="json github junit tap" ;; esac
            for format in $formats; do
              patchpack \(line) --format $format >out.$format 2>errors; status=$?
              [ $status -ge 64 ] || { echo "$format: $status"; exit 1; }
              case $format in
              json | sarif) python3 -m json.tool <out.$format >/dev/null ;;
              junit) python3 -c 'import xml.dom.minidom as dom; dom.parse("out.junit")' && grep -q '<error message="' out.junit ;;
              tap) prove -Q -e cat out.tap >/dev/null 2>&1; [ $? = 1 ] ;;
              github) [ "$(grep -c '^::error ' out.github)" = 1 ] && [ "$(wc -l <out.github)" = 1 ] ;;
              esac || { echo "$format:"; cat out.$format; exit 1; }
              grep -q '"executionSuccessful":false' out.$format || [ $format != sarif ] || exit 1
            done
            """)
        #expect(run.status == 0, "\(run.text)\(run.error)")
    }

    @Test func anEmptyFolderIsNoSuccessAndAPipeIsRead() throws {
        let run = try shop.shell(
            """
            mkdir empty; mkfifo patches/fifo.lua; timeout 120 cp patches/one.lua patches/fifo.lua &
            patchpack verify -r empty \(keys); echo $?; patchpack lint -r empty --bundle; echo $?
            patchpack lint --bundle --files-from /dev/null; echo $?
            timeout 120 "$TOOL" pack --no-lint patches/two.lua patches/fifo.lua -o fifo --signing-key signing.pem --script-key script.key >/dev/null; echo $?
            """)
        #expect(run.lines == ["66", "66", "0", "0"], "\(run.text)\(run.error)")
        #expect(run.error.contains("empty: no .js file in this folder"))
    }

    @Test func verifyRecursiveLinksAndPipesInFolderEnds() throws {
        let run = try shop.shell(
            """
            mkfifo dist/fifo.js; mkdir dist/closed; ln -s . dist/loop.js; ln -s nowhere dist/dangling.js
            timeout 120 "$TOOL" verify -r dist \(keys) >out; echo $?; wc -l <out
            """)
        #expect(run.lines == ["10", "6"], "\(run.text)\(run.error)")
        #expect(run.error.contains("dist/dangling.js: broken symbolic link"))
    }

    @Test func aBundleNamesItsScriptsAlikeFromAnyFolder() throws {
        try shop.folder.write("return {}", to: "bundle/lib/tax.lua")
        let tagged = try shop.shell(
            "{ cat cart.lua; echo 'require \"lib.tax\"'; } >bundle/main.lua; patchpack pack bundle/main.lua bundle/lib/tax.lua --bundle -o c.js --signing-key signing.pem --script-key script.key && patchpack cat c.js \(keys) | grep '==>'"
        )
        let elsewhere = try shop.shell(
            """
            cd bundle/lib && patchpack pack ../main.lua ./tax.lua --bundle -o ../../d.js --signing-key ../../signing.pem --script-key ../../script.key &&
            cd ../.. && cat bundle/main.lua | patchpack pack - "$PWD/bundle/lib/tax.lua" --bundle --stdin-filename bundle/main.lua -o e.js \
              --signing-key signing.pem --script-key script.key && cmp c.js d.js && cmp c.js e.js
            """)
        #expect(elsewhere.status == 0, "\(elsewhere.error)")
        #expect(tagged.lines.suffix(2) == ["==> main.lua <==", "==> lib/tax.lua <=="], "\(tagged.text)\(tagged.error)")
    }

    @Test func aPatchThatHasEndedIsPackedWithAWarning() throws {
        let run = try shop.pack("patches/one.lua", "-o", "old", "--expires", "2020-01-01T00:00:00Z")
        #expect(run.status == 0 && run.error.contains("it has already expired"))
    }

    @Test func noNameLeadsOutOfTheFolder() throws {
        let run = try shop.shell(
            """
            mkdir up; cp 'dist/sub dir/one.js' ...js; cp 'dist/sub dir/two.js' up/two.js
            patchpack unpack ...js up/two.js -o up/out \(keys); ls up/out/*
            """)
        #expect(
            run.status == 0 && !shop.folder.exists("up/one.lua") && shop.folder.exists("up/out/...js/one.lua"),
            "\(run.text)")
    }

    @Test func passphrasesComeThroughPipes() throws {
        let run = try shop.shell(
            """
            for n in 1 2; do patchpack keygen -o k$n -q --profile modern --passphrase-file <(echo secret$n); done
            patchpack pack --no-lint patches/one.lua -o two --script-key script.key --signing-key k1/signing.pem --signing-key k2/signing.pem \
              --passphrase-file <(echo secret1) --passphrase-file <(echo secret2) && patchpack verify -r two --script-key script.key \
              --trusted-key k1/trusted.pem --trusted-key k2/trusted.pem --threshold 2 && patchpack keygen -o k3 --profile modern --passphrase-env A --passphrase-env B
            """, environment: ["A": "a", "B": "b"])
        #expect(run.status == 64 && run.text.contains("ok  two/one.js"), "\(run.text)\(run.error)")
    }

    @Test func aReaderThatHasSeenEnoughIsNoError() throws {
        let run = try shop.shell(
            """
            for i in $(seq 2000); do echo 'dist/sub dir/one.js'; done >list
            patchpack verify --files-from list \(keys) | head -1 >/dev/null; echo ${PIPESTATUS[0]}
            """)
        #expect(run.lines == ["141"] && run.error.isEmpty, "\(run.text)\(run.error)")
    }

    @Test func helpAndVersionAreWordsToo() throws {
        for words in [["help"], ["--help"], ["-h"]] {
            #expect(try Tool.run(Tool.patchpack, words).text.contains("usage:"))
        }
        let help = try shop.run("pack", "--help").text
        #expect(try help.hasPrefix("patchpack pack: ") && shop.run("help", "pack").text == help)
        let version = try shop.run("-V").text
        #expect(try version.hasPrefix("patchpack ") && shop.run("version").text == version)
        #expect(try shop.run("-q", "verify").error.contains("the verb comes first"))
    }

    @Test func warningsCanFail() throws {
        try shop.folder.write(ReleaseFixture.script + "local spare = nowhere\n", to: "warned.lua")
        #expect(try shop.run("lint", "warned.lua").status == 0)
        let strict = try shop.run("lint", "warned.lua", "--strict")
        #expect(strict.status == 20 && strict.error == "0 errors, 1 warning in 1 file\n", "\(strict.error)")
    }

    @Test func theFirstFileThatFailedGivesTheExitStatus() throws {
        try shop.folder.write(ReleaseFixture.script + "x =\n", to: "broken.lua")
        let first = try shop.run("lint", "broken.lua", "missing.lua", "--format", "sarif")
        #expect(first.status == 20 && first.text.contains("\"unreadable\",\"level\":\"error\",\"message\""))
        #expect(try shop.run("lint", "missing.lua", "broken.lua").status == 66)
    }

    @Test func lintNameOrHeadOfAnotherFormSaysWhatIsWrong() throws {
        try shop.folder.write(ReleaseFixture.script, to: "Über uns.lua")
        let name = try shop.run("lint", "Über uns.lua")
        #expect(
            name.status == 20 && name.text.contains("cannot be a script's name [file-name]")
                && !name.text.contains("[tags]"))
        for (content, hint) in [
            ("#!/usr/bin/lua\n" + ReleaseFixture.script, "remove the #! line"),
            ("--[[\n@patch a.b\n]]\n", "a long comment"), ("\n" + ReleaseFixture.script, "without space before it"),
        ] {
            try shop.folder.write(content, to: "odd.lua")
            #expect(try shop.run("lint", "odd.lua").text.contains(hint))
        }
    }
}
