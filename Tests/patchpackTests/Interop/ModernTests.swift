import PatchCrypto
import TestSupport
import Testing

/// Opens every suite with every algorithm, with programs that share no code with patchpack.
@Suite(.ownThreads) struct ModernTests {
    private let shop: ReleaseFixture

    /// A workshop with keys in the folders `rsa` and `ed`. Making an RSA key is slow.
    private static let template = Result {
        let shop = try ReleaseFixture()
        for (profile, folder) in [("mpaas", "rsa"), ("modern", "ed")] {
            let bits = profile == "mpaas" ? ["--bits", "2048"] : []
            let words = ["keygen", "-o", folder, "--profile", profile] + bits
            let run = try Tool.run(Tool.patchpack, words, in: shop.folder.path)
            try #require(run.status == 0, "\(run.error)")
        }
        return shop
    }

    init() throws { shop = try ReleaseFixture(copyOf: Self.template.get()) }

    @Test(
        arguments: ["rsa/script.key", "ed/script.key"],
        ["rsa-sha1:rsa", "rsa-sha256:rsa", "ed25519:ed", "rsa-sha256:rsa ed25519:ed"])
    func patchpackAndPythonAgree(scriptKey: String, keys: String) throws {
        let names = keys.split(separator: " ").map(String.init)
        let signing = names.flatMap { ["--signing-key", "\($0)/signing.pem"] }
        let trusted = names.flatMap { ["--trusted-key", "\($0)/trusted.pem"] }
        let packed = try shop.run(["pack", "cart.lua", "--script-key", scriptKey] + signing)
        try #require(packed.status == 0, "\(packed.error)")
        let verified = try shop.run(
            ["verify", "cart.js", "--script-key", scriptKey, "--threshold", "\(names.count)"] + trusted)
        #expect(verified.status == 0, "\(verified.error)")
        let files = names.map { "\($0)/trusted.pem" }.joined(separator: " ")
        let opened = try shop.shell(
            """
            /usr/bin/python3 "$CHECKOUT/Tests/Vectors/verifier.py" --open cart.js \(scriptKey) \(files) &&
              sha256sum cart.lua
            """)
        #expect(opened.status == 0, "\(opened.error)")
        #expect(opened.lines.first?.split(separator: " ").last == opened.lines.last?.split(separator: " ").first)
    }

    @Test func opensslVerifiesEveryAlgorithm() throws {
        let run = try shop.shell(
            """
            set -e
            for key in rsa-sha1:rsa rsa-sha256:rsa ed25519:ed; do
              patchpack pack cart.lua --force -q --signing-key $key/signing.pem --script-key rsa/script.key
              patchpack resign cart.js --detach -o payload --force -q --trusted-key $key/trusted.pem
              tail -n 1 cart.js | cut -d' ' -f3 | base64 -d >signature
              case $key in
                rsa-sha1:*) openssl dgst -sha1 -verify rsa/trusted.pem -signature signature payload ;;
                rsa-sha256:*) openssl dgst -sha256 -verify rsa/trusted.pem -signature signature payload ;;
                *) openssl pkeyutl -verify -rawin -pubin -inkey ed/trusted.pem -in payload -sigfile signature ;;
              esac
            done
            """)
        #expect(run.status == 0, "\(run.error)")
        #expect(run.lines.count == 3)
    }

    @Test(.enabled(if: testsMayBeLong)) func theGuideForMigratingWorks() throws {
        let guide = try shop.shell(
            "sed -n '/^```sh$/,/^```$/p' \"$CHECKOUT/docs/migrating-to-modern-signatures.md\" | grep -v '^```'")
        #expect(guide.lines.count > 20)
        try shop.folder.write("set -ex\n" + guide.text, to: "guide.sh")
        let run = try shop.shell(
            "mkdir bin; ln -s \"$TOOL\" bin/patchpack; unset -f patchpack; PATH=$PWD/bin:$PATH bash guide.sh")
        #expect(run.status == 0, "\(run.error)")
    }
}
