import Foundation
import PatchCrypto
import TestSupport
import Testing

@testable import patchpack

/// Every exit status that the verbs can reach, from the built tool.
@Suite(.ownThreads) struct ExitCodeTests {
    private let shop: ReleaseFixture

    init() throws { shop = try ReleaseFixture() }

    @Test func theTableOfTheDocumentIsTheToolsOwn() throws {
        let document = try String(contentsOfFile: "\(Tool.root)/docs/cli.md", encoding: .utf8)
        let rows = document.split(separator: "\n").map {
            $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let documented = rows.filter { $0.count == 3 && Int($0[0]) ?? 0 > 1 }.map {
            "\($0[0]) \($0[1]): \($0[2])"
        }
        #expect(documented == PatchError.Code.exitStatuses.map { "\($0.status) \($0.code): \($0.meaning)" })
    }

    /// An error names its file once, and its parts are separate members.
    @Test func thePlaceOfAnErrorIsToldOnce() throws {
        let run = try shop.shell(
            """
            patchpack test cart.lua --spec missing.lua; touch afile
            printf -- '-- @patch a.b\n-- @version 1\n-- @app a.b\nx =' >broken.lua
            patchpack pack cart.lua -o afile --signing-key signing.pem --script-key script.key
            patchpack pack broken.lua -o out --signing-key signing.pem --script-key script.key --format json
            patchpack pack cart.lua --app-versions foo -o out --signing-key signing.pem --script-key script.key
            """)
        #expect(run.error.contains("error: missing.lua: no such file or directory\n"), "\(run.error)")
        #expect(run.error.contains("error: afile: not a directory\n"), "\(run.error)")
        #expect(run.text.contains(#""file":"broken.lua","line":4,"field":null"#), "\(run.text)")
        #expect(run.error.contains("foo is not a range") && !run.error.contains("give --app"), "\(run.error)")
    }

    /// Verifies a forged envelope and expects its code, in the exit status and in JSON, and an error with the file's
    /// name.
    private func expectVerify(
        _ envelope: [UInt8], _ status: Int32, _ name: String, mpaas: Int, options: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try shop.folder.write(envelope, to: "x.js")
        let arguments =
            ["verify", "x.js", "--trusted-key", "trusted.pem", "--script-key", "script.key"] + options
        let text = try Tool.run(Tool.patchpack, arguments, in: shop.folder.path)
        #expect(text.status == status, sourceLocation: sourceLocation)
        #expect(text.error.contains("patchpack: error: x.js: "), "\(text.error)", sourceLocation: sourceLocation)
        #expect(text.text.hasPrefix(name), sourceLocation: sourceLocation)
        let json = try Tool.run(Tool.patchpack, arguments + ["--format", "json"], in: shop.folder.path)
        #expect(json.status == status, sourceLocation: sourceLocation)
        let objects = try json.objects()
        #expect(objects.count == 1, sourceLocation: sourceLocation)
        let object = try #require(objects.first, sourceLocation: sourceLocation)
        #expect(object["schema"] as? String == "patchpack.verify/1", sourceLocation: sourceLocation)
        #expect(object["ok"] as? Bool == false, sourceLocation: sourceLocation)
        #expect(object["verdict"] as? String == name, sourceLocation: sourceLocation)
        #expect(object["exitCode"] as? Int == Int(status), sourceLocation: sourceLocation)
        #expect(object["mpaasCode"] as? Int == mpaas, sourceLocation: sourceLocation)
        #expect((object["error"] as? [String: Any])?["code"] as? String == name, sourceLocation: sourceLocation)
        // A file that does not verify is not unpacked either, and no output remains.
        let unpacked = try shop.run(
            "unpack", "x.js", "-o", "out", "--trusted-key", "trusted.pem", "--script-key", "script.key")
        if options.isEmpty {
            #expect(unpacked.status == status, sourceLocation: sourceLocation)
            #expect(!shop.folder.exists("out"), sourceLocation: sourceLocation)
        }
    }

    @Test func zero() throws {
        #expect(try shop.pack("cart.lua").status == 0)
        #expect(try shop.verify("cart.js").status == 0)
        #expect(try shop.run("inspect", "cart.js").status == 0)
        #expect(try shop.run("--version").status == 0)
        #expect(try shop.run("verify", "--help").status == 0)
    }

    @Test func tenMalformed() throws {
        try expectVerify([], 10, "malformed", mpaas: 301)
        try expectVerify(Array(ReleaseFixture.script.utf8), 10, "malformed", mpaas: 300)
        var forge = EnvelopeForge()
        forge.changeZip = { $0.append(0) }
        try expectVerify(forge.envelope(), 10, "malformed", mpaas: 305)
        forge = EnvelopeForge()
        forge.changeMembers = { $0[0].bytes.append(10) }
        try expectVerify(forge.envelope(), 10, "malformed", mpaas: 300)
    }

    @Test func elevenBadSignature() throws {
        var envelope = try EnvelopeForge().envelope()
        envelope[20] ^= 1
        try expectVerify(envelope, 11, "bad-signature", mpaas: 300)
    }

    @Test func twelveUnknownSigner() throws {
        var forge = EnvelopeForge()
        forge.signingKeys = [TestKeys.otherSigning]
        try expectVerify(forge.envelope(), 12, "unknown-signer", mpaas: 300)
        try expectVerify(EnvelopeForge().envelope(), 12, "unknown-signer", mpaas: 300, options: ["--threshold", "2"])
    }

    @Test func thirteenDecryptFailed() throws {
        var forge = EnvelopeForge()
        forge.scriptKey = TestKeys.otherScript
        try expectVerify(forge.envelope(), 13, "decrypt-failed", mpaas: 304)
    }

    @Test func fourteenDigestMismatch() throws {
        var forge = EnvelopeForge()
        forge.changeMembers = { $0[1].bytes[0] ^= 1 }
        try expectVerify(forge.envelope(), 14, "digest-mismatch", mpaas: 306)
    }

    @Test(arguments: [
        ["--app", "com.example.other"], ["--app-version", "2.5"], ["--engine", "1"],
        ["--minimum-version", "8"],
        ["--at", "2027-01-01T00:00:00Z"],
    ])
    func fifteenPolicy(options: [String]) throws {
        var forge = EnvelopeForge()
        forge.manifest = try EnvelopeForge.manifest(for: forge.scripts, engine: 2, expires: "2027-01-01T00:00:00Z")
            .encoded()
        let others = [["--engine", "2"], ["--at", "2026-12-31T23:59:59Z"]]
            .filter { $0[0] != options[0] }.flatMap(\.self)
        try expectVerify(forge.envelope(), 15, "policy", mpaas: 300, options: options + others)
    }

    @Test func fifteenPolicyWithoutAnyOption() throws {
        var forge = EnvelopeForge()
        forge.manifest = try EnvelopeForge.manifest(for: forge.scripts, expires: "2020-01-01T00:00:00Z").encoded()
        try expectVerify(forge.envelope(), 15, "policy", mpaas: 300)
        forge.manifest = try EnvelopeForge.manifest(for: forge.scripts, engine: 2).encoded()
        try expectVerify(forge.envelope(), 15, "policy", mpaas: 300)
    }

    @Test func sixteenLimit() throws {
        try expectVerify([UInt8](repeating: 1, count: 16 << 20 + 1), 16, "limit", mpaas: 300)
        try shop.folder.write([UInt8](repeating: 32, count: 8 << 20 + 1), to: "large.lua")
        let packed = try shop.pack("large.lua", "--id", "a.b", "--version", "1", "--app", "c.d")
        #expect(packed.status == 16)
        #expect(packed.error.contains("large.lua"))
        #expect(!shop.folder.exists("large.js"))
    }

    @Test(arguments: [
        "verify", "verify x.js", "verify x.js --trusted-key trusted.pem", "frobnicate", "pack", "--frobnicate", "",
        "verify x.js --trusted-key trusted.pem --script-key script.key --signature-only",
        "verify x.js --trusted-key trusted.pem --script-key script.key --threshold 0",
        "verify x.js --trusted-key trusted.pem --script-key script.key --threshold -1",
        "verify x.js --trusted-key trusted.pem --script-key script.key --threshold two",
        "verify x.js --trusted-key trusted.pem --script-key script.key --app-version 1.x",
        "verify x.js --trusted-key trusted.pem --script-key script.key --at tomorrow",
        "verify x.js --script-key script.key", "verify - --trusted-key - --script-key script.key",
        "pack cart.lua --signing-key signing.pem", "pack cart.lua --script-key script.key",
        "pack cart.lua --signing-key signing.pem --script-key script.key --extra novalue",
        "pack cart.lua --signing-key signing.pem --script-key script.key --extra a=1 --extra a=2",
        "pack cart.lua --signing-key signing.pem --script-key script.key --id a.b --id a.c",
        "pack cart.lua cart.lua --signing-key signing.pem --script-key script.key",
        "pack cart.lua more.lua --id a.b --signing-key signing.pem --script-key script.key",
        "pack cart.lua -o cart.lua/ -x", "unpack cart.js --trusted-key trusted.pem --script-key script.key",
        "unpack a x/a -o out --trusted-key trusted.pem --script-key script.key", "inspect", "inspect -r", "keyinfo",
        "verify --trusted-key trusted.pem --script-key script.key", "lint", "help nothing",
        "-q verify",
        "resign cart.js cart.js -o d/ --trusted-key trusted.pem --signing-key signing.pem",
        "resign cart.js b.js -o one.js --trusted-key trusted.pem --signing-key signing.pem", "cat cart.js --unverified",
        "verify cart.js --trusted-key trusted.pem --require nobody --script-key script.key --threshold x",
        "keygen extra", "keygen --profile mpaas --bits 1024", "keygen", "keygen --profile modern --algorithm rsa",
        "keygen --profile modern --bits 3072",
        "keygen --profile modern --bits 4096",
        "keygen --profile des", "completions", "completions tcsh", "verify --format xml x.js",
        "verify x.js --jobs 0",
    ])
    func sixtyFourUsage(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let run = try Tool.run(Tool.patchpack, words, in: shop.folder.path)
        #expect(run.status == 64, "\(run.error)")
        #expect(run.output.isEmpty)
        #expect(!run.error.isEmpty)
        guard !words.isEmpty, !line.contains("--format") else { return }
        let json = try Tool.run(Tool.patchpack, words + ["--format", "json"], in: shop.folder.path)
        #expect(json.status == 64)
        let objects = try json.objects()
        #expect(objects.count == 1)
        #expect(objects.first?["schema"] as? String == "patchpack.error/1")
        #expect(objects.first?["verdict"] as? String == "usage")
        #expect(objects.first?["exitCode"] as? Int == 64)
    }

    @Test(arguments: [
        "-- @patch a.b\n-- @version 1\nreturn 1", "-- @patch a.b\n-- @app a.b\n", "-- @version 1\n-- @app a.b\n",
        "-- @patch a.b\n-- @patch a.b\n-- @version 1\n-- @app a.b\n", "-- @patch a\n-- @version 1\n-- @app a.b\n",
        "-- @patch a.b\n-- @version one\n-- @app a.b\n", "-- @patch a.b\n-- @version 1\n-- @app a.b 1.0\n",
        "-- @patch a.b\n-- @version 1\n-- @app a.b\n-- @expires soon\n",
        "\u{FEFF}-- @patch a.b\n-- @version 1\n-- @app a.b\n",
        "-- @patch a.b\n-- @version 1\n-- @app a.b\n-- @engine 0\n",
        "-- @patch a.b\n-- @version 1\n-- @app a.b\n-- @replaces 1\n",
        "-- @patch a.b\n-- @version 2147483648\n-- @app a.b\n", "",
    ])
    func sixtyFourForTags(script: String) throws {
        try shop.folder.write(script, to: "tags.lua")
        let run = try shop.pack("tags.lua")
        #expect(run.status == 64)
        #expect(run.error.contains("patchpack: error: tags.lua:"), "\(run.error)")
        #expect(!shop.folder.exists("tags.js"))
    }

    @Test func sixtySixNoInput() throws {
        #expect(try shop.verify("missing.js").status == 66)
        #expect(try shop.verify(".").status == 66)
        #expect(try shop.pack("missing.lua").status == 66)
        #expect(
            try shop.run("verify", "cart.js", "--trusted-key", "missing", "--script-key", "script.key").status == 66)
        #expect(try shop.run("inspect", "missing.js").status == 66)
        #expect(try shop.run("keyinfo", "missing").status == 66)
        let object = try #require(try shop.verify("missing.js", "--format", "json").objects().first)
        #expect(object["verdict"] as? String == "no-input")
        #expect(object["file"] as? String == "missing.js")
    }

    /// Simulates a machine's policy with properties that no algorithm of the default provider has.
    @Test func sixtyNineUnavailable() throws {
        try #require(try shop.pack("cart.lua").status == 0)
        try shop.folder.write(
            """
            openssl_conf = start
            [start]
            alg_section = algorithms
            [algorithms]
            default_properties = fips=yes

            """, to: "fips.cnf")
        let fips = ["OPENSSL_CONF": shop.folder.at("fips.cnf")]
        let verified = try shop.verify("cart.js", environment: fips)
        #expect(verified.status == 69)
        #expect(verified.error.contains("OpenSSL refuses"))
        #expect(!verified.error.contains("signature"))
        #expect(try shop.pack("cart.lua", "--force", environment: fips).status == 69)
        #expect(try shop.run("keygen", "-o", "new", "--profile", "mpaas", environment: fips).status == 69)
        #expect(!shop.folder.exists("new"))
    }

    @Test func seventyThreeExists() throws {
        #expect(try shop.pack("cart.lua").status == 0)
        let before = try shop.folder.read("cart.js")
        let again = try shop.pack("cart.lua", "--version", "8")
        #expect(again.status == 73)
        #expect(again.error.contains("--force"))
        #expect(try shop.folder.read("cart.js") == before)
        #expect(try shop.pack("cart.lua", "--version", "8", "--dry-run").status == 73)
        #expect(try shop.pack("cart.lua", "--version", "8", "--force").status == 0)
        #expect(try shop.folder.read("cart.js") != before)
        #expect(try shop.run("keygen", "--profile", "modern").status == 73)
        let keys = ["--trusted-key", "trusted.pem", "--script-key", "script.key"]
        let unpack = ["unpack", "cart.js", "-o", "."] + keys
        #expect(try Tool.run(Tool.patchpack, unpack, in: shop.folder.path).status == 73)
    }

    @Test func seventyFourIO() throws {
        try #require(try shop.pack("cart.lua").status == 0)
        // Standard output is full or closed.
        #expect(try shop.shell("patchpack inspect cart.js >/dev/full").status == 74)
        #expect(try shop.shell("patchpack inspect cart.js >&-").status == 74)
        #expect(try shop.shell("patchpack inspect cart.js | true; exit ${PIPESTATUS[0]}").status != 139)
        #expect(try shop.pack("cart.lua", "-o", "cart.js/below").status == 74)
        #expect(try shop.pack("cart.lua", "-o", "/proc/none").status == 74)
        // A file must not grow past 512 bytes: part of it is written, but no file remains.
        let limited = try shop.shell(
            "ulimit -f 1; export LLVM_PROFILE_FILE=/dev/null; patchpack pack cart.lua -o limited --signing-key signing.pem --script-key script.key"
        )
        #expect(limited.status == 74, "\(limited.error)")
        #expect(try shop.folder.contents().filter { $0.hasPrefix("limited/") } == [])
    }

    /// An opened file must not get the number of a closed standard stream, because messages would be written into it.
    @Test func closedStreamsLeaveOutputsAlone() throws {
        for number in 0..<20 {
            let head = number.isMultiple(of: 2) ? ReleaseFixture.script : "-- untagged\n"
            try shop.folder.write(head + String(repeating: "-- filler\n", count: 2000), to: "in/s\(number).lua")
        }
        let run = try shop.shell(
            """
            patchpack pack in/*.lua -o out --jobs 2 --signing-key signing.pem --script-key script.key <&- >&- 2>&-
            patchpack verify out/*.js -q --trusted-key trusted.pem --script-key script.key
            """)
        #expect(run.status == 0, "\(run.text)")
        #expect(try shop.shell("patchpack verify - --trusted-key trusted.pem --script-key script.key <&-").status == 66)
    }

    @Test func aSlowFileNeitherFillsTheMemoryNorHangs() throws {
        try #require(try shop.pack("cart.lua").status == 0)
        let run = try shop.shell(
            """
            mkfifo slow; exec 3<>slow
            timeout 120 "$TOOL" verify cart.js slow --jobs 2 --trusted-key trusted.pem --script-key script.key >/dev/full
            """)
        #expect(run.status == 74, "\(run.error)")
    }

    @Test func seventySevenPassphrase() throws {
        let line =
            "openssl pkey -in signing.pem -aes256 -passout pass:open-sesame -out locked.pem && chmod 600 locked.pem"
        try #require(try shop.shell(line).status == 0)
        func pack(_ arguments: [String], environment: [String: String] = [:]) throws -> Tool {
            try Tool.run(
                Tool.patchpack,
                ["pack", "cart.lua", "--force", "--signing-key", "locked.pem", "--script-key", "script.key"]
                    + arguments,
                environment: environment, in: shop.folder.path)
        }
        let missing = try pack([])
        #expect(missing.status == 77)
        #expect(missing.error.contains("--passphrase-env"))
        #expect(try pack(["--passphrase-env", "NO_SUCH_VARIABLE"]).status == 77)
        let wrong = try pack(["--passphrase-env", "P"], environment: ["P": "open-sesamE"])
        #expect(wrong.status == 77)
        #expect(!wrong.error.contains("open-sesam"))
        #expect(try pack(["--passphrase-env", "P"], environment: ["P": "open-sesame"]).status == 0)
        try shop.folder.write("open-sesame\n", to: "passphrase")
        #expect(try pack(["--passphrase-file", "passphrase"]).status == 0)
        try shop.folder.write("\n", to: "passphrase")
        #expect(try pack(["--passphrase-file", "passphrase"]).status == 77)
    }

    @Test func seventyEightConfig() throws {
        try shop.folder.write(TestKeys.signing.pem().exposed, to: "open.pem", mode: 0o644)
        let open = try shop.run("pack", "cart.lua", "--signing-key", "open.pem", "--script-key", "script.key")
        #expect(open.status == 78)
        #expect(open.error.contains("chmod 600 open.pem"))
        #expect(!shop.folder.exists("cart.js"))
        let allowed = try shop.run(
            "pack", "cart.lua", "--signing-key", "open.pem", "--script-key", "script.key", "--allow-unsafe-permissions")
        #expect(allowed.status == 0)
        let other = try shop.pack("cart.lua", "--force", "--trusted-key", "other.pem")
        #expect(other.status == 78)
        #expect(other.error.contains("is not among the trusted keys"))
        #expect(try shop.pack("cart.lua", "--force", "--trusted-key", "trusted.pem").status == 0)
        for (trusted, script) in [
            ("signing.pem", "script.key"), ("script.key", "script.key"), ("cart.lua", "script.key"),
            ("trusted.pem", "trusted.pem"), ("ed25519:trusted.pem", "script.key"),
        ] {
            let run = try shop.run("verify", "cart.js", "--trusted-key", trusted, "--script-key", script)
            #expect(run.status == 78, "\(trusted) \(script)")
        }
        let both = try shop.verify("cart.js", "--trusted-key", "rsa-sha256:trusted.pem")
        #expect(both.status == 78)
    }
}
