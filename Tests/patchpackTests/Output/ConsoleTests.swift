import TestSupport
import Testing

@testable import patchpack

@Suite(.ownThreads) struct ConsoleTests {
    @Test(arguments: [
        ("plain ünïcode 中文 🙂", "plain ünïcode 中文 🙂"), ("a\u{1B}[31mb", "a\\u{1B}[31mb"), ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\u{85}\u{9B}", "\\u{0085}\\u{009B}"), ("\u{202E}x\u{2066}", "\\u{202E}x\\u{2066}"), ("\u{2028}", "\\u{2028}"),
        ("\u{E000}\u{FFFE}", "\\u{E000}\\u{FFFE}"), ("\u{0}", "\\0"),
    ])
    func unprintableCharactersAreEscaped(text: String, expected: String) {
        #expect(escaped(text) == expected)
    }

    @Test func colorFollowsTheOptionAndTheEnvironment() throws {
        let shop = try ReleaseFixture()
        try #require(try shop.pack("cart.lua").status == 0)
        #expect(try !shop.verify("cart.js").text.contains("\u{1B}"))
        #expect(try shop.verify("cart.js", "--color", "always").text.contains("\u{1B}[32mok\u{1B}[0m"))
        func onTerminal(_ prefix: String, _ options: String = "") throws -> String {
            let keys = "--trusted-key trusted.pem --script-key script.key"
            return try Tool.patiently(in: shop.folder.path) { pause in
                "sleep \(pause) | \(prefix) script -qec '\"$TOOL\" verify cart.js \(keys) \(options)' /dev/null"
            } until: {
                $0.text.contains("cart.js")
            }.text
        }
        let text = try onTerminal("TERM=xterm")
        #expect(text.contains("\u{1B}[32mok"), "\(text.debugDescription)")
        #expect(try !onTerminal("TERM=xterm NO_COLOR=1").contains("\u{1B}"))
        #expect(try !onTerminal("TERM=dumb").contains("\u{1B}"))
        #expect(try !onTerminal("TERM=xterm", "--color never").contains("\u{1B}"))
    }

    @Test func aBarIsShownOnATerminalOnly() throws {
        let shop = try ReleaseFixture()
        try #require(try shop.pack("cart.lua").status == 0)
        let keys = "--trusted-key trusted.pem --script-key script.key"
        let files = "cart.js cart.js cart.js"
        let terminal = try Tool.patiently(in: shop.folder.path) { pause in
            "sleep \(pause) | TERM=xterm script -qec '\"$TOOL\" verify \(files) \(keys)' /dev/null"
        } until: {
            $0.text.contains("3 ok")
        }
        #expect(terminal.text.contains("] 0/3"))
        #expect(terminal.text.contains("] 2/3"))
        let pipe = try shop.shell("patchpack verify \(files) \(keys) 2>&1 | cat")
        #expect(pipe.lines.count == 4 && pipe.lines.last == "3 ok")
        #expect(!pipe.text.contains("["))
    }

    @Test func aFeedShowsHowFarItIs() throws {
        let work = try FeedReleaseFixture(isEmpty: true)
        let publish =
            "publish feed 7.js 8.js --rollout 100% --key release.pem --key online.pem --trusted-key trusted.pem --script-key script.key"
        for (action, bar, word) in [(publish, "] 1/2", "wrote"), ("deploy feed --to www", "] 0/", "deployed")] {
            let terminal = try Tool.patiently(in: work.folder.path) { pause in
                "sleep \(pause) | TERM=xterm script -qec '\"$TOOL\" feed \(action) --dry-run' /dev/null"
            } until: {
                $0.text.contains("would")
            }
            #expect(terminal.text.contains(bar), "\(terminal.text.debugDescription)")
            let quiet = try work.shop.shell("patchpack feed \(action) 2>&1 | cat")
            #expect(quiet.status == 0 && quiet.text.contains(word) && !quiet.text.contains("["), "\(quiet.text)")
        }
    }
}
