import Foundation
import TestSupport
import Testing

/// The output for editors, luacheck, the sources of apps, and CI services.
@Suite(.ownThreads) struct EditorTests {
    private func workshop() throws -> ReleaseFixture {
        let shop = try ReleaseFixture()
        try shop.folder.write(try Tool.run(Tool.shop, ["--interface"]).output, to: "interface.json")
        return shop
    }

    @Test(.needs("lua-check", "/usr/bin/luacheck")) func stubsAreLuaAndLuacheckKnowsTheWords() throws {
        let shop = try workshop()
        let made = try shop.run("interface", "stubs", "interface.json")
        #expect(
            made.lines == ["made  ./types/patchpack.lua", "made  ./.luarc.json", "made  ./.luacheckrc"], "\(made.error)"
        )
        let stubs = String(decoding: try shop.folder.read("types/patchpack.lua"), as: UTF8.self)
        #expect(
            stubs.contains(
                "---@overload fun(name: \"Cart.total\", replacement: fun(original: fun(a1: number, a2: integer): (number), a1: number, a2: integer): (number), options?: {otherwise: number})"
            ))
        try shop.folder.write("print(2)\nio.write(host.define)\n", to: "wrong.lua")
        let run = try Tool.shell(
            """
            lua5.4 -e 'assert(loadfile("types/patchpack.lua")); assert(loadfile(".luacheckrc"))' && cp -r "$CHECKOUT"/examples/{patches,specs} . &&
            luacheck --no-color -q patches specs && luacheck --no-color wrong.lua
            """, in: shop.folder.path)
        #expect(run.text.contains("Total: 0 warnings / 0 errors in 10 files"), "\(run.text) \(run.error)")
        #expect(run.text.contains("accessing undefined variable 'io'"))
        #expect(run.text.contains("accessing undefined field 'define' of global 'host'"))
    }

    @Test func configurationsBelongToTheUser() throws {
        let shop = try workshop()
        try shop.folder.write("{}", to: ".luarc.json")
        #expect(try shop.run("interface", "stubs", "interface.json").lines.count == 2)
        let again = try shop.run("interface", "stubs", "interface.json")
        #expect(again.status == 73)
        #expect(try shop.run("interface", "stubs", "interface.json", "--force").status == 0)
        #expect(try shop.folder.read(".luarc.json") == Array("{}".utf8))
    }

    /// An interface comes from a file, and its types and fields may have any name.
    @Test func anyNameMakesStubsThatLoad() throws {
        let folder = try TestFolder()
        try folder.write(
            #"""
            {"schema":"patchpack.interface/1","app":"com.example.shop","appVersion":"1.0","functions":[
            {"name":"A.b","arguments":["Box<Int>","table of array of Box<Int> or nil"],"result":"nothing","throws":false,"async":false},
            {"name":"A.c","arguments":["integer","string"],"parameters":["end","1\nos.exit(5)"],"result":"nothing","throws":false,"async":false}],
            "structs":[{"name":"x\nos.exit(3)","fields":[{"name":"]]\"\nos.exit(4)--","type":"integer"},{"name":"y","type":"a or nil or nil"}]}],
            "classes":[]}
            """#, to: "odd.json")
        let run = try Tool.shell(
            "patchpack interface stubs odd.json && lua5.4 -e 'patch, log, host = {}, {}, {}; dofile(\"types/patchpack.lua\")'",
            in: folder.path)
        #expect(run.status == 0, "\(run.error)")
        let stubs = String(decoding: try folder.read("types/patchpack.lua"), as: UTF8.self)
        #expect(stubs.contains("a1: Box_Int_, a2: table<string, (Box_Int_)[]>?), options?: {otherwise: nil})"))
        #expect(stubs.contains("_end: integer, _1_os_exit_5_: string), options?: {otherwise: nil})"))
        #expect(stubs.contains("---@alias Box_Int_ any"))
        #expect(stubs.split(separator: "\n").allSatisfy { !$0.hasPrefix("os.exit") })
    }

    @Test(arguments: ["problem-matcher.json", "tasks.json"]) func problemMatchersFindFindings(file: String) throws {
        let text = try String(contentsOfFile: "\(Tool.root)/examples/editors/\(file)", encoding: .utf8)
            .split(separator: "\n").filter { !$0.contains("//") }.joined(separator: "\n")
        let root = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let task = (root["tasks"] as? [[String: Any]])?.first?["problemMatcher"] as? [String: Any]
        let matcher = try #require(task ?? (root["problemMatcher"] as? [[String: Any]])?.first)
        let pattern = try #require(
            matcher["pattern"] as? [String: Any] ?? (matcher["pattern"] as? [[String: Any]])?.first)
        let expression = try NSRegularExpression(pattern: try #require(pattern["regexp"] as? String))
        let shop = try workshop()
        try shop.folder.write(
            "-- @patch com.example.x\n-- @version 1\n-- @app com.example.shop\n\nundefined()\n", to: "a b.lua")
        let lines = try shop.run("lint", "a b.lua", "--color", "never").lines
        let found = lines.flatMap { line in
            expression.matches(in: line, range: NSRange(line.startIndex..., in: line)).map { match in
                ["severity", "file", "line", "column", "code"].map { name in
                    (pattern[name] as? Int).flatMap { Range(match.range(at: $0), in: line) }.map { String(line[$0]) }
                        ?? ""
                }
            }
        }
        #expect(found.contains(["warning", "a b.lua", "5", "1", "undefined-global"]), "\(lines)")
    }

    @Test func embedWrongFileIsRefused() throws {
        let shop = try ReleaseFixture()
        let good = try shop.run("embed", "cart.lua", "--trusted-key", "trusted.pem", "--output", "Keys.swift")
        #expect(good.status == 0, "\(good.error)")
        let source = String(decoding: try shop.folder.read("Keys.swift"), as: UTF8.self)
        #expect(source.contains(#"static let trustedKey = Array("-----BEGIN PUBLIC KEY-----\n"#))
        try shop.folder.write("x = (", to: "broken.lua")
        for (arguments, status, message) in [
            (["--trusted-key", "signing.pem"], 78, "signing.pem: expected a public key"),
            (["--trusted-key", "script.key"], 78, "script.key: "),
            (["--root", "trusted.pem"], 30, "trusted.pem: "), (["--trust-store", "cart.lua"], 78, "cart.lua:1: "),
            (["--trusted-key", "trusted.pem", "--trust-store-pin", "x"], 64, "without a trust store"),
            (["broken.lua"], 20, "broken.lua:"), (["--trusted-key", "missing.pem"], 66, "missing.pem: no such file"),
        ] {
            let bad = try shop.run(["embed", "--output", "Bad.swift"] + arguments)
            #expect(bad.status == status, "\(arguments): \(bad.error)")
            #expect((bad.error + bad.text).contains(message), "\(bad.error)")
            #expect(!shop.folder.exists("Bad.swift"))
        }
        #expect(try shop.run("embed", "cart.lua").status == 64)
        let nothing = try shop.run("embed", "--output", "Bad.swift")
        #expect(nothing.status == 64 && !shop.folder.exists("Bad.swift"), "\(nothing.error)")
    }

    /// A spec could read the keys of the feed, or change files before they are published.
    @Test func theActionPublishesNothingWhereSpecsRun() throws {
        let shop = try workshop()
        let run = try shop.shell(
            """
            export GITHUB_OUTPUT=$PWD/output GITHUB_STEP_SUMMARY=$PWD/summary RUNNER_TEMP=$PWD/temp
            mkdir patches specs temp bin && cp "$CHECKOUT"/examples/patches/cart-total.lua patches
            patchpack pack patches/*.lua -o dist --signing-key signing.pem --script-key script.key -q
            echo 'io.open("ran", "w"):close() it("runs", function() end)' >specs/cart-total.lua
            printf '#!/bin/sh\necho "$1" >>calls\nexec "$TOOL" "$@"\n' >bin/patchpack && chmod +x bin/patchpack
            unset -f patchpack; export PATH=$PWD/bin:$PATH PATCHES=patches ENVELOPES=dist TRUSTED_KEY=trusted.pem SCRIPT_KEY=script.key
            export PUBLISH=feed FEED_KEYS="release.pem online.pem" ROLLOUT=5%
            SPECS=specs "$CHECKOUT"/scripts/action.sh; echo "status $?"; cat calls; ls ran summary
            "$CHECKOUT"/scripts/action.sh; tail -n 1 calls; ls ran
            """)
        #expect(run.lines.first?.hasPrefix("::error::specs and publish in one step: ") == true, "\(run.text)")
        #expect(run.lines.dropFirst().first == "status 64" && run.lines.last == "feed", "\(run.text)")
        #expect(!shop.folder.exists("ran"))
    }

    /// The action publishes the list that it has verified, and refuses an input that would check nothing.
    @Test func theActionPublishesWhatItHasVerified() throws {
        let shop = try workshop()
        let run = try shop.shell(
            #"""
            export GITHUB_OUTPUT=$PWD/output GITHUB_STEP_SUMMARY=$PWD/summary RUNNER_TEMP=$PWD/temp TRUSTED_KEY=trusted.pem SCRIPT_KEY=script.key
            mkdir temp bin && patchpack pack cart.lua -o ./--app --no-lint -q --signing-key signing.pem --script-key script.key
            mkdir -p -- --app/.old --app/next.js && cp -- --app/cart.js --app/.old/old.js && cp -- --app/cart.js --app/.hidden.js
            printf '#!/bin/sh\n[ "$1" != feed ] || { printf "%%s\\n" "$@" >published; exit 0; }\nexec "$TOOL" "$@"\n' >bin/patchpack && chmod +x bin/patchpack
            unset -f patchpack; export PATH=$PWD/bin:$PATH
            ENVELOPES=--app PUBLISH=feed FEED_KEYS=$'release.pem\nonline.pem' ROLLOUT=5% "$CHECKOUT"/scripts/action.sh >/dev/null; echo "status $?"
            sed -n '/^--$/,$p' published | tr '\n' ' '; grep -c -- '^--key$' published
            for name in '!' '(' 'a,b' ',' ')'; do
              mkdir -- "$name"; ENVELOPES=$name "$CHECKOUT"/scripts/action.sh; done | sort | uniq -c | sed 's/^ *//'
            while read -r input; do
              env -u TRUSTED_KEY -u SCRIPT_KEY $input "$CHECKOUT"/scripts/action.sh >said; echo "$? $(sed 's/: give.*//' said)"
            done <<'END'
            PATCHES=. TRUSTED_KEY=trusted.pem
            PATCHES=. SCRIPT_KEY=script.key
            PATCHES=. APP=com.example.shop
            ENVELOPES=. TRUSTED_KEY=trusted.pem APP=com.example.shop
            ENVELOPES=. TRUSTED_KEY=trusted.pem INTERFACE=interface.json
            PATCHES=. ROLLOUT=5%
            PATCHES=. FEED_KEYS=online.pem
            PATCHES=. FEED_ROOT=1.root.json
            ENVELOPES=temp TRUSTED_KEY=trusted.pem
            END
            """#)
        let expected = """
            status 0
            -- feed ./--app/cart.js 2
            1 ::error::envelopes: no file *.js is in ./!
            1 ::error::envelopes: no file *.js is in ./(
            1 ::error::envelopes: no file *.js is in ./)
            1 ::error::envelopes: no file *.js is in ./,
            1 ::error::envelopes: no file *.js is in a,b
            64 ::error::trusted-key without envelopes
            64 ::error::script-key without envelopes
            64 ::error::app without script-key
            64 ::error::app without script-key
            64 ::error::interface without patches
            64 ::error::rollout without publish
            64 ::error::feed-keys without publish
            64 ::error::feed-root without publish
            64 ::error::envelopes: no file *.js is in temp
            """
        #expect(run.text == expected + "\n", "\(run.text) \(run.error)")
    }

    /// The GitHub action, with the files that a runner provides.
    @Test func theActionSumsUp() throws {
        let shop = try workshop()
        let run = try shop.shell(
            """
            export GITHUB_OUTPUT=$PWD/output GITHUB_STEP_SUMMARY=$PWD/summary RUNNER_TEMP=$PWD/temp
            mkdir patches temp && cp "$CHECKOUT"/examples/patches/cart-total.lua patches
            patchpack pack patches/*.lua -o dist --signing-key signing.pem --script-key script.key
            export PATCHES=patches SPECS="$CHECKOUT"/examples/specs/cart-total.lua INTERFACE=interface.json
            export ENVELOPES=dist TRUSTED_KEY=trusted.pem SCRIPT_KEY=script.key APP=com.example.shop
            "$CHECKOUT"/scripts/action.sh; echo "status $?"; cat summary output; ls temp/patchpack
            echo x >>dist/cart-total.js; "$CHECKOUT"/scripts/action.sh; echo "status $?"; tail -n 1 summary
            SPECS= PUBLISH=feed FEED_KEYS=key.pem "$CHECKOUT"/scripts/action.sh; echo "without a rollout $?"
            echo 'it("fails", function() assert.is_true(false) end)' >failing.lua
            SPECS=failing.lua "$CHECKOUT"/scripts/action.sh; echo "first $?"
            """)
        #expect(
            run.text.contains("status 0\n### Patches\n\n| step | result |\n| --- | --- |\n| lint | passed |\n"),
            "\(run.text)")
        #expect(run.text.contains("| test | passed |\n| verify | passed |\n"))
        #expect(run.text.contains("envelopes.xml\nlint.sarif\ntests.xml\n"))
        #expect(run.text.contains("::error file=dist/cart-total.js"))
        #expect(run.text.contains("status 10\n| verify | failed (10) |\n"), "\(run.text)")
        #expect(run.text.contains("::error::publish without rollout"), "\(run.text)")
        #expect(run.text.contains("without a rollout 64\n"), "\(run.text)")
        // The spec fails with exit status 20 before the envelope does with 10.
        #expect(run.text.hasSuffix("first 20\n"), "\(run.text)")
        #expect(run.text.contains("::error file=failing.lua,line=1,col=1,title=fails::"), "\(run.text)")
    }
}
