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

    @Test func itIsSaidOnce() throws {
        #expect(try notes("keygen -o a --bits 2048") == 1)
        #expect(try notes("keygen -o b --bits 2048 --algorithm rsa --signing-only") == 1)
        #expect(try notes("\(pack) one.lua two.lua cart.lua -o c --signing-key signing.pem") == 1)
        #expect(try notes("\(pack) one.lua two.lua -o d --signing-key signing.pem --all-or-nothing") == 1)
        #expect(try notes("\(pack) one.lua -o - --signing-key signing.pem >e") == 1)
        let command = "--trusted-key trusted.pem --signature-command 'openssl dgst -sha1 -sign signing.pem'"
        #expect(try notes("\(pack) one.lua -o f \(command)") == 1)
        #expect(try notes("doctor") == 1)
    }

    @Test(arguments: ["-q", "--format json"])
    func itIsNotSaidToMachines(_ option: String) throws {
        for line in ["keygen -o a --bits 2048", "\(pack) one.lua -o c --signing-key signing.pem", "doctor"] {
            #expect(try notes("\(line) \(option)") == 0, "\(line)")
        }
    }

    /// Nor does it print the note for those who have migrated, or are about to.
    @Test func itIsNotSaidOfOtherAlgorithms() throws {
        #expect(try notes("keygen -o a --algorithm ed25519") == 0)
        #expect(try notes("\(pack) one.lua -o b --signing-key ed.pem") == 0)
        #expect(try notes("\(pack) one.lua -o c --signing-key rsa-sha256:signing.pem") == 0)
        #expect(try notes("\(pack) one.lua -o d --signing-key signing.pem --signing-key ed.pem") == 0)
        for verb in [
            "verify d/one.js --script-key script.key", "inspect d/one.js", "resign d/one.js -o e --signing-key ed.pem",
        ] {
            #expect(try notes("\(verb) \(verb.hasPrefix("inspect") ? "" : "--trusted-key trusted.pem")") == 0)
        }
    }

    /// Without an option, `keygen` makes the kinds of keys in the manual.
    @Test func theDefaultsAreTheManuals() throws {
        let run = try shop.run("keygen", "-o", "a", "--bits", "2048")
        #expect(run.text.contains("private key, rsa-sha1, 2048 bits") && run.text.contains("aes-128-cbc+md5"))
    }
}
