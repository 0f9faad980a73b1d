import Foundation
import PatchCrypto
import TestSupport
import Testing

/// Repeated releases: unchanged files stay, lower versions are replaced, and nothing else is.
@Suite(.ownThreads) struct ReleaseTests {
    private let shop: ReleaseFixture
    private let keys = "--signing-key signing.pem --script-key script.key"

    init() throws {
        shop = try ReleaseFixture()
        for name in ["cart-total", "one", "two", "three", "four"] { try write(name, version: 7) }
    }

    private func write(_ name: String, version: Int, in folder: String = "patches", note: String = "") throws {
        let script = ReleaseFixture.script.replacing("cart-total", with: name)
            .replacing("@version  7", with: "@version  \(version)")
        try shop.folder.write(script + note, to: "\(folder)/\(name).lua")
    }

    private func release(into folder: String, key: String = "signing.pem") throws -> Tool {
        try shop.shell(
            """
            PATH=$PWD/bin:$PATH; mkdir -p bin; ln -sf "$TOOL" bin/patchpack; unset -f patchpack
            export PATCHPACK_SIGNING_KEY=\(key) PATCHPACK_TRUSTED_KEY=trusted.pem PATCHPACK_SCRIPT_KEY=script.key
            "$CHECKOUT/examples/release.sh" patches \(folder) && cd \(folder) && sha256sum -c SHA256SUMS
            """, environment: ["SOURCE_DATE_EPOCH": "1700000000"])
    }

    @Test func theReleaseScriptReleasesAgain() throws {
        let feed = try FeedReleaseFixture(isEmpty: true)
        func publish(_ folder: String) throws -> [String] {
            let root = "--root '\(feed.folder.at("feed"))/metadata/1.root.json'"
            let words =
                "--rollout 100% --trusted-key trusted.pem --script-key script.key --key release.pem --key online.pem"
            let run = try shop.shell(
                "patchpack feed publish '\(feed.folder.at("feed"))' \(folder)/*.js \(words) \(root)")
            try #require(run.status == 0, "\(run.error)")
            return run.lines.filter { $0.hasPrefix("published") }.map { String($0.split(separator: " ")[1]) }
        }
        try #require(try shop.shell("cp '\(feed.folder.path)'/*.pem .").status == 0)

        let first = try release(into: "dist")
        #expect(first.status == 0 && first.lines.last == "two.js: OK", "\(first.text)\(first.error)")
        #expect(try publish("dist").count == 5)
        for version in [8, 9] {
            try write("one", version: version)
            let before = try shop.folder.read("dist/two.js")
            let next = try release(into: "dist")
            #expect(next.status == 0, "\(next.error)")
            #expect(next.lines.filter { $0.hasPrefix("packed") }.map { $0.contains("one \(version)") } == [true])
            #expect(next.lines.count { $0.hasPrefix("unchanged") } == 4)
            #expect(try shop.folder.read("dist/two.js") == before)
            #expect(try publish("dist") == ["com.example.shop.one"])
        }
        #expect(try release(into: "new").status == 0)
        #expect(try shop.shell("diff -r dist new").status == 0)
        #expect(try publish("new").isEmpty)
    }

    @Test func anotherKeyReleasesNothing() throws {
        try shop.folder.write(TestKeys.otherSigning.pem().exposed, to: "wrong.pem", mode: 0o600)
        #expect(try release(into: "dist", key: "wrong.pem").status == 78)
        #expect(!shop.folder.exists("dist"))
    }

    @Test(arguments: ["", "--all-or-nothing", "--dry-run"])
    func onlyALowerVersionOfTheSamePatchIsReplaced(_ options: String) throws {
        func upgrade() throws -> Tool {
            try shop.shell(
                "patchpack pack --no-lint patches/one.lua patches/two.lua -o dist --upgrade \(keys) \(options)")
        }
        try #require(try shop.shell("patchpack pack --no-lint patches/*.lua -o dist \(keys)").status == 0)
        #expect(try upgrade().lines.map { $0.hasPrefix("unchanged") || options == "--dry-run" } == [true, true])
        let held = try shop.folder.read("dist/one.js")
        for (version, note, says) in [
            (6, "", "with the higher version 7"), (7, "-- more\n", "with the same version 7, and other bytes"),
        ] {
            try write("one", version: version, note: note)
            let run = try upgrade()
            #expect(run.status == 73 && run.error.contains("dist/one.js: already exists \(says)"), "\(run.error)")
            #expect(
                run.error.contains("hint: a changed patch needs a higher version") && !run.error.contains("--force"))
            let forced = try shop.shell("patchpack pack --no-lint patches/one.lua -o dist --force \(keys) \(options)")
            #expect(
                forced.status == 0
                    && forced.error.hasPrefix(
                        "patchpack: warning: dist/one.js: already exists \(says); --force replaces it\n"),
                "\(forced.error)")
            try shop.folder.write(held, to: "dist/one.js")
        }
        try write("one", version: 8)
        for (what, says) in [
            ("cp dist/two.js dist/one.js", "already exists, and is com.example.shop.two"),
            ("echo hello >dist/one.js", "not a patch that these keys verify"),
            (
                "patchpack pack --no-lint patches/one.lua -o dist --force --signing-key signing.pem --script-key other.key",
                "not a patch that these keys verify"
            ),
        ] {
            try #require(try shop.shell("rm -f dist/one.js; \(what)").status == 0)
            let run = try upgrade()
            #expect(run.status == 73 && run.error.contains(says), "\(run.error)")
        }
        for kind in ["ln -s nothing", "mkfifo"] {
            try #require(try shop.shell("rm -f dist/one.js; \(kind) dist/one.js").status == 0)
            let run = try upgrade()
            #expect(run.status == 74 && run.error.contains("dist/one.js: "), "\(run.error)")
        }
        try #require(try shop.shell("rm dist/one.js").status == 0)
        try shop.folder.write(held, to: "dist/one.js")
        #expect(try upgrade().status == 0)
        #expect((try shop.folder.read("dist/one.js") == held) == (options == "--dry-run"))
    }

    @Test(arguments: ["", "--all-or-nothing", "--upgrade", "--upgrade --all-or-nothing"])
    func jobsThatPackTheSameAtTheSameTimeAllSucceed(_ options: String) throws {
        let pack = "patchpack pack --no-lint -r patches -o dist \(keys) \(options) --format json"
        for version in options.contains("upgrade") ? [7, 8] : [7] {
            for name in ["cart-total", "one", "two", "three", "four"] { try write(name, version: version) }
            let run = try shop.shell("for i in 1 2 3 4 5 6; do (\(pack); echo \"status $?\") & done; wait")
            #expect(
                run.lines.filter { $0.hasPrefix("status") } == Array(repeating: "status 0", count: 6), "\(run.text)")
            #expect(run.lines.count { $0.contains("\"written\":true") } == 5, "\(run.text)")
            #expect(run.lines.count { $0.contains("\"unchanged\":true") } == 25, "\(run.text)")
        }
    }

    /// The highest version stays, whichever run is last.
    @Test func jobsThatUpgradeAtTheSameTimeKeepTheHighestVersion() throws {
        let versions = Array(1...12)
        for version in versions { try write("one", version: version, in: "v\(version)") }
        try #require(try shop.shell("patchpack pack --no-lint v1/one.lua -o dist \(keys)").status == 0)
        let line = versions.dropFirst().shuffled()
            .map { "patchpack pack --no-lint -q v\($0)/one.lua -o dist --upgrade \(keys) &" }.joined(separator: "\n")
        let run = try shop.shell(
            "\(line)\nwait; patchpack verify dist/one.js --trusted-key trusted.pem --script-key script.key")
        #expect(run.text.hasPrefix("ok  dist/one.js  com.example.shop.one 12, "), "\(run.text)\(run.error)")
    }

    /// The rule of docs/releasing.md.
    @Test func makeRunsNothingTwice() throws {
        let document = try String(contentsOfFile: "\(Tool.root)/docs/releasing.md", encoding: .utf8)
        let rule = try #require(document.split(separator: "```text\n").last?.split(separator: "```").first)
        try shop.folder.write(String(rule), to: "Makefile")
        let make =
            "PATCHPACK_SIGNING_KEY=signing.pem PATCHPACK_SCRIPT_KEY=script.key PATH=$PWD/bin:$PATH make release/.packed"
        let run = try shop.shell(
            """
            mkdir bin; ln -s "$TOOL" bin/patchpack; unset -f patchpack
            \(make) >/dev/null && \(make) -q && sleep 1 && touch patches/one.lua && ! \(make) -q && \(make) && \(make) -q && echo done
            """)
        #expect(run.lines.last == "done", "\(run.text)\(run.error)")
        #expect(run.lines.count { $0.hasPrefix("unchanged") } == 5)
    }

    @Test func aSignatureCommandThatFailedIsNotRunAgain() throws {
        try #require(try shop.shell("patchpack pack --no-lint -r patches -o dist \(keys)").status == 0)
        for verb in [
            "pack --no-lint -r patches -o out --script-key script.key",
            "pack --no-lint -r patches -o out --script-key script.key --all-or-nothing",
            "resign -r dist -o out",
        ] {
            let run = try shop.shell(
                """
                rm -f calls; patchpack \(verb) --trusted-key trusted.pem --signature-command 'echo call >>calls; exit 1'
                echo "status $?"; cat calls; ls out 2>&1 | grep -c js
                """)
            #expect(run.lines == ["status 78", "call", "0"], "\(verb): \(run.text)")
            #expect(run.error.contains("status 1") && run.error.contains("is not run again"), "\(run.error)")
        }
    }

    @Test func foldersKeepTheirShape() throws {
        for folder in ["a", "b/c"] { try write("one", version: 7, in: "deep/\(folder)") }
        try write("one", version: 8, in: "deep/b/c")
        let run = try shop.shell(
            """
            patchpack pack --no-lint -r deep -o dist \(keys) && (cd dist && find . -name '*.js' | sort) &&
            patchpack resign -r dist -o payloads --detach --trusted-key trusted.pem -q &&
            for f in a b/c; do
              mkdir -p signatures/$f && openssl dgst -sha1 -sign signing.pem -out signatures/$f/one.js.sig payloads/$f/one.js
            done &&
            patchpack resign -r dist -o again --attach signatures --trusted-key trusted.pem -q && diff -r dist again &&
            find dist -name '*.js' -print0 |
              patchpack resign --files-from - --root dist -o third --signing-key signing.pem --trusted-key trusted.pem -q &&
            diff -r dist third && find deep -name '*.lua' >list &&
            patchpack pack --no-lint --files-from list --root deep -o fourth \(keys) -q && diff -r dist fourth && echo done
            """)
        #expect(run.lines.suffix(3) == ["./a/one.js", "./b/c/one.js", "done"], "\(run.text)\(run.error)")
        let missing = try shop.shell(
            "rm signatures/a/*; patchpack resign -r dist -o x --attach signatures --trusted-key trusted.pem")
        #expect(missing.status == 66 && missing.error.contains("signatures/a/one.js.sig"), "\(missing.error)")
        for wrong in [
            "resign -r dist -o x --attach signatures/b/c/one.js.sig --trusted-key trusted.pem",
            "resign dist/../dist/a/one.js -o x --root dist --detach --trusted-key trusted.pem",
            "pack --bundle -r deep -o x.js \(keys)", "pack --bundle --files-from /dev/null -o x.js \(keys)",
            "pack -o x \(keys)",
            "resign dist/a/one.js dist/b/c/one.js -o x --detach --trusted-key trusted.pem",
        ] {
            let run = try shop.shell("patchpack \(wrong)")
            #expect(run.status == 64, "\(wrong): \(run.status) \(run.error)")
        }
    }

    /// An attestation covers the same hash when a patch is packed, verified, inspected or signed again.
    @Test func thePayloadHasOneHash() throws {
        try shop.folder.write(TestKeys.otherSigning.pem().exposed, to: "other-signing.pem", mode: 0o600)
        let commit = "0123456789abcdef0123456789abcdef01234567"
        let run = try shop.shell(
            """
            patchpack pack patches/one.lua -o dist --no-lint \(keys) --extra git-commit=\(commit) --format json &&
            patchpack verify dist/one.js --trusted-key trusted.pem --script-key script.key --format json &&
            patchpack inspect dist/one.js --format json &&
            patchpack resign dist/one.js -o two.js --append --trusted-key trusted.pem --signing-key other-signing.pem -q &&
            patchpack verify two.js --trusted-key other.pem --signature-only --format json
            patchpack verify two.js --trusted-key trusted.pem --script-key other.key --format json
            patchpack verify dist/one.js --trusted-key other.pem --script-key script.key --format json
            """)
        let objects = try run.objects()
        let hashes = objects.map { $0["payloadSHA256"] as? String }
        #expect(hashes.count == 6 && Set(hashes.prefix(5)).count == 1 && hashes[0]?.count == 64, "\(run.text)")
        #expect(hashes[5] == nil, "the signature is not trusted")
        // The contents of a manifest are public, even if they look like a key.
        for object in objects.prefix(2) {
            let manifest = object["manifest"] as? [String: Any]
            #expect(manifest?["extra"] as? [String: String] == ["git-commit": commit])
        }
    }
}
