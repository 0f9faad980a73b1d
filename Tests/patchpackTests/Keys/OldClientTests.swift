import Foundation
import PatchCrypto
import TestSupport
import Testing

/// A verb that makes or uses a key for `rsa-sha1` prints a note about it once per run.
@Suite(.ownThreads) struct OldClientTests {
    private let shop: ReleaseFixture
    private static let note = "rsa-sha1 is for old clients"

    init() throws {
        shop = try ReleaseFixture()
        try shop.folder.write(SigningKey.generate(.ed25519).pem().exposed, to: "ed.pem", mode: 0o600)
        for name in ["one", "two"] {
            try shop.folder.write(ReleaseFixture.script.replacing("cart-total", with: name), to: "\(name).lua")
        }
    }

    private func notes(_ line: String) throws -> Int {
        let run = try shop.shell("patchpack \(line)")
        #expect(run.status == 0, "\(run.error)")
        #expect(!run.text.contains(Self.note))
        return run.error.components(separatedBy: Self.note).count - 1
    }

    private let pack = "pack --no-lint --script-key script.key"

    @Test func sha1NoteEachVerbIsPrintedOnce() throws {
        #expect(try notes("keygen -o a --profile mpaas --bits 2048") == 1)
        #expect(try notes("keygen -o b --profile mpaas --bits 2048 --signing-only") == 1)
        #expect(try notes("\(pack) one.lua two.lua cart.lua -o c --signing-key signing.pem") == 1)
        #expect(try notes("\(pack) one.lua two.lua -o d --signing-key signing.pem --all-or-nothing") == 1)
        #expect(try notes("\(pack) one.lua -o - --signing-key signing.pem >e") == 1)
        let command = "--trusted-key trusted.pem --signature-command 'openssl dgst -sha1 -sign signing.pem'"
        #expect(try notes("\(pack) one.lua -o f \(command)") == 1)
        #expect(try notes("doctor") == 1)
    }

    @Test(arguments: ["-q", "--format json"])
    func sha1NoteQuietOrJSONIsNotPrinted(_ option: String) throws {
        for line in [
            "keygen -o a --profile mpaas --bits 2048", "\(pack) one.lua -o c --signing-key signing.pem", "doctor",
        ] {
            #expect(try notes("\(line) \(option)") == 0, "\(line)")
        }
    }

    /// Nor does it print the note for those who have migrated, or are about to.
    @Test func sha1NoteOtherAlgorithmIsNotPrinted() throws {
        #expect(try notes("keygen -o a --profile modern") == 0)
        #expect(try notes("\(pack) one.lua -o b --signing-key ed.pem") == 0)
        #expect(try notes("\(pack) one.lua -o c --signing-key rsa-sha256:signing.pem") == 0)
        #expect(try notes("\(pack) one.lua -o d --signing-key signing.pem --signing-key ed.pem") == 0)
        for verb in [
            "verify d/one.js --script-key script.key", "inspect d/one.js", "resign d/one.js -o e --signing-key ed.pem",
        ] {
            #expect(try notes("\(verb) \(verb.hasPrefix("inspect") ? "" : "--trusted-key trusted.pem")") == 0)
        }
    }

    /// Nobody gets SHA-1 without asking for it, and the manual's keys are found by its name.
    @Test func keygenNamedProfileMakesItsKeys() throws {
        let unnamed = try shop.run("keygen", "-o", "a")
        #expect(unnamed.status == 64 && !shop.folder.exists("a"))
        #expect(unnamed.error.contains("--profile modern") && unnamed.error.contains("--profile mpaas"))
        let manual = try shop.run("keygen", "-o", "a", "--profile", "mpaas", "--bits", "2048")
        #expect(manual.text.contains("private key, rsa-sha1, 2048 bits") && manual.text.contains("aes-128-cbc+md5"))
        let modern = try shop.run("keygen", "-o", "b", "--profile", "modern")
        #expect(modern.text.contains("private key, ed25519") && modern.text.contains("aes-256-gcm+sha256"))
        // On a terminal, it asks.
        for (answer, status) in [("modern", 0), ("x", 64)] {
            let asked = try Tool.patiently(in: shop.folder.path) { pause in
                "(sleep \(pause); echo \(answer); sleep 1) | script -qec '\"$TOOL\" keygen -o \(answer) --force' /dev/null"
            } until: {
                $0.status == status
            }
            #expect(asked.status == status && asked.text.contains("mpaas: RSA with SHA-1"), "\(asked.text)")
            #expect(shop.folder.exists("\(answer)/script.key") == (status == 0))
        }
    }
}
