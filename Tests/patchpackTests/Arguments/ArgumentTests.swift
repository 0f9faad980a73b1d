import PatchCrypto
import TestSupport
import Testing

@testable import patchpack

@Suite(.ownThreads) struct ArgumentTests {
    /// The message and the hint for a wrong command line, empty if it is accepted.
    private func error(_ words: String...) -> String {
        refusal(words).map { "\($0.message) | \($0.hint ?? "")" } ?? ""
    }

    @Test(arguments: [
        (["verfiy"], "did you mean verify?"), (["verify", "--trusted-kye", "x"], "did you mean --trusted-key?"),
        (["pack", "--scriptkey", "x"], "did you mean --script-key?"),
        (["verify", "--format=jsn", "x"], "did you mean json?"),
        (["unpack", "--froce"], "did you mean --force?"), (["zzzzzzzzzz"], "patchpack --help"),
    ])
    func unknownWordsGetASuggestion(words: [String], expected: String) {
        do {
            _ = try Request(words.map { Argument(bytes: Array($0.utf8)) })
            Issue.record("\(words) is accepted")
        } catch {
            #expect(error.code == .usage)
            #expect(error.hint?.contains(expected) == true, "\(error.hint ?? "")")
        }
    }

    @Test func optionsAreReadInAllTheirForms() throws {
        func request(_ short: String) throws -> Request {
            let words = [
                "verify", short, "a", "--app=x=y", "--minimum-version", "3", "--trusted-key", "k", "--trusted-key=l",
                "--", "--b",
            ]
            return try Request(words.map { Argument(bytes: Array($0.utf8)) })
        }
        guard case .run(let arguments) = try request("-q") else {
            Issue.record("not a verb")
            return
        }
        #expect(arguments.operands.map(\.text) == ["a", "--b"])
        #expect(try arguments.text(of: .runningApp) == "x=y")
        #expect(try arguments.number(of: .minimumVersion) == 3)
        #expect(arguments.values(of: .trustedKey).map(\.text) == ["k", "l"])
        #expect(arguments.has(.quiet))
        guard case .help = try request("-qh") else {
            Issue.record("-qh is not help")
            return
        }
    }

    @Test func valuesAreMissedAndRefused() {
        #expect(error("verify", "--app").contains("needs a value"))
        #expect(error("verify", "--signature-only=yes").contains("takes no value"))
        #expect(error("verify", "--app", "a", "--app", "b").contains("given twice"))
        #expect(error("verify", "-z").contains("unknown option -z"))
        #expect(error("doctor", "a").contains("too many"))
    }

    /// A variable that is not set is not a value. Only an empty notice and an empty author have a meaning.
    @Test func emptyValuesAreRefusedEverywhere() {
        for verb in Verb.allWithActions {
            let words = verb.name.split(separator: " ").map(String.init)
            for option in verb.allOptions where option.value != nil {
                for value in ["", " "] {
                    let error = refusal(words + ["--\(option.name)", value])
                    let isRefused = error?.code == .usage && error?.message == "--\(option.name) is empty"
                    #expect(
                        isRefused == (!["notice", "author"].contains(option.name)), "\(verb.name) --\(option.name)")
                }
            }
            guard verb.operandCount.upperBound > 0, verb.actions.isEmpty else { continue }
            #expect(refusal(words + [""])?.message == "\(verb.name): an argument is empty")
        }
        #expect(refusal(["test", "a", "--spec", "b", ""])?.message == "--spec is empty")
    }

    private func refusal(_ words: [String]) -> PatchError? {
        do {
            _ = try Request(words.map { Argument(bytes: Array($0.utf8)) })
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "report e --root r", "report e --cacert c", "report e --allow-http", "feed sign f -o x",
        "feed sign f --role root", "feed pause f a.b --cacert c", "feed deploy f --to d --purge-timeout 1s",
        "feed deploy f --to d --wait 1s", "report e --force", "feed undo f --yes", "feed sign f --force --detach",
    ])
    func optionWithoutTheOneThatItNeedsIsRefused(line: String) {
        #expect(refusal(line.split(separator: " ").map(String.init))?.message.contains(" without --") == true)
    }

    @Test(arguments: [
        "report e --force --html h", "feed undo f --yes --to 2", "feed sign f --yes", "pack f --force",
        "feed sign f --force --detach -o x", "report e --root r --feed f", "feed sign f -o x --detach",
        "embed --root r -o x",
        "feed sign f --role root --attach s", "feed pause f a.b --cacert c --check-served u",
        "keystore export s n -o x",
        "feed status f --cacert c --root r --allow-http", "sync f --store s --root r",
    ])
    func optionWithTheOneThatItNeedsIsTaken(line: String) {
        #expect(refusal(line.split(separator: " ").map(String.init)) == nil)
    }

    @Test func actionsTakeTheirOwnOptions() {
        #expect(
            error("trust", "list", "s", "--name", "x") == "trust list takes no --name | it is an option of trust add")
        #expect(error("trust", "list", "--nam", "x").hasSuffix("| patchpack trust list --help"))
        #expect(error("trust", "ad", "s").contains("did you mean add?"))
        // `clear` would forget all bans.
        #expect(
            error("store", "unban", "s")
                == "unknown action of store unban | publish a higher version; `clear` forgets all bans")
        #expect(error("trust", "pin", "a", "b").hasPrefix("trust pin: too many arguments"))
    }

    /// An option has its own definition, even if another one has the same name.
    @Test func anOptionIsNoOtherOfItsName() throws {
        let words = ["feed", "preview", "feed", "--app-version", "1.0", "--group", "testers"]
        guard case .run(let arguments) = try Request(words.map { Argument(bytes: Array($0.utf8)) }) else {
            Issue.record("no run")
            return
        }
        #expect(try arguments.texts(of: .deviceGroup) == ["testers"])
        #expect(!arguments.has(.group) && arguments.values(of: .group).isEmpty)
        let ids = Verb.allWithActions.flatMap { verb in verb.allOptions.map { ($0.id, $0.name) } }
        for (id, names) in Dictionary(grouping: ids, by: \.0) { #expect(Set(names.map(\.1)).count == 1, "\(id)") }
    }

    /// The message has the name of the option that was given, whichever it is.
    @Test(arguments: [Option.deviceGroup, Option("team", "group that the device is in", .text("NAME"))])
    func groupsOfOptionWrongNameIsRefusedByOption(_ option: Option) throws {
        let verb = Verb(
            name: "try", summary: "x", operands: "", operandValue: .text("X"), operandCount: 0...0, options: [option],
            example: "patchpack try", run: { _, _ in })
        func refusal(_ group: String) -> PatchError? {
            let named = [option.name: [Argument(bytes: Array(group.utf8))]]
            do {
                _ = try ParsedArguments(verb: verb, operands: [], named: named).groups(of: option)
                return nil
            } catch {
                return error
            }
        }
        let comma = refusal("a,b")
        #expect(comma?.message == "--\(option.name) a,b: one group has no comma")
        #expect(comma?.hint == "give --\(option.name) once for each")
        #expect(refusal(" a")?.message == "--\(option.name) \" a\": a group does not begin or end with a space")
        #expect(refusal("a b") == nil)
    }

    @Test func noOptionIsListedTwiceAndEveryHelpIsOneLine() {
        for verb in Verb.allWithActions {
            let names = verb.allOptions.map(\.name)
            #expect(Set(names).count == names.count, "\(verb.name)")
            for option in verb.allOptions { #expect(!option.help.isEmpty && !option.help.contains("\n")) }
        }
    }
}

/// The errors for a wrong command line.
@Suite(.ownThreads) struct WrongWordsTests {
    @Test(arguments: [
        ("verify x --trusted k", "did you mean --trusted-key?"), ("feed pub x", "did you mean publish?"),
        ("verify x --trusted-key trusted.pem --signature-only --at 2026-01-01", "it has no time of day"),
        ("verify x --trusted-key trusted.pem --signature-only --at 2026-01-01T00:00:00+01:00", "not in UTC"),
        ("verify x --trusted-key trusted.pem --signature-only --app X --script-key F", "with --script-key, --app"),
        ("verify x --trusted-key trusted.pem --script-key script.key --app-version v2", "does not begin with a number"),
        ("pack cart.lua -o o --version 0", "error: --version: the version 0 is not a whole number from 1"),
        ("pack cart.lua -o o --version 1.2", "the version 1.2 is not a whole number from 1"),
        ("pack cart.lua -o o --id X", "the id X is not a reverse-DNS name"),
        ("pack cart.lua -o o --app-versions ^2.3", "write '>=2.3 <3'"),
        ("pack trusted.pem.js -o o", "name its script"),
        ("pack zero.lua -o o", "error: zero.lua:2: the version 0 is not a whole number from 1"),
        ("pack range.lua -o o", "error: range.lua:3: ^2.3 is not a range of versions"),
        ("pack cart.lua -o o --app-versions '>2 <2'", "no version is in the range >2 <2"),
        ("pack cart.lua -o o --extra 'git commit=1'", "the key may have letters"),
        ("pack cart.lua -o o --expires tomorrow", "error: --expires: the expiry tomorrow is not a time"),
        ("cat cart.js --unverified --trusted-key nope", "--unverified cannot be used with --trusted-key"),
        ("cat cart.js --unverified --at 2026-01-01T00:00:00Z --script-key F", "cannot be used with --at"),
        ("test cart.lua --spec spec.lua --trusted-key nope", "--trusted-key without an envelope"),
        ("test cart.lua --spec spec.lua --trust-store-pin 00", "--trust-store-pin without an envelope"),
        ("test cart.lua --spec spec.lua --bundle --script-key F", "--script-key without an envelope"),
        ("resign x.js -o o.js --detach --append --trusted-key trusted.pem", "--append with --detach"),
        ("feed status . --allow-http", "--allow-http without a URL: . is a folder"),
        ("feed check . --cacert trusted.pem", "--cacert without a URL: . is a folder"),
        ("feed log . --allow-http", "--allow-http without a URL"), ("feed diff . . --allow-http", "without a URL"),
        ("trust sign a.store --app shop --signing-key signing.pem", "error: --app shop is not a reverse-DNS name"),
        ("verify", "no input file"), ("pack -o o", "no input file"),
        (
            "test cart.lua --spec spec.lua --filter '['",
            "the pattern for names is wrong: malformed pattern (missing ']')"
        ),
    ])
    func commandLineWrongArgumentExits64WithReason(line: String, says: String) throws {
        let shop = try ReleaseFixture()
        try shop.folder.write("it('x', function() end)\n", to: "spec.lua")
        try shop.folder.write("-- @patch a.b\n-- @version 0\n-- @app a.b\n", to: "zero.lua")
        try shop.folder.write("-- @patch a.b\n-- @version 1\n-- @app a.b ^2.3\n", to: "range.lua")
        let keys = line.hasPrefix("pack ") ? " --no-lint --signing-key signing.pem --script-key script.key" : ""
        let run = try shop.shell("patchpack \(line)\(keys)")
        #expect(run.status == 64 && run.error.contains(says), "\(run.status) \(run.error)")
        #expect(!shop.folder.exists("o"))
    }

    /// Libraries do not know the command line, so the tool words the way out of their errors.
    @Test func hintsNameTheToolsVerbs() throws {
        let shop = try ReleaseFixture()
        try shop.folder.write("describe('x', function() end)\n", to: "spec.lua")
        let hint = "= run it with the patch that it is for: patchpack test PATCH.lua --spec spec.lua\n"
        #expect(try shop.shell("patchpack lint spec.lua").text.contains(hint))
        #expect(try shop.shell("patchpack store status .").error.hasSuffix("hint: patchpack sync makes one\n"))
    }

    @Test func theSameMistakeOfAllFilesIsToldOnce() throws {
        let shop = try ReleaseFixture()
        let run = try shop.pack("cart.lua", "two.lua", "three.lua", "-o", "all.js")
        #expect(run.status == 64 && run.error.split(separator: "\n").count == 2, "\(run.error)")
    }

    @Test func theHelpOfAVerbHasManyNames() throws {
        let help = try Tool.patchpack("verify", "--help").text
        #expect(help.hasPrefix("patchpack verify: "))
        for words in [["help", "verify"], ["--help", "verify"], ["-h", "verify"]] {
            #expect(try Tool.run(Tool.patchpack, words).text == help)
        }
    }

    /// A folder that was made for a failed operation is removed.
    @Test func outputFolderVerbFailsIsRemoved() throws {
        let shop = try ReleaseFixture()
        let run = try shop.shell(
            """
            for key in a b c; do patchpack keygen --profile modern --signing-only -o $key -q; done
            patchpack feed init made/feed --app com.example.shop --root-key a/trusted.pem --release-key b/signing.pem \
              --online-key c/signing.pem
            echo "status $?"
            patchpack pack cart.lua --no-lint -o /proc/x --signing-key signing.pem --script-key script.key; echo "status $?"
            ls -d made
            """)
        #expect(run.lines == ["status 31", "status 74"], "\(run.text)\(run.error)")
        #expect(run.error.contains("/proc/x: this folder cannot be made"), "\(run.error)")
    }
}

/// Compares the help with the approved files. A changed option fails here.
@Suite(.ownThreads) struct HelpTests {
    @Test(arguments: ["patchpack"] + Verb.allWithActions.map(\.name))
    func helpIsAsApproved(name: String) throws {
        let words = name.split(separator: " ").map(String.init)
        let text = try Tool.run(Tool.patchpack, (name == "patchpack" ? [] : words) + ["--help"])
        #expect(text.status == 0)
        let approved = try Tool.run("/bin/cat", ["\(Tool.root)/Tests/patchpackTests/Arguments/help/\(name).txt"])
        #expect(text.text == approved.text)
        #expect(text.lines.allSatisfy { $0.count <= ($0.hasPrefix("example: ") ? 100 : 80) })
    }

    @Test func noArgumentsShowTheUsageOnStandardError() throws {
        let run = try Tool.patchpack()
        #expect(run.status == 64)
        #expect(run.output.isEmpty)
        #expect(run.error.hasPrefix("usage: patchpack VERB"))
    }
}
