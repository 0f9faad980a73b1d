import Foundation
import PatchCrypto
import TestSupport
import Testing

@testable import patchpack

/// A key or a passphrase that is given instead of a file name is never shown, whatever the verb, option or variable.
@Suite(.ownThreads) struct SecretTests {
    private let shop: ReleaseFixture

    init() throws { shop = try ReleaseFixture() }

    /// Keys in each form: PEM, also as secret stores and env files write it, hexadecimal digits, base64.
    private static let canaries: [String] = {
        let pem = (try? TestKeys.otherSigning.pem().exposed).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return [
            pem.replacing("\n", with: "\\n"), "00ffee11ddcc22bbaa3344995566778800ffee11ddcc22bbaa33449955667788", pem,
            "q83vEjRWeJCrze8SNFZ4kKvN7xI0Vni/Q83vEjRWeJA=", "q83vEjRWeJCrze8SNFZ4kA",
            "'\(pem.replacing("\n", with: " "))'", "  \(pem.replacing("\n", with: "\n  "))",
            Data(pem.utf8).base64EncodedString(),
        ]
    }()

    /// All parts of a text with some characters.
    private static func parts(_ text: some StringProtocol, _ count: Int) -> Set<[UInt8]> {
        let bytes = Array(text.utf8)
        return Set(bytes.indices.dropLast(count - 1).map { Array(bytes[$0..<$0 + count]) })
    }

    private func check(_ run: Tool, hides canary: String, _ what: String, location: SourceLocation = #_sourceLocation) {
        // No format may leave as much as the short parts between two slashes. Hashes have some hexadecimal digits of
        // any key.
        let length = canary.allSatisfy(\.isHexDigit) ? 12 : 6
        let lines = canary.replacing("\\n", with: "\n").split { "\n ".contains($0) }
        let secret = lines.filter { !$0.contains("---") && $0 != "PRIVATE" }.reduce(into: Set()) {
            $0.formUnion(Self.parts($1, length))
        }
        #expect(!secret.isEmpty, sourceLocation: location)
        let shown = Self.parts(run.text + run.error, length).intersection(secret)
        #expect(shown.isEmpty, "\(what): \(run.text) \(run.error)", sourceLocation: location)
        #expect(run.status < 128, "\(what): \(run.status)", sourceLocation: location)
    }

    /// The words that a verb needs before it reads its options.
    private func words(of verb: Verb) -> [String] {
        switch verb.name {
        case "trust add": ["trust", "add", "new.store", "trusted.pem"]
        case _ where verb.name.contains(" "):
            verb.name.split(separator: " ").map(String.init) + ["script.key", "x"].prefix(verb.operandCount.lowerBound)
        case "completions": ["completions", "bash"]
        case "doctor": [verb.name]
        case "keygen": [verb.name, "--profile", "modern"]
        default: [verb.name, "cart.lua"]
        }
    }

    private static let verbs = Verb.all.flatMap { $0.actions.isEmpty ? [$0] : $0.actions }

    /// The first verb that has an option. Long tests try an option with each of its verbs.
    private static let firstVerbs = Dictionary(
        verbs.flatMap { verb in verb.allOptions.map { ($0.id, verb.name) } }, uniquingKeysWith: { first, _ in first })

    @Test(arguments: verbs.map(\.name))
    func noOptionShowsAKey(_ name: String) throws {
        let verb = try #require(Self.verbs.first { $0.name == name })
        let formats = Self.formats(of: verb)
        // There are more forms of a key than formats, so each place sees another form with each format.
        var turn = name.utf8.count
        func canary() -> String {
            turn += 1
            return Self.canaries[turn % Self.canaries.count]
        }
        for option in verb.allOptions
        where option.value != nil && (testsMayBeLong || Self.firstVerbs[option.id] == name) {
            for format in option.name == "format" ? [[]] : formats {
                let key = canary()
                let arguments = words(of: verb) + format + ["--\(option.name)", key]
                check(try Tool.run(Tool.patchpack, arguments, in: shop.folder.path), hides: key, "\(arguments)")
                // Some verbs make a folder with that name.
                try? FileManager.default.removeItem(atPath: shop.folder.at(key))
                guard let variable = option.variable else { continue }
                let run = try shop.run(words(of: verb) + format, environment: [variable: key])
                check(run, hides: key, "\(name) \(variable) \(format)")
            }
        }
        for format in formats {
            for operands in [words(of: verb), [words(of: verb)[0]]] {
                let key = canary()
                let run = try Tool.run(Tool.patchpack, operands + format + ["--", key, key], in: shop.folder.path)
                check(run, hides: key, "\(name) \(format) with an operand")
                try? FileManager.default.removeItem(atPath: shop.folder.at(key))
            }
        }
    }

    /// The options for each format of a verb.
    private static func formats(of verb: Verb) -> [[String]] {
        guard case .choice(_, let names)? = verb.allOptions.first(where: { $0.name == "format" })?.value else {
            return [[]]
        }
        return names.map { ["--format", $0] }
    }

    /// A key file is not read as a script or a list of files, whose errors show lines.
    @Test(arguments: ["signing.pem", "script.key"])
    func noVerbReadsAKeyAsAScript(_ file: String) throws {
        let key = String(decoding: try shop.folder.read(file), as: UTF8.self)
        for words in [
            ["lint", file], ["test", file, "--spec", file], ["test", "cart.lua", "--spec", file],
            ["pack", "--no-lint", file, "-o", "x.js", "--signing-key", "signing.pem", "--script-key", "script.key"],
            ["verify", "--files-from", file, "--trusted-key", "trusted.pem", "--script-key", "script.key"],
            ["lint", "--format", "github", "--files-from", file],
        ] {
            let run = try Tool.run(Tool.patchpack, words, in: shop.folder.path)
            #expect(run.status == 64, "\(words): \(run.error)")
            check(run, hides: key, "\(words)")
        }
    }

    @Test func noWordShowsAKey() throws {
        for canary in Self.canaries {
            check(try shop.run(canary), hides: canary, "a verb")
            check(try shop.run("verify", "cart.lua", "--\(canary)"), hides: canary, "an option")
            check(try shop.run("verify", "cart.lua", "--trusted-key=ed25519:\(canary)"), hides: canary, "a prefix")
            check(try shop.run("verify", "cart.lua", "--\(canary)="), hides: canary, "an option with a value")
            check(try shop.run("verify", "cart.lua", "--app-version", canary), hides: canary, "a version")
            check(try shop.run("keyinfo", canary), hides: canary, "keyinfo")
            check(try shop.run("pack", "cart.lua", "-o", "\(canary)/x.js"), hides: canary, "a path")
        }
    }

    @Test(arguments: [
        "passphrase-env", "passphrase-file", "new-passphrase-env", "new-passphrase-file",
    ])
    func noOptionShowsAPassphrase(_ option: String) throws {
        let verbs = Self.verbs.filter { verb in verb.allOptions.contains { $0.name == option } }
        try #require(!verbs.isEmpty)
        for verb in testsMayBeLong ? verbs : Array(verbs.prefix(2)) {
            let keys = [("signing-key", "signing.pem"), ("script-key", "script.key")]
                .filter { key, _ in verb.allOptions.contains { $0.name == key } }
                .flatMap { key, file in ["--\(key)", file] }
            for format in [[], ["--format", "json"]] {
                let run = try Tool.run(
                    Tool.patchpack, words(of: verb) + format + ["--\(option)", "hunter2"] + keys,
                    in: shop.folder.path)
                #expect(!run.text.contains("hunter2") && !run.error.contains("hunter2"), "\(verb.name) \(run.error)")
            }
        }
    }

    @Test func errorMessageKeyInsteadOfFileNamesSource() throws {
        let key = Self.canaries[0]
        let option = try shop.run("keyinfo", "rsa-sha1:\(key)")
        #expect(option.status == 64)
        #expect(option.error.contains("keyinfo: a key was given, but a file name is expected"))
        #expect(option.error.contains("env:NAME"))
        let variable = try shop.run(
            "pack", "cart.lua", "-o", "x.js", "--script-key", "script.key", environment: ["PATCHPACK_SIGNING_KEY": key])
        #expect(variable.error.contains("PATCHPACK_SIGNING_KEY: a key was given"), "\(variable.error)")
    }

    /// The name of an existing file is shown, whatever it looks like.
    @Test func aFilesNameIsShown() throws {
        let name = Self.canaries[1]
        try shop.folder.write("no key", to: name)
        #expect(try shop.run("keyinfo", name).error.contains(name))
        #expect(try shop.run("keyinfo", "keys/production/release-2026").error.contains("keys/production/release-2026"))
        #expect(try shop.run("keyinfo", "/Users/Ada/Keys/Release2026").error.contains("/Users/Ada/Keys/Release2026"))
    }

    /// A string with several lines is shown, unless a word of it is a key.
    @Test func aKeyIsFoundAmongLines() throws {
        #expect(try shop.run("inspect", "no key,\nbut two lines").error.contains("two lines"))
        #expect(try !shop.run("inspect", "two lines\n\(Self.canaries[0])\n").error.contains(Self.canaries[0]))
    }

    @Test func keysComeFromVariables() throws {
        let signing = String(decoding: try shop.folder.read("signing.pem"), as: UTF8.self)
        let trusted = try shop.folder.read("trusted.pem")
        let script = String(decoding: try shop.folder.read("script.key"), as: UTF8.self)
        let forms = [
            signing, signing.replacing("\n", with: "\\n"), signing.replacing("\n", with: "\r\n"),
        ]
        for (index, form) in forms.enumerated() {
            let run = try shop.run(
                "pack", "--no-lint", "cart.lua", "-o", "\(index).js", "--signing-key", "rsa-sha1:env:S", "--script-key",
                "env:K", environment: ["S": form, "K": script])
            #expect(run.status == 0, "\(run.error)")
            #expect(try shop.folder.read("\(index).js") == shop.folder.read("0.js"))
        }
        let verified = try shop.run(
            "verify", "0.js",
            environment: [
                "PATCHPACK_TRUSTED_KEY": "env:T", "PATCHPACK_SCRIPT_KEY": "env:K", "K": script,
                "T": String(decoding: trusted, as: UTF8.self),
            ])
        #expect(verified.status == 0, "\(verified.error)")
        #expect(try shop.run("keyinfo", "env:NONE").status == 66)
        #expect(try shop.run("keyinfo", "env:X", environment: ["X": "no key"]).status == 78)
    }

    /// An empty line ends the headers of such a block, so the form of a variable must not get another one.
    @Test(arguments: ["\n", "\\n", "\\r\\n", "\r\n"])
    func aKeyWithHeadersComesFromAVariable(lineEnd: String) throws {
        let made = try shop.shell("openssl rsa -in signing.pem -traditional -aes128 -passout pass:open-sesame")
        try #require(made.text.contains("DEK-Info:"), "\(made.error)")
        let form = "'\(made.text.replacing("\n", with: lineEnd))'"
        let run = try shop.run(
            "keyinfo", "env:S", "--passphrase-env", "P", environment: ["S": form, "P": "open-sesame"])
        #expect(run.status == 0 && run.text.contains("private key, rsa-sha1"), "\(run.error)")
    }

    @Test func aSignatureCommandInheritsNoSecret() throws {
        let run = try shop.run(
            "pack", "--no-lint", "cart.lua", "-o", "x.js", "--signing-key", "signing.pem", "--passphrase-env", "P",
            "--script-key", "env:K", "--trusted-key", "trusted.pem", "--trusted-key", "other.pem",
            "--signature-command", "env >seen; false",
            environment: ["P": "open-sesame", "K": String(decoding: try shop.folder.read("script.key"), as: UTF8.self)])
        #expect(run.status != 0)
        let seen = String(decoding: try shop.folder.read("seen"), as: UTF8.self)
        #expect(seen.contains("PATH=") && !seen.contains("sesame") && !seen.contains("\nK="))
    }
}
