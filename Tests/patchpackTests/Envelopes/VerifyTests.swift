import Foundation
import PatchCrypto
import TestSupport
import Testing

@Suite(.ownThreads) struct VerifyTests {
    private let shop: ReleaseFixture

    init() throws { shop = try ReleaseFixture() }

    @Test func jsonHasTheContractsMembers() throws {
        try #require(try shop.pack("cart.lua").status == 0)
        let run = try shop.verify("cart.js", "--format", "json", "--app", "com.example.shop", "--app-version", "2.3.1")
        #expect(run.status == 0)
        #expect(run.error.isEmpty)
        let object = try #require(try run.objects().first)
        #expect(
            Set(object.keys) == [
                "schema", "file", "ok", "verdict", "exitCode", "mpaasCode", "depth", "payloadSHA256", "stages",
                "signatures", "manifest",
                "error",
            ])
        #expect(object["ok"] as? Bool == true)
        #expect(object["verdict"] as? String == "ok")
        #expect(object["mpaasCode"] is NSNull)
        #expect(object["depth"] as? String == "full")
        let stages = try #require(object["stages"] as? [[String: String]])
        #expect(
            stages.map { $0["name"] } == [
                "read", "split", "signature", "decrypt", "zip", "manifest", "scripts", "policy",
            ])
        #expect(stages.allSatisfy { $0["status"] == "pass" })
        let signature = try #require((object["signatures"] as? [[String: Any]])?.first)
        #expect(signature["algorithm"] as? String == "rsa-sha1")
        #expect(signature["keyID"] as? String == TestKeys.signing.verifyingKey.id.description)
        #expect(signature["trusted"] as? Bool == true)
        #expect(signature["valid"] as? Bool == true)
        #expect((object["manifest"] as? [String: Any])?["id"] as? String == "com.example.shop.cart-total")
    }

    @Test func signatureOnlySaysSo() throws {
        try #require(try shop.pack("cart.lua").status == 0)
        let run = try shop.run(
            "verify", "cart.js", "--trusted-key", "trusted.pem", "--signature-only", "--format", "json")
        #expect(run.status == 0)
        let object = try #require(try run.objects().first)
        #expect(object["depth"] as? String == "signature")
        let stages = try #require(object["stages"] as? [[String: String]])
        #expect(stages.map { $0["status"] } == ["pass", "pass", "pass"] + Array(repeating: "skipped", count: 5))
        #expect(object["manifest"] is NSNull)
    }

    @Test func severalFilesAreAllReportedAndTheFirstFailureIsTheStatus() throws {
        try #require(try shop.pack("cart.lua").status == 0)
        var changed = try shop.folder.read("cart.js")
        changed[30] ^= 1
        try shop.folder.write(changed, to: "changed.js")
        try shop.folder.write("return 1", to: "plain.js")
        for jobs in ["1", "2", "9223372036854775807"] {
            let run = try shop.verify(
                "cart.js", "changed.js", "plain.js", "missing.js", "cart.js", "--format", "json", "--jobs", jobs)
            #expect(run.status == 11)
            #expect(
                try run.objects().map { $0["verdict"] as? String } == [
                    "ok", "bad-signature", "malformed", "no-input", "ok",
                ])
            let errors = run.error.split(separator: "\n").filter { $0.contains("error: ") }
            let names = ["changed.js", "plain.js", "missing.js"]
            #expect(
                errors.count == 3 && zip(errors, names).allSatisfy { $0.contains("error: \($1): ") }, "\(run.error)")
        }
        let text = try shop.verify("cart.js", "changed.js", "-q")
        #expect(text.lines == ["bad-signature  changed.js"])
    }

    /// The wrong public key, no key, a Lua file, a folder, a text-mode transfer, an empty file.
    @Test func sixAccidentsHaveSixMessages() throws {
        try #require(try shop.pack("cart.lua").status == 0)
        try #require(try shop.shell("sed 's/$/\\r/' cart.js >crlf.js; : >empty.js; mkdir folder").status == 0)
        let runs = [
            try shop.run("verify", "cart.js", "--trusted-key", "other.pem", "--script-key", "script.key"),
            try shop.run("verify", "cart.js"), try shop.verify("cart.lua"), try shop.verify("folder"),
            try shop.verify("crlf.js"), try shop.verify("empty.js"),
        ]
        #expect(runs.map(\.status) == [12, 64, 10, 66, 10, 10])
        let messages = runs.map {
            $0.error.split(separator: "\n").first { $0.contains("error:") }.map(String.init) ?? ""
        }
        #expect(Set(messages).count == 6, "\(messages)")
        for run in runs {
            #expect(run.error.contains("patchpack: hint: "), "\(run.error)")
            for word in ["error:0", "0x", "Fatal", "PatchCrypto", ".swift"] { #expect(!run.error.contains(word)) }
        }
    }

    @Test func filesComeFromPipesAndKeysFromStandardInputAndTheEnvironment() throws {
        try #require(try shop.pack("cart.lua").status == 0)
        let keys = "--trusted-key trusted.pem --script-key"
        for line in [
            "cat cart.js | patchpack verify - \(keys) script.key",
            "patchpack verify <(cat cart.js) \(keys) <(cat script.key)",
            "cat script.key | patchpack verify cart.js \(keys) -",
            "patchpack verify -- cart.js \(keys) script.key; [ $? = 64 ]",
            "PATCHPACK_TRUSTED_KEY=rsa-sha1:trusted.pem PATCHPACK_SCRIPT_KEY=script.key patchpack verify cart.js",
            "patchpack verify --trusted-key=trusted.pem --script-key=script.key cart.js",
            "tr -d '\\n' <script.key >bare.key; patchpack verify cart.js \(keys) bare.key",
        ] {
            let run = try shop.shell(line)
            #expect(run.status == 0, "\(line): \(run.error)")
        }
    }

    @Test func unverifiedTextCannotMoveTheCursor() throws {
        let name = "bad\u{1B}[2J\nname\u{202E}.js"
        try shop.folder.write("x", to: name)
        for run in [try shop.verify(name), try shop.run("inspect", name), try shop.run("keyinfo", name)] {
            #expect(run.status != 0)
            for text in [run.text, run.error] {
                #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
            }
            #expect(run.error.contains("\\u{1B}[2J\\n") || run.error.contains("\\u{001B}[2J\\n"), "\(run.error)")
        }
        let json = try shop.verify(name, "--format", "json")
        #expect(json.lines.count == 1)
        #expect(try json.objects().first?["file"] as? String == name)
        #expect(!json.text.contains("\u{202E}"))
    }

    @Test func aNameThatIsNotUTF8OpensItsFile() throws {
        try #require(try shop.pack("cart.lua").status == 0)
        let run = try shop.shell(
            "cp cart.js $'caf\\xe9.js'; patchpack verify $'caf\\xe9.js' --trusted-key trusted.pem --script-key script.key"
        )
        #expect(run.status == 0, "\(run.error)")
    }

    @Test func anUnknownAlgorithmIsNotTakenForAFileAlone() throws {
        let run = try shop.run("keyinfo", "rsa-md5:trusted.pem")
        #expect(run.status == 66)
        #expect(run.error.contains("rsa-sha1, rsa-sha256, ed25519"), "\(run.error)")
    }

    /// Truncations and flipped bits, with the built tool: refused, and nothing is written. Long tests try every byte.
    @Test func noChangedEnvelopeIsUnpacked() throws {
        let envelope = try EnvelopeForge().envelope()
        var names: [String] = []
        let step = testsMayBeLong ? 1 : 19
        for length in stride(from: 0, to: envelope.count, by: step) {
            names.append("t\(length)")
            try shop.folder.write(envelope[..<length], to: "cases/t\(length)")
        }
        for index in stride(from: 7, to: envelope.count, by: step) {
            var changed = envelope
            changed[index] ^= UInt8(1) << UInt8(index % 8)
            names.append("f\(index)")
            try shop.folder.write(changed, to: "cases/f\(index)")
        }
        let run = try shop.shell(
            """
            cd cases; ls | xargs -P 2 -I{} bash -c 'patchpack unpack {} -o ../out/{} -q \
              --trusted-key ../trusted.pem --script-key ../script.key 2>/dev/null; echo "$?"' | sort | uniq -c
            """)
        var counts: [Int: Int] = [:]
        for line in run.lines {
            let fields = line.split(separator: " ").compactMap { Int($0) }
            counts[fields[1]] = fields[0]
        }
        #expect(counts.values.reduce(0, +) == names.count)
        #expect(counts.keys.allSatisfy { (10...16).contains($0) }, "\(counts)")
        #expect(!shop.folder.exists("out"))
    }
}
