import Foundation
import TestSupport
import Testing

@Suite(.ownThreads) struct KeyCommandTests {
    private let shop: ReleaseFixture

    init() throws { shop = try ReleaseFixture() }

    private func mode(of name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: shop.folder.at(name))[.posixPermissions] as? Int
    }

    /// What a wrong key file should be.
    @Test(arguments: [
        (
            "--trusted-key", "openssl ecparam -genkey -name prime256v1 -noout | openssl pkey -pubout",
            "unsupported key type EC"
        ),
        ("--trusted-key", "openssl rsa -in signing.pem -RSAPublicKey_out", "openssl rsa -RSAPublicKey_in"),
        ("--trusted-key", "cat trusted.pem other.pem", "give a file with one key"),
        ("--trusted-key", "head -n 3 trusted.pem", "a PEM block is cut short or damaged"),
        ("--trusted-key", "printf '***'", "a public key begins with -----BEGIN PUBLIC KEY-----"),
        ("--signing-key", "cat trusted.pem", "give the private one, which keygen calls signing.pem"),
        ("--signing-key", "head -n 3 signing.pem", "a PEM block is cut short or damaged"),
        ("--signing-key", "cat signing.pem signing.pem", "2 private keys in one file"),
        ("--signing-key", "printf ' \n'", "a private key is PEM, and begins with -----BEGIN PRIVATE KEY-----"),
        ("--script-key", "cat script.key other.key", "one line of 32 or 64 lower-case hex digits"),
        ("--script-key", "sed 's/$/\\r/' script.key", "its line ends with CR and LF"),
        ("--script-key", "printf '\\357\\273\\277'; cat script.key", "it begins with a byte order mark"),
        ("--script-key", "tr a-f A-F <script.key", "it has capital letters"),
        ("--script-key", "cat signing.pem", "one line of 32 or 64 lower-case hex digits"),
    ])
    func aFileThatIsNoKeySaysWhatItShouldBe(option: String, make: String, says: String) throws {
        let run = try shop.shell(
            """
            (\(make)) >wrong; chmod 600 wrong
            patchpack pack cart.lua -o out --no-lint \(option) wrong \
              $([ \(option) = --signing-key ] || echo --signing-key signing.pem) \
              $([ \(option) = --script-key ] || echo --script-key script.key)
            """)
        #expect(run.status == 78 && run.error.contains("wrong: ") && run.error.contains(says), "\(run.error)")
        #expect(!shop.folder.exists("out"))
    }

    /// The forms of a PEM file in a variable from secret stores, env files and Docker.
    @Test(arguments: [
        "$(cat signing.pem)", "$(tr '\n' ' ' <signing.pem)", "$(tr -d '\n' <signing.pem)",
        "$(sed 's/$/\\n/' signing.pem | tr -d '\n')",
        "$(sed 's/$/\\r\\n/' signing.pem | tr -d '\n')", "\\\"$(cat signing.pem)\\\"", "'$(cat signing.pem)'",
        "$(sed 's/^/    /' signing.pem)", "$(sed 's/$/\r/' signing.pem)", "  $(cat signing.pem)",
    ])
    func aKeyInAVariableIsRestored(value: String) throws {
        let run = try shop.shell(
            """
            export KEY="\(value)"
            patchpack keyinfo env:KEY && patchpack pack cart.lua -o out --no-lint --signing-key env:KEY --script-key script.key
            """)
        #expect(run.status == 0, "\(value): \(run.error)")
    }

    @Test func aSignerFromAVariableNeedsARoot() throws {
        let work = try FeedReleaseFixture()
        let run = try work.shop.shell(
            "export K=\"$(cat online.pem)\"; rm -f feed-*; patchpack feed pause feed \(FeedReleaseFixture.id) --key env:K"
        )
        #expect(run.status == 78 && run.error.contains("no root file to trust"), "\(run.error)")
        #expect(run.error.contains("a key that is not a file has none beside it"), "\(run.error)")
    }

    @Test func aKeyOfARoleIsTwoFiles() throws {
        let run = try Tool.patchpack(
            "keygen", "--profile", "modern", "--signing-only", "-o", "root", in: shop.folder.path)
        #expect(run.status == 0)
        let names = try shop.shell("ls root").lines
        #expect(names == ["signing.pem", "trusted.pem"])
    }

    @Test func keygenMakesThreeFilesThatOpensslReads() throws {
        let run = try shop.run("keygen", "-o", "keys/new", "--profile", "mpaas", "--bits", "2048")
        #expect(run.status == 0, "\(run.error)")
        #expect(try mode(of: "keys/new/signing.pem") == 0o600)
        #expect(try mode(of: "keys/new/script.key") == 0o600)
        let check = try shop.shell(
            """
            openssl pkey -in keys/new/signing.pem -pubout | cmp - keys/new/trusted.pem &&
              grep -Eqx '[0-9a-f]{32}' keys/new/script.key && openssl pkey -in keys/new/signing.pem -check -noout
            """)
        #expect(check.status == 0, "\(check.error)")
        let script = String(decoding: try shop.folder.read("keys/new/script.key"), as: UTF8.self).dropLast()
        #expect(!run.text.contains(script) && !run.error.contains(script))
    }

    @Test func keygenIntoStandardOutputIsRefused() throws {
        let run = try shop.run("keygen", "-o", "-", "--profile", "modern")
        #expect(run.status == 64 && run.error.contains("--output - is not a folder") && !shop.folder.exists("-"))
    }

    @Test func keygenEncryptsWithAPassphrase() throws {
        let run = try shop.run(
            "keygen", "-o", "new", "--profile", "mpaas", "--bits", "2048", "--passphrase-env", "P",
            environment: ["P": "open-sesame"])
        #expect(run.status == 0, "\(run.error)")
        #expect(!run.text.contains("sesame") && !run.error.contains("sesame"))
        let check = try shop.shell("openssl pkey -in new/signing.pem -passin pass:open-sesame -noout")
        #expect(check.status == 0)
        #expect(
            String(decoding: try shop.folder.read("new/signing.pem"), as: UTF8.self).contains("ENCRYPTED PRIVATE KEY"))
    }

    @Test func aPassphraseIsBytes() throws {
        let run = try shop.shell(
            """
            export P=$(printf 'p\\xf6w') Q=$(printf 'p\\xfcw')
            patchpack keygen -o new --profile mpaas --bits 2048 --passphrase-env P && openssl pkey -in new/signing.pem -passin env:P -noout &&
              ! patchpack keyinfo new/signing.pem --passphrase-env Q
            """)
        #expect(run.status == 0, "\(run.error)")
        let long = ["P": String(repeating: "x", count: 1025)]
        #expect(
            try shop.run(
                "keygen", "-o", "long", "--profile", "mpaas", "--bits", "2048", "--passphrase-env", "P",
                environment: long
            ).status
                == 77)
        #expect(!shop.folder.exists("long"))
    }

    @Test func keygenLeavesWhatIsThere() throws {
        let before = try shop.folder.read("signing.pem")
        try FileManager.default.removeItem(atPath: shop.folder.at("trusted.pem"))
        #expect(try shop.run("keygen", "--profile", "mpaas", "--bits", "2048").status == 73)
        #expect(try shop.folder.read("signing.pem") == before)
        #expect(!shop.folder.exists("trusted.pem"))
        #expect(try shop.run("keygen", "--profile", "mpaas", "--bits", "2048", "--force").status == 0)
        #expect(try shop.folder.read("signing.pem") != before)
    }

    @Test func keyinfoTellsKindsAndIDs() throws {
        let run = try shop.run(
            "keyinfo", "signing.pem", "trusted.pem", "rsa-sha256:trusted.pem", "script.key", "--format", "json")
        #expect(run.status == 0)
        let objects = try run.objects()
        #expect(objects.map { $0["kind"] as? String } == ["signing", "trusted", "trusted", "script"])
        #expect(objects[0]["keyID"] as? String == objects[1]["keyID"] as? String)
        #expect(objects[2]["algorithm"] as? String == "rsa-sha256")
        #expect(objects[3]["suite"] as? String == "aes-128-cbc+md5")
        #expect(objects.allSatisfy { $0["schema"] as? String == "patchpack.keyinfo/1" })
        let mixed = try shop.run("keyinfo", "cart.lua", "trusted.pem")
        #expect(mixed.status == 78)
        #expect(mixed.lines.count == 1)
    }

    /// A question on a terminal, which `script` provides.
    @Test func aPassphraseIsAskedForOnATerminal() throws {
        let line =
            "openssl pkey -in signing.pem -aes256 -passout pass:open-sesame -out locked.pem && chmod 600 locked.pem"
        try #require(try shop.shell(line).status == 0)
        func onTerminal(_ keys: String, _ interrupt: String = "default", until status: Int32) throws -> Tool {
            try Tool.patiently(in: shop.folder.path) { pause in
                """
                { sleep \(pause); printf '\(keys)'; sleep \(pause); } |
                  script -qec 'exec env --\(interrupt)-signal=INT "$TOOL" keyinfo locked.pem --color never' /dev/null
                """
            } until: {
                $0.status == status
            }
        }
        let asked = try onTerminal("open-sesamex\\177\\n", until: 0)
        #expect(asked.status == 0, "\(asked.text)")
        #expect(asked.text.contains("passphrase for locked.pem:"))
        #expect(asked.text.contains("private key, rsa-sha1"))
        // A parent may have left that signal ignored. A shell that waited would end by it, whatever its command does.
        let interrupted = try onTerminal("\\003", until: 130)
        #expect(interrupted.status == 130, "\(interrupted.text)")
        let ignored = try onTerminal("\\003", "ignore", until: 77)
        #expect(ignored.status == 77, "\(ignored.text)")
    }

    /// The keys and signals of a terminal have their meaning at a question, and afterwards it echoes as before.
    @Test(arguments: [
        ("wrong\\x15open-sesame\\n", "", 0), ("open-sesam\\xc3\\xa9\\x7fe\\n", "", 0), ("x", "SIGTERM", 15),
        ("x", "SIGHUP", 1), ("\\x1c", "", 3),
    ])
    func passphraseQuestionKeysAndSignalsLeaveTheTerminalAsItWas(keys: String, signal: String, ends: Int32) throws {
        let line =
            "openssl pkey -in signing.pem -aes256 -passout pass:open-sesame -out locked.pem && chmod 600 locked.pem"
        try #require(try shop.shell(line).status == 0)
        let run = try shop.shell(
            """
            python3 - "$TOOL" '\(signal)' <<'END'
            import os, pty, select, signal, sys, termios, time
            child, terminal = pty.fork()
            if child == 0:
                for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
                    signal.signal(number, signal.SIG_DFL)
                os.execv(sys.argv[1], [sys.argv[1], "keyinfo", "locked.pem"])
            def echoes(): return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)
            seen, end = b"", time.monotonic() + 60
            def read():
                global seen
                try:
                    if select.select([terminal], [], [], 0.05)[0]: seen += os.read(terminal, 4096)
                except OSError: pass
            while b"locked.pem: " not in seen and time.monotonic() < end: read()
            assert not echoes(), "it echoes"
            os.write(terminal, b"\(keys)")
            time.sleep(0.2)
            if sys.argv[2]: os.kill(child, getattr(signal, sys.argv[2]))
            done, status = 0, -1
            while not done and time.monotonic() < end:
                read()
                done, status = os.waitpid(child, os.WNOHANG)
            assert done and os.WIFSIGNALED(status) == (\(ends) != 0) and status & 0x7f == \(ends), (status, seen)
            assert echoes(), "it does not echo"
            END
            """)
        #expect(run.status == 0, "\(run.error)")
    }
}
