import PatchCrypto
import TestSupport
import Testing

@Suite(.ownThreads) struct ReleaseTests {
    @Test func theReleaseScriptReleases() throws {
        let shop = try Workshop()
        try shop.folder.write(Workshop.script, to: "patches/cart.lua")
        try shop.folder.write(Workshop.script.replacing("cart-total", with: "other"), to: "patches/other.lua")
        let line = """
            PATH=$PWD/bin:$PATH; mkdir bin; ln -s "$TOOL" bin/patchpack; unset -f patchpack
            export PATCHPACK_SIGNING_KEY=$KEY PATCHPACK_TRUSTED_KEY=trusted.pem PATCHPACK_SCRIPT_KEY=script.key
            "$CHECKOUT/examples/release.sh" patches dist && cd dist && sha256sum -c SHA256SUMS
            """
        let run = try shop.shell(line, environment: ["KEY": "signing.pem"])
        #expect(run.status == 0, "\(run.error)")
        #expect(run.lines.suffix(2) == ["cart.js: OK", "other.js: OK"])
        try #require(try shop.shell("rm -r dist bin").status == 0)
        try shop.folder.write(TestKeys.otherSigning.pem().exposed, to: "wrong.pem", mode: 0o600)
        #expect(try shop.shell(line, environment: ["KEY": "wrong.pem"]).status == 78)
        #expect(!shop.folder.exists("dist"))
    }
}
