import Foundation
import TestSupport
import Testing

@Suite(.ownThreads) struct LintTests {
    /// A folder with the interface of the example app, and a patch that does not fit it.
    private func workshop() throws -> ReleaseFixture {
        let shop = try ReleaseFixture()
        let interface = try Tool.run(Tool.shop, ["--interface"])
        try #require(interface.status == 0)
        try shop.folder.write(interface.output, to: "interface.json")
        try shop.folder.write(
            """
            -- @patch com.example.shop.bad
            -- @version 1
            -- @app com.example.shop
            -- @replaces Cart.total
            patch.replace("Cart.totl", function(original)
            \treturn prnt(original)
            end)

            """, to: "bad.lua")
        return shop
    }

    @Test func textShowsTheLineWithACaret() throws {
        let shop = try workshop()
        let run = try shop.run("lint", "cart.lua", "bad.lua", "--interface", "interface.json")
        #expect(run.status == 20)
        #expect(run.lines[0] == "ok  cart.lua")
        #expect(run.text.contains("error  bad.lua:5:16: the app has no function Cart.totl [unknown-function]\n"))
        #expect(
            run.text.contains(
                "    5 | patch.replace(\"Cart.totl\", function(original)\n      |                ^^^^^^^^^\n      = did you mean Cart.total?\n"
            ))
        #expect(run.text.contains("    6 |  return prnt(original)\n      |         ^^^^\n"))
    }

    @Test func lintCommandWrongInputHasItsExitStatus() throws {
        let shop = try workshop()
        #expect(try shop.run("lint", "cart.lua", "--interface", "interface.json").status == 0)
        #expect(try shop.run("lint", "missing.lua").status == 66)
        #expect(try shop.run("lint", "cart.lua", "--interface", "cart.lua").status == 10)
        #expect(try shop.run("lint").status == 64)
    }

    @Test func lintCommandScriptOfAnotherAppOrTwiceInABundleIsFound() throws {
        let shop = try workshop()
        let twins = try shop.shell(
            "mkdir a b; cp cart.lua a; cp cart.lua b; \"$TOOL\" lint a/cart.lua b/cart.lua --bundle")
        #expect(twins.status == 20 && twins.text.contains("[tags]"))
        try shop.folder.write(
            ReleaseFixture.script.replacingOccurrences(of: "com.example.shop ", with: "com.example.other "),
            to: "other.lua")
        let other = try shop.run("lint", "other.lua", "--interface", "interface.json")
        #expect(
            other.text.contains(
                "other.lua:3:14: the patch is for the app com.example.other, but the interface is for com.example.shop [tags]"
            ))
    }

    @Test func lintCommandMachineFormatsListFindings() throws {
        let shop = try workshop()
        let findings = try shop.run("lint", "bad.lua", "--interface", "interface.json", "--format", "json").objects()
        #expect(findings.map { $0["code"] as? String } == ["replaces-unused", "unknown-function", "undefined-global"])
        #expect(
            findings.allSatisfy { $0["schema"] as? String == "patchpack.lint/1" && $0["file"] as? String == "bad.lua" })
        let annotations = try shop.run("lint", "bad.lua", "--interface", "interface.json", "--format", "github")
        #expect(
            annotations.lines[1]
                == "::error file=bad.lua,line=5,col=16,title=unknown-function::the app has no function Cart.totl; did you mean Cart.total?"
        )
        let sarif = try shop.run("lint", "cart.lua", "bad.lua", "--interface", "interface.json", "--format", "sarif")
        let log = try #require(try JSONSerialization.jsonObject(with: Data(sarif.output)) as? [String: Any])
        let run = try #require((log["runs"] as? [[String: Any]])?.first)
        let results = try #require(run["results"] as? [[String: Any]])
        let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
        let rules = try #require(driver["rules"] as? [[String: Any]]).compactMap { $0["id"] as? String }
        #expect(log["version"] as? String == "2.1.0")
        #expect(results.count == 3)
        #expect(results.allSatisfy { rules.contains($0["ruleId"] as? String ?? "") })
    }

    /// Services expect names relative to the working folder, which is the repository's. Other files need an absolute
    /// name.
    @Test func reportsNameFilesFromTheWorkingFolder() throws {
        let shop = try workshop()
        let folder = try shop.shell("pwd -P").lines[0]
        let run = try shop.shell(
            """
            mkdir -p "in/a b" in/below; ln -s "$PWD/in" link
            cp bad.lua "in/a b/ü%:#?.lua"; cp bad.lua in/x:y.lua; cp bad.lua outside.lua; cd link
            set -- "$PWD/a b/ü%:#?.lua" "$(pwd -P)/x:y.lua" ./below/.././x:y.lua ../in/x:y.lua x:y.lua ../outside.lua
            for format in sarif github; do
              for file; do patchpack lint "$file" --format $format; done >../$format
            done
            """)
        #expect(run.status == 20, "\(run.error)")
        func names(_ format: String, from start: String, to end: String) throws -> [String] {
            var names: [String] = []
            for part in try String(contentsOfFile: shop.folder.at(format), encoding: .utf8).components(
                separatedBy: start
            ).dropFirst() {
                let name = part.components(separatedBy: end)[0]
                if names.last != name { names.append(name) }
            }
            return names
        }
        #expect(
            try names("sarif", from: #""uri":""#, to: "\"") == [
                "a%20b/%C3%BC%25%3A%23%3F.lua", "x%3Ay.lua", "file://\(folder)/outside.lua",
            ])
        #expect(
            try names("github", from: " file=", to: ",") == [
                "a b/ü%25%3A#?.lua", "x%3Ay.lua", "\(folder)/outside.lua",
            ])
    }

    @Test func lintCommandSeveralJobsKeepsFileOrder() throws {
        let shop = try workshop()
        let files = ["bad.lua", "missing.lua"] + Array(repeating: "cart.lua", count: 30) + ["bad.lua", "-"]
        let runs = try ["1", "4"].map { jobs in
            try shop.run(["lint", "--interface", "interface.json", "--jobs", jobs] + files, input: Array("x = ".utf8))
        }
        #expect(runs[0].status == runs[1].status && runs[0].status != 0)
        #expect(runs[0].text == runs[1].text && runs[0].error == runs[1].error)
        #expect(runs[1].text.contains("[duplicate]") && runs[1].text.contains("stdin.lua:1:"))
    }

    /// Only `pack` has options for the tags, and an id for one envelope only.
    @Test func missingTagNamesOnlyOptionsThatHelp() throws {
        let shop = try workshop()
        try shop.folder.write("-- @version 1\n-- @app com.example.shop\n", to: "nameless.lua")
        try shop.folder.write("-- @patch com.example.shop.new\n-- @app com.example.shop\n", to: "unnumbered.lua")
        try shop.folder.write("it('x', function() end)\n", to: "spec.lua")
        let keys = "-o out --no-lint --signing-key signing.pem --script-key script.key"
        let tag = "add a line `-- @patch com.example.fix` to the comments at the start of the script"
        for line in [
            "lint nameless.lua", "test nameless.lua --spec spec.lua", "embed nameless.lua --output Keys.swift",
            "pack nameless.lua cart.lua \(keys)",
        ] {
            let run = try shop.shell("patchpack \(line)")
            let says = run.text + run.error
            #expect(run.status != 0 && says.contains("\(tag)\n"), "\(line): \(says)")
        }
        for line in ["pack nameless.lua \(keys)", "pack nameless.lua cart.lua --bundle \(keys)"] {
            let run = try shop.shell("patchpack \(line)")
            #expect(run.status == 64 && run.error.contains("hint: \(tag), or give --id\n"), "\(line): \(run.error)")
        }
        let several = try shop.shell("patchpack pack unnumbered.lua cart.lua \(keys)")
        #expect(several.error.contains("of the script, or give --version\n"), "\(several.error)")
    }

    @Test func packLintErrorsIsRefused() throws {
        let shop = try workshop()
        let keys = ["--signing-key", "signing.pem", "--script-key", "script.key"]
        func pack(_ arguments: String...) throws -> Tool {
            try Tool.run(Tool.patchpack, ["pack"] + arguments + keys, in: shop.folder.path)
        }
        let refused = try pack("bad.lua", "-o", "out")
        #expect(refused.status == 20)
        #expect(
            refused.error.contains(
                "bad.lua:4: @replaces lists Cart.total, which the script does not replace [replaces-unused]"))
        #expect(!shop.folder.exists("out"))
        #expect(try pack("bad.lua", "-o", "out", "--no-lint").status == 0)
        #expect(try pack("cart.lua", "-o", "out", "--interface", "interface.json").status == 0)
        try shop.folder.write(
            try String(contentsOfFile: shop.folder.at("interface.json"), encoding: .utf8)
                .replacingOccurrences(of: "Cart.total", with: "Cart.sum"), to: "newer.json")
        #expect(try pack("cart.lua", "-o", "again", "--interface", "newer.json").status == 20)
    }

    @Test func interfaceDiffNamesWhatIsGoneAndNew() throws {
        let shop = try workshop()
        try shop.folder.write(
            try String(contentsOfFile: shop.folder.at("interface.json"), encoding: .utf8)
                .replacingOccurrences(of: "Cart.total", with: "Cart.sum"), to: "newer.json")
        let diff = try shop.run("interface", "diff", "interface.json", "newer.json")
        #expect(diff.status == 20)
        #expect(diff.lines == ["breaks  Cart.total is gone", "new  Cart.sum is new: (number, integer) -> number"])
        #expect(try shop.run("interface", "diff", "newer.json", "newer.json").status == 0)
        #expect(try shop.run("interface", "compare", "newer.json", "newer.json").status == 64)
    }

    /// The findings that Linter does not have: about heads, the names of files, and several files.
    @Test func theToolHasFindingsOfItsOwn() throws {
        for patch in try LintCase.all(in: "tool.lua") {
            let folder = try TestFolder()
            try folder.write(LintCase.interface(), to: "interface.json")
            let names = patch.scripts.map(\.name)
            for (name, bytes) in patch.scripts where !bytes.isEmpty { try folder.write(bytes, to: name) }
            let run = try Tool.run(
                Tool.patchpack, ["lint", "--format", "sarif", "--interface", "interface.json"] + names, in: folder.path)
            let log = try #require(try JSONSerialization.jsonObject(with: Data(run.output)) as? [String: Any])
            let results = try #require((log["runs"] as? [[String: Any]])?.first?["results"] as? [[String: Any]])
            let found = try results.map { result in
                let place = try #require(
                    (result["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any])
                let file = (place["artifactLocation"] as? [String: String])?["uri"]?.removingPercentEncoding
                let line = (place["region"] as? [String: Int])?["startLine"].map { "line \($0)" } ?? "all of it"
                return "\(result["ruleId"] ?? "") in \(file == names[0] ? "" : "\(file ?? "") ")\(line)"
            }
            #expect(found == patch.verdicts.filter { $0 != "none" }, "\(patch)")
        }
    }

    @Test func theExamplesAreClean() throws {
        let shop = try workshop()
        let run = try shop.shell("\"$TOOL\" lint \"$CHECKOUT\"/examples/patches/*.lua --interface interface.json")
        #expect(run.status == 0, "\(run.text)")
        #expect(run.lines.filter { $0.hasPrefix("ok ") }.count == 4)
        // Its spec tests this bug.
        #expect(run.lines.filter { $0.contains("[may-be-nil]") }.count == 2)
    }

    /// The caret is below the name on a terminal, whatever columns the characters before it take.
    @Test func theCaretIsBelowItsNameBehindWideCharacters() throws {
        let shop = try ReleaseFixture()
        for (text, columns) in [
            ("名名", 4), ("한", 2), ("ｆ", 2), ("e\u{301}", 1), ("🎉", 2), ("🇩🇪", 2), ("\t", 1), ("\u{200B}", 8), ("é", 1),
        ] {
            try shop.folder.write(ReleaseFixture.script + "local s = '\(text)'; prnt(s)\n", to: "wide.lua")
            let caret = "      | " + String(repeating: " ", count: 14 + columns) + "^^^^"
            let wide = try shop.run("lint", "wide.lua")
            #expect(wide.lines.contains(caret), "\(wide.text)")
        }
    }

    /// No file in a pull request can end a check by a signal.
    @Test func hostileFilesAreLintedToTheirEnd() throws {
        let shop = try workshop()
        let fields = { (type: String) in "\"fields\":[{\"name\":\"next\",\"type\":\"\(type) or nil\"}]" }
        try shop.folder.write(
            """
            {"schema":"patchpack.interface/1","app":"com.example.shop","appVersion":"2.3.1","functions":[{"name":"F.give",
            "arguments":["A"],"result":"B","throws":false,"async":false}],"structs":[{"name":"A",\(fields("A"))},{"name":"B",\(fields("B"))}],
            "classes":[]}
            """, to: "i.json")
        let head = "-- @patch com.example.shop.x\n-- @version 1\n-- @app com.example.shop\n-- @replaces F.give\n"
        let give = "patch.replace('F.give', function(o, a) return a end)\n"
        try shop.folder.write(head + give, to: "give.lua")
        #expect(try shop.run("lint", "give.lua", "--interface", "i.json").status == 0)
        // A long line is shown around the finding, with the caret below it.
        let long = String(repeating: "local x = 1 ", count: 150)
        let many = String(repeating: "-- patchpack: ignore x\n", count: 300)
        try shop.folder.write(head + many + long + "local y = prnt\n" + give, to: "long.lua")
        let run = try shop.run("lint", "long.lua", "--interface", "i.json")
        #expect(run.status == 0 && run.text.utf8.count < 120_000 && run.lines.allSatisfy { $0.count <= 200 })
        let last = run.lines.suffix(4)
        #expect(last.first?.hasSuffix("[undefined-global]") == true)
        let (line, caret) = (Array(last.dropFirst().first ?? ""), Array(last.dropFirst(2).first ?? ""))
        #expect(caret.last == "^" && String(line.prefix(caret.count)).hasSuffix("prnt"))
        // Many misspelt tags, and a very long one.
        try shop.folder.write(
            head + String(repeating: "-- @pach x\n", count: 4000) + "-- @" + String(repeating: "p", count: 20_000)
                + "\n" + give,
            to: "tags.lua")
        #expect(try shop.run("lint", "tags.lua", "--interface", "i.json").status == 0)
        // A bundle that is too large for an envelope is not checked.
        var files = ["give.lua"]
        for number in 0..<64 {
            files.append("m\(number).lua")
            try shop.folder.write("prnt(1)\n", to: files[number + 1])
        }
        let bundle = try shop.run(["lint", "--bundle", "--interface", "i.json"] + files)
        #expect(
            bundle.status == 20 && bundle.text.contains("more than 64 scripts")
                && !bundle.text.contains("[undefined-global]"))
    }
}
